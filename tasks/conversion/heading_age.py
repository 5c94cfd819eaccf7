"""Which of several columns of answers says what holds now: questionnaires keep those of earlier years beside it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

_OLD = re.compile(
    r"\b(?:previous(?:ly)?|prev|prior|old|former|earlier|historic\w*|superseded|outdated|obsolete|"
    r"(?:last|past)(?! (?:\d+|\w+ (?:days|months|years))\b))\b",
    re.I,
)
"""The last 12 months are none of them: what held in these holds."""
_NEW = re.compile(
    r"\b(?:current|newest|latest|updated?|revised|final|this (?:year|period|cycle|round|time))\b|"
    r"\bnew(?= *(?:$|\)|answer|respon[sd]|repl(?:y|ies)|comment|note|remark|explanation|evidence))",
    re.I,
)
"""An answer to a new requirement need not be a new answer."""
_YEAR = re.compile(r"(?<![\d:])(?:19|20)\d\d(?!\d)")
"""ISO 27001:2022 tells no time of an answer."""
_SHORT_YEAR = re.compile(r"\bFY ?'?(\d\d)\b", re.I)
_BARE_TIME = re.compile(
    r"(?:the )?(?:previous|prior|last|earlier|past) (?:year|period|cycle|round|time|version)s?", re.I
)


class Ages(NamedTuple):
    """The column that says what holds now, None where none does, and those that say what held before."""

    latest: int | None
    earlier: tuple[int, ...]

    @property
    def known(self) -> tuple[int, ...]:
        """All of them."""
        return self.earlier if self.latest is None else (self.latest, *self.earlier)


def is_earlier(heading: str) -> bool:
    """Whether what stands below ``heading`` held before, by its own words."""
    return _OLD.search(heading) is not None and _NEW.search(heading) is None


def is_time_before(heading: str) -> bool:
    """Whether ``heading`` names nothing but a time that is over, as "Last year" does."""
    return _BARE_TIME.fullmatch(heading.strip()) is not None


def compare_ages(columns: Sequence[int], headings: Sequence[str]) -> Ages:
    """The latest of ``columns``: one said to be current, else that of the newest year, else the first that is not said
    to be earlier.

    Of a column of a year and one of none, the one further right is the later.
    """
    standing = [i for i in columns if not is_earlier(headings[i])]
    if not standing:
        return Ages(None, tuple(columns))
    years = {i: _year(headings[i]) for i in standing}
    current = [i for i in standing if _NEW.search(headings[i]) and not _OLD.search(headings[i])] or standing
    newest = max(years[i] for i in current)
    latest = [i for i in current if years[i] == newest]
    if newest:
        # Whoever answers anew writes beside what is there.
        latest = [i for i in current if i > latest[-1] and not years[i]] or latest
    return Ages(latest[0], tuple(i for i in columns if i not in latest))


def _year(heading: str) -> int:
    years = [int(year) for year in _YEAR.findall(heading)]
    years += [2000 + int(year) for year in _SHORT_YEAR.findall(heading)]
    return max(years, default=0)
