"""Answering stage: from questions and hits to the tables ``answers`` and ``citations`` and the audit log."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import date
from functools import partial
from threading import Lock
from typing import Any, TypeVar

import pyarrow as pa

from configs.plans import Plan
from configs.settings import ChecksSettings, OpenAISettings, Settings
from tasks.answering.answerer import Answerer, DocumentFacts, EncodeTokens
from tasks.answering.audit import replay
from tasks.answering.audit.answer_rows import answer_rows, citation_rows, shown_answer
from tasks.answering.audit.log import Basis, Settled, Times, audit_rows, recorded_plan, step_rows
from tasks.answering.audit.model_fingerprints import readers_of, require_same_readers
from tasks.answering.document_facts import facts_of
from tasks.answering.drafts.draft import Generator, OnText
from tasks.answering.entailment.labels import Labeller, Opinions
from tasks.answering.entailment.llm_judge import judgements_of
from tasks.answering.entailment.nli import entailments_by
from tasks.answering.entry_facts import documents_by_name, entry_states
from tasks.answering.generators.extractive import ExtractiveGenerator
from tasks.answering.generators.factory import build_generator
from tasks.answering.generators.server_faults import warnings_of
from tasks.answering.overlapped_drafting import answer_overlapped, overlaps_drafting
from tasks.answering.pipeline import Drafting, Loaded, answer_found, answer_questions
from tasks.answering.quotes.sections import sections_of
from tasks.answering.timing import Clock, drafting_times_ms
from tasks.answering.verdicts.reading import proposer
from tasks.answering.within_questionnaire import consistent
from tasks.conversion.files.converted_cache import ConvertedCache
from tasks.embedding.corpus.corpus_cache import CorpusCache
from tasks.embedding.corpus.vector_cache import passage_encoder, question_encoder
from tasks.embedding.models.dense import backend_of, encode_passages, encode_with_tokens
from tasks.embedding.models.model_files import model_fingerprint
from tasks.embedding.models.shards import Encoder
from tasks.errors import ReadOnly, UsageError
from tasks.index.store import IndexStore
from tasks.llm.circuit_breaker import Breaker
from tasks.llm.completions import Server
from tasks.llm.model_server import ModelServer
from tasks.llm.reply_cache import ReplyCache
from tasks.progress import tell, track
from tasks.questions.answer_limits import asked_alone
from tasks.questions.rows import questions_of
from tasks.references import Answered, Questions, Retrieved, Staged
from tasks.retrieval.finding import Found, Models
from tasks.retrieval.hit_rows import expansion_rows, expansions_of, hit_rows, hits_of
from tasks.retrieval.queries.compound_spelling import as_read
from tasks.retrieval.queries.query_expansion import WriteWordings, wording_writer
from tasks.retrieval.queries.scope import EVERYTHING, Scope
from tasks.retrieval.ranking.cross_encoder import pair_reader
from tasks.retrieval.ranking.pair_models import pair_scorer
from tasks.retrieval.ranking.told_documents import told_of_documents
from tasks.retrieval.version_loading import idle_adapter, limited, load_index, recorded_version, require_same_model
from tasks.runtime.runs import Run, milliseconds, now
from tasks.runtime.secret_redaction import secrets_removed
from tasks.runtime.stage import stage
from tasks.schemas import to_table
from tasks.storage.commits import Commits, of_run
from tasks.storage.document_rows import DocumentRows
from tasks.storage.lake import Lake
from tasks.storage.output_cache import output_cache

SHOWN_RUNS = 5
T = TypeVar("T")
CLOCK = Clock(now, milliseconds)
_models_in_use = Lock()
"""Lock for the models: a tokenizer is for one thread at a time, and two models would only share the processor."""


@stage("draft answers for {plan.name}")
def draft_answers(
    questions: Questions,
    retrieved: Retrieved,
    plan: Plan,
    run: Run,
    settings: Settings,
    deviations: Sequence[str] = (),
    *,
    timed_alone: bool = False,
) -> Answered:
    """An answer for every question: answered, declined with a reason, to be reviewed, or failed with a reason.

    ``deviations`` tell how the plan as it runs is not what is written in it. ``timed_alone`` also tells how long a
    draft takes: by its model's times, and where no model was asked by drafting some one at a time.
    """
    lake = Lake(settings.home)
    asked = questions_of(lake.read("questions", run_id=questions.run_id))
    index = load_index(IndexStore(settings.home), CorpusCache(lake), retrieved.version, plan)
    found = lake.read("retrievals", run_id=retrieved.run_id, plan=retrieved.plan)
    chunks = index.named(*(frozenset(found[column].to_pylist()) for column in ("file_name", "chunk_id")))
    hits, sections = hits_of(found, chunks), sections_of(ConvertedCache(lake), lake, retrieved.version.corpus)
    told = told_of_documents(lake.read("documents", corpus=retrieved.version.corpus).to_pylist())
    drafting = Drafting(
        index, sections, make_answerer(plan, settings, facts=_facts(lake, retrieved.version.corpus)), CLOCK, told
    )
    with track("Drafting answers", len(asked)) as advance:
        settled = answer_found(asked, hits, drafting, retrieved.ms_a_question, advance)
    if run.kind == "answer":
        settled = consistent(settled, drafting.answerer.encode, partial(as_read, of=drafting.index))
    answered = _recorded(settled, retrieved.version, plan, run, settings, deviations)
    if not timed_alone:
        return answered
    with output_cache(settings.home).set_aside():
        times_ms = drafting_times_ms([one for one, _ in settled], lambda one: answer_found([one], hits, drafting))
    return answered._replace(times_ms=times_ms)


@stage("find and draft for {plan.name}")
def find_and_draft(
    questions: Questions,
    version: Staged,
    plan: Plan,
    run: Run,
    settings: Settings,
    deviations: Sequence[str] = (),
    *,
    scope: Scope = EVERYTHING,
) -> tuple[Retrieved, Answered]:
    """The hits within the scope and the answer of every question: ``retrieve_hits`` and ``draft_answers`` at once."""
    lake, whose = Lake(settings.home), {"run_id": run.run_id, "plan": plan.name}
    asked = questions_of(lake.read("questions", run_id=questions.run_id))
    known = load_for_asking(version, plan, settings, scope)
    with track("Finding and drafting", len(asked)) as advance:
        done = answer_overlapped(asked, known, advance)
    if run.kind == "answer":
        done = done._replace(settled=consistent(done.settled, known.answerer.encode, partial(as_read, of=known.index)))
    lake.write("retrievals", hit_rows(run.identity | {"plan": plan.name}, done.hits), **whose)
    if plan.retrieval.expand is not None:
        by = run.identity | {"plan": plan.name, "expanded_by": plan.retrieval.expand.by}
        lake.write("expansions", expansion_rows(by, asked, done.expansions), **whose)
    unexpanded = sum(expansion.reason is not None for expansion in done.expansions)
    ms_a_question = done.retrieval_ms / max(1, len(asked))
    retrieved = Retrieved(run.run_id, plan.name, version, (), unexpanded, ms_a_question, known.warnings)
    return retrieved, _recorded(done.settled, version, plan, run, settings, deviations)


def load_for_asking(version: Staged, plan: Plan, settings: Settings, scope: Scope) -> Loaded:
    """Load everything that :func:`answer_one` needs, for any number of questions and several threads.

    Raises UsageError for a scope that lets in no document, or where the generator's server is not configured.
    """
    lake, store, cache = Lake(settings.home), IndexStore(settings.home), CorpusCache(Lake(settings.home))
    documents = lake.read("documents", corpus=version.corpus)
    index = limited(load_index(store, cache, version, plan), scope, documents, settings.tags)
    idle = idle_adapter(store, cache, version, plan)
    server = ModelServer(settings.openai, ReplyCache(lake))
    models = _shared_models(plan, settings, wording_writer(plan.retrieval.expand, server))
    told, sections = told_of_documents(documents.to_pylist()), sections_of(ConvertedCache(lake), lake, version.corpus)
    answerer = make_answerer(plan, settings, facts=_facts(lake, version.corpus))
    return Loaded(index, sections, answerer, CLOCK, told, models, (idle,) if idle else ())


def answer_one(
    question: str,
    version: Staged,
    plan: Plan,
    settings: Settings,
    scope: Scope,
    *,
    run: Run,
    loaded: Loaded | None = None,
    found: tuple[Found, float] | None = None,
    said_before: str | None = None,
    deviations: Sequence[str] = (),
    on_text: OnText | None = None,
) -> dict[str, Any]:
    """One question's answer within the scope, as ``ask --json`` prints it; only the audit log is written, if it can be.

    ``run`` is the run that asks. ``loaded`` is of the same version, plan and scope, and
    ``found`` the hits that it found for the question before, with the wall time in ms. ``said_before`` is the answer
    before a follow-up. ``on_text`` is called with what a generator writes, before it is checked.
    """
    asked = replace(asked_alone(question), said_before=said_before)
    known = loaded or load_for_asking(version, plan, settings, scope)
    known = replace(known, answerer=replace(known.answerer, on_text=on_text))
    _, expansions, settled, _ = answer_questions([asked], known, found_before=found)
    unrecorded: list[str] = []
    try:
        if plan.retrieval.expand is not None:
            by = {"plan": plan.name, "expanded_by": plan.retrieval.expand.by}
            rows = expansion_rows(run.identity | by, [asked], expansions)
            Lake(settings.home).write("expansions", rows, run_id=run.run_id, plan=plan.name)
        append_audit(settled, version, plan, run, settings, deviations)
    except ReadOnly as error:
        unrecorded = [f"the question is not in the audit log, nor in its conversation: {error}"]
    one = settled[0][0]
    return shown_answer(run.run_id, plan, question, one.answer) | {
        "index_version": version.index_version,
        "deviations": list(deviations),
        "warnings": [*known.warnings, *warnings_of([one.draft.attempts]), *unrecorded],
        "asked_beside": [query for expansion in expansions for query in expansion.queries],
        "asked_as_it_stands": next((expansion.reason for expansion in expansions), None),
    }


@stage("replay {run_id}")
def replay_run(run_id: str, settings: Settings) -> replay.Replayed:
    """Replay a run by the recorded replies of models, and return the differences from the record; nothing is written. A
    document's status is judged by the run's day; its status and owner are read from its latest conversion.

    Raises UsageError for a run that the audit log does not know or this bidfolio cannot read, and where a version, or a
    model of then, is gone or has other files.
    """
    lake = Lake(settings.home)
    plans = lake.values("audit", "plan", run_id=run_id)
    if not plans:
        known = lake.values("audit", "run_id")
        last = f"the last are {', '.join(known[-SHOWN_RUNS:][::-1])}" if known else "it is empty"
        raise UsageError(f"the audit log has no run {run_id!r} with answers; {last}")
    asked, found = 0, list[replay.Difference]()
    for plan in plans:
        recorded = lake.read("audit", run_id=run_id, plan=plan).sort_by("question_index")
        if recorded.num_rows:
            steps = lake.read("audit_steps", run_id=run_id, plan=plan).to_pylist()
            basis, settled = _settled_again(recorded, steps, lake, settings)
            rows_now, steps_now = audit_rows(basis, settled), step_rows(basis, (one for one, _ in settled))
            found += replay.differences(recorded.to_pylist(), steps, rows_now, steps_now)
        asked += recorded.num_rows
    return replay.Replayed(run_id, tuple(plans), asked, tuple(found))


def _settled_again(
    recorded: pa.Table, steps: Sequence[Mapping[str, Any]], lake: Lake, settings: Settings
) -> tuple[Basis, list[tuple[Settled, Times]]]:
    (one, *_), cache, store = recorded.slice(0, 1).to_pylist(), CorpusCache(lake), IndexStore(settings.home)
    plan = recorded_plan(one["plan_json"], one["run_id"])
    manifest = recorded_version(store.versions(), one["corpus"], one["index_key"], one["index_version"])
    require_same_model(manifest, model_fingerprint(plan.embedding), plan)
    checks = ChecksSettings.model_validate_json(one["checks_json"] or "{}")
    readers = readers_of(plan, checks.nli, settings.machine, backend_of)
    require_same_readers(json.loads(one["readers_json"] or "{}"), readers, one["run_id"])
    documents = to_table("documents", DocumentRows(lake).document_rows(manifest.corpus, manifest.documents_key) or [])
    tags = json.loads(one["tags_json"] or "{}")
    index = limited(load_index(store, cache, manifest.reference, plan), Scope.said(one["scope"] or ""), documents, tags)
    asked = questions_of(recorded)
    expanded = lake.read("expansions", run_id=one["run_id"], plan=plan.name)
    models = _shared_models(plan, settings, partial(expansions_of, asked, expanded))
    name, tone = plan.answering.generator, plan.answering.tone
    drafted = replay.RecordedGenerator(name, replay.recorded_attempts(steps), make_extractive(plan, settings), tone)
    of = settings.openai
    judge = replay.KeptReplies(ReplyCache(lake), of.base_url or "", of.model or "", of.context_tokens)
    opinions = make_opinions(plan, settings.model_copy(update={"checks": checks}), judge)
    facts = _facts(lake, manifest.corpus, lambda: one["run_date"])
    days = dict(zip(*(documents[name].to_pylist() for name in ("document_id", "document_date")), strict=True))
    answerer = make_answerer(plan, settings, drafted, opinions, facts._replace(dated=days.get))
    told, sections = told_of_documents(documents.to_pylist()), sections_of(ConvertedCache(lake), lake, one["corpus"])
    known = Loaded(index, sections, answerer, CLOCK, told, models)
    if one["run_kind"] == "answer" and overlaps_drafting(plan):
        settled = answer_overlapped(asked, known).settled
    else:
        known = replace(known, models=models._replace(threads=settings.threads))
        settled = answer_questions(asked, known).settled
    if one["run_kind"] == "answer":
        settled = consistent(settled, answerer.encode, partial(as_read, of=known.index))
    identity = {"run_id": one["run_id"], "run_date": one["run_date"]}
    who, scope = one["asked_by"] or "", one["scope"] or ""
    return Basis(identity, one["run_kind"], who, plan, manifest.reference, scope, tags, one["checks_json"]), settled


def _recorded(
    settled: Sequence[tuple[Settled, Times]],
    version: Staged,
    plan: Plan,
    run: Run,
    settings: Settings,
    deviations: Sequence[str],
) -> Answered:
    """Write a run's answers under a plan to ``answers``, ``citations`` and the audit log, and count them."""
    lake, answers = Lake(settings.home), [one.answer for one, _ in settled]
    lake.write("answers", answer_rows(run.identity, plan, answers), run_id=run.run_id, plan=plan.name)
    lake.write("citations", citation_rows(run.identity, plan, answers), run_id=run.run_id, plan=plan.name)
    append_audit(settled, version, plan, run, settings, deviations)
    n = Counter(answer.status for answer in answers)
    told = warnings_of([one.draft.attempts for one, _ in settled])
    counts = n["answered"], n["declined"], n["needs_review"], n["failed"]
    return Answered(run.run_id, plan.name, *counts, warnings=told)


def append_audit(
    settled: Sequence[tuple[Settled, Times]],
    version: Staged,
    plan: Plan,
    run: Run,
    settings: Settings,
    deviations: Sequence[str] = (),
) -> None:
    """Append a run's answers under a plan to the audit log: the tables ``audit_steps`` and then ``audit``."""
    named = {tag: settings.tags[tag] for tag in Scope.said(run.scope).tags if tag in settings.tags}
    checks = settings.checks.model_dump_json()
    readers = readers_of(plan, settings.checks.nli, settings.machine, backend_of)
    basis = Basis(run.identity, run.kind, run.asked_by, plan, version, run.scope, named, checks, readers, deviations)
    lake = Lake(settings.home)
    lake.write("audit_steps", step_rows(basis, (one for one, _ in settled)), run_id=run.run_id, plan=plan.name)
    lake.write("audit", audit_rows(basis, settled), run_id=run.run_id, plan=plan.name)
    if run.kind == "ask":  # it has no row in ``runs`` with which its files are recorded
        tables = ("audit_steps", "audit", "expansions")
        Commits(lake).put(of_run(run.run_id), [("lake", table, f"run_id={run.run_id}") for table in tables])


def _facts(lake: Lake, corpus: str, today: Callable[[], date] = date.today) -> DocumentFacts:
    """The facts of the corpus' documents, and the state of its library's entries."""
    cache = ConvertedCache(lake)
    facts = facts_of(cache, today)
    document_of = documents_by_name(lake.read("documents", corpus=corpus).to_pylist(), cache)
    entries = lake.read("library", corpus=corpus).to_pylist()
    return facts._replace(entry=entry_states(entries, document_of, facts.standing, today))


def make_answerer(
    plan: Plan,
    settings: Settings,
    generator: Generator | None = None,
    opinions: Opinions | None = None,
    facts: DocumentFacts | None = None,
) -> Answerer:
    """Build the answerer of the plan, by default with the plan's generator, the settings' opinions and today's facts.

    Raises UsageError where a server that it needs is not configured.
    """
    return Answerer(
        plan,
        generator or make_generator(plan, settings),
        make_extractive(plan, settings),
        _shared_encoder(plan, settings),
        opinions or make_opinions(plan, settings),
        facts or facts_of(ConvertedCache(Lake(settings.home))),
        secrets_removed,
    )


def make_opinions(plan: Plan, settings: Settings, judge: Server | None = None) -> Opinions:
    """Build the models that label claims: vectors, and those of the settings; ``judge`` stands for their server."""
    checks, further = settings.checks, list[Labeller]()
    if checks.nli:
        further.append(entailments_by(checks.nli, settings.threads))
    if checks.judge:
        seconds = settings.chain.seconds if plan.answering.generator == "chain" else None
        server = judge or ModelServer(settings.openai, ReplyCache(Lake(settings.home)), seconds=seconds)
        further.append(partial(judgements_of, server=server, tell=tell))
    return Opinions(_shared_encoder(plan, settings), further)


def make_generator(plan: Plan, settings: Settings) -> Generator:
    """The generator that the plan names. Raises UsageError where a server that it needs is not configured."""

    def server(name: str, of: OpenAISettings, seconds: float | None) -> ModelServer:
        breaker = Breaker(settings.chain.failures, settings.chain.pause_s)
        return ModelServer(of, ReplyCache(Lake(settings.home)), name=name, seconds=seconds, breaker=breaker)

    extractive = partial(make_extractive, plan, settings)
    return build_generator(plan.answering.generator, settings, server, extractive, plan.answering.tone)


def make_extractive(plan: Plan, settings: Settings) -> ExtractiveGenerator:
    """The extractive generator of the plan, safe for several threads."""
    encoder = Encoder(plan.embedding, *settings.machine)
    outputs = output_cache(settings.home)
    encode = partial(_one_at_a_time, passage_encoder(encoder, encode_passages, outputs))
    read = partial(_one_at_a_time, pair_reader(plan.retrieval.reread, settings.machine, outputs))
    return ExtractiveGenerator(
        encode_questions=partial(_one_at_a_time, question_encoder(encoder, encode_with_tokens, outputs).dense),
        encode_passages=encode,
        max_sentences=plan.answering.max_sentences,
        read_pairs=read if plan.answering.selection else None,
        verdicts=proposer(plan.answering, encode, read),
    )


def _shared_models(plan: Plan, settings: Settings, write: WriteWordings) -> Models:
    """The models of retrieval, safe for several threads."""
    return Models(
        _shared_encoder(plan, settings),
        partial(_one_at_a_time, pair_scorer(plan.retrieval.rerank, settings.machine, output_cache(settings.home))),
        write,
        partial(_one_at_a_time, pair_reader(plan.retrieval.reread, settings.machine, output_cache(settings.home))),
    )


def _shared_encoder(plan: Plan, settings: Settings) -> EncodeTokens:
    encoder = Encoder(plan.embedding, *settings.machine)
    return partial(_one_at_a_time, question_encoder(encoder, encode_with_tokens, output_cache(settings.home)))


def _one_at_a_time(run: Callable[..., T], *arguments: Any) -> T:
    """Run a model under the lock, while no other thread runs one."""
    with _models_in_use:
        return run(*arguments)
