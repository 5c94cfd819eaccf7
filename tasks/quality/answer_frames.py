"""Data frames that the suites of answers and scores check: rows reduced to figures, flags and the place of each."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import pandas as pd

from tasks.places import locator
from tasks.quality.frames import PAGED_KINDS, frame_of
from tasks.records import Document

DRAFTED = frozenset({"answered", "needs_review"})
RATES = (
    "page_recall_",
    "place_recall_",
    "page_mrr_",
    "ndcg_",
    "answered_",
    "review_rate",
    "decline_",
    "citation_",
    "verdict_",
    "false_yes_",
    "calibration_error",
    "coverage_where_",
    "threshold_where_",
)
"""Name prefixes of figures that are shares or means of shares."""
SOMETIMES_UNDEFINED = ("verdict_balanced_accuracy", "coverage_where_", "threshold_where_")
"""Name prefixes of figures that may be undefined over some questions: only one class, or no such threshold."""
ROUNDING = 1e-9


class AnswerFacts(NamedTuple):
    """Facts about an answer. ``lacks_draft``: it is drafted, but has no text or no citation.

    ``lacks_reason``: it is declined or failed without a reason, or has a text, a verdict or a citation nonetheless.
    """

    place: str
    question_id: str | None
    status: str
    verdict: str | None
    confidence: float | None
    lacks_draft: bool
    lacks_reason: bool


class CitationFacts(NamedTuple):
    """Facts about a citation: is the quote verbatim, and on the page that the citation names?

    ``is_verbatim``: the document has exactly the quote at its offsets. ``is_on_page``: the page that it names contains
    it; null if it names none in a format without pages. Both are null if the document is not kept any more.
    """

    place: str
    has_answer: bool
    quote_characters: int
    document_is_kept: bool
    is_verbatim: bool | None
    is_on_page: bool | None


class ScoreFacts(NamedTuple):
    """Facts about a figure of a plan. ``is_in_range``: it is finite, a rate lies in [0, 1], a time is not below 0.

    ``is_in_range`` is null if the figure is undefined, ``is_in_interval`` if there is no interval. ``is_over_nothing``:
    it has a value although it is over no question. ``lacks_value``: it has none although it is over some questions and
    always defined, and no reason is recorded.
    """

    place: str
    figure: str | None
    n: int
    is_in_range: bool | None
    is_in_interval: bool | None
    is_over_nothing: bool
    lacks_value: bool


def answer_frame(answers: Iterable[Mapping[str, Any]], cited: Mapping[str, int]) -> pd.DataFrame:
    """Build the frame of AnswerFacts from rows of the table ``answers`` and the number of citations by answer.

    No answers give no rows, all columns.
    """
    return frame_of(AnswerFacts, [_answer_facts(row, cited.get(row["answer_id"], 0)) for row in answers])


def citation_frame(
    citations: Iterable[Mapping[str, Any]], answer_ids: frozenset[str], documents: Mapping[str, Document | None]
) -> pd.DataFrame:
    """Build the frame of CitationFacts from rows of the table ``citations``; no citations give no rows, all columns.

    ``documents`` has every cited document by its id, None if it is not kept any more.
    """
    facts = [_citation_facts(row, answer_ids, documents.get(row["document_id"])) for row in citations]
    return frame_of(CitationFacts, facts)


def score_frame(scores: Iterable[Mapping[str, Any]]) -> pd.DataFrame:
    """Build the frame of ScoreFacts from rows of the table ``scores``; no scores give no rows, all columns."""
    return frame_of(ScoreFacts, map(_score_facts, scores))


def _answer_facts(row: Mapping[str, Any], citations: int) -> AnswerFacts:
    is_drafted = row["status"] in DRAFTED
    has_text = bool((row["text"] or "").strip())
    says_nothing = not has_text and not citations and row["verdict"] is None
    return AnswerFacts(
        place=f"question {row['question_id']}",
        question_id=row["question_id"] or None,
        status=row["status"],
        verdict=row["verdict"],
        confidence=row["confidence"],
        lacks_draft=is_drafted and not (has_text and citations),
        lacks_reason=not is_drafted and not (row["decline_reason"] and says_nothing),
    )


def _citation_facts(row: Mapping[str, Any], answer_ids: frozenset[str], document: Document | None) -> CitationFacts:
    where = locator(row["file_name"], row["page_number"], row["sheet_name"], row["row_number"])
    start, end = row["start_offset"], row["end_offset"]
    return CitationFacts(
        place=f"question {row['question_id']}, {where}",
        has_answer=row["answer_id"] in answer_ids,
        quote_characters=len((row["quote"] or "").strip()),
        document_is_kept=document is not None,
        is_verbatim=None if document is None else document.text[start:end] == row["quote"],
        is_on_page=None if document is None else _is_on_page(row["page_number"], start, end, document),
    )


def _is_on_page(page_number: int | None, start: int, end: int, document: Document) -> bool | None:
    if page_number is None:
        return False if document.kind in PAGED_KINDS else None
    pages = [page for page in document.pages if page.page_number == page_number]
    return any(page.start <= start and end <= page.end for page in pages)


def _score_facts(row: Mapping[str, Any]) -> ScoreFacts:
    metric, value, n = row["metric"], row["value"], row["n"]
    low, high = row["interval_low"], row["interval_high"]
    has_interval = None not in (value, low, high)
    may_be_undefined = not n or row.get("reason") or metric.startswith(SOMETIMES_UNDEFINED)
    return ScoreFacts(
        place=f"{metric} of {row['plan']}",
        figure=f"{metric} of {row['plan']}" if metric else None,
        n=-1 if n is None else n,
        is_in_range=None if value is None else _is_in_range(metric, value),
        is_in_interval=low - ROUNDING <= value <= high + ROUNDING if has_interval else None,
        is_over_nothing=value is not None and not n,
        lacks_value=value is None and not may_be_undefined,
    )


def _is_in_range(metric: str, value: float) -> bool:
    if metric.startswith(RATES):
        return -ROUNDING <= value <= 1 + ROUNDING
    return math.isfinite(value) and (value >= 0 or "_ms" not in metric)
