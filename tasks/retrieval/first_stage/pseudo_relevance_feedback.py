"""Pseudo-relevance feedback: expand a question with the words and vectors of the first chunks that it finds.

It needs no model server. Words are weighed as by RM3 (Abdul-Jaleel et al. 2004, after the relevance model of Lavrenko
and Croft 2001), vectors moved as by Rocchio (1971). We deviate in four things:

- A chunk's share is 1 / rank, since fused scores are no likelihoods.
- Words are chosen by their share times their idf. Without the idf, words that stand in every chunk are chosen.
- No chunk counts against a question, as Rocchio's irrelevant ones do, since nobody has judged any.
- The words are those of the chunk alone: its document's title would be counted once with each of them.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix, diags_array

from configs.retrieval import Feedback, Retrieval
from tasks.embedding.lexical.bm25 import BM25State
from tasks.embedding.models.unit_vectors import unit
from tasks.retrieval.first_stage.exact_search import Index, questions_a_batch
from tasks.retrieval.queries.queries import Queries
from tasks.retrieval.ranking.fusion import best_above

Matrix = NDArray[np.float32]


class Telling(NamedTuple):
    """A feedback word and its share of the expanded query."""

    word: str
    share: float


def feed_back(own: Queries, index: Index, plan: Retrieval, how: Feedback) -> tuple[Queries, list[list[Telling]]]:
    """The expanded query of each question, and the words that were added to it, most telling first.

    Each question is searched once, and ``how.chunks`` of the best hits are read. A question that finds nothing keeps
    its vectors and words, and adds none.
    """
    moved = own.dense.astype(np.float64), own.lexical.astype(np.float64)
    added: list[list[Telling]] = []
    at_once = questions_a_batch(index)
    for begin in range(0, len(own), at_once):
        batch = range(begin, min(begin + at_once, len(own)))
        scored = index.score(own.take(batch), plan, 1)
        best = [best_above(row, how.chunks) for row in scored.scores]
        read = np.unique([at for some in best for at in some]).astype(np.int64)
        vectors = index.vectors_at(scored.positions[read])
        for number, some in zip(batch, best, strict=True):
            shares = 1 / np.arange(1, len(some) + 1)
            shares /= max(shares.sum(), 1)
            at = np.searchsorted(read, some)
            for ours, theirs in zip(moved, vectors, strict=True):
                ours[number] += how.beta * (shares @ theirs[at])
            texts = [scored.chunks[column].text for column in some]
            added.append(telling_words(texts, shares.tolist(), index.bm25_state, how.count))
    words = _reweighted(own.words, added, index.bm25_state, how.alpha)
    dense, lexical = (unit(each).astype(np.float32) for each in moved)
    return Queries(dense, lexical, words, own.unknown), added


def telling_words(texts: Sequence[str], shares: Sequence[float], state: BM25State, count: int) -> list[Telling]:
    """The ``count`` words of the texts with the largest share times idf, largest first; their shares add up to 1.

    Each text spreads its own entry of ``shares`` over its words, by how often each occurs. Of equals the first by
    alphabet. No texts, and texts without a word of the vocabulary, give none.
    """
    found: defaultdict[str, float] = defaultdict(float)
    for text, share in zip(texts, shares, strict=True):
        counted = Counter(state.terms(text))
        for word, times in counted.items():
            found[word] += share * times / counted.total()
    words = np.array(sorted(found), dtype=np.str_)
    if not len(words) or not len(state.vocabulary):
        return []
    at = np.minimum(np.searchsorted(state.vocabulary, words), len(state.vocabulary) - 1)
    known = state.vocabulary[at] == words
    probable = np.array([found[word] for word in words.tolist()])
    telling = np.where(known, probable * state.idf[at], 0)
    best = [row for row in np.argsort(-telling, kind="stable")[:count].tolist() if telling[row] > 0]
    total = probable[best].sum()
    return [Telling(str(words[row]), float(probable[row] / total)) for row in best]


def _reweighted(own: csr_matrix, added: Sequence[Sequence[Telling]], state: BM25State, alpha: float) -> csr_matrix:
    """The word weights of each question: its own words share ``alpha``, the added ones share the rest.

    Where there are none of one kind, the others have all the weight.
    """
    rows = np.repeat(np.arange(len(added)), [len(words) for words in added])
    at = np.searchsorted(state.vocabulary, [one.word for words in added for one in words])
    new = csr_matrix(([one.share for words in added for one in words], (rows, at)), shape=own.shape)
    counts = np.asarray(own.sum(axis=1)).ravel()
    share = np.where(np.diff(new.indptr) == 0, 1.0, np.where(counts == 0, 0.0, alpha))
    mixed = diags_array(share / np.maximum(counts, 1)) @ own + diags_array(1 - share) @ new
    return csr_matrix(mixed, dtype=np.float32)
