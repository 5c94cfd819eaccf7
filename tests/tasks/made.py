"""Documents and chunks made of words, for the tests of several rooms."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import Any

from configs.plans import BM25, Language, Lexical
from configs.retrieval import Retrieval
from tasks.embedding.lexical.bm25 import BM25State, fit_bm25
from tasks.embedding.lexical.lexical_space import LexicalState, fit_lexical
from tasks.embedding.lexical.word_counts import count_words
from tasks.records import Chunk, Document, Element, Page, PageSpan, content_id
from tasks.text.search_terms import terms
from tasks.text.stemmed_words import words_of


def sha(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def document_of(pages: Sequence[str], rows: Sequence[str] = (), title: str = "A title") -> Document:
    """Numbered pages of prose, one paragraph each, and, after them, a sheet of rows; a line break between all."""
    text, made, elements = "", [], []
    for number, page in enumerate(pages, start=1):
        start, text = len(text), f"{text}{page}"
        made.append(Page(number, start, len(text), "native"))
        if page.strip():
            elements.append(Element("paragraph", page, start, len(text), number, section_path=f"Section {number}"))
        text += "\n"
    start = len(text)
    for number, row in enumerate(rows, start=1):
        at, text = len(text), f"{text}{row}"
        elements.append(Element("row", row, at, len(text), None, sheet_name="Sheet", row_number=number))
        text += "\n"
    if rows:
        made.append(Page(None, start, len(text), "none", sheet_name="Sheet"))
    name = "made.pdf" if not rows else "made.xlsx"
    digest = sha(text)
    return Document(
        document_id=content_id("document", name, digest),
        file_name=name,
        content_sha256=digest,
        kind="pdf" if not rows else "xlsx",
        title=title,
        text=text,
        pages=tuple(made),
        elements=tuple(elements),
    )


def chunk_of(
    text: str,
    *,
    file_name: str = "made.pdf",
    page_number: int | None = 1,
    ordinal: int = 0,
    start: int = 0,
    row_number: int | None = None,
    sheet_name: str | None = None,
) -> Chunk:
    """A chunk on one page, or on none."""
    document_id = content_id("document", file_name)
    return Chunk(
        chunk_id=content_id("chunk", document_id, start, ordinal, text, str(page_number), str(row_number)),
        document_id=document_id,
        file_name=file_name,
        content_sha256=sha(file_name),
        kind="pdf" if page_number is not None else "xlsx",
        ordinal=ordinal,
        start=start,
        end=start + len(text),
        text=text,
        context="",
        token_count=max(1, len(text.split())),
        page_spans=(PageSpan(page_number, start, start + len(text)),),
        sheet_name=sheet_name,
        row_number=row_number,
    )


def lexical_space(texts: Sequence[str], plan: Lexical, dense_dimensions: int, parts: int = 1) -> LexicalState:
    """The lexical space of texts, as of a corpus in so many parts."""
    words = partial(words_of, stop_words=plan.stop_words, stemming=plan.stemming)
    counted = [
        count_words(texts[part * len(texts) // parts : (part + 1) * len(texts) // parts], words)
        for part in range(parts)
    ]
    return fit_lexical(lambda: counted, plan, dense_dimensions)


def bm25_weights(texts: Sequence[str], k1: float, b: float, language: Language = "english") -> BM25State:
    """BM25's weights of texts, as of a corpus in two parts."""
    middle = len(texts) // 2
    in_language = partial(terms, stop_words=language, stemming=language)
    counted = [count_words(part, in_language) for part in (texts[:middle], texts[middle:])]
    return fit_bm25(lambda: counted, BM25(k1=k1, b=b, stop_words=language, stemming=language))


def retrieval_of(
    by: str, *, bm25_weight: float = 0.0, rest: Mapping[str, Any] = MappingProxyType({}), **listed: Any
) -> Retrieval:
    """A plan of the list ``by``, and of BM25's where that has a weight."""
    lists: list[dict[str, Any]] = [{"by": by, **listed}]
    if bm25_weight:
        lists.append({"by": "bm25", "weight": bm25_weight})
    return Retrieval.model_validate({"lists": lists, **rest})
