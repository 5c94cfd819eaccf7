"""Past answers as evidence: was the same asked, what else of the answer may be quoted, and is it out of date.

A past questionnaire says what was true once, to a question in somebody's own words: "Fully. 4 hours." answers "a
recovery time of four hours or less for Enterprise", and not "What is your recovery time?".
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import date
from itertools import chain, product

from tasks.answering.drafts.draft import Asked
from tasks.answering.quotes.context_passages import is_of
from tasks.answering.quotes.passages import Passage
from tasks.embedding.lexical.abbreviations import one_form_each
from tasks.library_names import is_approved
from tasks.questions.past_rows import past_question, past_verdict_end
from tasks.records import Chunk, Citation
from tasks.text.characters import fold
from tasks.text.english import NUMBER_WORDS
from tasks.text.names.designators import DESIGNATOR
from tasks.text.names.figures_and_names import figures_of
from tasks.text.stemmed_words import without_notes

Dated = Callable[[str], date | None]
"""Function from a document's id to its own date; None where it has none."""
_HARMLESS = frozenset("a an the do does is are be been being have has please kindly any your".split())
"""Words that do not change what a question asks: a customer always asks about the vendor's own things."""
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_INFLECTED = re.compile(r"(?<=\w\w\w)(?:ies|es|s|ed|ing|e)$")
"""Inflections, which leave the word the same, unlike the endings of "secure" and "security"."""
_BETWEEN = re.compile(r"[\s.,;:!–-]*(?:Comments:\s*)?")


def asks_the_same(one: str, other: str) -> bool:
    """Tell if two questions have the same figures and the same words in the same order, but for those that change no
    question; "not", "all", "our" and "after" each do. ISO 27001 is ISO/IEC 27001, and an abbreviation beside its long
    form is either.
    """
    pairs = product({one, *one_form_each(one)}, {other, *one_form_each(other)})
    return any(fold(mine) == fold(its) or _are_same(mine, its) for mine, its in pairs)


def _are_same(one: str, other: str) -> bool:
    mine, its = _words(_with_names_of(other, one)), _words(other)
    return bool(mine) and mine == its and figures_of(one) == figures_of(other)


def _with_names_of(other: str, question: str) -> str:
    """The question, with names that end in the same number as one of ``other`` spelled as there."""

    def written(name: re.Match[str]) -> str:
        mine = set(re.findall("[A-Z]+", name["letters"]))
        for its in DESIGNATOR.finditer(other):
            letters = set(re.findall("[A-Z]+", its["letters"]))
            if its["number"] == name["number"] and (mine <= letters or letters <= mine):
                return its["letters"]
        return name["letters"]

    return DESIGNATOR.sub(written, question)


def _words(question: str) -> list[str]:
    found = (word for word in _WORD.findall(without_notes(question).lower()) if word not in _HARMLESS)
    return [
        _INFLECTED.sub(lambda ending: "y" if ending.group() == "ies" else "", word)
        for word in found
        if word not in NUMBER_WORDS
    ]


def without_verdict(passage: Passage) -> Passage | None:
    """The past answer without the yes or no at its beginning, which belongs to the past question; unchanged where it
    begins with neither, and None where it says nothing else.
    """
    end = past_verdict_end(passage.quote)
    if end is None:
        return passage
    between = _BETWEEN.match(passage.quote, end)
    start = between.end() if between else end
    return replace(passage, start=passage.start + start) if passage.quote[start:].strip() else None


def doubts_of(asked: Asked, citations: Sequence[Citation], dated: Dated) -> list[str]:
    """Reasons to review an answer that cites past answers: something else was asked, or a document among the hits is
    newer. Approved answers are kept current by their owners, so only their questions are compared.
    """
    doubts = []
    for chunk, question in _past_questions(asked, citations):
        if not asks_the_same(question, asked.question.text):
            doubts.append(f"{chunk.file_name} answered another question: “{question}”")
        day = dated(chunk.document_id)
        newer = _newest(asked, dated) if day and not is_approved(chunk.file_name) else None
        if day and newer and newer[0] > day:
            doubts.append(
                f"{chunk.file_name} ({_told(day)}) is older than {newer[1]} ({_told(newer[0])}): "
                "check that it still holds"
            )
    return list(dict.fromkeys(doubts))


def answered_another(asked: Asked, citations: Sequence[Citation]) -> bool:
    """Tell if a past answer to another question is cited."""
    return any(not asks_the_same(past, asked.question.text) for _, past in _past_questions(asked, citations))


def _past_questions(asked: Asked, citations: Sequence[Citation]) -> Iterator[tuple[Chunk, str]]:
    """The cited chunks that are past answers, in the order of the hits, each with its question."""
    for chunk in chain.from_iterable((hit.chunk, *hit.chunks) for hit in asked.hits):
        is_cited = any(is_of(citation, chunk) for citation in citations)
        if is_cited and chunk.row_number is not None and (past := past_question(chunk.text)):
            yield chunk, past[0]


def _newest(asked: Asked, dated: Dated) -> tuple[date, str] | None:
    """The date and the file name of the newest document among the hits that is no past questionnaire."""
    days = (
        (day, hit.chunk.file_name)
        for hit in asked.hits
        if not (hit.chunk.row_number is not None and past_question(hit.chunk.text))
        for day in [dated(hit.chunk.document_id)]
        if day
    )
    return max(days, default=None)


def _told(day: date) -> str:
    return f"{day.day} {day:%B %Y}"
