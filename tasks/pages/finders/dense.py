"""Dense page finder: the baseline of the page finder paper, which compares texts with pages by embedding vectors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Encode = Callable[[Sequence[str]], NDArray[np.float32]]
Cut = Callable[[str], Sequence[str]]


@dataclass(frozen=True, slots=True)
class DensePages:
    """The unit vectors ``(pages, n)`` of one file's pages, and the encoder that turns a text into such a vector."""

    encode: Encode
    pages: NDArray[np.float32]

    def scores(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """The cosine of each page with each text, ``(len(texts), pages)``."""
        return np.asarray(self.encode(texts) @ self.pages.T, dtype=np.float32)


def embed_pages(texts: Sequence[str], encode: Encode, windows: Cut) -> DensePages:
    """Embed the pages of a file, given the text of each.

    A page longer than the model's window gets the mean vector of the windows that ``windows`` cuts it into, which
    favours the baseline over cutting it off; an empty page gets a zero vector.
    """
    parts = [list(windows(text)) for text in texts]
    vectors = encode([part for page in parts for part in page])
    pages = np.zeros((len(texts), vectors.shape[1] if len(vectors) else 1), dtype=np.float32)
    at = 0
    for number, page in enumerate(parts):
        if page:
            mean = vectors[at : at + len(page)].mean(axis=0)
            pages[number] = mean / (np.linalg.norm(mean) or 1.0)
        at += len(page)
    return DensePages(encode, pages)
