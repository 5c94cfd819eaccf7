"""Whether a claim is a sentence of its source but for a few words that change what is said.

What is said in other words is judged by its words. Of a copy more is known: where a word was put in, two changed their
places, "or" stands for "and", or a time is counted from something else.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher
from itertools import combinations
from typing import NamedTuple

from tasks.answering.facts import words_of_claim
from tasks.answering.stems import stems_of

LEAST_COPIED = 2 / 3
"""Of a claim's words, so many stand in their order in what it is a copy of."""
MOSTLY_COPIED = 0.75
"""And so many where a word that was put in is none of a sentence in other words."""
LEAST_BESIDE = 2
"""So many copied words stand on each side of one that was put in."""
_WORD = re.compile(r"[^\W_]+(?:[-’'.][^\W_]+)*|,")
_JOINS = frozenset(("and", "or"))
_LISTS = _JOINS | {","}
_COUNTED_FROM = re.compile(
    r"\b(?:second|minute|hour|day|week|month|quarter|year)s?"
    r" (?:of|after|from|since|before|following)(?: (?:an?|the|its))?$",
    re.IGNORECASE,
)
"""Where what comes next is what a time is counted from."""
_ADDS_NOTHING = frozenset(
    stem
    for word in "also currently further furthermore additionally therefore thus respectively accordingly namely"
    " typically generally usually normally please together overall".split()
    for stem in stems_of(word)
)


class _Word(NamedTuple):
    """A word as written, and what it counts as: its stem, or itself where it says nothing of the matter."""

    written: str
    stem: str


class _Change(NamedTuple):
    """What stands in a claim where its source has something else; each may be none."""

    said: Sequence[_Word]
    told: Sequence[_Word]
    before: Sequence[_Word]
    after: Sequence[_Word]


class _Copy(NamedTuple):
    """The share of a claim's words that stand in a text in their order, 1 of none, and what is changed there."""

    share: float
    changes: Sequence[_Change]

    @classmethod
    def of(cls, said: Sequence[_Word], text: str) -> _Copy:
        told = _words(text)
        matcher = SequenceMatcher(None, [word.stem for word in told], [word.stem for word in said], autojunk=False)
        copied = sum(block.size for block in matcher.get_matching_blocks())
        changes = [
            _Change(said[start:end], told[first:last], said[:start], said[end:])
            for kind, first, last, start, end in matcher.get_opcodes()
            if kind in ("insert", "replace")
        ]
        return cls(copied / len(said) if said else 1.0, changes)

    def fault(self, known: frozenset[str]) -> str:
        """What is changed that changes what is said, in words; "" where nothing is."""
        put_in = (_put_in(one, known) for one in self.changes if self.share >= MOSTLY_COPIED)
        alone = (*put_in, *map(_rejoined, self.changes), *map(_counted_from, self.changes))
        return next(filter(None, alone), "") or _in_each_others_place(self.changes)


def altered(claim: str, clauses: Iterable[str], sentences: Iterable[str], known: frozenset[str]) -> str:
    """What ``claim`` changes in all of its source's ``clauses`` that it is a copy of, or in all of the ``sentences``,
    in words; "" where it is no copy, or one without such a change. ``known`` are the stems of all that is said there.
    """
    said = _words(claim)
    for texts in (clauses, sentences):
        copied = [one for one in (_Copy.of(said, text) for text in texts) if one.share >= LEAST_COPIED]
        faults = [one.fault(known) for one in copied]
        if faults and all(faults):
            return faults[0]
    return ""


def _words(text: str) -> list[_Word]:
    found = (match.group() for match in _WORD.finditer(text))
    return [_Word(word, (stems_of(word) or [word.lower()])[0]) for word in found]


def _put_in(change: _Change, known: frozenset[str]) -> str:
    """A word between two that follow each other in the source, or at its end, that the source does not have."""
    beside = (change.before, change.after) if change.after else (change.before,)
    if change.told or any(len(some) < LEAST_BESIDE for some in beside):
        return ""
    new = (w.written for w in change.said if words_of_claim(w.written) - known - _ADDS_NOTHING)
    return f"the word “{word}”" if (word := next(new, "")) else ""


def _rejoined(change: _Change) -> str:
    """An "or" where the source has "and", or the other way round."""
    said, told = ([word.stem for word in some] for some in (change.said, change.told))
    if len(said) == len(told) == 1 and said != told and {*said, *told} == _JOINS:
        return f"“{said[0]}” in the place of “{told[0]}”"
    return ""


def _counted_from(change: _Change) -> str:
    """What a time is counted from where the source counts it from something else."""
    if not _COUNTED_FROM.search(_written(change.before)):
        return ""
    said, told = ([w.written for w in some if words_of_claim(w.written)] for some in (change.said, change.told))
    return f"that it counts from “{said[0]}”" if said and told else ""


def _in_each_others_place(changes: Sequence[_Change]) -> str:
    """Two words that have changed their places, and are no parts of one list."""
    for one, other in combinations(changes, 2):
        here, there = _stems(one.said), _stems(one.told)
        is_exchanged = here and there and here == _stems(other.told) and there == _stems(other.said)
        between = other.before[len(one.before) + len(one.said) :]
        if is_exchanged and here != there and any(word.stem not in _LISTS for word in between):
            return f"“{_written(one.said)}” and “{_written(other.said)}” in each other's place"
    return ""


def _stems(words: Sequence[_Word]) -> frozenset[str]:
    return words_of_claim(_written(words))


def _written(words: Sequence[_Word]) -> str:
    return " ".join(word.written for word in words if word.written != ",")
