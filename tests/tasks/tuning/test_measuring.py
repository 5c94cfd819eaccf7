from __future__ import annotations

import pytest

from tasks.evaluation.outcomes import Outcome, Place
from tasks.records import AnswerStatus, GoldEvidence, GoldQuestion
from tasks.tuning.measuring import correctness

PAGE = (GoldEvidence("a.pdf", 3),)
KNOWN = GoldQuestion("1", "Where?", True, "Here.", evidence=PAGE)
UNKNOWN = GoldQuestion("2", "Who is the gardener?", False)


@pytest.mark.parametrize(
    ("gold", "status", "cited", "expected"),
    [
        (KNOWN, "answered", Place("a.pdf", 3), 1.0),
        (KNOWN, "needs_review", Place("a.pdf", 3), 1.0),
        (KNOWN, "answered", Place("a.pdf", 4), 0.0),
        (KNOWN, "answered", None, 0.0),
        (KNOWN, "declined", None, 0.0),
        (UNKNOWN, "declined", None, 1.0),
        (UNKNOWN, "answered", Place("a.pdf", 3), 0.0),
        (UNKNOWN, "failed", None, 0.0),
        (GoldQuestion("3", "Where?", True, "Here."), "answered", Place("a.pdf", 3), None),
        (GoldQuestion("4", "Where?", True, is_labelled=False), "declined", None, None),
    ],
)
def test_what_is_right(gold: GoldQuestion, status: AnswerStatus, cited: Place | None, expected: float | None) -> None:
    assert correctness(Outcome(gold, [], status, cited=cited)) == expected
