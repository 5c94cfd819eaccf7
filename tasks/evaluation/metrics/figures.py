"""Figures of a plan's hits and answers against a gold set, without a judge.

Ranks run over the first ten hits. A figure over nothing is None with the reason, never 0; a question that cannot be
scored, such as an answerable question with unknown gold pages, is counted as unscored.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from tasks.evaluation.gold.gold_set import as_question
from tasks.evaluation.gold.outcomes import RANKS, Outcome
from tasks.evaluation.metrics import free_text, ranking
from tasks.evaluation.metrics.calibration import Judged, Point, coverage_curve, expected_calibration_error, widest
from tasks.evaluation.metrics.proposals import Proposed, proposal_figures
from tasks.evaluation.metrics.rouge import References
from tasks.evaluation.metrics.verdicts import NO_YES_NO, Said, YesNo, verdict_figures
from tasks.records import AnswerStatus
from tasks.statistics.estimates import Figure, bootstrap, degrees_of_freedom, mean

RECALL_RANKS = (1, 3, 5, 7, 9)
RIGHT_PERCENTS = (95, 90)
NO_ANSWERABLE = "the gold set has no answerable question"
NO_UNANSWERABLE = "the gold set has no unanswerable question"
NO_DRAFT = "no answerable question was given a draft"
STATUS_RATES: Mapping[str, AnswerStatus] = {
    "answered_rate": "answered",
    "review_rate": "needs_review",
    "decline_rate": "declined",
}
"""Figures that are shares of questions by status; failed questions are unscored."""


def counted_figures(outcomes: Sequence[Outcome]) -> dict[str, Figure]:
    """Compute all figures of a plan by name, each in [0, 1], with an error clustered by document or questionnaire."""
    answerable = [one for one in outcomes if one.gold.answerable]
    unanswerable = [one for one in outcomes if not one.gold.answerable]
    drafted = [one for one in answerable if not one.declined]
    declined = [one for one in outcomes if one.status == "declined"]
    ranked = [_ranked(one) for one in answerable]
    return {
        **{
            name: mean([scores[name] for scores in ranked], _clusters(answerable), reason=NO_ANSWERABLE)
            for name in _ranked_names()
        },
        **{f"place_recall_at_{k}": _mean(answerable, partial(_is_placed, k=k), NO_ANSWERABLE) for k in (1, 5)},
        **{
            name: _mean(outcomes, partial(_has_status, status=status), "the gold set has no question")
            for name, status in STATUS_RATES.items()
        },
        "decline_precision": _mean(declined, lambda one: not one.gold.answerable, "no question was declined"),
        "answered_page_precision": _mean(
            [one for one in outcomes if one.status == "answered" and not _is_judged_by_verdict(one)],
            Outcome.cites_gold_page,
            "no question was answered but by a verdict",
        ),
        "decline_rate_answerable": _mean(answerable, lambda one: one.declined, NO_ANSWERABLE),
        "decline_rate_unanswerable": _mean(unanswerable, lambda one: one.declined, NO_UNANSWERABLE),
        "citation_page_precision": _mean(drafted, Outcome.cites_gold_page, NO_DRAFT),
        "citation_place_precision": _mean(drafted, _cites_gold_place, NO_DRAFT),
        "rouge1_recall": mean(_rouge1_recalls(answerable), _clusters(answerable), reason=NO_ANSWERABLE),
        **free_text.free_text_figures(free_text_outcomes(outcomes), _clusters(_free_text(outcomes))),
        **_confidence_figures(outcomes),
        **verdict_figures(yes_no(outcomes)),
        **proposal_figures(proposals(outcomes)),
        "false_yes_of_unanswerable": _mean(
            unanswerable if yes_no(outcomes) else [],
            lambda one: one.verdict == "yes" and not one.declined,
            NO_UNANSWERABLE if yes_no(outcomes) else NO_YES_NO,
        ),
    }


def figures(outcomes: Sequence[Outcome]) -> dict[str, float | None]:
    """The values of :func:`counted_figures` alone; no outcomes give None for each."""
    return {name: figure.value for name, figure in counted_figures(outcomes).items()}


def ranked_values(outcomes: Sequence[Outcome]) -> dict[str, list[float]]:
    """The values of each question with a gold page for the figures of page ranks, by the figure's name.

    Their mean is the figure; their order is that of the outcomes, so that the values of two plans are paired.
    """
    ranked = [_ranked(one) for one in paged(outcomes)]
    return {name: [value for scores in ranked if (value := scores[name]) is not None] for name in _ranked_names()}


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


def free_text_outcomes(outcomes: Sequence[Outcome]) -> list[free_text.Told | None]:
    """The results of the answerable questions without a true verdict: correct, incorrect or no context.

    A draft is correct if its first citation is on a gold page; None if the gold pages are unknown, or if the answer
    failed.
    """
    return [_told(one) for one in _free_text(outcomes)]


def coverage(outcomes: Sequence[Outcome]) -> list[Point]:
    """The coverage curve of the confidence; a draft is wrong if it cites no gold page.

    Questions with unknown gold pages are left out. A question that was declined for another reason than its confidence
    is never covered: no threshold makes it a draft.
    """
    known = [one for one in outcomes if one.gold_pages or not one.gold.answerable]
    return coverage_curve(_judged_drafts(known), len(known))


def _ranked(one: Outcome) -> dict[str, float | None]:
    pages, gold = one.pages[:RANKS], one.gold_pages
    return {
        **{f"page_recall_at_{k}": ranking.success(pages, gold, k) for k in RECALL_RANKS},
        **{f"gold_page_recall_at_{k}": ranking.recall(pages, gold, k) for k in RECALL_RANKS},
        "page_mrr_at_10": ranking.reciprocal_rank(pages, gold, RANKS),
        "ndcg_at_10": ranking.ndcg(pages, gold, RANKS),
    }


def _ranked_names() -> list[str]:
    by_rank = (f"{kind}_at_{k}" for kind in ("page_recall", "gold_page_recall") for k in RECALL_RANKS)
    return [*by_rank, "page_mrr_at_10", "ndcg_at_10"]


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


def _is_judged_by_verdict(one: Outcome) -> bool:
    return one.verdict is not None and _has_known_verdict(one)


def _rouge1_recalls(answerable: Sequence[Outcome]) -> list[float | None]:
    """The ROUGE-1 recall of each answer; an answer without a draft has no words, a failed one is unscored."""
    known = References([one.gold.answer for one in answerable])
    found = known.recalls([one.text or "" for one in answerable])
    return [None if one.status == "failed" else recall for one, recall in zip(answerable, found, strict=True)]


def _free_text(outcomes: Sequence[Outcome]) -> list[Outcome]:
    return [one for one in outcomes if one.gold.answerable and one.gold.verdict is None]


def _told(one: Outcome) -> free_text.Told | None:
    if one.status == "failed":
        return None
    if one.declined:
        return "no_context"
    is_right = one.cites_gold_page()
    return None if is_right is None else "correct" if is_right else "incorrect"


def _said(one: Outcome) -> Said:
    if one.declined:
        return "failed" if one.status == "failed" else "no_context"
    return one.verdict or "no_verdict"


def _judged_drafts(outcomes: Sequence[Outcome]) -> list[Judged]:
    """The confidence of each draft, including those declined for low confidence, and if it cites a gold page."""
    return [
        Judged(one.confidence, one.page_of(shown) in one.gold_pages)
        for one in outcomes
        if one.confidence is not None and (shown := one.cited or (one.nearest if one.is_withheld else None))
    ]


def _confidence_figures(outcomes: Sequence[Outcome]) -> Mapping[str, Figure]:
    """The calibration error of the confidence, and the coverage at 95% and 90% right.

    The confidence is compared with the probability that the documents answer the question; a draft is right if it cites
    a page that does.
    """
    labels = _clusters(outcomes)
    scatters = bootstrap(labels, lambda drawn: list(_confidence_values([outcomes[at] for at in drawn]).values()))
    told = sum(one.confidence is not None for one in outcomes)
    known = sum(bool(one.gold_pages) or not one.gold.answerable for one in outcomes)
    found = {}
    for (name, value), (error, ends) in zip(_confidence_values(outcomes).items(), scatters, strict=True):
        n = told if name == "calibration_error" else known
        reason = "no threshold leaves so many right" if told and n else "no question with a confidence can be judged"
        freedom = degrees_of_freedom(labels)
        why = None if value is not None else reason
        found[name] = Figure(value, n, len(outcomes) - n, error, len(set(labels)), freedom, why, ends)
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
