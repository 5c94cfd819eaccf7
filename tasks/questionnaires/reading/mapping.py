"""Map of a questionnaire: a person's own word on its header rows, columns and sheets to skip, as a YAML file."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any, Literal

import yaml
from pydantic import BeforeValidator, Discriminator, Field, Tag, ValidationError

from configs.slices import Slice
from tasks.errors import UsageError
from tasks.questionnaires.formats.grid import Area, Grid
from tasks.questionnaires.reading.column_detection import Columns, begins_table, columns_below
from tasks.questionnaires.reading.headerless import columns_of
from tasks.questionnaires.reading.labelled import LabelMap
from tasks.questionnaires.reading.layout import VerdictColumn
from tasks.questionnaires.reading.tables import LAST_COLUMN, LAST_ROW, Table, title_in_header
from tasks.questions.wording import header_role
from tasks.records import Verdict
from tasks.spreadsheets.row import column_letters, column_number

EVERY_SHEET = "*"
_LETTERS = re.compile(r"[A-Z]{1,3}")


def _as_text(given: object) -> object:
    return str(given) if isinstance(given, int) and not isinstance(given, bool) else given


def _as_words(given: object) -> object:
    """Keys as words: YAML reads a bare yes or no as true or false."""
    if not isinstance(given, dict):
        return given
    return {{True: "yes", False: "no"}.get(key, key) if isinstance(key, bool) else key: at for key, at in given.items()}


Column = Annotated[str, BeforeValidator(_as_text), Field(min_length=1)]
"""A column by its letter ("B"), or by its title in the header row ("Question")."""


class TableMap(Slice):
    """The columns of one table. Rows are numbered as the spreadsheet shows them; header_row 0 for a table without one.

    ``verdicts`` are the columns that are crossed with an x; ``last_row`` ends the table.
    """

    header_row: Annotated[int, Field(ge=0, le=LAST_ROW)]
    question: Column
    id: Column | None = None
    section: Column | None = None
    answer: Column | None = None
    comment: Column | None = None
    verdicts: Annotated[Mapping[Verdict, Column], BeforeValidator(_as_words)] = {}
    last_row: Annotated[int | None, Field(ge=1, le=LAST_ROW)] = None


def _as_tables(given: object) -> object:
    return [given] if isinstance(given, dict) and "answer_label" not in given else given


def _form(given: object) -> str:
    """The form of a sheet's map, so that a fault is one of the form that was meant; a key of no file."""
    return (
        "[tables]"
        if isinstance(given, list | tuple)
        else "[labels]"
        if isinstance(given, dict | LabelMap)
        else "[word]"
    )


SheetMap = Annotated[
    Annotated[tuple[TableMap, ...], Tag("[tables]")]
    | Annotated[LabelMap, Tag("[labels]")]
    | Annotated[Literal["skip", "detect"], Tag("[word]")],
    Discriminator(_form),
    BeforeValidator(_as_tables),
]


class QuestionnaireMap(Slice):
    """The tables of each sheet, by its name; ``*`` is for sheets that are not named, and for a CSV file.

    A sheet is a table, a list of tables, labels at which the answers stand, "skip", or "detect": found by itself, as
    without a map.
    """

    sheets: Mapping[str, SheetMap]

    def of(self, sheet_name: str | None) -> SheetMap:
        """The map of a sheet: its own, that of every sheet, else "detect"."""
        return self.sheets.get(sheet_name or EVERY_SHEET, self.sheets.get(EVERY_SHEET, "detect"))


def parse_map(text: str, name: str) -> QuestionnaireMap:
    """Parse a map. Raises UsageError that names the key and the remedy for a text that is no such map."""
    try:
        raw = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise UsageError(f"{name}: this is no YAML ({' '.join(str(error).split())[:160]})") from error
    if not isinstance(raw, dict) or not isinstance(raw.get("sheets"), dict):
        raise UsageError(
            f"{name}: a map begins with 'sheets:' and below it the name of each sheet. "
            "`bidfolio inspect FILE --write-map MAP.yaml` writes one to edit."
        )
    try:
        return QuestionnaireMap.model_validate(raw)
    except ValidationError as error:
        raise UsageError(f"{name}: {'; '.join(dict.fromkeys(_faults(raw, error)))}") from error


def check_sheets(given: QuestionnaireMap, grids: Sequence[Grid], name: str) -> None:
    """Check that the file has the sheets that the map names. Raises UsageError with those that it has."""
    names = [grid.sheet_name for grid in grids if grid.sheet_name]
    for sheet in given.sheets:
        if sheet != EVERY_SHEET and sheet not in names:
            there = ", ".join(map(repr, names)) or "none, it is a CSV file: use '*'"
            raise UsageError(f"{name}: the map has a sheet {sheet!r}, and the file has none of that name: {there}")


def mapped_tables(tables: Sequence[TableMap], grid: Grid, name: str) -> list[Table]:
    """The tables of a sheet as a map has them, in the order of their header rows.

    Raises UsageError for a column whose title is not in the header row, and for a table without texts below its header.
    """
    ordered = sorted(tables, key=lambda table: table.header_row)
    found = []
    for at, table in enumerate(ordered):
        later = [one.header_row for one in ordered[at + 1 :] if one.header_row > table.header_row]
        last = table.last_row or (later[0] - 1 if later else LAST_ROW)
        part = grid.part(Area(table.header_row if at else 1, 1, last, LAST_COLUMN))
        columns = _columns(table, grid, name)
        if not any(columns.question in cells for row, cells in part.texts.items() if row > table.header_row):
            raise UsageError(
                f"{name}: sheet {grid.sheet_name!r}: the column question: {table.question} has no text below row "
                f"{table.header_row}. Name the column of the questions and the row of its title."
            )
        found.append(Table(part, columns, title_in_header(grid, columns)))
    return found


def with_question_column(grid: Grid, question: str, detected: Sequence[Table]) -> list[Table]:
    """The tables of a sheet whose questions stand in the named column: those ``detected`` with that column, else the
    whole sheet, in which each text of the column is a question; none where the sheet has no text in it.
    """
    cells = [(row, at, text) for row, texts in sorted(grid.texts.items()) for at, text in texts.items()]
    titled = [(row, at) for row, at, text in cells if _same(text, question)]
    is_letter = not titled and _LETTERS.fullmatch(question)
    column = column_number(question) if is_letter else titled[0][1] if titled else 0
    if all(at != column for _, at, _ in cells):
        return []
    same = [table for table in detected if table.columns.question == column]
    if same:
        return same
    bare = columns_of(grid, column)
    named = (row for row in sorted(grid.texts) if begins_table(grid, row, bare))
    head = titled[0][0] if titled else next(named, None)
    if head and (below := columns_below(grid, head, column)):
        return [Table(grid, below)]
    top = head or bare.header_row
    return [
        Table(grid, replace(bare, header_row=top, last_header_row=top, headers=grid.row(top) or {column: question}))
    ]


def _columns(table: TableMap, grid: Grid, name: str) -> Columns:
    headers = grid.row(table.header_row)

    def place(key: str, column: str | None) -> int | None:
        if column is None:
            return None
        titled = [at for at, text in headers.items() if _same(text, column)]
        if titled:
            return titled[0]
        if _LETTERS.fullmatch(column):
            return column_number(column)
        there = ", ".join(f"{column_letters(at)} {text!r}" for at, text in sorted(headers.items())) or "no titles"
        raise UsageError(
            f"{name}: sheet {grid.sheet_name!r}, {key}: {column!r} is no title in row {table.header_row} (there: "
            f"{there[:300]}). Give one of these, or a column's letter."
        )

    return Columns(
        header_row=table.header_row,
        last_header_row=table.header_row,
        question=place("question", table.question) or 1,
        id=place("id", table.id),
        section=place("section", table.section),
        answer=None if table.verdicts else place("answer", table.answer),
        comment=place("comment", table.comment) or (place("answer", table.answer) if table.verdicts else None),
        verdicts=tuple(
            VerdictColumn(verdict, at)
            for verdict, column in table.verdicts.items()
            if (at := place(f"verdicts.{verdict}", column))
        ),
        review=tuple((text.casefold(), at) for at, text in sorted(headers.items()) if header_role(text) == "review"),
        headers=headers,
    )


def _same(text: str, title: str) -> bool:
    return " ".join(text.split()).casefold() == " ".join(title.split()).casefold()


def _faults(raw: Mapping[str, Any], error: ValidationError) -> Iterator[str]:
    for fault in error.errors():
        is_of_labels = "[labels]" in fault["loc"]
        known = ", ".join(LabelMap.model_fields if is_of_labels else TableMap.model_fields)
        # The branches of a union are named in the place, too: only keys of the file are shown.
        keys = [str(part) for part in fault["loc"] if not (isinstance(part, str) and ("[" in part or part == "sheets"))]
        place = ".".join(keys)
        kind = fault["type"]
        if kind == "extra_forbidden":
            yield f"sheets.{place} is no key of a {'sheet of labels' if is_of_labels else 'table'}: it has {known}"
        elif kind == "missing":
            yield f"sheets.{place} is missing: each table needs header_row and question"
        elif kind in ("literal_error", "model_type", "model_attributes_type"):
            forms = "a list of such tables, labels with answer_label, skip or detect"
            yield f"sheets.{place} is a table with header_row and question, {forms}"
        else:
            yield f"sheets.{place}: {fault['msg']}"
