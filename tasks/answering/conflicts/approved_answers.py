"""Approved answers: drafts of the library's entries, held against what the documents alone would answer.

An approved answer to the same question is given as it was approved where the documents bear it out or are silent. Where
a document that is in force answers otherwise, or the entry no longer stands, a person decides, with both texts before
them. An entry that answers a similar question is shown beside the draft.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tasks.answering.conflicts.answer_differences import Side, bears_out, denied_by, differs
from tasks.answering.conflicts.past_answers import Dated, without_verdict
from tasks.answering.conflicts.same_question import Vectors, bare, is_same_question
from tasks.answering.drafts.draft import VERDICTS, Asked, Attempt, Check, Draft, Proposal
from tasks.answering.quotes.context_passages import is_of
from tasks.answering.quotes.passages import Passage, passages_of
from tasks.library.entries import LibraryEntry
from tasks.library_names import is_approved
from tasks.questions.past_rows import past_verdict
from tasks.questions.wording import begins_with_verdict, spell_verdict, verdict_of
from tasks.records import Chunk, Citation, Hit, Verdict
from tasks.text.names.figures_and_names import words_of_claim
from tasks.text.word_stems import stems_of

Matrix = NDArray[np.float32]
NAME = "library"
"""The generator of a draft that is an approved answer."""
LEAST_PROBABILITY = 0.5
"""The least probability, of a selected quote or a verdict, at which the documents count as answering."""
LEAST_SHARE = 0.25
"""The least share of the question's words in the quote and its heading at which it counts as answering."""
LEAST_OF_ANSWER, LEAST_OF_BOTH = 0.5, 1.0
"""The least share of an approved answer's words in the sentence that says the like, and the least sum of that and of
the question's share. Of 172 answers of the sample, which its documents bear out, one is contradicted by it."""
SIMILAR_FROM = 0.75
"""The least cosine of a question that is shown as similar."""
MOST_SIMILAR = 2
_SHOWN_CHARACTERS = 200


class EntryState(NamedTuple):
    """The state of an entry: reasons against its use, the places of its evidence in today's documents, and of what
    stands in its place. ``entry`` is None where the library does not list it.
    """

    faults: tuple[str, ...] = ()
    citations: tuple[Citation, ...] = ()
    instead: Citation | None = None
    entry: LibraryEntry | None = None


EntryOf = Callable[[Chunk], EntryState]
"""Function from the chunk of an approved answer to the state of its entry."""
Encode = Callable[[Sequence[str]], tuple[Matrix, list[Matrix]]]
Read = Callable[[str], str]
Quote = Callable[[Sequence[Asked]], list[Draft]]


@dataclass(frozen=True, slots=True)
class Library:
    """All that approved answers are drafted with: ``quote`` drafts from hits, ``encode`` gives vectors of texts, and
    ``read`` a past question as the asked ones are read.
    """

    encode: Encode
    quote: Quote
    entry_of: EntryOf
    dated: Dated
    not_in_force: Callable[[str], str]
    read: Read


class Approved(NamedTuple):
    """The approved answers to a question: the draft of the one to the same question, if any, and similar ones."""

    draft: Draft | None = None
    similar: tuple[str, ...] = ()


def approved_answers(asked: Sequence[Asked], documents: Sequence[Sequence[Hit]], library: Library) -> list[Approved]:
    """The approved answers among the hits of each question, in order; no questions give none.

    ``documents`` are the hits of each question that are no past answers, which an answer is held against.
    """
    past = [_past_answers(item) for item in asked]
    vectors = _vectors(asked, past, library)
    chosen = [_same(item, some, vectors, library) for item, some in zip(asked, past, strict=True)]
    at = [number for number, some in enumerate(chosen) if some]
    alone = [Asked(asked[number].question, documents[number]) for number in at]
    own = [Asked(asked[number].question, [chosen[number][0].hit]) for number in at]
    quoted = dict(zip(at, zip(library.quote(alone), library.quote(own), strict=True), strict=True)) if at else {}
    return [
        Approved(
            _draft(item, same, documents[number], *quoted[number], library) if same else None,
            () if same else _similar(item, some, vectors, library.read),
        )
        for number, (item, some, same) in enumerate(zip(asked, past, chosen, strict=True))
    ]


def _past_answers(asked: Asked) -> list[Passage]:
    found = [passage for hit in asked.hits for passage in passages_of(hit) if passage.is_past_answer]
    return [one for one in found if is_approved(one.chunk.file_name)]


def _vectors(asked: Sequence[Asked], past: Sequence[Sequence[Passage]], library: Library) -> Mapping[str, Vectors]:
    texts = [item.question.text for item, some in zip(asked, past, strict=True) if some]
    texts = list(dict.fromkeys([*texts, *(library.read(one.past_question) for some in past for one in some)]))
    if not texts:
        return {}
    whole, tokens = library.encode(texts)
    none = np.zeros((0, 0), np.float32)
    found = tokens if len(tokens) == len(texts) else [none] * len(texts)
    return {text: Vectors(one, some) for text, one, some in zip(texts, whole, found, strict=True)}


def _same(asked: Asked, past: Sequence[Passage], vectors: Mapping[str, Vectors], library: Library) -> list[Passage]:
    """The answers to the same question: those in its own words first, then the newest."""
    question = asked.question.text
    read = ((one, library.read(one.past_question)) for one in past)
    same = [one for one, its in read if is_same_question(question, its, vectors[question], vectors[its])]
    same.sort(key=lambda one: library.dated(one.document_id) or date.min, reverse=True)
    return sorted(same, key=lambda one: bare(library.read(one.past_question)) != bare(question))


def _similar(asked: Asked, past: Sequence[Passage], vectors: Mapping[str, Vectors], read: Read) -> tuple[str, ...]:
    question = asked.question.text
    near = {one.past_question: float(vectors[question].whole @ vectors[read(one.past_question)].whole) for one in past}
    found = {one.past_question: one for one in past if near[one.past_question] >= SIMILAR_FROM}
    best = sorted(found.values(), key=lambda one: -near[one.past_question])[:MOST_SIMILAR]
    return tuple(
        f"similar, approved ({one.citation().locator}): “{_cut(one.past_question)}” → “{_cut(one.text)}”"
        for one in best
    )


def _draft(
    asked: Asked, same: Sequence[Passage], documents: Sequence[Hit], alone: Draft, own: Draft, library: Library
) -> Draft:
    entry = same[0]
    state = library.entry_of(entry.chunk)
    mine = _side(entry)
    stated = past_verdict(entry.quote) if asked.question.kind == "yes_no" else None
    checks = [Check("library", False, one) for one in state.faults]
    checks += _beside(asked, entry, mine, same[1:])
    bearing: tuple[Citation, ...] = state.citations
    denied_by = state.instead
    for its, citations in _said(asked, mine, alone, documents, library.not_in_force):
        if differs(asked.question.text, mine, its):
            checks.append(Check("conflict", False, _contradiction(entry, mine, citations[0], its)))
            denied_by = citations[0]
            break
        if bears_out(asked.question.text, mine, its):
            bearing += citations
    cited = entry.citations()
    bears = [one for one in bearing if denied_by is None or one.quote != denied_by.quote]
    return Draft(
        text=_text(entry, state.entry, is_yes_no=asked.question.kind == "yes_no"),
        verdict=None,
        citations=cited,
        support=own.support,
        nearest_fact=entry.citation(),
        attempts=(Attempt(NAME),),
        checks=tuple(checks),
        is_verbatim=True,
        compared_text=entry.matched_text,
        probability=1.0,
        # A doubted yes is proposed, and never sure enough to be filled in.
        proposal=Proposal(stated, LEAST_PROBABILITY if checks else 1.0) if stated in VERDICTS else own.proposal,
        borne_out_by=_each_once(sorted(bears, key=lambda one: one.row_number is not None)),
        denied_by=denied_by,
        is_approved=True,
    )


def _text(passage: Passage, entry: LibraryEntry | None, *, is_yes_no: bool) -> str:
    """The text as it was approved. Its verdict stands before it only where nothing else states that: alone, or where no
    yes or no is asked for.
    """
    if entry is None:
        return passage.text
    text, verdict = entry.answer or "", entry.verdict
    if verdict is None or begins_with_verdict(text) == verdict or (text and is_yes_no and verdict in VERDICTS):
        return text
    said = spell_verdict(verdict) or ""
    return f"{said}. {text}" if text else said


def _beside(asked: Asked, entry: Passage, mine: Side, others: Sequence[Passage]) -> list[Check]:
    """A failed check for the first other approved answer to the same question that differs."""
    for other in others:
        its = _side(other)
        # People stated both verdicts, so that the same words do not make them one.
        are_opposed = mine.verdict and its.verdict and mine.verdict != its.verdict
        if are_opposed or differs(asked.question.text, mine, its):
            told = f"{entry.citation().locator} says {_stated(mine)}, {other.citation().locator} says {_stated(its)}"
            return [
                Check("conflict", False, f"two approved answers contradict each other: {told}: decide which is right")
            ]
    return []


def _side(passage: Passage) -> Side:
    """The answer of a past row, its verdict apart; a bare verdict has no text."""
    bare_answer = without_verdict(passage)
    return Side(bare_answer.text if bare_answer else "", past_verdict(passage.quote))


def _answers(asked: Asked, alone: Draft, not_in_force: Callable[[str], str]) -> bool:
    """Tell if the documents alone answer surely enough, from a document that does not call itself out of force."""
    if alone.declined is not None or not alone.text or not alone.citations:
        return False
    if any(not_in_force(one.document_id) for one in alone.citations):
        return False
    likely = alone.proposal.probability if alone.proposal else alone.probability
    if likely is None or likely < LEAST_PROBABILITY:
        return False
    if alone.proposal is not None and alone.proposal.settled < LEAST_PROBABILITY:
        return False
    wanted = words_of_claim(asked.question.text)
    said = " ".join(f"{one.section_path} {one.quote}" for one in alone.citations)
    return not wanted or _share(wanted, said) >= LEAST_SHARE


def _proposed(alone: Draft) -> Verdict | None:
    return alone.proposal.verdict if alone.proposal else verdict_of(alone.text or "")


def _said(
    asked: Asked, mine: Side, alone: Draft, documents: Sequence[Hit], not_in_force: Callable[[str], str]
) -> Iterator[tuple[Side, tuple[Citation, ...]]]:
    """The documents' own answer, and their sentence that is most like the approved answer, with places."""
    if _answers(asked, alone, not_in_force):
        verdict = _proposed(alone) if asked.question.kind == "yes_no" else None
        if verdict is not None and denied_by(asked.question.text, alone.text or ""):
            verdict = "no"
        yield Side(alone.text or "", verdict), alone.citations
    wanted, words = words_of_claim(asked.question.text), words_of_claim(mine.text)
    near = [
        (of_answer + _share(wanted, f"{one.section} {one.quote}"), one)
        for hit in documents
        for one in passages_of(hit)
        if (of_answer := _share(words, one.quote)) >= LEAST_OF_ANSWER and not not_in_force(one.document_id)
    ]
    most, like = max(near, default=(0.0, None), key=lambda pair: pair[0])
    if like is not None and most >= LEAST_OF_BOTH:
        yield Side(like.text), like.citations()


def _share(words: frozenset[str], text: str) -> float:
    return len(words & frozenset(stems_of(text))) / len(words) if words else 0.0


def _contradiction(entry: Passage, mine: Side, place: Citation, its: Side) -> str:
    return (
        f"the approved answer and the documents contradict each other: {entry.citation().locator} says "
        f"{_stated(mine)}, {place.locator} says {its.shown}: decide which is right"
    )


def _stated(side: Side) -> str:
    """The verdict and the text of an answer that a person gave."""
    told = f": {side.shown}" if side.verdict and side.text else ""
    return f"{side.verdict}{told}" if side.verdict else side.shown


def _each_once(citations: Sequence[Citation]) -> tuple[Citation, ...]:
    found = {(one.document_id, one.start, one.end): one for one in citations}
    kept: list[Citation] = []
    for one in found.values():
        if not any(one.document_id == other.document_id and other.start <= one.start < other.end for other in kept):
            kept.append(one)
    return tuple(kept)


def contradicted_by_past(asked: Asked, draft: Draft, read: Read) -> list[str]:
    """The reason to review a draft that the answer of a past questionnaire, or of the library, contradicts: both texts
    for the first past answer to the same question that the draft does not cite; none without one.
    """
    if draft.declined is not None or not draft.text:
        return []
    question, cited = asked.question.text, (*draft.citations, *draft.borne_out_by)
    mine = Side(draft.text, _proposed(draft) if asked.question.kind == "yes_no" else None)
    for hit in asked.hits:
        for one in passages_of(hit):
            is_other = one.is_past_answer and not any(is_of(citation, one) for citation in cited)
            if (
                is_other
                and is_same_question(question, read(one.past_question))
                and differs(question, mine, its := _side(one))
            ):
                place = draft.citations[0].locator if draft.citations else "the draft"
                return [
                    f"an earlier answer says otherwise: {place} says {mine.shown}, {one.citation().locator} says "
                    f"{its.shown}: decide which is right"
                ]
    return []


def has_approved(hits: Sequence[Hit]) -> bool:
    """Tell if an approved answer is among the hits."""
    return any(is_approved(hit.chunk.file_name) for hit in hits)


def without_past_answers(hits: Sequence[Hit]) -> list[Hit]:
    """The hits without past answers: of each, the chunks that are rows of a questionnaire are left out."""
    kept = []
    for hit in hits:
        chunks = tuple(one for one in hit.chunks if not _is_past(one))
        if not _is_past(hit.chunk) and chunks:
            kept.append(hit if hit.handed_over is None else replace(hit, handed_over=chunks))
    return kept


def _is_past(chunk: Chunk) -> bool:
    return chunk.row_number is not None and ("\nAnswer: " in chunk.text or "\nComments: " in chunk.text)


def _cut(text: str) -> str:
    plain = " ".join(text.split())
    return plain if len(plain) <= _SHOWN_CHARACTERS else f"{plain[: _SHOWN_CHARACTERS - 1]}…"
