"""Periods that a text names: years, quarters and months, as file names, covers and questions write them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from tasks.text.english import MONTHS

YEAR = r"(?:19|20)\d\d"
MONTH = "|".join(["sept", *(f"{month[:3]}(?:{month[3:]})?" for month in MONTHS)])
_FIRST_SHORT_YEAR = 70
"""Years of two digits from here on are of the last century."""
_MONTHS_OF_QUARTER = 3
_ORDINALS = ("first|1st", "second|2nd", "third|3rd", "fourth|4th")
_AFTER_QUARTER = (
    r"[\W_]*(?:of[\W_]+)?(?:the[\W_]+)?(?:(?:fiscal|financial|calendar)[\W_]+)?(?:year[\W_]+)?(?:fy|cy)?[\W_]?"
)
_QUARTER = rf"q[1-4]|[1-4]q|(?:{'|'.join(_ORDINALS)})[\W_]quarter"
_ENDED = (
    r"(?:(?P<ended_quarter>quarter|three[\W_]months|quarterly[\W_]period)|(?P<ended_year>year|twelve[\W_]months))"
    r"[\W_]*end(?:ed|ing)(?:[\W_]+on)?[\W_]+(?:\d\d?[\W_]+)?"
)
_FORM = re.compile(
    # Words in file names end at underscores, too.
    r"(?<![^\W_])(?:"
    rf"(?P<quarter>{_QUARTER}){_AFTER_QUARTER}(?P<of_quarter>{YEAR}|(?<!\d)\d\d)"
    rf"|(?:fy|cy)?(?P<before>{YEAR}|(?<=fy)\d\d)[\W_]?(?P<then>q[1-4]|[1-4]q)"
    rf"|(?:{_ENDED})?(?P<month>{MONTH})\.?[\W_]+(?:\d\d?(?:st|nd|rd|th)?,?[\W_]+)?(?P<of_month>{YEAR})"
    rf"|v?(?P<of_date>{YEAR})(?P<between>[-/._]?)(?P<number>0[1-9]|1[0-2])(?:(?P=between)(?:0[1-9]|[12]\d|3[01]))?"
    rf"|(?:fy|cy)[\W_]?'?(?P<short>\d\d)|(?:fy|cy)?(?P<year>{YEAR})"
    r")(?![^\W_])",
    re.IGNORECASE,
)

_ENDS = re.compile(rf"{_ENDED}(?P<then>.{{0,60}})", re.IGNORECASE)


class Period(NamedTuple):
    """A year, or a quarter or month of it (the other then being None)."""

    year: int
    quarter: int | None = None
    month: int | None = None

    def __str__(self) -> str:
        """The period as it is shown: ``2018``, ``2022 Q2``, ``2024-03``."""
        if self.quarter is not None:
            return f"{self.year} Q{self.quarter}"
        return str(self.year) if self.month is None else f"{self.year}-{self.month:02}"

    @property
    def words(self) -> tuple[str, ...]:
        """The words by which a question may name it, in lower case: ``2022``, ``q2``."""
        parts = (
            f"q{self.quarter}" if self.quarter is not None else "",
            MONTHS[self.month - 1].lower() if self.month is not None else "",
        )
        return str(self.year), *filter(None, parts)

    @property
    def last_month(self) -> tuple[int, int]:
        """The year and month in which it ends, as far as it is known."""
        return self.year, self.month or (self.quarter or 4) * _MONTHS_OF_QUARTER


def periods_in(text: str) -> Iterator[Period]:
    """The periods that ``text`` names, in order: "FY18", "Q2 2022", "2021Q1", "second quarter of fiscal 2022",
    "June 30, 2019", "2024-03-15".

    A day gives its month; the last day of a year or quarter ("quarter ended June 30, 2022") gives that of the calendar.
    Text without a year gives none.
    """
    for found in _FORM.finditer(text):
        year = found["of_quarter"] or found["before"] or found["of_month"] or found["of_date"] or found["short"]
        whole = _whole_year(year or found["year"])
        if named := found["quarter"] or found["then"]:
            yield Period(whole, _quarter(named))
        elif found["month"]:
            month = 1 + next(at for at, one in enumerate(MONTHS) if one.lower().startswith(found["month"][:3].lower()))
            yield _ended(found, Period(whole, month=month))
        else:
            yield Period(whole, month=int(found["number"])) if found["number"] else Period(whole)


def without_periods(text: str) -> str:
    """``text`` with a space in the place of each period."""
    return _FORM.sub(" ", text)


def ended_periods(text: str) -> Iterator[Period]:
    """The years and quarters of which ``text`` names the end, with other words between ("year ended Commission file
    March 31, 2021"). Text without such a phrase gives none.
    """
    for found in _ENDS.finditer(text):
        if named := next(periods_in(found["then"]), None):
            yield _ended(found, named)


def _ended(found: re.Match[str], named: Period) -> Period:
    if found["ended_year"]:
        return Period(named.year)
    is_quarter = found["ended_quarter"] and named.month is not None
    return Period(named.year, -(-named.month // _MONTHS_OF_QUARTER)) if is_quarter and named.month else named


def _quarter(named: str) -> int:
    digit = re.search(r"[1-4]", named)
    ordinals = (at for at, forms in enumerate(_ORDINALS, 1) if re.match(forms, named, re.IGNORECASE))
    return int(digit.group()) if digit else next(ordinals)


def _whole_year(written: str) -> int:
    year = int(written)
    return year if len(written) == len("2000") else (1900 if year >= _FIRST_SHORT_YEAR else 2000) + year
