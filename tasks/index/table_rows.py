"""An index version's rows as rows of the lake's tables ``chunks`` and ``vectors``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tasks.index.rows import chunks_of, matrix_of


def chunk_rows(rows: pa.Table, partition: Mapping[str, str]) -> Iterator[dict[str, Any]]:
    """The rows of the table ``chunks``, in order; ``partition`` names corpus and index key."""
    for chunk in chunks_of(rows):
        yield {
            **partition,
            "chunk_id": chunk.chunk_id,
            "document_id": chunk.document_id,
            "file_name": chunk.file_name,
            "kind": chunk.kind,
            "chunk_index": chunk.ordinal,
            "parent_index": chunk.parent,
            "granularity": chunk.granularity or None,
            "page_number": chunk.page_number,
            "last_page_number": chunk.page_spans[-1].page_number if chunk.page_spans else None,
            "sheet_name": chunk.sheet_name,
            "row_number": chunk.row_number,
            "section_path": chunk.section_path,
            "start_offset": chunk.start,
            "end_offset": chunk.end,
            "token_count": chunk.token_count,
            "context": chunk.context,
            "text": chunk.text,
        }


def vector_rows(rows: pa.Table, partition: Mapping[str, str], fingerprint: str) -> Iterator[dict[str, Any]]:
    """The rows of the table ``vectors``, in order; ``fingerprint`` is the dense model's."""
    ids: list[str] = rows["chunk_id"].to_pylist()
    dense, lexical = (_as_bytes(matrix_of(rows, column)) for column in ("dense", "lexical"))
    for chunk_id, d, x in zip(ids, dense, lexical, strict=True):
        yield {**partition, "chunk_id": chunk_id, "model_fingerprint": fingerprint, "dense": d, "lexical": x}


def _as_bytes(vectors: NDArray[np.float32]) -> list[bytes]:
    return [vector.astype("<f4").tobytes() for vector in vectors]
