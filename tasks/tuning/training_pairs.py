"""Training pairs of questions and chunks, from gold sets, past questionnaires and the documents' own sentences."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from tasks.evaluation.gold.outcomes import gold_places, place_of
from tasks.evaluation.gold.statement_questions import made_questions
from tasks.questions.past_rows import past_question
from tasks.records import Chunk, GoldQuestion
from tasks.storage.stage_cache import StageCache

Source = Literal["gold", "past", "made"]
Encode = Callable[[Sequence[str]], NDArray[np.float32]]
"""Function that gives the unit vectors of texts, in the space of the chunk vectors."""
LEAST_BORNE_OUT = 0.6
"""Least cosine between a past answer and its nearest chunk for the chunk to count as its evidence."""


@dataclass(frozen=True, slots=True)
class Pair:
    """A question and the positions of the chunks that are ``right`` for it, of which ``positive`` answers it best.

    ``passed_over`` is the past questionnaire's own row: it repeats the question word for word, and counts neither as
    right nor as wrong. -1 if there is none.
    """

    question: str
    source: Source
    positive: int
    right: tuple[int, ...]
    passed_over: int = -1

    @property
    def is_real(self) -> bool:
        """Tell if a person asked the question."""
        return self.source != "made"


def collect(
    gold: Sequence[GoldQuestion], chunks: Sequence[Chunk], vectors: NDArray[np.float32], encode: Encode
) -> list[Pair]:
    """Collect the pairs of all three sources, in this order; ``vectors`` (c, n) are the chunks'.

    A gold question without evidence in the chunks gives none, nor does a past question whose answer no document
    supports.
    """
    at_place: dict[tuple[str, int | None], list[int]] = defaultdict(list)
    for at, chunk in enumerate(chunks):
        at_place[place_of(chunk).page].append(at)
    found = [*_gold(gold, chunks, at_place, vectors, encode), *_past(chunks, at_place, vectors, encode)]
    asked = {pair.question for pair in found}
    for at, question in made_questions(chunks):
        if question not in asked:
            same = [other for other in at_place[place_of(chunks[at]).page] if _overlap(chunks[at], chunks[other])]
            found.append(Pair(question, "made", at, tuple(same)))
    return found


def _gold(
    gold: Sequence[GoldQuestion],
    chunks: Sequence[Chunk],
    at_place: Mapping[tuple[str, int | None], Sequence[int]],
    vectors: NDArray[np.float32],
    encode: Encode,
) -> Iterator[Pair]:
    wanted: list[tuple[GoldQuestion, list[int]]] = []
    for item in gold:
        places = gold_places(item)
        there = sorted({at for where in places for at in at_place.get(where.page, ())})
        right = [at for at in there if any(place_of(chunks[at]).is_at(where) for where in places)]
        if item.answerable and right:
            wanted.append((item, right))
    told = encode([f"{item.question} {item.answer or ''}".strip() for item, _ in wanted])
    for (item, right), vector in zip(wanted, told, strict=True):
        nearest = right[int(np.argmax(vectors[right] @ vector))]
        yield Pair(item.question, "gold", nearest, tuple(right))


def _past(
    chunks: Sequence[Chunk],
    at_place: Mapping[tuple[str, int | None], Sequence[int]],
    vectors: NDArray[np.float32],
    encode: Encode,
) -> Iterator[Pair]:
    rows = [(at, past_question(chunk.text)) for at, chunk in enumerate(chunks) if chunk.row_number is not None]
    past = [(at, *found) for at, found in rows if found]
    documents = np.array([at for at, chunk in enumerate(chunks) if chunk.row_number is None], np.int64)
    if not len(documents):
        return
    for (at, question, _), vector in zip(past, encode([answer for _, _, answer in past]), strict=True):
        cosines = vectors[documents] @ vector
        nearest = int(documents[np.argmax(cosines)])
        if cosines.max() >= LEAST_BORNE_OUT:
            yield Pair(question, "past", nearest, tuple(at_place[place_of(chunks[nearest]).page]), at)


def _overlap(one: Chunk, other: Chunk) -> bool:
    return one.document_id == other.document_id and one.start < other.end and other.start < one.end


class PairCache(StageCache):
    """Cache of training pairs, by the key of the version and the questions."""

    def put_pairs(self, key: str, pairs: Sequence[Pair]) -> None:
        """Store the pairs."""
        self.put_json([asdict(pair) for pair in pairs], "cache", "pairs", f"{key}.json")

    def pairs(self, key: str) -> list[Pair] | None:
        """The stored pairs; None where they are gone."""
        found = self.get_json("cache", "pairs", f"{key}.json")
        return None if found is None else [Pair(**raw | {"right": tuple(raw["right"])}) for raw in found]
