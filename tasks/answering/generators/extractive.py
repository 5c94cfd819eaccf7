"""The extractive generator: sentences of the hits, verbatim. It needs no model server and cannot invent."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from configs.weights import Selecting, selection_weights
from tasks.answering.conflicts.past_answers import asks_the_same, without_verdict
from tasks.answering.drafts.draft import Asked, Attempt, Check, Draft, OnText, Proposal, declined, longest_text
from tasks.answering.quotes.passages import Passage, column_titles, heads_a_table, joined_passages, passages_of
from tasks.answering.quotes.quote_context import announces_nothing, in_full
from tasks.answering.quotes.sentence_selection import NEAR, Selection, features_of, selected
from tasks.answering.verdicts.exact import reading_fault, stated_verdict
from tasks.answering.verdicts.model import Proposed
from tasks.answering.verdicts.reading import ProposeVerdicts
from tasks.questions.expected_answer import is_about, only_repeats
from tasks.records import Question
from tasks.text.characters import fold
from tasks.text.language_detection import foreign_language
from tasks.text.names.designators import names_another
from tasks.text.names.figures_and_names import figures_of, names_of
from tasks.text.negation import denying_heading
from tasks.text.search_terms import terms
from tasks.text.sentences import sentence_spans

Encode = Callable[[Sequence[str]], NDArray[np.float32]]
ReadPairs = Callable[[Sequence[tuple[str, str]]], NDArray[np.float32]]
"""Function from pairs of a question and a text to their logits: how well the text answers."""

SIMILARITY_WEIGHT, WORDS_WEIGHT, RANK_WEIGHT = 0.5, 0.3, 0.4
PASSAGES_A_QUESTION = 8
"""The number of passages that are read with a question: those with the best similarity, shared words and ranks."""
SECOND_SENTENCE_WITHIN = 0.09
"""The greatest difference in merit to the first sentence at which a second is added, if no fitted model selects."""


class _Likely(NamedTuple):
    """A candidate passage with its similarity to the question and its merit, by which candidates are ranked."""

    passage: Passage
    similarity: float
    merit: float


class ExtractiveGenerator:
    """Generator that quotes the sentences that answer best: by similarity, shared words and the rank of their hit, or,
    with ``read_pairs``, as a fitted model selects them by a cross-encoder's scores, too.
    """

    name = "extractive"
    questions_a_batch = 64

    def __init__(
        self,
        encode_questions: Encode,
        encode_passages: Encode,
        max_sentences: int,
        read_pairs: ReadPairs | None = None,
        verdicts: ProposeVerdicts | None = None,
        weights: Selecting | None = None,
    ) -> None:
        """Each ``encode`` gives unit vectors ``(len(texts), n)`` in the space of the index. With ``read_pairs`` the
        passages of open questions are selected by ``weights``, those that are shipped if None. ``verdicts`` proposes
        what the passages of yes/no questions say; the passage that a proposal rests on is quoted.

        The encoders are two, because passages come again and are worth keeping.
        """
        self._encode_questions, self._encode_passages = encode_questions, encode_passages
        self._max_sentences, self._read_pairs, self._verdicts = max_sentences, read_pairs, verdicts
        self._weights = weights or selection_weights()

    def draft(self, asked: Sequence[Asked]) -> list[Draft]:
        """One draft a question, in order; a question without a quotable sentence is declined."""
        likely = likely_passages(asked, self._encode_questions, self._encode_passages)
        passages = [[one.passage for one in found] for found in likely]
        drafts = map(self._draft_one, asked, likely, self._selected(asked, likely), self._proposals(asked, passages))
        return [replace(draft, attempts=(Attempt(self.name),)) for draft in drafts]

    def _proposals(self, asked: Sequence[Asked], passages: Sequence[Sequence[Passage]]) -> list[Proposed | None]:
        """A proposal for each English yes/no question that has passages, in order; None for all others."""
        at = [number for number, item in enumerate(asked) if item.question.kind == "yes_no" and _is_read(item)]
        if self._verdicts is None or not at:
            return [None] * len(asked)
        read = self._verdicts([asked[one] for one in at], [passages[one] for one in at])
        found = dict(zip(at, read, strict=True))
        return [found.get(number) for number in range(len(asked))]

    def _selected(self, asked: Sequence[Asked], likely: Sequence[Sequence[_Likely]]) -> list[Selection | None]:
        """The selection of each English question's passages, in order; None for others, and where none are read."""
        if self._read_pairs is None:
            return [None] * len(asked)
        of_questions = [
            (item.question.text, found if _is_read(item) else []) for item, found in zip(asked, likely, strict=True)
        ]
        pairs = [(question, one.passage.read_text) for question, found in of_questions for one in found]
        logits = iter(self._read_pairs(pairs).tolist())
        return [
            selected([features_of(question, one.passage, one.similarity, next(logits)) for one in found], self._weights)
            if found
            else None
            for question, found in of_questions
        ]

    def stream_draft(self, asked: Asked, on_text: OnText) -> Draft:
        """The draft of one question; it comes at once, so ``on_text`` is not called before it is checked."""
        (draft,) = self.draft([asked])
        return draft

    def _draft_one(
        self, item: Asked, likely: Sequence[_Likely], selection: Selection | None, proposed: Proposed | None
    ) -> Draft:
        question = item.question
        ranked, within = likely, SECOND_SENTENCE_WITHIN
        if selection is not None:
            of_best = zip(selection.order, selection.merits, strict=True)
            ranked = [likely[at]._replace(merit=merit) for at, merit in of_best]
            within = NEAR
        ranked = list(_as_said_to(question, ranked))
        if not ranked:
            said = "no document has a sentence about it" if fold(question.text) else "the question has no words"
            return declined("no_evidence", said)
        if proposed is not None:
            read = likely[proposed.at].passage
            beside = None if proposed.beside is None else likely[proposed.beside].passage
            return _draft_verdict(question, ranked, read, beside, proposed.proposal)
        best, past = _current(question.text, ranked)
        near = [one for one in ranked if one.merit >= best.merit - within]
        limit = longest_text(question)
        belonging = [_in_full_within(limit, one.passage) for one in near if _belongs(one.passage, best.passage)]
        chosen = _within(limit, _without_repeats(belonging)[: self._max_sentences])
        return Draft(
            text=joined_passages(chosen),
            verdict=None,
            citations=tuple(citation for passage in chosen for citation in passage.citations()),
            support=max(0.0, best.similarity),
            nearest_fact=chosen[0].citation(),
            is_verbatim=True,
            compared_text=best.passage.matched_text,
            probability=selection.probability if selection else None,
            borne_out_by=past.citations() if past else (),
        )


def _draft_verdict(
    question: Question, ranked: Sequence[_Likely], read: Passage, beside: Passage | None, proposal: Proposal
) -> Draft:
    """The draft for a yes/no question: the passage that the verdict rests on, with the context that it needs.

    The first of the ``ranked`` may state its own verdict; else ``proposal`` is that of the passage ``read``, if it may
    be quoted. ``beside`` is one that bears it out: of a document and a past answer the document is quoted, and both are
    cited. Where no model may read a verdict from what is quoted, a failed check sends the draft to a person.
    """
    first = ranked[0]
    told = [read] if beside is None else [read, beside]
    if stated := stated_verdict(question.text, first.passage):
        told = [first.passage, read] if proposal.verdict == stated else [first.passage]
        proposal = Proposal(stated, 1.0)
    # A document is current: it is quoted, and a past answer that says the same is cited with it.
    told.sort(key=lambda one: one.is_past_answer)
    quotable = next((one for one in ranked if _is_same(one.passage, told[0])), None)
    best = quotable or first
    fault = "" if stated and best is first else reading_fault(question.text, best.passage)
    bears_out = quotable is not None and not fault and [one.is_past_answer for one in told] == [False, True]
    quoted = _in_full_within(longest_text(question), best.passage)
    return Draft(
        text=quoted.text,
        verdict=None,
        citations=quoted.citations(),
        support=max(0.0, best.similarity),
        nearest_fact=quoted.citation(),
        is_verbatim=True,
        compared_text=best.passage.matched_text,
        checks=(Check("reading", False, fault),) if fault else (),
        proposal=proposal if quotable or stated else None,
        borne_out_by=told[1].citations() if bears_out else (),
    )


def _current(question: str, ranked: Sequence[_Likely]) -> tuple[_Likely, Passage | None]:
    """The best passage; where it is a past answer, one of a document about the question that has the facts of its first
    sentence, if there is one, with the past answer.
    """
    best = ranked[0]
    if not best.passage.is_past_answer:
        return best, None
    said = best.passage.text
    begin, end = next(iter(sentence_spans(said)), (0, len(said)))
    facts = _facts(said[begin:end])
    of_documents = (one for one in ranked if not one.passage.is_past_answer and is_about(question, one.passage.quote))
    current = next((one for one in of_documents if facts and facts <= _facts(one.passage.text)), None)
    return (best, None) if current is None else (current, best.passage)


def _facts(text: str) -> frozenset[object]:
    """The figures and the names of a text."""
    return frozenset((*figures_of(text), *names_of(text)))


def likely_passages(asked: Sequence[Asked], encode_questions: Encode, encode_passages: Encode) -> list[list[_Likely]]:
    """The candidate passages of each question, best first, at most :data:`PASSAGES_A_QUESTION`; no hits give none.

    Of passages that say the same, in several documents or in chunks that overlap, the best one stands for all.
    """
    found = [list(_quotable(item)) for item in asked]
    texts = list(dict.fromkeys(passage.matched_text for some in found for passage in some))
    vectors = dict(zip(texts, encode_passages(texts), strict=True))
    questions = encode_questions([item.question.text for item in asked])
    likely = []
    for item, some, question in zip(asked, found, questions, strict=True):
        words = set(terms(item.question.text))
        weighed = []
        for passage in some:
            similarity = float(vectors[passage.matched_text] @ question)
            shared = len(words.intersection(terms(passage.matched_text))) / max(1, len(words))
            merit = SIMILARITY_WEIGHT * similarity + WORDS_WEIGHT * shared
            weighed.append(_Likely(passage, similarity, merit + RANK_WEIGHT / passage.hit.rank))
        apart: dict[object, _Likely] = {}
        for one in sorted(weighed, key=lambda one: -one.merit):
            apart.setdefault(_said(one.passage), one)
        likely.append(list(islice(apart.values(), PASSAGES_A_QUESTION)))
    return likely


def _said(passage: Passage) -> object:
    """A key that passages share which say the same: their words and marks, and what is above them that changes both."""
    words = " ".join(passage.matched_text.casefold().split())
    return words, tuple(column_titles(passage)), denying_heading(passage.section, passage.quote)


def _quotable(asked: Asked) -> Iterator[Passage]:
    for hit in asked.hits:
        for passage in passages_of(hit):
            # What a question of yes or no repeats may be what it asks for.
            is_idle = asked.question.kind != "yes_no" and only_repeats(asked.question.text, passage.quote)
            is_idle = is_idle or announces_nothing(passage) or heads_a_table(passage)
            if not (is_idle or names_another(asked.question.text, passage.matched_text)):
                yield passage


def _is_read(asked: Asked) -> bool:
    """Tell if the models of selection and verdicts, which are for English, can read the question."""
    return foreign_language(asked.question.text) is None


def _is_same(quotable: Passage, read: Passage) -> bool:
    """Tell if a passage is the one that was read: a past answer is quoted from behind its yes or no."""
    return quotable.chunk is read.chunk and quotable.end == read.end


def _belongs(passage: Passage, best: Passage) -> bool:
    """Tell if a passage may stand beside the best: it is from the same document, and neither is a past answer."""
    return passage is best or (
        passage.document_id == best.document_id and not (passage.is_past_answer or best.is_past_answer)
    )


def _without_repeats(passages: Sequence[Passage]) -> list[Passage]:
    """The passages without repeats: the first stays, but one that contains another takes its place."""
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
    """The passage with the context that it needs, where the customer's limit leaves room for that."""
    full = in_full(passage)
    return full if limit is None or len(full.text) <= limit else passage


def _within(limit: int | None, passages: Sequence[Passage]) -> list[Passage]:
    """The first passage and those that fit behind it. A first one that is too long stays whole, as a quote."""
    chosen, room = list(passages[:1]), (limit or 0) - len(passages[0].text)
    for passage in passages[1:]:
        if limit is None or (room := room - len(passage.text) - len("; ")) >= 0:
            chosen.append(passage)
    return chosen


def _as_said_to(question: Question, likely: Sequence[_Likely]) -> Iterator[_Likely]:
    """The passages; past answers to another question, or to an open one, lose the yes or no at their beginning."""
    for one in likely:
        keeps = not one.passage.is_past_answer or (
            question.kind == "yes_no" and asks_the_same(question.text, one.passage.past_question)
        )
        passage = one.passage if keeps else without_verdict(one.passage)
        if passage is not None:
            yield one._replace(passage=passage)
