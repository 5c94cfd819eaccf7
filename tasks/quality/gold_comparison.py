"""Gold gate: compare how a new version and the live one answer the gold set, with the same questions and plan.

The questions count as a sample of those that people ask. A figure's drop is the mean of its differences, question by
question; their 95% bootstrap interval accounts for chance. A version is refused if a drop

- is more than ``tolerance``, and not due to chance: the interval's upper end is below 0; or
- is more than ``certain_drop``, whatever the interval: few questions give a wide interval, and a person should look;

and if at least two questions are worse, since one question says nothing about others. A drop over the tolerance that
does not refuse is a warning. ``tests/bench/gold_gate.py`` measures how often this refuses a good version and lets a
broken one through.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING, NamedTuple

from tasks.evaluation.gold.outcomes import RANKS, Outcome, Place
from tasks.evaluation.metrics.figures import ranked_values
from tasks.evaluation.metrics.ranking import reciprocal_rank
from tasks.places import locator
from tasks.quality.findings import Finding
from tasks.quality.gold_places import Placed
from tasks.statistics.significance import PairedDifference, paired_difference

if TYPE_CHECKING:
    from configs.settings import GateSettings

SUITE = "gold"
RECALL, MRR, DECLINES = "page_recall_at_5", "page_mrr_at_10", "decline_rate_unanswerable"
FIGURES = (RECALL, MRR, DECLINES)
QUESTION = "expect_question"
LEAST_WORSE = 2
SHOWN = 10


class Asked(NamedTuple):
    """A gold question and its outcome under each version.

    ``before`` is None if there is no version before or the question could not be asked of it; ``now`` if it cannot be
    asked now.
    """

    placed: Placed
    before: Outcome | None
    now: Outcome | None


class Worse(NamedTuple):
    """A question that the new version answers worse, with its loss and both results in words, none of a document."""

    question_id: str
    question: str
    loss: float
    results: str

    @property
    def message(self) -> str:
        """Format the question and both results as a message."""
        return f"{self.question_id} ({self.question!r}): {self.results}"


@dataclass(frozen=True, slots=True)
class Compared:
    """A figure of both versions over the same questions, and the number of questions that are worse."""

    metric: str
    before: float
    now: float
    difference: PairedDifference
    worse: int

    @property
    def drop(self) -> float:
        """The amount by which the figure fell; negative if it rose."""
        return self.before - self.now

    def refuses(self, limits: GateSettings) -> bool:
        """Tell if this drop refuses the version: over the tolerance, and either beyond chance or over ``certain_drop``.

        At least LEAST_WORSE questions must be worse.
        """
        beyond_chance = self.difference.high is not None and self.difference.high < 0
        is_large = beyond_chance or self.drop > limits.certain_drop
        return self.drop > limits.tolerance and self.worse >= LEAST_WORSE and is_large

    @property
    def message(self) -> str:
        """Format both figures and their difference as a message."""
        low, high = self.difference.low or 0.0, self.difference.high or 0.0
        return (
            f"{self.before:.3f} before, {self.now:.3f} now, difference {self.now - self.before:+.3f} "
            f"(95% interval {low:+.3f} to {high:+.3f}) over {self.difference.n} questions, {self.worse} of them worse"
        )


@dataclass(frozen=True, slots=True)
class Verdict:
    """Result of the gold gate: ``figures``, those ``compared``, the ``worse`` questions, and all as ``findings``.

    A figure is None if undefined. The questions are sorted by loss, the worst first.
    """

    figures: Mapping[str, float | None]
    compared: tuple[Compared, ...]
    worse: tuple[Worse, ...]
    findings: tuple[Finding, ...]

    @property
    def refusals(self) -> list[Finding]:
        """The findings that refuse the version."""
        return [finding for finding in self.findings if finding.failed and finding.severity == "critical"]

    @property
    def warnings(self) -> list[Finding]:
        """The findings that are warnings, except those of single questions."""
        return [
            one for one in self.findings if one.failed and one.severity == "warning" and one.expectation != QUESTION
        ]


def judge(asked: Sequence[Asked], limits: GateSettings, *, is_drafted: bool) -> Verdict:
    """Judge a version by its outcomes on the gold set, within the ``limits`` of the settings.

    If fewer than ``judged_from`` questions had their files before, the share that lost them says nothing.
    Declines are not judged unless answers are drafted (``is_drafted``); without outcomes of the version before, nothing
    is compared.
    """
    pairs = [(one.before, one.now) for one in asked if one.before is not None and one.now is not None]
    then, now = _values([before for before, _ in pairs]), _values([after for _, after in pairs])
    judged = [name for name in FIGURES if is_drafted or name != DECLINES]
    compared = tuple(_compared(name, then[name], now[name]) for name in judged if now[name])
    known = _values([one.now for one in asked if one.now])
    figures = {name: fmean(known[name]) if known[name] and name in judged else None for name in FIGURES}
    worse = sorted(
        (found for before, after in pairs if (found := _worse(before, after, is_drafted=is_drafted))),
        key=lambda one: (-one.loss, one.question_id),
    )
    findings = [
        *(_of_figure(one, limits) for one in compared),
        *(_uncompared(name, figures[name]) for name in FIGURES if name not in {one.metric for one in compared}),
        *_of_floor(figures[RECALL], limits),
        *([_FINDS_NOTHING] if known[MRR] and not any((*then[MRR], *known[MRR])) else []),
        _of_files(asked, limits),
        *([_of_lost(pairs)] if pairs else []),
        *(_of_question(one) for one in worse),
    ]
    return Verdict(figures, compared, tuple(worse), tuple(findings))


def _values(outcomes: Sequence[Outcome]) -> dict[str, list[float]]:
    """The values that each question contributes to the judged figures; the lists of two versions are paired."""
    ranked = ranked_values(outcomes)
    declines = [float(one.declined) for one in outcomes if not one.gold.answerable]
    return {RECALL: ranked[RECALL], MRR: ranked[MRR], DECLINES: declines}


def _compared(metric: str, before: Sequence[float], now: Sequence[float]) -> Compared:
    worse = sum(after < then for then, after in zip(before, now, strict=True))
    return Compared(metric, fmean(before), fmean(now), paired_difference(now, before), worse)


def _worse(before: Outcome, now: Outcome, *, is_drafted: bool) -> Worse | None:
    if now.gold.answerable:
        then, after = (reciprocal_rank(one.pages, one.gold_pages, RANKS) or 0.0 for one in (before, now))
        loss = then - after
        results = f"{_found(before)}; now {_found(now)}"
    else:
        loss = float(is_drafted and before.declined and not now.declined)
        results = f"rightly declined; now answered{f' from {_said(now.cited)}' if now.cited else ''}"
    return Worse(now.gold.question_id, now.gold.question, loss, results) if loss > 0 else None


def _found(outcome: Outcome) -> str:
    if outcome.first_rank is not None:
        return f"{_said(outcome.hit_places[outcome.first_rank - 1])} at rank {outcome.first_rank}"
    first = f" (first is {_said(outcome.hit_places[0])})" if outcome.hit_places else ""
    return f"none of its pages among the first ten{first}"


def _said(place: Place) -> str:
    return locator(place.file_name, place.page_number, place.sheet_name, place.row_number)


def _of_figure(one: Compared, limits: GateSettings) -> Finding:
    refuses = one.refuses(limits)
    return Finding(
        suite=SUITE,
        expectation="expect_no_drop",
        column_name=one.metric,
        severity="critical" if refuses or one.drop <= limits.tolerance else "warning",
        passed=one.drop <= limits.tolerance,
        expected=f"it does not fall by more than {limits.tolerance:.3g}",
        observed=one.message + ("; it may be chance" if one.drop > limits.tolerance and not refuses else ""),
    )


def _uncompared(metric: str, now: float | None) -> Finding:
    observed = "it is over nothing" if now is None else f"it is {now:.3f}, and there is nothing to compare it with"
    return Finding(SUITE, "expect_no_drop", metric, "warning", None, "it does not fall", observed)


def _of_floor(recall: float | None, limits: GateSettings) -> list[Finding]:
    if limits.floor is None:
        return []
    held = recall is not None and recall >= limits.floor
    said = "no question of the gold set can be asked" if recall is None else f"it is {recall:.3f}"
    wanted = f"it is at least {limits.floor:.3g}"
    return [Finding(SUITE, "expect_floor", RECALL, "critical", held, wanted, said)]


_FINDS_NOTHING = Finding(
    SUITE,
    "expect_measure",
    MRR,
    "warning",
    False,
    "the gold set measures something",
    "no question finds what it should, so no loss can be seen: are its files and pages those of the corpus?",
)


def _of_files(asked: Sequence[Asked], limits: GateSettings) -> Finding:
    """Check that each question still has evidence; refused is only a large loss that nothing explains."""
    gone = [one.placed for one in asked if one.placed.standing == "gone"]
    unknown = [one.placed.now.question_id for one in asked if one.placed.standing == "unknown"]
    had = sum(one.placed.standing == "asked" for one in asked if one.placed.now.answerable) + len(gone)
    unexplained = sum(not one.is_explained for one in gone)
    refuses = had >= limits.judged_from and unexplained > limits.refused_loss * had
    by_reason: dict[str, list[str]] = {}
    for one in gone:
        by_reason.setdefault("; ".join(one.lost), []).append(one.now.question_id)
    told = [
        f"{len(ids)} gold {'question' if len(ids) == 1 else 'questions'} rested on {reason}: {_some(ids)}"
        for reason, ids in sorted(by_reason.items(), key=lambda one: -len(one[1]))[:SHOWN]
    ]
    told += [f"{len(unknown)} name no file that the corpus has: {_some(unknown)}"] if unknown else []
    return Finding(
        SUITE,
        "expect_evidence",
        "evidence",
        "critical" if refuses else "warning",
        not told,
        f"at least {1 - limits.refused_loss:.0%} of the questions keep their files, or lose them to a deletion"
        if refuses
        else "each has its evidence",
        "; ".join(told),
    )


def _of_lost(pairs: Sequence[tuple[Outcome, Outcome]]) -> Finding:
    """Check that questions still find one of their pages; a few lost ones may point to a single file."""
    found = [(before, now) for before, now in pairs if before.first_rank is not None]
    lost = [now.gold.question_id for _, now in found if now.first_rank is None]
    said = f"{len(lost)} of {len(found)} are not: {_some(lost)}" if lost else ""
    wanted = "each question whose pages were found among ten hits finds one still"
    return Finding(SUITE, "expect_found", "questions", "warning", not lost, wanted, said)


def _some(ids: Sequence[str]) -> str:
    return ", ".join(ids[:SHOWN]) + (" …" if len(ids) > SHOWN else "")


def _of_question(one: Worse) -> Finding:
    expected = f"{one.question!r} is answered no worse"
    return Finding(SUITE, QUESTION, one.question_id, "warning", False, expected, one.results)
