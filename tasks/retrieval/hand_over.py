"""What is handed over with a hit: the chunks before and after the one that was found, or those of its parent.

So small chunks are searched, whose vectors say one thing, and answers are drawn from more than a line. What is handed
over are chunks as they stand in the version, each with its own place, all of one document; a row of a sheet comes
alone.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Literal, Protocol

from configs.plans import HandOver, Retrieval
from tasks.records import Chunk, Hit

Numbered = Literal["ordinal", "parent"]


class Chunks(Protocol):
    """The chunks of a version."""

    def numbered(self, column: Numbered, places: Collection[tuple[str, int]]) -> Sequence[Chunk]:
        """The chunks whose file name and number, in that column, are among the places."""
        ...


def hand_over(found: Mapping[str, Sequence[Hit]], chunks: Chunks, plan: Retrieval) -> dict[str, list[Hit]]:
    """The best ``top_k`` hits of each question, with what the plan hands over; one read for all questions.

    A question's chunk goes with one of its hits alone, the best of those that it would go with, and a hit whose chunks
    all went with a better one has none. A plan that hands over nothing more reads nothing.
    """
    best = {question_id: list(hits[: plan.top_k]) for question_id, hits in found.items()}
    if plan.hand_over == HandOver():
        return best
    column: Numbered = "parent" if plan.hand_over.parent else "ordinal"
    places = {place for hits in best.values() for hit in hits for place in _places(hit.chunk, plan.hand_over)}
    at_place: dict[tuple[str, int | None], list[Chunk]] = defaultdict(list)
    for chunk in chunks.numbered(column, places):
        at_place[chunk.file_name, getattr(chunk, column)].append(chunk)

    def handed_over_with(hit: Hit) -> Iterator[Chunk]:
        for place in _places(hit.chunk, plan.hand_over):
            yield from (chunk for chunk in at_place[place] if _row(chunk) == _row(hit.chunk))

    return {question_id: _each_once(hits, map(handed_over_with, hits)) for question_id, hits in best.items()}


def _places(chunk: Chunk, plan: HandOver) -> list[tuple[str, int]]:
    if plan.parent:
        return [] if chunk.parent is None else [(chunk.file_name, chunk.parent)]
    numbers = range(max(0, chunk.ordinal - plan.before), chunk.ordinal + plan.after + 1)
    return [(chunk.file_name, number) for number in numbers]


def _row(chunk: Chunk) -> tuple[str | None, int | None]:
    return chunk.sheet_name, chunk.row_number


def _each_once(hits: Sequence[Hit], found: Iterable[Iterable[Chunk]]) -> list[Hit]:
    """``hits`` with what was ``found`` to go with each; chunks that meet those of a better hit go with it."""
    owner: dict[str, int] = {}
    shared: list[list[Chunk]] = [[] for _ in hits]
    for number, chunks in enumerate(found):
        mine = list(chunks)
        best = min((owner[chunk.chunk_id] for chunk in mine if chunk.chunk_id in owner), default=number)
        for chunk in mine:
            if chunk.chunk_id not in owner:
                owner[chunk.chunk_id] = best
                shared[best].append(chunk)
    return [
        replace(hit, handed_over=tuple(sorted(chunks, key=lambda chunk: chunk.ordinal)))
        for hit, chunks in zip(hits, shared, strict=True)
    ]
