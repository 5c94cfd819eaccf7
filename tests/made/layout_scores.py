"""Scores of a reader on a questionnaire whose questions are known: found, missed, wrong, and answers put elsewhere."""

from __future__ import annotations

import re
from typing import NamedTuple

from tasks.questionnaires.reading.layout import Questionnaire, SheetLayout
from tasks.spreadsheets.row import column_letters
from tests.made.questionnaire_layouts.form import Asked, Layout


class Score(NamedTuple):
    """The number of questions that were rightly found, and the texts of the others."""

    right: int
    missed: tuple[str, ...]
    wrong: tuple[str, ...]
    misplaced: tuple[str, ...]


def score(layout: Layout, read: Questionnaire) -> Score:
    """Compare what was read with what the layout asks, by sheet, row and text."""
    cells = {
        place: (sheet, row)
        for sheet in read.sheets
        for row in sheet.rows
        for place, _ in read.asked_in(row.question_id)
    }
    left = {question.question_id: question for question in read.questions}
    right, missed, misplaced = 0, [], []
    for asked in layout.questions:
        same = [
            one
            for one in left.values()
            if (one.sheet_name or "") == asked.sheet and one.row_number == asked.row and _is_same(one.text, asked)
        ]
        if not same:
            missed.append(f"{asked.sheet}!{asked.row}: {asked.text[:60]}")
            continue
        right += 1
        sheet, row = cells[same[0].question_id]
        told, wanted = _places(sheet, row), _wanted(asked)
        is_ticked = bool(asked.verdicts) and set(asked.verdicts.values()) <= told
        if asked.answer is not None and asked.answer not in told and not is_ticked:
            misplaced.append(f"{asked.sheet}!{asked.row}: {sorted(told)} for {sorted(wanted)}")
        for one in same:
            del left[one.question_id]
    known = {_plain(text) for text in layout.either}
    wrong = [one for one in left.values() if not any(_plain(one.text).endswith(text) for text in known if text)]
    told_wrong = tuple(f"{one.sheet_name}!{one.row_number}: {one.text[:60]}" for one in wrong)
    return Score(right, tuple(missed), told_wrong, tuple(misplaced))


def _is_same(text: str, asked: Asked) -> bool:
    said = _plain(text)
    if any(said.endswith(_plain(one)) for one in (asked.text, *asked.variants, *asked.parts)):
        return True
    # A part of a cell may have its lead before it, and its end changed to a question mark.
    whole = _plain(asked.text)
    return len(said) > 3 and (said in whole or (bool(asked.parts) and said.split()[-1] in whole))


def _places(sheet: SheetLayout, row: object) -> set[str]:
    cells = sheet.cells_of(row)  # type: ignore[arg-type]
    return {f"{column_letters(column)}{number}" for number, column in cells}


def _wanted(asked: Asked) -> set[str]:
    return {place for place in (asked.answer, asked.comment, *asked.verdicts.values()) if place}


def _plain(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.casefold()))
