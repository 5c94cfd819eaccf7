from __future__ import annotations

import pytest

from tasks.evaluation.judges.cases import CRITERIA, DECLINED, Case
from tasks.evaluation.judges.lexical import LexicalJudge, is_refusal

BACKUPS = "Backups are kept for 45 days and then overwritten. One copy is held in a second region."
MEALS = "The canteen opens at noon."
CASE = Case(
    "For how long are backups kept?", (BACKUPS, MEALS), "Backups are kept for 45 days.", "They are kept 45 days."
)


def score(criterion: str, **changes: object) -> float | None:
    (found,) = LexicalJudge().judge([CASE._replace(**changes)], criterion)  # type: ignore[arg-type]
    return found.score


def test_an_answer_that_says_what_the_reference_says() -> None:
    assert score("correctness") == 5
    assert score("faithfulness") == score("no_hallucination") == 1.0
    assert score("claim_faithfulness") == 1.0 and score("context_recall") == 1.0
    assert score("relevancy") == 1.0 and score("refusal") == 0.0


def test_recall_does_not_count_what_is_said_beside_it_and_f1_does() -> None:
    longer = "Backups are kept for 45 days. One copy is held in a second region."
    assert score("correctness", answer=longer) == 5
    # 3 of 3 words of the reference (kept, 45, day), 3 of 8 of the answer: F1 is 6/11, the grade 1 + 4 × .545.
    assert score("graded_correctness", answer=longer) == 3


@pytest.mark.parametrize(
    ("said", "grade"),
    [
        ("Copper wire.", 10),  # 2 of 2 words
        ("Wire.", 5),  # 1 of 2: the middle of five grades
        ("Copper, steel and wire.", 10),  # what is said beside it costs nothing
        ("Glass.", 1),
    ],
)
def test_grades_of_ten_go_by_the_share_of_the_reference(said: str, grade: int) -> None:
    assert score("points", answer=said, reference="Copper wire.") == grade


def test_quarters_have_the_grades_between() -> None:
    answers = ("Copper", "Copper wire", "Copper wire rope", "Copper wire rope ladder")
    assert [score("points", answer=said, reference=answers[-1]) for said in answers] == [3, 5, 7, 10]


def test_another_figure_is_a_mistake() -> None:
    (found,) = LexicalJudge().judge([CASE._replace(answer="They are kept for 90 days.")], "correctness")
    assert found.score is not None and found.score <= 3 and "lacks 45 day" in found.reason
    assert score("faithfulness", answer="Backups are kept for 90 days.") == 0.0
    assert (
        score("claim_faithfulness", answer="Backups are kept for 90 days. One copy is held in a second region.") == 0.5
    )


def test_a_contradiction_has_the_lowest_grade() -> None:
    asked = {"question": "Is data encrypted?", "reference": "Yes. Data is encrypted at rest."}
    assert score("correctness", answer="No. Data is encrypted at rest.", **asked) == 1
    assert score("correctness", answer="Data is not encrypted at rest.", **asked) == 1
    # A clause about something else turns nothing round.
    answer = "Data is encrypted at rest, and no keys leave the vault."
    assert score("correctness", answer=answer, reference="Data is encrypted at rest.") == 5


def test_contexts_are_judged_one_by_one_and_the_best_counts() -> None:
    (found,) = LexicalJudge().judge([CASE], "graded_context_relevance")
    assert found.score == 4 and found.shares == pytest.approx((2 / 3, 0.0))  # backup and kept, of these and long
    (found,) = LexicalJudge().judge([CASE], "graded_faithfulness")
    assert found.score == 5 and found.shares == (1.0, 0.0)


@pytest.mark.parametrize(
    ("answer", "refuses"),
    [
        ("We could not find this in our documents.", True),
        ("The documents do not say how soon customers are told.", True),
        ("I don't know.", True),
        ("There is no mention of it in the context.", True),
        ("We do not share data with third parties.", False),
        ("No. Customer data is not used to train models.", False),
        ("Backups are kept for 45 days.", False),
    ],
)
def test_what_refuses_to_answer(answer: str, refuses: bool) -> None:
    assert is_refusal(answer) == refuses
    assert score("refusal", answer=answer) == float(refuses)
    if refuses:
        assert score("correctness", answer=answer) == score("graded_answer_relevance", answer=answer) == 1
        assert score("relevancy", answer=answer) == 0.0


def test_what_cannot_be_judged_is_unscored() -> None:
    for criterion in ("correctness", "faithfulness", "answer_relevance"):
        (found,) = LexicalJudge().judge([CASE._replace(answer=None)], criterion)
        assert found.score is None and found.unscored == DECLINED
    (found,) = LexicalJudge().judge([CASE._replace(answer="Yes.")], "claim_faithfulness")
    assert found.score is None and "claims nothing" in found.unscored
    for criterion in CRITERIA:
        assert LexicalJudge().judge([], criterion) == []
