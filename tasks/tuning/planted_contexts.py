"""Constructed contexts: the passage that answers a question, at a chosen depth among distractors, without any search.

After Finardi et al. 2024, figure 2, who put the chunk that a question was made from at eleven depths of a long prompt,
as Liu et al. 2023 do. Theirs stands among the other chunks of a book in their order; ours among chunks of the corpus
drawn at random, so that its neighbours do not say the same.
"""

from __future__ import annotations

import math
import random
from collections.abc import Collection, Sequence
from typing import TypeVar

from tasks.evaluation.gold.outcomes import Place, gold_places, place, place_of
from tasks.evaluation.metrics.rouge import rouge1_recall
from tasks.records import Chunk, GoldQuestion, Hit

T = TypeVar("T")


def given_hits(
    gold: Sequence[GoldQuestion], chunks: Sequence[Chunk], distractors: int, depth: float
) -> dict[str, list[Hit]]:
    """The context of each question that has a right passage, by question id: that passage among ``distractors`` others.

    The others are the same, in the same order, at each ``depth``. If the corpus has fewer, all of them are taken.
    """
    ordered = sorted(chunks, key=lambda chunk: (chunk.file_name, chunk.ordinal, chunk.chunk_id))
    found = {}
    for question in gold:
        right = right_passage(question, ordered)
        if right is not None:
            others = drawn(question, ordered, distractors)
            found[question.question_id] = _as_hits(question, placed(right, others, depth))
    return found


def right_passage(question: GoldQuestion, chunks: Sequence[Chunk]) -> Chunk | None:
    """The chunk on a gold page with most of the known answer's words; None if no chunk is on one.

    Ties go to the chunk with most text of that page. For a row of a sheet, it is the row's own chunk.
    """
    places = gold_places(question)
    parts = [(_part_at(chunk, places), chunk) for chunk in chunks]
    here = [(rouge1_recall(question.answer or "", part) or 0.0, len(part), chunk) for part, chunk in parts if part]
    return max(here, key=lambda one: one[:2])[2] if here else None


def drawn(question: GoldQuestion, chunks: Sequence[Chunk], count: int) -> list[Chunk]:
    """Draw at most ``count`` different chunks that touch no gold page, seeded by the question's id."""
    pages = {wanted.page for wanted in gold_places(question)}
    others = [chunk for chunk in chunks if not _pages(chunk) & pages]
    return random.Random(question.question_id).sample(others, min(count, len(others)))


def placed(right: T, others: Sequence[T], depth: float) -> list[T]:
    """Insert ``right`` into ``others`` after the share ``depth`` in [0, 1] of them, halves rounded up."""
    before = math.floor(depth * len(others) + 0.5)
    return [*others[:before], right, *others[before:]]


def _as_hits(question: GoldQuestion, chunks: Sequence[Chunk]) -> list[Hit]:
    """Convert chunks to hits. Nothing was searched, so they have ranks and zero scores."""
    return [
        Hit(question.question_id, rank, chunk, score=0.0, dense_similarity=0.0, lexical_similarity=0.0, bm25_share=0.0)
        for rank, chunk in enumerate(chunks, start=1)
    ]


def _part_at(chunk: Chunk, places: Collection[Place]) -> str:
    """The part of the chunk's text in those places; all of it in a format without pages."""
    if any(place_of(chunk).is_at(wanted) for wanted in places if wanted.row_number or wanted.page_number is None):
        return chunk.text
    pages = {wanted.page for wanted in places if wanted.row_number is None and wanted.page_number is not None}
    spans = [span for span in chunk.page_spans if place(chunk.file_name, span.page_number).page in pages]
    return " ".join(chunk.text[span.start - chunk.start : span.end - chunk.start] for span in spans)


def _pages(chunk: Chunk) -> set[tuple[str, int | None]]:
    return {place_of(chunk).page} | {place(chunk.file_name, span.page_number).page for span in chunk.page_spans}
