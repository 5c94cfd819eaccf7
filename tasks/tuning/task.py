"""Stages for adapters and rerankers: collect training pairs, judge, learn, and stage a version with the adapter."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from statistics import fmean

from configs.plans import Plan
from configs.retrieval import Rerank, Wordings
from configs.settings import Settings
from tasks.embedding.corpus.corpus_cache import CorpusCache
from tasks.embedding.models.dense import encode_questions, encode_with_tokens
from tasks.embedding.models.shards import Encoder
from tasks.errors import UsageError
from tasks.evaluation.gold.gold_set import read_gold
from tasks.index.rows import chunks_of, matrix_of
from tasks.index.store import IndexStore
from tasks.progress import track
from tasks.records import Chunk, Hit, Question, content_id
from tasks.references import Judgement, Pairs, Staged, Tuned
from tasks.retrieval.finding import Models, find_hits
from tasks.retrieval.queries.query_adapter import Adapter, Matrix, judge_of, question_key
from tasks.retrieval.queries.query_expansion import no_wordings
from tasks.retrieval.ranking.cross_encoder import has_model, is_graph, pair_reader
from tasks.retrieval.ranking.pair_models import pair_scorer, score_pairs
from tasks.retrieval.ranking.told_documents import told_of_documents
from tasks.retrieval.version_loading import idle_adapter, load_index
from tasks.runtime.stage import stage
from tasks.statistics.significance import paired_difference
from tasks.storage.commits import Commits, of_index
from tasks.storage.lake import Lake
from tasks.storage.output_cache import output_cache
from tasks.tuning import adapter_judgement
from tasks.tuning.adapter_training import train_for
from tasks.tuning.pair_training import Labelled, fine_tune
from tasks.tuning.training_pairs import Pair, PairCache, collect


@stage("collect pairs for {plan.name}")
def collect_pairs(gold: str | None, version: Staged, plan: Plan, settings: Settings) -> Pairs:
    """Collect questions with the version's chunks that answer them, and cache the pairs.

    They come from the gold set, if given, from past questionnaires and from the documents' sentences. Raises UsageError
    if too few of them are real.
    """
    chunks, vectors = _rows(version, settings)
    encode = partial(encode_questions, encoder=_encoder(plan, settings))
    asked = read_gold(gold) if gold else []
    pairs = collect(asked, chunks, vectors, encode)
    answerable = sum(item.answerable for item in asked)
    adapter_judgement.require_enough(pairs, chunks, answerable)
    key = content_id("pairs", *version, *(f"{pair}" for pair in pairs))
    PairCache(Lake(settings.home)).put_pairs(key, pairs)
    counts = Counter(pair.source for pair in pairs)
    return Pairs(key, version, counts["gold"], counts["past"], counts["made"], unborne=answerable - counts["gold"])


@stage("judge an adapter for {plan.name}")
def judge_adapter(found: Pairs, plan: Plan, settings: Settings) -> Judgement:
    """Judge adapters on questions about documents that they have not learnt from.

    Questions are asked as worded, without the wordings that a model server would add.
    """
    lake = Lake(settings.home)
    pairs = _pairs(found, settings)
    chunks, vectors = _rows(found.version, settings)
    expand = None if isinstance(plan.retrieval.expand, Wordings) else plan.retrieval.expand
    retrieval = plan.retrieval.model_copy(update={"adapter": "off", "expand": expand})
    without = plan.model_copy(update={"retrieval": retrieval})
    index = load_index(IndexStore(settings.home), CorpusCache(lake), found.version, without)
    dense, tokens = encode_with_tokens([pair.question for pair in pairs], _encoder(plan, settings))
    examples = adapter_judgement.examples_of(pairs, dense, vectors)
    score_pairs = pair_scorer(plan.retrieval.rerank, settings.machine, output_cache(settings.home))
    read_pairs = pair_reader(plan.retrieval.reread, settings.machine, output_cache(settings.home))
    told = told_of_documents(lake.read("documents", corpus=found.version.corpus).to_pylist())

    def find(numbers: Sequence[int], matrix: Matrix | None) -> list[list[Hit]]:
        asked = [Question(str(number), number, pairs[number].question, "free_text") for number in numbers]
        adapter = None if matrix is None else Adapter(matrix, "", "")
        encoded = dense[list(numbers)], [tokens[number] for number in numbers] if tokens else []
        models = Models(lambda _: encoded, score_pairs, no_wordings, read_pairs)
        return find_hits(asked, index, retrieval, models, told, adapter=adapter).hits

    with track("Judging an adapter", 1) as advance:
        judged = adapter_judgement.judge(pairs, chunks, examples, find)
        advance(1)
    return judged


@stage("another plan's adapter in {version.corpus}")
def has_adapter_of_another(version: Staged, plan: Plan, settings: Settings) -> bool:
    """Tell if the version has an adapter that was judged with another retrieval than the plan's."""
    return idle_adapter(IndexStore(settings.home), CorpusCache(Lake(settings.home)), version, plan) is not None


@stage("learn an adapter for {plan.name}")
def stage_adapter(found: Pairs, judged: Judgement, plan: Plan, settings: Settings) -> Staged:
    """Learn an adapter from all pairs, and stage a version that differs from theirs by the adapter alone."""
    pairs = _pairs(found, settings)
    _, vectors = _rows(found.version, settings)
    questions = encode_questions([pair.question for pair in pairs], _encoder(plan, settings))
    with track("Learning an adapter", 1) as advance:
        matrix = train_for(adapter_judgement.examples_of(pairs, questions, vectors), judged.epochs)
        advance(1)
    learnt_from = frozenset(question_key(pair.question) for pair in pairs if pair.is_real)
    return with_adapter(found.version, matrix, plan, settings, learnt_from)


@stage("fine-tune the reranker of {plan.name}")
def fine_tune_reranker(found: Pairs, plan: Plan, out: str, settings: Settings) -> Tuned:
    """Fine-tune the cross-encoder of the plan or the settings on the pairs and their nearest wrong chunks.

    The model is saved to the folder ``out`` if it lowers the loss on documents that it has not learnt from. Raises
    UsageError if no cross-encoder is configured, it cannot be loaded or trained, or no question is left to learn from.
    """
    rerank = plan.retrieval.rerank
    named = rerank.model if rerank is not None and rerank.by == "cross_encoder" else None
    folder = named or settings.rerank.cross_encoder
    if not folder:
        raise UsageError(
            "no cross-encoder is configured to be fine-tuned: set BIDFOLIO_RERANK_CROSS_ENCODER to the folder of one"
        )
    if has_model(folder) and is_graph(folder):
        raise UsageError(
            f"the cross-encoder {folder!r} is a graph, which learns nothing: set BIDFOLIO_RERANK_CROSS_ENCODER to the "
            "folder of a model of the transformers library"
        )
    pairs = _pairs(found, settings)
    chunks, vectors = _rows(found.version, settings)
    questions = encode_questions([pair.question for pair in pairs], _encoder(plan, settings))
    examples = adapter_judgement.examples_of(pairs, questions, vectors)
    judged, stopping, learnt = adapter_judgement.divided(
        pairs, adapter_judgement.part_of_all(pairs, chunks), 0, questions
    )
    if not learnt:
        raise UsageError(
            f"the {len(pairs)} questions are nearly equal to each other: none is left to learn from beside those that "
            "judge; give a gold set of other questions (`bidfolio tune GOLD.jsonl --cross-encoder --out DIR`)"
        )

    def labelled(numbers: Sequence[int]) -> Labelled:
        rows = [
            (pairs[number].question, chunks[at].searched_text, rank == 0)
            for number in numbers
            for rank, at in enumerate([examples.positives[number], *examples.negatives[number]])
        ]
        return Labelled(*map(list, zip(*rows, strict=True)))

    with track("Fine-tuning the reranker", 1) as advance:
        tuned = fine_tune(folder, labelled(learnt), labelled(stopping), out, settings.threads)
        advance(1)
    if not tuned.epochs:
        return Tuned(False, tuned.losses, {})
    asked = labelled(judged)
    reciprocal = []
    for model in (out, folder):
        rerank = Rerank(by="cross_encoder", model=model)
        scores = score_pairs(list(zip(asked.questions, asked.texts, strict=True)), rerank, settings.machine)
        by_question = scores.reshape(len(judged), -1)
        reciprocal.append((1 / (1 + (by_question[:, 1:] >= by_question[:, :1]).sum(axis=1))).tolist())
    difference = paired_difference(*reciprocal)
    return Tuned(True, tuned.losses, {"mrr_of_candidates": {"without": fmean(reciprocal[1])} | difference.told()})


def with_adapter(
    version: Staged, matrix: Matrix, plan: Plan, settings: Settings, learnt_from: frozenset[str] = frozenset()
) -> Staged:
    """Stage a copy of the version with another adapter; it is not live.

    ``matrix`` (n, n) fits the version's model and the plan's retrieval; ``learnt_from`` are the keys of its questions.
    """
    lake, store = Lake(settings.home), IndexStore(settings.home)
    before = store.manifest(version.corpus, version.index_key, version.index_version)
    raw = Adapter(matrix, before.model_fingerprint, judge_of(plan.retrieval), learnt_from).to_bytes()
    manifest = replace(before, adapter_key=content_id("adapter", raw))
    CorpusCache(lake).put_state(manifest.adapter_key, "adapter", raw)
    Commits(lake).begin(of_index(version.corpus, version.index_key))
    store.stage(manifest, store.rows(version.corpus, version.index_key, version.index_version))
    return version._replace(index_version=manifest.index_version)


def _rows(version: Staged, settings: Settings) -> tuple[list[Chunk], Matrix]:
    rows = IndexStore(settings.home).rows(version.corpus, version.index_key, version.index_version)
    return chunks_of(rows), matrix_of(rows, "dense")


def _pairs(found: Pairs, settings: Settings) -> list[Pair]:
    kept = PairCache(Lake(settings.home)).pairs(found.key)
    if kept is None:
        raise UsageError("the pairs to learn from are gone: the cache was cleared meanwhile, run the command again")
    return kept


def _encoder(plan: Plan, settings: Settings) -> Encoder:
    return Encoder(plan.embedding, *settings.machine)
