"""Figures of a plan's hits and answers against a gold set, without a judge.

Ranks run over the first ten hits. A figure over nothing is None with the reason, never 0; a question that cannot be
scored, such as an answerable question with unknown gold pages, is counted as unscored.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Literal, get_args

from tasks.evaluation.gold.gold_set import as_question
from tasks.evaluation.gold.outcomes import RANKS, Outcome
from tasks.evaluation.metrics import ranking
from tasks.evaluation.metrics.calibration import Judged, Point, coverage_curve, expected_calibration_error, widest
from tasks.evaluation.metrics.proposals import Proposed, proposal_figures
from tasks.evaluation.metrics.rouge import References
from tasks.evaluation.metrics.verdicts import NO_YES_NO, Said, YesNo, verdict_figures
from tasks.records import AnswerStatus
from tasks.statistics.estimates import Figure, bootstrapped, mean

RECALL_RANKS = (1, 3, 5, 7, 9)
RIGHT_PERCENTS = (95, 90)
NO_ANSWERABLE = "the gold set has no answerable question"
NO_UNANSWERABLE = "the gold set has no unanswerable question"
NO_DRAFT = "no answerable question was given a draft"
NO_FREE_TEXT = "the gold set has no answerable question in free text"
STATUS_RATES: Mapping[str, AnswerStatus] = {
    "answered_rate": "answered",
    "review_rate": "needs_review",
    "decline_rate": "declined",
}
"""Figures that are shares of questions by status; failed questions are unscored."""
RANKINGS: Mapping[str, Callable[..., float | None]] = {
    **{f"page_recall_at_{k}": partial(ranking.success, k=k) for k in RECALL_RANKS},
    **{f"gold_page_recall_at_{k}": partial(ranking.recall, k=k) for k in RECALL_RANKS},
    "page_mrr_at_10": partial(ranking.reciprocal_rank, k=RANKS),
    "ndcg_at_10": partial(ranking.ndcg, k=RANKS),
}
"""Functions from the pages of a question's hits and its gold pages to a figure."""
FreeText = Literal["correct", "incorrect", "no_context", "unscored"]
"""Result of an answer in free text, as in tables 2 and 4 of Liang et al. 2024, who had it judged by hand."""


def counted_figures(outcomes: Sequence[Outcome]) -> dict[str, Figure]:
    """Compute all figures of a plan by name, each in [0, 1], with an error clustered by document or questionnaire."""
    answerable = [one for one in outcomes if one.gold.answerable]
    unanswerable = [one for one in outcomes if not one.gold.answerable]
    drafted = [one for one in answerable if not one.declined]
    declined = [one for one in outcomes if one.status == "declined"]
    free_text = [one for one in answerable if one.gold.verdict is None]
    ranked = [_ranked(one) for one in answerable]
    return {
        **{
            name: mean([scores[name] for scores in ranked], _clusters(answerable), reason=NO_ANSWERABLE)
            for name in RANKINGS
        },
        **{f"place_recall_at_{k}": _mean(answerable, partial(_is_placed, k=k), NO_ANSWERABLE) for k in (1, 5)},
        **{
            name: _mean(outcomes, partial(_has_status, status=status), "the gold set has no question")
            for name, status in STATUS_RATES.items()
        },
        "decline_precision": _mean(declined, lambda one: not one.gold.answerable, "no question was declined"),
        "answered_page_precision": _mean(
            [
                one
                for one in outcomes
                if one.status == "answered" and (one.verdict is None or not _has_known_verdict(one))
            ],
            Outcome.cites_gold_page,
            "no question was answered but by a verdict",
        ),
        "decline_rate_answerable": _mean(answerable, lambda one: one.declined, NO_ANSWERABLE),
        "decline_rate_unanswerable": _mean(unanswerable, lambda one: one.declined, NO_UNANSWERABLE),
        "citation_page_precision": _mean(drafted, Outcome.cites_gold_page, NO_DRAFT),
        "citation_place_precision": _mean(drafted, _cites_gold_place, NO_DRAFT),
        "rouge1_recall": mean(_rouge1_recalls(answerable), _clusters(answerable), reason=NO_ANSWERABLE),
        "free_text_accuracy": _mean(free_text, partial(_is_told, kind="correct"), NO_FREE_TEXT),
        "free_text_no_context_rate": _mean(free_text, partial(_is_told, kind="no_context"), NO_FREE_TEXT),
        **_confidence_figures(outcomes),
        **verdict_figures(yes_no(outcomes)),
        **proposal_figures(proposals(outcomes)),
        "false_yes_of_unanswerable": _mean(
            unanswerable if yes_no(outcomes) else [],
            lambda one: one.verdict == "yes" and not one.declined,
            NO_UNANSWERABLE if yes_no(outcomes) else NO_YES_NO,
        ),
    }


def ranked_values(outcomes: Sequence[Outcome]) -> dict[str, list[float]]:
    """The values of each question with a gold page for the figures of page ranks, by the figure's name.

    Their mean is the figure; their order is that of the outcomes, so that the values of two plans are paired.
    """
    ranked = [_ranked(one) for one in paged(outcomes)]
    return {name: [value for scores in ranked if (value := scores[name]) is not None] for name in RANKINGS}


def paged(outcomes: Sequence[Outcome]) -> list[Outcome]:
    """The outcomes with a known gold page."""
    return [one for one in outcomes if one.gold_pages]


def yes_no(outcomes: Sequence[Outcome]) -> list[YesNo]:
    """The questions with a true verdict, and the verdict that each was given."""
    return [YesNo(one.gold.verdict, _said(one), one.cluster) for one in outcomes if one.gold.verdict is not None]


def proposals(outcomes: Sequence[Outcome]) -> list[Proposed]:
    """The yes/no questions with a true verdict or without any answer, with the verdict proposed to each.

    Failed questions are left out.
    """
    return [
        Proposed(one.gold.verdict, one.proposed_verdict, one.verdict_probability, one.verdict, one.cluster)
        for one in outcomes
        if one.status != "failed" and _has_known_verdict(one)
    ]


def free_text_counts(outcomes: Sequence[Outcome]) -> dict[FreeText, int]:
    """Count the answerable questions without a true verdict by result, each kind with its count.

    A draft is correct if its first citation is on a gold page; unscored if the gold pages are unknown, or if the answer
    failed.
    """
    counts = Counter(_free_text(one) for one in outcomes if one.gold.answerable and one.gold.verdict is None)
    return {kind: counts[kind] for kind in get_args(FreeText)}


def coverage(outcomes: Sequence[Outcome]) -> list[Point]:
    """The coverage curve of the confidence; a draft is wrong if it cites no gold page.

    Questions with unknown gold pages are left out. A question that was declined for another reason than its confidence
    is never covered: no threshold makes it a draft.
    """
    known = [one for one in outcomes if one.gold_pages or not one.gold.answerable]
    judged = [
        Judged(one.confidence, one.page_of(shown) in one.gold_pages)
        for one in known
        if one.confidence is not None and (shown := one.cited or (one.nearest if one.is_withheld else None))
    ]
    return coverage_curve(judged, len(known))


def _ranked(one: Outcome) -> dict[str, float | None]:
    pages, gold = one.pages[:RANKS], one.gold_pages
    return {name: figure(pages, gold) for name, figure in RANKINGS.items()}


def _clusters(outcomes: Sequence[Outcome]) -> list[str]:
    return [one.cluster for one in outcomes]


def _mean(outcomes: Sequence[Outcome], value: Callable[[Outcome], float | None], reason: str) -> Figure:
    return mean([value(one) for one in outcomes], _clusters(outcomes), reason=reason)


def _is_placed(one: Outcome, k: int) -> float | None:
    return float(one.first_place_rank is not None and one.first_place_rank <= k) if one.gold_pages else None


def _cites_gold_place(one: Outcome) -> float | None:
    return float(one.cited is not None and one.is_gold(one.cited)) if one.gold_pages else None


def _has_status(one: Outcome, status: AnswerStatus) -> float | None:
    return None if one.status == "failed" else float(one.status == status)


def _has_known_verdict(one: Outcome) -> bool:
    """Tell if a yes/no question has a true verdict, or is unanswerable, so that any verdict is wrong."""
    return as_question(one.gold, 0).kind == "yes_no" and (one.gold.verdict is not None or not one.gold.answerable)


def _rouge1_recalls(answerable: Sequence[Outcome]) -> list[float | None]:
    """The ROUGE-1 recall of each answer; an answer without a draft has no words, a failed one is unscored."""
    known = References([one.gold.answer for one in answerable])
    found = known.recalls([one.text or "" for one in answerable])
    return [None if one.status == "failed" else recall for one, recall in zip(answerable, found, strict=True)]


def _free_text(one: Outcome) -> FreeText:
    if one.declined:
        return "unscored" if one.status == "failed" else "no_context"
    is_right = one.cites_gold_page()
    return "unscored" if is_right is None else "correct" if is_right else "incorrect"


def _is_told(one: Outcome, kind: FreeText) -> float | None:
    told = _free_text(one)
    return None if told == "unscored" else float(told == kind)


def _said(one: Outcome) -> Said:
    if one.declined:
        return "failed" if one.status == "failed" else "no_context"
    return one.verdict or "no_verdict"


def _confidence_figures(outcomes: Sequence[Outcome]) -> Mapping[str, Figure]:
    """The error of the confidence that a question is answerable, and the coverage at 95% and 90% right drafts."""
    told = sum(one.confidence is not None for one in outcomes)
    known = sum(bool(one.gold_pages) or not one.gold.answerable for one in outcomes)
    found = {}
    for name, figure in bootstrapped(outcomes, _clusters(outcomes), _confidence_values).items():
        n = told if name == "calibration_error" else known
        reason = "no threshold leaves so many right" if told and n else "no question with a confidence can be judged"
        why = reason if figure.value is None else None
        found[name] = figure._replace(n=n, unscored=len(outcomes) - n, reason=why)
    return found


def _confidence_values(outcomes: Sequence[Outcome]) -> dict[str, float | None]:
    told = [Judged(one.confidence, one.gold.answerable) for one in outcomes if one.confidence is not None]
    values = {"calibration_error": expected_calibration_error(told)}
    curve = coverage(outcomes)
    for percent in RIGHT_PERCENTS:
        point = widest(curve, 1 - percent / 100)
        values[f"coverage_where_{percent}_right"] = point.coverage if point else None
        values[f"threshold_where_{percent}_right"] = point.threshold if point else None
    return values
