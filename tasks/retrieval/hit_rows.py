"""Conversion of questions, hits and expansions to rows of the lake and back."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import pyarrow as pa

from tasks.records import Chunk, Duplicate, Hit, Question
from tasks.retrieval.queries.query_expansion import Expansion

RANKED_BY = (
    "rank",
    "score",
    "dense_similarity",
    "lexical_similarity",
    "bm25_share",
    "relevance",
    "known_words",
    "names_document",
)
"""The figures of a hit that every table keeps, as the record names them."""


def hit_rows(identity: Mapping[str, Any], hits: Iterable[Sequence[Hit]]) -> Iterator[dict[str, Any]]:
    """The rows of the table ``retrievals``; ``identity`` names run and plan."""
    for hit in (hit for found in hits for hit in found):
        yield {**identity, "question_id": hit.question_id, "lead": hit.lead, **hit_columns(hit)}


def hit_columns(hit: Hit) -> dict[str, Any]:
    """The columns that a hit has in every table: its chunk's place, and what it was ranked by."""
    chunk = hit.chunk
    return {
        "chunk_id": chunk.chunk_id,
        "file_name": chunk.file_name,
        "page_number": chunk.page_number,
        "sheet_name": chunk.sheet_name,
        "row_number": chunk.row_number,
        "section_path": chunk.section_path,
        "page_label": chunk.label_of(chunk.page_number) or None,
        "document_name": chunk.document_name or None,
        **{name: getattr(hit, name) for name in RANKED_BY},
        "duplicates": json.dumps([one._asdict() for one in hit.duplicates]) if hit.duplicates else None,
    }


def duplicates_of(row: Mapping[str, Any]) -> tuple[Duplicate, ...]:
    """The duplicates of a row of the table ``retrievals``, or of a hit in ``audit_steps``."""
    return tuple(Duplicate(**one) for one in json.loads(row["duplicates"] or "[]"))


def expansion_rows(
    identity: Mapping[str, Any], questions: Iterable[Question], expansions: Iterable[Expansion]
) -> Iterator[dict[str, Any]]:
    """The rows of the table ``expansions``, one for each query.

    A question without a query has a row with the reason, or with none where feedback has only moved its vectors.
    """
    for question, expansion in zip(questions, expansions, strict=True):
        whose = {**identity, "question_id": question.question_id}
        for index, query in enumerate(expansion.queries):
            yield whose | {"query_index": index, "query": query}
        if not expansion.queries:
            yield whose | {"reason": expansion.reason}


def expansions_of(questions: Iterable[Question], rows: pa.Table, _texts: Sequence[str]) -> list[Expansion]:
    """The expansion of each question, from rows of the table ``expansions``;
    takes the place of a model server in a replay.
    """
    found: dict[str, list[dict[str, Any]]] = {}
    for row in rows.sort_by("query_index").to_pylist():
        found.setdefault(row["question_id"], []).append(row)
    return [
        Expansion(
            tuple(row["query"] for row in of_question if row["query"] is not None),
            next((row["reason"] for row in of_question if row["reason"] is not None), None),
        )
        for of_question in (found.get(question.question_id, []) for question in questions)
    ]


def hits_of(rows: pa.Table, chunks: Iterable[Chunk]) -> dict[str, list[Hit]]:
    """The hits of each question, best first, with their chunks.

    Raises KeyError for a chunk that is missing in ``chunks``.
    """
    chunk_of = {chunk.chunk_id: chunk for chunk in chunks}
    found: dict[str, list[Hit]] = {}
    for row in rows.sort_by("rank").to_pylist():
        found.setdefault(row["question_id"], []).append(
            Hit(
                question_id=row["question_id"],
                chunk=chunk_of[row["chunk_id"]],
                lead=row["lead"],
                duplicates=duplicates_of(row),
                **{name: row[name] for name in RANKED_BY},
            )
        )
    return found
