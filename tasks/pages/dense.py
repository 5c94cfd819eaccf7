"""The baseline that the paper measures its page finder against: the same with dense vectors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Encode = Callable[[Sequence[str]], NDArray[np.float32]]
Cut = Callable[[str], Sequence[str]]


@dataclass(frozen=True, slots=True)
class DensePages:
    """The pages' unit vectors ``(pages, n)``, and what makes a text one."""

    encode: Encode
    pages: NDArray[np.float32]

    def scores(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """The cosine of each page with each text, ``(len(texts), pages)``."""
        return np.asarray(self.encode(texts) @ self.pages.T, dtype=np.float32)


def embed_pages(texts: Sequence[str], encode: Encode, windows: Cut) -> DensePages:
    """The vectors of pages that say ``texts``.

    A page longer than the model's window is the mean of the windows that ``windows`` cuts it into, which is kinder
    to the baseline than to cut it off; an empty page is zero.
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
