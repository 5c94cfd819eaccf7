"""Hits that say the same: past answers given again, versions of a document, and twin documents.

Only the hits of one question are compared with each other, never the whole corpus. The answers to one question in
several past questionnaires become one hit, the newest of the library, else the newest; so do the same page of two
versions of a document, whose titles are alike but for what tells the version. Twins, the plans "Standard" and "Plus"
say, have pages that are nearly the same and titles that are not: the question's words decide between the titles. Where
they do not, or a figure or a name differs between versions, a person has to.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Any, NamedTuple

from configs.retrieval import Collapse
from tasks.conversion.documents import day_of
from tasks.embedding.bm25 import terms
from tasks.library.names import is_approved
from tasks.library.past_rows import past_question
from tasks.records import Chunk, Duplicate, Hit

SHINGLE_WORDS = 3
LEAST_ANSWER_WORDS = 8
"""A shorter past answer, a bare yes say, is the same only where the question is, too."""
_WORD = re.compile(r"\w+")
_VERSION = re.compile(
    r"\b(?:(?:19|20)\d\d(?:[-/.]\d\d?){0,2}|(?:v|version|rev|revision|edition)\W?\d[\d.]*)\b", re.IGNORECASE
)
"""What tells a version: a year or a day, or a number after such a word. "Level 2" and "ISO 27001" tell a document."""
_MASK = "#"
_LETTER = re.compile(r"([^\W\d_]+)\s+([A-Z])\b")
"""A letter that tells a document, with the word that it belongs to: "Plan B"."""
Shingles = frozenset[tuple[str, ...]]


class Told(NamedTuple):
    """What a document's row tells of it."""

    title: str
    day: date | None


@dataclass(frozen=True, slots=True, eq=False)
class _Said:
    """A hit as it is compared: its title without what tells its version, the shingles of what it answers, and, of a
    past answer, of what was asked.
    """

    hit: Hit
    told: Told
    base: tuple[str, ...]
    words: tuple[str, ...]
    shingles: Shingles
    asked: Shingles | None


def told_of_documents(documents: Iterable[Mapping[str, Any]]) -> dict[str, Told]:
    """What is told of each document, by its file's name, by rows of the table ``documents``."""
    return {row["file_name"]: Told(row["title"] or "", day_of(row)) for row in documents}


def arranged(question: str, hits: Sequence[Hit], told: Mapping[str, Told], plan: Collapse) -> list[Hit]:
    """The hits, best first, with their ranks anew: what says the same as a better one stands behind it, among its
    ``duplicates``.

    The one that the question names, else the newest of the library, else the newest, is the hit, in the place of the
    best; where a figure or a name differs, the others are ``duplicates`` that ``differ``. A twin goes first where the
    question has a word of its title that the other's lacks, and none the other way round; where that decides nothing
    and a figure or a name differs, the other is also among the first one's ``duplicates``, as one that ``differs``. No
    hits give none.
    """
    left = list(_collapsed(question, [_said(hit, told.get(hit.chunk.file_name, Told("", None))) for hit in hits], plan))
    everyone = [one for one, _ in left]
    found: list[Hit] = []
    while left:
        first = left[0][0]
        # The twin that the question names goes before the one that it does not; then that one comes up again.
        named = (
            at for at, (one, _) in enumerate(left) if _are_twins(first, one, plan) and _names(question, one, first)
        )
        one, behind = left.pop(next(named, 0))
        twins = (other for other in everyone if _are_twins(one, other, plan))
        undecided = (
            _place(other.hit.chunk, differs=True)
            for other in twins
            if not _names(question, one, other) and not _names(question, other, one) and _differ(one, other)
        )
        found.append(replace(one.hit, rank=len(found) + 1, duplicates=(*behind, *undecided)))
    return found


def _collapsed(question: str, said: Sequence[_Said], plan: Collapse) -> Iterator[tuple[_Said, tuple[Duplicate, ...]]]:
    """The one that the question names of those that say the same, else the newest, in the place of the best of them,
    and where the others are.
    """
    left = list(said)
    while left:
        same = [one for one in left if one is left[0] or _is_same(left[0], one, plan)]
        named = [one for one in same if all(_names(question, one, other) for other in same if other is not one)]
        first = max(named or same, key=_standing)
        yield first, tuple(_place(one.hit.chunk, differs=_differ(first, one)) for one in same if one is not first)
        left = [one for one in left if one not in same]


def _standing(one: _Said) -> tuple[bool, date]:
    """What is approved stands above what is not, and then what is newer above what is older."""
    return is_approved(one.hit.chunk.file_name), one.told.day or date.min


def _said(hit: Hit, told: Told) -> _Said:
    text, asked = hit.chunk.text, None
    if hit.chunk.row_number is not None and (past := past_question(text)) is not None:
        asked, text = _shingles(_words(past[0])), past[1]
    words = _words(text)
    # How alike two documents are hangs on their wording: figures, and what a title names, tell whether they differ.
    compared = words if asked is not None else _masked(words, set(_words(told.title)))
    return _Said(hit, told, _base(told.title), words, _shingles(compared), asked)


def _is_same(one: _Said, other: _Said, plan: Collapse) -> bool:
    if one.asked is None or other.asked is None:
        is_version = one.asked is other.asked and one.base == other.base
        return is_version and _are_of_two_files(one, other) and _are_alike(one.shingles, other.shingles, plan.twins)
    if not _are_alike(one.shingles, other.shingles, plan.jaccard):
        return False
    is_long = min(len(one.words), len(other.words)) >= LEAST_ANSWER_WORDS
    return is_long or _are_alike(one.asked, other.asked, plan.jaccard)


def _are_twins(one: _Said, other: _Said, plan: Collapse) -> bool:
    if one.asked is not None or other.asked is not None:
        return False
    is_other = one.base != other.base
    return is_other and _are_of_two_files(one, other) and _are_alike(one.shingles, other.shingles, plan.twins)


def _are_of_two_files(one: _Said, other: _Said) -> bool:
    """Cut alike, so that their texts can be compared."""
    mine, its = one.hit.chunk, other.hit.chunk
    return mine.file_name != its.file_name and mine.granularity == its.granularity


def _names(question: str, one: _Said, other: _Said) -> bool:
    return names(question, one.told.title, other.told.title)


def names(question: str, title: str, other: str) -> bool:
    """Whether the question has a word of the first title that the other lacks, and none the other way round."""
    words, mine, its = map(_naming, (question, title, other))
    return bool(words & (mine - its)) and not words & (its - mine)


def _naming(text: str) -> set[str]:
    """The words of a text, which a letter alone is not: it counts with the word before it."""
    return {*terms(text), *(f"{word} {letter}".casefold() for word, letter in _LETTER.findall(text))}


def _differ(one: _Said, other: _Said) -> bool:
    """Whether a figure or a name is in one text alone; of past answers, however they are written, a figure."""
    if one.asked is not None:
        mine, its = ({word for word in each.words if not word.isalpha()} for each in (one, other))
    else:
        mine, its = (_marked(each.hit.chunk.text) for each in (one, other))
    return mine != its


def _marked(text: str) -> set[str]:
    return {word.casefold() for word in _WORD.findall(text) if not word.islower()}


def _words(text: str) -> tuple[str, ...]:
    return tuple(_WORD.findall(text.casefold()))


def _masked(words: Sequence[str], of_title: Collection[str]) -> tuple[str, ...]:
    """The words, with a sign for each that has a digit or is of the title."""
    return tuple(_MASK if word in of_title or any(map(str.isdigit, word)) else word for word in words)


def _base(title: str) -> tuple[str, ...]:
    """A title without what tells its version."""
    return _words(_VERSION.sub(" ", title)) or _words(title)


def _shingles(words: Sequence[str]) -> Shingles:
    width = min(SHINGLE_WORDS, len(words))
    return frozenset(tuple(words[at : at + width]) for at in range(len(words) - width + 1)) if words else frozenset()


def _are_alike(one: Shingles, other: Shingles, least: float) -> bool:
    """Whether their Jaccard index is ``least`` or more, which no two sets of very different sizes reach."""
    smaller, larger = sorted((len(one), len(other)))
    if not smaller or smaller < least * larger:
        return False
    shared = len(one & other)
    return shared / (smaller + larger - shared) >= least


def _place(chunk: Chunk, *, differs: bool = False) -> Duplicate:
    return Duplicate(chunk.file_name, chunk.page_number, chunk.sheet_name, chunk.row_number, differs)
