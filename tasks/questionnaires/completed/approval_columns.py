"""Columns of a completed questionnaire that say who stands behind an answer: owner, approval, day and term."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date, datetime, timedelta
from typing import Literal

from tasks.text.english import MONTHS

Approval = Literal["owner", "approved_by", "approved_on", "valid_until"]
_OF_ANSWER = r"(?:(?:answer|response|reply)(?:['’]s)? )?"
_TITLES: Mapping[Approval, re.Pattern[str]] = {
    "approved_on": re.compile(
        rf"{_OF_ANSWER}(?:approv(?:ed|al) (?:on|date|day)|date (?:of approval|approved)|signed[ -]off on|"
        r"freigegeben am|freigabedatum|approuvé le|aprobado el|aprovado em)",
        re.IGNORECASE,
    ),
    "approved_by": re.compile(
        rf"{_OF_ANSWER}(?:approve(?:d by|r)|signed[ -]off by|freigegeben (?:von|durch)|approuvé par|aprobado por|"
        r"aprovado por)",
        re.IGNORECASE,
    ),
    "valid_until": re.compile(
        rf"{_OF_ANSWER}(?:valid (?:until|to|through|till)|expir(?:y|es|ation)(?: date| on)?|review (?:by|due)|"
        r"gültig bis|valable jusqu['’]au|válido hasta|válido até)",
        re.IGNORECASE,
    ),
    "owner": re.compile(
        rf"{_OF_ANSWER}(?:owner|owned by|responsible(?: person)?|sme|verantwortlich(?:er)?|responsable|respons[áa]vel)",
        re.IGNORECASE,
    ),
}
_SHAPES = ("%Y-%m-%d", "%Y-%m-%d %H:%M:%S", "%d.%m.%Y", "%Y/%m/%d")
_WORDED = re.compile(rf"(\d{{1,2}})\.? ({'|'.join(MONTHS)}) (\d{{4}})", re.IGNORECASE)
_FIRST_SERIAL_DAY = date(1899, 12, 30)
_SERIALS = range(20_000, 80_000)
"""Excel's numbers of the days from 1954 to 2119."""


def approval_columns(headers: Mapping[int, str]) -> dict[Approval, int]:
    """The columns of owner, approval and term by their titles; none where no title names any."""
    found: dict[Approval, int] = {}
    for column, title in sorted(headers.items()):
        plain = " ".join(title.split()).rstrip(" :?")
        for role, pattern in _TITLES.items():
            if role not in found and pattern.fullmatch(plain):
                found[role] = column
    return found


def day_in(cell: str) -> date | None:
    """The day that a cell states: as 2026-01-31, 31.1.2026, 31 January 2026 or Excel's number of it; None for none."""
    plain = " ".join(cell.split())
    for shape in _SHAPES:
        try:
            return datetime.strptime(plain, shape).date()
        except ValueError:
            continue
    if found := _WORDED.fullmatch(plain):
        try:
            return date(int(found[3]), MONTHS.index(found[2].capitalize()) + 1, int(found[1]))
        except ValueError:
            return None
    if plain.removesuffix(".0").isdecimal() and int(plain.removesuffix(".0")) in _SERIALS:
        return _FIRST_SERIAL_DAY + timedelta(days=int(plain.removesuffix(".0")))
    return None
