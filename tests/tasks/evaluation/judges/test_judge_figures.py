from __future__ import annotations

from typing import Any

import pytest

from tasks.evaluation.judges.cases import DECLINED, Judgement
from tasks.evaluation.judges.figures import judged_figure, judged_values, refusal_figures
from tasks.records import GoldQuestion


def said(*scores: float | None) -> list[Judgement]:
    return [Judgement(score, unscored="" if score is not None else DECLINED) for score in scores]


def test_means_over_questions_with_the_unscored_counted() -> None:
    found = judged_figure("correctness", [said(5, 2, None, 2)], ["a", "b", "c", "d"])
    assert (found.figure.value, found.figure.n, found.figure.unscored) == (3.0, 3, 1)
    assert found.why_unscored == {DECLINED: 1} and found.sd_of_repeats is None and found.repeats == 1
    assert found.interval[0] is not None and found.interval[1] is not None
    assert 1 <= found.interval[0] <= 3 <= found.interval[1] <= 5


def test_the_spread_is_that_of_the_mean_over_repeats() -> None:
    found = judged_figure("correctness", [said(5, 3), said(4, 2), said(None, 2)], ["a", "b"])
    # Means of the repeats 4, 3 and 2; of the questions 4.5 and 7/3.
    assert found.sd_of_repeats == pytest.approx(1.0) and found.repeats == 3
    assert found.figure.value == pytest.approx((4.5 + 7 / 3) / 2)
    assert found.why_unscored == {DECLINED: 1} and found.figure.unscored == 0


def test_nothing_scored_is_undefined_never_0() -> None:
    found = judged_figure("relevancy", [said(None, None)], [1, 2])
    assert found.figure.value is None and found.figure.unscored == 2 and found.told()["mean"] is None


def test_refusals_by_what_could_be_answered() -> None:
    gold = [GoldQuestion("1", "?", True), GoldQuestion("2", "?", True), GoldQuestion("3", "?", False)]
    found = refusal_figures([said(1, 0, 1)], gold)
    assert {name: one.figure.value for name, one in found.items()} == {
        "refusal_rate": pytest.approx(2 / 3),
        "refusal_rate_answerable": 0.5,
        "refusal_rate_unanswerable": 1.0,
    }


def test_what_was_judged_is_known_by_question_as_the_mean_of_its_repeats() -> None:
    rows: list[dict[str, Any]] = [
        {"criterion": "correctness", "judge": "server", "question_id": "q", "score": 2.0},
        {"criterion": "correctness", "judge": "server", "question_id": "q", "score": 3.0},
        {"criterion": "correctness", "judge": "server", "question_id": "declined", "score": None},
        {"criterion": "refusal", "judge": "lexical", "question_id": "q", "score": 0.0},
    ]
    assert judged_values(rows) == {"correctness[server]": {"q": 2.5}, "refusal_rate[lexical]": {"q": 0.0}}
    assert judged_values([]) == {}
