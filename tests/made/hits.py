"""Hits of retrieval made of a few texts."""

from __future__ import annotations

from tasks.records import Chunk, Hit, PageSpan
from tests.made.chunks import chunk_of


def hit(
    text: str, *, rank: int = 1, spans: tuple[PageSpan, ...] = (), row: int | None = None, share: float = 0.5
) -> Hit:
    """A hit on page 3 of a policy, or on a row of a sheet."""
    chunk = Chunk(
        chunk_id=f"c{rank}",
        document_id="d",
        file_name="policy.pdf",
        content_sha256="0" * 64,
        kind="pdf" if row is None else "xlsx",
        ordinal=0,
        start=100,
        end=100 + len(text),
        text=text,
        context="",
        token_count=10,
        page_spans=spans or (PageSpan(None if row else 3, 100, 100 + len(text)),),
        row_number=row,
    )
    return Hit("q", rank, chunk, 1.0 / rank, 0.5, 0.5, share)


def hits(*texts: str) -> list[Hit]:
    """A hit a text, each in a file of its own, the best first."""
    chunks = [chunk_of(text, file_name=f"{n}.pdf", page_number=n) for n, text in enumerate(texts, 1)]
    return [Hit("q", n, chunk, 1 / n, 0.9, 0.5, 0.9) for n, chunk in enumerate(chunks, 1)]
