"""Detection of a sheet's header row and column roles, by the header's words and by the texts below them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from tasks.questionnaires.formats.grid import Grid
from tasks.questionnaires.reading.layout import VerdictColumn
from tasks.questions.foreign_questions import spoken_in
from tasks.questions.wording import (
    Role,
    choices_to_tick,
    header_role,
    heads_customers_column,
    is_answer_too,
    looks_like_question,
    says_yes_no,
    verdict_of,
    words_of,
)
from tasks.records import Verdict
from tasks.spreadsheets.answer_column_recency import compare_ages
from tasks.spreadsheets.header_words import tells_whether
from tasks.spreadsheets.question_labels import refers

MAX_HEADERS_TRIED = 20
MAX_VERDICT = 40
"""The most characters of a title that is only a verdict."""
LANGUAGE_ROWS = 20
"""The texts of a column by which its language is told."""
_ORDINAL = re.compile(r"[\s#]*\d{1,2}$")


@dataclass(frozen=True, slots=True)
class Columns:
    """The columns of a sheet by role. The questions start below ``last_header_row``.

    ``headers`` has each column's title, that of a second header row before that of the first.
    """

    header_row: int
    last_header_row: int
    question: int
    id: int | None
    section: int | None
    answer: int | None
    comment: int | None
    verdicts: tuple[VerdictColumn, ...]
    review: tuple[tuple[str, int], ...]
    headers: Mapping[int, str]


_CODES: tuple[Mapping[str, Verdict], ...] = (
    {"y": "yes", "n": "no", "na": "not_applicable"},
    {"j": "yes", "n": "no"},
    {"o": "yes", "n": "no"},
    {"s": "yes", "n": "no"},
    {"fc": "yes", "pc": "partial", "nc": "no", "na": "not_applicable"},
    {"c": "yes", "pc": "partial", "nc": "no", "na": "not_applicable"},
    {"f": "yes", "p": "partial", "n": "no"},
)
"""Letters over columns of marks, which mean a verdict only beside each other."""


_PLACES = ("answer", "comment")
"""The roles of columns that the supplier fills."""


class _Header(NamedTuple):
    row: int
    last_row: int
    headers: dict[int, str]
    roles: dict[int, Role]
    verdicts: tuple[VerdictColumn, ...]

    @property
    def weight(self) -> int:
        roles = set(self.roles.values())
        return len(roles) + ("question" in roles) + bool(self.verdicts)


class _Profile(NamedTuple):
    """Texts below a header: their number, and the shares with several words, asking, ending in ``?``."""

    column: int
    filled: int = 0
    wordy: float = 0.0
    asking: float = 0.0
    question_marks: float = 0.0
    mean_length: float = 0.0


def find_columns(grid: Grid) -> Columns | None:
    """Find the columns of a sheet with questions; None for a sheet without any (instructions, lists, empty)."""
    headers = [header for row in grid.texts if (header := _header(grid, row))]
    headers.sort(key=lambda header: (-header.weight, header.row))
    found = ((header, _question_column(grid, header)) for header in headers[:MAX_HEADERS_TRIED])
    return next((_columns(grid, header, question) for header, question in found if question is not None), None)


def columns_below(grid: Grid, row: int, question: int) -> Columns | None:
    """The columns below the header in ``row``, where the questions stand in the column ``question``; None where that
    row is no header.
    """
    header = _header(grid, row)
    return _columns(grid, header, question) if header else None


def begins_table(grid: Grid, row: int, known: Columns) -> bool:
    """Tell if a row is the header of another table, by its words alone, beside a table whose columns are ``known``.

    Such a row has a title over answers or comments, and another over anything; it has no question, no reference and no
    answer.
    """
    cells = grid.row(row)
    if refers(cells.get(known.id or 0, "")):
        return False
    header = _header(grid, row)
    if header is None or header.row != row or (row <= known.last_header_row and row >= known.header_row):
        return False
    repeated = {c for c, text in cells.items() if known.headers.get(c, "").casefold() == text.casefold()}
    asked = cells.get(known.question, "")
    is_question_title = header.roles.get(known.question) in ("question", "weak_question")
    if asked and not is_question_title and known.question not in repeated and not _asks_elsewhere(header, known):
        return False
    if any(_is_sentence(text) for text in cells.values()):
        return False
    # "No." heads numbers.
    said = (text for at, text in cells.items() if header.roles.get(at) != "id")
    if not header.verdicts and any(verdict_of(text, whole=True) for text in said):
        return False
    titles = {c for c in cells if c in header.roles or heads_customers_column(cells[c])} | repeated
    titles |= {column for _, column in header.verdicts}
    has_place = bool(header.verdicts) or any(
        role in ("answer", "comment") and column in cells for column, role in header.roles.items()
    )
    return has_place and len(titles) >= 2


def _asks_elsewhere(header: _Header, known: Columns) -> bool:
    asking = {column for column, role in header.roles.items() if role == "question"}
    return bool(asking - {known.question})


def _is_sentence(text: str) -> bool:
    return len(words_of(text)) >= 4 and looks_like_question(text)


def questions_beside(grid: Grid, columns: Columns) -> list[int]:
    """The columns of further questions beside ``columns``, each with its own answers;
    none where all are in one column.
    """
    headers = grid.row(columns.header_row)
    roles = _roles(headers)
    name = _ORDINAL.sub("", headers.get(columns.question, "")).casefold()
    asked = sorted({columns.question, *(column for column, role in roles.items() if role == "question")})
    found: list[int] = []
    for column, end in pairwise([*asked, max(headers) + 1]):
        titles = (headers.get(one, "") for one in range(column + 1, end))
        has_answers = any(header_role(one) == "answer" or verdict_of(one, whole=True) for one in titles)
        below = _profile(grid, columns.last_header_row, column)
        is_named_so = bool(name) and _ORDINAL.sub("", headers.get(column, "")).casefold() == name
        if has_answers and below.filled and (is_named_so or below.asking >= 0.5):
            found.append(column)
    return [column for column in found if column != columns.question] if columns.question in found else []


def headers_seen(grid: Grid) -> tuple[str, ...]:
    """The texts of the likeliest header row, the fullest of the first 40, for messages; empty without any."""
    rows = (grid.texts[row] for row in sorted(grid.texts)[:40])
    fullest = max(rows, key=len, default={})
    return tuple(" ".join(text.split())[:40] for _, text in sorted(fullest.items()))


def _header(grid: Grid, row: int) -> _Header | None:
    headers, second, last_row = grid.row(row), grid.row(row + 1), row
    verdicts = _verdict_columns(headers)
    if verdicts:
        # Columns beside "Yes" and "No" may have their title in the row above.
        headers = grid.row(row - 1) | headers
    roles = _roles(headers)
    if not verdicts and roles and second:
        below = _roles(second)
        crossed = _verdict_columns(second)
        questions = {column for column, role in roles.items() if role in ("question", "weak_question", "id")}
        detail = all(below.get(column) in ("answer", "comment") for column in second)
        # A row with a question is no header row, whatever was answered in it.
        if (crossed or detail) and not questions & set(second):
            last_row, headers, roles, verdicts = row + 1, headers | second, roles | below, crossed
    for _, column in verdicts:
        roles.pop(column, None)
    if not roles or any(_asks_at_length(text) for at, text in headers.items() if roles.get(at) not in _PLACES):
        return None
    return _Header(row, last_row, headers, roles, verdicts)


def _asks_at_length(text: str) -> bool:
    return text.endswith("?") and len(words_of(text)) > 4


def _roles(headers: Mapping[int, str]) -> dict[int, Role]:
    return {column: role for column, text in headers.items() if (role := header_role(text))}


def _verdict_columns(headers: Mapping[int, str]) -> tuple[VerdictColumn, ...]:
    """The columns of marks, one for each verdict; none where yes or no is missing, or a verdict has two columns."""
    headers = {column: text for column, text in headers.items() if len(text) <= MAX_VERDICT}
    if len(headers) < 2:
        return ()
    spelled = {c: "".join(words_of(text)) for c, text in sorted(headers.items())}
    coded = ([VerdictColumn(v, c) for c, text in spelled.items() if (v := code.get(text))] for code in _CODES)
    worded: list[list[VerdictColumn]] = [[]]
    for column, text in sorted(headers.items()):
        if verdict := verdict_of(text, whole=True):
            worded[-1].append(VerdictColumn(verdict, column))
        else:
            worded.append([])
    # A column of numbers headed "No." stands apart from those of yes and no.
    for found in ([column for side_by_side in worded for column in side_by_side], *worded, *coded):
        verdicts = [column.verdict for column in found]
        if {"yes", "no"} <= set(verdicts) and len(set(verdicts)) == len(verdicts):
            return tuple(found)
    return ()


def _question_column(grid: Grid, header: _Header) -> int | None:
    """The named column whose texts look most like questions, else any column whose texts plainly ask."""
    rows = [row for row in grid.texts if row > header.last_row]
    answered = bool(header.verdicts) or bool({"answer", "comment"} & set(header.roles.values()))
    answered = answered or bool(_dropdown_columns(grid, rows, header))
    taken = {column for column, role in header.roles.items() if role in ("answer", "comment", "review")}
    taken |= {column for _, column in header.verdicts}
    taken |= {
        column
        for column, text in header.headers.items()
        if heads_customers_column(text) and header.roles.get(column) is None
    }
    below = (cells for row, cells in grid.texts.items() if row > header.last_row)
    columns = {column for cells in below for column in cells} - taken
    profiles = [profile for c in columns if (profile := _profile(grid, header.last_row, c)).wordy >= 0.5]

    named = {column for column, role in header.roles.items() if role == "question"}
    # "Control" may be merged over a column of numbers and a column of texts.
    spread = (grid.merge(header.row, column) for column in named)
    named |= {column for area in spread if area for column in range(area.left, area.right + 1)}
    weak = {column for column, role in header.roles.items() if role == "weak_question"}
    tiers = [
        [p for p in profiles if p.column in named and (answered or p.asking >= 0.5 or p.mean_length >= 20)],
        [p for p in profiles if p.column in weak and (answered or p.question_marks >= 0.5)],
        [p for p in profiles if p.mean_length >= 15 and (p.asking if answered else p.question_marks) >= 0.5],
    ]
    if not any(p.asking >= 0.5 for p in tiers[0]) and any(p.asking >= 0.5 for p in tiers[1]):
        tiers[:2] = tiers[1::-1]  # "Requirement" has the titles, "Description" the requirements
    # A header with neither answers nor numbers may be any table ("Term", "Description").
    if not answered and "id" not in header.roles.values():
        titled = (p for p in profiles if _heads_questions_alone(header.headers.get(p.column, "")))
        tiers = [[p for p in titled if p in tiers[0]]]
    best = next(filter(None, tiers), [])
    most = max((round(p.asking, 1) for p in best), default=0.0)
    likely = _in_english(grid, header, [p for p in best if round(p.asking, 1) == most])
    likeliest = max(likely, key=lambda p: p.mean_length * p.filled, default=None)
    if likeliest is None and answered:
        likeliest = next((p for p in profiles if _is_numbered(grid, header, p)), None)
    return likeliest.column if likeliest else None


def _heads_questions_alone(title: str) -> bool:
    """Tell if a title is a heading of questions, and not a sentence, nor that of any sheet."""
    return header_role(title) == "question" and len(words_of(title)) <= 4 and "?" not in title


def _in_english(grid: Grid, header: _Header, profiles: Sequence[_Profile]) -> Sequence[_Profile]:
    """Those of equally likely columns whose texts are in English; all of them where none, or each, is.

    A questionnaire in two languages has each question twice.
    """
    if len(profiles) < 2:
        return profiles

    def is_english(profile: _Profile) -> bool:
        texts = [grid.text(row, profile.column) for row in sorted(grid.texts) if row > header.last_row]
        shown = list(filter(None, texts))[:LANGUAGE_ROWS]
        return 2 * sum(spoken_in(text) is not None for text in shown) < len(shown)

    return [profile for profile in profiles if is_english(profile)] or profiles


def _is_numbered(grid: Grid, header: _Header, profile: _Profile) -> bool:
    """Tell if a column without a title has texts right behind references: "GNRL-01 | Provider name"."""
    if header.headers.get(profile.column) or profile.filled < 3:
        return False
    rows = [row for row in grid.texts if row > header.last_row and profile.column in grid.texts[row]]
    return sum(refers(grid.text(row, profile.column - 1)) for row in rows) >= 0.8 * len(rows)


def _profile(grid: Grid, last_header_row: int, column: int) -> _Profile:
    texts = [cells[column].strip() for row, cells in grid.texts.items() if row > last_header_row and column in cells]
    count = len(texts)
    if not count:
        return _Profile(column)
    return _Profile(
        column,
        count,
        wordy=sum(len(words_of(text)) >= 2 and not refers(text) for text in texts) / count,
        asking=sum(map(looks_like_question, texts)) / count,
        question_marks=sum("?" in text for text in texts) / count,
        mean_length=sum(map(len, texts)) / count,
    )


def _columns(grid: Grid, header: _Header, question: int) -> Columns:
    def with_role(role: Role) -> list[int]:
        return sorted(c for c, r in header.roles.items() if r == role and c != question)

    rows = [row for row, cells in grid.texts.items() if row > header.last_row and question in cells]
    answers, comments = _latest(with_role("answer"), header.headers), with_role("comment")
    if not answers and not header.verdicts:
        both = [column for column in comments if is_answer_too(header.headers[column])]
        answers = both or _dropdown_columns(grid, rows, header) or _tick_columns(grid, rows)
    answer = None
    if answers and not header.verdicts:
        offers = {c: (_dropdowns(grid, rows, c), says_yes_no(header.headers.get(c, ""))) for c in answers}
        own = [c for c in answers if not tells_whether(header.headers.get(c, ""))] or answers
        answer = min(own, key=lambda c: (-offers[c][0], not offers[c][1], c < question, c))
    comments = [c for c in comments if c != answer]
    after = max([answer or question, *(column for _, column in header.verdicts)])
    # "Compliant (Y/N)" beside "Response": the text goes into the second.
    spare = [c for c in answers if c > after]
    comment = next(iter([c for c in comments if c > after] or comments or spare), None)
    review = tuple((header.headers[c].casefold(), c) for c in with_role("review"))
    return Columns(
        header_row=header.row,
        last_header_row=header.last_row,
        question=question,
        id=_id_column(grid, rows, with_role("id"), question),
        section=min(with_role("section"), key=lambda column: abs(column - question), default=None),
        answer=answer,
        comment=comment,
        verdicts=header.verdicts,
        review=review,
        headers=header.headers,
    )


def _latest(answers: Sequence[int], headers: Mapping[int, str]) -> list[int]:
    """The answer columns of the current round; all of them where none is the latest."""
    titles = [headers.get(column, "") for column in range(max(answers, default=0) + 1)]
    ages = compare_ages(answers, titles)
    return list(answers) if ages.latest is None else [column for column in answers if column not in ages.earlier]


def _id_column(grid: Grid, rows: Sequence[int], columns: Iterable[int], question: int) -> int | None:
    """The id column with the most distinct values; of equals the one closest to the question.

    Where no header names an id column: the closest column on the left with short texts that number the questions.
    """
    distinct = {column: len({grid.text(row, column) for row in rows} - {""}) for column in columns}
    filled = [column for column, count in distinct.items() if count]
    if filled:
        return min(filled, key=lambda column: (-distinct[column], abs(column - question)))
    for column in range(question - 1, 0, -1):
        texts = (grid.text(row, column) for row in rows)
        references = [text for text in texts if len(text) <= 20 and any(map(str.isdigit, text))]
        if len(references) >= 0.8 * len(rows) and len(set(references)) == len(references) > 0:
            return column
    return None


def _tick_columns(grid: Grid, rows: Sequence[int]) -> list[int]:
    """The columns whose cells have choices to tick ("☐ Yes ☐ No") beside most questions."""
    columns = {column for row in rows for column, text in grid.texts[row].items() if choices_to_tick(text)}
    return sorted(c for c in columns if 2 * sum(bool(choices_to_tick(grid.text(row, c))) for row in rows) > len(rows))


def _dropdowns(grid: Grid, rows: Iterable[int], column: int) -> int:
    return sum(bool(grid.choices(row, column)) for row in rows)


def _dropdown_columns(grid: Grid, rows: Sequence[int], header: _Header) -> list[int]:
    """Columns without a header that have dropdowns with yes and no."""
    offered = (v for v in grid.validations if {"yes", "no"} <= {verdict_of(choice) for choice in v.choices})
    areas = (area for validation in offered for area in validation.areas if area.right - area.left < 10)
    columns = {column for area in areas for column in range(area.left, area.right + 1)} - set(header.roles)
    # A column that is filled already is the customer's own ("Mandatory").
    free = {c for c in columns if 2 * sum(bool(grid.text(row, c)) for row in rows) < len(rows)}
    return sorted(column for column in free if _dropdowns(grid, rows, column))
