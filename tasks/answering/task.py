"""Questions and hits to answers: draft, judge, and the tables ``answers`` and ``citations``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from threading import Lock
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from configs.plans import Plan
from configs.settings import Settings
from tasks.answering.conversation import Heedful
from tasks.answering.decide import confidence_label, decide
from tasks.answering.drafting import Asked, Generator
from tasks.answering.extractive import ExtractiveGenerator
from tasks.answering.openai_generator import OpenAIGenerator
from tasks.answering.streaming import OnText, streamed
from tasks.cache import StageCache
from tasks.embedding.dense import encode_passages, encode_questions, encode_with_tokens
from tasks.embedding.model_files import model_fingerprint
from tasks.embedding.shards import Encoder, text_id
from tasks.errors import UsageError
from tasks.index.store import IndexStore
from tasks.lake import Lake
from tasks.model_server import ModelServer
from tasks.progress import track
from tasks.questionnaires.words import question_kind
from tasks.records import Answer, Hit, Question, content_id
from tasks.references import Answered, Questions, Retrieved, Staged
from tasks.retrieval.finding import Models, find_hits
from tasks.retrieval.hand_over import hand_over
from tasks.retrieval.loading import limited, load_index
from tasks.retrieval.pair_models import pair_scorer
from tasks.retrieval.scope import Scope
from tasks.retrieval.search import Index
from tasks.retrieval.stored import hits_of, questions_of
from tasks.retrieval.twins import Told, told_of_documents
from tasks.retrieval.wordings import wording_writer
from tasks.runs import Run
from tasks.stage import stage

QUESTIONS_A_BATCH = 64
T = TypeVar("T")
_models_in_use = Lock()
"""A tokenizer is for one thread at a time, and two models at work at once only share the processor."""


@dataclass(frozen=True, slots=True)
class Loaded:
    """What questions to one version, under one plan and scope, are answered with."""

    index: Index
    told: Mapping[str, Told]
    models: Models
    generator: Generator


@stage("draft answers for {plan.name}")
def draft_answers(questions: Questions, retrieved: Retrieved, plan: Plan, run: Run, settings: Settings) -> Answered:
    """An answer for every question: answered, declined with a reason, to be reviewed, or failed with a reason."""
    lake = Lake(settings.home)
    asked = questions_of(lake.read("questions", run_id=questions.run_id))
    index = load_index(IndexStore(settings.home), StageCache(lake), retrieved.version, plan)
    found = lake.read("retrievals", run_id=retrieved.run_id, plan=retrieved.plan)
    chunks = index.named(*(frozenset(found[column].to_pylist()) for column in ("file_name", "chunk_id")))
    hits = hand_over(hits_of(found, chunks), index, plan.retrieval)
    generator = make_generator(plan, settings)
    answers: list[Answer] = []
    with track("Drafting answers", len(asked)) as advance:
        for begin in range(0, len(asked), QUESTIONS_A_BATCH):
            part = asked[begin : begin + QUESTIONS_A_BATCH]
            answers.extend(answer_questions(part, hits, generator, plan))
            advance(len(part))
    lake.write("answers", _answer_rows(run, plan, answers), run_id=run.run_id, plan=plan.name)
    lake.write("citations", _citation_rows(run, plan, answers), run_id=run.run_id, plan=plan.name)
    count = Counter(answer.status for answer in answers)
    return Answered(run.run_id, plan.name, count["answered"], count["declined"], count["needs_review"], count["failed"])


def load_for_asking(version: Staged, plan: Plan, settings: Settings, scope: Scope) -> Loaded:
    """What :func:`answer_one` needs, for any number of questions, and for several threads.

    Raises UsageError for a scope that lets in no document, or where the generator's server is not configured.
    """
    lake = Lake(settings.home)
    cache = StageCache(lake)
    documents = lake.read("documents", corpus=version.corpus)
    index = limited(load_index(IndexStore(settings.home), cache, version, plan), scope, documents, settings.tags)
    encode = partial(encode_with_tokens, encoder=Encoder(plan.embedding, settings.threads, settings.home))
    models = Models(
        partial(_one_at_a_time, encode),
        partial(_one_at_a_time, pair_scorer(plan.retrieval.rerank, settings.threads)),
        wording_writer(plan.retrieval.expand, ModelServer(settings.openai, cache)),
    )
    return Loaded(index, told_of_documents(documents.to_pylist()), models, make_generator(plan, settings))


def answer_one(
    question: str,
    version: Staged,
    plan: Plan,
    settings: Settings,
    scope: Scope,
    *,
    loaded: Loaded | None = None,
    own_words: Sequence[str] = (),
    on_text: OnText | None = None,
) -> dict[str, Any]:
    """One question's answer within the scope as ``ask --json`` prints it; nothing of it is written to the lake.

    ``loaded`` is of the same version, plan and scope. Of ``own_words``, at least half must be in what is cited: the
    question's others were taken from those before it. ``on_text`` is given what a generator writes while it does,
    before it is judged; one that tells nothing gives it nothing.
    """
    asked = Question("ask", 0, question, kind=question_kind(question, (), yes_no_header=False))
    known = loaded or load_for_asking(version, plan, settings, scope)
    (found,), expansions = find_hits([asked], known.index, plan.retrieval, known.models, known.told)
    hits = hand_over({"ask": found}, known.index, plan.retrieval)
    generator = Heedful(streamed(known.generator, on_text), own_words)
    answer = answer_questions([asked], hits, generator, plan)[0]
    shown = answer.citations or ((answer.nearest_fact,) if answer.nearest_fact else ())
    return {
        "question": question,
        "answer": answer.text,
        "verdict": answer.verdict,
        "status": answer.status,
        "decline_reason": answer.decline_reason,
        "detail": answer.detail,
        "confidence": answer.confidence,
        "confidence_label": confidence_label(answer.confidence, plan.answering),
        "generator": answer.generator,
        "citations": [
            {
                "document_id": citation.document_id,
                "file_name": citation.file_name,
                "page_number": citation.page_number,
                "sheet_name": citation.sheet_name,
                "row_number": citation.row_number,
                "section_path": citation.section_path,
                "locator": citation.locator,
                "start": citation.start,
                "end": citation.end,
                "quote": citation.quote,
            }
            for citation in shown
        ],
        "index_version": version.index_version,
        "asked_beside": [query for expansion in expansions for query in expansion.queries],
        "asked_as_it_stands": next((expansion.reason for expansion in expansions), None),
    }


def answer_questions(
    questions: Sequence[Question], hits: dict[str, list[Hit]], generator: Generator, plan: Plan
) -> list[Answer]:
    """The answers to ``questions``, in order, each from the plan's best ``top_k`` of its hits."""
    asked = [Asked(question, hits.get(question.question_id, [])[: plan.retrieval.top_k]) for question in questions]
    drafts = generator.draft(asked)
    return [decide(item, draft, plan.answering, generator.name) for item, draft in zip(asked, drafts, strict=True)]


def make_generator(plan: Plan, settings: Settings) -> Generator:
    """The generator that the plan names. Raises UsageError where its server is not configured."""
    if plan.answering.generator == "openai":
        if not settings.openai.is_configured:
            raise UsageError(
                "the generator 'openai' needs a server: set BIDFOLIO_OPENAI_BASE_URL and BIDFOLIO_OPENAI_MODEL, "
                "or take --generator extractive"
            )
        return OpenAIGenerator(ModelServer(settings.openai, StageCache(Lake(settings.home))))
    encoder = Encoder(plan.embedding, settings.threads, settings.home)
    return ExtractiveGenerator(
        encode_questions=partial(_one_at_a_time, partial(encode_questions, encoder=encoder)),
        encode_passages=partial(_one_at_a_time, partial(_encode_once, encoder)),
        max_sentences=plan.answering.max_sentences,
    )


def _one_at_a_time(run: Callable[..., T], *arguments: Any) -> T:
    """What the model gives, while no other thread asks one."""
    with _models_in_use:
        return run(*arguments)


def _encode_once(encoder: Encoder, texts: Sequence[str]) -> NDArray[np.float32]:
    """The vectors of passages ``(len(texts), n)``; those of an earlier run come from the cache."""
    cache = StageCache(Lake(encoder.home))
    space = f"{model_fingerprint(encoder.plan)}-passages"
    ids = [text_id(text) for text in texts]
    known = cache.dense(space, frozenset(ids))
    missing = {key: text for key, text in zip(ids, texts, strict=True) if key not in known}
    if missing:
        vectors = encode_passages(list(missing.values()), encoder)
        cache.put_dense(space, content_id("shard", *missing), list(missing), vectors)
        known |= dict(zip(missing, vectors, strict=True))
    return np.stack([known[key] for key in ids]) if ids else np.zeros((0, 0), dtype=np.float32)


def answer_id(run_id: str, plan: str, question_id: str) -> str:
    """The id of an answer: the same question has another answer in another run."""
    return content_id("answer", run_id, plan, question_id)


def _answer_rows(run: Run, plan: Plan, answers: Sequence[Answer]) -> Iterator[dict[str, Any]]:
    for answer in answers:
        nearest = answer.nearest_fact
        yield _identity(run, plan, answer) | {
            "status": answer.status,
            "verdict": answer.verdict,
            "text": answer.text,
            "confidence": answer.confidence,
            "confidence_label": confidence_label(answer.confidence, plan.answering),
            "decline_reason": answer.decline_reason,
            "detail": answer.detail,
            "generator": answer.generator,
            "nearest_file_name": nearest.file_name if nearest else None,
            "nearest_page_number": nearest.page_number if nearest else None,
            "nearest_quote": nearest.quote if nearest else None,
        }


def _citation_rows(run: Run, plan: Plan, answers: Sequence[Answer]) -> Iterator[dict[str, Any]]:
    for answer in answers:
        for index, citation in enumerate(answer.citations):
            yield _identity(run, plan, answer) | {
                "citation_index": index,
                "document_id": citation.document_id,
                "file_name": citation.file_name,
                "content_sha256": citation.content_sha256,
                "page_number": citation.page_number,
                "sheet_name": citation.sheet_name,
                "row_number": citation.row_number,
                "section_path": citation.section_path,
                "start_offset": citation.start,
                "end_offset": citation.end,
                "quote": citation.quote,
            }


def _identity(run: Run, plan: Plan, answer: Answer) -> dict[str, Any]:
    return {
        **run.identity,
        "plan": plan.name,
        "question_id": answer.question_id,
        "answer_id": answer_id(run.run_id, plan.name, answer.question_id),
    }
