"""Verdicts of drafts that a generator wrote in its own words: proposed from the passages that the drafts cite."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tasks.answering.drafting import Asked, Draft
from tasks.answering.quotes.passages import Passage, sentences_of_hit
from tasks.answering.verdicts.reading import ProposeVerdicts


def with_proposals(asked: Sequence[Asked], drafts: Sequence[Draft], propose: ProposeVerdicts | None) -> list[Draft]:
    """The drafts, in order; one to a yes/no question that cites something and has no proposal yet gets that of its
    cited passages. Without ``propose`` they stay as they are.
    """
    if propose is None:
        return list(drafts)
    at = [number for number, (item, draft) in enumerate(zip(asked, drafts, strict=True)) if _lacks(item, draft)]
    cited = [cited_passages(asked[number], drafts[number]) for number in at]
    found = list(drafts)
    for number, proposed in zip(at, propose([asked[number] for number in at], cited), strict=True):
        if proposed is not None:
            found[number] = replace(found[number], proposal=proposed.proposal)
    return found


def _lacks(item: Asked, draft: Draft) -> bool:
    is_drafted = draft.text is not None and draft.declined is None and bool(draft.citations)
    return item.question.kind == "yes_no" and is_drafted and draft.proposal is None


def cited_passages(item: Asked, draft: Draft) -> list[Passage]:
    """The sentences of the hits that the citations of ``draft`` are, in the order of the hits; none without any."""
    spans = {(citation.document_id, citation.start, citation.end) for citation in draft.citations}
    found: dict[tuple[str, int, int], Passage] = {}
    for hit in item.hits:
        for passage in sentences_of_hit(hit):
            place = (passage.chunk.document_id, passage.start, passage.end)
            if any(place[0] == name and place[1] < end and start < place[2] for name, start, end in spans):
                found.setdefault(place, passage)
    return list(found.values())
