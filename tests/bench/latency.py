"""What finding takes in a large corpus: 500 questions as one batch, and one question after the other.

Run: OPENBLAS_THREAD_TIMEOUT=4 .venv/bin/python -m tests.bench.latency FOLDER GOLD.jsonl [GOLD.jsonl …]
     [--chunks 100000] [--home DIR] [--plan PLAN …] [--served]

FOLDER holds PDFs, of whose sentences the corpus is made as `tests/bench/refresh_scale.py` makes it, with vectors drawn
by chance: how long a search takes hangs on their number. Words, and so BM25, are those of the sentences. The questions
are those of the gold sets. Timed is all that `answer` and `ask` do to find: the questions are embedded, searched, put
together, ranked anew and read again; the version and the models are loaded before. One question after the other is
timed twice, at first and when hundreds were asked: much is kept by then. A plan that reads its best hits again is also
timed without that. Times are of the wall and of the processors, as a machine may have other work. A `--home` is kept,
and what is there is not made again; another `--plan` with other `search` keys embeds nothing. With `--served`, what
`bidfolio serve` does before its first question is done before the first of these. The variable is what `bidfolio` sets
for itself.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import numpy as np

from configs.plans import load_plan
from configs.retrieval import Retrieval
from configs.settings import load_settings
from tasks.embedding.corpus.corpus_cache import CorpusCache
from tasks.embedding.models.dense import encode_with_tokens, prepare
from tasks.embedding.models.shards import Encoder
from tasks.evaluation.gold.gold_set import as_question, read_gold
from tasks.index.store import IndexStore
from tasks.llm.model_server import ModelServer
from tasks.llm.reply_cache import ReplyCache
from tasks.records import Question
from tasks.retrieval.finding import Models, find_hits
from tasks.retrieval.first_stage.exact_search import Index, SearchableIndex
from tasks.retrieval.queries.query_expansion import wording_writer
from tasks.retrieval.ranking.cross_encoder import pair_reader
from tasks.retrieval.ranking.pair_models import pair_scorer
from tasks.retrieval.version_loading import expect_many, live_version, load_index
from tasks.storage.lake import Lake
from tests.bench.refresh_scale import CHUNKS_A_WORD, WORDS_A_FILE, made, refresh, sentences_of

BATCH, ONE_BY_ONE, WARM = 500, 100, 5
NOT_REREAD = {"reread": None}


def questions_of(golds: Sequence[str]) -> list[Question]:
    """BATCH questions of the gold sets, in their order; the first come again where there are fewer."""
    texts = [item for gold in golds for item in read_gold(gold)]
    return [as_question(texts[at % len(texts)], at) for at in range(BATCH)]


def main(folder: Path, golds: Sequence[str], chunks: int, home: Path, plans: Sequence[str], *, served: bool) -> None:
    """Prints the figures."""
    corpus, asked = home / "corpus", questions_of(golds)
    if not corpus.exists():
        made(corpus, sentences_of(folder), round(chunks / (CHUNKS_A_WORD * WORDS_A_FILE)), words=WORDS_A_FILE)
    for plan in plans:
        cost = refresh(corpus, home / "home", "random", home / "models", plan)
        print(f"{plan}: {cost.summary['chunks']} chunks, refreshed in {cost.seconds:.0f} s", flush=True)
        measure(plan, str(home / "home"), asked, served=served)


def measure(name: str, home: str, asked: Sequence[Question], *, served: bool) -> None:
    """Prints the figures of one plan."""
    plan, settings = load_plan(name), load_settings(home=home)
    cache = CorpusCache(Lake(home))
    encoder = Encoder(plan.embedding, settings.threads, home)
    prepare(encoder)
    index = load_index(IndexStore(home), cache, live_version(IndexStore(home), plan, None), plan)
    if served:
        expect_many(index)
    models = Models(
        partial(encode_with_tokens, encoder=encoder),
        pair_scorer(plan.retrieval.rerank, settings.machine),
        wording_writer(plan.retrieval.expand, ModelServer(settings.openai, ReplyCache(Lake(home)))),
        pair_reader(plan.retrieval.reread, settings.machine),
        settings.threads,
    )
    where = "in memory" if isinstance(index, SearchableIndex) else "on disk"
    if plan.retrieval.reread is not None:
        print_times(f"{where}, nothing read again", asked, index, plan.retrieval.model_copy(update=NOT_REREAD), models)
    print_times(where, asked, index, plan.retrieval, models)


def print_times(where: str, asked: Sequence[Question], index: Index, plan: Retrieval, models: Models) -> None:
    """Prints what some questions take one after the other, first and again when hundreds were asked, and all at once.

    What a process has read it keeps, and once much was asked for it looks it up otherwise: both are told.
    """
    for question in asked[-WARM:]:
        find_hits([question], index, plan, models)
    find_hits(asked[-WARM:], index, plan, models)  # a model is loaded otherwise for many than for one
    if isinstance(index, SearchableIndex):
        of_all = np.median([timed(partial(product_with_all, index))[0] for _ in range(ONE_BY_ONE)])
        print(f"    {where}, the product of one question with all vectors alone: {1000 * of_all:.1f} ms", flush=True)
    print_one_by_one(f"{where}, the first {ONE_BY_ONE}", asked[:ONE_BY_ONE], index, plan, models)
    wall, processor = timed(lambda: find_hits(asked, index, plan, models))
    print(f"    {where}, {len(asked)} questions at once: {wall:.1f} s, {processor:.1f} s of processors", flush=True)
    print_one_by_one(f"{where}, {ONE_BY_ONE} after these", asked[-ONE_BY_ONE:], index, plan, models)


def product_with_all(index: SearchableIndex) -> object:
    """What NumPy has to do at least for a question, by which the speed of a machine's memory can be told."""
    return np.ones((1, index.dense.shape[1]), np.float32) @ index.dense.T


def print_one_by_one(where: str, asked: Sequence[Question], index: Index, plan: Retrieval, models: Models) -> None:
    """Prints what the questions take one after the other."""
    times = np.array([timed(partial(find_hits, [one], index, plan, models)) for one in asked])
    (p50, p50_own), (p95, p95_own) = 1000 * np.percentile(times, 50, axis=0), 1000 * np.percentile(times, 95, axis=0)
    print(
        f"    {where}, one at a time: p50 {p50:.0f} ms, p95 {p95:.0f} ms; "
        f"of processors {p50_own:.0f} and {p95_own:.0f} ms",
        flush=True,
    )


def timed(run: Callable[[], object]) -> tuple[float, float]:
    """Seconds of the wall, and of this process' processors."""
    begin, own = time.perf_counter(), time.process_time()
    run()
    return time.perf_counter() - begin, time.process_time() - own


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("golds", metavar="GOLD.jsonl", nargs="+")
    parser.add_argument("--chunks", type=int, default=100_000)
    parser.add_argument("--home", type=Path)
    parser.add_argument("--plan", action="append", dest="plans")
    parser.add_argument("--served", action="store_true")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        home = given.home or Path(scratch)
        home.mkdir(parents=True, exist_ok=True)
        main(given.folder, given.golds, given.chunks, home, given.plans or ["bidfolio"], served=given.served)
