"""Chunker: cut documents into chunks, each a slice of the document's text that knows its pages.

After RAILS (Liang, Zhou, Gurbani 2024, §4.1.1): at most ``max_tokens`` tokens of the embedding model's own tokenizer,
``overlap_tokens`` shared with the chunk before. We deviate in where a chunk ends: at the last sentence end in its
second half, if there is one. A row of a sheet is a chunk of its own. A question that nobody has answered is in no
chunk: it would match the same question best and hold no answer. A plan may cut by sentences or separators instead, and
inside larger parents (``tasks/chunking/units.py``).
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import count, takewhile
from typing import Protocol

from configs.plans import Chunking
from tasks.chunking.table_heads import TableHeads
from tasks.chunking.units import Span, parent_ranges, short_tokens, unit_ranges
from tasks.errors import UsageError
from tasks.records import Chunk, Document, Element, Page, PageSpan, content_id

LOGIC_VERSION = "8"
CONTEXT_TOKENS = 48
"""Limit on a chunk's context, in tokens. A longer title is cut: it must not crowd out the chunk."""


class Tokenizer(Protocol):
    """The embedding model's tokenizer."""

    special_tokens: int
    """Number of tokens that the model puts around a text."""

    def offsets(self, text: str) -> list[Span]:
        """The character span of each token, in order, without special tokens."""
        ...


def cut_document(
    document: Document, plan: Mapping[str, Chunking], tokenizer: Tokenizer, window_tokens: int | None
) -> list[Chunk]:
    """Cut ``document`` into the chunks of each granularity, ordered by granularity name; ordinals and parents run on.

    Raises as :func:`chunk_document`.
    """
    found: list[Chunk] = []
    parents = 0
    for name, chunking in sorted(plan.items()):
        first, first_parent = len(found), parents
        for chunk in chunk_document(document, chunking, tokenizer, window_tokens):
            if name:
                # A chunk of one granularity may have the same span as a chunk of another: both are kept.
                chunk = replace(chunk, granularity=name, chunk_id=content_id(name, chunk.chunk_id))
            parent = None if chunk.parent is None else first_parent + chunk.parent
            parents = parents if parent is None else parent + 1
            found.append(replace(chunk, ordinal=first + chunk.ordinal, parent=parent))
    return found


def chunk_document(document: Document, plan: Chunking, tokenizer: Tokenizer, window_tokens: int | None) -> list[Chunk]:
    """Cut ``document`` into chunks in reading order; a document without text gives none.

    ``window_tokens`` is the model's window, None if longer texts are averaged. Raises UsageError if a chunk with its
    context would not fit into it.
    """
    if window_tokens is not None:
        _require_room(plan, window_tokens - tokenizer.special_tokens, window_tokens)
    tokens = short_tokens(tokenizer.offsets(document.text), plan.max_characters)
    located = [element for element in document.elements if element.start is not None]
    starts = [element.start or 0 for element in located]
    page_ends = [page.end for page in document.pages]
    heads = TableHeads(located)
    chunks: list[Chunk] = []
    for (begin, end), parent, head in _ranges(document, tokens, plan, heads.rows):
        start, stop = tokens[begin][0], tokens[end - 1][1]
        above = located[at - 1] if head is None and (at := bisect_right(starts, start)) else head
        section = above.section_path if above else ""
        context = _context(document.title, section, heads.above(start), plan.context, tokenizer)
        chunks.append(
            Chunk(
                chunk_id=content_id("chunk", document.document_id, start, stop, context),
                document_id=document.document_id,
                file_name=document.file_name,
                content_sha256=document.content_sha256,
                kind=document.kind,
                ordinal=len(chunks),
                start=start,
                end=stop,
                text=document.text[start:stop],
                context=context,
                token_count=end - begin,
                page_spans=tuple(_page_spans(document.pages[bisect_right(page_ends, start) :], start, stop)),
                section_path=section,
                sheet_name=head.sheet_name if head else None,
                row_number=head.row_number if head else None,
                parent=parent,
            )
        )
    return chunks


def _require_room(plan: Chunking, room: int, window_tokens: int) -> None:
    room -= CONTEXT_TOKENS if plan.context != "none" else 0
    if plan.max_tokens > room:
        raise UsageError(
            f"chunks of {plan.max_tokens} tokens do not fit the model's window of {window_tokens} (room for {room}): "
            "lower chunking.max_tokens, raise embedding.max_length where the model allows it, "
            "or set embedding.long_texts: mean"
        )


def _blocks(document: Document, respect_sections: bool) -> Iterator[tuple[int, int, Element | None]]:
    """Blocks of text that no chunk crosses: each row of a sheet, and the text between rows, split by section if asked.

    Elements of the kind ``question`` are left out.
    """
    begin = 0
    previous: Element | None = None
    for element in document.elements:
        if element.start is None or element.end is None:
            continue
        if element.kind in ("row", "question"):
            if element.start > begin:
                yield begin, element.start, None
            if element.kind == "row":
                yield element.start, element.end, element
            begin = element.end
        elif respect_sections and element.kind == "title" and previous and previous.kind != "title":
            yield begin, element.start, None
            begin = element.start
        previous = element
    if begin < len(document.text):
        yield begin, len(document.text), None


def _ranges(
    document: Document, tokens: Sequence[Span], plan: Chunking, rows: Sequence[Span]
) -> Iterator[tuple[Span, int | None, Element | None]]:
    """The token range of each chunk, with the ordinal of its parent (None without parents) and its sheet row."""
    starts = [start for start, _ in tokens]
    parents = count()
    for block_start, block_end, row in _blocks(document, plan.respect_sections):
        first, last = bisect_left(starts, block_start), bisect_left(starts, block_end)
        whole: Iterable[Span] = [(0, last - first)]
        if plan.parent_tokens is not None:
            whole = parent_ranges(document.text, tokens[first:last], plan.parent_tokens)
        for since, until in whole:
            parent = None if plan.parent_tokens is None else next(parents)
            for begin, end in unit_ranges(document.text, tokens[first + since : first + until], plan, rows):
                yield (first + since + begin, first + since + end), parent, row


def _page_spans(pages: Iterable[Page], start: int, end: int) -> Iterator[PageSpan]:
    """The spans of the pages that the range touches, each clipped to it. ``pages`` come in order."""
    for page in takewhile(lambda page: page.start < end, pages):
        span = PageSpan(page.page_number, max(start, page.start), min(end, page.end))
        if span.start < span.end:  # a blank page between two others is touched by no character
            yield span


def _context(title: str, section: str, head: Sequence[str], which: str, tokenizer: Tokenizer) -> str:
    if which == "none":
        return ""
    is_named = bool(title) and (section == title or section.startswith(f"{title} > "))
    both = section if is_named else f"{title} > {section}"
    context = both if which == "title_section" and section else title
    parts = [context]
    if which == "title_table":
        parts += [one for part in head if (one := part.removeprefix(title).strip())]
    return _clipped(parts, tokenizer)


def _clipped(parts: Sequence[str], tokenizer: Tokenizer) -> str:
    """The parts, each behind a sign; the longest are cut first where all have more than CONTEXT_TOKENS."""
    tokens = [tokenizer.offsets(part) for part in parts]
    room = CONTEXT_TOKENS - (len(parts) - 1)
    most = next(
        most for most in range(room, 0, -1) if most == 1 or sum(min(len(each), most) for each in tokens) <= room
    )
    cut = (part if len(each) <= most else part[: each[most - 1][1]] for part, each in zip(parts, tokens, strict=True))
    return " > ".join(cut)


def covers(spans: Iterable[Span], text: str) -> bool:
    """Tell if every character of ``text`` that is not white space lies in one of the ``spans``.

    Empty text is covered.
    """
    reached = 0
    for start, end in sorted(spans):
        if text[reached : max(reached, start)].strip():
            return False
        reached = max(reached, end)
    return not text[reached:].strip()
