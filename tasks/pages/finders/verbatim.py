"""Verbatim page finder: search the pages for the text itself, then for runs of its letters, then by TF-IDF.

1. The letters and digits of all pages, in lower case, form one string: a text that was re-flowed, whose hyphens were
undone or whose spaces were lost is still found in it verbatim, over a page break, too.
2. If it is not found, each run of ten of its letters votes for the pages that contain it; the rarer the run, the more.
3. If no run is known, the paper's TF-IDF decides.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tasks.pages.finders.tfidf import Arrays, TfidfPages, fit_tfidf_pages
from tasks.text.characters import fold

LOGIC_VERSION = "1"
"""Version of the fitting logic, part of the cache key. Change it whenever the same pages would give other matrices."""
RUN_LETTERS = 10
_BASE = np.uint64(1_000_003)

Runs = NDArray[np.uint64]


@dataclass(frozen=True, slots=True)
class VerbatimPages:
    """Search structures of one file. ``folded``: all pages' letters and digits. ``starts`` (pages,): page starts in it.

    ``runs`` are the hashes of its runs in ascending order, ``run_pages`` the page index of each.
    """

    folded: str
    starts: NDArray[np.int64]
    runs: Runs
    run_pages: NDArray[np.int32]
    tfidf: TfidfPages

    def scores(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Score how well each page fits each text, ``(len(texts), pages)``, in the units of the step that decided.

        For a text that is found verbatim, the score of a page is the share of the text's letters on it.
        """
        found = np.zeros((len(texts), len(self.starts)), dtype=np.float32)
        undecided: list[int] = []
        for row, text in enumerate(texts):
            folded = fold(text)
            at = self.folded.find(folded) if folded else -1
            found[row] = self._shares(at, len(folded)) if at >= 0 else self._votes(folded)
            if not found[row].any():
                undecided.append(row)
        if undecided:
            found[undecided] = self.tfidf.scores([texts[row] for row in undecided])
        return found

    def _shares(self, at: int, length: int) -> NDArray[np.float32]:
        ends = np.append(self.starts[1:], len(self.folded))
        inside = np.minimum(ends, at + length) - np.maximum(self.starts, at)
        return np.asarray(np.maximum(inside, 0) / length, dtype=np.float32)

    def _votes(self, folded: str) -> NDArray[np.float32]:
        asked = np.unique(_run_hashes(folded))
        begins = np.searchsorted(self.runs, asked, side="left")
        counts = np.searchsorted(self.runs, asked, side="right") - begins
        known = counts > 0
        begins, counts = begins[known], counts[known]
        if not len(counts):
            return np.zeros(len(self.starts), dtype=np.float32)
        at = np.repeat(begins - np.concatenate(([0], np.cumsum(counts)[:-1])), counts) + np.arange(counts.sum())
        weights = np.repeat(1.0 / counts, counts)
        votes = np.bincount(self.run_pages[at], weights, minlength=len(self.starts))
        return np.asarray(votes / len(asked), dtype=np.float32)

    def to_arrays(self) -> Arrays:
        """Convert the matrices to plain arrays, without the runs, which are hashed again on reading."""
        folded = np.frombuffer(self.folded.encode(), dtype=np.uint8)
        return {"folded": folded, "starts": self.starts, **self.tfidf.to_arrays()}

    @classmethod
    def from_arrays(cls, arrays: Arrays) -> VerbatimPages:
        """Build the matrices from the arrays of :meth:`to_arrays`."""
        folded = arrays["folded"].tobytes().decode()
        return _with_runs(folded, arrays["starts"], TfidfPages.from_arrays(arrays))


def fit_verbatim_pages(texts: Sequence[str]) -> VerbatimPages:
    """Fit the page finder's matrices of a file, given the text of each page."""
    folded = [fold(text) for text in texts]
    starts = np.cumsum([0, *map(len, folded)], dtype=np.int64)[:-1]
    return _with_runs("".join(folded), starts, fit_tfidf_pages(texts))


def _with_runs(folded: str, starts: NDArray[np.int64], tfidf: TfidfPages) -> VerbatimPages:
    hashes = _run_hashes(folded)
    order = np.argsort(hashes, kind="stable")
    pages = np.searchsorted(starts, order, side="right") - 1
    return VerbatimPages(folded, starts, hashes[order], pages.astype(np.int32), tfidf)


def _run_hashes(folded: str) -> Runs:
    """Hash each run of letters, ``(len(folded) - RUN_LETTERS + 1,)``; a shorter text has none."""
    letters = np.frombuffer(folded.encode("utf-32-le"), dtype=np.uint32).astype(np.uint64)
    count = len(letters) - RUN_LETTERS + 1
    if count <= 0:
        return np.zeros(0, dtype=np.uint64)
    hashes = np.zeros(count, dtype=np.uint64)
    for offset in range(RUN_LETTERS):
        hashes = hashes * _BASE + letters[offset : offset + count]
    return hashes
