"""Reader of a customer's questionnaire, XLSX, CSV or DOCX: its questions, and the layout for filling it."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from tasks.errors import UsageError
from tasks.questionnaires.formats.csv_file import csv_grid, open_csv
from tasks.questionnaires.formats.grid import Grid
from tasks.questionnaires.formats.package import open_workbook, refusing_damage
from tasks.questionnaires.formats.worksheet_reader import read_grids
from tasks.questionnaires.reading.column_detection import Columns, find_columns, headers_seen, questions_beside
from tasks.questionnaires.reading.layout import Questionnaire, QuestionRow, SheetLayout
from tasks.questionnaires.reading.legend import spell
from tasks.questionnaires.reading.sections import AskedRow, answer_columns, asked_rows
from tasks.questionnaires.reading.stacked import read_stacked
from tasks.questionnaires.reading.word_layouts import headless_layout, running_text_layouts
from tasks.questionnaires.reading.yes_no_column import takes_yes_no_only, words_taken
from tasks.questionnaires.word.form import WordForm, read_form
from tasks.questionnaires.word.markup import WORD_SUFFIXES, is_word
from tasks.questions.answer_limits import without_limit
from tasks.questions.compound_questions import MARK_CHARACTERS, asked_alone_of, parts_of
from tasks.questions.wording import (
    character_limit,
    header_role,
    is_placeholder,
    limit_of_cell,
    looks_like_question,
    question_kind,
    says_yes_no,
)
from tasks.records import Question, content_id
from tasks.spreadsheets.row import column_letters

_ZIP, _OLE, _PDF = b"PK\x03\x04", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", b"%PDF"


def read_questionnaire(data: bytes, file_name: str) -> Questionnaire:
    """Read the questions of every visible sheet that has some, in reading order, and the places for their answers.

    ``Question.ordinal`` counts from 1 over all sheets. ``question_id`` is the customer's own reference where
    no other question of the file has it, else a hash of file name, sheet, row and text. A cell that asks more than
    one gives a question each, whose ids have their number behind that: ``4.2(1)``.

    Raises UsageError, which names the file and the remedy, for an empty, damaged or encrypted file, for
    another format, and where no questions are found, or several columns of them beside each other.
    """
    form = _form(data, file_name)
    grids = load_grids(data, file_name) if form is None else form.tables
    found = _asking(grids, file_name) if form is None else _asking_in_word(form, file_name)
    if not found:
        raise UsageError(_no_questions(grids, file_name) if form is None else _no_places(file_name))
    references = Counter(row.reference for sheet in found for row in sheet.rows)
    questions: list[Question] = []
    sheets: list[SheetLayout] = []
    parts: dict[str, tuple[tuple[str, str], ...]] = {}
    for nameless, rows, answer_title in found:
        ids = [_question_id(file_name, nameless.sheet_name, row, references) for row in rows]
        places = [replace(place, question_id=one) for place, one in zip(nameless.rows, ids, strict=True)]
        layout = replace(nameless, rows=tuple(places))
        sheets.append(layout)
        of_yes_no = layout.yes_no_only or layout.words or layout.verdict_columns or says_yes_no(answer_title)
        for row, place in zip(rows, layout.rows, strict=True):
            question = _question(row, place, layout)
            apart = _apart(question, references)
            if apart:
                parts[place.question_id] = tuple((one.question_id, mark) for one, mark in apart)
            takes_both = bool(spell("yes", layout, place) and spell("no", layout, place))
            choices = () if takes_both else place.choices
            is_of_yes_no = bool(of_yes_no or (place.choices and takes_both))
            for one in [one for one, _ in apart] or [question]:
                kind = question_kind(one.text, choices, yes_no_header=is_of_yes_no)
                questions.append(replace(one, kind=kind, ordinal=len(questions)))
    if form:
        questions.sort(key=lambda one: form.order.get((one.sheet_name or "", one.row_number or 0), 0))
        questions = [replace(one, ordinal=ordinal) for ordinal, one in enumerate(questions)]
    return Questionnaire(
        file_name=file_name,
        content_sha256=hashlib.sha256(data).hexdigest(),
        format="docx" if form else "xlsx" if data.startswith(_ZIP) else "csv",
        questions=tuple(questions),
        sheets=tuple(sheets),
        parts=parts,
    )


class _Sheet(NamedTuple):
    """The layout of a sheet, whose rows have no ids yet, its questions, and the title of its answer column."""

    layout: SheetLayout
    rows: tuple[AskedRow, ...]
    answer_title: str = ""


def _asking(grids: Sequence[Grid], file_name: str) -> list[_Sheet]:
    """The visible sheets that have questions to answer.

    If there are any, a sheet with all its answers below their questions is left out: customers add other bidders'
    questions to their own.
    """
    found: list[_Sheet] = []
    faults: list[UsageError] = []
    for grid in grids:
        if grid.hidden:
            continue
        columns = find_columns(grid)
        try:
            stacked = read_stacked(grid, file_name)
        except UsageError as error:
            if columns:
                raise
            faults.append(error)
            continue
        if stacked:
            found.append(_Sheet(*stacked))
        elif columns and (rows := tuple(asked_rows(grid, columns))):
            if others := questions_beside(grid, columns):
                raise UsageError(_beside(grid, [columns.question, *others], file_name))
            found.append(_Sheet(_layout(grid, columns, rows), rows, columns.headers.get(columns.answer or 0, "")))
    if faults and not found:
        raise faults[0]
    open_ = (one for one in found if not one.layout.is_stacked or len(one.layout.answered_rows) < len(one.rows))
    return list(open_) or found


def _asking_in_word(form: WordForm, file_name: str) -> list[_Sheet]:
    """The tables that ask for answers in a column of their own, and the questions of the running text."""
    found: list[_Sheet] = []
    for table in form.tables:
        try:
            asking = [one for one in _asking([table], file_name) if _is_form(one)]
        except UsageError:
            # A table is one of many here, and most of a document's tables ask nothing.
            asking = []
        if not asking and (headless := headless_layout(table)):
            asking = [_Sheet(*headless)]
        found += [one._replace(rows=tuple(_with_section(table, one, form))) for one in asking]
    return [*found, *(_Sheet(*one) for one in running_text_layouts(form))]


def _with_section(table: Grid, sheet: _Sheet, form: WordForm) -> Iterator[AskedRow]:
    """The rows of a table with the title in its first row, or else the headings above it, as their section."""
    first = [text for row in sorted(table.texts) if row < sheet.layout.header_row for text in table.row(row).values()]
    title = first[0] if len(first) == 1 else form.sections.get(table.sheet_name or "", "")
    return (row if row.section else row._replace(section=title) for row in sheet.rows)


def has_places(data: bytes, file_name: str) -> bool:
    """Tell if a file has places for answers: any but a Word file without them. Raises UsageError for a damaged one."""
    form = _form(data, file_name)
    return form is None or bool(_asking_in_word(form, file_name))


def _is_form(sheet: _Sheet) -> bool:
    """Tell if a table asks: it has a column for answers, and open rows, choices, or questions by themselves."""
    layout = sheet.layout
    has_column = layout.is_stacked or layout.answer_column is not None or bool(layout.verdict_columns)
    is_open = len(layout.answered_rows) < len(sheet.rows) or any(row.choices for row in layout.rows)
    asking = sum(looks_like_question(row.text) for row in sheet.rows)
    return has_column and (is_open or bool(layout.verdict_columns) or 2 * asking >= len(sheet.rows))


def _form(data: bytes, file_name: str) -> WordForm | None:
    """The form in a Word file; None for a file of another kind."""
    if not data.startswith(_ZIP):
        return None
    if not (is_word(data) or file_name.casefold().endswith(WORD_SUFFIXES)):
        return None
    with refusing_damage(file_name, "document", "Word", ".docx"):
        return read_form(data, file_name)


def load_grids(data: bytes, file_name: str) -> tuple[Grid, ...]:
    """The sheets as grids; a CSV file is one sheet, and each table of a Word file, whose running text is another.

    Raises UsageError for a file that cannot be read.
    """
    if form := _form(data, file_name):
        return (*form.tables, form.running_text)
    if not data.strip():
        raise UsageError(f"{file_name}: the file is empty. Send the questionnaire itself as .xlsx or .csv.")
    if data.startswith(_OLE):
        if "EncryptedPackage".encode("utf-16-le") in data:
            raise UsageError(f"{file_name}: the file is encrypted. Remove its password and save it again.")
        is_word_file = "WordDocument".encode("utf-16-le") in data
        old, new = (".doc", ".docx") if is_word_file else (".xls", ".xlsx")
        raise UsageError(f"{file_name}: this is a legacy Office file ({old}). Save it as {new} and try again.")
    if data.startswith(_PDF):
        raise UsageError(f"{file_name}: this is a PDF. Copy its questions to an .xlsx or .csv file.")
    if file_name.casefold().endswith(WORD_SUFFIXES):
        raise UsageError(f"{file_name}: this is not a Word document. Save it as .docx and try again.")
    if data.startswith(_ZIP):
        with refusing_damage(file_name):
            return read_grids(open_workbook(data, file_name))
    if file_name.casefold().endswith((".xlsx", ".xlsm")):
        raise UsageError(f"{file_name}: this is not an Excel workbook. Save it as .xlsx or .csv and try again.")
    return (csv_grid(open_csv(data, file_name)),)


def _question_id(file_name: str, sheet_name: str | None, row: AskedRow, references: Counter[str]) -> str:
    if row.reference and references[row.reference] == 1:
        return row.reference
    return content_id("question", file_name, sheet_name or "", row.row_number, row.text)


def _apart(question: Question, references: Counter[str]) -> list[tuple[Question, str]]:
    """The questions of a cell with several, which share its length limit, with their marks; else none."""
    asked = parts_of(question.text)
    room, row_id = question.max_characters, question.question_id
    share = None if room is None else max(1, room // max(1, len(asked)) - MARK_CHARACTERS)
    found: list[tuple[Question, str]] = []
    for number, part in enumerate(asked, start=1):
        own = f"{row_id}({number})"
        own = content_id("part", row_id, number) if own in references else own
        one = replace(question, question_id=own, text=part.text, max_characters=share, written=None)
        found.append((one, part.mark))
    return found


def _question(row: AskedRow, place: QuestionRow, layout: SheetLayout) -> Question:
    # A length limit on a yes-or-no cell does not apply to the text, which goes elsewhere.
    limits = (None if layout.yes_no_only else place.max_answer, place.max_comment)
    text, limit = without_limit(row.text)
    alone = asked_alone_of(text)
    return Question(
        question_id=place.question_id,
        ordinal=0,
        text=alone,
        section=row.section,
        sheet_name=layout.sheet_name,
        row_number=row.row_number,
        max_characters=min(filter(None, limits), default=None),
        written=row.text if limit and alone == text else None,
        verdict_apart=layout.has_verdict_apart(place),
    )


def _limit(grid: Grid, columns: Columns, row: AskedRow, column: int | None) -> int | None:
    """The length limit of a cell, from the row, the column's header and the validation; None without one."""
    stated = [limit_of_cell(title, grid.text(row.row_number, at)) for at, title in columns.headers.items()]
    limits = [*stated, without_limit(row.text)[1]]
    if column is not None:
        cell = grid.anchor(row.row_number, column)
        limits += [character_limit(columns.headers.get(column, "")), grid.max_characters(*cell)]
    return min(filter(None, limits), default=None)


def _layout(grid: Grid, columns: Columns, rows: Sequence[AskedRow]) -> SheetLayout:
    numbers = [row.row_number for row in rows]
    written = {row: [grid.written(row, at) for at in answer_columns(columns)] for row in numbers}
    return SheetLayout(
        sheet_name=grid.sheet_name,
        header_row=columns.header_row,
        question_column=columns.question,
        id_column=columns.id,
        answer_column=columns.answer,
        comment_column=columns.comment,
        verdict_columns=columns.verdicts,
        last_column=grid.last_column([columns.header_row, *numbers]),
        review_columns=columns.review,
        rows=tuple(
            QuestionRow(
                "",
                row.row_number,
                grid.choices(*grid.anchor(row.row_number, columns.answer)) if columns.answer else (),
                _limit(grid, columns, row, columns.answer),
                _limit(grid, columns, row, columns.comment),
            )
            for row in rows
        ),
        answered_rows=tuple(
            row for row, texts in written.items() if any(text and not is_placeholder(text) for text in texts)
        ),
        yes_no_only=takes_yes_no_only(grid, columns, numbers),
        words=words_taken(grid, columns, numbers),
    )


def _beside(grid: Grid, columns: Sequence[int], file_name: str) -> str:
    where = f"sheet '{grid.sheet_name}' has" if grid.sheet_name else "there are"
    letters = " and ".join(map(column_letters, sorted(columns)))
    return (
        f"{file_name}: {where} questions beside each other, in the columns {letters}, and those of one column alone "
        "would be answered. Put them below each other, with their answers in one column too, and try again."
    )


def _no_places(file_name: str) -> str:
    return (
        f"{file_name}: no question with a place for its answer was found: neither a table with a column for "
        "answers, nor a question with a blank, a check box or a form field below it."
    )


def _no_questions(grids: Sequence[Grid], file_name: str) -> str:
    seen = "; ".join(
        (f"sheet '{grid.sheet_name}': " if grid.sheet_name else "") + (", ".join(headers_seen(grid)[:10]) or "(empty)")
        for grid in grids
        if not grid.hidden
    )
    titles = (title for grid in grids if not grid.hidden for title in headers_seen(grid))
    named = next((title for title in titles if header_role(title) == "question"), None)
    if named:
        return (
            f"{file_name}: nothing below '{named}' reads as a question. Write each question there in full, or add a "
            "column called 'Answer' beside it, and try again."
        )
    return (
        f"{file_name}: no column of questions was found. Headers seen: {seen or '(none)'}. "
        "Rename the header of the column that holds the questions to 'Question', or add a column called "
        "'Question', and try again."
    )
