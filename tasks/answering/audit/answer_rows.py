"""Answers and what they cite, as rows of the lake."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from configs.plans import Plan
from tasks.answering.decision.decide import confidence_label
from tasks.records import Answer, Citation, content_id


def answer_id(run_id: str, plan: str, question_id: str) -> str:
    """The id of an answer: the same question has another answer in another run."""
    return content_id("answer", run_id, plan, question_id)


def answer_rows(identity: Mapping[str, Any], plan: Plan, answers: Sequence[Answer]) -> Iterator[dict[str, Any]]:
    """The rows of the table ``answers``; ``identity`` names the run."""
    for answer in answers:
        nearest = answer.nearest_fact
        yield whose(identity, plan, answer.question_id) | {
            "text": answer.text,
            **_judged(answer, plan),
            "is_withheld": answer.is_withheld,
            "nearest_file_name": nearest.file_name if nearest else None,
            "nearest_page_number": nearest.page_number if nearest else None,
            "nearest_page_label": nearest.page_label or None if nearest else None,
            "nearest_quote": nearest.quote if nearest else None,
        }


def _judged(answer: Answer, plan: Plan) -> dict[str, Any]:
    """The verdict, the status and the confidence of an answer, as tables and ``ask --json`` name them."""
    probabilities = "verdict_probability draft_probability confidence".split()
    names = [*"verdict proposed_verdict status decline_reason detail generator".split(), *probabilities]
    label = confidence_label(answer, plan.answering)
    return {name: getattr(answer, name) for name in names} | {"confidence_label": label}


def citation_rows(identity: Mapping[str, Any], plan: Plan, answers: Sequence[Answer]) -> Iterator[dict[str, Any]]:
    """The rows of the table ``citations``; ``identity`` names the run."""
    for answer in answers:
        for index, citation in enumerate(answer.citations):
            yield whose(identity, plan, answer.question_id) | {"citation_index": index} | cited(citation)


def cited(citation: Citation) -> dict[str, Any]:
    """The columns that a citation has in every table."""
    columns = asdict(citation) | {name: getattr(citation, name) or None for name in ("page_label", "document_name")}
    return columns | {"start_offset": columns.pop("start"), "end_offset": columns.pop("end")}


def shown_answer(run_id: str, plan: Plan, question: str, answer: Answer) -> dict[str, Any]:
    """An answer as ``ask --json`` prints it, with its citations or else the nearest fact."""
    shown = answer.citations or ((answer.nearest_fact,) if answer.nearest_fact else ())
    return {
        "run_id": run_id,
        "answer_id": answer_id(run_id, plan.name, answer.question_id),
        "question": question,
        "answer": answer.text,
        **_judged(answer, plan),
        "citations": [shown_citation(citation) for citation in shown],
    }


def shown_citation(citation: Citation) -> dict[str, Any]:
    """A citation as ``ask --json`` prints it."""
    shown = asdict(citation) | {
        "locator": citation.locator,
        "inline": citation.inline,
        "place": citation.place,
    }
    del shown["content_sha256"]
    return shown


def whose(identity: Mapping[str, Any], plan: Plan, question_id: str) -> dict[str, Any]:
    """The columns that identify the answer which a row belongs to."""
    return {
        **identity,
        "plan": plan.name,
        "question_id": question_id,
        "answer_id": answer_id(identity["run_id"], plan.name, question_id),
    }
