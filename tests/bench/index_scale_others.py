"""The steps of `tests.bench.index_scale` that search: bidfolio, its recall, and LanceDB, bm25s and usearch beside it.

All are asked for the same: the ten best by reciprocal ranks (60) of the hundred nearest vectors and the hundred best by
words. Exact is what every vector and every word's weight give. bidfolio's own first stage, whose scores are other ones,
is held against its own exact search, too.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from configs.plans import load_plan
from configs.retrieval import RankedList, Retrieval
from configs.settings import Settings
from tasks.embedding.corpus.corpus_cache import CorpusCache
from tasks.embedding.corpus.corpus_parts import cut_parts, facts_key
from tasks.embedding.models.dense import encode_questions
from tasks.embedding.models.shards import Encoder
from tasks.index.rows import matrix_of
from tasks.index.store import IndexStore
from tasks.records import Question, searched_text
from tasks.retrieval.first_stage.exact_search import Index, SearchableIndex
from tasks.retrieval.first_stage.indexed_search import IndexedVersion
from tasks.retrieval.queries.queries import queries_of
from tasks.retrieval.ranking.fusion import best_above, best_first, fused, of_cosines
from tasks.retrieval.version_loading import live_version, load_index
from tasks.storage.document_rows import DocumentRows
from tasks.storage.lake import Lake
from tests.bench.index_scale import ASKED_SINGLY, QUESTIONS, chunk_list_of, questions, told

Matrix = NDArray[np.float32]
Found = list[list[int]]
DEPTH, TOP, AT_ONCE, ASKED = 100, 10, 16, 200
BY_RANKS = Retrieval(
    lists=(RankedList(by="dense", count=DEPTH), RankedList(by="bm25", count=DEPTH)), fusion="rrf", top_k=TOP
)
PROBES = (20, 96)
ROWS_A_READ, WRITTEN_AT_ONCE = 8192, 100_000


def ask(count: int, folder: Path, settings: Settings) -> None:
    """All of finding by the default plan; what its cross-encoder reads again takes as long in an index of any size."""
    from tasks.embedding.models.dense import encode_with_tokens, prepare
    from tasks.retrieval.finding import Models, find_hits
    from tasks.retrieval.queries.query_expansion import Expansion
    from tasks.retrieval.ranking.cross_encoder import pair_reader
    from tasks.retrieval.ranking.pair_models import pair_scorer

    plan = load_plan("bidfolio")
    asked = [Question(str(at), at, text) for at, text in enumerate(questions())]
    index = told("version opened", partial(_opened, settings))
    encoder = Encoder(plan.embedding, *settings.machine)
    prepare(encoder)
    models = Models(
        partial(encode_with_tokens, encoder=encoder),
        pair_scorer(plan.retrieval.rerank, settings.machine),
        lambda texts: [Expansion() for _ in texts],
        pair_reader(plan.retrieval.reread, settings.machine),
        settings.threads,
    )

    def one_by_one(retrieval: Retrieval) -> None:
        find = [partial(find_hits, [one], index, retrieval, models) for one in asked[:ASKED_SINGLY]]
        told_times([_seconds(one) for one in find])

    without = plan.retrieval.model_copy(update={"reread": None})
    told(f"nothing read again, {ASKED_SINGLY} one by one", partial(one_by_one, without))
    told(f"nothing read again, {len(asked)} at once", lambda: find_hits(asked, index, without, models))
    told(f"the plan, {ASKED_SINGLY} one by one", partial(one_by_one, plan.retrieval))


def told_times(seconds: Sequence[float]) -> None:
    """Prints two percentiles."""
    p50, p95 = 1000 * np.percentile(seconds, [50, 95])
    print(f"        p50 {p50:.0f} ms, p95 {p95:.0f} ms")


def recall(count: int, folder: Path, settings: Settings) -> None:
    """Share of the best by exact search that bidfolio's candidates hold; what is exact is kept for the others."""
    plan, index = load_plan("bidfolio").retrieval, _opened(settings)
    texts = questions()[:: QUESTIONS // ASKED]
    asked = queries_of(texts, _question_vectors(folder, settings), index)
    kinds = {"dense": RankedList(by="dense"), "the plan": None, "by ranks": None}
    wanted: dict[str, Found] = {name: [] for name in kinds}

    def all_exact() -> None:
        dense, lexical = _vectors(index)
        for begin in range(0, len(texts), AT_ONCE):
            some = asked.take(range(begin, min(begin + AT_ONCE, len(texts))))
            cosines = some.dense @ dense.T, some.lexical @ lexical.T
            words = index.bm25_state.score_all(some.words)
            lists = [words if one.by == "bm25" else of_cosines(cosines, one) for one in plan.lists]
            wanted["the plan"] += [best_above(row, DEPTH) for row in fused(lists, plan)]
            wanted["dense"] += [best_first(row, DEPTH) for row in cosines[0]]
            wanted["by ranks"] += [
                by_ranks(best_first(one, DEPTH), best_above(other, DEPTH, 0.0))
                for one, other in zip(cosines[0], words, strict=True)
            ]

    told(f"exact search for {len(texts)} questions", all_exact)
    np.savez(folder / str(count) / "exact.npz", dense=np.array(wanted["dense"]), ranks=_padded(wanted["by ranks"]))

    def first_stage(name: str, retrieval: Retrieval) -> None:
        found: Found = []
        times = []
        for row in range(len(texts)):
            begin = time.perf_counter()
            scored = index.score(asked.take([row]), retrieval, 1)
            best = scored.positions[best_above(scored.scores[0], DEPTH)].tolist()
            times.append(time.perf_counter() - begin)
            found.append(best)
        told_times(times)
        tell_recall(f"bidfolio, {name}", found, wanted[name])

    told("first stage of the plan, one by one", partial(first_stage, "the plan", plan))
    told("first stage by ranks, one by one", partial(first_stage, "by ranks", BY_RANKS))
    if isinstance(index, IndexedVersion):
        nearest = [
            each.tolist()
            for each in index.reader.nearest("dense", asked.dense, index.search.candidates, index.search, "", None)
        ]
        tell_recall("bidfolio, dense candidates", nearest, wanted["dense"], in_order=False)


def lancedb(count: int, folder: Path, settings: Settings) -> None:
    """LanceDB's own hybrid search, over a table of its own with its own defaults for IVF_SQ and full text."""
    import lancedb as lance
    from lancedb.index import FTS, IvfSq
    from lancedb.query import MatchQuery
    from lancedb.rerankers import RRFReranker

    place = folder / str(count) / "lancedb"
    shutil.rmtree(place, ignore_errors=True)
    base = lance.connect(place)

    def write() -> Any:
        table = None
        for rows in _blocks(settings, WRITTEN_AT_ONCE):
            table = base.create_table("chunks", rows) if table is None else (table.add(rows), table)[1]
        return table

    table = told("LanceDB: rows written", write)
    told("LanceDB: IVF_SQ built", lambda: table.create_index("dense", config=IvfSq(distance_type="cosine")))
    told("LanceDB: full text built", lambda: table.create_index("text", config=FTS(stem=True, remove_stop_words=True)))
    asked, reranker = _question_vectors(folder, settings), RRFReranker()
    texts = questions()[:: QUESTIONS // ASKED]

    def search(row: int, probes: int) -> list[int]:
        query = table.search(query_type="hybrid").vector(asked[row]).text(MatchQuery(texts[row], "text"))
        query = query.distance_type("cosine").nprobes(probes).select(["at"]).limit(DEPTH).rerank(reranker)
        return list(query.to_arrow()["at"].to_pylist())

    def dense(row: int, probes: int) -> list[int]:
        query = table.search(asked[row]).distance_type("cosine").nprobes(probes).select(["at", "_distance"])
        return list(query.limit(DEPTH).to_arrow()["at"].to_pylist())

    for probes in PROBES:
        measure(f"LanceDB hybrid, {probes} probes", partial(search, probes=probes), count, folder, "ranks")
        measure(f"LanceDB vectors alone, {probes} probes", partial(dense, probes=probes), count, folder, "dense")
    shutil.rmtree(place, ignore_errors=True)


def bm25s(count: int, folder: Path, settings: Settings) -> None:
    """bm25s over bidfolio's own words, and usearch's HNSW with its defaults, fused by ranks."""
    import bm25s as package
    from bm25s.tokenization import Tokenized
    from usearch.index import Index

    plan = load_plan("bidfolio").embedding
    texts = questions()[:: QUESTIONS // ASKED]
    asked, terms = _question_vectors(folder, settings), _opened(settings).bm25_state.terms
    nearest: Any = Index(ndim=asked.shape[1], metric="cos", dtype="f16")

    def add() -> None:
        for rows in _blocks(settings):
            nearest.add(rows["at"].to_numpy(), matrix_of(rows, "dense"), threads=settings.threads)

    told("usearch: built", add)
    vocabulary = {word: at for at, word in enumerate(_opened(settings).bm25_state.vocabulary.tolist())}
    words: Any = package.BM25(method="lucene", k1=plan.bm25.k1, b=plan.bm25.b)
    counted = told("words as bm25s takes them", partial(_word_numbers, settings, vocabulary))
    told("bm25s: built", lambda: words.index(Tokenized(counted, vocabulary), show_progress=False))
    counted.clear()

    def search(row: int) -> list[int]:
        first = nearest.search(asked[row], DEPTH, threads=settings.threads).keys.tolist()
        found, scores = words.retrieve([list(dict.fromkeys(terms(texts[row])))], k=DEPTH, show_progress=False)
        return by_ranks(first, found[0][scores[0] > 0].tolist())

    measure("bm25s and usearch", search, count, folder, "ranks")
    measure("usearch alone", lambda row: nearest.search(asked[row], DEPTH).keys.tolist(), count, folder, "dense")


def measure(name: str, search: Callable[[int], list[int]], count: int, folder: Path, exact: str) -> None:
    """Ask the first questions one by one; prints times, memory and recall."""
    with np.load(folder / str(count) / "exact.npz", allow_pickle=False) as arrays:
        wanted = [row[row >= 0].tolist() for row in arrays[exact]]
    found: Found = []
    for row in range(5):
        search(row)  # warm

    def run() -> None:
        times = []
        for row in range(len(wanted)):
            begin = time.perf_counter()
            found.append(search(row))
            times.append(time.perf_counter() - begin)
        told_times(times)

    told(f"{name}, {len(wanted)} one by one", run)
    tell_recall(name, found, wanted)


def tell_recall(name: str, found: Found, wanted: Found, *, in_order: bool = True) -> None:
    """Prints the shares of the best ten and hundred that were found among as many."""
    shares = []
    for depth in (TOP, DEPTH):
        among = depth if in_order else None
        pairs = [(set(one[:among]), best[:depth]) for one, best in zip(found, wanted, strict=True) if best]
        shares.append(np.mean([sum(each in one for each in best) / len(best) for one, best in pairs]))
    print(f"    {name}: recall@{TOP} {shares[0]:.4f}, @{DEPTH} {shares[1]:.4f}", flush=True)


def by_ranks(*lists: Sequence[int]) -> list[int]:
    """The union of the lists by reciprocal ranks, of equals the earlier chunk first."""
    scores: dict[int, float] = {}
    for each in lists:
        for place, one in enumerate(each, start=1):
            scores[one] = scores.get(one, 0.0) + 1 / (60 + place)
    return sorted(scores, key=lambda one: (-scores[one], one))[:DEPTH]


def _seconds(run: Callable[[], object]) -> float:
    begin = time.perf_counter()
    run()
    return time.perf_counter() - begin


def _padded(found: Found) -> NDArray[np.int64]:
    padded = np.full((len(found), DEPTH), -1)
    for row, each in zip(padded, found, strict=True):
        row[: len(each)] = each
    return padded


def _opened(settings: Settings) -> Index:
    """The live version as a run opens it: in memory, or from the plan's boundary on with its rows on disk."""
    plan, store = load_plan("bidfolio"), IndexStore(settings.home)
    return load_index(store, CorpusCache(Lake(settings.home)), live_version(store, plan, "made"), plan)


def _vectors(index: Index) -> tuple[Matrix, Matrix]:
    """All dense and lexical vectors of the version."""
    if isinstance(index, SearchableIndex):
        return index.dense, index.lexical
    assert isinstance(index, IndexedVersion)
    widths = [each.shape[1] for each in index.reader.means()]
    dense, lexical = (np.empty((len(index), width), np.float32) for width in widths)
    at = 0
    for some in index.reader.vectors():
        dense[at : at + len(some[0])], lexical[at : at + len(some[0])] = some
        at += len(some[0])
    return dense, lexical


def _blocks(settings: Settings, size: int = ROWS_A_READ) -> Iterator[pa.Table]:
    """The texts and dense vectors of the version, with the places of its chunks, so many at once."""
    plan, store = load_plan("bidfolio"), IndexStore(settings.home)
    live = live_version(store, plan, "made")
    reader = store.reader(live.corpus, live.index_key, live.index_version)
    for begin in range(0, len(reader), size):
        rows = reader.rows(np.arange(begin, min(begin + size, len(reader))))
        texts = map(searched_text, rows["context"].to_pylist(), rows["text"].to_pylist())
        yield pa.table({"at": rows["position"], "text": pa.array(texts), "dense": rows["dense"]})


def _question_vectors(folder: Path, settings: Settings) -> Matrix:
    """The vectors of the questions that are asked of all tools, embedded once by the plan's model."""
    file = folder / "questions.npy"
    if not file.exists():
        plan = load_plan("bidfolio").embedding
        np.save(file, encode_questions(questions(), Encoder(plan, settings.threads, settings.home)))
    return np.asarray(np.load(file, allow_pickle=False)[:: QUESTIONS // ASKED], np.float32)


def _word_numbers(settings: Settings, vocabulary: dict[str, int]) -> list[list[int]]:
    """The words of each chunk as bidfolio counted them, by their places in the vocabulary."""
    plan, store, lake = load_plan("bidfolio"), IndexStore(settings.home), Lake(settings.home)
    manifest = store.live("made", plan.index_key)
    rows = DocumentRows(lake).document_rows("made", manifest.documents_key if manifest else "") or []
    cache, found = CorpusCache(lake), []
    for part in cut_parts(cache.chunk_counts(chunk_list_of(row["document_id"] for row in rows))):
        counts = cache.counts(facts_key(part, plan.embedding), "bm25", part.rows)
        places = np.array([vocabulary[word] for word in counts.words.tolist()])
        numbers, ends = np.repeat(places[counts.rows.indices], counts.rows.data).tolist(), [0]
        ends += np.cumsum(np.asarray(counts.rows.sum(axis=1)).ravel()).tolist()
        found += [numbers[begin:end] for begin, end in pairwise(ends)]
    return found
