"""Columns that bidfolio adds to a questionnaire for review: their titles, and when an answer is a draft."""

from __future__ import annotations

ANSWER_TITLE = "bidfolio answer"

REVIEW_TITLES = ("bidfolio verdict", "bidfolio confidence", "bidfolio citations", "bidfolio status")

STATUS_TITLE = REVIEW_TITLES[-1]

APPROVED = "approved"


def is_draft(status: str) -> bool:
    """Tell if an answer is still a draft by its ``status``, which a person empties or begins with APPROVED."""
    return bool(status.strip()) and not status.strip().casefold().startswith(APPROVED)
