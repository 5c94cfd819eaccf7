"""Choice columns of a questionnaire, in which a mark is the answer: yes and no, grades of compliance, numbers."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tasks.spreadsheets.row import SheetRow, values_below
from tasks.text.verdict_words import VERDICT_WORDS

GRADE = re.compile(r"\d{1,2}")
_PLAIN = re.compile("|".join(map(re.escape, VERDICT_WORDS)), re.I)
_DONE = (
    r"compl(?:iant|iance|y|ies)|conform(?:s|ing|ant)?|met|meets|implemented|in place|supported|satisfied|fulfilled|"
    r"achieved|available|erfüllt"
)
_GRADED = re.compile(
    rf"(?:fully|full|partially|partial|partly|largely|mostly|not|non|does not|do not|voll|teilweise|nicht)?[ -]?"
    rf"(?:{_DONE})|"
    r"fully?|partly|largely|mostly|not at all|none|y|n|f|p|c|fc|pc|nc",
    re.I,
)
_BESIDE_GRADES = re.compile(
    r"planned|in progress|road ?map|future|exception|alternative|third[ -]party|customi[sz](?:ation|ed|able)|"
    r"with modifications?|config(?:uration|urable)?|out of (?:the )?box|workaround|tbd",
    re.I,
)
"""Other offers of a product ("Planned", "Workaround"), which are choices beside grades only."""
_AMONG_GRADES = re.compile(r"standard|native|base|optional|unknown|don['’]t know", re.I)
"""Headings that are choices among other choices; alone they may head anything."""
_NUMBERED = re.compile(r"\d{1,2}\s*[-–—:=.)]\s*(?P<words>[^\W\d].*)", re.DOTALL)
"""A grade with its number in front: "0 - No"."""
_ASIDE = re.compile(r"\s*\([^()]{1,20}\)$")
CROSSES = frozenset({"x", "✓", "✔", "✅", "√", "☑", "☒", "●", "•", "■", "(x)", "[x]", "ü"})
_MARKS = CROSSES | {"1", "true", "yes", "y"}
_EMPTY_BOXES = frozenset({"☐", "□", "○", "( )", "[ ]", "()", "[]"})
_NO_MARKS = frozenset({"0", "false", "no", "n", "-", "–", "—"}) | _EMPTY_BOXES


def choice_columns(headers: Sequence[str], body: Sequence[SheetRow], question: int) -> tuple[int, ...]:
    """The columns in which a mark is an answer: two or more, or none.

    Columns of yes and no are found by their headings. Below headings such as "Compliant", or numbers, only marks may
    stand: an answer in words stands below such a heading as well.
    """
    named = [i for i, header in enumerate(headers) if _PLAIN.fullmatch(_bare(header))]
    named = [i for i in named if i > question or not _counts_rows(headers, body, i)]
    if any(value.isdigit() and value not in _MARKS | _NO_MARKS for i in named for value in _values(body, i)):
        # The numbers count how many gave that answer.
        named = []
    behind = [i for i in range(question + 1, len(headers)) if i not in named]

    def marked(known: re.Pattern[str]) -> list[int]:
        fitting = (i for i in behind if known.fullmatch(_bare(headers[i])))
        return [i for i in fitting if set(_values(body, i)) <= _MARKS | _NO_MARKS]

    graded = marked(_GRADED)
    if named or graded:
        graded += marked(_BESIDE_GRADES)
    if len(named) + len(graded) > 1:
        graded += marked(_AMONG_GRADES)
    if not any(_values(body, i) for i in graded):
        graded = []
    numbers = [i for i in behind if any(known.fullmatch(headers[i].strip()) for known in (GRADE, _NUMBERED))]
    values = {value for i in numbers for value in _values(body, i)}
    if len(numbers) < 2 or not values or not values <= CROSSES:
        numbers = []
    choices = sorted({*named, *graded, *numbers})
    return tuple(choices) if len(choices) >= 2 else ()


def is_choice(header: str) -> bool:
    """Tell if ``header`` is yes, no or the like, below which no questions stand."""
    return _PLAIN.fullmatch(_bare(header)) is not None


def names_choice(header: str) -> bool:
    """Tell if ``header`` may head a column of marks, by its words."""
    return is_choice(header) or _GRADED.fullmatch(_bare(header)) is not None


def choice_of(header: str) -> str:
    """The choice that a mark below ``header`` makes: its words without the grade's number, where they are a choice
    alone.
    """
    found = _NUMBERED.fullmatch(header.strip())
    return found["words"] if found and names_choice(found["words"]) else header


def marked_in(cells: Sequence[str], headers: Sequence[str], choices: Sequence[int]) -> tuple[int, ...]:
    """The columns of ``choices`` that a row has marked, none where it has no mark.

    A cell that repeats its heading is a mark where there is no other.
    """
    marked = [i for i in choices if cells[i].strip().casefold() in _MARKS]
    same = [i for i in choices if cells[i] and cells[i].strip().casefold() == headers[i].strip().casefold()]
    return tuple(marked or same)


def is_no_mark(cell: str) -> bool:
    """Tell if ``cell`` marks its choice as not taken, as an empty box does."""
    return cell.strip().casefold() in _NO_MARKS


def is_empty_box(cell: str) -> bool:
    """Tell if ``cell`` is a box that nobody has ticked, in which a mark takes its place."""
    return cell.strip() in _EMPTY_BOXES


def _values(body: Sequence[SheetRow], column: int) -> list[str]:
    return [value.strip().casefold() for value in values_below(body, column)]


def _counts_rows(headers: Sequence[str], body: Sequence[SheetRow], column: int) -> bool:
    """Tell if a column headed "No" before the question holds row numbers, not answers."""
    numbers = (value for value in values_below(body, column) if value[0].isdigit() and value not in _MARKS)
    return headers[column] in headers[column + 1 :] or any(numbers)


def _bare(header: str) -> str:
    return _ASIDE.sub("", " ".join(header.split()))
