"""The real Great Expectations over good answers, citations and scores, and over one of each kind of fault."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pandas as pd
import pytest
from great_expectations.expectations import Expectation

from configs.plans import load_plan
from tasks.answering.audit.answer_rows import answer_rows, citation_rows
from tasks.quality.answer_frames import answer_frame, citation_frame, score_frame
from tasks.quality.findings import Finding
from tasks.quality.suites import answer_suite, citation_suite, score_suite, validate
from tasks.records import Answer, Citation, Document
from tests.made.chunks import document_of

DOCUMENT = document_of(
    ["Disks are encrypted with AES-256.", "Backups are kept for thirty days."], ["A row of a sheet."]
)
QUESTIONS = 5
IDENTITY = {"run_id": "20260101T000000-abcdef", "run_date": None}


def citation(start: int, end: int, page_number: int | None) -> Citation:
    return Citation(
        DOCUMENT.document_id, "made.xlsx", "", page_number, DOCUMENT.text[start:end], start, end, row_number=None
    )


ROW = DOCUMENT.text.index("A row")
ANSWERS = (
    Answer("1", "answered", "AES-256.", "yes", 0.9, citations=(citation(0, 33, 1),)),
    Answer(
        "2", "needs_review", "Thirty days.", None, 0.4, citations=(citation(34, 67, 2), citation(ROW, ROW + 5, None))
    ),
    Answer("3", "declined", None, None, 0.1, "weak_evidence", "near"),
    Answer("4", "failed", None, None, None, "generator_failed", "no reply"),
    Answer("5", "answered", "Yes.", "not_applicable", 1.0, citations=(citation(0, 33, 1),)),
)
SCORES: Sequence[Mapping[str, Any]] = (
    {"plan": "p", "metric": "page_recall_at_5", "value": 0.8, "n": 10, "interval_low": 0.6, "interval_high": 1.0},
    {"plan": "q", "metric": "page_recall_at_5", "value": 1.0, "n": 10, "interval_low": 1.0, "interval_high": 1.0},
    {"plan": "p", "metric": "retrieval_ms_p50", "value": 9.5, "n": 10, "interval_low": 8.0, "interval_high": 11.0},
    {"plan": "p", "metric": "verdict_accuracy", "value": None, "n": 0, "interval_low": None, "interval_high": None},
    {
        "plan": "p",
        "metric": "coverage_where_95_right",
        "value": None,
        "n": 9,
        "interval_low": None,
        "interval_high": None,
    },
)


def stored(answers: Sequence[Answer] = ANSWERS) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    plan = load_plan("bidfolio")
    return list(answer_rows(IDENTITY, plan, answers)), list(citation_rows(IDENTITY, plan, answers))


def answers_with(at: int = 0, **changes: Any) -> pd.DataFrame:
    """The answers' frame with a column of one row changed."""
    answers, citations = stored()
    answers[at] |= changes
    return answer_frame(answers, Counter(row["answer_id"] for row in citations))


def answers_of(*answers: Answer) -> pd.DataFrame:
    rows, citations = stored(answers)
    return answer_frame(rows, Counter(row["answer_id"] for row in citations))


def citations_with(document: Document | None = DOCUMENT, **changes: Any) -> pd.DataFrame:
    """The citations' frame with the first of them changed."""
    answers, citations = stored()
    citations[0] |= changes
    known = {DOCUMENT.document_id: document}
    return citation_frame(citations, frozenset(row["answer_id"] for row in answers), known)


def scores_with(at: int = 0, **changes: Any) -> pd.DataFrame:
    rows = [dict(row) for row in SCORES]
    rows[at] |= changes
    return score_frame(rows)


SUITES: Mapping[str, Callable[[], list[Expectation]]] = {
    "answers": lambda: answer_suite(QUESTIONS),
    "citations": citation_suite,
    "scores": score_suite,
}
GOOD = {"answers": answers_with(), "citations": citations_with(), "scores": scores_with()}
ROWS = "rows"
FAULTS: Mapping[str, tuple[str, pd.DataFrame, set[tuple[str, str]]]] = {
    "an answer lost": ("answers", answers_of(*ANSWERS[1:]), {("expect_table_row_count_to_equal", ROWS)}),
    "an answer to no question": (
        "answers",
        answers_with(question_id=""),
        {("expect_column_values_to_not_be_null", "question_id")},
    ),
    "a question answered twice": (
        "answers",
        answers_with(question_id="2"),
        {("expect_column_values_to_be_unique", "question_id")},
    ),
    "a status that nobody knows": (
        "answers",
        answers_with(2, status="pending"),
        {("expect_column_values_to_be_in_set", "status")},
    ),
    "a verdict that nobody knows": (
        "answers",
        answers_with(verdict="maybe"),
        {("expect_column_values_to_be_in_set", "verdict")},
    ),
    "a confidence of 2": (
        "answers",
        answers_with(confidence=2.0),
        {("expect_column_values_to_be_between", "confidence")},
    ),
    "a confidence below 0": (
        "answers",
        answers_with(confidence=-0.1),
        {("expect_column_values_to_be_between", "confidence")},
    ),
    "answered with white space": (
        "answers",
        answers_with(text=" \n"),
        {("expect_column_values_to_be_in_set", "lacks_draft")},
    ),
    "answered without a citation": (
        "answers",
        answers_of(replace(ANSWERS[0], citations=()), *ANSWERS[1:]),
        {("expect_column_values_to_be_in_set", "lacks_draft")},
    ),
    "declined without a reason": (
        "answers",
        answers_with(2, decline_reason=None),
        {("expect_column_values_to_be_in_set", "lacks_reason")},
    ),
    "declined with a text": (
        "answers",
        answers_with(2, text="Yes."),
        {("expect_column_values_to_be_in_set", "lacks_reason")},
    ),
    "failed with a verdict": (
        "answers",
        answers_with(3, verdict="yes"),
        {("expect_column_values_to_be_in_set", "lacks_reason")},
    ),
    "a citation of no answer": (
        "citations",
        citations_with(answer_id="0" * 16),
        {("expect_column_values_to_be_in_set", "has_answer")},
    ),
    "a quote of nothing": (
        "citations",
        citations_with(quote=" "),
        {
            ("expect_column_values_to_be_between", "quote_characters"),
            ("expect_column_values_to_be_in_set", "is_verbatim"),
        },
    ),
    "a quote with another figure": (
        "citations",
        citations_with(quote="Disks are encrypted with AES-128."),
        {("expect_column_values_to_be_in_set", "is_verbatim")},
    ),
    "the next page": (
        "citations",
        citations_with(page_number=2),
        {("expect_column_values_to_be_in_set", "is_on_page")},
    ),
    "a page that the document has not": (
        "citations",
        citations_with(page_number=7),
        {("expect_column_values_to_be_in_set", "is_on_page")},
    ),
    "a quote that runs over the page's end": (
        "citations",
        citations_with(quote=DOCUMENT.text[0:40], end_offset=40),
        {("expect_column_values_to_be_in_set", "is_on_page")},
    ),
    "no page in a PDF": (
        "citations",
        citations_with(replace(DOCUMENT, kind="pdf"), page_number=None),
        {("expect_column_values_to_be_in_set", "is_on_page")},
    ),
    "a document that is gone": (
        "citations",
        citations_with(None),
        {("expect_column_values_to_be_in_set", "document_is_kept")},
    ),
    "no figures": ("scores", score_frame([]), {("expect_table_row_count_to_be_between", ROWS)}),
    "a figure without a name": (
        "scores",
        scores_with(3, metric=""),
        {("expect_column_values_to_not_be_null", "figure")},
    ),
    "a figure twice": ("scores", scores_with(1, plan="p"), {("expect_column_values_to_be_unique", "figure")}),
    "no count": (
        "scores",
        scores_with(1, n=None),
        {
            ("expect_column_values_to_be_between", "n"),
            ("expect_column_values_to_be_in_set", "is_over_nothing"),
        },
    ),
    "a rate of 1.2": (
        "scores",
        scores_with(value=1.2, interval_high=1.2),
        {("expect_column_values_to_be_in_set", "is_in_range")},
    ),
    "a time below 0": (
        "scores",
        scores_with(2, value=-1.0, interval_low=-2.0),
        {("expect_column_values_to_be_in_set", "is_in_range")},
    ),
    "not a number": (
        "scores",
        scores_with(2, value=float("nan"), interval_low=None),
        {("expect_column_values_to_be_in_set", "is_in_range")},
    ),
    "beside its interval": (
        "scores",
        scores_with(value=0.5),
        {("expect_column_values_to_be_in_set", "is_in_interval")},
    ),
    "0 over nothing": (
        "scores",
        scores_with(3, value=0.0),
        {("expect_column_values_to_be_in_set", "is_over_nothing")},
    ),
    "nothing over ten": (
        "scores",
        scores_with(value=None),
        {("expect_column_values_to_be_in_set", "lacks_value")},
    ),
}
"""Each is against just those expectations."""


@pytest.fixture(scope="module")
def findings() -> Sequence[Finding]:
    good = {name: (frame, SUITES[name]()) for name, frame in GOOD.items()}
    return validate(good | {name: (frame, SUITES[suite]()) for name, (suite, frame, _) in FAULTS.items()})


def failed(findings: Sequence[Finding], name: str) -> set[tuple[str, str]]:
    return {(one.expectation, one.column_name or ROWS) for one in findings if one.suite == name and one.failed}


@pytest.mark.parametrize("suite", SUITES)
def test_what_is_good_passes(findings: Sequence[Finding], suite: str) -> None:
    assert sum(one.suite == suite for one in findings) == len(SUITES[suite]()) > 4
    assert failed(findings, suite) == set()


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_found(findings: Sequence[Finding], name: str) -> None:
    assert failed(findings, name) == FAULTS[name][2]


def test_each_expectation_has_its_fault() -> None:
    caught = {(suite, *one) for suite, _, against in FAULTS.values() for one in against}
    assert caught == {
        (suite, one.configuration.type, one.configuration.kwargs.get("column") or ROWS)
        for suite, expected in SUITES.items()
        for one in expected()
    }


def test_a_finding_names_the_question_and_no_text(findings: Sequence[Finding]) -> None:
    (said,) = [one for one in findings if one.suite == "a quote with another figure" and one.failed]
    assert said.severity == "critical" and said.observed == "not so in 1 of 4: question 1, made.xlsx, p. 1"


def test_what_is_undefined_with_a_reason_lacks_no_value() -> None:
    """The spread of the times of one question, say, which is over a question and undefined."""
    assert not scores_with(value=None, reason="too few questions were timed: 1")["lacks_value"].any()
    assert scores_with(value=None, reason=None)["lacks_value"].sum() == 1


def test_what_is_only_told() -> None:
    warned = {
        one.configuration.kwargs["column"]
        for suite in SUITES.values()
        for one in suite()
        if one.configuration.severity == "warning"
    }
    assert warned == {"document_is_kept", "lacks_value"}


def test_the_frames_of_nothing_have_all_columns() -> None:
    for nothing, good in (
        (answer_frame([], {}), GOOD["answers"]),
        (citation_frame([], frozenset(), {}), GOOD["citations"]),
        (score_frame([]), GOOD["scores"]),
    ):
        assert nothing.empty and nothing.dtypes.to_dict() == good.dtypes.to_dict()
    none = validate({"citations": (citation_frame([], frozenset(), {}), citation_suite())})
    assert all(one.passed for one in none)
