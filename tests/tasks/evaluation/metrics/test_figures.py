from __future__ import annotations

import math
import random
from dataclasses import replace

import ir_measures
import pytest
from ir_measures import RR, Success, nDCG

from tasks.evaluation.gold.outcomes import Outcome, Place, place
from tasks.evaluation.metrics.figures import NO_FREE_TEXT, counted_figures, coverage, free_text_counts, ranked_values
from tasks.records import AnswerStatus, DeclineReason, GoldEvidence, GoldQuestion, Verdict

RANKED = {f"{kind}_at_{rank}" for kind in ("page_recall", "gold_page_recall") for rank in (1, 3, 5, 7, 9)}
VERDICTS = {
    "verdict_coverage",
    "verdict_accuracy",
    "verdict_accuracy_of_all",
    "verdict_precision",
    "verdict_recall",
    "verdict_balanced_accuracy",
    "verdict_no_context_rate",
    "verdict_given_precision",
    "verdict_wrongly_given",
    "verdict_proposal_precision",
    "verdict_right_or_proposed",
    "verdict_unanswerable_open",
    "verdict_unanswerable_not_given",
    "verdict_calibration_error",
    "verdict_coverage_where_95_right",
    "verdict_threshold_where_95_right",
    "false_yes_of_no",
    "false_yes_of_unanswerable",
}
CONFIDENCE = {"calibration_error"} | {
    f"{what}_where_{percent}_right" for what in ("coverage", "threshold") for percent in (95, 90)
}
OTHERS = {
    "page_mrr_at_10",
    "ndcg_at_10",
    "place_recall_at_1",
    "place_recall_at_5",
    "citation_place_precision",
    "answered_rate",
    "answered_page_precision",
    "review_rate",
    "decline_rate",
    "decline_precision",
    "decline_rate_answerable",
    "decline_rate_unanswerable",
    "citation_page_precision",
    "rouge1_recall",
    "free_text_accuracy",
    "free_text_no_context_rate",
}
NAMES = RANKED | VERDICTS | CONFIDENCE | OTHERS


def gold(question_id: str, *places: Place, verdict: Verdict | None = None, answerable: bool = True) -> GoldQuestion:
    evidence = tuple(GoldEvidence(*place) for place in places)
    return GoldQuestion(question_id, "A question?", answerable, verdict=verdict, evidence=evidence)


def outcome(
    *hits: Place,
    status: AnswerStatus = "answered",
    wanted: tuple[Place, ...] = (Place("a.pdf", 1),),
    verdict: Verdict | None = None,
    truth: Verdict | None = None,
    cited: Place | None = None,
    answerable: bool = True,
) -> Outcome:
    return Outcome(gold("q", *wanted, verdict=truth, answerable=answerable), hits, status, verdict, cited)


def figures(outcomes: list[Outcome]) -> dict[str, float | None]:
    return {name: figure.value for name, figure in counted_figures(outcomes).items()}


@pytest.mark.parametrize("seed", range(10))
def test_figures_are_those_of_ir_measures(seed: int) -> None:
    """On runs without a repeated page, where a page is a document of the reference."""
    draw = random.Random(seed)
    pages = [Place("file.pdf", number) for number in range(1, 31)]
    outcomes = [
        Outcome(
            gold(f"q{number}", *draw.sample(pages, draw.randint(1, 4))),
            draw.sample(pages, draw.randint(0, 20)),
            "answered",
        )
        for number in range(50)
    ]
    relevant = [
        ir_measures.Qrel(one.gold.question_id, f"{item.file_name}#{item.page_number}", 1)
        for one in outcomes
        for item in one.gold.evidence
    ]
    run = [
        ir_measures.ScoredDoc(one.gold.question_id, f"{hit.file_name}#{hit.page_number}", -rank)
        for one in outcomes
        for rank, hit in enumerate(one.hit_places)
    ]
    recalls = {rank: Success @ rank for rank in (1, 3, 5, 7, 9)}
    expected = ir_measures.calc_aggregate([*recalls.values(), RR @ 10, nDCG @ 10], relevant, run)
    found = figures(outcomes)
    for rank, measure in recalls.items():
        assert found[f"page_recall_at_{rank}"] == pytest.approx(expected[measure])
    assert found["page_mrr_at_10"] == pytest.approx(expected[RR @ 10])
    assert found["ndcg_at_10"] == pytest.approx(expected[nDCG @ 10])


@pytest.mark.parametrize(
    ("hits", "rank"),
    [
        ([], None),
        ([Place("a.pdf", 1)], 1),
        ([Place("b.pdf", 1), Place("a.pdf", 2), Place("a.pdf", 1)], 3),
        ([Place("b.pdf", 1), Place("b.pdf", 1), Place("a.pdf", 1)], 3),  # a hit that repeats a page keeps its rank
        ([Place("b.pdf", n) for n in range(9)] + [Place("a.pdf", 1)], 10),
        ([Place("b.pdf", n) for n in range(10)] + [Place("a.pdf", 1)], None),
        ([Place("a.pdf", None)], None),
    ],
)
def test_first_rank(hits: list[Place], rank: int | None) -> None:
    one = outcome(*hits)
    assert one.first_rank == rank
    assert ranked_values([one])["page_mrr_at_10"] == [1 / rank if rank else 0.0]


@pytest.mark.parametrize(
    ("file_name", "page", "expected"),
    [
        ("policies/a.pdf", 3, Place("a.pdf", 3)),
        ("a.pdf", None, Place("a.pdf", None)),
        ("a b/c d.xlsx", None, Place("c d.xlsx", None)),
    ],
)
def test_files_are_compared_by_their_bare_name(file_name: str, page: int | None, expected: Place) -> None:
    assert place(file_name, page) == expected


def test_over_nothing_every_figure_is_undefined() -> None:
    assert figures([]) == dict.fromkeys(NAMES)


@pytest.mark.parametrize(
    ("counts", "accuracy", "no_context"),
    [((349, 20, 2), 94.07, 0.54), ((353, 18, 0), 95.15, 0.0)],
    ids=["dense", "hybrid"],
)
def test_free_text_as_in_the_tables_of_liang_et_al(
    counts: tuple[int, int, int], accuracy: float, no_context: float
) -> None:
    """Client B, tables 2 and 4. They print .53 for 2 of 371, which is .539."""
    right, wrong = outcome(cited=Place("a.pdf", 1)), outcome(cited=Place("a.pdf", 2))
    kinds = right, wrong, outcome(status="declined")
    outcomes = [one for one, n in zip(kinds, counts, strict=True) for _ in range(n)]
    found = figures(outcomes)
    assert round(100 * (found["free_text_accuracy"] or 0), 2) == accuracy
    assert round(100 * (found["free_text_no_context_rate"] or 0), 2) == no_context
    assert tuple(free_text_counts(outcomes).values()) == (*counts, 0)


def test_free_text_that_nobody_can_judge_is_unscored() -> None:
    outcomes = [outcome(cited=Place("a.pdf", 1)), outcome(wanted=()), outcome(status="declined")]
    found = counted_figures([*outcomes, outcome(status="failed"), outcome(truth="yes"), outcome(answerable=False)])
    assert found["free_text_accuracy"][:3] == (0.5, 2, 2)
    assert free_text_counts(outcomes) == {"correct": 1, "incorrect": 0, "no_context": 1, "unscored": 1}
    assert counted_figures([])["free_text_accuracy"].reason == NO_FREE_TEXT


def test_without_unanswerable_questions_their_rate_is_undefined() -> None:
    found = figures([outcome(Place("a.pdf", 1))])
    assert found["decline_rate_unanswerable"] is None and found["verdict_accuracy"] is None
    assert found["page_recall_at_1"] == 1.0 and found["decline_rate_answerable"] == 0.0


def test_where_all_is_declined_citations_are_undefined() -> None:
    assert figures([outcome(Place("a.pdf", 1), status="declined")])["citation_page_precision"] is None


def test_declines_and_citations_of_a_literal_run() -> None:
    right, wrong = Place("a.pdf", 1), Place("b.pdf", 1)
    found = figures(
        [
            outcome(right, cited=right),
            outcome(wrong, right, cited=wrong, status="needs_review"),
            outcome(wrong, cited=None),
            outcome(right, status="declined"),
            outcome(wrong, status="failed"),
            outcome(right, answerable=False, wanted=(), status="declined"),
            outcome(right, answerable=False, wanted=(), cited=right),
        ]
    )
    assert {name: found[name] for name in sorted(RANKED | OTHERS) if "place" not in name} == {
        "citation_page_precision": pytest.approx(1 / 3),
        "answered_rate": pytest.approx(3 / 6),
        "answered_page_precision": pytest.approx(1 / 3),
        "review_rate": pytest.approx(1 / 6),
        "decline_rate": pytest.approx(2 / 6),
        "decline_precision": pytest.approx(1 / 2),
        "decline_rate_answerable": pytest.approx(2 / 5),
        "decline_rate_unanswerable": pytest.approx(1 / 2),
        "page_mrr_at_10": pytest.approx((1 + 1 / 2 + 0 + 1 + 0) / 5),
        "ndcg_at_10": pytest.approx((1 + 1 / math.log2(3) + 0 + 1 + 0) / 5),
        **{name: pytest.approx(2 / 5 if name.endswith("_1") else 3 / 5) for name in RANKED},
        "rouge1_recall": None,
        "free_text_accuracy": pytest.approx(1 / 4),
        "free_text_no_context_rate": pytest.approx(1 / 4),
    }


def test_a_question_of_which_no_page_is_known_is_unscored() -> None:
    """As one from a past questionnaire, and one of which only the PDF is known."""
    page = Place("a.pdf", 1)
    found = counted_figures(
        [
            outcome(page, cited=page),
            outcome(page, cited=page, wanted=()),
            outcome(page, cited=page, wanted=(Place("a.pdf", None),)),
        ]
    )
    for name in (*RANKED, "page_mrr_at_10", "ndcg_at_10", "place_recall_at_5", "citation_page_precision"):
        assert found[name][:3] == (1.0, 1, 2), name
    assert found["free_text_accuracy"][:3] == (1.0, 1, 2)
    assert (found["coverage_where_95_right"].n, found["coverage_where_95_right"].unscored) == (1, 2)
    assert found["decline_rate_answerable"][:3] == (0.0, 3, 0)
    unknown = counted_figures([outcome(page, wanted=())])["page_recall_at_5"]
    assert (unknown.value, unknown.reason) == (None, "none of 1 questions could be scored")


def test_the_share_of_the_right_pages_is_not_whether_any_is_found() -> None:
    one, two = Place("a.pdf", 1), Place("a.pdf", 2)
    found = figures([outcome(one, wanted=(one, two))])
    assert (found["page_recall_at_5"], found["gold_page_recall_at_5"]) == (1.0, 0.5)


def test_words_of_the_known_answer() -> None:
    """A decline says none; what failed, and what has no known answer, is unscored."""
    known = replace(outcome().gold, answer="AES 256 at rest")
    found = counted_figures(
        [
            replace(outcome(), gold=known, text="At rest by AES-256."),
            replace(outcome(status="declined"), gold=known),
            replace(outcome(status="failed"), gold=known),
            outcome(),
        ]
    )
    assert found["rouge1_recall"][:3] == (0.5, 2, 2)


def test_questions_of_one_document_or_questionnaire_are_right_together() -> None:
    first, second = Place("a.pdf", 1), Place("b.pdf", 1)
    some = [outcome(first)] * 3 + [outcome(first, wanted=(second,))]
    assert counted_figures(some)["page_recall_at_1"].clusters == 2
    assert counted_figures(some[:3])["page_recall_at_1"][3:6] == (None, 1, None)
    asked = replace(some[0].gold, questionnaire="CAIQ")
    assert replace(some[0], gold=asked).cluster == "questionnaire CAIQ"
    assert outcome(wanted=(), answerable=False).cluster == "question q"


@pytest.mark.parametrize(
    ("hit", "wanted", "on_page", "in_place"),
    [
        (Place("a.xlsx", None, "Security", 7), Place("a.xlsx", None, "Security", 7), 1, 1),
        (Place("a.xlsx", None, "Security", 8), Place("a.xlsx", None, "Security", 7), 1, None),
        (Place("a.xlsx", None, "Privacy", 7), Place("a.xlsx", None, "Security", 7), 1, None),
        (Place("a.csv", None, None, 7), Place("a.csv", None, None, 7), 1, 1),
        (Place("a.xlsx", None, "Security", 7), Place("a.xlsx", None, None, 7), 1, 1),
        (Place("a.pdf", 3), Place("a.pdf", 3), 1, 1),
        (Place("a.pdf", 3), Place("a.pdf", 4), None, None),
    ],
)
def test_a_row_of_a_workbook_is_a_place_of_its_own(
    hit: Place, wanted: Place, on_page: int | None, in_place: int | None
) -> None:
    one = outcome(hit, wanted=(wanted,), cited=hit)
    assert (one.first_rank, one.first_place_rank) == (on_page, in_place)
    found = figures([one])
    assert (found["citation_page_precision"], found["citation_place_precision"]) == (on_page or 0, in_place or 0)
    assert (found["page_recall_at_5"], found["place_recall_at_5"]) == (on_page or 0, in_place or 0)


def test_verdicts_of_a_literal_run() -> None:
    found = figures(
        [
            outcome(truth="yes", verdict="yes"),
            outcome(truth="yes", verdict="no"),
            outcome(truth="yes", verdict=None),
            outcome(truth="no", verdict="no"),
            outcome(truth="no", verdict="yes"),
            outcome(truth="no", verdict="yes", status="declined"),
            outcome(truth="partial", verdict="partial"),
            outcome(truth=None, verdict="yes"),
            outcome(answerable=False, wanted=(), verdict="yes"),
            outcome(answerable=False, wanted=(), status="declined"),
        ]
    )
    assert found["verdict_coverage"] == pytest.approx(5 / 7)
    assert found["verdict_accuracy"] == pytest.approx(3 / 5)
    assert found["verdict_balanced_accuracy"] == pytest.approx((1 / 2 + 1 / 2) / 2)
    assert found["false_yes_of_no"] == pytest.approx(1 / 3)
    assert found["false_yes_of_unanswerable"] == pytest.approx(1 / 2)


def test_a_declined_draft_counts_in_the_curve_by_the_fact_that_it_came_near_to() -> None:
    right, wrong = Place("a.pdf", 1), Place("a.pdf", 2)
    shown = [
        replace(outcome(cited=right), confidence=0.9),
        replace(outcome(status="declined"), confidence=0.5, nearest=right, decline_reason="weak_evidence"),
        replace(outcome(status="declined"), confidence=0.4, nearest=wrong, decline_reason="weak_evidence"),
        outcome(status="failed"),
    ]
    found = figures(shown)
    assert (found["coverage_where_95_right"], found["threshold_where_95_right"]) == (0.5, 0.5)
    assert [(point.threshold, point.coverage) for point in coverage(shown)] == [(0.9, 0.25), (0.5, 0.5), (0.4, 0.75)]


@pytest.mark.parametrize("reason", ["no_evidence", "conflict", "unsupported"])
def test_what_no_threshold_would_draft_is_not_covered(reason: DeclineReason) -> None:
    """Its nearest fact may stand on the right page all the same."""
    right = Place("a.pdf", 1)
    shown = [
        replace(outcome(cited=right), confidence=0.9),
        replace(outcome(status="declined"), confidence=0.5, nearest=right, decline_reason=reason),
    ]
    assert [(point.threshold, point.coverage) for point in coverage(shown)] == [(0.9, 0.5)]


def test_calibration_is_against_whether_the_documents_answer_the_question() -> None:
    """Whatever page is cited: that is what the confidence says."""
    wrong = Place("a.pdf", 2)
    found = counted_figures(
        [
            replace(outcome(cited=wrong), confidence=0.9),
            replace(outcome(status="declined", answerable=False, wanted=()), confidence=0.3),
            outcome(status="failed"),
        ]
    )["calibration_error"]
    assert found.value == pytest.approx((0.1 + 0.3) / 2) and (found.n, found.unscored) == (2, 1)
    assert counted_figures([outcome()])["calibration_error"].reason == "no question with a confidence can be judged"
