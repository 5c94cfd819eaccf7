"""Report on what was understood of a questionnaire: its columns with confidences, and a map of them to edit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import yaml

from tasks.questionnaires.formats.grid import Grid
from tasks.questionnaires.reading.layout import Questionnaire, SheetLayout
from tasks.questionnaires.requirements.tender import Tender
from tasks.questions.wording import header_role, is_placeholder, looks_like_question, verdict_of
from tasks.records import Question
from tasks.spreadsheets.question_labels import refers
from tasks.spreadsheets.row import column_letters

GIVEN = 1.0
"""The confidence of a column that a person has named."""
VIEWED_ROWS = 12
VIEWED_COLUMNS = 10


class FoundColumn(NamedTuple):
    """A column with its role, its title ('' without one), and how sure it is, from 0 to 1."""

    role: str
    column: str
    title: str
    confidence: float


def found_columns(grid: Grid, layout: SheetLayout, asked: Sequence[Question] = ()) -> tuple[FoundColumn, ...]:
    """The columns of a table, each with a confidence from its title and from what stands below it.

    Where the questions stand above or beside their answers, they are ``asked``; the confidence is from their texts and
    from the cells for the answers.
    """
    if not layout.rows and not layout.header_row:
        return ()  # labels of facts, each with its cell
    roles: dict[str, int | None] = {
        "question": layout.question_column,
        "id": layout.id_column,
        "section": layout.section_column,
        "answer": None if layout.verdict_columns else layout.answer_column,
        "comment": layout.comment_column,
        **{f"verdict {verdict}": column for verdict, column in layout.verdict_columns},
    }
    found = []
    for role, column in roles.items():
        if column is not None:
            title = " ".join(layout.titles.get(column, "").split())
            by_text = layout.is_stacked and asked
            sure = _by_labels(grid, layout, role, asked) if by_text else _confidence(grid, layout, role, column, title)
            sure = GIVEN if layout.is_given else sure
            found.append(FoundColumn(role, column_letters(column), title, round(sure, 2)))
    return tuple(found)


def inspected(questionnaire: Questionnaire, grids: Sequence[Grid]) -> dict[str, Any]:
    """The report on a file, as it is printed with ``--json``: its tables, skipped sheets and warnings."""
    by_name = {grid.sheet_name: grid for grid in grids}
    known = {one.question_id: one for one in questionnaire.questions}
    tables = []
    for layout in questionnaire.sheets:
        grid = by_name[layout.sheet_name]
        asked = [one for row in layout.rows for one, _ in questionnaire.asked_in(row.question_id)]
        tables.append(
            {
                "sheet": layout.sheet_name,
                "form": _form(layout),
                "header_row": layout.header_row or None,
                "questions": len(asked),
                "answered": len(layout.answered_rows),
                "columns": [column._asdict() for column in found_columns(grid, layout, [known[one] for one in asked])],
                "sections": list(dict.fromkeys(filter(None, (known[one].section for one in asked)))),
                "facts": [fact.label for fact in layout.facts],
                "first_question": known[asked[0]].text if asked else None,
            }
        )
    return {
        "file": questionnaire.file_name,
        "questions": len(questionnaire.questions),
        "tables": tables,
        "skipped": [{"sheet": name, "reason": reason} for name, reason in questionnaire.skipped],
        "warnings": list(questionnaire.warnings),
    }


def inspected_tender(tender: Tender) -> dict[str, Any]:
    """The report on a tender in free text: its requirements in order, each with number, page, section and text."""
    return {
        "file": tender.file_name,
        "questions": len(tender.questions),
        "tables": [],
        "requirements": [
            {"number": one.number, "page": one.page_number, "section": one.section, "text": one.text}
            for one in tender.requirements.values()
        ],
        "skipped": [],
        "warnings": list(tender.warnings),
    }


def view(
    grid: Grid, layouts: Sequence[SheetLayout], asked_at: Mapping[str, tuple[int, int]]
) -> list[tuple[int, list[tuple[str, str]]]]:
    """The first rows of a sheet that matter: for each its number and, by column, the text and the role of the cell.

    ``asked_at`` are the cells of questions that stand apart from their answers (:func:`question_cells`).
    Roles are those of :class:`FoundColumn`, "title" in a header row, "section", and "" for any other cell.
    """
    width = min(VIEWED_COLUMNS, max((layout.last_column for layout in layouts), default=VIEWED_COLUMNS))
    first = min((layout.header_row or layout.places[0].row_number for layout in layouts if layout.places), default=1)
    rows = [
        row
        for row in sorted({*grid.texts, *(row for layout in layouts for row in _rows(layout, asked_at))})
        if row >= first - 3
    ]
    roles = dict(_roles(layouts, asked_at))
    return [
        (
            row,
            [
                (" ".join(grid.text(row, column).split()), roles.get((row, column), ""))
                for column in range(1, width + 1)
            ],
        )
        for row in rows[:VIEWED_ROWS]
        if row not in grid.hidden_rows
    ]


def map_of(questionnaire: Questionnaire, grids: Sequence[Grid]) -> str:
    """The map of what was understood, as YAML to edit; a sheet that is no table of columns is left to be detected."""
    sheets: dict[str, Any] = {}
    for layout in questionnaire.sheets:
        name = layout.sheet_name or "*"
        if layout.is_stacked or not (layout.rows or layout.header_row):
            sheets[name] = "detect"
            continue
        table: dict[str, Any] = {"header_row": layout.header_row}
        columns = {
            "question": layout.question_column,
            "id": layout.id_column,
            "section": layout.section_column,
            "answer": None if layout.verdict_columns else layout.answer_column,
            "comment": layout.comment_column,
        }
        table |= {key: column_letters(column) for key, column in columns.items() if column}
        if layout.verdict_columns:
            table["verdicts"] = {verdict: column_letters(column) for verdict, column in layout.verdict_columns}
        before = sheets.get(name)
        sheets[name] = [*before, table] if isinstance(before, list) else [table]
    for name, _ in questionnaire.skipped:
        sheets.setdefault(name, "skip")
    flat = {name: one[0] if isinstance(one, list) and len(one) == 1 else one for name, one in sheets.items()}
    order = {grid.sheet_name or "*": at for at, grid in enumerate(grids)}
    ordered = dict(sorted(flat.items(), key=lambda one: order.get(one[0], len(order))))
    head = (
        f"# How {questionnaire.file_name} is read. A sheet is a table (or a list of tables below each other), or one\n"
        "# of the words skip and detect. Columns are letters, or titles in the header row. Give it with --map.\n"
    )
    return head + yaml.safe_dump({"sheets": ordered}, allow_unicode=True, sort_keys=False, width=1000)


def _form(layout: SheetLayout) -> str:
    if layout.is_stacked:
        return "answers below or beside labels"
    if not layout.rows and not layout.header_row:
        return "facts about the company beside labels"
    return "table" if layout.header_row and layout.titles else "table without a header"


def question_cells(questionnaire: Questionnaire, grids: Sequence[Grid]) -> dict[str, tuple[int, int]]:
    """The row and column of each question that stands above or beside its answer, by the id of the answer's row."""
    by_name = {grid.sheet_name: grid for grid in grids}
    known = {one.question_id: one for one in questionnaire.questions}
    found: dict[str, tuple[int, int]] = {}
    for layout in questionnaire.sheets:
        for row in layout.rows if layout.is_stacked else ():
            number = known[questionnaire.asked_in(row.question_id)[0][0]].row_number or row.row_number
            cells = by_name[layout.sheet_name].row(number)
            if cells:
                # A reference or a label before it is shorter.
                found[row.question_id] = number, max(cells, key=lambda at: len(cells[at]))
    return found


def _rows(layout: SheetLayout, asked_at: Mapping[str, tuple[int, int]]) -> Iterator[int]:
    yield from (row.row_number for row in layout.places)
    yield from (asked_at[row.question_id][0] for row in layout.rows if row.question_id in asked_at)
    if layout.header_row:
        yield layout.header_row


def _roles(
    layouts: Sequence[SheetLayout], asked_at: Mapping[str, tuple[int, int]]
) -> Iterator[tuple[tuple[int, int], str]]:
    for layout in layouts:
        yield from (((layout.header_row, column), "title") for column in layout.titles)
        for row in layout.places:
            columns: Mapping[int | None, str] = {
                layout.id_column: "id",
                layout.section_column: "section",
                layout.question_column: "question",
            }
            if not layout.is_stacked:
                yield from (((row.row_number, column), role) for column, role in columns.items() if column)
            if row.question_id in asked_at:
                yield asked_at[row.question_id], "question"
            cells = ((layout.answer_cell(row), "answer"), (layout.comment_cell(row), "comment"))
            yield from ((cell, role) for cell, role in cells if cell)
            yield from (((row.row_number, column), verdict) for verdict, column in layout.verdict_columns)


def _by_labels(grid: Grid, layout: SheetLayout, role: str, asked: Sequence[Question]) -> float:
    """The confidence of a role in a sheet that is read by its labels, which are half of what shows it."""
    if role == "question":
        shown = 0.9 * sum(looks_like_question(one.text) for one in asked) / len(asked)
    else:
        cells = [cell for row in layout.rows if (cell := layout.answer_cell(row))]
        texts = [grid.text(*grid.anchor(*cell)) for cell in cells]
        labels = {row.label for row in layout.rows}
        free = sum(not text or text in labels or is_placeholder(text) for text in texts)
        shown = 0.9 * free / len(cells) if cells else 0.0
    return 1 - 0.5 * (1 - shown)


def _confidence(grid: Grid, layout: SheetLayout, role: str, column: int, title: str) -> float:
    """The probability that a column has that role, by its title and, independently of it, by its cells."""
    return 1 - (1 - _by_title(role, title)) * (1 - _by_cells(grid, layout, role, column))


def _by_title(role: str, title: str) -> float:
    if role.startswith("verdict"):
        return 0.95 if verdict_of(title, whole=True) else 0.8
    named = header_role(title)
    if named == role:
        return 0.85
    return 0.5 if role == "question" and named == "weak_question" else 0.0


def _by_cells(grid: Grid, layout: SheetLayout, role: str, column: int) -> float:
    rows = [row.row_number for row in layout.places]
    texts = [grid.text(row, column) for row in rows]
    if not rows:
        return 0.0
    share = len(rows)
    if role == "question":
        asking = 0.9 * sum(map(looks_like_question, texts)) / share
        numbered = 0.6 * sum(refers(grid.text(row, column - 1)) for row in rows) / share
        return 1 - (1 - asking) * (1 - numbered)
    if role == "id":
        return 0.9 * sum(map(refers, texts)) / share if len(set(texts)) > share / 2 else 0.0
    if role == "section":
        return 0.5 if len({text for text in texts if text}) < share else 0.1
    # A cell for an answer is free, and has its dropdown.
    free = sum(not text or is_placeholder(text) or verdict_of(text) is not None for text in texts) / share
    offered = sum(bool(grid.choices(*grid.anchor(row, column))) for row in rows) / share
    return max(0.5 * free, 0.95 * offered if role == "answer" else 0.0)
