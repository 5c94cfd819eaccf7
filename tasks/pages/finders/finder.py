"""Page finders: find the page of a file that a text comes from, given only the file's name and the text.

Document Page Finder of RAILS (Liang, Zhou, Gurbani 2024, §3.4 and Algorithm 1). Our chunks know their pages by their
offsets; a finder serves texts that come without offsets, and cross-checks the pages of those that have them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray


class FilePages(NamedTuple):
    """The pages of one file: ``numbers`` as a viewer shows them, and the text of each page."""

    numbers: tuple[int, ...]
    texts: tuple[str, ...]


class PageFinder(Protocol):
    """A finder of pages in the files that it was built on."""

    def find(self, file_name: str, texts: Sequence[str]) -> list[int | None]:
        """Find the page number of each text, in order; None for every text if the file has no pages or is not known."""
        ...


class OneFile(Protocol):
    """The scoring matrices of a page finder for one file."""

    def scores(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Score how well each page fits each text, ``(len(texts), pages)``; higher is better."""
        ...


class BestPage:
    """A page finder that takes the page with the highest score, the first of equals (Algorithm 1, line 14)."""

    def __init__(self, files: Mapping[str, tuple[tuple[int, ...], OneFile]]) -> None:
        """Take each file's page numbers and matrices, by the file's name."""
        self._files = files

    def find(self, file_name: str, texts: Sequence[str]) -> list[int | None]:
        """Find the page number of each text, in order; None for every text if the file has no pages or is not known."""
        numbers, matrices = self._files.get(file_name, ((), None))
        if not numbers or matrices is None or not texts:
            return [None] * len(texts)
        return [numbers[best] for best in matrices.scores(texts).argmax(axis=1)]
