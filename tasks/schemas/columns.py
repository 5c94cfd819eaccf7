"""Columns that several tables have, and how one is written down: with its meaning in the field's metadata."""

from __future__ import annotations

import pyarrow as pa

TIME = pa.timestamp("us", tz="UTC")


def column(name: str, kind: pa.DataType, doc: str, *, required: bool = False) -> pa.Field:
    """A column with what it means; null is allowed unless it is ``required``."""
    return pa.field(name, kind, nullable=not required, metadata={"doc": doc})


def key(name: str, doc: str) -> pa.Field:
    """A column of text that every row has."""
    return column(name, pa.string(), doc, required=True)


CORPUS = key("corpus", "name of the corpus")
RUN = [key("run_id", "the run that wrote the row"), column("run_date", pa.date32(), "day of the run, UTC")]
DOCUMENT = [
    key("document_id", "hash of the file's name and content"),
    key("file_name", "path below the corpus"),
]
PLACE = [
    column("page_number", pa.int32(), "1-based, as a viewer shows it; null where the format has no pages"),
    column("sheet_name", pa.string(), "sheet of a workbook"),
    column("row_number", pa.int32(), "1-based row of a sheet or CSV"),
    column("section_path", pa.string(), "titles above it, joined by ' > '"),
]
NAMED = [
    column("page_label", pa.string(), "the page's printed label; null where that is its number or unknown"),
    column("document_name", pa.string(), "the document's name within its corpus"),
]
SPAN = [
    column("start_offset", pa.int64(), "first character in the document's text"),
    column("end_offset", pa.int64(), "one past the last character in the document's text"),
]
QUESTION = [
    key("question_id", "the questionnaire's own reference, or a hash"),
    column("question_index", pa.int32(), "0-based order", required=True),
    column("question", pa.string(), "the question's text"),
    column("asked_as", pa.string(), "how it was asked where it leans on one before it; null: as it stands"),
    column("said_before", pa.string(), "the answer before it, where it is a conversation's follow-up"),
    column("kind", pa.string(), "yes_no or free_text"),
    column("section", pa.string(), "section of the questionnaire"),
    column("sheet_name", pa.string(), "sheet that holds it"),
    column("row_number", pa.int32(), "1-based row that holds it"),
    column("max_characters", pa.int32(), "longest answer that the customer takes; null where not said"),
    column("verdict_apart", pa.bool_(), "a yes or no has a cell of its own, and takes nothing of max_characters"),
]
ANSWER = [
    key("answer_id", "hash of run, plan and question"),
    key("status", "answered, declined, needs_review or failed"),
    column("verdict", pa.string(), "what the customer is given: yes, no, partial or not_applicable; null for none"),
    column("proposed_verdict", pa.string(), "what the evidence makes most likely; null where it settles nothing"),
    column("verdict_probability", pa.float64(), "how probable it is that proposed_verdict is right, in [0, 1]"),
    column("draft_probability", pa.float64(), "how probable it is that text answers an open question; null if unknown"),
    column("text", pa.string(), "the drafted answer; null if declined or failed"),
    column("confidence", pa.float64(), "in [0, 1]; with answering.confidence: how probable an answer in them is"),
    column("confidence_label", pa.string(), "high, medium or low; null where there is no answer"),
    column("decline_reason", pa.string(), "no_evidence, weak_evidence, conflict, … ; null if answered"),
    column("detail", pa.string(), "what a reviewer should know"),
    column("generator", pa.string(), "who drafted"),
    column("is_withheld", pa.bool_(), "contradicted or out of date: not written into the customer's file"),
    column("nearest_file_name", pa.string(), "file of the nearest fact of a decline, or of what says otherwise"),
    column("nearest_page_number", pa.int32(), "page of the nearest fact"),
    column("nearest_page_label", pa.string(), "its printed label; null where that is its number or unknown"),
    column("nearest_quote", pa.string(), "the nearest fact, verbatim"),
]
BOX = [
    column(f"{side}_pt", pa.float32(), f"{side} edge on the page, in points from its upper left corner")
    for side in ("left", "top", "right", "bottom")
]
