"""Gold gate stage: ask the gold set of a new version and of the live one before the new one is published."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from configs.plans import Plan
from configs.settings import OpenAISettings, Settings
from tasks.answering.answerer import Answerer
from tasks.answering.document_facts import facts_of
from tasks.answering.entailment.labels import Opinions
from tasks.answering.generators.extractive import ExtractiveGenerator
from tasks.answering.pipeline import Loaded, answer_questions, find_timed
from tasks.answering.quotes.sections import sections_of
from tasks.answering.timing import Clock
from tasks.answering.verdicts.reading import proposer
from tasks.conversion.files.converted_cache import ConvertedCache
from tasks.embedding.corpus.corpus_cache import CorpusCache
from tasks.embedding.corpus.vector_cache import passage_encoder, question_encoder
from tasks.embedding.models.dense import encode_passages, encode_with_tokens, prepare
from tasks.embedding.models.shards import Encoder
from tasks.errors import GateRefused, UsageError
from tasks.evaluation.gold.gold_set import as_question
from tasks.evaluation.gold.outcomes import Outcome, outcome_of
from tasks.index.store import IndexStore
from tasks.index.versions import Manifest
from tasks.progress import track
from tasks.quality.findings import finding_table, publish_command
from tasks.quality.frames import deleted_files
from tasks.quality.gate_questions import VARIABLE, gate_questions
from tasks.quality.gold_comparison import SHOWN, Asked, Verdict, judge
from tasks.quality.gold_places import Held, Moved, page_in, placed, same_page
from tasks.records import Answer, Document, GoldQuestion
from tasks.references import Checked, GoldFigures, Staged
from tasks.retrieval.finding import Models
from tasks.retrieval.plan_fallbacks import with_feedback, with_substitutes
from tasks.retrieval.ranking.cross_encoder import pair_reader
from tasks.retrieval.ranking.pair_models import pair_scorer
from tasks.retrieval.ranking.told_documents import told_of_documents
from tasks.retrieval.version_loading import load_index
from tasks.runtime.flow_run import add_table
from tasks.runtime.runs import Run, milliseconds, now
from tasks.runtime.secret_redaction import secrets_removed
from tasks.runtime.stage import stage
from tasks.storage.document_rows import DocumentRows
from tasks.storage.lake import Lake
from tasks.storage.output_cache import output_cache


@stage("read the gate's gold set")
def read_gate(corpus: str, settings: Settings) -> int:
    """Count the gold questions that versions of the corpus are asked before publishing; 0 if no gold set is configured.

    Raises UsageError, which names the setting and what is wrong with the file.
    """
    return len(gate_questions(settings.gate, corpus))


@stage("hold {checked.staged.index_version} against the gold set")
def judge_by_gold(checked: Checked, plan: Plan, run: Run, settings: Settings) -> Checked:
    """Judge the checked version by the gold set; returns it with its figures and warnings.

    All findings go to the table ``quality`` and to an artifact. If no gold set is configured, nothing is asked. Raises
    GateRefused, which names the figures and the questions that got worse; the live version stays live.
    """
    staged = checked.staged
    if not settings.gate.gold_of(staged.corpus):
        return checked
    begin = milliseconds()
    live = IndexStore(settings.home).live(staged.corpus, staged.index_key)
    verdict = judge_version(staged, live, plan, settings)
    seconds = (milliseconds() - begin) / 1000
    lake = Lake(settings.home)
    identity = {**run.identity, "corpus": staged.corpus}
    # The suites' rows of this run stay.
    rows = lake.read("quality", run_id=run.run_id).to_pylist()
    lake.write("quality", [*rows, *(identity | asdict(one) for one in verdict.findings)], run_id=run.run_id)
    add_table(
        "gold-gate",
        finding_table(verdict.findings),
        f"{staged.index_version} on the gold set {settings.gate.gold_of(staged.corpus)}, {seconds:.1f} s",
    )
    require_no_worse(verdict, staged, settings, run.plan)
    figures = GoldFigures(
        questions=len(gate_questions(settings.gate, staged.corpus)),
        now=dict(verdict.figures),
        before={one.metric: one.before for one in verdict.compared},
        seconds=seconds,
    )
    return Checked(staged, (*checked.warnings, *(finding.message for finding in verdict.warnings)), figures)


def require_no_worse(verdict: Verdict, staged: Staged, settings: Settings, plan: str) -> None:
    """Raise GateRefused, with figures, the worst questions and a remedy, if the gold set refuses the version.

    ``plan`` is the plan's name as the user gives it.
    """
    if not verdict.refusals:
        return
    named = ". ".join(finding.message for finding in verdict.refusals)
    shown = "".join(f"\n  {one.message}" for one in verdict.worse[:SHOWN])
    more = len(verdict.worse) - SHOWN
    worse = f" Worse are:{shown}\n{f'and {more} more. ' if more > 0 else ''}" if verdict.worse else " "
    raise GateRefused(
        f"version {staged.index_version} of {staged.corpus!r} does worse on the gold set "
        f"{settings.gate.gold_of(staged.corpus)} and is not made live: {named}.{worse}"
        "All are in the table quality (suite gold). Mend the documents and refresh again; where what is asked has "
        f"changed, mend the gold set; or publish this version by hand: {publish_command(staged, plan)}"
    )


def judge_version(staged: Staged, before: Manifest | None, plan: Plan, settings: Settings) -> Verdict:
    """Ask the corpus' gold set of a version and of the one ``before``, and judge the difference.

    The version before is skipped if it was embedded with another model. No model server is called: a plan that drafts
    with one is judged by retrieval alone, one whose server expands questions expands them by feedback, and a reranker
    without weights is replaced as where plans are measured, or left out if the index lacks what its substitute needs.
    Raises UsageError if no question is about the corpus.
    """
    gate = settings.gate
    gold = gate_questions(settings.gate, staged.corpus)
    store, lake = IndexStore(settings.home), Lake(settings.home)
    manifest = store.manifest(staged.corpus, staged.index_key, staged.index_version)
    if before is not None and before.model_fingerprint != manifest.model_fingerprint:
        before = None
    documents = DocumentRows(lake)
    rows = documents.document_rows(manifest.corpus, manifest.documents_key) or []
    rows_before = (documents.document_rows(before.corpus, before.documents_key) or []) if before else []
    place_now = _places(rows_before, rows, ConvertedCache(lake))
    names_before, names = ([row["file_name"] for row in some] for some in (rows_before, rows))
    deleted = {name.rpartition("/")[2] for name in deleted_files(names_before, names)}
    stand = placed(gold, Held.of(rows_before) if before else None, Held.of(rows), place_now, deleted)
    answerable = [one for one in stand if one.now.answerable]
    if answerable and all(one.standing == "unknown" for one in answerable):
        files = sorted({evidence.file_name for one in gold for evidence in one.evidence})
        raise UsageError(
            f"the gold set {gate.gold_of(staged.corpus)} ({VARIABLE}) is about other documents than the corpus "
            f"{staged.corpus!r} has: it names {', '.join(files[:3]) or 'no file'}. Name another, or one by corpus, "
            'such as BIDFOLIO_GATE_GOLD=\'{"default": "gold.jsonl"}\''
        )
    bench = _Bench(_askable(plan, settings), settings)
    with track("Asking the gold set", len(gold) * (2 if before else 1)) as advance:
        now = bench.ask([one.now for one in stand if one.standing in ("asked", "new")], staged, rows)
        advance(len(gold))
        then: Mapping[str, Outcome] = {}
        if before is not None:
            then = bench.ask([one.before for one in stand if one.standing == "asked"], before.reference, rows_before)
            advance(len(gold))
    found = [Asked(one, then.get(one.now.question_id), now.get(one.now.question_id)) for one in stand]
    return judge(found, gate, is_drafted=bench.is_drafting)


def _askable(plan: Plan, settings: Settings) -> Plan:
    """The plan as it can be asked without a server, of an index that exists."""
    substituted, _ = with_substitutes(plan, settings.rerank)
    if substituted.index_key != plan.index_key:
        substituted = plan.model_copy(update={"retrieval": plan.retrieval.model_copy(update={"rerank": None})})
    return with_feedback(substituted, OpenAISettings())[0]


def _places(
    before: Sequence[Mapping[str, Any]], now: Sequence[Mapping[str, Any]], cache: ConvertedCache
) -> Callable[[str, int], Moved | None]:
    """Build the lookup from a page of the version before to the place with the same content now."""
    old, new = (
        {row["file_name"].rpartition("/")[2]: row["document_id"] for row in rows if row["status"] == "indexed"}
        for rows in (before, now)
    )
    added = {document_id: name for name, document_id in new.items() if name not in old}

    @functools.cache
    def document(document_id: str) -> Document | None:
        found = cache.document(document_id)
        return found if isinstance(found, Document) else None

    @functools.cache
    def place_now(file_name: str, page_number: int) -> Moved | None:
        was, is_ = old.get(file_name), new.get(file_name)
        first = document(was) if was else None
        if first is None or was == is_:
            return Moved(file_name, page_number) if is_ else None
        if is_:
            second = document(is_)
            page = page_number if second is None else same_page(page_number, first, second)
            return None if page is None else Moved(file_name, page)
        found = page_in(page_number, first, filter(None, map(document, added)))
        return Moved(added[found[0].document_id], found[1]) if found else None

    return place_now


class _Bench:
    """Asks versions under one plan: each question and each sentence is embedded once for both."""

    def __init__(self, plan: Plan, settings: Settings) -> None:
        self._plan, self._settings = plan, settings
        self._lake = Lake(settings.home)
        self._cache, self._converted = CorpusCache(self._lake), ConvertedCache(self._lake)
        self.is_drafting = plan.answering.generator == "extractive"
        encoder = Encoder(plan.embedding, *settings.machine)
        prepare(encoder)
        outputs = output_cache(settings.home)
        questions = question_encoder(encoder, encode_with_tokens, outputs)
        passages = passage_encoder(encoder, encode_passages, outputs)
        read = pair_reader(plan.retrieval.reread, settings.machine, outputs)
        pairs = pair_scorer(plan.retrieval.rerank, settings.machine, outputs)
        self._models = Models(questions, pairs, lambda texts: [], read, settings.threads)
        how = plan.answering
        verdicts, reads = proposer(how, passages, read), read if how.selection else None
        extractive = ExtractiveGenerator(questions.dense, passages, how.max_sentences, reads, verdicts)
        opinions, facts = Opinions(tokens=questions), facts_of(self._converted)
        self._answerer = Answerer(plan, extractive, extractive, questions, opinions, facts, secrets_removed)

    def ask(
        self, gold: Sequence[GoldQuestion], version: Staged, documents: Sequence[Mapping[str, Any]]
    ) -> dict[str, Outcome]:
        """Ask the version each question; the outcomes by question id. No questions give none."""
        asked = [as_question(item, ordinal) for ordinal, item in enumerate(gold)]
        index = load_index(IndexStore(self._settings.home), self._cache, version, self._plan)
        sections = sections_of(self._converted, self._lake, version.corpus)
        told = told_of_documents([row for row in documents if row["status"] == "indexed"])
        loaded = Loaded(index, sections, self._answerer, Clock(now, milliseconds), told, self._models)
        answers: Sequence[Answer]
        if self.is_drafting:
            done = answer_questions(asked, loaded)
            hits, answers = done.hits, [one.answer for one, _ in done.settled]
        else:
            hits = find_timed(asked, loaded)[0].hits
            answers = [Answer(item.question_id, "needs_review") for item in gold]
        of_gold = zip(gold, hits, answers, strict=True)
        return {item.question_id: outcome_of(item, some, answer) for item, some, answer in of_gold}
