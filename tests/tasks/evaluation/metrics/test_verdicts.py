from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import accuracy_score, balanced_accuracy_score, confusion_matrix, precision_score, recall_score

from tasks.evaluation.metrics.verdicts import NO_YES_NO, Cell, YesNo, confusion, verdict_figures
from tasks.records import Verdict
from tasks.statistics.estimates import Figure

SAID = ("yes", "no", "partial", "not_applicable", "no_verdict", "no_context")
JUDGED = st.lists(
    st.builds(YesNo, st.sampled_from(["yes", "no"]), st.sampled_from(SAID), st.integers(0, 5)), min_size=1, max_size=60
)


def table(**cells: int) -> list[YesNo]:
    """``truth__said`` of so many questions, each a cluster of its own."""
    pairs = [name.split("__") for name, n in cells.items() for _ in range(n)]
    return [YesNo(truth, said, at) for at, (truth, said) in enumerate(pairs)]  # type: ignore[arg-type]


DENSE = table(yes__yes=84, yes__no=3, yes__no_context=2, no__yes=8, no__no=5, no__no_context=2)
HYBRID = table(yes__yes=85, yes__no=3, yes__no_context=1, no__yes=10, no__no=5)


@pytest.mark.parametrize(
    ("judged", "accuracy", "precision", "recall", "balanced", "no_context"),
    [(DENSE, 85.58, 91.30, 96.55, 67.51, 3.85), (HYBRID, 86.54, 89.47, 96.59, 64.96, 0.96)],
    ids=["dense", "hybrid"],
)
def test_the_tables_of_liang_et_al(
    judged: list[YesNo], accuracy: float, precision: float, recall: float, balanced: float, no_context: float
) -> None:
    """Client A: tables 1 and 3 give the percentages of their table 5 and section 5, to the digits that they print."""
    found = {name: figure.value for name, figure in verdict_figures(judged).items()}
    wanted = {
        "verdict_accuracy_of_all": accuracy,
        "verdict_precision": precision,
        "verdict_recall": recall,
        "verdict_balanced_accuracy": balanced,
        "verdict_no_context_rate": no_context,
    }
    for name, percent in wanted.items():
        assert round(100 * (found[name] or 0), 2) == percent, name


def test_the_table_is_told_as_it_is() -> None:
    assert confusion(DENSE) == [
        Cell("yes", "yes", 84),
        Cell("yes", "no", 3),
        Cell("yes", "no_context", 2),
        Cell("no", "yes", 8),
        Cell("no", "no", 5),
        Cell("no", "no_context", 2),
    ]
    assert confusion([]) == []


@given(JUDGED)
def test_each_is_that_of_scikit_learn(judged: list[YesNo]) -> None:
    found = verdict_figures(judged)
    given_one = [one for one in judged if one.said not in ("no_verdict", "no_context")]
    truth, said = [one.truth for one in given_one], [one.said for one in given_one]
    all_of = [one.truth for one in judged], [one.said for one in judged]
    assert found["verdict_accuracy_of_all"].value == pytest.approx(accuracy_score(*all_of), abs=1e-9)
    if given_one:
        assert found["verdict_accuracy"].value == pytest.approx(accuracy_score(truth, said), abs=1e-9)
    if "yes" in said:
        wanted = precision_score(truth, said, labels=["yes"], average="macro")
        assert found["verdict_precision"].value == pytest.approx(wanted, abs=1e-9)
    else:
        assert found["verdict_precision"].value is None
    if "yes" in truth:
        wanted = recall_score(truth, said, labels=["yes"], average="macro")
        assert found["verdict_recall"].value == pytest.approx(wanted, abs=1e-9)
    if {"yes", "no"} <= set(truth):
        wanted = recall_score(truth, said, labels=["yes", "no"], average="macro", zero_division=0)
        assert found["verdict_balanced_accuracy"].value == pytest.approx(wanted, abs=1e-9)
        if set(said) <= {"yes", "no"}:
            assert balanced_accuracy_score(truth, said) == pytest.approx(wanted, abs=1e-9)
    counted = {(cell.truth, cell.said): cell.n for cell in confusion(judged)}
    matrix = confusion_matrix(*all_of, labels=SAID)
    assert {(a, b): matrix[i, j] for i, a in enumerate(SAID) for j, b in enumerate(SAID) if matrix[i, j]} == counted


@given(JUDGED, st.sampled_from(["yes", "no"]), st.sampled_from(["yes", "no"]))
def test_the_error_of_balanced_accuracy_is_that_of_half_each_share(
    judged: list[YesNo], to_yes: Verdict, to_no: Verdict
) -> None:
    """Where every question is a cluster of its own: half the root of the two shares' squared errors, with G / (G − 1)
    over all and not over each class.
    """
    both = [*judged, YesNo("yes", to_yes, 0), YesNo("no", to_no, 0)]
    alone = [one._replace(cluster=at) for at, one in enumerate(both) if one.said in ("yes", "no")]
    found = verdict_figures(alone)["verdict_balanced_accuracy"]
    variance = 0.0
    for truth in ("yes", "no"):
        rights = [one.said == one.truth for one in alone if one.truth == truth]
        share = sum(rights) / len(rights)
        variance += share * (1 - share) / len(rights) / 4
    expected = (variance * len(alone) / (len(alone) - 1)) ** 0.5
    assert found.standard_error == pytest.approx(expected, abs=1e-9)


def test_balanced_accuracy_is_drawn_anew_by_whole_questionnaires() -> None:
    """Twelve of ten yes/no questions each, of which every third is mistaken once in five and the others always right:
    no draw is below what the worst have, and one without the two classes tells nothing.
    """
    rights = [YesNo("yes", "yes", 0), YesNo("no", "no", 0)] * 5
    judged = [one._replace(cluster=number) for number in range(12) for one in rights]
    for number in range(0, 12, 3):
        judged[10 * number] = YesNo("yes", "no", number)
        judged[10 * number + 5] = YesNo("no", "yes", number)
    found = verdict_figures(judged)["verdict_balanced_accuracy"]
    low, high = found.bootstrap
    assert low is not None and high is not None and found.value is not None
    assert found.value == pytest.approx(1 - 1 / 15) and 0.8 <= low < found.value < high <= 1
    apart = [YesNo("yes", "yes", "a"), YesNo("yes", "no", "a"), YesNo("no", "no", "b"), YesNo("no", "yes", "b")]
    assert verdict_figures(apart)["verdict_balanced_accuracy"].bootstrap == (None, None)


@pytest.mark.parametrize("truth", ["yes", "no"])
def test_of_one_class_balanced_accuracy_is_undefined_and_says_why(truth: str) -> None:
    judged = table(**{f"{truth}__yes": 2, f"{truth}__no": 1, f"{truth}__no_context": 4})
    found = verdict_figures(judged)["verdict_balanced_accuracy"]
    assert found == Figure(None, 3, reason=f"all that were given a verdict (3) are truly {truth}")


def test_without_a_verdict_each_is_undefined_and_says_why() -> None:
    assert {figure.reason for figure in verdict_figures([]).values()} == {NO_YES_NO}
    declined = verdict_figures(table(yes__no_context=3))
    assert declined["verdict_accuracy_of_all"].value == 0.0 and declined["verdict_no_context_rate"].value == 1.0
    assert declined["verdict_accuracy"].reason == "no question with a verdict was answered by one"
    assert declined["false_yes_of_no"].reason == "no question of the gold set is truly no"


def test_what_failed_is_unscored() -> None:
    found = verdict_figures(table(yes__yes=2, yes__failed=1, no__failed=1, no__yes=1))
    assert found["verdict_accuracy_of_all"].value == pytest.approx(2 / 3)
    assert found["verdict_accuracy_of_all"][1:3] == (3, 2)
    assert found["false_yes_of_no"][:3] == (1.0, 1, 1)
