"""`bidfolio trace`: everything recorded about one answer, for people."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterable
from datetime import datetime
from pathlib import Path
from textwrap import wrap
from typing import Any

from tasks.places import locator, whole_place

LABEL_WIDTH = 11
WIDEST = 110
NAMED = 0.2
"""A hit whose ``names_document`` is lower shares a word with the question that several documents have."""
RAW_CHARACTERS = 600
_BEFORE_WORDS = re.compile(r" *(?:\d+\.? +(?:-?\d+\.\d+ +)?|[✓✗] +)?")
"""The start of a line: an indent, and then a number, a number with a score, or a mark."""
_TODAY = {
    "unchanged": "the corpus has it still",
    "changed": "the corpus has another version of it now",
    "gone": "the corpus has it no more",
}


def trace_lines(found: dict[str, Any]) -> list[str]:
    """The steps from the question to its citations, wrapped to the terminal."""
    question, answer = found["question"], found["answer"]
    width = min(WIDEST, shutil.get_terminal_size().columns)
    parts: list[tuple[str, list[str]]] = [
        ("Question", [question["question"], _asked_where(found)]),
        ("Asked", [_asked_by(found)]),
        ("Plan", [_basis(found), *[f"ran with {found['deviations']}"] * bool(found["deviations"])]),
    ]
    if question["asked_as"]:
        parts.append(("Read as", [question["asked_as"]]))
    if found["asked_beside"]:
        parts.append(("Asked also", found["asked_beside"]))
    parts.append(("Hits", [line for one in found["hits"] for line in _hit(one)] or ["none"]))
    if found["attempts"]:
        lines = [line for number, one in enumerate(found["attempts"], 1) for line in _attempt(number, one)]
        parts.append(("Attempts", lines))
    if found["checks"]:
        marks = [("✓" if one["passed"] else "✗", one) for one in found["checks"]]
        parts.append(("Checks", [f"{mark} {one['name']}{_after(': ', one['detail'])}" for mark, one in marks]))
    parts.append(("Answer", _answer(answer)))
    cited = [line for number, one in enumerate(found["citations"], 1) for line in _citation(number, one)]
    parts.append(("Citations", cited or ["none"]))
    return [line for label, texts in parts for line in _labelled(label, texts, width)]


def _labelled(label: str, texts: Iterable[str], width: int) -> list[str]:
    """The texts below each other, with the label before the first; wrapped lines begin under the first word."""
    lines: list[str] = []
    for text in texts:
        for line in text.splitlines():
            number = _BEFORE_WORDS.match(line)
            indent = " " * (number.end() if number else 0)
            lines += wrap(line, max(40, width - LABEL_WIDTH), initial_indent="", subsequent_indent=indent) or [""]
    return [f"{label if not at else '':{LABEL_WIDTH}}{line}".rstrip() for at, line in enumerate(lines)]


def _asked_where(found: dict[str, Any]) -> str:
    question = found["question"]
    place = [f"sheet {question['sheet_name']}" if question["sheet_name"] else ""]
    place += [f"row {question['row_number']}" if question["row_number"] else ""]
    place += [f"section {question['section']}" if question["section"] else ""]
    file = Path(found["source"]).name if found["source"] else ""
    limit = f"at most {question['max_characters']} characters" if question["max_characters"] else ""
    kind = "yes or no" if question["kind"] == "yes_no" else "in words"
    where = ", ".join(filter(None, [file, *place]))
    return " · ".join(filter(None, [f"{question['question_id']}" if where else "", where, kind, limit]))


def _asked_by(found: dict[str, Any]) -> str:
    when = " ".join(filter(None, [_time(found["started_at"]), _after("by ", found["asked_by"])]))
    return f"{when} · {found['run_kind']} {found['run_id']}"


def _basis(found: dict[str, Any]) -> str:
    parts = [
        f"{found['plan']} {found['plan_fingerprint']}",
        f"corpus {found['corpus']}",
        f"version {found['index_version']}{_after(', live since ', _time(found['live_since']))}",
        _after("scope ", found["scope"]),
    ]
    return " · ".join(filter(None, parts))


def _hit(hit: dict[str, Any]) -> list[str]:
    """The lines for a hit: its place, if the question names its document, and its duplicates and near-duplicates."""
    behind = [
        ("like it, but not the same: " if one["differs"] else "the same: ")
        + locator(one["file_name"], one["page_number"], one["sheet_name"], one["row_number"], "", one["page_label"])
        for one in hit["duplicates"]
    ]
    if (named := hit["names_document"] or 0.0) >= NAMED:
        behind.insert(0, f"the question names this document ({named:.2f})")
    return [f"{hit['rank']:2}  {hit['score']:6.3f}  {_place(hit)}", *(f"            {line}" for line in behind)]


def _attempt(number: int, attempt: dict[str, Any]) -> list[str]:
    who = " ".join(filter(None, [attempt["generator"], attempt["model"]]))
    took = f"{attempt['duration_ms']:.0f} ms" if attempt["duration_ms"] else ""
    prompt = _after("prompt ", (attempt["prompt_sha256"] or "")[:16])
    lines = [f"{number}. {' · '.join(filter(None, [who, took, prompt]))}"]
    if attempt["failure"]:
        lines.append(f"   failed: {attempt['failure']}")
    if attempt["raw"]:
        raw = " ".join(attempt["raw"].split())
        lines.append(f"   {raw[:RAW_CHARACTERS]}{'…' if len(raw) > RAW_CHARACTERS else ''}")
    return lines


def _answer(answer: dict[str, Any]) -> list[str]:
    confidence = answer["confidence"]
    sure = None if confidence is None else f"confidence {confidence:.2f}{_after(', ', answer['confidence_label'])}"
    parts = [answer["status"], answer["verdict"], answer["decline_reason"], sure, _after("by ", answer["generator"])]
    lines = [" · ".join(filter(None, parts))]
    lines += filter(None, [answer["text"], answer["detail"] and f"({answer['detail']})"])
    if answer["nearest_quote"]:
        where = locator(
            answer["nearest_file_name"], answer["nearest_page_number"], None, None, "", answer["nearest_page_label"]
        )
        label = "it is said otherwise" if answer["text"] else "closest passage"
        lines.append(f"{label}: “{answer['nearest_quote']}” [{where}]")
    return lines


def _citation(number: int, citation: dict[str, Any]) -> list[str]:
    return [
        f"{number}. {_place(citation)}",
        f"   “{' '.join(citation['quote'].split())}”",
        f"   characters {citation['start_offset']} to {citation['end_offset']} of the document's text",
        f"   {_TODAY[citation['document_today']]}",
        f"   sha256 {citation['content_sha256']}",
    ]


def _place(row: dict[str, Any]) -> str:
    places = ("file_name", "page_number", "sheet_name", "row_number", "section_path", "page_label", "document_name")
    return whole_place(*(row[name] for name in places))


def _time(when: datetime | None) -> str:
    return f"{when:%Y-%m-%d %H:%M:%S} UTC" if when else ""


def _after(before: str, text: str | None) -> str:
    return f"{before}{text}" if text else ""
