"""When a gold set refuses a version, when it only tells, and what it says; by questions with known ranks."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from configs.settings import GateSettings
from tasks.evaluation.gold.outcomes import Outcome, Place
from tasks.quality.findings import Finding
from tasks.quality.gold_comparison import DECLINES, MRR, RECALL, Asked, Verdict, judge
from tasks.quality.gold_places import Placed, Standing
from tasks.records import GoldEvidence, GoldQuestion

LIMITS = GateSettings(tolerance=0.05, certain_drop=0.2, refused_loss=0.4, judged_from=6)
LOST = 11
GOLD, OTHER = Place("gold.pdf", 4), Place("other.pdf", 9)


def outcome(question: GoldQuestion, rank: int) -> Outcome:
    """The gold page at that rank, and nowhere from LOST on."""
    return Outcome(question, [GOLD if at == rank else OTHER for at in range(1, LOST)], "answered")


def asked(number: int, before: int, now: int) -> Asked:
    question = GoldQuestion(f"q{number}", f"Question {number}?", True, evidence=(GoldEvidence("gold.pdf", 4),))
    return Asked(Placed("asked", question, question), outcome(question, before), outcome(question, now))


def unanswerable(number: int, *, now_declined: bool) -> Asked:
    question = GoldQuestion(f"u{number}", "Is it silent?", False)
    now = Outcome(question, [OTHER], "declined" if now_declined else "answered", cited=None if now_declined else OTHER)
    return Asked(Placed("asked", question, question), Outcome(question, [OTHER], "declined"), now)


def standing(number: int, how: Standing, *, is_explained: bool = False) -> Asked:
    question = GoldQuestion(f"{how}{number}", "Where is it?", True, evidence=(GoldEvidence("gold.pdf", 4),))
    lost = ("gold.pdf, which is gone",) if how == "gone" else ()
    placed = Placed(how, question, question, lost, is_explained)
    return Asked(placed, None, outcome(question, 1) if how == "new" else None)


def drawn(n: int, lost: int, found: int = 0) -> list[Asked]:
    """So many questions, of which so many were at rank 1 and are lost, and so many the other way."""
    ranks = [(1, LOST)] * lost + [(LOST, 1)] * found + [(1, 1)] * (n - lost - found)
    return [asked(number, *pair) for number, pair in enumerate(ranks)]


def of(verdict: Verdict, expectation: str, column: str) -> Finding:
    (found,) = [one for one in verdict.findings if (one.expectation, one.column_name) == (expectation, column)]
    return found


@pytest.mark.parametrize(
    ("n", "lost", "found", "refuses", "told"),
    [
        (94, 0, 0, False, False),
        (94, 4, 0, False, False),  # .043: within the tolerance
        (94, 6, 0, True, True),  # .064, and none the other way
        (94, 12, 7, False, True),  # .053, and it may be chance
        (94, 40, 0, True, True),
        (20, 2, 0, False, True),  # .1: of so few it may be chance
        (20, 4, 0, True, True),
        (10, 3, 0, True, True),  # .3: whatever the interval says
        (10, 1, 0, False, True),
        (5, 2, 0, True, True),
        (3, 1, 0, False, True),  # one question says nothing of others
        (1, 1, 0, False, True),
        (2, 2, 0, True, True),
        (94, 0, 20, False, False),
    ],
)
def test_a_drop_is_refused_where_it_is_large_and_no_chance(
    n: int, lost: int, found: int, refuses: bool, told: bool
) -> None:
    verdict = judge(drawn(n, lost, found), LIMITS, is_drafted=False)
    assert [one.column_name for one in verdict.refusals] == ([RECALL, MRR] if refuses else [])
    assert of(verdict, "expect_no_drop", RECALL).failed is told
    assert len(verdict.worse) == lost
    assert [one.message for one in verdict.warnings if one.column_name == RECALL] == [
        of(verdict, "expect_no_drop", RECALL).message
    ] * (told and not refuses)


def test_what_is_said_of_it() -> None:
    verdict = judge([*drawn(94, 6), asked(94, 1, 3)], LIMITS, is_drafted=False)
    said = of(verdict, "expect_no_drop", RECALL).observed
    assert said.startswith("1.000 before, 0.937 now, difference -0.063 (95% interval -0.1")
    assert said.endswith("over 95 questions, 6 of them worse")
    assert verdict.worse[0].message == (
        "q0 ('Question 0?'): gold.pdf, p. 4 at rank 1; now none of its pages among the first ten (first is other.pdf, "
        "p. 9)"
    )
    assert verdict.worse[-1].message == "q94 ('Question 94?'): gold.pdf, p. 4 at rank 1; now gold.pdf, p. 4 at rank 3"
    assert of(verdict, "expect_question", "q0").observed in verdict.worse[0].message
    assert of(verdict, "expect_found", "questions").observed == "6 of 95 are not: q0, q1, q2, q3, q4, q5"
    assert verdict.figures == {RECALL: 89 / 95, MRR: (88 + 1 / 3) / 95, DECLINES: None}


def test_right_declines_are_judged_where_something_was_drafted() -> None:
    spoilt = [*drawn(20, 0), *(unanswerable(number, now_declined=number > 4) for number in range(10))]
    verdict = judge(spoilt, LIMITS, is_drafted=True)
    assert [one.column_name for one in verdict.refusals] == [DECLINES]
    assert verdict.worse[0].message == "u0 ('Is it silent?'): rightly declined; now answered from other.pdf, p. 9"
    alone = judge(spoilt, LIMITS, is_drafted=False)
    assert not alone.refusals and not alone.worse and alone.figures[DECLINES] is None


def test_new_questions_hide_no_loss() -> None:
    """Ten new questions that are found must not make up for six that are lost."""
    verdict = judge([*drawn(94, 6), *(standing(number, "new") for number in range(10))], LIMITS, is_drafted=False)
    assert of(verdict, "expect_no_drop", RECALL).failed and verdict.refusals
    assert verdict.figures[RECALL] == (88 + 10) / 104


@pytest.mark.parametrize(("gone", "refuses"), [(1, False), (8, False), (9, True)])
def test_questions_whose_files_are_gone_are_told_and_not_counted_as_worse(gone: int, refuses: bool) -> None:
    """Of twelve and those that are gone, at most 40% may be: 8 of 20, but not 9 of 21."""
    questions = [*drawn(12, 0), *(standing(number, "gone") for number in range(gone))]
    verdict = judge(questions, LIMITS, is_drafted=False)
    assert not verdict.worse and of(verdict, "expect_no_drop", RECALL).passed
    said = of(verdict, "expect_evidence", "evidence")
    questions_rested = (
        f"{gone} gold {'question' if gone == 1 else 'questions'} rested on gold.pdf, which is gone: gone0"
    )
    assert said.failed and questions_rested in said.observed
    assert [one.column_name for one in verdict.refusals] == ["evidence"] * refuses


def test_no_deletion_is_refused() -> None:
    questions = [*drawn(2, 0), *(standing(number, "gone", is_explained=True) for number in range(18))]
    verdict = judge(questions, LIMITS, is_drafted=False)
    assert not verdict.refusals and of(verdict, "expect_evidence", "evidence").failed


def test_of_a_few_files_a_share_says_nothing() -> None:
    verdict = judge([*drawn(1, 0), *(standing(number, "gone") for number in range(4))], LIMITS, is_drafted=False)
    assert not verdict.refusals and of(verdict, "expect_evidence", "evidence").failed


def test_a_first_version_is_refused_by_its_floor_alone() -> None:
    first = [Asked(one.placed, None, one.now) for one in drawn(10, 4)]
    verdict = judge(first, LIMITS, is_drafted=False)
    assert not verdict.compared and not verdict.refusals and verdict.figures[RECALL] == 0.6
    assert of(verdict, "expect_no_drop", RECALL).passed is None
    for floor, refuses in ((0.6, False), (0.61, True)):
        below = judge(first, LIMITS.model_copy(update={"floor": floor}), is_drafted=False)
        assert [one.expectation for one in below.refusals] == ["expect_floor"] * refuses
    nothing = judge([standing(0, "unknown")], LIMITS.model_copy(update={"floor": 0.1}), is_drafted=False)
    assert nothing.refusals and nothing.figures[RECALL] is None


def test_a_gold_set_that_finds_nothing_says_that_it_protects_nothing() -> None:
    for blind in (drawn(10, 0), [asked(number, LOST, LOST) for number in range(10)]):
        for some in (blind, [Asked(one.placed, None, one.now) for one in blind]):
            told = [
                one for one in judge(some, LIMITS, is_drafted=False).warnings if one.expectation == "expect_measure"
            ]
            assert bool(told) == (blind[0].now == outcome(blind[0].placed.now, LOST))
            assert all("no loss can be seen" in one.message for one in told)


ranks = st.integers(1, LOST)


@given(st.lists(st.tuples(ranks, ranks), min_size=1, max_size=30))
def test_no_version_is_refused_for_being_better(pairs: Sequence[tuple[int, int]]) -> None:
    questions = [asked(number, max(pair), min(pair)) for number, pair in enumerate(pairs)]
    verdict = judge(questions, LIMITS, is_drafted=False)
    warned = {one.expectation for one in verdict.warnings}
    assert not verdict.refusals and warned <= {"expect_measure"} and not verdict.worse
