"""Where the words of one text stand in another that has nearly the same words in the same order.

Runs of words that each text has once are its anchors (patience diff, Cohen 2003): the longest chain of them that rises
in both is kept, and what lies between two is aligned by shorter runs, last word by word. So a text that stands twice,
or was changed, moves nothing else.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

RUNS = (8, 4, 2)
LEAST_RUN = 3
WINDOW_WORDS = 1500
"""Texts that repeat themselves throughout have no anchors: of these so many words are compared at a time."""
NOWHERE = -1


class _Gap(NamedTuple):
    """What is not aligned yet: words of the one text, and of the other."""

    begin: int
    end: int
    other_begin: int
    other_end: int


def aligned(words: Sequence[str], others: Sequence[str]) -> list[int]:
    """For each of the words its index in ``others``, which rises; NOWHERE where it has none. Nothing gives nothing."""
    found = [NOWHERE] * len(words)
    gaps = [_Gap(0, len(words), 0, len(others))]
    while gaps:
        gap = _without_ends(gaps.pop(), words, others, found)
        if gap.begin == gap.end or gap.other_begin == gap.other_end:
            continue
        pairs = next(filter(None, (_anchors(gap, words, others, run) for run in RUNS)), None)
        if pairs is None:
            _word_by_word(gap, words, others, found)
            continue
        for at, other in pairs:
            found[at] = other
        gaps += _between(gap, pairs)
    return found


def _without_ends(gap: _Gap, words: Sequence[str], others: Sequence[str], found: list[int]) -> _Gap:
    """What is left of the gap when the words that are alike at its ends are aligned."""
    begin, end, other_begin, other_end = gap
    while begin < end and other_begin < other_end and words[begin] == others[other_begin]:
        found[begin] = other_begin
        begin, other_begin = begin + 1, other_begin + 1
    while begin < end and other_begin < other_end and words[end - 1] == others[other_end - 1]:
        end, other_end = end - 1, other_end - 1
        found[end] = other_end
    return _Gap(begin, end, other_begin, other_end)


def _anchors(gap: _Gap, words: Sequence[str], others: Sequence[str], run: int) -> list[tuple[int, int]]:
    """The first words of runs that each side of the gap has once, in the longest chain that rises in both."""
    mine = _once(words, gap.begin, gap.end, run)
    its = _once(others, gap.other_begin, gap.other_end, run)
    return _longest_rising([(at, its[key]) for key, at in mine.items() if key in its])


def _once(words: Sequence[str], begin: int, end: int, run: int) -> dict[tuple[str, ...], int]:
    """Where the runs that stand once begin, in order."""
    first: dict[tuple[str, ...], int] = {}
    again: set[tuple[str, ...]] = set()
    for at in range(begin, end - run + 1):
        key = tuple(words[at : at + run])
        if first.setdefault(key, at) != at:
            again.add(key)
    return {key: at for key, at in first.items() if key not in again}


def _longest_rising(pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The longest part of ``pairs``, which rise by their first, that rises by their second."""
    lasts: list[int] = []
    chain: list[int] = []
    before = [NOWHERE] * len(pairs)
    for number, (_, other) in enumerate(pairs):
        length = bisect_left(lasts, other)
        before[number] = chain[length - 1] if length else NOWHERE
        lasts[length : length + 1] = [other]
        chain[length : length + 1] = [number]
    found: list[tuple[int, int]] = []
    number = chain[-1] if chain else NOWHERE
    while number != NOWHERE:
        found.append(pairs[number])
        number = before[number]
    return found[::-1]


def _between(gap: _Gap, pairs: Sequence[tuple[int, int]]) -> Iterator[_Gap]:
    begin, other_begin = gap.begin, gap.other_begin
    for at, other in (*pairs, (gap.end, gap.other_end)):
        if begin < at and other_begin < other:
            yield _Gap(begin, at, other_begin, other)
        begin, other_begin = at + 1, other + 1


def _word_by_word(gap: _Gap, words: Sequence[str], others: Sequence[str], found: list[int]) -> None:
    """Aligns the words of the gap by the longest parts that are alike, window after window."""
    while gap.begin < gap.end and gap.other_begin < gap.other_end:
        end = min(gap.begin + WINDOW_WORDS, gap.end)
        mine, its = words[gap.begin : end], others[gap.other_begin : gap.other_begin + 2 * WINDOW_WORDS]
        blocks = SequenceMatcher(
            None, mine, its[: gap.other_end - gap.other_begin], autojunk=False
        ).get_matching_blocks()
        # One word by itself may be any.
        alike = [block for block in blocks if block.size >= LEAST_RUN]
        for at, other, size in alike:
            here, there = gap.begin + at, gap.other_begin + other
            found[here : here + size] = range(there, there + size)
        if alike:
            at, other, size = alike[-1]
            gap = _Gap(gap.begin + at + size, gap.end, gap.other_begin + other + size, gap.other_end)
            gap = _without_ends(gap, words, others, found)
        else:
            gap = gap._replace(begin=end)
