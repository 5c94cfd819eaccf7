"""Stages of a grid: measure every configuration, judge the results, and write them out."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import cache, partial
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow.parquet as pq
import yaml

from configs.experiments import Given
from configs.grids import Grid
from configs.plans import Embedding, Plan
from configs.settings import OpenAISettings, Settings
from tasks.answering.answerer import Answerer
from tasks.answering.audit.model_fingerprints import readers_of
from tasks.answering.document_facts import facts_of
from tasks.answering.entailment.labels import Opinions
from tasks.answering.generators.extractive import ExtractiveGenerator
from tasks.answering.generators.factory import build_generator, server_named
from tasks.answering.generators.no_context import answers_without_context
from tasks.answering.pipeline import Drafting
from tasks.answering.quotes.sections import sections_of
from tasks.answering.timing import Clock
from tasks.answering.verdicts.reading import proposer
from tasks.cluster.protocol import Cluster, Killed, ThisProcess
from tasks.conversion.files.converted_cache import ConvertedCache
from tasks.embedding.corpus.corpus_cache import CorpusCache
from tasks.embedding.corpus.vector_cache import ChunkVectors, RecalledQuestions, passage_encoder, question_encoder
from tasks.embedding.models.dense import backend_of, encode_passages, encode_with_tokens, prepare
from tasks.embedding.models.model_files import model_fingerprint
from tasks.embedding.models.shards import Encoder
from tasks.errors import ServiceAway
from tasks.evaluation.experiments.trials import Trial, by_ranking, deviations_of, recipe_as_run, trial_key, trials_of
from tasks.evaluation.gold.gold_corpus import read_gold_in
from tasks.evaluation.gold.gold_set import as_question
from tasks.evaluation.out_folder import out_folder
from tasks.index.store import IndexStore
from tasks.llm.model_server import ModelServer
from tasks.llm.prompts import prompts_version
from tasks.llm.reply_cache import ReplyCache
from tasks.progress import track
from tasks.records import Chunk, GoldQuestion, Hit, Question
from tasks.references import Gridding, Staged
from tasks.retrieval.finding import Models, find_hits
from tasks.retrieval.first_stage.cached_search import RememberingIndex
from tasks.retrieval.queries.query_expansion import wording_writer
from tasks.retrieval.ranking.cross_encoder import pair_reader
from tasks.retrieval.ranking.pair_models import pair_scorer
from tasks.retrieval.ranking.reranking import ScorePairs
from tasks.retrieval.ranking.told_documents import told_of_documents
from tasks.retrieval.version_loading import load_index
from tasks.runtime.runs import Run, milliseconds, now
from tasks.runtime.secret_redaction import secrets_removed
from tasks.runtime.stage import stage
from tasks.statistics.significance import SIGNIFICANT_P
from tasks.storage.lake import Lake
from tasks.storage.output_cache import output_cache
from tasks.tuning import grid_analysis
from tasks.tuning.grid_analysis import FIGURES, grid_matrices
from tasks.tuning.planted_contexts import given_hits
from tasks.tuning.trial_measurement import Encoders, TrialCache, measured, measured_without_context

TOP = 10
MOST_BENCHES = 4
"""Number of threads in one process that keep what they have loaded."""


@stage("lay out the grid {grid.name}")
def plan_trials(grid: Grid, to_beat: str, settings: Settings) -> list[Trial]:
    """List the plan to beat and every configuration, each as it can be run here."""
    return trials_of(grid, to_beat, settings.rerank, settings.openai)


@stage("measure the grid")
def measure_trials(
    path: str, grid: str, trials: Sequence[Trial], versions: Mapping[str, Staged], run: Run, settings: Settings
) -> Gridding:
    """Measure each trial on each question into the table ``grid``; results of an earlier run are reused.

    If a cluster is configured, its workers measure, each the trials that share their hits. ``versions`` are the
    versions to search, by the plans' index keys. Their adapters are left out: an adapter was judged with one plan's
    retrieval. Raises UsageError, which names a wrong line of the gold set, and ServiceAway if the cluster goes away.
    """
    lake = Lake(settings.home)
    corpus = versions[trials[0].plan.index_key].corpus
    gold = read_gold_in(lake, path, corpus, may_be_unlabelled=True).questions
    gold_sha256, kept = sha256(Path(path).read_bytes()).hexdigest(), TrialCache(lake)
    keys = {trial.number: _key(trial, versions, gold_sha256, settings) for trial in trials}
    interrupted = kept.begin(list(keys.values()), run.run_id)
    known = {key: rows for key in dict.fromkeys(keys.values()) if (rows := kept.get(key)) is not None}
    found_before = sum(key in known for key in keys.values())
    missing = list({keys[trial.number]: trial for trial in trials if keys[trial.number] not in known}.values())
    groups = by_ranking(missing, lambda plan: versions[plan.index_key].index_version)
    embeddings = {trial.plan.embedding.fingerprint(): trial.plan.embedding for trial in missing}
    for embedding in embeddings.values():
        prepare(Encoder(embedding, *settings.machine))
    measure = partial(_measure, keys, _Asked(gold_sha256, gold, dict(versions)), settings)
    with track("Measuring configurations", len(trials)) as advance, _cluster(settings) as cluster:
        advance(found_before)
        for group, done in cluster.run(measure, groups):
            if isinstance(done, Killed):
                raise ServiceAway(f"the workers of the cluster die of {group[0].label}: {done.reason}")
            known |= done
            advance(sum(keys[trial.number] in done for trial in trials))
    _benches.clear()
    lake.write("grid", list(_rows(grid, trials, keys, known, versions, run)), run_id=run.run_id)
    kept.end(list(keys.values()))
    failed = {trial.number: why for trial in trials if (why := _failures(known[keys[trial.number]]))}
    return Gridding(run.run_id, len(trials) - 1, found_before, interrupted, failed)


@stage("judge the grid")
def judge_trials(corpus: str, trials: Sequence[Trial], gridding: Gridding, settings: Settings) -> dict[str, Any]:
    """Judge the grid, as ``tune --grid --json`` shows it.

    It gives the factors that matter, the best configurations, and if the best beats the plan in use on questions that
    did not choose it. If the triad chooses, the result includes its correlation on the last labelled questions of the
    ``corpus``; if that was not positive beyond chance, or is unknown, nothing is recommended.
    """
    lake = Lake(settings.home)
    grid = grid_matrices(lake.read("grid", run_id=gridding.run_id), trials)
    tried = trials[1:]
    order = grid_analysis.best_first(grid)
    means, pairs = grid_analysis.compared_levels(grid)
    judged = grid_analysis.held_out(grid)
    best = tried[order[0]]
    triad = grid_analysis.correlations(grid)
    worth = _worth_of_triad(lake, corpus) if triad is None else None
    return {
        "objective": grid.objective,
        "questions": len(grid.scored),
        "unscored": int((~grid.scored).sum()),
        "configurations": gridding.configurations,
        "kept": gridding.kept,
        "interrupted": gridding.interrupted,
        **gridding.failures({trial.number: trial.label for trial in trials}),
        "deviations": deviations_of(trials),
        "anova": grid_analysis.analysis(grid),
        "anova_of": {
            name: grid_analysis.analysis(grid, name) for name in FIGURES if not np.isnan(grid.figures[name]).all()
        },
        "levels": means,
        "pairs": pairs,
        "top": [_told(tried[at], grid, at) for at in order[:TOP]],
        "to_beat": _told(trials[0], grid, None),
        "best": {
            **_told(best, grid, order[0]),
            "beats": judged.beats and (triad is not None or (worth or {}).get("goes_with_what_is_right", False)),
            "held_out": judged.difference.told()
            | {"standard_error": judged.difference.standard_error, "p_clustered": judged.difference.p_clustered},
            "chosen_by_halves": [tried[at].number for at in judged.chosen],
            "recipe": recipe_as_run(best) | {"after": f"the best of a grid of {len(tried)}: {best.label}"},
        },
        "triad": triad,
        "worth_of_triad": worth,
    }


@stage("write to {out}")
def write_grid(summary: Mapping[str, Any], run_id: str, out: str, settings: Settings) -> None:
    """Write ``tuning.json``, ``grid.parquet`` and, if the best beats the plan in use, ``best.yaml`` for ``--plan``.

    A ``best.yaml`` of an earlier run is removed. Raises UsageError if ``out`` cannot be written.
    """
    best, lake = summary["best"], Lake(settings.home)
    with out_folder(out) as folder:
        (folder / "tuning.json").write_text(json.dumps(summary, indent=2, default=str), encoding="utf-8")
        pq.write_table(lake.read("grid", run_id=run_id), folder / "grid.parquet")
        file = folder / "best.yaml"
        file.unlink(missing_ok=True)
        if best["beats"]:
            file.write_text(yaml.safe_dump(best["recipe"], sort_keys=False, allow_unicode=True), encoding="utf-8")


class _Asked(NamedTuple):
    """The questions, the hash of their file, and the versions to ask, in a form that can be sent to workers."""

    gold_sha256: str
    gold: tuple[GoldQuestion, ...]
    versions: Mapping[str, Staged]


_benches: dict[tuple[object, ...], _Bench] = {}


def _measure(
    keys: Mapping[int, str], asked: _Asked, settings: Settings, group: Sequence[Trial]
) -> dict[str, list[dict[str, Any]]]:
    """Measure a group of trials; the rows of each by its key, cached as soon as they are complete."""
    which = threading.get_ident(), settings.home, asked.gold_sha256, *asked.versions.values()
    if which not in _benches:
        while len(_benches) >= MOST_BENCHES:
            _benches.pop(next(iter(_benches)))
        _benches[which] = _Bench(asked, settings)
    kept, found = TrialCache(Lake(settings.home)), {}
    for trial, rows in _benches[which].measure(group):
        found[keys[trial.number]] = rows
        if not _failures(rows):  # Trials with failures are measured again by the next run.
            kept.put(keys[trial.number], rows)
    return found


def _failures(rows: Iterable[Mapping[str, Any]]) -> list[str]:
    return [row["failure"] for row in rows if row["status"] == "failed"]


class _Bench:
    """The questions and the components that answer them: each index is loaded once, each text embedded once."""

    def __init__(self, asked: _Asked, settings: Settings) -> None:
        self._lake = Lake(settings.home)
        self._cache, self._converted = CorpusCache(self._lake), ConvertedCache(self._lake)
        self._gold, self._versions, self._settings = list(asked.gold), asked.versions, settings
        self._asked = [as_question(item, ordinal) for ordinal, item in enumerate(asked.gold)]
        self._indexes: dict[tuple[Staged, str], RememberingIndex] = {}
        self._encoders: dict[str, tuple[RecalledQuestions, Encoders]] = {}
        self._sections = cache(partial(sections_of, self._converted, self._lake))
        self._documents = facts_of(self._converted)

    def measure(self, group: Sequence[Trial]) -> Iterable[tuple[Trial, list[dict[str, Any]]]]:
        """Measure each trial of a group with the same hits: its rows for all questions."""
        plan = group[0].plan
        index, (questions, encoders) = self._index(plan), self._encoding(plan.embedding)
        models = Models(
            questions,
            pair_scorer(plan.retrieval.rerank, self._settings.machine, output_cache(self._settings.home)),
            wording_writer(plan.retrieval.expand, ModelServer(self._settings.openai, ReplyCache(self._lake))),
            self._reader(plan),
        )
        documents = self._lake.read("documents", corpus=self._versions[plan.index_key].corpus).to_pylist()

        @cache
        def found() -> list[list[Hit]]:
            return find_hits(self._asked, index, plan.retrieval, models, told_of_documents(documents)).hits

        @cache
        def chunks() -> Sequence[Chunk]:
            names = [row["file_name"] for row in documents if row["status"] == "indexed"]
            return index.numbered("ordinal", {(name, number) for name in names for number in range(len(index))})

        def asked_with_hits(given: Given) -> tuple[list[GoldQuestion], list[Question], list[list[Hit]]]:
            """The questions with their context; if the right passage is given, only those that have one."""
            if given.given == "retrieved":
                return self._gold, self._asked, found()
            hits = given_hits(self._gold, chunks(), given.distractors, given.depth)
            there = [at for at, one in enumerate(self._gold) if one.question_id in hits]
            gold = [self._gold[at] for at in there]
            return gold, [self._asked[at] for at in there], [hits[one.question_id] for one in gold]

        sections = self._sections(self._versions[plan.index_key].corpus)
        for trial in group:
            if trial.given.given == "nothing":
                server = self._server(trial.drafts, server_named(trial.drafts, self._settings), None)
                answers = answers_without_context(self._asked, server)
                yield trial, measured_without_context(self._gold, answers, encoders)
                continue
            answerer = self._answerer(trial, questions, encoders)
            drafting = Drafting(index, sections, answerer, Clock(now, milliseconds), {})
            yield trial, measured(*asked_with_hits(trial.given), drafting, encoders)

    def _reader(self, plan: Plan) -> ScorePairs:
        return pair_reader(plan.retrieval.reread, self._settings.machine, output_cache(self._settings.home))

    def _index(self, plan: Plan) -> RememberingIndex:
        version = self._versions[plan.index_key]
        if (key := (version, plan.search.fingerprint())) not in self._indexes:
            off = plan.model_copy(update={"retrieval": plan.retrieval.model_copy(update={"adapter": "off"})})
            self._indexes[key] = RememberingIndex(
                load_index(IndexStore(self._settings.home), self._cache, version, off)
            )
        return self._indexes[key]

    def _encoding(self, plan: Embedding) -> tuple[RecalledQuestions, Encoders]:
        if (key := plan.fingerprint()) not in self._encoders:
            encoder = Encoder(plan, *self._settings.machine)
            outputs = output_cache(self._settings.home)
            questions = question_encoder(encoder, encode_with_tokens, outputs)
            answers = passage_encoder(encoder, encode_passages, outputs)
            chunks = ChunkVectors(self._cache, model_fingerprint(plan), partial(encode_passages, encoder=encoder))
            self._encoders[key] = questions, Encoders(questions.dense, answers, chunks)
        return self._encoders[key]

    def _server(self, name: str, of: OpenAISettings, seconds: float | None) -> ModelServer:
        return ModelServer(of, ReplyCache(self._lake), name=name, seconds=seconds)

    def _answerer(self, trial: Trial, questions: RecalledQuestions, encoders: Encoders) -> Answerer:
        plan = trial.plan

        def extractive() -> ExtractiveGenerator:
            how, read = plan.answering, self._reader(plan)
            verdicts, reads = proposer(how, encoders.answers, read), read if how.selection else None
            return ExtractiveGenerator(encoders.questions, encoders.answers, how.max_sentences, reads, verdicts)

        generator = build_generator(trial.drafts, self._settings, self._server, extractive, plan.answering.tone)
        opinions = Opinions(tokens=questions)
        return Answerer(plan, generator, extractive(), questions, opinions, self._documents, secrets_removed)


def _key(trial: Trial, versions: Mapping[str, Staged], gold_sha256: str, settings: Settings) -> str:
    """The cache key of a trial, from all servers that it may ask and the files of all models that it uses."""
    named = settings.servers.get(trial.generator)
    model = " ".join(f"{of.base_url} {of.model}" for of in (settings.openai, named) if of is not None)
    version = versions[trial.plan.index_key].index_version
    files = readers_of(trial.plan, settings.checks.nli, settings.machine, backend_of) | {
        "embedding": model_fingerprint(trial.plan.embedding)
    }
    asked = " ".join([model, *map(prompts_version, ("", "answer", "no_context"))])
    return trial_key(trial.plan, version, gold_sha256, asked, trial.generator, trial.given, files)


def _cluster(settings: Settings) -> AbstractContextManager[Cluster]:
    """The cluster of the settings, or this process if none is configured."""
    if not settings.dask.address and not settings.dask.workers and not settings.dask.adaptive:
        return nullcontext(ThisProcess())
    from tasks.cluster.dask_client import DaskCluster  # its import takes a second, and one machine does not need it

    return DaskCluster(settings.dask)


def _rows(
    grid: str,
    trials: Sequence[Trial],
    keys: Mapping[int, str],
    known: Mapping[str, Sequence[Mapping[str, Any]]],
    versions: Mapping[str, Staged],
    run: Run,
) -> Iterable[dict[str, Any]]:
    for trial in trials:
        whose = {
            **run.identity,
            "grid": grid,
            "configuration": trial.number,
            "levels": None if trial.levels is None else json.dumps(dict(trial.levels)),
            "index_version": versions[trial.plan.index_key].index_version,
        }
        for row in known[keys[trial.number]]:
            yield {**whose, **row}


def _worth_of_triad(lake: Lake, corpus: str) -> dict[str, Any] | None:
    """The correlation of the triad with the objective in the corpus' last labelled grid; None if there was none."""
    for run_id in reversed(lake.values("runs", "run_id")):
        for row in lake.read("runs", run_id=run_id).to_pylist():
            if (row["kind"], row["status"], row["corpus"]) != ("tune", "done", corpus):
                continue
            said: dict[str, Any] = json.loads(row["summary_json"])
            if said.get("triad") and (found := said["triad"]["over_configurations"]["embedding_triad"])["n"]:
                rises = found["spearman"] is not None and found["spearman"] > 0 and found["spearman_p"] < SIGNIFICANT_P
                of = {"run_id": run_id, "grid": said["grid"], "objective": said["objective"]}
                return {**of, **found, "goes_with_what_is_right": rises}
    return None


def _told(trial: Trial, grid: grid_analysis.Gridded, at: int | None) -> dict[str, Any]:
    """The trial in that column, or the plan to beat, with its figures as JSON."""
    figures = grid_analysis.figure_means(grid.to_beat if at is None else grid.figures, at)
    who = {"plan": trial.plan.name} if trial.levels is None else {"configuration": trial.number, "levels": trial.levels}
    return {**who, **figures, "objective": grid_analysis.objective_figure(grid, at)}
