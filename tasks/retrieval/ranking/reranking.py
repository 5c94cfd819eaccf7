"""Reranking: the best chunks of the first stage are scored anew by a closer look at question and chunk.

``bi_encoder`` needs nothing beyond the index. ``late_interaction`` needs an index that keeps token vectors.
``cross_encoder`` and ``sequence_to_sequence`` need a model's weights. So does :func:`reread`, which needs those of a
cross-encoder.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from configs.retrieval import Reread
from tasks.records import Chunk, searched_text
from tasks.retrieval.context.context_window import alone, joined_text
from tasks.retrieval.ranking.fusion import best_above
from tasks.retrieval.ranking.late_interaction import Place, best_matches, with_neighbours
from tasks.retrieval.ranking.scores import Scored

Matrix = NDArray[np.float32]
Vector = NDArray[np.float32]
Positions = NDArray[np.int64]
Tokens = Callable[[Positions], pa.LargeBinaryArray]
"""Function that gives the token vectors of the chunks at those positions, in their order, as they are stored."""
ScorePairs = Callable[[Sequence[tuple[str, str]]], Vector]
"""Function that gives a relevance for each (question, text) pair: from 0 to 1, or a logit."""
Whole = Callable[[Sequence[Chunk]], list[tuple[Chunk, ...]]]
"""Function that gives for each found chunk the chunks whose text a reranker reads: it alone, or with its context."""
Rescore = Callable[[Sequence[int], Scored, Sequence[Sequence[int]]], list[Vector]]
"""Function that gives the scores, from -1 to 1, of the chunks in those columns, for the questions with those numbers.

The rows of ``Scored`` are these questions'. An empty vector means that a question is not rescored.
"""
READ_AT_ONCE = 2
"""The number of chunks of a question that are read together when its first ones leave the best open."""
ADAPTED_SHARE = 0.5
"""The share of the cosine with a turned question in a reranker's score. It is not set in a plan: an adapter is used
only where the whole retrieval, with this share, ranks better with it than without.
"""


def by_dense_vectors(numbers: Sequence[int], scored: Scored, columns: Sequence[Sequence[int]]) -> list[Vector]:
    """Rescore by the cosines of the dense vectors: the semantic re-ranking of König 2025."""
    return [scored.dense[row, list(some)] for row, some in enumerate(columns)]


def with_cosines(rescore: Rescore, share: float = ADAPTED_SHARE, least: float | None = None) -> Rescore:
    """Mix the cosine of the dense vectors into the scores of ``rescore``, with the weight ``share``.

    It is the cosine of a question that an adapter has turned; token vectors and reading models do not know of that.
    Where a chunk needs a score of ``least`` to be handed over, the reranker alone decides if it is: scores below
    ``least`` stay, and all others are mapped to between ``least`` and 1.
    """

    # The next number up, since ``least`` rounded to single precision may be below ``least`` itself.
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
    """Rescore by MaxSim between each question's ``tokens`` (t, d)
    and the ``stored`` token vectors of a chunk's ``whole``.

    ``neighbours`` is the share of the score that counts the tokens of the chunks before and after, where these are
    reranked too. ``cosines`` is the share of the mean of the chunk's dense and lexical cosine: it says what a text is
    about as a whole, which no token does. A question without a token is not rescored.
    """

    def rescore(numbers: Sequence[int], scored: Scored, columns: Sequence[Sequence[int]]) -> list[Vector]:
        wholes = _wholes(scored, columns, whole)
        found_at = np.fromiter(wholes, np.int64, len(wholes))
        # The chunks of a document are consecutive in a version.
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


def reread(numbers: Sequence[int], scored: Scored, read: Rescore, plan: Reread) -> tuple[Matrix, Matrix]:
    """Add the plan's weight times the logits of ``read`` to the scores of the best chunks of each question.

    Returns the scores and what ``read`` gave, ``(questions, chunks)`` both, the second NaN where nothing was read. The
    best of the chunks that were read keeps its score, and all others stay behind them in their order. A question for
    which ``read`` gives nothing keeps its scores. Where the plan says what a logit may be expected at most
    (``unread_at_most``), reading ends as soon as no chunk that is left would be the best with it.
    """
    columns = [best_above(row, plan.depth) for row in scored.scores]
    own = [row[some] for row, some in zip(scored.scores, columns, strict=True)]
    logits: list[list[float]] = [[] for _ in columns]
    next_read = [some if plan.unread_at_most is None else some[: plan.first] for some in columns]
    while any(next_read):
        for found, said in zip(logits, read(numbers, scored, next_read), strict=True):
            found.extend(said.tolist())
        next_read = [
            some[len(found) : len(found) + READ_AT_ONCE] if _is_open(before, found, plan) else []
            for some, before, found in zip(columns, own, logits, strict=True)
        ]
    scores, relevances = scored.scores.copy(), np.full(scored.scores.shape, np.nan, np.float32)
    for row, (some, found) in enumerate(zip(columns, logits, strict=True)):
        if not found:
            continue
        read_columns = some[: len(found)]
        given = np.array(found, np.float32)
        weighed = scored.scores[row, read_columns] + np.float32(plan.weight) * given
        weighed += scores[row, read_columns].max() - weighed.max()
        behind = max(0.0, float(scores[row, read_columns].min() - weighed.min()))
        scores[row] -= np.float32(behind)
        scores[row, read_columns], relevances[row, read_columns] = weighed, given
    return scores, relevances


def _is_open(scores: Vector, logits: Sequence[float], plan: Reread) -> bool:
    """Tell if a chunk that was not read may be the best; ``scores`` are in falling order, the read ones first."""
    if plan.unread_at_most is None or not 0 < len(logits) < len(scores):
        return False
    best = (scores[: len(logits)] + plan.weight * np.array(logits)).max()
    return bool(best <= scores[len(logits)] + plan.weight * plan.unread_at_most)


def _place(chunk: Chunk) -> Place | None:
    """The group and number of a chunk in its document; None for a row of a sheet, which stands alone."""
    return None if chunk.row_number is not None else ((chunk.document_id, chunk.granularity), chunk.ordinal)


def _wholes(scored: Scored, columns: Sequence[Sequence[int]], whole: Whole) -> dict[int, tuple[Chunk, ...]]:
    read = sorted({at for some in columns for at in some})
    return dict(zip(read, whole([scored.chunks[at] for at in read]), strict=True))


def _best_of_wholes(vectors: Matrix, kept: pa.LargeBinaryArray, wholes: Sequence[Positions]) -> Matrix:
    """The best match of each question token in each whole, ``(t, wholes)``.

    Each of at least one whole has the places of its chunks, one or more, among the ``kept`` token vectors.
    """
    read, at = np.unique(np.concatenate(wholes), return_inverse=True)
    best = best_matches(vectors, kept if len(read) == len(kept) else kept.take(pa.array(read)))
    begins = np.cumsum([0, *map(len, wholes[:-1])])
    found: Matrix = np.maximum.reduceat(best[:, at], begins, axis=1)
    return found


def by_pairs(questions: Sequence[str], score_pairs: ScorePairs, whole: Whole = alone) -> Rescore:
    """Rescore by a model that reads question and text together: the text of a chunk's ``whole``, under its context.

    All pairs of a batch are given to the model at once. A blank question is not rescored.
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
    """The scores after ``rescore`` has reranked the ``depth`` best of each question, and the mean of these,
    ``(questions,)``.

    The reranked chunks score from 1 to -1. The others keep their order and their distances, below -1. A question for
    which ``rescore`` gives nothing keeps its scores, and its mean is NaN.
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
