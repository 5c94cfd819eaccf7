"""Cases, criteria and scales of judges, and the protocol of a judge."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Final, Literal, NamedTuple, Protocol

from tasks.answering.entailment.claims import verdict_said
from tasks.errors import UsageError

Scale = Literal["1-5", "1/3/5/7/10", "0/1", "share"]
"""Scale of a criterion: five grades, five with other names, no or yes, or a share in [0, 1]."""
MARKS: Final[Mapping[Scale, tuple[int, ...]]] = {
    "1-5": (1, 2, 3, 4, 5),
    "1/3/5/7/10": (1, 3, 5, 7, 10),
    "0/1": (0, 1),
}
"""Marks of each scale, the lowest first; on the scale of shares any number between 0 and 1 is allowed."""
DECLINED = "declined: there is no answer to judge"


class Case(NamedTuple):
    """An answer to judge; ``answer`` is None if the question was declined.

    ``contexts`` are the texts that were handed over for it, best first; ``reference`` is the known answer, None if
    there is none.
    """

    question: str
    contexts: tuple[str, ...]
    answer: str | None
    reference: str | None


def with_verdict(verdict: str | None, text: str | None) -> str | None:
    """Prepend the verdict to a text that does not state it, as a customer reads the two; None if there is neither."""
    said = f"{verdict.replace('_', ' ').capitalize()}." if verdict else ""
    if not text:
        return said or None
    return f"{said} {text}" if said and verdict_said(text) is None else text


class Judgement(NamedTuple):
    """A judge's result for a case: a ``score`` on the criterion's scale with its ``reason``, or why it is ``unscored``.

    ``shares`` are the numbers in [0, 1] that the score was made of: one a context if contexts are judged one by one.
    """

    score: float | None
    reason: str = ""
    unscored: str = ""
    shares: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class Criterion:
    """A criterion that answers are judged by. A case that lacks one of its ``needs`` is unscored.

    With ``by_context`` each context is judged alone, and the best counts.
    """

    name: str
    scale: Scale
    needs: tuple[Literal["answer", "reference", "contexts"], ...]
    by_context: bool = False

    def settled(self, case: Case) -> Judgement | None:
        """The judgement of a case that needs no judge; None for all others.

        Such are cases that cannot be judged, and declines, which count as refusals.
        """
        if self.name == "refusal" and not case.answer:
            return Judgement(1.0, "declined", shares=(1.0,))
        if "answer" in self.needs and not case.answer:
            return Judgement(None, unscored=DECLINED)
        if "reference" in self.needs and not case.reference:
            return Judgement(None, unscored="there is no known answer to compare it with")
        if "contexts" in self.needs and not case.contexts:
            return Judgement(None, unscored="nothing was handed over for it")
        return None


CRITERIA: Final[Mapping[str, Criterion]] = {
    one.name: one
    for one in (
        # Omrani et al. 2024: with the question in view, against the reference, and against what was handed over.
        Criterion("correctness", "1-5", ("answer", "reference")),
        Criterion("relevancy", "0/1", ("answer", "contexts")),
        Criterion("faithfulness", "0/1", ("answer", "contexts")),
        # Finardi et al. 2024: the points of which their relative maximum and degradation are made.
        Criterion("points", "1/3/5/7/10", ("answer", "reference")),
        # König 2025: the four pairs of question, context, answer and reference, each looked at alone.
        Criterion("graded_correctness", "1-5", ("answer", "reference")),
        Criterion("graded_context_relevance", "1-5", ("contexts",), by_context=True),
        Criterion("graded_faithfulness", "1-5", ("answer", "contexts"), by_context=True),
        Criterion("graded_answer_relevance", "1-5", ("answer",)),
        # Es et al. 2023, as vendors of chat over tenders report them.
        Criterion("claim_faithfulness", "share", ("answer", "contexts")),
        Criterion("answer_relevance", "share", ("answer",)),
        Criterion("context_recall", "share", ("reference", "contexts")),
        Criterion("no_hallucination", "0/1", ("answer", "contexts")),
        Criterion("refusal", "0/1", ("answer",)),
    )
}
SIDES: Final[Mapping[str, str]] = {
    "context_relevance": "graded_context_relevance",
    "groundedness": "graded_faithfulness",
    "answer_relevance": "graded_answer_relevance",
}
"""The three sides of König's triad, each with the criterion whose shares it is made of."""
AGGREGATORS: Final[Mapping[str, Callable[[Sequence[float]], float]]] = {
    "max": max,
    "mean": fmean,
    "first": lambda shares: shares[0],
}
"""Functions that combine the shares of several contexts (König 2025, Eq. 4.1 and below it)."""


class Judge(Protocol):
    """Protocol of a judge. ``name`` is its kind, in every figure; ``model`` the model it uses, "" for none.

    ``criteria`` are the names of those of CRITERIA that it can judge by. A judge that ``is_deterministic`` gives the
    same judgement when it is asked again. ``learns``: it chose its cuts by labelled examples, and must not be measured
    by those.
    """

    name: str
    model: str
    criteria: tuple[str, ...]
    is_deterministic: bool
    learns: bool

    def judge(self, cases: Sequence[Case], criterion: str, repeat: int = 1) -> list[Judgement]:
        """Judge the cases, in order; no cases give none. ``repeat`` numbers the repetitions, from 1."""
        ...


def figure_name(criterion: str, judge: str) -> str:
    """The name of a figure with its judge, so that figures of different judges are not mixed up."""
    return f"{criterion}[{judge}]"


def told_scale(name: str) -> Scale:
    """The scale of the figure of that name: its criterion's, and a share for figures of the triad."""
    criterion = CRITERIA.get(name.partition("[")[0])
    return criterion.scale if criterion is not None else "share"


def limits(scale: Scale) -> tuple[float, float]:
    """The lowest and the highest score on the scale."""
    marks = MARKS.get(scale, (0, 1))
    return float(marks[0]), float(marks[-1])


def known_criteria(criteria: Sequence[str]) -> list[str]:
    """Check the names of criteria; an empty list gives all. Raises UsageError for an unknown name."""
    if unknown := [name for name in criteria if name not in CRITERIA]:
        raise UsageError(f"no criterion is called {unknown[0]!r}: take some of {', '.join(CRITERIA)}")
    return list(dict.fromkeys(criteria)) or list(CRITERIA)


def mark(share: float, scale: Scale = "1-5") -> float:
    """Convert a share in [0, 1] to the mark of the nearest position, rounding half up.

    On the scale of shares, it is the share itself.
    """
    if scale == "share":
        return share
    return MARKS[scale][math.floor((len(MARKS[scale]) - 1) * share + 0.5)]


def share_of_mark(score: float, scale: Scale = "1-5") -> float:
    """Convert a mark to its position on the scale, between 0 and 1, as König normalises grades.

    Raises ValueError for a number that is no mark.
    """
    if scale == "share":
        return score
    return MARKS[scale].index(int(score)) / (len(MARKS[scale]) - 1)


def as_judgements(criterion: str, cases: Sequence[Case], judge: Callable[[Case], Judgement]) -> list[Judgement]:
    """Judge each case in order, with ``judge`` for those that are not settled without it."""
    return [CRITERIA[criterion].settled(case) or judge(case) for case in cases]


def triads(by_criterion: Mapping[str, Sequence[Judgement]]) -> dict[str, list[Judgement]]:
    """Compute the triad's figures of each case from the judgements of its three sides; {} if one was not judged at all.

    For each aggregator, in [0, 1]: the two sides of contexts and the triad, the mean of all three sides. König (2025,
    Eq. 4.1) sums them; the mean is the same on the scale of 1. An unscored side leaves every figure that contains it
    unscored.
    """
    if not all(criterion in by_criterion for criterion in SIDES.values()):
        return {}
    sides = {side: by_criterion[criterion] for side, criterion in SIDES.items()}
    found: dict[str, list[Judgement]] = {}
    for how in AGGREGATORS:
        of_side = {side: [_aggregated(one, how) for one in judged] for side, judged in sides.items()}
        found[f"triad_context_relevance_{how}"] = of_side["context_relevance"]
        found[f"triad_groundedness_{how}"] = of_side["groundedness"]
        found[f"triad_{how}"] = [_mean_of(three) for three in zip(*of_side.values(), strict=True)]
    return found


def _aggregated(judged: Judgement, how: str) -> Judgement:
    if judged.score is None:
        return judged
    return Judgement(AGGREGATORS[how](judged.shares), f"{how} of {len(judged.shares)}")


def _mean_of(three: Sequence[Judgement]) -> Judgement:
    scores = [one.score for one in three if one.score is not None]
    if len(scores) < len(three):
        return Judgement(None, unscored=next(one.unscored for one in three if one.score is None))
    return Judgement(fmean(scores), f"mean of {', '.join(f'{score:.2f}' for score in scores)}")
