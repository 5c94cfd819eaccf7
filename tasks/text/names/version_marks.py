"""Marks of a version in titles and file names: states such as "draft", and numbers such as "v2"."""

from __future__ import annotations

import re

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


def is_version_number(word: str) -> bool:
    """Tell if a word of a file's name is a number alone, or the number of a version: ``0001``, ``v2``."""
    return bool(_NUMBER_WORD.fullmatch(word))


def is_state(word: str) -> bool:
    """Tell if a word at the end of a file's name is the state of a version: "Draft Kings" and "Version control" begin
    with such words and are none.
    """
    return bool(_STATE_WORD.fullmatch(word))
