"""BM25 (Robertson and Zaragoza 2009) as one sparse product for a whole batch of questions.

The weights of every (chunk, word) pair are computed once, at refresh, and live with the index version as
plain arrays. The variant is Lucene's: ``idf = ln(1 + (N − n + ½) / (n + ½))``, lengths not rounded.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_matrix, csr_matrix, vstack

from configs.plans import BM25, Language, Stemming
from tasks.embedding.lexical.word_counts import Parts, aligned, count_words, vocabulary_of
from tasks.text.search_terms import terms

LOGIC_VERSION = "4"
STATE_VERSION = 2


class QuestionWords(NamedTuple):
    """The words of questions in a vocabulary (k,).

    ``known`` (questions, k), sparse float32 of ones, marks the words of the vocabulary; ``unknown`` (questions,) counts
    the others.
    """

    known: csr_matrix
    unknown: NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class BM25State:
    """Fitted weights: ``vocabulary`` (k,), ``idf`` (k,), ``weights`` (k × chunks, sparse),
    and the languages of the words.
    """

    vocabulary: NDArray[np.str_]
    idf: NDArray[np.float32]
    weights: csr_matrix
    stop_words: Language
    stemming: Stemming

    def score(self, questions: Sequence[str]) -> NDArray[np.float32]:
        """The score of every chunk for every question, ``(questions, chunks)`` float32; 0 where no word is shared."""
        return self.score_all(self.words_of(questions).known)

    def score_all(self, words: csr_matrix) -> NDArray[np.float32]:
        """The scores of every chunk for weighted words, ``(questions, k)`` sparse: ``(questions, chunks)`` float32.

        The weights of the question's words are selected first: a sparse product of both matrices would list and sort
        all results.
        """
        weights = self.weights
        scores = np.zeros((words.shape[0], weights.shape[1]), np.float32)
        for question, begin, end in zip(scores, words.indptr, words.indptr[1:], strict=False):
            taken = [slice(*weights.indptr[word : word + 2]) for word in words.indices[begin:end]]
            if not taken:
                continue
            data, chunks = (np.concatenate([each[at] for at in taken]) for each in (weights.data, weights.indices))
            ends = np.cumsum([0, *(at.stop - at.start for at in taken)])
            question[:] = csc_matrix((data, chunks, ends), (weights.shape[1], len(taken))) @ words.data[begin:end]
        return scores

    def ceiling(self, words: QuestionWords, k1: float) -> NDArray[np.float32]:
        """The highest score that each question's words could give, ``(questions,)``; 0 for a question without words.

        A word that no chunk has counts as the rarest: a question about what the corpus never names scores low.
        """
        rarest = np.float32(np.log1p((self.weights.shape[1] + 0.5) / 0.5))
        possible: NDArray[np.float32] = (k1 + 1) * (words.known @ self.idf + rarest * words.unknown)
        return possible

    def known_share(self, words: QuestionWords) -> NDArray[np.float32]:
        """The share of each question's idf that belongs to words of the vocabulary, ``(questions,)``;
        0 without words.
        """
        known, possible = words.known @ self.idf, self.ceiling(words, k1=0)
        share: NDArray[np.float32] = np.divide(known, possible, out=np.zeros_like(possible), where=possible > 0)
        return share

    def terms(self, text: str) -> list[str]:
        """The words of ``text`` in order, stemmed like those of the vocabulary."""
        return terms(text, self.stop_words, self.stemming)

    def knows(self, word: str) -> bool:
        """Tell if some chunk has every stem of ``word``; a stop word, which has none, is known."""
        stems = self.terms(word)
        at = np.searchsorted(self.vocabulary, stems) if stems else np.zeros(0, np.intp)
        return all(
            place < len(self.vocabulary) and self.vocabulary[place] == stem
            for place, stem in zip(at, stems, strict=True)
        )

    def words_of(self, questions: Sequence[str]) -> QuestionWords:
        """The words of each question, each once."""
        counts = count_words(questions, self.terms)
        known = aligned(counts, self.vocabulary).sign()
        return QuestionWords(known, (np.diff(counts.rows.indptr) - np.diff(known.indptr)).astype(np.float32))

    def to_bytes(self) -> bytes:
        """The state as the bytes of an ``.npz`` archive, without pickle."""
        buffer = io.BytesIO()
        np.savez(
            buffer,
            state_version=np.array(STATE_VERSION),
            vocabulary=self.vocabulary,
            idf=self.idf,
            data=self.weights.data,
            indices=self.weights.indices,
            indptr=self.weights.indptr,
            shape=np.array(self.weights.shape),
            languages=np.array([self.stop_words, self.stemming]),
        )
        return buffer.getvalue()

    @classmethod
    def from_bytes(cls, raw: bytes) -> BM25State:
        """The state from the bytes of :meth:`to_bytes`. Raises ValueError for another version of the format."""
        with np.load(io.BytesIO(raw), allow_pickle=False) as arrays:
            if int(arrays["state_version"]) != STATE_VERSION:
                raise ValueError(f"BM25 state of version {arrays['state_version']}, expected {STATE_VERSION}")
            parts = (arrays["data"], arrays["indices"], arrays["indptr"])
            weights = csr_matrix(parts, shape=tuple(arrays["shape"]))
            return cls(arrays["vocabulary"], arrays["idf"], weights, *arrays["languages"].tolist())


def fit_bm25(parts: Parts, plan: BM25) -> BM25State:
    """Fit the BM25 weights on the word counts of all parts, whose words :func:`terms` made as the plan says.

    No texts, or none with a word, give an empty vocabulary and scores of 0.
    """
    languages = plan.stop_words, plan.stemming
    vocabulary, containing, texts = vocabulary_of(parts())
    if not len(vocabulary):
        return BM25State(vocabulary, np.zeros(0, np.float32), csr_matrix((0, texts), dtype=np.float32), *languages)
    counts = vstack([aligned(part, vocabulary) for part in parts()], format="csr")
    lengths = np.asarray(counts.sum(axis=1)).ravel()
    idf = np.log1p((texts - containing + 0.5) / (containing + 0.5)).astype(np.float32)
    damping = plan.k1 * (1 - plan.b + plan.b * lengths / lengths.mean())
    row_of = np.repeat(np.arange(counts.shape[0]), np.diff(counts.indptr))
    counts.data = idf[counts.indices] * counts.data * (plan.k1 + 1) / (counts.data + damping[row_of])
    return BM25State(vocabulary, idf, csc_matrix(counts).T.tocsr().astype(np.float32), *languages)
