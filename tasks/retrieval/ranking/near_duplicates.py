"""Near-duplicate hits: repeated past answers, versions of a document, and twin documents.

Only the hits of one question are compared with each other, never the whole corpus. The answers to one question in
several past questionnaires become one hit, the newest of the library, else the newest. So do the same page of two
versions of a document, whose titles are equal but for the version. Twin documents, say the plans "Standard" and
"Plus", have nearly the same pages and different titles: the question's words decide between the titles. Where they do
not, or where a figure, a name, or a yes and no differ between versions, a person has to decide.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import PurePosixPath
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from configs.retrieval import Collapse
from tasks.library_names import is_approved
from tasks.questions.past_rows import past_question
from tasks.records import Chunk, Duplicate, Hit
from tasks.retrieval.ranking.document_versions import Standing, base_of, standing_of
from tasks.retrieval.ranking.told_documents import Told
from tasks.safety.injection import order_in_chunk
from tasks.text.names.periods import Period, periods_in
from tasks.text.names.version_marks import versions_in, versions_named, without_versions
from tasks.text.negation import denials_of, opposite_words
from tasks.text.search_terms import terms

SHINGLE_WORDS = 3
LEAST_ANSWER_WORDS = 8
"""A shorter past answer, say a bare yes, is a duplicate only where the question is the same, too."""
_WORD = re.compile(r"\w+")
_BETWEEN_WORDS = str.maketrans({sign: " " for sign in map(chr, range(128)) if not _WORD.match(sign)})
"""Translation of ASCII signs between words to spaces: twice as fast as the pattern, with thirty texts to compare for
each question.
"""
_DECIDING = frozenset(
    "may might can could must shall should will would only all any every each some few most always usually often "
    "sometimes rarely partly fully hourly daily weekly fortnightly monthly quarterly yearly annually annual before "
    "after within until immediately".split()
)
"""Words of modality, quantity and time: where one of them is in one text alone, the texts do not say the same."""
_MASK = "#"
_LETTER = re.compile(r"(?<![^\W\d_])([^\W\d_]++)\s+([A-Z])\b")
"""A letter that names a document, with the word that it belongs to: "Plan B"."""
_YEAR_DIGITS = 4
_READ_CHUNKS = 8192
"""The number of chunks whose shingles are cached, some 2 kB each: questions of a batch find the same chunks again."""
Shingles = NDArray[np.int64]
"""Hashes of runs of words, each once; comparable only within this process."""


class _Read(NamedTuple):
    """A chunk in the form in which it is compared.

    ``shingles`` are those of its answer. A past answer has its ``words`` and those of its question, ``asked``; any
    other chunk has no words and None.
    """

    shingles: Shingles
    words: tuple[str, ...]
    asked: tuple[str, ...] | None


@dataclass(frozen=True, slots=True, eq=False)
class _Said:
    """A hit with its ``number`` among all, its text to compare, and its title without the version."""

    number: int
    hit: Hit
    told: Told
    base: tuple[str, ...]
    read: _Read


def arranged(question: str, hits: Sequence[Hit], told: Mapping[str, Told], plan: Collapse) -> list[Hit]:
    """Collapse near-duplicate hits: each stands behind the best hit that says the same, as one of its ``duplicates``.

    The hits are given and returned best first; ranks are numbered anew. Among hits that say the same, the one that the
    question names is kept, else the newest of the library, else the newest, in the place of the best. Where a figure or
    a name differs, the others are ``duplicates`` that ``differ``. A twin, or another edition of the document, goes
    first where the question has a word of its title, period or file's name that the other lacks, and none the other way
    round. Where that decides nothing and a figure or a name differs, the other twin is also among the first one's
    ``duplicates``, with ``differs``. No hits give none.
    """
    said = [_said(at, hit, told.get(hit.chunk.file_name, Told("", None))) for at, hit in enumerate(hits)]
    pairs = _Pairs(said, plan)
    left = list(_collapsed(question, said, pairs))
    firsts = {one for one, _ in left}
    found: list[Hit] = []
    while left:
        first = left[0][0]
        # The twin or edition that the question names goes before the other, which comes up again later.
        of_first = {*pairs.twins(first), *_editions(first, (one for one, _ in left))}
        named = (at for at, (one, _) in enumerate(left) if one in of_first and _names(question, one, first))
        one, behind = left.pop(next(named, 0))
        twins = (other for other in pairs.twins(one) if other in firsts)
        undecided = (
            _place(other.hit.chunk, differs=True)
            for other in twins
            if not _names(question, one, other) and not _names(question, other, one) and _differ(one, other)
        )
        found.append(replace(one.hit, rank=len(found) + 1, duplicates=(*behind, *undecided)))
    return found


def _editions(one: _Said, others: Iterable[_Said]) -> Iterator[_Said]:
    """The hits from other editions of the document of a hit; none for past answers."""
    if one.read.asked is None:
        yield from (
            other
            for other in others
            if other.base == one.base and other.read.asked is None and _are_of_two_files(one, other)
        )


def _collapsed(question: str, said: Sequence[_Said], pairs: _Pairs) -> Iterator[tuple[_Said, tuple[Duplicate, ...]]]:
    """The hit that represents each group that says the same, in the place of its best, with the places of the others.

    It is the hit that the question names, else the newest.
    """
    left = list(said)
    while left:
        of_first = pairs.same(left[0])
        if not of_first:
            yield left.pop(0), ()
            continue
        same = [one for one in left if one is left[0] or one in of_first]
        named = [one for one in same if all(_names(question, one, other) for other in same if other is not one)]
        first = max(named or same, key=_standing)
        # A past questionnaire is named after its customer, whose name's words may stand in any question.
        is_asked_for = bool(named) and first.read.asked is None
        behind = [one for one in same if one is not first]
        yield first, tuple(_place(one.hit.chunk, differs=_differ(first, one), unasked=is_asked_for) for one in behind)
        left = [one for one in left if one not in same]


def _standing(one: _Said) -> tuple[bool, bool, Standing]:
    """Sort key of a hit among its duplicates: no orders to a language model, then approved, then newer.

    A hit that gives a language model orders, and is left out later, comes last: else a copy of a document with such a
    name would take its place.
    """
    name = one.hit.chunk.file_name
    # A past answer is as old as its questionnaire, whatever year that is about.
    period = one.told.period if one.read.asked is None else None
    standing = standing_of(one.told.title, name, one.told.day, period)
    return order_in_chunk(one.hit.chunk) is None, is_approved(name), standing


def _said(number: int, hit: Hit, told: Told) -> _Said:
    chunk = hit.chunk
    read = _read(chunk.text, told.title, chunk.row_number is not None)
    return _Said(number, hit, told, base_of(told.title, chunk.file_name), read)


@lru_cache(maxsize=_READ_CHUNKS)
def _read(text: str, title: str, is_row: bool) -> _Read:
    past = past_question(text) if is_row else None
    if past is not None:
        words = _words(past[1])
        return _Read(_shingles(_masked(words, frozenset())), words, _words(past[0]))
    # The wording decides how similar two documents are; figures, and names from titles, decide if they differ.
    return _Read(_shingles(_masked(_words(text), frozenset(_words(title)))), (), None)


class _Pairs:
    """Pairwise comparison of hits, by the Jaccard index of their shingles."""

    def __init__(self, said: Sequence[_Said], plan: Collapse) -> None:
        self._plan = plan
        self._indices = _jaccard_indices([one.read.shingles for one in said])
        # Few pairs are similar: to compare each in turn would take longer than to find these at once.
        self._near: list[list[_Said]] = [[] for _ in said]
        for one, other in np.argwhere(self._indices >= min(plan.twins, plan.jaccard)).tolist():
            if one != other:
                self._near[one].append(said[other])

    def same(self, one: _Said) -> list[_Said]:
        """The other hits that say the same, in their order."""
        return [other for other in self._near[one.number] if self._are_same(one, other)]

    def twins(self, one: _Said) -> list[_Said]:
        """The hits from twin documents, in their order."""
        return [other for other in self._near[one.number] if self._are_twins(one, other)]

    def _are_same(self, one: _Said, other: _Said) -> bool:
        index, mine, its = self._indices[one.number, other.number], one.read, other.read
        if mine.asked is None or its.asked is None:
            is_version = mine.asked is its.asked and one.base == other.base
            return is_version and bool(index >= self._plan.twins) and _are_of_two_files(one, other)
        if index < self._plan.jaccard:
            return False
        # To the same question, one of two answers that differ in their figures alone is out of date. To others, a short
        # answer that differs in a figure says something else.
        least = self._plan.jaccard
        is_asked_again = _likeness(mine.asked, its.asked) >= least
        is_same_figure_asked = is_asked_again and _figures(mine.asked) == _figures(its.asked)
        if is_same_figure_asked and one.hit.chunk.file_name != other.hit.chunk.file_name:
            return True
        is_long = min(len(mine.words), len(its.words)) >= LEAST_ANSWER_WORDS
        return (is_long or is_asked_again) and _likeness(mine.words, its.words) >= least

    def _are_twins(self, one: _Said, other: _Said) -> bool:
        are_pages = one.read.asked is None and other.read.asked is None and one.base != other.base
        is_alike = bool(self._indices[one.number, other.number] >= self._plan.twins)
        return are_pages and is_alike and _are_of_two_files(one, other)


def _are_of_two_files(one: _Said, other: _Said) -> bool:
    """Tell if two hits are from different files and of the same granularity, so that their texts can be compared."""
    mine, its = one.hit.chunk, other.hit.chunk
    return mine.file_name != its.file_name and mine.granularity == its.granularity


def _names(question: str, one: _Said, other: _Said) -> bool:
    called_by = (called(each.told.title, each.hit.chunk.file_name, each.told.period) for each in (one, other))
    return names(question, *called_by)


def called(title: str, file_name: str, period: Period | None = None) -> str:
    """The words by which a question may name a document: its title, period, and the words and years of its file's name.

    The file's name alone may distinguish it from another document with the same title.
    """
    stem = PurePosixPath(file_name).stem
    words = re.split(r"[\W_]+", without_versions(stem))
    named = (word for word in words if not word.isdecimal() or len(word) == _YEAR_DIGITS)
    return " ".join([title, str(period or ""), *named, *versions_in(stem)])


def names(question: str, title: str, other: str) -> bool:
    """Tell if the question names the first title: it has a word of it that the other lacks,
    and none the other way round.
    """
    words, mine, its = map(_naming, (question, title, other))
    return bool(words & (mine - its)) and not words & (its - mine)


def _naming(text: str) -> set[str]:
    """The words of a text that can name a document, those of periods and versions among them; a single letter counts
    with the word before it.
    """
    text, versions = without_versions(text), versions_named(text)
    periods = (word for period in periods_in(text) for word in period.words)
    return {
        *terms(text),
        *periods,
        *versions,
        *(f"{word} {letter}".casefold() for word, letter in _LETTER.findall(text)),
    }


def _differ(one: _Said, other: _Said) -> bool:
    """Tell if two duplicates differ in a figure or a name (past answers: in a figure), or contradict each other."""
    if one.read.asked is not None:
        mine, its = (_figures(each.read.words) for each in (one, other))
    else:
        mine, its = (_marked(each.hit.chunk.text) for each in (one, other))
    return mine != its or _says_otherwise(*(_answer(each.hit.chunk) for each in (one, other)))


def _says_otherwise(one: str, other: str) -> bool:
    """Tell if two very similar texts differ in a negation, in an opposite word, or in a word of modality,
    quantity or time.
    """
    mine, its = Counter(_words(one)), Counter(_words(other))
    here, there = mine - its, its - mine
    is_turned = opposite_words(" ".join(here), " ".join(there)) is not None
    return is_turned or denials_of(one) != denials_of(other) or bool((here | there).keys() & _DECIDING)


def _answer(chunk: Chunk) -> str:
    past = past_question(chunk.text) if chunk.row_number is not None else None
    return chunk.text if past is None else past[1]


def _marked(text: str) -> set[str]:
    return {word.casefold() for word in _WORD.findall(text) if not word.islower()}


def _words(text: str) -> tuple[str, ...]:
    folded = text.casefold()
    return tuple(folded.translate(_BETWEEN_WORDS).split() if folded.isascii() else _WORD.findall(folded))


def _masked(words: Sequence[str], of_title: Collection[str]) -> tuple[str, ...]:
    """The words, with a mask for each that is not all letters or is in the title."""
    return tuple([_MASK if word in of_title or not word.isalpha() else word for word in words])


def _figures(words: Sequence[str]) -> set[str]:
    return {word for word in words if not word.isalpha()}


def _likeness(words: Sequence[str], others: Sequence[str]) -> float:
    """The Jaccard index of two texts' shingles."""
    return float(_jaccard_indices([_shingles(words), _shingles(others)])[0, 1])


def _shingles(words: Sequence[str]) -> Shingles:
    width = min(SHINGLE_WORDS, len(words))
    runs = set(map(hash, zip(*(words[begin:] for begin in range(width)), strict=False)))
    return np.fromiter(runs, np.int64, len(runs))


def _jaccard_indices(sets: Sequence[Shingles]) -> NDArray[np.float64]:
    """The Jaccard index of any two of the sets (m,), ``(m, m)``; 0 where one is empty. No sets give none."""
    if not sets:
        return np.zeros((0, 0))
    sizes = np.array([len(one) for one in sets], np.int64)
    known, columns = np.unique(np.concatenate(sets), return_inverse=True)
    having = csr_matrix((np.ones(len(columns), np.int64), columns, np.cumsum([0, *sizes])), (len(sets), len(known)))
    shared = (having @ having.T).toarray()
    indices: NDArray[np.float64] = shared / np.maximum(sizes[:, None] + sizes - shared, 1)
    return indices


def _place(chunk: Chunk, *, differs: bool = False, unasked: bool = False) -> Duplicate:
    return Duplicate(chunk.file_name, chunk.page_number, chunk.sheet_name, chunk.row_number, differs, unasked)
