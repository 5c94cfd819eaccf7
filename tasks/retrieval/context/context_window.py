"""Context windows: the chunks handed over with a hit, either those before and after it or those of its parent.

So small chunks can be searched, whose vectors each say one thing, while answers are drawn from more than a line. The
chunks are handed over as they stand in the version, each with its own place, all of one document; a row of a sheet
comes alone.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Literal, Protocol

from configs.retrieval import HandOver, Retrieval
from tasks.chunking.chunker import covers
from tasks.records import Chunk, Hit
from tasks.text.dependent_sentences import may_lack_after, may_lack_before

Numbered = Literal["ordinal", "parent"]


class Chunks(Protocol):
    """The chunks of a version."""

    def numbered(self, column: Numbered, places: Collection[tuple[str, int]]) -> Sequence[Chunk]:
        """The chunks whose file name and number, in that column, are among the places."""
        ...


def go_with(found: Sequence[Chunk], chunks: Chunks, plan: Retrieval) -> list[tuple[Chunk, ...]]:
    """The chunks that the plan hands over with each found chunk, in the order of its document;
    at most two reads for all.

    No found chunks give none.
    """
    places = [_places(chunk, plan.handed_over_with(chunk.granularity)) for chunk in found]
    at_place: dict[tuple[Numbered, str, int | None], list[Chunk]] = defaultdict(list)
    columns: tuple[Numbered, ...] = ("ordinal", "parent")
    for column in columns:
        wanted = {(name, number) for each in places for kind, name, number in each if kind == column}
        for chunk in chunks.numbered(column, wanted) if wanted else ():
            at_place[column, chunk.file_name, getattr(chunk, column)].append(chunk)
    near = [[chunk for place in each for chunk in at_place[place]] for each in places]
    return [
        tuple(sorted((chunk for chunk in some if _kin(chunk) == _kin(one)), key=lambda chunk: chunk.ordinal))
        for one, some in zip(found, near, strict=True)
    ]


def alone(found: Sequence[Chunk]) -> list[tuple[Chunk, ...]]:
    """Each found chunk by itself, without context."""
    return [(chunk,) for chunk in found]


def joined_text(chunks: Sequence[Chunk]) -> str:
    """The text of chunks of one document, joined by line breaks;
    text that a chunk shares with the one before comes once.
    """
    text, end = "", 0
    for chunk in chunks:
        if not text:
            text = chunk.text
        elif chunk.end > end:
            # The white space between two chunks is in neither of them.
            text += ("\n" if chunk.start > end else "") + chunk.text[max(0, end - chunk.start) :]
        end = max(end, chunk.end)
    return text


def hand_over(found: Mapping[str, Sequence[Hit]], chunks: Chunks, plan: Retrieval) -> dict[str, list[Hit]]:
    """The best ``top_k`` hits of each question, with the context that the plan hands over; one read for all questions.

    Hits below the least score of the plan's reranker are left out. A chunk goes with one hit only, the best of those
    that it would go with; a hit whose chunks all went with better hits has none. The same holds for a chunk whose text
    is covered by handed-over chunks of another granularity. A plan that hands over nothing more reads nothing for it.
    Where a sentence or a list may go on in a chunk beside the handed-over ones, the hit gets that chunk in ``around``,
    so that quotes are whole: another read.
    """
    least = plan.rerank.least if plan.rerank and plan.rerank.least is not None else -math.inf
    best = {one: [hit for hit in hits[: plan.top_k] if hit.score >= least] for one, hits in found.items()}
    if any(wish != HandOver() for wish in plan.hand_over.values()):
        with_each = iter(go_with([hit.chunk for hits in best.values() for hit in hits], chunks, plan))
        best = {question_id: _each_once(hits, [next(with_each) for _ in hits]) for question_id, hits in best.items()}
    return _with_what_is_cut(best, chunks)


def _with_what_is_cut(given: Mapping[str, Sequence[Hit]], chunks: Chunks) -> dict[str, list[Hit]]:
    """The hits with the neighbouring chunks in which a sentence or a list may go on; one read where there are any."""
    wanted = {id(hit): list(_cut_off(hit)) for hits in given.values() for hit in hits}
    places = {(file_name, number) for each in wanted.values() for file_name, number in each}
    found = {(chunk.file_name, chunk.ordinal): chunk for chunk in chunks.numbered("ordinal", places)} if places else {}

    def completed(hit: Hit) -> Hit:
        beside = (found.get(place) for place in wanted[id(hit)])
        around = tuple(chunk for chunk in beside if chunk is not None and _kin(chunk) == _kin(hit.chunk))
        return replace(hit, around=around) if around else hit

    return {question_id: [completed(hit) for hit in hits] for question_id, hits in given.items()}


def _cut_off(hit: Hit) -> Iterator[tuple[str, int]]:
    """The file name and ordinal of the chunks before and after the hit's chunks, where a quote may go on there."""
    if not hit.chunks or hit.chunk.row_number is not None:
        return
    first, last = hit.chunks[0], hit.chunks[-1]
    if first.ordinal > 0 and may_lack_before(first.text):
        yield first.file_name, first.ordinal - 1
    if may_lack_after(last.text):
        yield last.file_name, last.ordinal + 1


def _places(chunk: Chunk, plan: HandOver) -> list[tuple[Numbered, str, int]]:
    if plan.parent:
        return [] if chunk.parent is None else [("parent", chunk.file_name, chunk.parent)]
    numbers = range(max(0, chunk.ordinal - plan.before), chunk.ordinal + plan.after + 1)
    return [("ordinal", chunk.file_name, number) for number in numbers]


def _kin(chunk: Chunk) -> tuple[str, str | None, int | None]:
    """The granularity, sheet and row that chunks must share to be handed over together."""
    return chunk.granularity, chunk.sheet_name, chunk.row_number


def _each_once(hits: Sequence[Hit], found: Iterable[Sequence[Chunk]]) -> list[Hit]:
    """``hits`` with their context from ``found``, each chunk once:
    a chunk that several hits share goes with the best of them.
    """
    owner: dict[str, int] = {}
    shared: list[list[Chunk]] = [[] for _ in hits]
    for number, mine in enumerate(found):
        best = min((owner[chunk.chunk_id] for chunk in mine if chunk.chunk_id in owner), default=number)
        for chunk in mine:
            if chunk.chunk_id not in owner:
                owner[chunk.chunk_id] = best
                shared[best].append(chunk)
    told: list[Chunk] = []
    given = []
    for hit, chunks in zip(hits, shared, strict=True):
        new = [chunk for chunk in sorted(chunks, key=lambda chunk: chunk.ordinal) if not _is_told(chunk, told)]
        told += new
        given.append(replace(hit, handed_over=tuple(new)))
    return given


def _is_told(chunk: Chunk, told: Iterable[Chunk]) -> bool:
    """Tell if ``told`` chunks of another granularity cover all of the chunk's text."""
    others = [
        (max(0, other.start - chunk.start), other.end - chunk.start)
        for other in told
        if other.document_id == chunk.document_id and other.granularity != chunk.granularity and other.end > chunk.start
    ]
    return bool(others) and covers(others, chunk.text)
