"""Questions as labels and values: "Question" with its text, and below it "Answer" and "Comments", empty.

Often each sheet holds one question.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from tasks.questionnaires.formats.grid import Grid
from tasks.questionnaires.reading.layout import QuestionRow, SheetLayout
from tasks.questionnaires.reading.sections import AskedRow
from tasks.questionnaires.reading.stacked import last_column, review_columns
from tasks.questions.answer_limits import without_limit
from tasks.questions.wording import Role, character_limit, header_role, is_placeholder, says_yes_no, words_of

MAX_LABEL_WORDS = 4
_COUNTED = re.compile(r"[\s#.]*\d{0,3}\s*[:.)]?\s*$")


@dataclass(slots=True)
class _Card:
    row: int
    column: int
    text: str
    reference: str = ""
    section: str = ""
    answer: tuple[int, int] | None = None
    answer_label: str = ""
    comment: tuple[int, int] | None = None


def read_cards(grid: Grid) -> tuple[SheetLayout, tuple[AskedRow, ...], str] | None:
    """Read a sheet of cards: the layout, whose rows have no ids yet, the questions, and the label of the answers; None
    for a sheet with no question of this form, or with one that has no place for its answer.
    """
    review = review_columns(grid)
    cards = _cards(grid, frozenset(column for _, column in review))
    if not cards or not all(card.answer for card in cards):
        return None
    rows = []
    answered = []
    for card in cards:
        cell = grid.anchor(*(card.answer or (card.row, card.column)))
        stated = (without_limit(card.text)[1], character_limit(card.answer_label), grid.max_characters(*cell))
        rows.append(
            QuestionRow(
                "",
                cell[0],
                grid.choices(*cell),
                min(filter(None, stated), default=None),
                answer_at=cell,
                comment_at=grid.anchor(*card.comment) if card.comment else None,
            )
        )
        if (text := grid.text(*cell)) and not is_placeholder(text):
            answered.append(cell[0])
    label = cards[0].answer_label
    layout = SheetLayout(
        sheet_name=grid.sheet_name,
        header_row=cards[0].row,
        question_column=cards[0].column,
        id_column=None,
        answer_column=(cards[0].answer or (0, cards[0].column))[1],
        comment_column=None,
        verdict_columns=(),
        last_column=last_column(grid, rows),
        review_columns=review,
        rows=tuple(rows),
        answered_rows=tuple(answered),
        yes_no_only=says_yes_no(label),
        is_stacked=True,
    )
    return layout, tuple(AskedRow(card.row, card.text, card.reference, card.section) for card in cards), label


def _cards(grid: Grid, without: frozenset[int]) -> list[_Card]:
    cards: list[_Card] = []
    front: dict[Role, str] = {}
    for number in sorted(grid.texts):
        cells = sorted((at, text) for at, text in grid.row(number).items() if at not in without)
        if not cells:
            continue
        (column, label), *beside = cells
        role = _role_of(label)
        if role is None and not beside and (not cards or cards[-1].answer):
            front["section"] = label
        if role is None or len(beside) > 1 or (beside and _role_of(beside[0][1])):
            continue
        area = grid.merge(number, column)
        place = beside[0][0] if beside else (area.right if area else column) + 1
        text = beside[0][1] if beside else ""
        if role == "question" and text:
            cards.append(_Card(number, place, text, front.get("id", ""), front.get("section", "")))
            front.pop("id", None)
        elif role == "question" and grid.text(number + 1, column) and not _role_of(grid.text(number + 1, column)):
            cards.append(_Card(number + 1, column, grid.text(number + 1, column), front.get("id", "")))
        elif role in ("answer", "comment") and cards:
            # A label whose question stands below its own label has its text below it, too.
            is_below = cards[-1].column == column
            cell = (number + 1, column) if is_below and not text else (number, place if text else cards[-1].column)
            if role == "answer" and cards[-1].answer is None:
                cards[-1].answer, cards[-1].answer_label = cell, label
            elif role == "comment" and cards[-1].comment is None:
                cards[-1].comment = cell
        elif role in ("id", "section") and text:
            front[role] = text
            if role == "id" and cards and cards[-1].answer is None:
                cards[-1].reference = cards[-1].reference or text
    return cards


def _role_of(label: str) -> Role | None:
    """The role of a row with that label: only a few words, such as "Question 4:"."""
    name = _COUNTED.sub("", label)
    return header_role(name) if 0 < len(words_of(name)) <= MAX_LABEL_WORDS else None
