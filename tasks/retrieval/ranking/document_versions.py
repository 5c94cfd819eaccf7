"""Versions of a document: recognize the version in a title, and order versions by date, number and draft."""

from __future__ import annotations

import re
from datetime import date
from functools import lru_cache
from pathlib import PurePosixPath
from typing import NamedTuple

from tasks.conversion.document.assembly import COVER_SEPARATOR
from tasks.text.names.periods import Period
from tasks.text.names.version_marks import DRAFT, VERSION

_WORD = re.compile(r"\w+")
_MOST_DIGITS = 9


@lru_cache(maxsize=1024)
def base_of(title: str, file_name: str = "") -> tuple[str, ...]:
    """The words of a title without its version, in lower case; all of the title where nothing else is in it.

    Behind the last dash, the name of a folder of the file, and a number or hash of the file's name, are left out, too:
    they tell two copies apart.
    """
    begun, _, last = title.rpartition(COVER_SEPARATOR)
    path = PurePosixPath(file_name)
    folders = {*_WORD.findall(" ".join(path.parts[:-1]).casefold())}
    numbers = {word for word in _WORD.findall(path.stem.casefold()) if any(map(str.isdigit, word))}
    if begun and {*_WORD.findall(last.casefold())} <= folders | numbers:
        title = begun
    plain = VERSION.sub(" ", title).replace("_", " ")
    return tuple(_WORD.findall(plain.casefold()) or _WORD.findall(title.casefold()))


class Standing(NamedTuple):
    """Sort key of versions: drafts below others, older below newer, and of the same day lower numbers below higher."""

    is_issued: bool
    period_end: date
    day: date
    numbers: tuple[int, ...]


def standing_of(title: str, file_name: str, day: date | None, period: Period | None = None) -> Standing:
    """The standing of a version. It is as old as its ``period``, else its ``day``.

    The numbers are those of the version in the title or the file's name.
    """
    said = f"{title} {PurePosixPath(file_name).stem}"
    numbers = tuple(
        # Python refuses to read a number of thousands of digits.
        int(number[:_MOST_DIGITS])
        for found in VERSION.findall(said)
        for number in re.findall(r"\d+", found)
    )
    written = day or date.min
    return Standing(not DRAFT.search(said), date(*period.last_month, 1) if period else written, written, numbers)
