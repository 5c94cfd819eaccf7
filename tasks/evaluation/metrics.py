"""What a plan's hits and answers are worth against a gold set.

A hit counts as one page, the one that holds most of its characters. Ranks run over the first ten hits; a hit
that repeats a page keeps its rank. A figure over nothing is None, never 0.

A sheet has no pages, so any row of a workbook counts as its one page. The figures of a place are stricter: where the
gold evidence is a row, only that row is right.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import NamedTuple

from tasks.evaluation.calibration import Judged, coverage_curve, expected_calibration_error, widest
from tasks.records import AnswerStatus, GoldQuestion, Verdict

RANKS = 10
RECALL_RANKS = (1, 3, 5, 7, 9)
RIGHT_PERCENTS = (95, 90)


class Place(NamedTuple):
    """Where a hit, a citation or gold evidence stands: a file by its bare name, as gold sets name files, and a page,
    None in a format without pages; in a workbook or CSV also the row.
    """

    file_name: str
    page_number: int | None
    sheet_name: str | None = None
    row_number: int | None = None

    @property
    def page(self) -> tuple[str, int | None]:
        """The file and the page alone."""
        return self.file_name, self.page_number

    def is_at(self, gold: Place) -> bool:
        """Whether it is on the page of ``gold``, and on its row where that names one."""
        return self.page == gold.page and (
            gold.row_number is None
            or (self.row_number == gold.row_number and gold.sheet_name in (None, self.sheet_name))
        )


class Figure(NamedTuple):
    """A figure, None where it is over nothing, and the number of questions that it is over."""

    value: float | None
    n: int


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a plan said to one gold question. ``hit_places`` are those of its hits, best first; ``nearest`` is where the
    fact stands that is shown beside a decline.
    """

    gold: GoldQuestion
    hit_places: Sequence[Place]
    status: AnswerStatus
    verdict: Verdict | None = None
    cited: Place | None = None
    confidence: float | None = None
    nearest: Place | None = None

    @property
    def declined(self) -> bool:
        """Whether it gave no draft: declined, or failed."""
        return self.status in ("declined", "failed")

    @property
    def first_rank(self) -> int | None:
        """The 1-based rank of the first hit on a gold page, None where none of the first ten is."""
        wanted = {place.page for place in gold_places(self.gold)}
        return _first(hit.page in wanted for hit in self.hit_places[:RANKS])

    @property
    def first_place_rank(self) -> int | None:
        """The 1-based rank of the first hit in a gold place, None where none of the first ten is."""
        return _first(_is_gold(hit, self.gold) for hit in self.hit_places[:RANKS])

    @property
    def reciprocal_rank(self) -> float:
        """1 / first_rank, 0 where there is none."""
        return 1 / self.first_rank if self.first_rank else 0.0

    @property
    def ndcg(self) -> float:
        """nDCG of the first ten hits: each gold page gains 1 where it is hit first, discounted by log2(rank + 1), over
        what they gain if all of them come first; 0 where none is hit.

        After Järvelin and Kekäläinen (2002). A hit that repeats a page keeps its rank and gains nothing more.
        """
        wanted = {place.page for place in gold_places(self.gold)}
        pages = [hit.page for hit in self.hit_places[:RANKS]]
        first_ranks = [pages.index(page) + 1 for page in wanted if page in pages]
        best = sum(_discount(rank) for rank in range(1, min(len(wanted), RANKS) + 1))
        return sum(map(_discount, sorted(first_ranks))) / best if first_ranks else 0.0

    def is_hit_within(self, ranks: int) -> bool:
        """Whether a gold page is among so many hits, at most ten."""
        return self.first_rank is not None and self.first_rank <= ranks


def judged_drafts(outcomes: Sequence[Outcome]) -> list[Judged]:
    """The confidence of each draft, those that were declined for it among them, and whether it cites a gold page."""
    return [
        Judged(one.confidence, shown.page in {wanted.page for wanted in gold_places(one.gold)})
        for one in outcomes
        if one.confidence is not None and (shown := one.cited or one.nearest)
    ]


def place(file_name: str, page_number: int | None, sheet_name: str | None = None, row: int | None = None) -> Place:
    """The place in a file that is named by its path."""
    return Place(PurePosixPath(file_name).name, page_number, sheet_name, row)


def gold_places(gold: GoldQuestion) -> set[Place]:
    """The places that answer the question."""
    return {place(e.file_name, e.page_number, e.sheet_name, e.row_number) for e in gold.evidence}


def ranked_values(outcomes: Sequence[Outcome]) -> dict[str, list[float]]:
    """What each answerable question contributes to the figures of its pages' ranks, by the figure's name.

    Their mean is the figure; their order is that of the outcomes, so that those of two plans are pairs.
    """
    answerable = [outcome for outcome in outcomes if outcome.gold.answerable]
    recalls = {f"page_recall_at_{k}": [float(one.is_hit_within(k)) for one in answerable] for k in RECALL_RANKS}
    return recalls | {
        "page_mrr_at_10": [outcome.reciprocal_rank for outcome in answerable],
        "ndcg_at_10": [outcome.ndcg for outcome in answerable],
    }


def figures(outcomes: Sequence[Outcome]) -> dict[str, float | None]:
    """The figures of a plan by name; no outcomes give None for each."""
    return {name: figure.value for name, figure in counted_figures(outcomes).items()}


def counted_figures(outcomes: Sequence[Outcome]) -> dict[str, Figure]:
    """The figures of a plan by name, each with the number of questions that it is over."""
    answerable = [outcome for outcome in outcomes if outcome.gold.answerable]
    unanswerable = [outcome for outcome in outcomes if not outcome.gold.answerable]
    drafted = [outcome for outcome in answerable if not outcome.declined]
    place_ranks = [outcome.first_place_rank for outcome in answerable]
    gold_pages = {outcome.gold.question_id: {g.page for g in gold_places(outcome.gold)} for outcome in drafted}
    return {
        **{name: _mean(values) for name, values in ranked_values(outcomes).items()},
        "place_recall_at_1": _recall(place_ranks, 1),
        "place_recall_at_5": _recall(place_ranks, 5),
        "decline_rate_answerable": _mean([outcome.declined for outcome in answerable]),
        "decline_rate_unanswerable": _mean([outcome.declined for outcome in unanswerable]),
        "citation_page_precision": _mean(
            [o.cited is not None and o.cited.page in gold_pages[o.gold.question_id] for o in drafted]
        ),
        "citation_place_precision": _mean([o.cited is not None and _is_gold(o.cited, o.gold) for o in drafted]),
        **_confidence_figures(outcomes),
        **_verdict_figures(outcomes),
    }


def _mean(values: Sequence[float]) -> Figure:
    return Figure(sum(values) / len(values) if values else None, len(values))


def _recall(first_ranks: Sequence[int | None], rank: int) -> Figure:
    return _mean([first is not None and first <= rank for first in first_ranks])


def _discount(rank: int) -> float:
    return 1 / math.log2(rank + 1)


def _first(right: Iterable[bool]) -> int | None:
    return next((rank for rank, is_right in enumerate(right, start=1) if is_right), None)


def _is_gold(found: Place, gold: GoldQuestion) -> bool:
    return any(found.is_at(wanted) for wanted in gold_places(gold))


def _confidence_figures(outcomes: Sequence[Outcome]) -> Mapping[str, Figure]:
    """How far the confidence is from the share of drafts that cite a gold page, and the share of questions that is left
    where 95% or 90% of the drafts do.
    """
    judged = judged_drafts(outcomes)
    curve = coverage_curve(judged, len(outcomes))
    figures = {"calibration_error": Figure(expected_calibration_error(judged), len(judged))}
    for percent in RIGHT_PERCENTS:
        point = widest(curve, 1 - percent / 100)
        figures[f"coverage_where_{percent}_right"] = Figure(point.coverage if point else None, len(outcomes))
        figures[f"threshold_where_{percent}_right"] = Figure(point.threshold if point else None, len(judged))
    return figures


def _verdict_figures(outcomes: Sequence[Outcome]) -> Mapping[str, Figure]:
    """Over yes/no gold questions: the share given a verdict, how many are right, and the false yes.

    Balanced accuracy is the mean of the shares of true "yes" and true "no" that are answered so, among those
    given a yes or a no.
    """
    judged = [o for o in outcomes if o.gold.verdict is not None]
    given = [o for o in judged if not o.declined and o.verdict is not None]
    rates = [
        _mean([o.verdict == truth for o in given if o.gold.verdict == truth and o.verdict in ("yes", "no")])
        for truth in ("yes", "no")
    ]
    shares = [rate.value for rate in rates if rate.value is not None]
    said_yes = [o for o in outcomes if o.verdict == "yes" and not o.declined]
    return {
        "verdict_coverage": _mean([o in given for o in judged]),
        "verdict_accuracy": _mean([o.verdict == o.gold.verdict for o in given]),
        "verdict_balanced_accuracy": Figure(
            sum(shares) / 2 if len(shares) == 2 else None, sum(rate.n for rate in rates)
        ),
        "false_yes_of_no": _mean([o in said_yes for o in judged if o.gold.verdict == "no"]),
        "false_yes_of_unanswerable": _mean([o in said_yes for o in outcomes if judged and not o.gold.answerable]),
    }
