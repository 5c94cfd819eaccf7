"""Filling of a customer's questionnaire: answers are written into the file, and nothing else in it changes."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence

from tasks.errors import UsageError
from tasks.questionnaires.filling.placement import place_answers
from tasks.questionnaires.filling.worksheet_writer import write_cells
from tasks.questionnaires.formats.csv_file import csv_grid, open_csv, write_csv
from tasks.questionnaires.formats.package import open_workbook, refusing_damage, replace_parts
from tasks.questionnaires.formats.worksheet_reader import read_grids
from tasks.questionnaires.reading.layout import FilledAnswer, Questionnaire
from tasks.questionnaires.requirements.compliance_matrix import write_matrix
from tasks.questionnaires.requirements.responses import responses_of
from tasks.questionnaires.requirements.tender import Tender
from tasks.questionnaires.word.document_writer import write_answers
from tasks.questionnaires.word.form import read_form

__all__ = ["FilledAnswer", "fill_questionnaire"]


def fill_questionnaire(data: bytes, questionnaire: Questionnaire, answers: Sequence[FilledAnswer]) -> bytes:
    """Fill in the answers and, to the right of each sheet, the review columns; returns the file.

    No answers give the same bytes. Of an XLSX only the filled sheets' cells change; every other part keeps
    its bytes; so with a Word file, of which only the places for answers change. A tender in free text gives its
    compliance matrix. Cells that a person filled and formulas are kept; declined and failed questions leave their
    answer cell empty.

    Raises UsageError where ``data`` is not the file that the questionnaire was read from, and ValueError for
    an answer to no question of it or a second answer to one.
    """
    if hashlib.sha256(data).hexdigest() != questionnaire.content_sha256:
        raise UsageError(f"{questionnaire.file_name}: the file changed after it was read. Run the command again.")
    counts = Counter(answer.question_id for answer in answers)
    unknown = counts.keys() - {row.question_id for sheet in questionnaire.sheets for row in sheet.rows}
    twice = {question_id for question_id, count in counts.items() if count > 1}
    if unknown or twice:
        raise ValueError(f"{questionnaire.file_name}: unknown question ids {unknown}, answered twice {twice}")
    if isinstance(questionnaire, Tender):
        responses = responses_of(questionnaire, {answer.question_id: answer for answer in answers})
        return write_matrix(list(responses), questionnaire.file_name)
    if not answers:
        return data
    by_id = {answer.question_id: answer for answer in answers}
    if questionnaire.format == "xlsx":
        return _fill_xlsx(data, questionnaire, by_id)
    if questionnaire.format == "docx":
        return _fill_docx(data, questionnaire, by_id)
    file = open_csv(data, questionnaire.file_name)
    placement = place_answers(csv_grid(file), questionnaire.sheets[0], by_id)
    return write_csv(file, {(cell.row, cell.column): cell.text for cell in placement.cells})


def _fill_xlsx(data: bytes, questionnaire: Questionnaire, answers: dict[str, FilledAnswer]) -> bytes:
    name = questionnaire.file_name
    with refusing_damage(name):
        workbook = open_workbook(data, name)
        grids = {grid.sheet_name: grid for grid in read_grids(workbook)}
    parts = {sheet.name: sheet.part for sheet in workbook.sheets}
    changed = {}
    for layout in questionnaire.sheets:
        grid = grids[layout.sheet_name]
        placement = place_answers(grid, layout, answers)
        if placement.cells:
            part = parts[layout.sheet_name or ""]
            xml = workbook.parts[part]
            with refusing_damage(name):
                changed[part] = write_cells(xml, placement.cells, placement.widths, grid.texts, workbook.wrapping)
    return replace_parts(data, changed)


def _fill_docx(data: bytes, questionnaire: Questionnaire, answers: dict[str, FilledAnswer]) -> bytes:
    with refusing_damage(questionnaire.file_name, "document", "Word", ".docx"):
        form = read_form(data, questionnaire.file_name)
        grids = {grid.sheet_name: grid for grid in (*form.tables, form.running_text)}
        texts = {
            (layout.sheet_name or "", cell.row, cell.column): cell.text
            for layout in questionnaire.sheets
            for cell in place_answers(grids[layout.sheet_name], layout, answers).cells
        }
        return replace_parts(data, write_answers(form, texts.items()))
