"""Stages for judges: measure their agreement with labels, and judge the answers of a plan.

They write the tables ``judgements`` and ``scores``.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from configs.plans import Plan, load_plan
from configs.settings import Settings
from tasks.answering.pipeline import handed_over
from tasks.answering.quotes.context_passages import text_of
from tasks.answering.quotes.sections import sections_of
from tasks.conversion.files.converted_cache import ConvertedCache
from tasks.embedding.corpus.corpus_cache import CorpusCache
from tasks.embedding.corpus.vector_cache import passage_encoder
from tasks.embedding.models.dense import encode_passages
from tasks.embedding.models.shards import Encoder
from tasks.errors import UsageError
from tasks.evaluation.gold.gold_set import read_gold
from tasks.evaluation.gold.outcomes import cluster_of
from tasks.evaluation.judges.agreement import admissions, with_own_labels
from tasks.evaluation.judges.cases import (
    CRITERIA,
    Case,
    Judge,
    Judgement,
    figure_name,
    known_criteria,
    triads,
    with_verdict,
)
from tasks.evaluation.judges.embedding import EmbeddingJudge
from tasks.evaluation.judges.figures import JudgedFigure, judged_figure, refusal_figures
from tasks.evaluation.judges.labels import Labelled, parted, read_labels
from tasks.evaluation.judges.lexical import LexicalJudge
from tasks.evaluation.judges.server import ServerJudge, server_of
from tasks.index.store import IndexStore
from tasks.llm.model_server import ModelServer
from tasks.llm.reply_cache import ReplyCache
from tasks.progress import track
from tasks.records import GoldQuestion, Hit
from tasks.references import Answered, Retrieved
from tasks.retrieval.hit_rows import hits_of
from tasks.retrieval.version_loading import load_index
from tasks.runtime.runs import Run
from tasks.runtime.stage import stage
from tasks.storage.lake import Lake
from tasks.storage.output_cache import output_cache

EMBEDDED_BY: Final = "bidfolio"
"""Plan whose model the embedding judge uses: the same for every plan that it judges."""
FAILED = "failed: nothing was drafted"
Admitted = Mapping[str, Mapping[str, Any]]
"""Admitted judges by name: the model, the number of repeats, and the ``agreement`` by criterion."""


@stage("measure the judges")
def admit_judges(
    judges: Sequence[str], criteria: Sequence[str], labels: str, repeats: int, settings: Settings
) -> dict[str, Any]:
    """Measure how far each judge agrees with labelled examples, by each of ``criteria`` (none: all). No judges give {}.

    The examples are the shipped ones or, for criteria with enough labels in the file ``labels``, that file's. Raises
    UsageError for an unknown judge or criterion, wrong labels, or a server that is not configured, and ServiceAway if
    the server is away.
    """
    found: dict[str, Any] = {}
    wanted = known_criteria(criteria)
    for name in dict.fromkeys(judges):
        examples = _examples(labels)
        judge = make_judge(name, examples, settings)
        found[name] = {
            "model": judge.model or None,
            "deterministic": judge.is_deterministic,
            "repeats": 1 if judge.is_deterministic else repeats,
            "temperature": None if judge.is_deterministic else settings.judge.temperature,
            "labels": labels or "shipped",
            "agreement": {what: one.told() for what, one in admissions(judge, examples, wanted).items()},
            **_requests(judge),
        }
    return found


@stage("judge {answered.plan}")
def judge_plan(
    path: str,
    admitted: Admitted,
    labels: str,
    retrieved: Retrieved,
    answered: Answered,
    plan: Plan,
    run: Run,
    settings: Settings,
) -> dict[str, Any]:
    """Judge one plan's answers by each ``admitted`` judge and criterion; returns the figures for ``evaluate --json``.

    Each judgement is a row of the table ``judgements``, each figure a row of ``scores``. A judge that is not
    deterministic is asked anew ``repeats`` times; judgements of a run that was cut short are reused. Raises ServiceAway
    if its server goes away.
    """
    gold = read_gold(path)
    cases, failed = _cases(gold, retrieved, answered, plan, settings)
    clusters = [cluster_of(one) for one in gold]
    figures: dict[str, JudgedFigure] = {}
    rows: list[dict[str, Any]] = []
    requests: dict[str, Any] = {}
    whose = {**run.identity, "plan": plan.name}
    for name, known in admitted.items():
        judge = make_judge(name, _examples(labels), settings)
        said = _all_said(judge, known, cases, failed, f"Judging {plan.name}, {name}")
        if counts := _requests(judge):
            requests[name] = counts
        for what, repeats in said.items():
            rows += [whose | row for row in _rows(gold, judge, what, repeats)]
            if what == "refusal":
                figures |= {figure_name(one, name): of for one, of in refusal_figures(repeats, gold).items()}
            else:
                figures[figure_name(what, name)] = judged_figure(what, repeats, clusters)
    lake, partition = Lake(settings.home), {"run_id": run.run_id, "plan": plan.name}
    lake.write("judgements", rows, **partition)
    scores = [row for row in lake.read("scores", **partition).to_pylist() if row["metric"] not in figures]
    scores += [whose | {"metric": name} | one.figure.columns(one.interval) for name, one in figures.items()]
    lake.write("scores", scores, **partition)
    return {"figures": {name: one.told() for name, one in figures.items()}, "requests": requests}


def make_judge(name: str, examples: Sequence[Labelled], settings: Settings) -> Judge:
    """Make the judge of that name; a judge that learns uses its part of the ``examples``.

    Raises UsageError for an unknown name, and if its server is not configured.
    """
    if name == "lexical":
        return LexicalJudge()
    if name == "embedding":
        embedding = load_plan(EMBEDDED_BY).embedding
        passages = passage_encoder(Encoder(embedding, *settings.machine), encode_passages, output_cache(settings.home))
        return EmbeddingJudge(passages, embedding.model, parted(examples)[0])
    if name == "server":
        of = server_of(settings)
        server = ModelServer(of, ReplyCache(Lake(settings.home)), name=settings.judge.server)
        return ServerJudge(server, settings.judge.temperature)
    raise UsageError(f"there is no judge {name!r}: take lexical, embedding or server")


def _examples(labels: str) -> list[Labelled]:
    return with_own_labels(read_labels(), read_labels(labels) if labels else ())


def _requests(judge: Judge) -> dict[str, int]:
    """The numbers of server requests and cached replies of a judge; {} for a judge without a server."""
    return {"asked": judge.asked, "kept": judge.kept} if isinstance(judge, ServerJudge) else {}


def _all_said(
    judge: Judge, known: Mapping[str, Any], cases: Sequence[Case], failed: Sequence[bool], told: str
) -> dict[str, list[list[Judgement]]]:
    """The judgements by criterion for which the judge is admitted, and by triad figure, for each repeat."""
    allowed = [what for what, agreed in known["agreement"].items() if not agreed["refused"]]
    said: dict[str, list[list[Judgement]]] = {}
    with track(told, len(allowed) * known["repeats"]) as advance:
        for repeat in range(1, known["repeats"] + 1):
            judged = {}
            for what in allowed:
                judged[what] = _judged(judge, cases, failed, what, repeat)
                advance(1)
            for what, judgements in (judged | triads(judged)).items():
                said.setdefault(what, []).append(judgements)
    return said


def _judged(judge: Judge, cases: Sequence[Case], failed: Sequence[bool], what: str, repeat: int) -> list[Judgement]:
    judged = judge.judge(cases, what, repeat)
    turns_on_answer = what == "refusal" or "answer" in CRITERIA[what].needs
    return [
        Judgement(None, unscored=FAILED) if is_failed and turns_on_answer else one
        for one, is_failed in zip(judged, failed, strict=True)
    ]


def _cases(
    gold: Sequence[GoldQuestion], retrieved: Retrieved, answered: Answered, plan: Plan, settings: Settings
) -> tuple[list[Case], list[bool]]:
    """The answers as cases for the judges, in the order of the gold set, and flags of those that failed."""
    lake = Lake(settings.home)
    found = lake.read("retrievals", run_id=retrieved.run_id, plan=retrieved.plan)
    index = load_index(IndexStore(settings.home), CorpusCache(lake), retrieved.version, plan)
    chunks = index.named(*(frozenset(found[column].to_pylist()) for column in ("file_name", "chunk_id")))
    sections = sections_of(ConvertedCache(lake), lake, retrieved.version.corpus)
    hits = handed_over(hits_of(found, chunks), index, sections, plan.retrieval)
    answers = {
        row["question_id"]: row for row in lake.read("answers", run_id=answered.run_id, plan=answered.plan).to_pylist()
    }
    cases = [
        Case(
            one.question,
            tuple(_context(hit) for hit in hits.get(one.question_id, ()) if hit.chunks),
            with_verdict(answers[one.question_id]["verdict"], answers[one.question_id]["text"]),
            with_verdict(one.verdict, one.answer) if one.answerable else None,
        )
        for one in gold
    ]
    return cases, [answers[one.question_id]["status"] == "failed" for one in gold]


def _context(hit: Hit) -> str:
    """The text that the hit hands over, under the title of its section."""
    return "\n".join(filter(None, [hit.chunk.section_path.rsplit(" > ", 1)[-1], text_of(hit)]))


def _rows(
    gold: Sequence[GoldQuestion], judge: Judge, what: str, repeats: Sequence[Sequence[Judgement]]
) -> Iterator[dict[str, Any]]:
    for repeat, judged in enumerate(repeats, 1):
        for question, one in zip(gold, judged, strict=True):
            yield {
                "question_id": question.question_id,
                "judge": judge.name,
                "model": judge.model or None,
                "criterion": what,
                "repeat": repeat,
                "score": None if one.score is None else float(one.score),
                "reason": one.reason or None,
                "unscored_reason": one.unscored or None,
                "shares": json.dumps([round(share, 4) for share in one.shares]) if one.shares else None,
            }
