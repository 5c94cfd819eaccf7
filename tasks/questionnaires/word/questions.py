"""Questions of a Word form: of each table as of a sheet, and of the running text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from tasks.errors import UsageError
from tasks.questionnaires.formats.grid import Grid
from tasks.questionnaires.formats.load_grids import WORD_SUFFIXES, ZIP
from tasks.questionnaires.formats.package import refusing_damage
from tasks.questionnaires.reading.find_sheets import Found, find_sheets
from tasks.questionnaires.reading.layout import Questionnaire, QuestionRow, SheetLayout
from tasks.questionnaires.reading.mapping import QuestionnaireMap
from tasks.questionnaires.reading.read_questionnaire import questionnaire_of
from tasks.questionnaires.reading.sections import AskedRow
from tasks.questionnaires.reading.sheet_layouts import ReadSheet
from tasks.questionnaires.word.form import WordForm, read_form
from tasks.questionnaires.word.layouts import headless_layout, running_text_layouts
from tasks.questionnaires.word.markup import is_word
from tasks.questions.wording import looks_like_question


def form_of(data: bytes, file_name: str) -> WordForm | None:
    """The form in a Word file; None for a file of another kind. Raises UsageError for a damaged Word file."""
    if not data.startswith(ZIP) or not (is_word(data) or file_name.casefold().endswith(WORD_SUFFIXES)):
        return None
    with refusing_damage(file_name, "document", "Word", ".docx"):
        return read_form(data, file_name)


def read_word_questionnaire(
    form: WordForm, data: bytes, file_name: str, given: QuestionnaireMap | None = None, question_column: str = ""
) -> Questionnaire:
    """The questions of a Word form in reading order, and the places for their answers.

    Raises UsageError as :func:`tasks.questionnaires.reading.read_questionnaire.read_questionnaire`.
    """
    found = find_word_sheets(form, file_name, given, question_column)
    if not any(sheet.rows for sheet in found.sheets):
        raise UsageError(
            f"{file_name}: no question with a place for its answer was found: neither a table with a column for "
            "answers, nor a question with a blank, a check box or a form field below it."
        )
    read = questionnaire_of(found, form.tables, data, file_name)
    ordered = sorted(read.questions, key=lambda one: form.order.get((one.sheet_name or "", one.row_number or 0), 0))
    questions = tuple(replace(one, ordinal=ordinal) for ordinal, one in enumerate(ordered))
    return replace(read, format="docx", questions=questions)


def has_places(data: bytes, file_name: str) -> bool:
    """Tell if a file has places for answers: any but a Word file without them. Raises UsageError for a damaged one."""
    form = form_of(data, file_name)
    return form is None or any(sheet.rows for sheet in find_word_sheets(form, file_name).sheets)


def find_word_sheets(
    form: WordForm, file_name: str, given: QuestionnaireMap | None = None, question_column: str = ""
) -> Found:
    """The tables that ask for answers in a column of their own, and the questions of the running text.

    With a map or a column of a person's, the tables that these name. Raises UsageError where they do not fit.
    """
    running_text = [ReadSheet(*one) for one in running_text_layouts(form)]
    if given or question_column:
        found = find_sheets(form.tables, file_name, given, question_column)
        return found._replace(sheets=(*found.sheets, *running_text))
    sheets = [one for table in form.tables for one in _asking(table, form, file_name)]
    return Found((*sheets, *running_text), (), ())


def _asking(table: Grid, form: WordForm, file_name: str) -> list[ReadSheet]:
    try:
        asking = [one for one in find_sheets([table], file_name, None, "").sheets if _is_form(one)]
    except UsageError:
        # A table is one of many here, and most of a document's tables ask nothing.
        asking = []
    if not asking and (headless := headless_layout(table)):
        asking = [ReadSheet(*headless)]
    return [one._replace(rows=tuple(_with_section(table, one, form))) for one in asking]


def _with_section(table: Grid, sheet: ReadSheet, form: WordForm) -> Iterator[AskedRow]:
    """The rows of a table with the title in its first row, or else the headings above it, as their section."""
    first = [text for row in sorted(table.texts) if row < sheet.layout.header_row for text in table.row(row).values()]
    title = first[0] if len(first) == 1 else form.sections.get(table.sheet_name or "", "")
    return (row if row.section else row._replace(section=title) for row in sheet.rows)


def _is_form(sheet: ReadSheet) -> bool:
    """Tell if a table asks: it has a column for answers, and open rows, choices, or questions by themselves."""
    layout = sheet.layout
    if any(_shares_cell(layout, row) for row in layout.rows):
        return False
    has_column = layout.is_stacked or layout.answer_column is not None or bool(layout.verdict_columns)
    is_open = len(layout.answered_rows) < len(sheet.rows) or any(row.choices for row in layout.rows)
    asking = sum(looks_like_question(row.text) for row in sheet.rows)
    is_asked = is_open or bool(layout.verdict_columns) or 2 * asking >= len(sheet.rows)
    return bool(layout.facts) or (has_column and is_asked)


def _shares_cell(layout: SheetLayout, row: QuestionRow) -> bool:
    """Tell if the answer would go into the question's own cell, whose text would have to be written anew."""
    return bool(row.label) or layout.answer_cell(row) == (row.row_number, layout.question_column)
