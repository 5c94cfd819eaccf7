"""Page finders: the page of a file on which a text stands, told from the file's name and the text alone.

Document Page Finder of RAILS (Liang, Zhou, Gurbani 2024, §3.4 and Algorithm 1). A chunk of ours knows its pages by
its offsets; a finder serves a text that came without them, and bears witness for those that have them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray


class FilePages(NamedTuple):
    """The pages of one file: ``numbers`` as a viewer shows them, and the text of each."""

    numbers: tuple[int, ...]
    texts: tuple[str, ...]


class PageFinder(Protocol):
    """Finds pages in the files that it was built on."""

    def find(self, file_name: str, texts: Sequence[str]) -> list[int | None]:
        """The page number of each text, in order; None for each where the file has no pages or is not known."""
        ...


class OneFile(Protocol):
    """A finder's matrices for one file."""

    def scores(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """How well each page fits each text, ``(len(texts), pages)``; higher is better."""
        ...


class BestPage:
    """The finder that takes the page with the highest score, the first of equals (Algorithm 1, line 14)."""

    def __init__(self, files: Mapping[str, tuple[tuple[int, ...], OneFile]]) -> None:
        """``files`` gives each file's page numbers and matrices by its name."""
        self._files = files

    def find(self, file_name: str, texts: Sequence[str]) -> list[int | None]:
        """The page number of each text, in order; None for each where the file has no pages or is not known."""
        numbers, matrices = self._files.get(file_name, ((), None))
        if not numbers or matrices is None or not texts:
            return [None] * len(texts)
        return [numbers[best] for best in matrices.scores(texts).argmax(axis=1)]
