"""What the suites look at: one row a chunk, reduced to figures and flags, so that no text reaches a report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from tasks.records import Chunk

PAGED_KINDS = frozenset({"pdf", "pptx"})

Matrix = NDArray[np.float32]


def chunk_frame(
    chunks: Sequence[Chunk], document_texts: Mapping[str, str], borne_out: Mapping[str, bool]
) -> pd.DataFrame:
    """``chunk_id, token_count, characters, is_verbatim, lacks_page, page_is_found``; no chunks give no rows, all
    columns.

    ``borne_out`` says of each chunk whether a finder that knows no offsets bears its pages out; the last column is
    that, and null for a chunk without pages.
    """
    return pd.DataFrame(
        {
            "chunk_id": pd.Series([chunk.chunk_id for chunk in chunks], dtype="string"),
            "token_count": pd.Series([chunk.token_count for chunk in chunks], dtype="int64"),
            "characters": pd.Series([len(chunk.text.strip()) for chunk in chunks], dtype="int64"),
            "is_verbatim": pd.Series(
                [document_texts.get(c.document_id, "")[c.start : c.end] == c.text for c in chunks],
                dtype="bool",
            ),
            "lacks_page": pd.Series(
                [chunk.kind in PAGED_KINDS and chunk.page_number is None for chunk in chunks], dtype="bool"
            ),
            "page_is_found": pd.Series(
                [None if c.page_number is None else borne_out.get(c.chunk_id, False) for c in chunks], dtype="boolean"
            ),
        }
    )


def vector_frame(chunk_ids: Sequence[str], dense: Matrix, lexical: Matrix) -> pd.DataFrame:
    """``chunk_id, dense_norm, lexical_norm``; a vector that is not finite has a null norm. None give no rows."""
    return pd.DataFrame(
        {
            "chunk_id": pd.Series(list(chunk_ids), dtype="string"),
            "dense_norm": _norms(dense),
            "lexical_norm": _norms(lexical),
        }
    )


def _norms(vectors: Matrix) -> pd.Series[float]:
    norms = np.linalg.norm(vectors.astype(np.float64), axis=1)
    return pd.Series(np.where(np.isfinite(norms), norms, np.nan), dtype="float64")
