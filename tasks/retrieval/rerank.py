"""The best chunks of the first stage ranked anew, by what looks at question and chunk more closely.

What each way needs: ``bi_encoder`` nothing more than the index has; ``late_interaction`` an index that keeps the
vectors of tokens; ``cross_encoder`` and ``sequence_to_sequence`` the weights of a model. :func:`reread` needs those of
a cross-encoder, too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tasks.records import Chunk, searched_text
from tasks.retrieval.fusion import best_above
from tasks.retrieval.hand_over import alone, joined_text
from tasks.retrieval.late_interaction import Place, best_matches, with_neighbours
from tasks.retrieval.scored import Scored

Matrix = NDArray[np.float32]
Vector = NDArray[np.float32]
Positions = NDArray[np.int64]
Tokens = Callable[[Positions], pa.LargeBinaryArray]
"""Gives the token vectors of the chunks at those positions, in their order, as they are kept."""
ScorePairs = Callable[[Sequence[tuple[str, str]]], Vector]
"""Gives of each pair of a question and a text how well it answers: from 0 to 1, or a logit."""
Whole = Callable[[Sequence[Chunk]], list[tuple[Chunk, ...]]]
"""Gives the chunks of which a reranker reads the text, for each that was found: it alone, or what is handed over with
it.
"""
Rescore = Callable[[Sequence[int], Scored, Sequence[Sequence[int]]], list[Vector]]
"""Gives what the chunks of those columns score, from -1 to 1, for each of the questions with those numbers; the rows of
``Scored`` are these questions'. An empty vector says nothing of a question."""
ADAPTED_SHARE = 0.5
"""What the cosine with a turned question counts beside what ranks anew. It is no plan's: an adapter is used only where
the whole retrieval, with this share, ranks better with it than without.
"""


def by_dense_vectors(numbers: Sequence[int], scored: Scored, columns: Sequence[Sequence[int]]) -> list[Vector]:
    """The cosines of the dense vectors: the semantic re-ranking of König 2025."""
    return [scored.dense[row, list(some)] for row, some in enumerate(columns)]


def with_cosines(rescore: Rescore, share: float = ADAPTED_SHARE, least: float | None = None) -> Rescore:
    """What ``rescore`` gives, of which ``share`` is the cosine of the dense vectors: that of a question that was turned
    by an adapter, of which the vectors of tokens and a model that reads know nothing.

    Where a chunk has to be given ``least`` to be handed over, it is the model that decides whether it is: what it gives
    less keeps that, and all else is put from ``least`` to 1.
    """

    # The next number up, since that of single precision may be below ``least`` itself.
    floor = -np.inf if least is None else np.nextafter(np.float32(least), np.float32(2))

    def mixed(own: Vector, cosine: Vector) -> Vector:
        both = (1 - share) * own + share * cosine
        return both if least is None else np.where(own < least, own, floor + (1 - floor) * np.maximum(both, 0))

    def rescored(numbers: Sequence[int], scored: Scored, columns: Sequence[Sequence[int]]) -> list[Vector]:
        found = rescore(numbers, scored, columns)
        cosines = by_dense_vectors(numbers, scored, columns)
        return [mixed(own, cosine) if len(own) else own for own, cosine in zip(found, cosines, strict=True)]

    return rescored


def by_late_interaction(
    tokens: Sequence[Matrix], stored: Tokens, whole: Whole = alone, neighbours: float = 0.0, cosines: float = 0.0
) -> Rescore:
    """MaxSim between ``tokens``, of each question (t, d), and those that are ``stored`` of the ``whole`` of a chunk;
    ``neighbours`` is the share of it that counts those of the chunks before and after it, where they are ranked anew
    too, and ``cosines`` the share of the score that is the mean of the chunk's dense and lexical cosine: what a text is
    about as a whole, which no token of it says.

    Of a question without a token it says nothing.
    """

    def rescore(numbers: Sequence[int], scored: Scored, columns: Sequence[Sequence[int]]) -> list[Vector]:
        wholes = _wholes(scored, columns, whole)
        found_at = np.fromiter(wholes, np.int64, len(wholes))
        # The chunks of a document stand in a version one after the other.
        begins = scored.positions[found_at] - np.array([scored.chunks[at].ordinal for at in wholes], np.int64)
        counts = [len(chunks) for chunks in wholes.values()]
        ends = np.cumsum(counts)
        ordinals = np.array([chunk.ordinal for chunks in wholes.values() for chunk in chunks], np.int64)
        read, places = np.unique(np.repeat(begins, counts) + ordinals, return_inverse=True)
        parts = [places[end - count : end] for end, count in zip(ends, counts, strict=True)]
        kept = stored(read)

        def score_row(row: int) -> Vector:
            number, some = numbers[row], list(columns[row])
            if not some or not len(tokens[number]):
                return np.zeros(0, np.float32)
            best = _best_of_wholes(tokens[number], kept, [parts[at] for at in np.searchsorted(found_at, some)])
            own = with_neighbours(best, [_place(scored.chunks[at]) for at in some], neighbours)
            of_whole_texts = (scored.dense[row, some] + scored.lexical[row, some]) / 2
            own += np.float32(cosines) * (of_whole_texts - own)
            return own

        return [score_row(row) for row in range(len(numbers))]

    return rescore


def reread(numbers: Sequence[int], scored: Scored, read: Rescore, depth: int, weight: float) -> tuple[Matrix, Matrix]:
    """The scores with what ``read`` gives of the ``depth`` best of each question, ``weight`` times, added to theirs;
    and what it gives, ``(questions, chunks)``, not a number where nothing was read.

    The best of those that were read keeps its score, and all others stay behind them in their order. Of a question of
    which ``read`` says nothing, no score is changed.
    """
    columns = [best_above(row, depth) for row in scored.scores]
    scores, found = scored.scores.copy(), np.full(scored.scores.shape, np.nan, np.float32)
    for row, (some, said) in enumerate(zip(columns, read(numbers, scored, columns), strict=True)):
        if not len(said):
            continue
        weighed = scored.scores[row, some] + np.float32(weight) * said
        weighed += scores[row, some].max() - weighed.max()
        behind = max(0.0, float(scores[row, some].min() - weighed.min()))
        scores[row] -= np.float32(behind)
        scores[row, some], found[row, some] = weighed, said
    return scores, found


def _place(chunk: Chunk) -> Place | None:
    """None for a row of a sheet, which stands alone."""
    return None if chunk.row_number is not None else ((chunk.document_id, chunk.granularity), chunk.ordinal)


def _wholes(scored: Scored, columns: Sequence[Sequence[int]], whole: Whole) -> dict[int, tuple[Chunk, ...]]:
    read = sorted({at for some in columns for at in some})
    return dict(zip(read, whole([scored.chunks[at] for at in read]), strict=True))


def _best_of_wholes(vectors: Matrix, kept: pa.LargeBinaryArray, wholes: Sequence[Positions]) -> Matrix:
    """What each token of a question finds in the best of the chunks that make up each of at least one whole, ``(t,
    wholes)``; each has the places of its chunks, one or more, among the ``kept``.
    """
    read, at = np.unique(np.concatenate(wholes), return_inverse=True)
    best = best_matches(vectors, kept if len(read) == len(kept) else kept.take(pa.array(read)))
    begins = np.cumsum([0, *map(len, wholes[:-1])])
    found: Matrix = np.maximum.reduceat(best[:, at], begins, axis=1)
    return found


def by_pairs(questions: Sequence[str], score_pairs: ScorePairs, whole: Whole = alone) -> Rescore:
    """What a model says that reads question and text together, that of the ``whole`` of a chunk under its context; all
    pairs of a batch are given to it at once. Of a blank question it says nothing.
    """

    def rescore(numbers: Sequence[int], scored: Scored, columns: Sequence[Sequence[int]]) -> list[Vector]:
        wholes = _wholes(scored, columns, whole)
        texts = {at: searched_text(scored.chunks[at].context, joined_text(chunks)) for at, chunks in wholes.items()}
        read = [some if questions[number].strip() else () for number, some in zip(numbers, columns, strict=True)]
        pairs = [(questions[number], texts[at]) for number, some in zip(numbers, read, strict=True) for at in some]
        scores = score_pairs(pairs) if pairs else np.zeros(0, np.float32)
        return np.split(scores, np.cumsum([len(some) for some in read])[:-1])

    return rescore


def reranked(
    numbers: Sequence[int], scored: Scored, rescore: Rescore, depth: int
) -> tuple[Matrix, NDArray[np.float64]]:
    """The scores by which the ``depth`` best of each question are ranked by ``rescore``, before all others, and the
    mean of these ``depth``, ``(questions,)``.

    Those go from 1 to -1; the others keep their order, and what parts them, below -1. A question of which ``rescore``
    says nothing is left as it is, and its mean is not a number.
    """
    columns = [best_above(row, depth) for row in scored.scores]
    scores, means = scored.scores.copy(), np.full(len(columns), np.nan)
    if not any(columns):
        return scores, means
    for row, (some, found) in enumerate(zip(columns, rescore(numbers, scored, columns), strict=True)):
        if len(found):
            scores[row] -= scores[row].max() + 1
            scores[row, some] = found
            means[row] = found.mean()
    return scores, means
