"""Context passages: what hits hand over to a language model, each passage on one page, no text twice."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from tasks.answering.quotes.passages import Passage
from tasks.records import Chunk, Citation, Hit
from tasks.retrieval.context.context_window import joined_text


def on_one_page(hits: Sequence[Hit]) -> list[Hit]:
    """The hits, split so that each is on one page and without gaps; one that hands over nothing is left out."""
    return [part for hit in hits for part in ([hit] if hit.handed_over is None else _parts(hit))]


def is_of(citation: Citation, place: Chunk | Passage) -> bool:
    """Tell if the citation quotes a part of the chunk or passage."""
    is_same = citation.document_id == place.document_id
    return is_same and citation.start < place.end and place.start < citation.end


def text_of(hit: Hit) -> str:
    """The text of all that the hit hands over, in lines; an overlap of two chunks comes once."""
    return joined_text(hit.chunks)


def _parts(hit: Hit) -> Iterator[Hit]:
    if not hit.chunks:
        return
    run: list[Chunk] = [hit.chunks[0]]
    for one, other in pairwise(hit.chunks):
        if other.ordinal != one.ordinal + 1 or other.page_number != one.page_number:
            yield replace(hit, chunk=run[0], handed_over=tuple(run))
            run = []
        run.append(other)
    yield replace(hit, chunk=run[0], handed_over=tuple(run))
