"""Agreement with labelled examples: by worked examples, and a judge that guesses is refused."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.errors import UsageError
from tasks.evaluation.judges.agreement import Agreement, admissions, agreement, with_own_labels
from tasks.evaluation.judges.cases import CRITERIA, MARKS, Case, Judgement, as_judgements, mark
from tasks.evaluation.judges.labels import Labelled, parted, read_labels
from tasks.evaluation.judges.lexical import LexicalJudge


class RandomJudge:
    """Throws dice."""

    name, model, criteria, is_deterministic, learns = "dice", "", tuple(CRITERIA), False, False

    def __init__(self, seed: int) -> None:
        self.dice = random.Random(seed)

    def judge(self, cases: Sequence[Case], criterion: str, repeat: int = 1) -> list[Judgement]:
        marks = MARKS.get(CRITERIA[criterion].scale, tuple(at / 10 for at in range(11)))
        return as_judgements(criterion, cases, lambda _: Judgement(self.dice.choice(marks), "thrown"))


class Flat(RandomJudge):
    """Praises all."""

    def judge(self, cases: Sequence[Case], criterion: str, repeat: int = 1) -> list[Judgement]:
        best = mark(1.0, CRITERIA[criterion].scale)
        return as_judgements(criterion, cases, lambda _: Judgement(best, "lovely"))


def test_kappa_by_a_worked_example() -> None:
    # 2×2: 20 yes-yes, 5 and 10 apart, 15 no-no: observed .70, expected .50, kappa .40 (the example of every textbook).
    judged = [1] * 20 + [1] * 5 + [0] * 10 + [0] * 15
    said = [1] * 20 + [0] * 5 + [1] * 10 + [0] * 15
    found = agreement(judged, said, "0/1")
    assert found.n == 50 and found.accuracy == pytest.approx(0.70) and found.kappa == pytest.approx(0.40)
    assert found.p is not None and found.p < 0.01


@given(st.lists(st.tuples(st.integers(1, 5), st.integers(1, 5)), min_size=2, max_size=30))
def test_kappa_is_what_is_left_of_the_squares_that_chance_would_give(pairs: list[tuple[int, int]]) -> None:
    judged, said = [one for one, _ in pairs], [other for _, other in pairs]
    found = agreement(judged, said, "1-5")
    if len(set(judged)) > 1 and len(set(said)) > 1:
        apart = sum((one - other) ** 2 for one, other in pairs) / len(pairs)
        by_chance = sum((one - other) ** 2 for one in judged for other in said) / len(pairs) ** 2
        assert found.kappa == pytest.approx(1 - apart / by_chance, abs=1e-9)
    else:
        assert (found.kappa, found.p) == (0.0, 1.0)


def test_shares_are_compared_by_their_order() -> None:
    found = agreement([0.1, 0.2, 0.3, 0.9], [0.0, 0.5, 0.5, 1.0], "share")
    assert found.rho == pytest.approx(0.9487, abs=1e-4) and found.kappa is None and found.accuracy is None
    assert agreement([0.5] * 4, [0.0, 0.5, 0.5, 1.0], "share")[4:6] == (None, 1.0)


def test_of_nothing_all_is_undefined_and_lengths_must_fit() -> None:
    assert agreement([], [], "1-5", unscored=3) == Agreement(0, 3, None, None, None, None)
    with pytest.raises(ValueError, match="2 scores and 1 labels"):
        agreement([1, 2], [1], "1-5")


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_judge_that_throws_dice_is_refused(seed: int) -> None:
    found = admissions(RandomJudge(seed), read_labels(), list(CRITERIA))
    assert len(found) == len(CRITERIA)
    for one in found.values():
        assert "no better than chance" in one.refused and one.p_holm is not None and one.p_holm >= 0.01


def test_one_that_always_says_the_same_is_refused() -> None:
    found = admissions(Flat(0), read_labels(), ["correctness", "faithfulness", "answer_relevance"])
    assert [one.p for one in found.values()] == [1.0] * 3 and all(one.refused for one in found.values())


def test_one_that_agrees_judges_and_says_how_far() -> None:
    found = admissions(LexicalJudge(), read_labels(), ["correctness"])["correctness"]
    assert not found.refused and found.told()["refused"] is None
    assert found.kappa is not None and found.kappa > 0.5


def test_too_few_examples_refuse() -> None:
    few = [one for one in read_labels() if "correctness" in one.labels][:9]
    found = admissions(LexicalJudge(), few, ["correctness"])["correctness"]
    assert found.refused == "only 9 of 9 labelled examples were scored, and it takes 10"


def test_the_shipped_examples_are_many_balanced_and_parted_by_question() -> None:
    examples = read_labels()
    for name, criterion in CRITERIA.items():
        labels = [one.labels[name] for one in examples if name in one.labels]
        assert len(labels) >= 40
        commonest = max(labels.count(label) for label in set(labels))
        assert commonest <= (0.72 if name != "refusal" else 0.95) * len(labels), name
        assert criterion.scale != "1-5" or set(labels) >= {1, 2, 3, 5}, name
    learnt, shown = parted(examples)
    assert len(learnt) + len(shown) == len(examples)
    assert {one.case.question for one in learnt}.isdisjoint(one.case.question for one in shown)


def test_own_labels_take_the_place_of_those_shipped_where_there_are_enough() -> None:
    shipped = read_labels()
    own = [Labelled(Case(f"Q{at}", ("c",), "a", "r"), {"correctness": 1 + at % 5, "refusal": 0}) for at in range(10)]
    own[0] = own[0]._replace(labels={"correctness": 3})
    joined = with_own_labels(shipped, own)
    assert sum("correctness" in one.labels for one in joined) == 10
    assert sum("refusal" in one.labels for one in joined) == sum("refusal" in one.labels for one in shipped)
    assert with_own_labels(shipped, ()) == shipped


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "has no labelled example"),
        ("{", "line 1: JSON"),
        ('{"question":"q","labels":{}}', "line 1: labels"),
        ('{"question":"q","labels":{"beauty":1}}', "no criterion is called 'beauty'"),
        ('{"question":"q","labels":{"correctness":6}}', "correctness: 6 is not one of 1, 2, 3, 4, 5"),
        ('{"question":"q","labels":{"relevancy":0.5}}', "relevancy: 0.5 is not one of 0, 1"),
        ('{"question":"q","labels":{"context_recall":1.5}}', "context_recall: 1.5 is not a share from 0 to 1"),
    ],
)
def test_wrong_labels_are_named_with_their_line(text: str, told: str, tmp_path: Path) -> None:
    path = tmp_path / "labels.jsonl"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UsageError, match=told):
        read_labels(path)
    with pytest.raises(UsageError, match="cannot read the labelled examples"):
        read_labels(tmp_path / "none.jsonl")
