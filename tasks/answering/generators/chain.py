"""Chain of generators: where one fails, or is too slow, the next drafts, and the draft says so."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tasks.answering.drafts.draft import Asked, Attempt, Draft, Generator, OnText, declined, joined
from tasks.answering.generators.server_faults import shown_fault
from tasks.errors import BidfolioError


class ChainGenerator:
    """Generator that asks the first of several; questions for which it failed go to the next, and so on.

    A decline is no failure: a fallback must not find what a better model has not.
    """

    name = "chain"

    def __init__(self, links: Sequence[Generator]) -> None:
        """``links``, at least one, in order; all but the last return a failed draft where their server is away."""
        self._links = list(links)
        self.questions_a_batch = max(link.questions_a_batch for link in self._links)

    def draft(self, asked: Sequence[Asked]) -> list[Draft]:
        """One draft for each question, in order. Raises what the last raises where none drafted anything."""
        drafts: dict[int, Draft] = {}
        for link in self._links:
            places = [place for place in range(len(asked)) if place not in drafts or _failed(drafts[place])]
            if not places:
                break
            try:
                made = link.draft([asked[place] for place in places])
            except BidfolioError as error:
                if all(map(_failed, drafts.values())):
                    raise
                made = [_failure(link.name, error)] * len(places)
            for place, draft in zip(places, made, strict=True):
                drafts[place] = _after(drafts.get(place), draft)
        return [drafts[place] for place in range(len(asked))]

    def stream_draft(self, asked: Asked, on_text: OnText) -> Draft:
        """The draft of one question, with the text as the first that writes any writes it. Raises as ``draft``."""
        told: list[str] = []

        def tell(piece: str) -> None:
            told.append(piece)
            on_text(piece)

        draft: Draft | None = None
        for link in self._links:
            # What one that failed has told cannot be taken back: another's words must not run on from it.
            draft = _after(draft, link.stream_draft(asked, (lambda piece: None) if told else tell))
            if not _failed(draft):
                break
        return draft or _failure(self.name, "it has no generators")


def _failed(draft: Draft) -> bool:
    return draft.declined == "generator_failed"


def _failure(name: str, reason: object) -> Draft:
    draft = declined("generator_failed", shown_fault(str(reason)))
    return replace(draft, attempts=(Attempt(name, failure=str(reason)),))


def _after(before: Draft | None, draft: Draft) -> Draft:
    """``draft`` with the attempts of the failed ``before``, and the reason for the fallback in words."""
    detail = f"{draft.generator}: {draft.detail}" if _failed(draft) else draft.detail
    if before is None:
        return replace(draft, detail=detail)
    if _failed(draft):
        detail = f"{before.detail}; {detail}"
    else:
        detail = joined(detail, f"drafted by the fallback {draft.generator}, as {before.detail}")
    return replace(draft, detail=detail, attempts=before.attempts + draft.attempts)
