"""Filling of a customer's questionnaire: answers are written into the file, and nothing else in it changes."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import PurePath
from typing import NamedTuple

from tasks.errors import UsageError
from tasks.questionnaires.completed.drafts import draft_key
from tasks.questionnaires.filling.placement import CellWrite, Placement, place_answers
from tasks.questionnaires.filling.worksheet_writer import write_cells
from tasks.questionnaires.formats.csv_file import csv_grid, open_csv, write_csv
from tasks.questionnaires.formats.grid import Grid
from tasks.questionnaires.formats.package import open_workbook, refusing_damage, replace_parts
from tasks.questionnaires.formats.worksheet_reader import read_grids
from tasks.questionnaires.reading.layout import FilledAnswer, Questionnaire, SheetLayout
from tasks.questionnaires.requirements.compliance_matrix import write_matrix
from tasks.questionnaires.requirements.response_document import write_response
from tasks.questionnaires.requirements.responses import responses_of
from tasks.questionnaires.requirements.tender import Tender
from tasks.questionnaires.word.document_writer import write_answers
from tasks.questionnaires.word.form import read_form

__all__ = ["Filled", "FilledAnswer", "fill_questionnaire", "fill_with_notes"]


class Filled(NamedTuple):
    """A filled file, and what is to be known of it.

    ``notes`` say by question why a text has no cell of the customer's, ``unplaced`` are the questions with a draft of
    which nothing has one, ``added`` are the sheets that got a column for the answers, "" for CSV. ``drafts`` are the
    keys of the rows that were written (:func:`tasks.questionnaires.completed.drafts.draft_key`). ``response`` is the
    response document of a tender.
    """

    data: bytes
    notes: Mapping[str, tuple[str, ...]]
    unplaced: tuple[str, ...]
    added: tuple[str, ...]
    drafts: tuple[str, ...]
    response: bytes | None = None


def fill_questionnaire(data: bytes, questionnaire: Questionnaire, answers: Sequence[FilledAnswer]) -> bytes:
    """Fill in the answers and the review columns; returns the file alone of :func:`fill_with_notes`."""
    return fill_with_notes(data, questionnaire, answers, review_columns=True).data


def fill_with_notes(
    data: bytes,
    questionnaire: Questionnaire,
    answers: Sequence[FilledAnswer],
    *,
    review_columns: bool,
    is_final: bool = False,
) -> Filled:
    """Fill in the answers and, with ``review_columns``, these to the right of each sheet.

    No answers give the same bytes. Of an XLSX only the filled sheets' cells change; every other part keeps its bytes;
    so with a Word file, of which only the places for answers change, and which has no review columns. A tender in free
    text gives its compliance matrix and response document, in which a requirement without an answer is marked as to be
    reviewed, or, with ``is_final``, left empty. Cells that a person filled and formulas are kept; declined and failed
    questions leave their answer cell empty.

    Raises UsageError where ``data`` is not the file that the questionnaire was read from, and ValueError for
    an answer to no question of it or a second answer to one.
    """
    if hashlib.sha256(data).hexdigest() != questionnaire.content_sha256:
        raise UsageError(f"{questionnaire.file_name}: the file changed after it was read. Run the command again.")
    counts = Counter(answer.question_id for answer in answers)
    unknown = counts.keys() - {row.question_id for sheet in questionnaire.sheets for row in sheet.places}
    twice = {question_id for question_id, count in counts.items() if count > 1}
    if unknown or twice:
        raise ValueError(f"{questionnaire.file_name}: unknown question ids {unknown}, answered twice {twice}")
    if isinstance(questionnaire, Tender):
        by_row = {answer.question_id: answer for answer in answers}
        responses = list(responses_of(questionnaire, by_row, is_final=is_final))
        title = f"Response to {PurePath(questionnaire.file_name).stem}"
        matrix = write_matrix(responses, questionnaire.file_name)
        return Filled(matrix, {}, (), (), (), write_response(responses, title))
    if not answers:
        return Filled(data, {}, (), (), ())
    by_id = {answer.question_id: answer for answer in answers}
    if questionnaire.format == "xlsx":
        return _fill_xlsx(data, questionnaire, by_id, review_columns=review_columns)
    if questionnaire.format == "docx":
        return _fill_docx(data, questionnaire, by_id)
    file = open_csv(data, questionnaire.file_name)
    grid = csv_grid(file)
    placed = [
        (grid, layout, place_answers(grid, layout, by_id, review_columns=review_columns))
        for layout in questionnaire.sheets
    ]
    written = write_csv(file, {(one.row, one.column): one.text for _, _, done in placed for one in done.cells})
    return _filled(written, questionnaire, placed)


def _fill_xlsx(
    data: bytes, questionnaire: Questionnaire, answers: dict[str, FilledAnswer], *, review_columns: bool
) -> Filled:
    name = questionnaire.file_name
    with refusing_damage(name):
        workbook = open_workbook(data, name)
        grids = {grid.sheet_name: grid for grid in read_grids(workbook)}
    parts = {sheet.name: sheet.part for sheet in workbook.sheets}
    changed = {}
    tables = [(grids[layout.sheet_name], layout) for layout in questionnaire.sheets]
    placed = [
        (grid, layout, place_answers(grid, layout, answers, review_columns=review_columns)) for grid, layout in tables
    ]
    for sheet_name in dict.fromkeys(layout.sheet_name for layout in questionnaire.sheets):
        # A sheet may have several tables; its XML is written once.
        placements = [placement for _, layout, placement in placed if layout.sheet_name == sheet_name]
        cells = [cell for placement in placements for cell in placement.cells]
        widths = {column: width for placement in placements for column, width in placement.widths.items()}
        if cells:
            part = parts[sheet_name or ""]
            texts = grids[sheet_name].texts
            with refusing_damage(name):
                changed[part] = write_cells(workbook.parts[part], cells, widths, texts, workbook.wrapping)
    return _filled(replace_parts(data, changed), questionnaire, placed)


def _fill_docx(data: bytes, questionnaire: Questionnaire, answers: dict[str, FilledAnswer]) -> Filled:
    with refusing_damage(questionnaire.file_name, "document", "Word", ".docx"):
        form = read_form(data, questionnaire.file_name)
        grids = {grid.sheet_name: grid for grid in (*form.tables, form.running_text)}
        tables = [(grids[layout.sheet_name], layout) for layout in questionnaire.sheets]
        placed = [(grid, layout, place_answers(grid, layout, answers, review_columns=False)) for grid, layout in tables]
        texts = {
            (grid.sheet_name or "", cell.row, cell.column): cell.text
            for grid, _, placement in placed
            for cell in placement.cells
        }
        return _filled(replace_parts(data, write_answers(form, texts.items())), questionnaire, placed)


def _filled(data: bytes, questionnaire: Questionnaire, placed: Sequence[tuple[Grid, SheetLayout, Placement]]) -> Filled:
    asked = questionnaire.asked_by_row()
    return Filled(
        data,
        {row_id: notes for _, _, placement in placed for row_id, notes in placement.notes.items()},
        tuple(row_id for _, _, placement in placed for row_id in placement.unplaced),
        tuple(layout.sheet_name or "" for _, layout, placement in placed if placement.added),
        tuple(key for grid, layout, placement in placed for key in _drafts(asked, grid, layout, placement)),
    )


def _drafts(asked: Mapping[str, str], grid: Grid, layout: SheetLayout, placement: Placement) -> Iterable[str]:
    """The keys of the rows of which a cell for the answer was written."""
    after = replace(grid, texts=_with_cells(grid, placement.cells))
    place = replace(layout, answer_column=placement.added or layout.answer_column)
    written = {(cell.row, cell.column) for cell in placement.cells if cell.text}
    for row in layout.rows:
        if any(grid.anchor(*cell) in written for cell in place.cells_of(row)):
            yield draft_key(asked[row.question_id], after, place, row)


def _with_cells(grid: Grid, cells: Iterable[CellWrite]) -> dict[int, Mapping[int, str]]:
    texts = dict(grid.texts)
    for cell in cells:
        texts[cell.row] = {**texts.get(cell.row, {}), cell.column: cell.text}
    return texts
