"""TF-IDF page finder of the paper, fitted on one file's pages (Algorithm 1, lines 6 to 9).

The paper fits it at every question; here it is fitted once, when the file is converted, and kept as arrays.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

Arrays = dict[str, NDArray[Any]]


@dataclass(frozen=True, slots=True)
class TfidfPages:
    """TF-IDF matrices of one file: ``vocabulary`` and ``idf`` (k,), and the sparse unit vectors ``pages``, (pages,
    k).
    """

    vocabulary: NDArray[np.str_]
    idf: NDArray[np.float64]
    pages: csr_matrix

    def scores(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """The cosine of each page with each text, ``(len(texts), pages)``; all zero if no word is shared."""
        if not len(self.vocabulary) or not texts:
            return np.zeros((len(texts), self.pages.shape[0]), dtype=np.float32)
        vectorizer = _vectorizer(vocabulary={word: at for at, word in enumerate(self.vocabulary)})
        vectorizer.idf_ = self.idf
        return np.asarray((vectorizer.transform(texts) @ self.pages.T).toarray(), dtype=np.float32)

    def to_arrays(self) -> Arrays:
        """Convert the matrices to plain arrays."""
        return {
            "vocabulary": self.vocabulary,
            "idf": self.idf,
            "data": self.pages.data,
            "indices": self.pages.indices,
            "indptr": self.pages.indptr,
        }

    @classmethod
    def from_arrays(cls, arrays: Arrays) -> TfidfPages:
        """Build the matrices from the arrays of :meth:`to_arrays`."""
        shape = (len(arrays["indptr"]) - 1, len(arrays["vocabulary"]))
        pages = csr_matrix((arrays["data"], arrays["indices"], arrays["indptr"]), shape=shape)
        return cls(arrays["vocabulary"], arrays["idf"], pages)


def fit_tfidf_pages(texts: Sequence[str]) -> TfidfPages:
    """Fit the TF-IDF matrices of a file, given the text of each page; pages without a word give an empty vocabulary."""
    vectorizer = _vectorizer()
    try:
        pages = vectorizer.fit_transform(texts)
    except ValueError:  # raised by scikit-learn if the vocabulary is empty
        return TfidfPages(np.array([], dtype="<U1"), np.zeros(0), csr_matrix((len(texts), 0)))
    vocabulary = np.asarray(vectorizer.get_feature_names_out(), dtype=np.str_)
    return TfidfPages(vocabulary, vectorizer.idf_, csr_matrix(pages))


def _vectorizer(**parameters: Any) -> Any:
    from sklearn.feature_extraction.text import TfidfVectorizer  # a second: not for those who only look a page up

    return TfidfVectorizer(**parameters)
