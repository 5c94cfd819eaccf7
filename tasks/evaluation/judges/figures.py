"""Figures of judgements: means over questions, and the spread of a judge over repeats."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from statistics import fmean, stdev
from typing import Any, NamedTuple

from tasks.evaluation.gold.outcomes import cluster_of
from tasks.evaluation.judges.cases import Judgement, figure_name, limits, told_scale
from tasks.records import GoldQuestion
from tasks.statistics.estimates import Figure, mean

Repeats = Sequence[Sequence[Judgement]]
"""Judgements by one criterion: for each repeat, a judgement a question."""


class JudgedFigure(NamedTuple):
    """A mean over questions of the mean of each question's scores.

    ``sd_of_repeats`` is the standard deviation of the mean over the repeats (Omrani et al. 2024 ask 100 times), None
    with one repeat. ``why_unscored`` counts unscored judgements by reason, over all repeats.
    """

    figure: Figure
    interval: tuple[float | None, float | None]
    repeats: int
    sd_of_repeats: float | None
    why_unscored: Mapping[str, int]

    def told(self) -> dict[str, Any]:
        """Convert to JSON as ``evaluate --json`` shows it."""
        return {
            "mean": self.figure.value,
            "n": self.figure.n,
            "unscored": self.figure.unscored,
            "standard_error": self.figure.standard_error,
            "interval": list(self.interval),
            "bootstrap": list(self.figure.bootstrap),
            "repeats": self.repeats,
            "sd_of_repeats": self.sd_of_repeats,
            "why_unscored": dict(self.why_unscored),
        }


def judged_figure(criterion: str, repeats: Repeats, clusters: Sequence[Hashable]) -> JudgedFigure:
    """Compute the figure of a criterion; ``clusters`` are the labels of the questions.

    A question is unscored if none of its repeats has a score. No repeats, or no questions, give an undefined mean.
    """
    by_question = [[one.score for one in said if one.score is not None] for said in zip(*repeats, strict=True)]
    figure = mean([fmean(scores) if scores else None for scores in by_question], clusters)
    by_repeat = [[one.score for one in said if one.score is not None] for said in repeats]
    means = [fmean(scores) for scores in by_repeat if scores]
    return JudgedFigure(
        figure,
        figure.interval(*limits(told_scale(criterion))),
        len(repeats),
        stdev(means) if len(means) > 1 else None,
        Counter(one.unscored for said in repeats for one in said if one.score is None),
    )


def judged_values(rows: Iterable[Mapping[str, Any]]) -> dict[str, dict[str, float]]:
    """The value of each question by judged figure and question id: its mean over the repeats.

    ``rows`` are those of the table ``judgements`` of one plan; no rows give {}.
    """
    scores: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for row in rows:
        if row["score"] is not None:
            what = "refusal_rate" if row["criterion"] == "refusal" else row["criterion"]
            scores[figure_name(what, row["judge"])][row["question_id"]].append(row["score"])
    return {name: {one: fmean(said) for one, said in by_question.items()} for name, by_question in scores.items()}


def refusal_figures(repeats: Repeats, gold: Sequence[GoldQuestion]) -> dict[str, JudgedFigure]:
    """The share of questions that are refused an answer, including declines.

    Of all questions, of the answerable, where it is a fault, and of the unanswerable, where it is right.
    """
    kinds = {"": (True, False), "_answerable": (True,), "_unanswerable": (False,)}
    found = {}
    for name, kind in kinds.items():
        numbers = [at for at, one in enumerate(gold) if one.answerable in kind]
        said = [[judged[at] for at in numbers] for judged in repeats]
        found[f"refusal_rate{name}"] = judged_figure("refusal", said, [cluster_of(gold[at]) for at in numbers])
    return found
