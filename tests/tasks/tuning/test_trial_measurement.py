from __future__ import annotations

import pytest

from tasks.evaluation.gold.outcomes import Outcome, Place
from tasks.records import AnswerStatus, GoldEvidence, GoldQuestion, Verdict
from tasks.tuning.trial_measurement import correctness

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
        (UNKNOWN, "failed", None, None),
        (KNOWN, "failed", None, None),
        (GoldQuestion("3", "Where?", True, "Here."), "answered", Place("a.pdf", 3), None),
        (GoldQuestion("4", "Where?", True, is_labelled=False), "declined", None, None),
    ],
)
def test_what_is_right(gold: GoldQuestion, status: AnswerStatus, cited: Place | None, expected: float | None) -> None:
    assert correctness(Outcome(gold, [], status, cited=cited)) == expected


@pytest.mark.parametrize(
    ("evidence", "status", "cited", "said", "expected"),
    [
        (PAGE, "answered", 3, "yes", 1.0),
        (PAGE, "answered", 3, "no", 0.0),
        (PAGE, "needs_review", 3, None, 1.0),
        (PAGE, "answered", 4, "yes", 0.0),
        ((), "answered", 3, "yes", 1.0),
        ((), "answered", 3, "no", 0.0),
        ((), "needs_review", 3, None, 0.0),
        ((), "declined", None, None, 0.0),
        ((), "failed", None, None, None),
    ],
)
def test_a_verdict_is_right_or_wrong_and_where_no_page_is_known_it_is_all(
    evidence: tuple[GoldEvidence, ...],
    status: AnswerStatus,
    cited: int | None,
    said: Verdict | None,
    expected: float | None,
) -> None:
    gold = GoldQuestion("1", "Do you encrypt?", True, verdict="yes", evidence=evidence)
    outcome = Outcome(gold, [], status, verdict=said, cited=Place("a.pdf", cited) if cited else None)
    assert correctness(outcome) == expected
