"""Tables and manifests of index versions."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from tasks.index.rows import to_table, with_vectors
from tasks.index.versions import Manifest
from tests.made.chunks import chunk_of

KEY = "0123456789ab"


def manifest(content: str, corpus: str = "default", key: str = KEY) -> Manifest:
    """The manifest of a version of two chunks with this content."""
    return Manifest(corpus, key, "bidfolio", "model", 512, "fingerprint", "states", content, "documents", 1, 2)


def rows(*texts: str) -> pa.Table:
    """A table of chunks with unit vectors, one row a text."""
    made = [chunk_of(text, ordinal=number) for number, text in enumerate(texts)]
    vectors = np.eye(len(made), 4, dtype=np.float32)
    return with_vectors(to_table(made), vectors, vectors[:, :2])
