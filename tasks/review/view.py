"""Items and states of a review as the page's script reads them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from tasks.library_names import PREFIX, is_approved
from tasks.review.items import Evidence, ReviewItem
from tasks.review.state import ReviewState

Place = Callable[[ReviewItem, int], Mapping[str, Any]]
"""Function that gives what a page shows of the picture behind a place of an item, by the place's number."""


_BETWEEN_REASONS = re.compile(r"; (?=[^“”]*(?:“[^“”]*”[^“”]*)*$)")
_SIDE = re.compile(r"(?P<label>[^“”]+)“(?P<text>[^“”]*)”")


def places_of(item: ReviewItem) -> tuple[Evidence, ...]:
    """The places that are shown with an item: those it cites, pages before the library's own entries, and then the
    nearest fact, which for a draft in doubt says otherwise.
    """
    cited = sorted(item.evidence, key=lambda one: is_approved(one.file_name))
    return (*cited, *([item.nearest] if item.nearest else []))


def reasons_of(detail: str) -> list[dict[str, Any]]:
    """The reasons of a detail, in order: each with its text ``said``, and two or more quotes of it as ``sides`` with a
    label each, below the ``title``. No detail gives none.
    """
    return [_reason(one) for one in _BETWEEN_REASONS.split(_without_prefix(detail)) if one]


def _reason(said: str) -> dict[str, Any]:
    sides = [(found["label"].strip(" ,;:"), found["text"]) for found in _SIDE.finditer(said)]
    if len(sides) < 2:
        return {"said": said}
    title, _, label = sides[0][0].rpartition(": ") if sides[0][0].count(": ") < 2 else sides[0][0].partition(": ")
    labelled = [(label, sides[0][1]), *sides[1:]]
    rest = said[said.rindex("”") + 1 :].strip(" ,;:")
    return {
        "said": rest,
        "title": title,
        "sides": [{"label": label, "text": text} for label, text in labelled],
    }


def _without_prefix(text: str) -> str:
    """The text with the library's files named as people know them."""
    return text.replace(PREFIX, "approved answer in ")


def item_json(item: ReviewItem, run_id: str, picture: Place | None = None) -> dict[str, Any]:
    """The item for the page; ``picture`` adds what is known of its pictures."""
    return {
        "id": item.question_id,
        "question": item.question,
        "status": item.status,
        "text": item.text,
        "verdict": item.verdict,
        "proposed_verdict": item.proposed_verdict,
        "probability": item.verdict_probability,
        "draft_probability": item.draft_probability,
        "confidence": item.confidence_label,
        "decline_reason": item.decline_reason,
        "detail": item.detail,
        "reasons": reasons_of(item.detail),
        "section": item.section,
        "sheet": item.sheet_name or "",
        "row": item.row_number,
        "kind": item.kind,
        "asked_as": item.asked_as,
        "max_characters": item.max_characters,
        "draft_id": item.draft_id,
        "nearest": not item.evidence and item.nearest is not None,
        "evidence": [
            {
                "quote": one.quote,
                "place": _without_prefix(one.place),
                "library": is_approved(one.file_name),
                "against": bool(item.evidence) and one is item.nearest,
                **(picture(item, at) if picture else {}),
            }
            for at, one in enumerate(places_of(item))
        ],
        "state": state_json(item.state, is_settled=item.is_settled(run_id)),
    }


def state_json(state: ReviewState, *, is_settled: bool) -> dict[str, Any]:
    """The state for the page."""
    return {
        "status": state.status,
        "settled": is_settled,
        "final_answer": state.final_answer,
        "final_verdict": state.final_verdict,
        "owner": state.owner,
        "reviewer": state.reviewer,
        "at": state.at.isoformat() if state.at else None,
        "version": state.version,
        "remarks": [
            {"at": one.at.isoformat(), "reviewer": one.reviewer, "comment": one.comment} for one in state.remarks
        ],
        "disputed": [
            {
                "reviewer": one.reviewer,
                "action": one.action,
                "final_answer": one.final_answer,
                "final_verdict": one.final_verdict,
            }
            for one in state.disputed
        ],
    }
