"""Keys of chunks: the same key means that a document need not be cut again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from configs.plans import Plan
from tasks.chunking import chunker
from tasks.conversion.files import version
from tasks.embedding.models.model_files import longest_passage_tokens
from tasks.records import content_id


def name_of(row: Mapping[str, Any]) -> str:
    """The name of a document within its corpus, from its row of ``documents``; its title in a row that has none."""
    return str(row.get("name") or row["title"])


def chunks_key(
    document_id: str, name: str, plan: Plan, is_rendered: bool = False, word_count: int | None = None
) -> str:
    """The key of the chunks of one document, by its id and name, under a plan.

    The tokenizer is the model's, so the model is part of the key. So are ``is_rendered``, since a rendered Word file
    has other pages, and ``word_count``, since a PDF has more words once OCR has read pages of it.
    """
    longest = longest_passage_tokens(plan.embedding) or 0
    return content_id(
        "chunks",
        version.LOGIC_VERSION,
        chunker.LOGIC_VERSION,
        document_id,
        name,
        plan.chunking_fingerprint,
        plan.embedding.model,
        longest,
        *(["rendered"] if is_rendered else []),
        *([str(word_count)] if word_count is not None else []),
    )


def chunk_keys(rows: Iterable[Mapping[str, Any]], plan: Plan) -> list[str]:
    """The chunk keys of the rows of ``documents`` that are indexed, in order."""
    return [
        chunks_key(row["document_id"], name_of(row), plan, bool(row.get("is_rendered")), row.get("word_count"))
        for row in rows
        if row["status"] == "indexed"
    ]


def chunk_list_key(keys: Sequence[str]) -> str:
    """The key of all chunks of a corpus, from the keys of its documents' chunks."""
    return content_id("chunk_list", *keys)
