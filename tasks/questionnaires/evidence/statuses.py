"""Statuses and verdicts of an answer under review, and the words for them in a workbook."""

from __future__ import annotations

from typing import Final, Literal, get_args

from tasks.records import AnswerStatus, Verdict

Decided = Literal["approved", "edited", "rejected"]
"""The decision of a person on an answer."""
Status = Literal["answered", "needs_review", "declined", "failed", Decided]
"""The status of an answer: that of the run, or a person's decision."""

DECIDED: Final[tuple[Decided, ...]] = get_args(Decided)
SENT: Final[tuple[Decided, ...]] = ("approved", "edited")
"""The decisions by which the customer gets an answer."""
STATUSES: Final[tuple[Status, ...]] = get_args(Status)
VERDICTS: Final[tuple[Verdict, ...]] = get_args(Verdict)


def shown(word: AnswerStatus | Status | Verdict) -> str:
    """The word of a status or verdict as people read it: ``needs review``, ``not applicable``."""
    return word.replace("_", " ")


def status_of(cell: str) -> Status | None:
    """The status that a cell names; None for an empty cell and for any other word."""
    return next((one for one in STATUSES if one == _word(cell)), None)


def verdict_of(cell: str) -> Verdict | None:
    """The verdict that a cell names; None for an empty cell and for any other word."""
    return next((one for one in VERDICTS if one == _word(cell)), None)


def _word(cell: str) -> str:
    return "_".join(cell.casefold().split())
