"""Contexts that no search has made: the passage that answers, at a depth among others that do not.

After Finardi et al. 2024, figure 2, who put the chunk that a question was made from at eleven depths of a long prompt,
as Liu et al. 2023 do. Theirs stands among the other chunks of a book in their order; ours among chunks of the corpus
drawn at random, so that none of its neighbours tells the same.
"""

from __future__ import annotations

import math
import random
from collections.abc import Collection, Sequence
from typing import TypeVar

from tasks.evaluation.metrics.rouge import rouge1_recall
from tasks.evaluation.outcomes import Place, gold_places, place
from tasks.records import Chunk, GoldQuestion, Hit

T = TypeVar("T")


def given_hits(
    gold: Sequence[GoldQuestion], chunks: Sequence[Chunk], distractors: int, depth: float
) -> dict[str, list[Hit]]:
    """What is handed over for each question that has a right passage, by its id: that one among ``distractors`` others.

    The others are the same, in the same order, at each ``depth``. Where the corpus has fewer, all of them are taken.
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
    """The chunk with most of the known answer's words on a gold page, the one with most of that page of equals; of a
    row of a sheet, its own. None where no chunk is there.
    """
    places = gold_places(question)
    parts = [(_part_at(chunk, places), chunk) for chunk in chunks]
    here = [(rouge1_recall(question.answer or "", part) or 0.0, len(part), chunk) for part, chunk in parts if part]
    return max(here, key=lambda one: one[:2])[2] if here else None


def drawn(question: GoldQuestion, chunks: Sequence[Chunk], count: int) -> list[Chunk]:
    """At most ``count`` chunks that touch no gold page, drawn by the question's id and not twice."""
    pages = {wanted.page for wanted in gold_places(question)}
    others = [chunk for chunk in chunks if not _pages(chunk) & pages]
    return random.Random(question.question_id).sample(others, min(count, len(others)))


def placed(right: T, others: Sequence[T], depth: float) -> list[T]:
    """``others`` with ``right`` after the share ``depth`` in [0, 1] of them, halves rounded up."""
    before = math.floor(depth * len(others) + 0.5)
    return [*others[:before], right, *others[before:]]


def _as_hits(question: GoldQuestion, chunks: Sequence[Chunk]) -> list[Hit]:
    """Nothing was searched, so they have ranks and no scores."""
    return [
        Hit(question.question_id, rank, chunk, score=0.0, dense_similarity=0.0, lexical_similarity=0.0, bm25_share=0.0)
        for rank, chunk in enumerate(chunks, start=1)
    ]


def _place(chunk: Chunk) -> Place:
    return place(chunk.file_name, chunk.page_number, chunk.sheet_name, chunk.row_number)


def _part_at(chunk: Chunk, places: Collection[Place]) -> str:
    """What of its text stands in one of the places; all of it in a format without pages."""
    if any(_place(chunk).is_at(wanted) for wanted in places if wanted.row_number or wanted.page_number is None):
        return chunk.text
    pages = {wanted.page for wanted in places if wanted.row_number is None and wanted.page_number is not None}
    spans = [span for span in chunk.page_spans if place(chunk.file_name, span.page_number).page in pages]
    return " ".join(chunk.text[span.start - chunk.start : span.end - chunk.start] for span in spans)


def _pages(chunk: Chunk) -> set[tuple[str, int | None]]:
    return {_place(chunk).page} | {place(chunk.file_name, span.page_number).page for span in chunk.page_spans}
