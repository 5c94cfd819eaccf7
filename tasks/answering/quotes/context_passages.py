"""What hits hand over, as the passages that a language model reads: each on one page, no text twice."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from tasks.records import Chunk, Citation, Hit
from tasks.retrieval.context.context_window import joined_text


def on_one_page(hits: Sequence[Hit]) -> list[Hit]:
    """The hits in their order, of which one that hands over several pages, or parts that are not next to each other,
    becomes several; each found what it begins with. A hit that hands over nothing is left out.
    """
    return [part for hit in hits for part in ([hit] if hit.handed_over is None else _parts(hit))]


def is_of(citation: Citation, chunk: Chunk) -> bool:
    """Whether the citation quotes something of the chunk."""
    is_same = citation.document_id == chunk.document_id
    return is_same and citation.start < chunk.end and chunk.start < citation.end


def text_of(hit: Hit) -> str:
    """All that the hit hands over, in lines; what a chunk shares with the one before it comes once."""
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
