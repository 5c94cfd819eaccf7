"""Reader of a customer's questionnaire, XLSX or CSV: its questions, and the layout for filling it."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from tasks.errors import UsageError
from tasks.questionnaires.formats.grid import Grid
from tasks.questionnaires.formats.load_grids import ZIP, load_grids
from tasks.questionnaires.reading.column_detection import headers_seen
from tasks.questionnaires.reading.find_sheets import HIDDEN, NO_QUESTIONS, Found, find_sheets
from tasks.questionnaires.reading.layout import Fact, Questionnaire, QuestionRow, SheetLayout
from tasks.questionnaires.reading.legend import spell
from tasks.questionnaires.reading.mapping import QuestionnaireMap
from tasks.questionnaires.reading.sections import AskedRow
from tasks.questions.answer_limits import without_limit
from tasks.questions.compound_questions import MARK_CHARACTERS, asked_alone_of, parts_of
from tasks.questions.translations import in_one_language
from tasks.questions.wording import header_role, question_kind, says_yes_no
from tasks.records import Question, content_id

__all__ = ["load_grids", "read_questionnaire"]


def read_questionnaire(
    data: bytes, file_name: str, given: QuestionnaireMap | None = None, question_column: str = ""
) -> Questionnaire:
    """Read the questions of every visible sheet that has some, in reading order, and the places for their answers.

    ``Question.ordinal`` counts from 0 over all sheets. ``question_id`` is the customer's own reference where
    no other question of the file has it, else a hash of file name, sheet, row and text. A cell that asks more than
    one gives a question each, whose ids have their number behind that: ``4.2(1)``; one that asks the same in several
    languages is asked in English, else in the first. Sheets that are not for the supplier to fill in are left out and
    listed in ``skipped``. ``given`` is a person's own map of the sheets, and
    ``question_column`` the letter or title of the column of questions; empty for none.

    Raises UsageError, which names the file and the remedy, for an empty, damaged or encrypted file, for
    another format, for a map that does not fit the file, and where no questions are found.
    """
    grids = load_grids(data, file_name)
    return questionnaire_of(find_sheets(grids, file_name, given, question_column), grids, data, file_name)


def questionnaire_of(found: Found, grids: Sequence[Grid], data: bytes, file_name: str) -> Questionnaire:
    """The questionnaire of the tables that were found. Raises UsageError where these have no question."""
    if not any(sheet.rows for sheet in found.sheets):
        raise UsageError(_no_questions(grids, file_name, found))
    references = Counter(row.reference for sheet in found.sheets for row in sheet.rows)
    questions: list[Question] = []
    sheets: list[SheetLayout] = []
    parts: dict[str, tuple[tuple[str, str], ...]] = {}
    for nameless, rows, answer_title in found.sheets:
        ids = [_question_id(file_name, nameless.sheet_name, row, references) for row in rows]
        named = zip(nameless.rows, ids, rows, strict=True)
        places = [replace(place, question_id=one, reference=row.reference) for place, one, row in named]
        facts = [_with_id(fact, file_name, nameless.sheet_name) for fact in nameless.facts]
        layout = replace(nameless, rows=tuple(places), facts=tuple(facts))
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
    return Questionnaire(
        file_name=file_name,
        content_sha256=hashlib.sha256(data).hexdigest(),
        format="xlsx" if data.startswith(ZIP) else "csv",
        questions=tuple(questions),
        sheets=tuple(sheets),
        parts=parts,
        skipped=found.skipped,
        warnings=found.warnings,
    )


def _with_id(fact: Fact, file_name: str, sheet_name: str | None) -> Fact:
    row = fact.place.row_number
    return fact._replace(
        place=replace(fact.place, question_id=content_id("fact", file_name, sheet_name or "", row, fact.label))
    )


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
    text, limit = without_limit(in_one_language(row.text))
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


def _no_questions(grids: Sequence[Grid], file_name: str, found: Found) -> str:
    skipped = "; ".join(f"sheet '{name}': {reason}" for name, reason in found.skipped if reason != NO_QUESTIONS)
    if skipped and all(reason != HIDDEN for _, reason in found.skipped):
        return (
            f"{file_name}: no questions for you were found, since sheets were left out ({skipped}). If one of them is "
            "yours to fill in, name its columns in a map: `bidfolio inspect FILE --write-map MAP.yaml`, then --map."
        )
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
        "'Question', and try again; or name the column: --question-column B."
    )
