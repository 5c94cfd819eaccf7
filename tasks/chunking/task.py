"""Chunking stage: cut each document of a corpus into chunks; documents whose chunks are cached are not cut again."""

from __future__ import annotations

from dataclasses import replace

from configs.plans import Plan
from configs.settings import Settings
from tasks.chunking.chunker import cut_document
from tasks.chunking.keys import chunk_keys, chunk_list_key, name_of
from tasks.conversion.files.converted_cache import ConvertedCache
from tasks.embedding.corpus.corpus_cache import CorpusCache
from tasks.embedding.models.model_files import ModelTokenizer, longest_passage_tokens
from tasks.progress import track
from tasks.records import Document
from tasks.references import Chunked, Converted
from tasks.runtime.stage import stage
from tasks.storage.document_rows import DocumentRows
from tasks.storage.lake import Lake


@stage("chunk {converted.corpus} for {plan.name}")
def chunk_documents(converted: Converted, plan: Plan, settings: Settings) -> Chunked:
    """Cut the corpus' documents into chunks under the plan, and cache them. A corpus without text gives none.

    Raises UsageError if the plan's chunks do not fit its model's window.
    """
    lake = Lake(settings.home)
    documents, cache = ConvertedCache(lake), CorpusCache(lake)
    known = DocumentRows(lake).document_rows(converted.corpus, converted.key) or []
    rows = [row for row in known if row["status"] == "indexed"]
    tokenizer = ModelTokenizer(plan.embedding.model)
    room = longest_passage_tokens(plan.embedding)
    counts: list[tuple[str, int]] = []
    with track("Cutting chunks", len(rows)) as advance:
        for row, key in zip(rows, chunk_keys(rows, plan), strict=True):
            count = cache.count_chunks(key)
            if count is None and isinstance(document := documents.document(row["document_id"]), Document):
                chunks = cut_document(replace(document, title=name_of(row)), plan.chunking, tokenizer, room)
                cache.put_chunks(key, chunks)
                count = len(chunks)
            counts.append((key, count or 0))
            advance(1)
    list_key = chunk_list_key([key for key, _ in counts])
    cache.put_chunk_counts(list_key, counts)
    return Chunked(list_key, converted.corpus, sum(count for _, count in counts))
