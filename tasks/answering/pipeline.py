"""The one path from a question to its answer: find, hand over, add sections, draft, check, decide.

``answer``, ``ask``, chat, ``evaluate``, the quality gate, ``tune`` and replay all answer by :func:`answer_questions`,
or by :func:`answer_found` where hits were found before, so that what is measured is what a customer gets.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

from configs.retrieval import Retrieval
from tasks.answering.answerer import Answerer, held_against
from tasks.answering.audit.log import Settled, Times, redacted
from tasks.answering.conflicts.approved_answers import (
    Approved,
    Library,
    approved_answers,
    contradicted_by_past,
    has_approved,
    without_past_answers,
)
from tasks.answering.conflicts.document_status import doubts_of_standing
from tasks.answering.conflicts.past_answers import doubts_of
from tasks.answering.decision.decide import Remarks, decide
from tasks.answering.decision.decline_advice import what_to_do
from tasks.answering.decision.grounding import check_drafts
from tasks.answering.decision.question_language import doubts_of_language
from tasks.answering.drafts.answer_text import drafted
from tasks.answering.drafts.draft import Asked, Check, Draft, Generator, OnText
from tasks.answering.entailment.labels import Opinions
from tasks.answering.quotes.sections import SectionsOf, with_sections
from tasks.answering.quotes.shortening import shortened
from tasks.answering.timing import Clock, timed
from tasks.answering.verdicts.existing_documents import drafts_of_documents
from tasks.answering.verdicts.replied import with_replies_weighed
from tasks.progress import Advance
from tasks.records import Hit, Question
from tasks.retrieval.context.context_window import Chunks, hand_over
from tasks.retrieval.finding import NOTHING_TOLD, Found, Models, find_hits
from tasks.retrieval.first_stage.exact_search import Index
from tasks.retrieval.queries.compound_spelling import as_read
from tasks.retrieval.queries.query_expansion import Expansion
from tasks.retrieval.ranking.told_documents import Told, with_names
from tasks.safety.injection import told_of_passages, told_of_question, without_orders

SAID_AGAIN = "the previous answer is the same: check that it answers this question, too"


@dataclass(frozen=True, slots=True)
class Drafting:
    """Everything that turns the hits of one version into answers under the plan of its ``answerer``.

    ``index`` has the version's chunks, ``sections`` gives the sections of its documents, ``clock`` times each batch.
    ``told`` has known facts of documents, by name.
    """

    index: Index
    sections: SectionsOf
    answerer: Answerer
    clock: Clock
    told: Mapping[str, Told]


@dataclass(frozen=True, slots=True)
class Loaded(Drafting):
    """Everything that finds hits in one version, within one scope, and answers from them.

    ``warnings`` name unused parts of the version.
    """

    models: Models
    warnings: tuple[str, ...] = ()


class Answers(NamedTuple):
    """Ranked hits, expansions and answers in the questions' order, and the wall time of finding all hits."""

    hits: list[list[Hit]]
    expansions: list[Expansion]
    settled: list[tuple[Settled, Times]]
    retrieval_ms: float


def answer_questions(
    questions: Sequence[Question],
    loaded: Loaded,
    found_before: tuple[Found, float] | None = None,
) -> Answers:
    """Find the hits of all questions as one batch, and answer from them; no questions give none.

    ``found_before`` are the hits of these questions, with the wall time in ms, where they were found already.
    """
    found, retrieval_ms = found_before or find_timed(questions, loaded)
    hits = by_question(questions, found.hits)
    settled = answer_found(questions, hits, loaded, retrieval_ms / max(1, len(questions)))
    return Answers(found.hits, found.expansions, settled, retrieval_ms)


def answer_found(
    questions: Sequence[Question],
    hits: Mapping[str, Sequence[Hit]],
    drafting: Drafting,
    retrieval_ms: float = 0.0,
    advance: Advance = lambda _: None,
) -> list[tuple[Settled, Times]]:
    """Answer questions from the ranked ``hits`` of each, by its id, in batches as large as the generator takes.

    What the plan hands over with the hits, and their sections, are added here. ``retrieval_ms`` is for each question.
    """
    clock, answerer = drafting.clock, drafting.answerer
    begin = clock.now_ms()
    ranked = {question.question_id: hits.get(question.question_id, ()) for question in questions}
    hand = partial(
        handed_over,
        index=drafting.index,
        sections=drafting.sections,
        plan=answerer.plan.retrieval,
        told=drafting.told,
    )
    evidence = hand(ranked)
    # Past answers may be all that is handed over, and an approved one is held against the documents.
    documents = hand({one: without_past_answers(some) for one, some in ranked.items() if has_approved(some)})
    retrieval_ms += (clock.now_ms() - begin) / max(1, len(questions))
    size = answerer.generator.questions_a_batch
    settled: list[tuple[Settled, Times]] = []
    for start in range(0, len(questions), size):
        batch = questions[start : start + size]
        settled += timed(partial(_draft_and_decide, batch, evidence, documents, drafting), retrieval_ms, clock)
        advance(len(batch))
    return settled


def find_timed(questions: Sequence[Question], loaded: Loaded) -> tuple[Found, float]:
    """Find the hits of all questions as one batch, with the wall time in ms."""
    begin = loaded.clock.now_ms()
    found = find_hits(questions, loaded.index, loaded.answerer.plan.retrieval, loaded.models, loaded.told)
    return found, loaded.clock.now_ms() - begin


def by_question(questions: Sequence[Question], hits: Sequence[Sequence[Hit]]) -> dict[str, Sequence[Hit]]:
    """The hits of each question, which stand in the order of the questions, by its id."""
    return {question.question_id: some for question, some in zip(questions, hits, strict=True)}


def handed_over(
    hits: Mapping[str, Sequence[Hit]],
    index: Chunks,
    sections: SectionsOf,
    plan: Retrieval,
    told: Mapping[str, Told] = NOTHING_TOLD,
) -> dict[str, list[Hit]]:
    """The evidence of each question: its best hits with all that the plan hands over, their sections and names."""
    found = with_sections(hand_over(hits, index, plan), sections)
    return {question_id: with_names(of_question, told) for question_id, of_question in found.items()}


def _draft_and_decide(
    questions: Sequence[Question],
    evidence: Mapping[str, Sequence[Hit]],
    documents: Mapping[str, Sequence[Hit]],
    drafting: Drafting,
) -> list[Settled]:
    """Draft, check and decide, in order, each from the plan's best ``top_k`` hits, without text that gives orders. All
    questions are in the corpus' spelling; the customer's wording is recorded. Approved answers are held against the
    ``documents`` of each question, its hits that are no past answers.
    """
    answerer, read = drafting.answerer, partial(as_read, of=drafting.index)
    plan = answerer.plan
    handed = [without_orders(evidence.get(one.question_id, []), plan.retrieval.top_k) for one in questions]
    asked = [
        Asked(replace(question, text=read(question.text)), kept)
        for question, (kept, _) in zip(questions, handed, strict=True)
    ]
    approved = _approved(asked, documents, answerer, read)
    existing = drafts_of_documents(asked, drafting.index, drafting.told)
    drafts = _drafts(asked, [one.draft or other for one, other in zip(approved, existing, strict=True)], answerer)
    if plan.answering.confidence is not None:
        drafts = held_against(asked, drafts, answerer.encode)
    redact = answerer.redact()
    settled: list[Settled] = []
    for question, item, draft, (kept, suspects), past in zip(questions, asked, drafts, handed, approved, strict=True):
        to_do = partial(what_to_do, item.question.text, hits=kept, owner=answerer.documents.owner)
        doubts = [] if draft.is_approved else doubts_of(item, draft.citations, answerer.documents.dated)
        doubts += doubts_of_standing(draft.citations, answerer.documents.standing)
        denials = contradicted_by_past(item, draft, read)
        draft = replace(draft, checks=(*draft.checks, *(Check("conflict", False, one) for one in denials)))
        about = [*told_of_question(item.question.text), *doubts_of_language(item.question.text, plan)]
        remarks = Remarks([*told_of_passages(suspects), *past.similar], about, doubts, to_do)
        if draft.text is not None and draft.text == question.said_before:
            doubts.append(SAID_AGAIN)
        answer = decide(item, draft, plan.answering, draft.generator or answerer.generator.name, remarks)
        settled.append(redacted(Settled(Asked(question, kept), draft, answer), redact))
    return settled


def _approved(
    asked: Sequence[Asked], documents: Mapping[str, Sequence[Hit]], answerer: Answerer, read: Callable[[str], str]
) -> list[Approved]:
    top_k, facts = answerer.plan.retrieval.top_k, answerer.documents
    found = (without_past_answers(documents.get(item.question.question_id, [])) for item in asked)
    library = Library(answerer.encode, answerer.quoting.draft, facts.entry, facts.dated, facts.standing, read)
    return approved_answers(asked, [without_orders(hits, top_k)[0] for hits in found], library)


def _drafts(asked: Sequence[Asked], settled: Sequence[Draft | None], answerer: Answerer) -> list[Draft]:
    """The checked drafts, in order: those that are ``settled`` without the generator, and its own for all others."""
    open_ = [item for item, one in zip(asked, settled, strict=True) if one is None]
    written = _checked_drafts(open_, answerer.generator, answerer.opinions, answerer.on_text)
    quote = partial(_checked_drafts, generator=answerer.quoting, opinions=answerer.opinions)
    left = iter(with_replies_weighed(open_, written, answerer.plan.answering.verdicts, quote))
    return [one or next(left) for one in settled]


def _checked_drafts(
    asked: Sequence[Asked], generator: Generator, opinions: Opinions, on_text: OnText | None = None
) -> list[Draft]:
    drafts = list(map(shortened, asked, drafted(asked, generator, on_text)))
    return check_drafts(asked, drafts, opinions)
