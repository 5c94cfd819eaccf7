"""Word alignment of two texts that have nearly the same words in the same order (patience diff, Cohen 2003).

Runs of words that occur once in each text are the anchors, of which the longest chain that rises in both is kept; what
is between is aligned by shorter runs, and at last word by word, so that a changed passage displaces nothing.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

RUNS = (8, 4, 2)
"""Lengths of the runs, in words, in the order in which they are tried."""
LEAST_RUN = 3
WINDOW_WORDS = 1500
"""Words compared at a time where there are no anchors, as in texts that repeat themselves throughout."""
NOWHERE = -1


class _Gap(NamedTuple):
    """A stretch that is not aligned yet: words ``[begin, end)`` and ``[other_begin, other_end)`` of the other text."""

    begin: int
    end: int
    other_begin: int
    other_end: int


def aligned(words: Sequence[str], others: Sequence[str]) -> list[int]:
    """The index in ``others`` of each of ``words``, rising; NOWHERE for a word without a counterpart."""
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
    """Align the equal words at both ends of the gap, in ``found``, and return the rest of the gap."""
    begin, end, other_begin, other_end = gap
    while begin < end and other_begin < other_end and words[begin] == others[other_begin]:
        found[begin] = other_begin
        begin, other_begin = begin + 1, other_begin + 1
    while begin < end and other_begin < other_end and words[end - 1] == others[other_end - 1]:
        end, other_end = end - 1, other_end - 1
        found[end] = other_end
    return _Gap(begin, end, other_begin, other_end)


def _anchors(gap: _Gap, words: Sequence[str], others: Sequence[str], run: int) -> list[tuple[int, int]]:
    """The longest chain, rising on both sides, of runs that occur once on each side, by their first words."""
    mine = _once(words, gap.begin, gap.end, run)
    its = _once(others, gap.other_begin, gap.other_end, run)
    return _longest_rising([(at, its[key]) for key, at in mine.items() if key in its])


def _once(words: Sequence[str], begin: int, end: int, run: int) -> dict[tuple[str, ...], int]:
    """Map each run of ``run`` words that occurs once in ``[begin, end)`` to the index where it begins, in order."""
    first: dict[tuple[str, ...], int] = {}
    again: set[tuple[str, ...]] = set()
    for at in range(begin, end - run + 1):
        key = tuple(words[at : at + run])
        if first.setdefault(key, at) != at:
            again.add(key)
    return {key: at for key, at in first.items() if key not in again}


def _longest_rising(pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The longest subsequence of ``pairs`` whose second numbers rise; their first numbers rise already."""
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
    """Yield the gaps before, between and after the aligned ``pairs`` that have words on both sides."""
    begin, other_begin = gap.begin, gap.other_begin
    for at, other in (*pairs, (gap.end, gap.other_end)):
        if begin < at and other_begin < other:
            yield _Gap(begin, at, other_begin, other)
        begin, other_begin = at + 1, other + 1


def _word_by_word(gap: _Gap, words: Sequence[str], others: Sequence[str], found: list[int]) -> None:
    """Align the words of the gap, in ``found``, by their longest equal runs, one window after another."""
    while gap.begin < gap.end and gap.other_begin < gap.other_end:
        end = min(gap.begin + WINDOW_WORDS, gap.end)
        mine, its = words[gap.begin : end], others[gap.other_begin : gap.other_begin + 2 * WINDOW_WORDS]
        blocks = SequenceMatcher(
            None, mine, its[: gap.other_end - gap.other_begin], autojunk=False
        ).get_matching_blocks()
        # Shorter runs, such as a single frequent word, match by chance.
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
