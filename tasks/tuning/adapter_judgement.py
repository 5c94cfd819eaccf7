"""Judging of an adapter: test by cross-validation if it improves retrieval on documents it has not learnt from.

The documents of the questions are split into parts. Each part is judged with an adapter learnt from the others, of
which one decides when to stop; so every real question is judged once, and never by an adapter that has seen its
document.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from statistics import median_low

import numpy as np
from numpy.typing import NDArray

from tasks.errors import UsageError
from tasks.evaluation.gold.outcomes import place_of
from tasks.evaluation.metrics.ranking import first_rank
from tasks.records import Chunk, Hit
from tasks.references import Judgement
from tasks.statistics.significance import SIGNIFICANT_P, paired_difference
from tasks.tuning.adapter_training import Examples, nearest_wrong, train
from tasks.tuning.training_pairs import Pair

LEAST_QUESTIONS = 30
LEAST_DOCUMENTS = 3
MOST_PARTS = 5
NEGATIVES = 8
RANKS = 10
NEARLY_EQUAL = 0.9
"""Cosine from which two questions count as the same; a question is not learnt from if its like judges or stops."""

Matrix = NDArray[np.float32]
Find = Callable[[Sequence[int], Matrix | None], Sequence[Sequence[Hit]]]
"""Function that ranks hits for the pairs with those numbers, their vectors multiplied by a matrix, or as they are."""


def require_enough(pairs: Sequence[Pair], chunks: Sequence[Chunk], answerable: int = 0) -> None:
    """Raise UsageError, with the counts, if there are too few real questions, or documents, to judge by.

    It also counts the gold set's ``answerable`` questions whose evidence the corpus lacks.
    """
    real = [pair for pair in pairs if pair.is_real]
    documents = {chunks[pair.positive].document_id for pair in real}
    if len(real) < LEAST_QUESTIONS or len(documents) < LEAST_DOCUMENTS:
        lost = answerable - sum(pair.source == "gold" for pair in pairs)
        named = f"{lost} of the gold set's {answerable} name files, pages or rows that the corpus has not; "
        raise UsageError(
            f"{named if lost > 0 else ''}"
            f"there are {len(real)} questions with known answers, about {len(documents)} documents, and it takes "
            f"{LEAST_QUESTIONS} about {LEAST_DOCUMENTS} to learn from some and judge by others: give a gold set "
            "(`bidfolio tune GOLD.jsonl --adapter`), or refresh with more past questionnaires among the documents"
        )


def examples_of(pairs: Sequence[Pair], questions: Matrix, chunks: Matrix) -> Examples:
    """Build training examples from the pairs and the vectors of their questions (m, n) and of all chunks (c, n)."""
    right = [frozenset(filter(lambda at: at >= 0, (*pair.right, pair.passed_over))) for pair in pairs]
    positives = np.array([pair.positive for pair in pairs], np.int64)
    return Examples(questions, chunks, positives, nearest_wrong(questions, chunks, right, NEGATIVES), right)


def parts_of(documents: Sequence[str]) -> list[int]:
    """Assign each question to a part by its document: at most MOST_PARTS, as equal in size as the documents allow."""
    sizes = Counter(documents)
    count = min(MOST_PARTS, len(sizes))
    held, part = [0] * count, {}
    for name in sorted(sizes, key=lambda name: (-sizes[name], name)):
        part[name] = held.index(min(held))
        held[part[name]] += sizes[name]
    return [part[name] for name in documents]


def part_of_all(pairs: Sequence[Pair], chunks: Sequence[Chunk]) -> list[int]:
    """The part of each question by :func:`parts_of` over the real ones; -1 for documents of no real question."""
    documents = [chunks[pair.positive].document_id for pair in pairs]
    real = [name for name, pair in zip(documents, pairs, strict=True) if pair.is_real]
    part = dict(zip(real, parts_of(real), strict=True))
    return [part.get(name, -1) for name in documents]


def judge(pairs: Sequence[Pair], chunks: Sequence[Chunk], examples: Examples, find: Find) -> Judgement:
    """Judge adapters on the pairs' real questions by cross-validation. Raises UsageError as :func:`require_enough`.

    An adapter wins if MRR@10 rises by more than chance and recall@5 does not fall. One of all pairs is to be learnt for
    the median of the parts' epochs.
    """
    require_enough(pairs, chunks)
    parts = part_of_all(pairs, chunks)
    real = [number for number, pair in enumerate(pairs) if pair.is_real]
    before = _ranks(real, pairs, chunks, find(real, None))
    after: dict[int, int | None] = {}
    epochs = []
    for part in range(max(parts) + 1):
        judged, stopping, learnt = divided(pairs, parts, part, examples.questions)
        trained = train(examples.some(learnt), examples.some(stopping)) if learnt else None
        epochs.append(trained.epochs if trained else 0)
        found = find(judged, trained.matrix if trained else None)
        after |= dict(zip(judged, _ranks(judged, pairs, chunks, found), strict=True))
    both = [after[number] for number in real], before
    reciprocal = [[1 / rank if rank else 0.0 for rank in ranks] for ranks in both]
    at_5 = [[float(rank is not None and rank <= 5) for rank in ranks] for ranks in both]
    mrr, recall = paired_difference(*reciprocal), paired_difference(*at_5)
    is_more = (mrr.mean or 0.0) > 0 and (mrr.p or 0.0) < SIGNIFICANT_P
    return Judgement(
        wins=is_more and (recall.mean or 0.0) >= 0,
        epochs=median_low(epochs),
        differences={
            "page_mrr_at_10": {"without": float(np.mean(reciprocal[1]))} | mrr.told(),
            "page_recall_at_5": {"without": float(np.mean(at_5[1]))} | recall.told(),
        },
    )


def divided(
    pairs: Sequence[Pair], parts: Sequence[int], part: int, questions: Matrix
) -> tuple[list[int], list[int], list[int]]:
    """Split the questions for one part: those that judge, those that stop learning, and those to learn from.

    The first two are real; none of the last is nearly equal to one of them. ``questions`` (m, n) are their vectors.
    """
    kept_out = part, (part + 1) % (max(parts) + 1)
    judged, stopping = (
        [number for number, pair in enumerate(pairs) if pair.is_real and parts[number] == one] for one in kept_out
    )
    others = [number for number, one in enumerate(parts) if one not in kept_out]
    nearest = (questions[others] @ questions[[*judged, *stopping]].T).max(axis=1, initial=-1)
    learnt = [number for number, cosine in zip(others, nearest, strict=True) if cosine < NEARLY_EQUAL]
    return judged, stopping, learnt


def _ranks(
    numbers: Sequence[int], pairs: Sequence[Pair], chunks: Sequence[Chunk], found: Sequence[Sequence[Hit]]
) -> list[int | None]:
    """The 1-based rank of the first hit on a right page, None if none of the first ten is."""
    ranks = []
    for number, hits in zip(numbers, found, strict=True):
        pair = pairs[number]
        wanted = {place_of(chunks[at]).page for at in pair.right}
        passed_over = chunks[pair.passed_over].chunk_id if pair.passed_over >= 0 else None
        pages = [place_of(hit.chunk).page for hit in hits if hit.chunk.chunk_id != passed_over]
        ranks.append(first_rank(pages, wanted, RANKS))
    return ranks
