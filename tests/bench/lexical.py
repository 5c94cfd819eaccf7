"""TF-IDF → SVD: seconds and neighbours beside scikit-learn's TruncatedSVD on the same matrix.

Run: .venv/bin/python -m tests.bench.lexical FOLDER [--chunks 100000] [--repeats 3] [--exact]

FOLDER holds PDFs; chunks are stretches of 60 to 200 words of their text, from places drawn by chance. Agreement is the
share of the ten nearest chunks of 500 that are among the ten nearest by the whole TF-IDF rows, and, with ``--exact``,
by ARPACK's axes. Tools take turns, and each figure is the median.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

import numpy as np
import pypdfium2
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfVectorizer

from tasks.embedding.lexical.truncated_svd import principal_axes

COMPONENTS = 384
ASKED = 500
NEIGHBOURS = 10
ROWS_A_BLOCK = 2048

Axes = NDArray[np.float32]


def sampled(folder: Path, count: int) -> list[str]:
    """Stretches of the words of all the PDFs."""
    words = [
        word
        for path in sorted(folder.rglob("*.pdf"))
        for page in pypdfium2.PdfDocument(path)
        for word in page.get_textpage().get_text_range().split()
    ]
    draw = np.random.default_rng(0)
    starts, lengths = draw.integers(0, len(words) - 200, count), draw.integers(60, 200, count)
    return [" ".join(words[at : at + length]) for at, length in zip(starts, lengths, strict=True)]


def ours(matrix: csr_matrix) -> Axes:
    """By blocks of rows."""
    blocks = [matrix[begin : begin + ROWS_A_BLOCK] for begin in range(0, matrix.shape[0], ROWS_A_BLOCK)]
    return principal_axes(lambda: blocks, matrix.shape[1], COMPONENTS, seed=0)


def scikit_learn(matrix: csr_matrix) -> Axes:
    """Its randomized SVD as it comes, with five power iterations."""
    return np.asarray(TruncatedSVD(COMPONENTS, n_iter=5, random_state=0).fit(matrix).components_.T, dtype=np.float32)


def nearest(rows: NDArray[np.float32], asked: NDArray[np.int64]) -> NDArray[np.int64]:
    """The ten nearest other rows of each of ``asked``, by cosine."""
    unit = rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12)
    scores = unit[asked] @ unit.T
    scores[np.arange(len(asked)), asked] = -1
    return np.argpartition(-scores, NEIGHBOURS, axis=1)[:, :NEIGHBOURS]


def nearest_by_words(matrix: csr_matrix, asked: NDArray[np.int64]) -> NDArray[np.int64]:
    """The same by the rows before they are reduced, which are unit."""
    scores = (matrix[asked] @ matrix.T).toarray()
    scores[np.arange(len(asked)), asked] = -1
    return np.argpartition(-scores, NEIGHBOURS, axis=1)[:, :NEIGHBOURS]


def agreement(found: NDArray[np.int64], expected: NDArray[np.int64]) -> float:
    """The mean share of ``expected`` that is in ``found``."""
    return float(np.mean([len(set(a) & set(b)) / NEIGHBOURS for a, b in zip(found, expected, strict=True)]))


def main(folder: Path, chunks: int, repeats: int, exact: bool) -> None:
    """Prints the figures."""
    matrix = TfidfVectorizer(stop_words="english", dtype=np.float32).fit_transform(sampled(folder, chunks))
    print(f"{matrix.shape[0]} chunks, {matrix.shape[1]} words, {matrix.nnz} entries, to {COMPONENTS} dimensions")
    tools: dict[str, Callable[[csr_matrix], Axes]] = {"bidfolio": ours, "scikit-learn": scikit_learn}
    seconds: dict[str, list[float]] = {name: [] for name in tools}
    axes: dict[str, Axes] = {}
    for _ in range(repeats):
        for name, tool in tools.items():
            begin = time.perf_counter()
            axes[name] = tool(matrix)
            seconds[name].append(time.perf_counter() - begin)
    asked = np.random.default_rng(1).choice(matrix.shape[0], min(ASKED, matrix.shape[0]), replace=False)
    by_words = nearest_by_words(matrix, asked)
    best = None
    if exact:
        arpack = TruncatedSVD(COMPONENTS, algorithm="arpack", random_state=0).fit(matrix).components_.T
        best = nearest(np.asarray(matrix @ arpack), asked)
    for name, found in axes.items():
        neighbours = nearest(np.asarray(matrix @ found), asked)
        of_best = "" if best is None else f", of ARPACK's {agreement(neighbours, best):.3f}"
        print(
            f"{name:13} {median(seconds[name]):7.1f} s   bidfolio takes 1/"
            f"{median(seconds[name]) / median(seconds['bidfolio']):.2f}   "
            f"of the nearest by words {agreement(neighbours, by_words):.3f}{of_best}"
        )


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--chunks", type=int, default=100_000)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--exact", action="store_true")
    given = parser.parse_args()
    main(given.folder, given.chunks, given.repeats, given.exact)
