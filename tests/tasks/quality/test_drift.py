"""Topics and rates beside those of earlier questionnaires, on made vectors."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import fisher_exact

from tasks.quality.drift import Matrix, Questionnaire, drift_findings, told_plainly, topics
from tasks.quality.findings import Finding

DIMENSIONS = 16


def around(topic: int, count: int, seed: int, spread: float = 0.6) -> Matrix:
    """Unit vectors about one direction."""
    rng = np.random.default_rng(seed)
    vectors = np.eye(DIMENSIONS)[topic] + rng.normal(scale=spread, size=(count, DIMENSIONS)) / np.sqrt(DIMENSIONS)
    unit: Matrix = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
    return unit


def asked(topic: int, seed: int, count: int = 30, silent: int = 6) -> Questionnaire:
    questions = [f"{seed}.{number}" for number in range(count)]
    return Questionnaire(questions, frozenset(questions), around(topic, count, seed), silent)


def told(now: Questionnaire, *earlier: Questionnaire) -> tuple[Finding, Finding]:
    by_topic, by_rate = drift_findings(now, earlier)
    assert (by_topic.column_name, by_rate.column_name) == ("topics", "no_context_rate")
    return by_topic, by_rate


EARLIER = [asked(0, seed) for seed in (1, 2, 3, 4)]


@given(st.integers(1, 5), st.integers(1, 5), st.integers(0, 10))
def test_the_distance_is_that_of_the_definition(n: int, m: int, seed: int) -> None:
    """Székely and Rizzo (2013): E = 2 E|X−Y| − E|X−X'| − E|Y−Y'|, and H = E / 2 E|X−Y|, by plain loops."""
    now, before = around(0, n, seed), around(1, m, seed + 100)

    def mean(one: Matrix, other: Matrix) -> float:
        return float(np.mean([np.linalg.norm(a.astype(float) - b.astype(float)) for a in one for b in other]))

    between = 2 * mean(now, before)
    expected = (between - mean(now, now) - mean(before, before)) / between
    assert topics(now, before).distance == pytest.approx(expected, abs=1e-6)


def test_p_is_that_of_chance_where_there_is_no_difference() -> None:
    """Of 200 pairs from one topic about a tenth has a p of at most .1; of two topics all have."""
    p = np.array([topics(around(0, 12, 2 * seed), around(0, 20, 2 * seed + 1)).p for seed in range(200)])
    assert 0.05 <= (p <= 0.1).mean() <= 0.16
    assert topics(around(0, 12, 0), around(1, 20, 1)).p == 0.001
    assert topics(around(0, 12, 0), around(0, 12, 0)).distance == pytest.approx(0, abs=1e-6)


def test_another_topic_is_told_and_the_same_is_not() -> None:
    same, _ = told(asked(0, 9), *EARLIER)
    assert same.passed is True
    other, _ = told(asked(1, 9), *EARLIER)
    assert other.passed is False and other.severity == "warning" and "(p 0.001)" in other.observed
    plain = told_plainly(other)
    assert plain.startswith("it asks about other things than earlier questionnaires, such as '9.")
    assert "distance" not in plain and "drift" not in plain
    _, rate = told(asked(0, 9, silent=29), *EARLIER)
    assert told_plainly(rate).startswith("the documents are silent on 29 of 30 (97%), before 24 of 120 (20%;")
    assert " p " not in told_plainly(rate)


def test_what_differs_no_more_than_earlier_ones_do_is_not_told() -> None:
    """Each questionnaire has its own topic: by single questions that is no chance, and it is as always."""
    by_topic, _ = told(asked(4, 9), *(asked(topic, topic) for topic in range(4)))
    assert "(p 0.001)" in by_topic.observed
    usual = [asked(0, 1), asked(0, 2), asked(1, 3), asked(5, 4)]
    assert told(asked(0, 9), *usual)[0].passed is True
    assert told(asked(5, 9), *usual)[0].passed is True


def test_the_strangest_questions_are_named() -> None:
    mixed = np.concatenate([around(0, 28, 1), around(7, 2, 2)])
    now = Questionnaire([f"q{number}" for number in range(30)], frozenset(), mixed, 0)
    observed = told(now, *EARLIER)[0].observed
    farthest = observed.partition("farthest from all before: ")[2].split(", ")
    assert set(farthest[:2]) == {"'q28'", "'q29'"}


def test_the_strangest_questions_are_told_as_they_are_worded() -> None:
    """Nobody knows a question by its id; a long one is cut, and its lines are one."""
    now = asked(1, 9)._replace(questions=[*["Which whale is\nthe largest?"] * 29, "How " + "very " * 40 + "long?"])
    observed = told(now, *EARLIER)[0].observed
    assert "farthest from all before: 'Which whale is the largest?'" in observed and len(observed) < 500


@pytest.mark.parametrize(
    ("silent", "passed"),
    [(6, True), (8, True), (12, True), (25, False), (0, False)],
)
def test_the_rate_is_told_where_it_is_beyond_all_before_and_no_chance(silent: int, passed: bool) -> None:
    earlier = [asked(0, seed, count=60, silent=12 + seed) for seed in range(4)]
    _, by_rate = told(asked(0, 9, silent=silent), *earlier)
    assert by_rate.passed is passed
    p = fisher_exact([[silent, 30 - silent], [54, 186]]).pvalue
    said = f"{silent} of 30 ({silent / 30:.0%}), before 54 of 240 (22%; 20% to 25%), "
    said += "p < 0.001" if p < 0.001 else f"p {p:.3f}"
    assert by_rate.observed == (said if passed else f"not so: {said}")


@pytest.mark.parametrize(
    ("count", "earlier", "reason"),
    [
        (9, EARLIER, "9 questions are too few: 10 are needed"),
        (30, [], "no earlier questionnaire of this corpus has 10 questions"),
        (30, [asked(0, 1, count=9)], "no earlier questionnaire of this corpus has 10 questions"),
        (30, EARLIER[:2], "not judged: 3 earlier questionnaires are needed, there are 2"),
        (30, EARLIER[:1], "not judged: 3 earlier questionnaires are needed, there are 1"),
    ],
)
def test_too_little_is_not_judged_and_says_why(count: int, earlier: list[Questionnaire], reason: str) -> None:
    for one in told(asked(1, 9, count=count), *earlier):
        assert one.passed is None and not one.failed and reason in one.observed
