"""Marks of a version in titles and file names: states such as "draft", and numbers such as "v2"."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tasks.text.names.periods import MONTH, YEAR

DRAFT = re.compile(r"(?<![^\W_])draft(?![^\W_])", re.IGNORECASE)
_STATES = "draft|final|current|latest|copy"
_NUMBERED = "v|ver|version|rev|revision"
_STATE_WORD = re.compile(rf"{_STATES}|version|rev", re.IGNORECASE)
_NUMBER_WORD = re.compile(rf"\d*|(?:{_NUMBERED})\d+|v", re.IGNORECASE)
VERSION = re.compile(
    # Words in file names end at underscores, too.
    r"(?<![^\W_])(?:"
    rf"(?:(?:{MONTH})[\W_]+)?{YEAR}(?:[-/._]\d\d?){{0,2}}"
    rf"|{YEAR}[\W_]?q[1-4]|q[1-4]|[1-4]q\d\d|{YEAR}\d{{4}}|fy[\W_]?(?:\d\d|{YEAR})"
    rf"|(?:{_NUMBERED}|edition)[\W_]?\d[\d.]*"
    rf"|(?<!^)(?<!section\W)(?<!chapter\W)(?<!annex\W)(?<!appendix\W)\d+(?:\.\d+)+|{_STATES})(?![^\W_])",
    re.IGNORECASE,
)
"""The marks of a version: a year, quarter, month or day, a number after such a word or with a point in it, and a state.

"Level 2", "ISO 27001", "5.1 Access control" and "Section 5.1" belong to the document's name.
"""


_NUMBERED_VERSION = re.compile(
    rf"(?<![^\W_])(?:{_NUMBERED}|edition)[\W_]?(?P<number>\d{{1,4}}(?:[._]\d{{1,2}})*)(?![^\W_])", re.IGNORECASE
)


def versions_in(text: str) -> Iterator[str]:
    """The numbers of versions that ``text`` names, in order, as ``v2.1``: of "v2.1", "Version 2.1" and "rev_2_1"."""
    return (f"v{found['number'].replace('_', '.')}" for found in _NUMBERED_VERSION.finditer(text))


def versions_named(text: str) -> set[str]:
    """The versions that ``text`` names, each as it is compared: version 1.0 is version 1."""
    return {re.sub(r"(?:\.0)+$", "", version) for version in versions_in(text)}


def without_versions(text: str) -> str:
    """``text`` with a space in the place of each number of a version."""
    return _NUMBERED_VERSION.sub(" ", text)


def is_version_number(word: str) -> bool:
    """Tell if a word of a file's name is a number alone, or the number of a version: ``0001``, ``v2``."""
    return bool(_NUMBER_WORD.fullmatch(word))


def is_state(word: str) -> bool:
    """Tell if a word at the end of a file's name is the state of a version: "Draft Kings" and "Version control" begin
    with such words and are none.
    """
    return bool(_STATE_WORD.fullmatch(word))
