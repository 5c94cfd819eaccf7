"""Content keys of index versions: the same key means that nothing has to be done."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from configs.plans import Plan
from tasks.chunking import chunker
from tasks.conversion.files import convert
from tasks.embedding import abbreviations, bm25, lexical, shards
from tasks.embedding.model_files import longest_passage_tokens
from tasks.index.versions import recipe_of
from tasks.records import content_id


def documents_key(document_ids: Iterable[str]) -> str:
    """The key of a set of documents, in any order; no documents give the key of the empty set."""
    return content_id("documents", *sorted(document_ids))


def chunks_key(document_id: str, plan: Plan, is_rendered: bool = False, word_count: int | None = None) -> str:
    """The key of one document's chunks under a plan.

    The tokenizer is the model's, so the model is part of the key. So are ``is_rendered``, since a rendered Word file
    has other pages, and ``word_count``, since a PDF has more words once OCR has read pages of it.
    """
    longest = longest_passage_tokens(plan.embedding) or 0
    return content_id(
        "chunks",
        convert.LOGIC_VERSION,
        chunker.LOGIC_VERSION,
        document_id,
        plan.chunking_fingerprint,
        plan.embedding.model,
        longest,
        *(["rendered"] if is_rendered else []),
        *([str(word_count)] if word_count is not None else []),
    )


def chunk_keys(rows: Iterable[Mapping[str, Any]], plan: Plan) -> list[str]:
    """The chunk keys of the rows of ``documents`` that are indexed, in order."""
    return [
        chunks_key(row["document_id"], plan, bool(row.get("is_rendered")), row.get("word_count"))
        for row in rows
        if row["status"] == "indexed"
    ]


def chunk_list_key(keys: Sequence[str]) -> str:
    """The key of all chunks of a corpus, from the keys of its documents' chunks."""
    return content_id("chunk_list", *keys)


def content_key(document_ids: Iterable[str], plan: Plan, model_fingerprint: str) -> str:
    """The key of everything that an index version is made from."""
    logic = (convert, chunker, shards, lexical, bm25, abbreviations)
    versions = [module.LOGIC_VERSION for module in logic]
    indexes = json.dumps(asdict(recipe_of(plan)), sort_keys=True)
    return content_id("content", documents_key(document_ids), plan.index_key, model_fingerprint, *versions, indexes)
