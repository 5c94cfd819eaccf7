"""Versions of a document: recognize the version in a title, and order versions by date, number and draft."""

from __future__ import annotations

import re
from datetime import date
from functools import lru_cache
from pathlib import PurePosixPath

from tasks.text.english import MONTHS

_MONTH = "|".join(["sept", *(f"{month[:3]}(?:{month[3:]})?" for month in MONTHS)])
_YEAR = r"(?:19|20)\d\d"
_VERSION = re.compile(
    # Words in file names end at underscores, too.
    r"(?<![^\W_])(?:"
    rf"(?:(?:{_MONTH})[\W_]+)?{_YEAR}(?:[-/._]\d\d?){{0,2}}"
    rf"|{_YEAR}\d{{4}}|fy[\W_]?(?:\d\d|{_YEAR})"
    r"|(?:v|version|rev|revision|edition)[\W_]?\d[\d.]*"
    r"|(?<!^)(?<!section\W)(?<!chapter\W)(?<!annex\W)(?<!appendix\W)\d+(?:\.\d+)+|draft|final|current|latest)(?![^\W_])",
    re.IGNORECASE,
)
"""The marks of a version: a year, month or day, a number after such a word or with a point in it, draft, final, current
and latest.

"Level 2", "ISO 27001", "5.1 Access control" and "Section 5.1" belong to the document's name.
"""
_DRAFT = re.compile(r"(?<![^\W_])draft(?![^\W_])", re.IGNORECASE)
_WORD = re.compile(r"\w+")
_MOST_DIGITS = 9


@lru_cache(maxsize=1024)
def base_of(title: str) -> tuple[str, ...]:
    """The words of a title without its version, in lower case; all of the title where nothing else is in it."""
    plain = _VERSION.sub(" ", title).replace("_", " ")
    return tuple(_WORD.findall(plain.casefold()) or _WORD.findall(title.casefold()))


def standing_of(title: str, file_name: str, day: date | None) -> tuple[bool, date, tuple[int, ...]]:
    """Sort key of versions: drafts below others, older below newer, and of the same day lower numbers below higher.

    The numbers are those of the version in the title or the file's name.
    """
    said = f"{title} {PurePosixPath(file_name).stem}"
    numbers = tuple(
        # Python refuses to read a number of thousands of digits.
        int(number[:_MOST_DIGITS])
        for found in _VERSION.findall(said)
        for number in re.findall(r"\d+", found)
    )
    return not _DRAFT.search(said), day or date.min, numbers
