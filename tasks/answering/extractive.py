"""The embedded generator: sentences of the hits, verbatim. It needs no model server and cannot invent."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from tasks.answering.drafting import Asked, Draft
from tasks.answering.passages import Passage, passages_of
from tasks.answering.polarity import past_verdict, sentence_verdict
from tasks.embedding.bm25 import terms
from tasks.records import Question, Verdict

Encode = Callable[[Sequence[str]], NDArray[np.float32]]

SIMILARITY_WEIGHT, WORDS_WEIGHT, RANK_WEIGHT = 0.5, 0.3, 0.2
SECOND_SENTENCE_SHARE = 0.9
"""A further sentence is added only where it is nearly as good as the first."""
PAST_QUESTION_SIMILARITY = 0.75
"""Below this, a past question is about something else and its yes or no does not carry over."""


class ExtractiveGenerator:
    """Picks the sentences that answer best, by similarity, shared words and the rank of their hit."""

    name = "extractive"

    def __init__(self, encode: Encode, max_sentences: int) -> None:
        """``encode`` gives unit vectors ``(len(texts), n)`` in the space of the index."""
        self._encode = encode
        self._max_sentences = max_sentences

    def draft(self, asked: Sequence[Asked]) -> list[Draft]:
        """One draft a question, in order; a question without a quotable sentence is declined."""
        passages = [[p for hit in item.hits for p in passages_of(hit)] for item in asked]
        texts = dict.fromkeys(p.matched_text for found in passages for p in found)
        texts |= dict.fromkeys(item.question.text for item in asked)
        vectors = dict(zip(texts, self._encode(list(texts)), strict=True))
        return [
            self._draft_one(item.question, found, vectors) for item, found in zip(asked, passages, strict=True)
        ]

    def _draft_one(
        self, question: Question, passages: Sequence[Passage], vectors: dict[str, NDArray[np.float32]]
    ) -> Draft:
        if not passages:
            return Draft(None, None, (), 0.0, declined="no_evidence", detail="no document has a sentence about it")
        asked = vectors[question.text]
        similarity = {p: float(vectors[p.matched_text] @ asked) for p in passages}
        merit = {p: _merit(question.text, p, similarity[p]) for p in passages}
        ranked = sorted(passages, key=merit.__getitem__, reverse=True)
        best = ranked[0]
        chosen = [p for p in ranked if merit[p] >= SECOND_SENTENCE_SHARE * merit[best] and _belongs(p, best)]
        chosen = _without_repeats(chosen)[: self._max_sentences]
        chosen.sort(key=lambda p: (p is not best, p.start))
        verdict = _verdict(question, best, similarity[best]) if question.kind == "yes_no" else None
        return Draft(
            text=" ".join(p.quote.replace("\n", " ") for p in chosen),
            verdict=verdict,
            citations=tuple(p.citation() for p in chosen),
            support=max(0.0, similarity[best]),
            nearest_fact=best.citation(),
        )


def _merit(question: str, passage: Passage, similarity: float) -> float:
    asked = set(terms(question))
    shared = len(asked & set(terms(passage.matched_text))) / len(asked) if asked else 0.0
    return SIMILARITY_WEIGHT * similarity + WORDS_WEIGHT * shared + RANK_WEIGHT / passage.hit.rank


def _belongs(passage: Passage, best: Passage) -> bool:
    """A second sentence comes from the same document, and is not a past answer beside a policy's words."""
    return passage.hit.chunk.document_id == best.hit.chunk.document_id and not (
        passage is not best and (passage.is_past_answer or best.is_past_answer)
    )


def _without_repeats(passages: Sequence[Passage]) -> list[Passage]:
    """Overlapping chunks give the same sentence twice: the first stays."""
    kept: list[Passage] = []
    for passage in passages:
        if not any(p.start < passage.end and passage.start < p.end for p in kept):
            kept.append(passage)
    return kept


def _verdict(question: Question, best: Passage, similarity: float) -> Verdict | None:
    if best.is_past_answer:
        return past_verdict(best.quote) if similarity >= PAST_QUESTION_SIMILARITY else None
    return sentence_verdict(question.text, best.quote)
