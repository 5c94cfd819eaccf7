"""Differences between two answers to one question: other figures, dates, versions or names, or the opposite verdict.

Two answers differ where each states something of one kind and they have nothing of that kind in common: "48 hours" and
"within 24 hours", "every year" and "each quarter", "TLS 1.2" and "TLS 1.3 alone", "Maria Lopez" and "Henrik Dahl". An
answer that says more than the other does not differ from it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from decimal import Decimal
from typing import NamedTuple

from tasks.records import Verdict
from tasks.text.english import MONTHS
from tasks.text.names.figures_and_names import (
    SAME_SPAN,
    Figure,
    figures_of,
    months_of,
    names_of,
    periods_of,
    span_days,
    words_of_claim,
)
from tasks.text.negation import denies, opposite_words, pieces_of
from tasks.text.stemmed_words import without_accents

_YEARS = range(1900, 2100)
_OF_DATES = slice(1, 3)
"""Years and months, among the facts of a text."""
_LAST_DAY = 31
LEAST_DENIED = 0.75
"""The least share of a question's words in a clause that denies it."""
LEAST_SAME = 0.65
"""The least share of a text's words in another that says the same."""
_WEEKDAY = re.compile(r"\b(mon|tues|wednes|thurs|fri|satur|sun)days?\b", re.IGNORECASE)
_VERSION = re.compile(r"\b(?P<name>[A-Z][A-Za-z]*[A-Z]\w*|[Vv]ersion|[Rr]elease)[ /-]?(?P<number>\d+(?:[.:]\d+)*)")
"""A name with its edition: "TLS 1.2", "ISO 27001:2013", "version 3.2"."""
_ASKS_FOR_NAMES = re.compile(
    r"\b(?:who|whom|whose|which|where|what (?:is|are) the names?|name)\b"
    r"|\bwhat (?!is\b|are\b|was\b|were\b|does\b|do\b|percentage\b|proportion\b|share\b|number\b|amount\b|time\b)\w+",
    re.IGNORECASE,
)
_ASKS_WHEN = re.compile(
    r"\b(?:when|since|until|dates?|(?:what|which|how many|how long) (?:years?|months?|days?|time))\b", re.IGNORECASE
)
_YEAR = re.compile(
    r"(?:\b(?P<begin>since|as of|from)|\b(?P<end>until|till|to|through|by))?\s*(?<![:\d])(?:the )?"
    rf"(?:\d{{1,2}}(?:st|nd|rd|th)? )?(?:(?:{'|'.join(MONTHS)}) )?(?:\d{{1,2}}, )?(?<![:\d])(?:19|20)\d\d\b",
    re.IGNORECASE,
)
"""A year, alone or in a date, behind the word that makes it a beginning or an end; no edition such as 27001:2022."""
_HALVED = re.compile(r"\b(?:twice|half)\b(?= (?:an? |per |each |every |yearly|annual))", re.IGNORECASE)
"""Twice a year, or half a year: half of the span that is named."""
_TITLES = frozenset("mr mrs ms dr prof sir madam the a an ltd inc gmbh llc plc ag sa corp".split())
_INITIALS = re.compile(r"\b[A-Z][a-z]+(?: [A-Z][a-z]+)+")
_SENTENCE_START = re.compile(r"(?:^|[.!?]\s+)(?=[A-Z])")
_SHOWN_CHARACTERS = 240
_KINDS = (
    {"percent"},
    {"clock"},
    {"workday", "workhour"},
    {"kb", "mb", "gb", "tb"},
    {"bit"},
    {"gbp", "eur", "usd"},
    {"km", "mile"},
    {"tonne"},
    {"kwh", "mwh", "gwh", "kw", "mw", "gw"},
)
"""Units of one kind: of two answers with units of a kind, one figure is the same, or they differ."""
_PLAIN_VERSIONS = frozenset(("version", "release"))
"""Words before an edition whose number may also stand apart from them: "the current version is 4.0"."""
Version = tuple[str, str]
"""A name and its edition."""


class Side(NamedTuple):
    """An answer: its text without the verdict's word, and its verdict, if any."""

    text: str
    verdict: Verdict | None = None

    @property
    def shown(self) -> str:
        """The text in quotation marks, cut to the length that is shown."""
        plain = " ".join(self.text.split())
        cut = plain if len(plain) <= _SHOWN_CHARACTERS else f"{plain[: _SHOWN_CHARACTERS - 1]}…"
        return f"“{cut}”" if cut else f"“{self.verdict}”"


def differs(question: str, one: Side, other: Side) -> bool:
    """Tell if the two answers cannot both be right; False for an answer without a text or a verdict."""
    if one.verdict and other.verdict and one.verdict != other.verdict:
        # A verdict is read by a model: what stands there in the same words has the same verdict.
        return not (says_the_same(one.text, other.text) or says_the_same(other.text, one.text))
    if not one.text.strip() or not other.text.strip():
        return False
    asked = figures_of(question)
    mine, its = _spans(one.text, asked), _spans(other.text, asked)
    if mine and its and not any(_are_same_span(a, b) for a in mine for b in its):
        return True
    kinds = list(zip(_facts(one.text, asked), _facts(other.text, asked), strict=True))
    if not _ASKS_WHEN.search(question) and not _roles_of_years(one.text) & _roles_of_years(other.text):
        kinds = [kinds[0], *kinds[_OF_DATES.stop :]]  # held since one year, and valid until another
    if any(left and right and not left & right for left, right in kinds) or _versions_differ(one.text, other.text):
        return True
    return bool(_ASKS_FOR_NAMES.search(question)) and _names_differ(question, one.text, other.text)


def bears_out(question: str, one: Side, other: Side) -> bool:
    """Tell if two answers that do not differ say the same: one verdict, one fact, or the words of the first."""
    if one.verdict and one.verdict == other.verdict:
        return True
    asked = figures_of(question)
    spans = (_spans(one.text, asked), _spans(other.text, asked))
    if any(_are_same_span(mine, its) for mine in spans[0] for its in spans[1]):
        return True
    kinds = zip(_facts(one.text, asked), _facts(other.text, asked), strict=True)
    if any(left & right for left, right in kinds) or says_the_same(one.text, other.text):
        return True
    return bool((_name_words(one.text) & _name_words(other.text)) - _name_words(question))


def says_the_same(claim: str, source: str) -> bool:
    """Tell if ``source`` has nearly all words and all figures of ``claim``, and its clauses about it deny alike."""
    words = words_of_claim(claim)
    clauses = pieces_of(source)
    if len(words) < 2 or not clauses or figures_of(claim) - figures_of(source):
        return False
    share = len(words & words_of_claim(source)) / len(words)
    if share < LEAST_SAME or opposite_words(claim, source):
        return False
    return all(denies(text) == denies(claim) for stems, text in clauses if words & stems)


def denied_by(question: str, text: str) -> bool:
    """Tell if a clause of ``text`` with nearly all words of a question that denies nothing says no to it."""
    wanted = words_of_claim(question)
    if denies(question) or not wanted:
        return False
    return any(denies(part) and len(wanted & stems) >= LEAST_DENIED * len(wanted) for stems, part in pieces_of(text))


def _spans(text: str, asked: frozenset[Figure]) -> list[float]:
    """The spans of time, in days, that ``text`` states, "every year" among them; those of the question are left out."""
    stated = [figure for figure in figures_of(text) - asked if span_days(figure)]
    found = [span_days(figure) for figure in stated]
    units = {figure.unit for figure in stated}
    found += [span_days(Figure(Decimal(1), unit)) for unit in periods_of(text) - units]
    return [days / 2 for days in found] if _HALVED.search(text) else found


def _are_same_span(one: float, other: float) -> bool:
    short, long = sorted((one, other))
    return long <= short * SAME_SPAN


def _facts(text: str, asked: frozenset[Figure]) -> list[frozenset[Figure | str]]:
    """The facts of ``text`` by kind: bare counts, years and months (_OF_DATES), weekdays, and amounts by unit."""
    figures = {figure for figure in figures_of(text) - asked if not span_days(figure)}
    named = {one for one in _versions(text) if one[0] not in _PLAIN_VERSIONS}
    bare = {one for one in figures if not one.unit and str(one.value) not in _numbers(named)}
    years = {one for one in bare if one.value in _YEARS and not one.value % 1}
    days = {one for one in bare if months_of(text) and one.value <= _LAST_DAY}
    return [
        frozenset(bare - years - days),
        frozenset(years),
        frozenset(months_of(text)),
        frozenset(found.group(1).lower() for found in _WEEKDAY.finditer(text)),
        *(frozenset(one for one in figures if one.unit in units) for units in _KINDS),
    ]


def _roles_of_years(text: str) -> frozenset[str | None]:
    """The parts that the years of ``text`` play: a "begin", an "end", or None for a bare year."""
    return frozenset(found.lastgroup for found in _YEAR.finditer(text))


def _versions(text: str) -> frozenset[Version]:
    return frozenset((found["name"].lower(), found["number"]) for found in _VERSION.finditer(text))


def _numbers(versions: Iterable[Version]) -> frozenset[str]:
    """The numbers in versions, whole and in parts: "27001:2013", "27001" and "2013"."""
    whole = [number for _, number in versions]
    return frozenset([*whole, *(part for number in whole for part in re.split(r"[.:]", number))])


def _versions_differ(one: str, other: str) -> bool:
    mine, its = _versions(one), _versions(other)
    named = {name for name, _ in mine} & {name for name, _ in its}
    return not all(any(_are_one_version(a, b) for a in mine for b in its if a[0] == b[0] == name) for name in named)


def _are_one_version(one: Version, other: Version) -> bool:
    """Tell if two editions of a name are the same, or one of them is not stated: ISO 27001 and ISO 27001:2022."""
    short, long = sorted((one[1], other[1]), key=len)
    return short == long or long.startswith(f"{short}:")


def _names_differ(question: str, one: str, other: str) -> bool:
    known = _name_words(question) | {word.lower() for word in re.findall(r"[^\W\d_]+", question)}
    mine, its = (_name_words(text) - known for text in (one, other))
    if not mine or not its:
        return False
    small = {word for text in (one, other) for word in re.findall(r"(?<![^\W\d_])[a-zà-ÿ]+", without_accents(text))}
    return not (mine & its) and bool(mine - small) and bool(its - small)


def _name_words(text: str) -> frozenset[str]:
    """The words of the names of ``text``, and the initials of those of several words; no months."""
    lowered = _SENTENCE_START.sub("x ", text)
    initials = {"".join(word[0] for word in found.group().split()).lower() for found in _INITIALS.finditer(text)}
    found = {re.sub(r"['’]s$", "", name) for name in names_of(lowered)} | initials
    return frozenset(found) - months_of(text) - _TITLES
