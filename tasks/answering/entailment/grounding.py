"""The step between a draft and the decision: what a generator wrote in its own words is held against what it cites.

Figures and names come first, and exactly: a sentence with one that stands in no passage handed over goes. Of every
other sentence a model weighs how probable it is that the passages which it cites, or others, bear it out: it stays, it
stays and is marked for a person, or it goes. Where nothing is left that says anything, the draft declines. Citations
become the sentences of the documents that bear its claims out best, so that every quote is verbatim from the page that
it names. Further opinions, where they are configured, may speak for what is marked, or against any of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Literal, NamedTuple

from configs.entailment import Entailing, shipped_weights
from tasks.answering.conflicts.contradictions import conflict_of
from tasks.answering.drafting import Asked, Check, Draft
from tasks.answering.entailment.claims import Sentence, sentences_of
from tasks.answering.entailment.facts import words_of_claim
from tasks.answering.entailment.model import Matrix, Tokens, features_of, is_sure, is_unsupported
from tasks.answering.entailment.support import (
    Evidence,
    Finding,
    best_findings,
    evidence_of,
    nowhere,
    ordinary_words,
    said_by,
    speakers_of,
    told_as_lacking,
)
from tasks.answering.quotes.context_passages import on_one_page, text_of
from tasks.answering.verdicts.written import verdict_fault
from tasks.conversion.text import fold
from tasks.embedding.bm25 import terms
from tasks.records import Citation, Hit

CLEARLY = 0.15
"""A passage that is not cited and has so much larger a share of a claim's words is where the claim comes from, though
the cited one would do.
"""
COPIED = 0.9
"""With so many of its words in one passage, a claim that lacks something there is contradicted by it."""
_SHOWN_CHARACTERS = 160

Pair = tuple[str, str]
"""What bears a claim out, and the claim."""
Entailment = Literal["entailment", "neutral", "contradiction"]


class Opinions(NamedTuple):
    """Opinions on sentences and their sources. ``tokens`` gives the unit vectors of texts and of each those of
    its tokens, which the model of entailment weighs; ``weights`` are that model's, None: those that are shipped.

    Further models are given pairs of a source and a sentence, in order; None is not asked. ``entailments`` are those of
    a model of natural language inference, ``judgements`` a language model's, None where it gave none.
    """

    tokens: Callable[[Sequence[str]], tuple[Matrix, Sequence[Matrix]]] | None = None
    entailments: Callable[[Sequence[Pair]], Sequence[Entailment]] | None = None
    judgements: Callable[[Sequence[Pair]], Sequence[bool | None]] | None = None
    weights: Entailing | None = None


class _Held(NamedTuple):
    """A sentence with its claims beside what should bear them out; ``fault`` is what is wrong with it at once, and
    ``moved`` are those of the findings that are of passages which it does not cite. ``evidence`` is what it is weighed
    against; none for what says nothing, or stands there letter by letter.
    """

    sentence: Sentence
    findings: tuple[Finding, ...]
    fault: str = ""
    moved: tuple[Finding, ...] = ()
    evidence: tuple[Evidence, ...] = ()

    @property
    def pair(self) -> Pair:
        """Its source and itself."""
        return "\n".join(dict.fromkeys(finding.source for finding in self.findings)), self.sentence.text

    @property
    def lacks(self) -> str:
        """The things that its nearest passages do not have, in words."""
        return self._told or "its source says something else"

    @property
    def doubt(self) -> str:
        """Why a person should look at it, in words."""
        return self._told or "its source says it in other words"

    @property
    def _told(self) -> str:
        told = next((finding.lacks for finding in self.findings if finding.lacks), "")
        return told_as_lacking(told) if told else ""


class _Found(NamedTuple):
    """Why a sentence goes, or a person has to look at it; "" for each where not."""

    fault: str = ""
    doubt: str = ""
    is_unjudged: bool = False


def check_drafts(asked: Sequence[Asked], drafts: Sequence[Draft], opinions: Opinions) -> list[Draft]:
    """The drafts as they may be shown, in order, each with what was checked; no drafts give none.

    One that is declined already stays as it is; of one that is verbatim, only passages that contradict it are sought.
    """
    held = [_held(item, draft) if _has_own_words(draft) else [] for item, draft in zip(asked, drafts, strict=True)]
    found = iter(_found([one for sentences in held for one in sentences], opinions))
    checked = [
        _checked(item, draft, [(one, next(found)) for one in sentences]) if _has_own_words(draft) else draft
        for item, draft, sentences in zip(asked, drafts, held, strict=True)
    ]
    return [_beside_others(item, draft) for item, draft in zip(asked, checked, strict=True)]


def _has_own_words(draft: Draft) -> bool:
    return draft.text is not None and draft.declined is None and not draft.is_verbatim


def _held(asked: Asked, draft: Draft) -> list[_Held]:
    hits = on_one_page(asked.hits)
    ordinary = ordinary_words([asked.question.text, *map(text_of, hits)])
    cited = [hit for hit in hits if any(_holds(hit, citation) for citation in draft.citations)]
    found: list[_Held] = []
    known: dict[tuple[int, ...], list[Evidence]] = {}
    of_document: dict[str, list[Hit]] = {}
    for hit in hits:
        of_document.setdefault(hit.chunk.document_id, []).append(hit)
    speakers = speakers_of({" ".join(map(text_of, some)): some[0].chunk.context for some in of_document.values()})
    everything = evidence_of(hits, speakers)
    for sentence in sentences_of(draft.text or ""):
        outside = [number for number in sentence.cited if not 1 <= number <= len(hits)]
        if outside:
            found.append(_Held(sentence, (), f"it cites passage {outside[0]}, and there are {len(hits)}"))
            continue
        if sentence.cited not in known:
            known[sentence.cited] = evidence_of([hits[number - 1] for number in sentence.cited] or cited, speakers)
        claims = () if sentence.is_verdict else sentence.claims
        # What stands somewhere letter by letter is cited from there, whatever number the model gave.
        # A bare "Yes" may stand anywhere: to what it was said there, nobody knows.
        whole = None if sentence.is_verdict else said_by(sentence.text, known[sentence.cited])
        own = [whole] if whole else best_findings(claims, known[sentence.cited], ordinary)
        whole = whole or (None if sentence.is_verdict else said_by(sentence.text, everything))
        # Only what cites something may have cited the wrong thing.
        placed = _well_placed(own, everything, ordinary) if known[sentence.cited] else own
        findings = [whole] if whole else placed
        moved = [one for one in findings if not any(one is other for other in own)]
        lacks = "" if whole else nowhere(sentence.text, everything, ordinary) or _contradicted(findings)
        sources = () if whole or not findings else tuple(everything if moved else known[sentence.cited])
        # What no sentence cites is weighed against nothing, and goes.
        fault = told_as_lacking(lacks) if lacks else "" if whole or sources or not findings else "it cites no source"
        found.append(_Held(sentence, tuple(findings), fault, tuple(moved), sources))
    return found


def _contradicted(findings: Sequence[Finding]) -> str:
    """The difference of a copy from its source, in words: nearly all words of a claim stand there, and it has another
    name or span of time, or, of a sentence that claims one thing, another figure or the opposite; "" where it does not.
    """
    copied = (one for one in findings if one.share >= COPIED and (len(findings) == 1 or one.kind in ("name", "span")))
    return next((one.lacks for one in copied if one.lacks and one.kind != "source"), "")


def _well_placed(
    findings: Sequence[Finding], everything: Sequence[Evidence], ordinary: frozenset[str]
) -> Sequence[Finding]:
    """The findings of a sentence's own passages; one of another passage in the place of each that they do not bear out
    or that the other bears out clearly better, or to the last word.
    """
    if all(one.is_supported and one.share == 1.0 for one in findings):
        return findings
    others = best_findings([one.claim for one in findings], everything, ordinary)
    return [
        other if other.is_supported and _is_better(other, one) else one
        for one, other in zip(findings, others, strict=True)
    ]


def _is_better(other: Finding, cited: Finding) -> bool:
    if cited.is_supported:
        return other.share >= min(cited.share + CLEARLY, 1.0)
    # What is cited and says the opposite is no slip of a number.
    return not cited.is_turned_round


def _holds(hit: Hit, citation: Citation) -> bool:
    return any(
        citation.document_id == chunk.document_id and citation.start < chunk.end and chunk.start < citation.end
        for chunk in hit.chunks
    )


def _found(held: Sequence[_Held], opinions: Opinions) -> list[_Found]:
    """The fate of each sentence, in order."""
    weights, tokens = opinions.weights or shipped_weights(), _tokens_of(held, opinions)
    found = [_weighed(one, weights, tokens) for one in held]
    if opinions.entailments:
        likely = [at for at, one in enumerate(found) if not one.fault and held[at].findings]
        for at, label in zip(likely, opinions.entailments([held[at].pair for at in likely]), strict=True):
            if label == "contradiction":
                found[at] = _Found("a model of inference finds that its source contradicts it")
            elif label == "entailment":
                found[at] = _Found()
    if opinions.judgements:
        good = [at for at, one in enumerate(found) if not one.fault and held[at].findings]
        for at, judgement in zip(good, opinions.judgements([held[at].pair for at in good]), strict=True):
            if judgement is False:
                found[at] = _Found("a model that was asked to judge finds that its source does not say it")
            elif judgement is None:
                found[at] = found[at]._replace(is_unjudged=True)
    return found


def _weighed(one: _Held, weights: Entailing, tokens: Tokens | None) -> _Found:
    if one.fault or not one.evidence:
        return _Found(one.fault)
    features = features_of(one.sentence.text, one.findings, one.evidence, tokens)
    if is_unsupported(features, weights):
        return _Found(one.lacks)
    return _Found(doubt="" if is_sure(features, weights) else one.doubt)


def _tokens_of(held: Sequence[_Held], opinions: Opinions) -> Tokens | None:
    """The vectors of all sentences that are weighed and of their sources, which are asked for together."""
    weighed = [one for one in held if one.evidence and not one.fault]
    texts = list(dict.fromkeys(text for one in weighed for text in _texts(one)))
    if opinions.tokens is None or not texts:
        return None
    vectors, tokens = opinions.tokens(texts)
    if len(tokens) != len(texts):  # a plan that keeps no token vectors
        return None
    return dict(zip(texts, zip(vectors, tokens, strict=True), strict=True)).__getitem__


def _texts(one: _Held) -> list[str]:
    return [one.sentence.text, *(evidence.read for evidence in one.evidence)]


def _without_repeats(sentences: Sequence[_Held]) -> list[_Held]:
    """What a small model that runs on says again and again, once."""
    first: dict[str, _Held] = {}
    for one in sentences:
        first.setdefault(fold(one.sentence.text), one)
    return list(first.values())


def _is_broken_off(held: Sequence[_Held], one: _Held) -> bool:
    """Whether it is a last sentence that a limit of length cut before it said anything."""
    says = any(words_of_claim(claim.text) for claim in one.sentence.claims)
    return one is held[-1] and len(held) > 1 and not (says or one.sentence.text.endswith((".", "!", "?")))


def _checked(asked: Asked, draft: Draft, found: Sequence[tuple[_Held, _Found]]) -> Draft:
    held = [one for one, _ in found]
    faults = {id(one): what.fault for one, what in found}
    kept = _without_repeats([one for one in held if not (faults[id(one)] or _is_broken_off(held, one))])
    left_out = [(one, faults[id(one)]) for one in _without_repeats([one for one in held if faults[id(one)]])]
    told = "; ".join(f"“{one.sentence.text[:_SHOWN_CHARACTERS]}” ({fault})" for one, fault in left_out)
    if not any(words_of_claim(finding.claim.text) for one in kept for finding in one.findings):
        return _declined(draft, held, told)
    findings = [finding for one in kept for finding in one.findings]
    text = "".join(f"{one.sentence.before if number else ''}{one.sentence.text}" for number, one in enumerate(kept))
    citations = _citations(findings)
    checks = [Check("support", not left_out, f"left out: {told}" if left_out else "")]
    doubts = [
        f"see that “{one.sentence.text[:_SHOWN_CHARACTERS]}” is borne out: {what.doubt}"
        for one, what in found
        if what.doubt
    ]
    checks.append(Check("entailment", not doubts, "; ".join(doubts)))
    pages = {(citation.document_id, citation.page_number) for citation in citations}
    idle = [one.locator for one in draft.citations if (one.document_id, one.page_number) not in pages]
    remarks = [
        f"moved: “{one.claim.text[:_SHOWN_CHARACTERS]}” to {one.passages[0].citation().locator}, which bears it out"
        for sentence in kept
        for one in sentence.moved
    ]
    remarks += [f"cited and of no use: {', '.join(dict.fromkeys(idle))}"] if idle else []
    checks.append(Check("citations", not remarks, "; ".join(remarks)))
    fault = _verdict_fault(asked, draft, text, citations, bool(left_out))
    if draft.verdict is not None:
        checks.append(Check("verdict", not fault, fault))
    if missed := [f"“{one.sentence.text[:_SHOWN_CHARACTERS]}”" for one, what in found if what.is_unjudged]:
        told_of = f"the model that is asked to judge gave no judgement of {', '.join(dict.fromkeys(missed))}"
        checks.append(Check("judgement", False, told_of))
    return replace(
        draft,
        text=text,
        # One that is doubted is left for a person to say; who asks for words is given none.
        verdict=draft.verdict if asked.question.kind == "yes_no" else None,
        citations=citations,
        support=min((finding.share for finding in findings), default=0.0),
        detail="; ".join(
            filter(None, [draft.detail, f"left out, as nothing that is cited bears it out: {told}" if told else ""])
        ),
        checks=(*draft.checks, *checks),
    )


def _verdict_fault(asked: Asked, draft: Draft, text: str, citations: Sequence[Citation], is_cut: bool) -> str:
    if draft.verdict is None:
        return ""
    if asked.question.kind != "yes_no":
        return "the question does not ask for yes or no"
    if is_cut:
        return "part of what the verdict rests on was left out"
    return verdict_fault(asked.question.text, draft.verdict, text, [citation.quote for citation in citations])


def _declined(draft: Draft, held: Sequence[_Held], told: str) -> Draft:
    found = sorted((one for some in held for one in some.findings if one.passages), key=lambda one: -one.share)
    near = [*(one.passages[0].citation() for one in found), *draft.citations]
    fact = next((citation for citation in near if len(terms(citation.quote)) > 1), None)
    detail = "the draft says what its citations do not bear out"
    return Draft(
        None,
        None,
        (),
        0.0,
        declined="unsupported",
        detail="; ".join(filter(None, [draft.detail, f"{detail}: {told}" if told else detail])),
        nearest_fact=fact,
        attempts=draft.attempts,
        replied=draft.replied,
        checks=(*draft.checks, Check("support", False, told or "it says nothing that a passage could bear out")),
    )


def _citations(findings: Sequence[Finding]) -> tuple[Citation, ...]:
    found = {(p.chunk.document_id, p.start, p.end): p for finding in findings for p in finding.passages}
    return tuple(passage.citation() for passage in found.values())


def _beside_others(asked: Asked, draft: Draft) -> Draft:
    if draft.text is None or draft.declined is not None:
        return draft
    conflict = conflict_of(asked, draft)
    check = Check("conflict", conflict is None, str(conflict or ""))
    draft = replace(draft, checks=(*draft.checks, check))
    if conflict is None or not conflict.is_of_verdicts:
        return draft
    return replace(
        draft,
        text=None,
        verdict=None,
        citations=(),
        declined="conflict",
        detail="; ".join(filter(None, [str(conflict), draft.detail])),
        nearest_fact=draft.citations[0],
    )
