"""Whether a claim puts together what its source has beside other things: two figures, two names, or a figure and what
it is of.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import permutations
from typing import NamedTuple

from tasks.answering.facts import (
    Figure,
    figures_of,
    months_of,
    names_of,
    span_days,
    without_accents,
    words_of_claim,
)
from tasks.answering.negation import NEARLY_ALL, Clause, pieces_of

YEARS = range(1900, 2100)
_WORD = re.compile(r"[^\W_]+(?:[-’'][^\W_]+)*")
_BEFORE_A_FIGURE = re.compile(r",\s+(?=[£$€]?\d)")
"""Where a list goes on, and no clause ends elsewhere: "99.5% in Core, 99.9% in Plus"."""


def mixed(claim: str, sentences: Sequence[Sequence[Clause]]) -> str:
    """What ``claim`` says together and none of the ``sentences`` of its source does, each its smallest clauses, in
    words; "" where there is no such thing, and of no source.
    """
    source = [clause for sentence in sentences for clause in sentence]
    for _, piece in pieces_of(claim):
        fault = _mixed_figures(piece, sentences) or _mixed_names(piece, source) or _of_another(piece, sentences)
        if fault:
            return fault
    return _listed_of_another(claim, source) or _exchanged_names(claim, sentences)


def _mixed_figures(piece: str, sentences: Sequence[Sequence[Clause]]) -> str:
    """Two figures of one clause that stand in no clause of the source together, where one of them has another beside it
    there; or a figure whose words all stand beside another of its unit.
    """
    said = figures_of(piece)
    theirs = [clause for sentence in sentences for clause in _with_dates(sentence)]
    for one, other in permutations(said, 2):
        beside = [figures for _, figures in theirs if one in figures]
        rivals = [figures for figures in beside if any(_kind(its) == _kind(other) for its in figures - {one})]
        # Of one date much is told: what counts is whether the figure stands beside another date.
        is_date = _kind(one) == "date" != _kind(other)
        is_apart = bool(beside) and len(rivals) == len(beside) and not any(other in figures for figures in beside)
        if is_apart and not is_date and not _leads(one, other, sentences):
            return f"{one} and {other} together"
    words = words_of_claim(piece)
    for figure in said if words else ():
        own = [stems for stems, figures in theirs if figure in figures]
        rival = any(
            words <= stems and any(_kind(its) == _kind(figure) for its in figures)
            for stems, figures in theirs
            if figure not in figures
        )
        if own and rival and not any(words <= stems for stems in own):
            return f"{figure.told} with these words"
    return ""


def _leads(one: Figure, other: Figure, sentences: Sequence[Sequence[Clause]]) -> bool:
    """Whether the ``one``, a mere number, names what a list is of ("priority 1: one hour in Core, 15 minutes in Plus")
    in which the ``other`` stands further on, with no such number of its own.
    """
    if one.unit:
        return False
    for sentence in sentences:
        figures = [figures_of(text) for _, text in sentence]
        begun = next((at for at, some in enumerate(figures) if one in some), len(figures))
        if any(other in some and not any(not its.unit for its in some) for some in figures[begun + 1 :]):
            return True
    return False


def _kind(figure: Figure) -> str:
    """Its unit, one for all spans of time, working hours and days too; what may be the year of a date is no count."""
    if span_days(figure) or figure.unit in ("workday", "workhour"):
        return "time"
    return "date" if not figure.unit and figure.value in YEARS else figure.unit


def _with_dates(sentence: Sequence[Clause]) -> Iterator[tuple[frozenset[str], frozenset[Figure]]]:
    """The clauses of a sentence with their figures; a date that is put in between commas ("The last, in July 2026, was
    …") is beside each of them.
    """
    dates = [figures_of(text) for _, text in sentence if months_of(text) and not words_of_claim(text)]
    between = frozenset().union(*dates)
    return ((stems, figures_of(text) | between) for stems, text in sentence)


def _mixed_names(piece: str, source: Sequence[Clause]) -> str:
    """Names of one clause that the source has beside other names, each in another clause."""
    said = names_of(piece)
    theirs = [(stems, names_of(text)) for stems, text in source]
    for one, other in permutations(sorted(said), 2):
        beside = [names for _, names in theirs if one in names]
        if beside and all(other not in names and names - said for names in beside):
            across = [names for _, names in theirs if other in names]
            if across and all(names - said for names in across):
                return f"the names {one} and {other} together"
    return ""


def _of_another(piece: str, sentences: Sequence[Sequence[Clause]]) -> str:
    """What a clause says of a name where one sentence says it of another name, and another sentence something else of
    this one.
    """
    said = names_of(piece)
    words = words_of_claim(piece) - words_of_claim(" ".join(said))
    if not said or not words:
        return ""
    theirs = [
        (frozenset().union(*(stems for stems, _ in one)), names_of(" ".join(text for _, text in one)))
        for one in sentences
    ]
    telling = [names for stems, names in theirs if len(words & stems) >= NEARLY_ALL * len(words)]
    own = [stems for stems, names in theirs if said & names]
    is_of_others = bool(telling) and all(names - said and not names & said for names in telling)
    return f"that of the name {min(said)}" if is_of_others and own and not any(words & stems for stems in own) else ""


def _exchanged_names(claim: str, sentences: Sequence[Sequence[Clause]]) -> str:
    """Two names that stand in each other's place: "Leeds with copies in York" of "York with copies in Leeds"."""
    here = _before_names(claim)
    theirs = [_before_names(" , ".join(text for _, text in sentence)) for sentence in sentences]
    for one, other in permutations(here, 2):
        both = [there for there in theirs if one in there and other in there]
        turned = [there for there in both if (there[one], there[other]) == (here[other], here[one])]
        if here[one] != here[other] and both and len(turned) == len(both):
            return f"the names {min(one, other)} and {max(one, other)} in each other's place"
    return ""


def _before_names(text: str) -> dict[str, str]:
    """The last word of weight before each name of ``text``, at its first place, or else the first after it."""
    names = names_of(f"x {text}")
    found: dict[str, str] = {}
    words = list(_WORD.finditer(text))
    for at, word in enumerate(words):
        name = without_accents(word.group().lower())
        if name not in names or word.group().islower() or name in found:
            continue
        before = [stem for one in words[:at] for stem in words_of_claim(one.group())]
        after = [stem for one in words[at + 1 :] for stem in words_of_claim(one.group())]
        found[name] = f"behind {before[-1]}" if before else f"before {after[0]}" if after else ""
    return found


def _listed_of_another(claim: str, source: Sequence[Clause]) -> str:
    """A figure of a list that the claim gives to another thing of the list: "traces 90 days" of "metrics are kept 13
    months, traces 14 days, technical logs 90 days", whose verb stands with the first alone.
    """
    listed = [_Part.of(part) for _, text in source for part in _BEFORE_A_FIGURE.split(text)]
    for text, figure in _with_what_they_are_of(claim):
        said = _Part.of(text)
        own = [part for part in listed if figure in part.figures]
        rivals = [part for part in listed if figure not in part.figures and _kind(figure) in map(_kind, part.figures)]
        if figure.unit and own and all(any(_is_of(said, rival, part) for rival in rivals) for part in own):
            return f"{figure.told} with these words"
    return ""


class _Part(NamedTuple):
    """The words, the names and the figures of a clause."""

    words: frozenset[str]
    names: frozenset[str]
    figures: frozenset[Figure]

    @classmethod
    def of(cls, text: str) -> _Part:
        return cls(words_of_claim(text), names_of(f"x {text}"), figures_of(text))


def _is_of(said: _Part, one: _Part, other: _Part) -> bool:
    """Whether what is said is of ``one`` clause rather than of the ``other``: by most words that only the one has and
    few that only the other has, or by its name.
    """
    mine, its = one.words - other.words, other.words - one.words
    is_told = len(said.words & mine) > len(mine) / 2 and len(said.words & its) <= len(its) / 2
    others = other.names - one.names
    is_named = bool(said.names & (one.names - other.names)) and bool(others) and not said.names & other.names
    return (is_told and bool(mine) and bool(its)) or is_named


def _with_what_they_are_of(claim: str) -> Iterator[tuple[str, Figure]]:
    """The figures of a claim with the clause that each stands in, or all of a claim that has no other of its unit."""
    whole = figures_of(claim)
    for _, piece in pieces_of(claim):
        for figure in figures_of(piece):
            if words_of_claim(piece):
                yield piece, figure
            elif sum(other.unit == figure.unit for other in whole) == 1:
                yield claim, figure
