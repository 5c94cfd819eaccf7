"""Questions of one cell that lean on those before them, as follow-ups of a conversation do."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby

from tasks.chat.candidates import Finding, finds_more
from tasks.chat.query_rewriting import Turn, condense
from tasks.questions.requirements import as_question
from tasks.records import Question


def cells_of(asked: Sequence[Question]) -> list[list[Question]]:
    """The questions of each cell that asks several, in order; none without such a cell."""
    cells = (list(some) for _, some in groupby(asked, key=lambda one: (one.sheet_name, one.row_number or one.ordinal)))
    return [cell for cell in cells if len(cell) > 1]


def condensed(cell: Sequence[Question], finding: Finding) -> Iterator[Question]:
    """The questions of a cell, each alone, or joined with those before it where that finds the surer evidence."""
    history: list[Turn] = []
    for question in cell:
        alone = as_question(question.text)
        text = condense(alone, history, None, finding, finds_more).text
        history.append(Turn(alone, text, "", None, ""))
        yield question if text == alone else replace(question, text=text, written=question.written or question.text)
