"""What a plan's hits and answers are worth against a gold set.

A hit counts as one page, the one that holds most of its characters. Ranks run over the first ten hits; a hit
that repeats a page keeps its rank. A figure over nothing is None, never 0.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from tasks.records import AnswerStatus, GoldQuestion, Verdict

RANKS = 10

Place = tuple[str, int | None]
"""A file's bare name and a page; the page is None in a format without pages."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a plan said to one gold question. ``hit_places`` are those of its hits, best first."""

    gold: GoldQuestion
    hit_places: Sequence[Place]
    status: AnswerStatus
    verdict: Verdict | None = None
    cited: Place | None = None

    @property
    def declined(self) -> bool:
        """Whether it gave no draft: declined, or failed."""
        return self.status in ("declined", "failed")

    @property
    def first_rank(self) -> int | None:
        """The 1-based rank of the first hit on a gold page, None where none of the first ten is."""
        wanted = gold_places(self.gold)
        return next((rank for rank, place in enumerate(self.hit_places[:RANKS], start=1) if place in wanted), None)

    @property
    def reciprocal_rank(self) -> float:
        """1 / first_rank, 0 where there is none."""
        return 1 / self.first_rank if self.first_rank else 0.0


def place(file_name: str, page_number: int | None) -> Place:
    """The place of a hit or a citation, its file by its bare name, as gold sets name files."""
    return PurePosixPath(file_name).name, page_number


def gold_places(gold: GoldQuestion) -> set[Place]:
    """The pages that answer the question."""
    return {place(evidence.file_name, evidence.page_number) for evidence in gold.evidence}


def figures(outcomes: Sequence[Outcome]) -> dict[str, float | None]:
    """The figures of a plan by name; no outcomes give None for each."""
    answerable = [outcome for outcome in outcomes if outcome.gold.answerable]
    unanswerable = [outcome for outcome in outcomes if not outcome.gold.answerable]
    drafted = [outcome for outcome in answerable if not outcome.declined]
    return {
        "page_recall_at_1": _recall(answerable, 1),
        "page_recall_at_5": _recall(answerable, 5),
        "page_mrr_at_10": mean([outcome.reciprocal_rank for outcome in answerable]),
        "decline_rate_answerable": mean([float(outcome.declined) for outcome in answerable]),
        "decline_rate_unanswerable": mean([float(outcome.declined) for outcome in unanswerable]),
        "citation_page_precision": mean([float(o.cited in gold_places(o.gold)) for o in drafted]),
        **_verdict_figures(outcomes),
    }


def mean(values: Sequence[float]) -> float | None:
    """The arithmetic mean, None of nothing."""
    return sum(values) / len(values) if values else None


def _recall(outcomes: Sequence[Outcome], rank: int) -> float | None:
    return mean([float(outcome.first_rank is not None and outcome.first_rank <= rank) for outcome in outcomes])


def _verdict_figures(outcomes: Sequence[Outcome]) -> Mapping[str, float | None]:
    """Over yes/no gold questions: the share given a verdict, how many are right, and the false yes.

    Balanced accuracy is the mean of the shares of true "yes" and true "no" that are answered so, among those
    given a yes or a no.
    """
    judged = [o for o in outcomes if o.gold.verdict is not None]
    given = [o for o in judged if not o.declined and o.verdict is not None]
    rates = [
        mean([float(o.verdict == truth) for o in given if o.gold.verdict == truth and o.verdict in ("yes", "no")])
        for truth in ("yes", "no")
    ]
    said_yes = [o for o in outcomes if o.verdict == "yes" and not o.declined]
    true_no = [o for o in judged if o.gold.verdict == "no"]
    return {
        "verdict_coverage": mean([float(o in given) for o in judged]),
        "verdict_accuracy": mean([float(o.verdict == o.gold.verdict) for o in given]),
        "verdict_balanced_accuracy": None if None in rates else sum(r for r in rates if r is not None) / 2,
        "false_yes_of_no": mean([float(o in said_yes) for o in true_no]),
        "false_yes_of_unanswerable": mean([float(o in said_yes) for o in outcomes if not o.gold.answerable])
        if judged
        else None,
    }
