"""Grounding: a generator's own words checked against the passages that it cites, between the draft and the decision.

Each sentence is labelled (:mod:`tasks.answering.entailment.labels`): it stays, it stays and is marked for a person, or
it is removed. Where nothing is left that says anything, the draft declines. Citations become the sentences of the
documents that support its claims best, so that every quote is verbatim from the page that it names.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from tasks.answering.conflicts.contradictions import conflict_of
from tasks.answering.drafts.draft import Asked, Check, Draft, joined
from tasks.answering.entailment.claims import sentences_of
from tasks.answering.entailment.labels import JUDGE, Entailment, Opinions, Pair, labels, pair_of
from tasks.answering.entailment.support import Evidence, evidence_of, ordinary_words, speakers_of
from tasks.answering.quotes.context_passages import is_of, on_one_page, text_of
from tasks.records import Citation
from tasks.text.characters import fold
from tasks.text.names.figures_and_names import words_of_claim
from tasks.text.search_terms import terms

_SHOWN_CHARACTERS = 160


class _Labelled(NamedTuple):
    """A sentence of a draft with its label."""

    pair: Pair
    entailment: Entailment

    @property
    def shown(self) -> str:
        """The sentence in quotation marks, cut to the length that is shown."""
        return f"“{self.pair.sentence.text[:_SHOWN_CHARACTERS]}”"

    @property
    def is_unjudged(self) -> bool:
        """True where the judge model was asked and gave no judgement."""
        return self.entailment.by == JUDGE and self.entailment.label == "neutral"


def check_drafts(asked: Sequence[Asked], drafts: Sequence[Draft], opinions: Opinions) -> list[Draft]:
    """The checked drafts, in order; a declined one as it is, a verbatim one only against contradicting passages."""
    pairs = [pairs_of(item, draft) if _has_own_words(draft) else [] for item, draft in zip(asked, drafts, strict=True)]
    found = iter(labels([pair for some in pairs for pair in some], opinions))
    checked = [
        _checked(item, draft, [_Labelled(pair, next(found)) for pair in some]) if _has_own_words(draft) else draft
        for item, draft, some in zip(asked, drafts, pairs, strict=True)
    ]
    return [_beside_others(item, draft) for item, draft in zip(asked, checked, strict=True)]


def _has_own_words(draft: Draft) -> bool:
    return draft.text is not None and draft.declined is None and not draft.is_verbatim


def pairs_of(asked: Asked, draft: Draft) -> list[Pair]:
    """The sentences of the draft, each paired with the passages that it, or else the draft, cites."""
    hits = on_one_page(asked.hits)
    ordinary = ordinary_words([asked.question.text, *map(text_of, hits)])
    cited = [hit for hit in hits if any(is_of(citation, chunk) for citation in draft.citations for chunk in hit.chunks)]
    speakers = speakers_of((hit.chunk, text_of(hit)) for hit in hits)
    handed = evidence_of(hits, speakers)
    known: dict[tuple[int, ...], list[Evidence]] = {}
    found: list[Pair] = []
    for sentence in sentences_of(draft.text or ""):
        numbers = sentence.cited
        outside = [number for number in numbers if not 1 <= number <= len(hits)]
        if outside:
            found.append(Pair(sentence, lacks=f"it cites passage {outside[0]}, and there are {len(hits)}"))
            continue
        if numbers not in known:
            known[numbers] = evidence_of([hits[number - 1] for number in numbers] or cited, speakers)
        found.append(pair_of(sentence, known[numbers], handed, ordinary))
    return found


def _without_repeats(sentences: Sequence[_Labelled]) -> list[_Labelled]:
    """The sentences without repeats, which small models write when they run on; the first of each stays."""
    first: dict[str, _Labelled] = {}
    for one in sentences:
        first.setdefault(fold(one.pair.sentence.text), one)
    return list(first.values())


def _is_broken_off(found: Sequence[_Labelled], one: _Labelled) -> bool:
    """Tell if ``one`` is the last of several sentences and was cut by a length limit before it claimed anything."""
    sentence = one.pair.sentence
    says = any(words_of_claim(claim.text) for claim in sentence.claims)
    return one is found[-1] and len(found) > 1 and not (says or sentence.text.endswith((".", "!", "?")))


def _checked(asked: Asked, draft: Draft, found: Sequence[_Labelled]) -> Draft:
    left_out = _without_repeats([one for one in found if one.entailment.is_refuted])
    kept = _without_repeats([one for one in found if not (one.entailment.is_refuted or _is_broken_off(found, one))])
    told = "; ".join(f"{one.shown} ({one.entailment.reason})" for one in left_out)
    findings = [finding for one in kept for finding in one.pair.findings]
    if not any(words_of_claim(finding.claim.text) for finding in findings):
        return _declined(draft, found, told)
    text = "".join(
        f"{one.pair.sentence.before if number else ''}{one.pair.sentence.text}" for number, one in enumerate(kept)
    )
    cited = {(p.document_id, p.start, p.end): p for finding in findings for p in finding.passages}
    citations = tuple(citation for passage in cited.values() for citation in passage.citations())
    doubted = [one for one in found if one.entailment.label == "neutral" and not one.entailment.is_refuted]
    doubts = [f"check {one.shown}: {one.entailment.reason}" for one in doubted if not one.is_unjudged]
    remarks = _remarks(draft, kept, citations)
    checks = [
        Check("support", not left_out, f"removed: {told}" if left_out else ""),
        Check("entailment", not doubts, "; ".join(doubts)),
        Check("citations", not remarks, "; ".join(remarks)),
    ]
    if missed := [one.shown for one in found if one.is_unjudged]:
        told_of = f"the judge model gave no judgement: check {', '.join(dict.fromkeys(missed))}"
        checks.append(Check("judgement", False, told_of))
    return replace(
        draft,
        text=text,
        # Who asks for words is given no verdict.
        verdict=draft.verdict if asked.question.kind == "yes_no" else None,
        citations=citations,
        support=min((finding.share for finding in findings), default=0.0),
        detail=joined(draft.detail, told and f"removed, as no cited passage supports it: {told}"),
        checks=(*draft.checks, *checks),
    )


def _remarks(draft: Draft, kept: Sequence[_Labelled], citations: Sequence[Citation]) -> list[str]:
    """Remarks on citations that moved to a better passage, and on those that support nothing."""
    pages = {(citation.document_id, citation.page_number) for citation in citations}
    idle = [one.locator for one in draft.citations if (one.document_id, one.page_number) not in pages]
    remarks = [
        f"moved: “{one.claim.text[:_SHOWN_CHARACTERS]}” to {one.passages[0].citation().locator}, which supports it"
        for labelled in kept
        for one in labelled.pair.moved
    ]
    return remarks + ([f"cited, but supports nothing: {', '.join(dict.fromkeys(idle))}"] if idle else [])


def _declined(draft: Draft, labelled: Sequence[_Labelled], told: str) -> Draft:
    findings = [one for some in labelled for one in some.pair.findings if one.passages]
    found = sorted(findings, key=lambda one: -one.share)
    near = [*(one.passages[0].citation() for one in found), *draft.citations]
    fact = next((citation for citation in near if len(terms(citation.quote)) > 1), None)
    detail = "the cited passages do not support the draft"
    return Draft(
        None,
        None,
        (),
        0.0,
        declined="unsupported",
        detail=joined(draft.detail, f"{detail}: {told}" if told else detail),
        nearest_fact=fact,
        attempts=draft.attempts,
        replied=draft.replied,
        checks=(*draft.checks, Check("support", False, told or "it makes no claim that a passage could support")),
    )


def _beside_others(asked: Asked, draft: Draft) -> Draft:
    if draft.text is None or draft.declined is not None:
        return draft
    conflict = conflict_of(asked, draft)
    check = Check("conflict", conflict is None, str(conflict or ""))
    draft = replace(draft, checks=(*draft.checks, check), denied_by=conflict.other if conflict else None)
    if conflict is None or not conflict.is_of_verdicts:
        return draft
    return replace(
        draft,
        text=None,
        verdict=None,
        citations=(),
        declined="conflict",
        detail=joined(str(conflict), draft.detail),
        nearest_fact=draft.citations[0],
    )
