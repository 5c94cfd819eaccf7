"""Figures of yes/no answers: accuracy, precision, recall, balanced accuracy, and the confusion table.

After tables 1, 3 and 5 of Liang et al. 2024 (RAILS), whose "no context" is an answer that was declined. It counts as
wrong in the accuracy, over all questions, and is left out of precision, recall and balanced accuracy. Beyond theirs, a
draft may leave yes or no open; that is treated like a decline, and counted separately. A question whose answer failed
is unscored.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from typing import Literal, NamedTuple, get_args

from tasks.records import Verdict
from tasks.statistics.estimates import Figure, bootstrapped, clustered, mean

Said = Verdict | Literal["no_verdict", "no_context", "failed"]
NO_YES_NO = "the gold set has no question with a verdict"
NO_VERDICT = "no question with a verdict was answered by one"


class YesNo(NamedTuple):
    """The true verdict of a question, the result it got, and its cluster."""

    truth: Verdict
    said: Said
    cluster: Hashable


class Cell(NamedTuple):
    """A cell of the confusion table: the number of questions with that truth and that result."""

    truth: Verdict
    said: Said
    n: int


def confusion(judged: Sequence[YesNo]) -> list[Cell]:
    """The nonzero cells of the confusion table, in the order of the verdicts; no questions give none."""
    count = Counter((one.truth, one.said) for one in judged)
    columns: tuple[Said, ...] = (*get_args(Verdict), "no_verdict", "no_context", "failed")
    return [
        Cell(truth, said, count[truth, said]) for truth in get_args(Verdict) for said in columns if count[truth, said]
    ]


def verdict_figures(judged: Sequence[YesNo]) -> dict[str, Figure]:
    """Compute the figures of yes/no answers by name, each in [0, 1], with an error clustered by ``cluster``.

    - ``verdict_accuracy_of_all``: right, over all questions: the accuracy of Liang et al.
    - ``verdict_accuracy``: right, over those that were given a verdict.
    - ``verdict_coverage``: given a verdict, over all; ``verdict_no_context_rate``: declined, over all.
    - ``verdict_precision``: truly yes, over those answered yes.
    - ``verdict_recall``: answered yes, over those truly yes that were given a verdict.
    - ``verdict_balanced_accuracy``: the mean of that and of the same for no. With only one of the two it is undefined.
    - ``false_yes_of_no``: answered yes, over all that are truly no.
    """
    given = [one for one in judged if one.said in get_args(Verdict)]
    said_yes = [one for one in given if one.said == "yes"]
    truly_yes = [one for one in given if one.truth == "yes"]
    truly_no = [one for one in judged if one.truth == "no"]

    def share(some: Sequence[YesNo], holds: Callable[[YesNo], bool], reason: str) -> Figure:
        values = [None if one.said == "failed" else float(holds(one)) for one in some]
        return mean(values, [one.cluster for one in some], reason=reason if judged else NO_YES_NO)

    return {
        "verdict_coverage": share(judged, lambda one: one.said in get_args(Verdict), NO_YES_NO),
        "verdict_accuracy": share(given, _is_right, NO_VERDICT),
        "verdict_accuracy_of_all": share(judged, _is_right, NO_YES_NO),
        "verdict_precision": share(said_yes, _is_right, "no question with a verdict was answered yes"),
        "verdict_recall": share(truly_yes, _is_right, "no question that is truly yes was given a verdict"),
        "verdict_balanced_accuracy": _balanced(given, NO_VERDICT if judged else NO_YES_NO),
        "verdict_no_context_rate": share(judged, lambda one: one.said == "no_context", NO_YES_NO),
        "false_yes_of_no": share(truly_no, lambda one: one.said == "yes", "no question of the gold set is truly no"),
    }


def _is_right(one: YesNo) -> bool:
    return one.truth == one.said


def _balanced(given: Sequence[YesNo], reason: str) -> Figure:
    """Balanced accuracy of yes and no; the error follows from how far each question moves its own class' share."""
    known = [one for one in given if one.truth in ("yes", "no")]
    shares = _shares(known)
    if len(shares) < 2:
        one_class = f"all that were given a verdict ({len(known)}) are truly {next(iter(shares))}" if shares else reason
        return Figure(None, len(known), reason=one_class)
    sizes = Counter(one.truth for one in known)
    influences = [(_is_right(one) - shares[one.truth]) / sizes[one.truth] / 2 for one in known]
    clusters = [one.cluster for one in known]
    drawn = bootstrapped(known, clusters, lambda some: {"balance": _balance(some)})["balance"]
    return clustered(sum(shares.values()) / 2, influences, clusters)._replace(bootstrap=drawn.bootstrap)


def _shares(some: Sequence[YesNo]) -> dict[Verdict, float]:
    """The share of right answers of each true verdict that occurs."""
    sizes = Counter(one.truth for one in some)
    right = Counter(one.truth for one in some if _is_right(one))
    return {truth: right[truth] / n for truth, n in sizes.items()}


def _balance(some: Sequence[YesNo]) -> float | None:
    shares = _shares(some)
    return sum(shares.values()) / 2 if len(shares) == 2 else None
