"""Columns that bidfolio adds to a questionnaire for review: their titles, and when an answer is a draft."""

from __future__ import annotations

ANSWER_TITLE = "bidfolio answer"

REVIEW_TITLES = ("bidfolio verdict", "bidfolio confidence", "bidfolio citations", "bidfolio status")

STATUS_TITLE = REVIEW_TITLES[-1]

APPROVED = "approved"


def is_draft(status: str) -> bool:
    """Tell if an answer is still bidfolio's draft, by ``status``, the text of the row's cell in STATUS_TITLE.

    A person who approves an answer empties that cell, or writes APPROVED first in it.
    """
    return bool(status.strip()) and not status.strip().casefold().startswith(APPROVED)
