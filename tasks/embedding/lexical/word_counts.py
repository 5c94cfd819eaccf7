"""Word counts of texts: all that TF-IDF and BM25 need of the texts, stored as Parquet in parts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

SCHEMA = pa.schema(
    [
        pa.field("row", pa.int32(), nullable=False),
        pa.field("word", pa.dictionary(pa.int32(), pa.string()), nullable=False),
        pa.field("count", pa.int32(), nullable=False),
    ]
)


class Counts(NamedTuple):
    """Word counts of m texts: ``rows`` (m × k) has how often each of the sorted ``words`` (k,) occurs in each text."""

    words: NDArray[np.str_]
    rows: csr_matrix

    def to_table(self) -> pa.Table:
        """The counts as a table of SCHEMA, a row for each text and word; texts without a word have none."""
        entries = self.rows.tocoo()
        word = pa.DictionaryArray.from_arrays(
            pa.array(entries.col, pa.int32()), pa.array(self.words.tolist(), pa.string())
        )
        return pa.table([pa.array(entries.row, pa.int32()), word, pa.array(entries.data, pa.int32())], schema=SCHEMA)

    @classmethod
    def from_table(cls, table: pa.Table, texts: int) -> Counts:
        """The counts from the table of :meth:`to_table`, for that number of texts."""
        column = table["word"].unify_dictionaries().combine_chunks()
        named = np.array(column.dictionary.to_pylist(), dtype=np.str_) if len(column) else np.array([], dtype="<U1")
        words, place = np.unique(named, return_inverse=True)
        at = place[np.asarray(column.indices)] if len(column) else np.zeros(0, np.int64)
        rows = csr_matrix((np.asarray(table["count"]), (np.asarray(table["row"]), at)), shape=(texts, len(words)))
        return cls(words, rows)


Parts = Callable[[], Iterable[Counts]]
"""Function that gives the counts of a corpus part by part, the same at each call:
they need not fit into memory together.
"""


class Vocabulary(NamedTuple):
    """The sorted ``words`` (k,) of several parts, and in how many of their ``texts`` each occurs,
    ``containing`` (k,).
    """

    words: NDArray[np.str_]
    containing: NDArray[np.int64]
    texts: int


def count_words(texts: Sequence[str], words_of: Callable[[str], list[str]]) -> Counts:
    """Count the words that ``words_of`` finds in each text. No texts, or none with a word, give no words."""
    found: dict[str, int] = {}
    columns: list[int] = []
    ends = [0]
    for text in texts:
        columns += [found.setdefault(word, len(found)) for word in words_of(text)]
        ends.append(len(columns))
    words = sorted(found)
    place = np.empty(len(words), np.int32)
    place[[found[word] for word in words]] = np.arange(len(words))
    entries = np.ones(len(columns), np.int32), place[columns], np.array(ends, np.int32)
    rows = csr_matrix(entries, shape=(len(texts), len(words)))
    rows.sum_duplicates()
    return Counts(np.array(words, dtype=np.str_) if words else np.array([], dtype="<U1"), rows)


def vocabulary_of(parts: Iterable[Counts]) -> Vocabulary:
    """The vocabulary of all the parts, in a single pass. No parts give no words."""
    found: dict[str, int] = {}
    texts = 0
    for part in parts:
        texts += part.rows.shape[0]
        containing = np.bincount(part.rows.indices, minlength=len(part.words))
        for word, count in zip(part.words.tolist(), containing.tolist(), strict=True):
            found[word] = found.get(word, 0) + count
    words = sorted(found)
    named = np.array(words, dtype=np.str_) if words else np.array([], dtype="<U1")
    return Vocabulary(named, np.array([found[word] for word in words], dtype=np.int64), texts)


def aligned(part: Counts, words: NDArray[np.str_]) -> csr_matrix:
    """The part's counts in the columns of the sorted ``words`` (k,), ``(m, k)`` float32; other words are left out."""
    if not len(words) or not len(part.words):
        return csr_matrix((part.rows.shape[0], len(words)), dtype=np.float32)
    place = np.minimum(np.searchsorted(words, part.words), len(words) - 1)
    is_known = (words[place] == part.words)[part.rows.indices]
    ends = np.concatenate([[0], np.cumsum(is_known)])[part.rows.indptr]
    kept = part.rows.data[is_known].astype(np.float32), place[part.rows.indices[is_known]], ends
    return csr_matrix(kept, shape=(part.rows.shape[0], len(words)))
