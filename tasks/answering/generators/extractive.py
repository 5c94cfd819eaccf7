"""The embedded generator: sentences of the hits, verbatim. It needs no model server and cannot invent."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tasks.answering.conflicts.past_answers import asks_the_same, without_verdict
from tasks.answering.decision.expected_answer import only_repeats
from tasks.answering.drafting import Asked, Attempt, Check, Draft, OnText, Proposal, longest_text
from tasks.answering.quotes.passages import Passage, heads_a_table, joined_passages, passages_of
from tasks.answering.quotes.quote_context import announces_nothing, in_full
from tasks.answering.verdicts.exact import reading_fault, stated_verdict
from tasks.answering.verdicts.model import Proposed
from tasks.answering.verdicts.reading import ProposeVerdicts
from tasks.conversion.text import fold
from tasks.embedding.bm25 import terms
from tasks.records import Question, searched_text

Encode = Callable[[Sequence[str]], NDArray[np.float32]]
ReadPairs = Callable[[Sequence[tuple[str, str]]], NDArray[np.float32]]
"""Gives of each pair of a question and a text how well it answers, a logit."""

SIMILARITY_WEIGHT, WORDS_WEIGHT, RANK_WEIGHT = 0.5, 0.3, 0.4
READ_RANK_WEIGHT = 0.8
"""What the rank counts where sentences are read: a logit parts those of all hits by more than vectors do."""
PASSAGES_A_QUESTION = 12
"""How many passages are compared by vector, after shared words and rank have picked them."""
SECOND_SENTENCE_WITHIN = 0.09
"""A further sentence is added only where its merit is nearly that of the first."""


class _Weighed(NamedTuple):
    passage: Passage
    similarity: float
    merit: float


class ExtractiveGenerator:
    """Picks the sentences that answer best, by similarity, shared words and the rank of their hit; where they are read,
    by what a cross-encoder says of them, too.
    """

    name = "extractive"
    questions_a_batch = 64

    def __init__(
        self,
        encode_questions: Encode,
        encode_passages: Encode,
        max_sentences: int,
        read_pairs: ReadPairs | None = None,
        read_weight: float = 0.0,
        verdicts: ProposeVerdicts | None = None,
    ) -> None:
        """Each ``encode`` gives unit vectors ``(len(texts), n)`` in the space of the index; ``read_weight`` is what the
        logits of ``read_pairs`` count, and nothing is read where it is 0. ``verdicts`` proposes what the passages of
        yes/no questions say; the passage that a proposal rests on is quoted.

        The encoders are two, because passages come again and are worth keeping.
        """
        self._encode_questions, self._encode_passages = encode_questions, encode_passages
        self._max_sentences, self._read_pairs, self._read_weight = max_sentences, read_pairs, read_weight
        self._verdicts = verdicts

    def draft(self, asked: Sequence[Asked]) -> list[Draft]:
        """One draft a question, in order; a question without a quotable sentence is declined."""
        passages = [likely_passages(item) for item in asked]
        texts = list(dict.fromkeys(passage.matched_text for found in passages for passage, _ in found))
        vectors = dict(zip(texts, self._encode_passages(texts), strict=True))
        questions = self._encode_questions([item.question.text for item in asked])
        proposals = self._proposals(asked, passages)
        drafts = []
        for item, found, question, read, proposed in zip(
            asked, passages, questions, self._read(asked, passages), proposals, strict=True
        ):
            weighed = [
                _Weighed(passage, similarity, SIMILARITY_WEIGHT * similarity + words_and_rank + of_reading)
                for (passage, words_and_rank), of_reading in zip(found, read, strict=True)
                for similarity in [float(vectors[passage.matched_text] @ question)]
            ]
            drafts.append(replace(self._draft_one(item.question, weighed, proposed), attempts=(Attempt(self.name),)))
        return drafts

    def _proposals(
        self, asked: Sequence[Asked], passages: Sequence[Sequence[tuple[Passage, float]]]
    ) -> list[Proposed | None]:
        """A proposal for each yes/no question that has passages, in order; None for all others."""
        found: list[Proposed | None] = [None] * len(asked)
        at = [number for number, item in enumerate(asked) if item.question.kind == "yes_no"]
        if self._verdicts is not None and at:
            read = self._verdicts([asked[one] for one in at], [[passage for passage, _ in passages[one]] for one in at])
            for number, proposed in zip(at, read, strict=True):
                found[number] = proposed
        return found

    def _read(self, asked: Sequence[Asked], passages: Sequence[Sequence[tuple[Passage, float]]]) -> list[list[float]]:
        """What reading adds to the merit of each passage of each question: nothing where none are read.

        A sentence by itself says too little of what it is about, so that it is read below its document's title.
        """
        if self._read_pairs is None or not self._read_weight:
            return [[0.0 for _ in found] for found in passages]
        pairs = [
            (item.question.text, searched_text(passage.chunk.context, passage.matched_text))
            for item, found in zip(asked, passages, strict=True)
            for passage, _ in found
        ]
        logits = iter(self._read_pairs(pairs).tolist())
        more = READ_RANK_WEIGHT - RANK_WEIGHT
        return [[self._read_weight * next(logits) + more / one.hit.rank for one, _ in found] for found in passages]

    def stream_draft(self, asked: Asked, on_text: OnText) -> Draft:
        """The draft of one question. It is there at once, so nothing of it is told before it is judged."""
        (draft,) = self.draft([asked])
        return draft

    def _draft_one(self, question: Question, weighed: Sequence[_Weighed], proposed: Proposed | None = None) -> Draft:
        if not weighed:
            detail = "no document has a sentence about it" if fold(question.text) else "the question has no word"
            return Draft(None, None, (), 0.0, declined="no_evidence", detail=detail)
        ranked = sorted(_as_said_to(question, weighed), key=lambda one: one.merit, reverse=True)
        if not ranked:
            return Draft(None, None, (), 0.0, declined="no_evidence", detail="no document has a sentence about it")
        if proposed is not None:
            return _draft_verdict(question, ranked, weighed[proposed.at], proposed.proposal)
        best = ranked[0]
        near = [one.passage for one in ranked if one.merit >= best.merit - SECOND_SENTENCE_WITHIN]
        limit = longest_text(question)
        belonging = [_in_full_within(limit, passage) for passage in near if _belongs(passage, best.passage)]
        chosen = _within(limit, _without_repeats(belonging)[: self._max_sentences])
        return Draft(
            text=joined_passages(chosen),
            verdict=None,
            citations=tuple(passage.citation() for passage in chosen),
            support=max(0.0, best.similarity),
            nearest_fact=chosen[0].citation(),
            is_verbatim=True,
            compared_text=best.passage.matched_text,
        )


def _draft_verdict(question: Question, ranked: Sequence[_Weighed], read: _Weighed, proposal: Proposal) -> Draft:
    """The draft to a yes/no question: the one passage that its verdict rests on, with what that needs beside it.

    The first of the ``ranked`` may state its own verdict; else that is the ``proposal`` for the passage ``read``. Where
    that may not be quoted, or its verdict not be read from it, there is none, or a check that sends it to a person.
    """
    best, proposed = ranked[0], None
    if stated := stated_verdict(question.text, best.passage):
        proposed = Proposal(stated, 1.0)
    elif any(one.passage is read.passage for one in ranked):
        best, proposed = read, proposal
    fault = "" if stated else reading_fault(question.text, best.passage)
    quoted = _in_full_within(longest_text(question), best.passage)
    return Draft(
        text=quoted.text,
        verdict=None,
        citations=(quoted.citation(),),
        support=max(0.0, best.similarity),
        nearest_fact=quoted.citation(),
        is_verbatim=True,
        compared_text=best.passage.matched_text,
        checks=(Check("reading", False, fault),) if fault else (),
        proposal=proposed,
    )


def likely_passages(asked: Asked) -> list[tuple[Passage, float]]:
    """The passages with the best words and ranks, each with what these count for; no hits give none."""
    words = set(terms(asked.question.text))
    found = [
        (passage, WORDS_WEIGHT * _shared(words, passage.matched_text) + RANK_WEIGHT / hit.rank)
        for hit in asked.hits
        for passage in passages_of(hit)
        if not announces_nothing(passage) and not heads_a_table(passage)
        # What a question of yes or no repeats may be what it asks for.
        if asked.question.kind == "yes_no" or not only_repeats(asked.question.text, passage.quote)
    ]
    found.sort(key=lambda pair: pair[1], reverse=True)
    return found[:PASSAGES_A_QUESTION]


def _shared(words: set[str], text: str) -> float:
    return len(words & set(terms(text))) / len(words) if words else 0.0


def _belongs(passage: Passage, best: Passage) -> bool:
    """A second sentence comes from the same document, and is not a past answer beside a policy's words."""
    return passage is best or (
        passage.hit.chunk.document_id == best.hit.chunk.document_id
        and not (passage.is_past_answer or best.is_past_answer)
    )


def _without_repeats(passages: Sequence[Passage]) -> list[Passage]:
    """Overlapping chunks give the same sentence twice, and so do documents that repeat themselves: the first stays. One
    that is quoted with what another already says makes that one longer.
    """
    kept: list[Passage] = []
    for passage in passages:
        if any(fold(passage.quote) in fold(other.quote) for other in kept):
            continue
        meets = [at for at, other in enumerate(kept) if other.start < passage.end and passage.start < other.end]
        if not meets:
            kept.append(passage)
        elif len(meets) == 1 and passage.start <= kept[meets[0]].start and kept[meets[0]].end <= passage.end:
            kept[meets[0]] = passage
    return kept


def _in_full_within(limit: int | None, passage: Passage) -> Passage:
    """The passage with what it needs beside it, where the customer leaves room for that."""
    full = in_full(passage)
    return full if limit is None or len(full.text) <= limit else passage


def _within(limit: int | None, passages: Sequence[Passage]) -> list[Passage]:
    """The first and what fits behind it. A first that is too long stays whole: cut, it would not be a quote."""
    chosen, room = list(passages[:1]), (limit or 0) - len(passages[0].text)
    for passage in passages[1:]:
        if limit is None or (room := room - len(passage.text) - len("; ")) >= 0:
            chosen.append(passage)
    return chosen


def _as_said_to(question: Question, weighed: Sequence[_Weighed]) -> Iterator[_Weighed]:
    """The passages, past answers to something else without the yes or no that they begin with; a bare one is left out.
    So is it where no yes or no is asked for.
    """
    for one in weighed:
        keeps = not one.passage.is_past_answer or (
            question.kind == "yes_no" and asks_the_same(question.text, one.passage.past_question)
        )
        passage = one.passage if keeps else without_verdict(one.passage)
        if passage is not None:
            yield one._replace(passage=passage)
