"""What tells two versions of a document apart: in their titles, and which of them stands."""

from __future__ import annotations

import re
from datetime import date
from functools import lru_cache
from pathlib import PurePosixPath

_MONTH = "jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
_YEAR = r"(?:19|20)\d\d"
_VERSION = re.compile(
    # A word of a file's name ends at its underscores, too.
    r"(?<![^\W_])(?:"
    rf"(?:(?:{_MONTH}|nov(?:ember)?|dec(?:ember)?)[\W_]+)?{_YEAR}(?:[-/._]\d\d?){{0,2}}"
    rf"|{_YEAR}\d{{4}}|fy[\W_]?(?:\d\d|{_YEAR})"
    r"|(?:v|version|rev|revision|edition)[\W_]?\d[\d.]*"
    r"|(?<!^)(?<!section\W)(?<!chapter\W)(?<!annex\W)(?<!appendix\W)\d+(?:\.\d+)+|draft|final)(?![^\W_])",
    re.IGNORECASE,
)
"""What tells a version: a year, a month or a day, a number after such a word or with a point in it, and how far it is.
"Level 2", "ISO 27001", "5.1 Access control" and "Section 5.1" tell a document.
"""
_DRAFT = re.compile(r"(?<![^\W_])draft(?![^\W_])", re.IGNORECASE)
_WORD = re.compile(r"\w+")
_MOST_DIGITS = 9


@lru_cache(maxsize=1024)
def base_of(title: str) -> tuple[str, ...]:
    """The words of a title without what tells its version, in lower case; all of it where nothing else is there."""
    plain = _VERSION.sub(" ", title).replace("_", " ")
    return tuple(_WORD.findall(plain.casefold()) or _WORD.findall(title.casefold()))


def standing_of(title: str, file_name: str, day: date | None) -> tuple[bool, date, tuple[int, ...]]:
    """What orders versions: a draft stands below what is none, the older below the newer, and of one day the lower
    number, in the title or the file's name, below the higher.
    """
    said = f"{title} {PurePosixPath(file_name).stem}"
    numbers = tuple(
        # Python refuses to read a number of thousands of digits.
        int(number[:_MOST_DIGITS])
        for found in _VERSION.findall(said)
        for number in re.findall(r"\d+", found)
    )
    return not _DRAFT.search(said), day or date.min, numbers
