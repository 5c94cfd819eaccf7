"""Searching many vectors: bidfolio's exact product beside LanceDB's flat search, its indexes, and faiss.

Run: .venv/bin/python -m tests.bench.search HOME [COUNT …]        (100,000 where none is given)

The vectors are those of the chunks of HOME, each many times over with noise of its own, so that they cluster as chunks
do. The questions are those that HOME was asked, each several times with a little noise: they lie between the chunks,
which is harder than vectors made as the chunks' are. faiss is measured where it can be imported. A batch is 500
questions; what is asked one by one is asked 300 times, LanceDB's flat search 20 times. LanceDB's index is that of the
plan, with several numbers of probes; up to 100,000 vectors it is built four times, and HNSW and PQ are beside it, which
take minutes to build.
"""

from __future__ import annotations

import importlib
import resource
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import lancedb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from configs.plans import load_plan
from configs.retrieval import Search
from tasks.embedding.models.dense import encode_questions
from tasks.embedding.models.shards import Encoder
from tasks.index.store import vector_index
from tasks.index.versions import Recipe
from tasks.retrieval.first_stage.exact_search import QUESTIONS_A_BATCH
from tasks.retrieval.ranking.fusion import best_first

Matrix = NDArray[np.float32]
Ids = NDArray[np.int64]
BATCH, ONE_BY_ONE, FLAT, TOP = 500, 300, 20, 10
NOISE, QUESTION_NOISE = 0.6, 0.2
"""The length of the noise that is added to a unit vector."""
PROBES = 40
SLOW_TO_BUILD = 100_000
BUILDS = 4
SAMPLE = 64
"""How many vectors a partition the IVF indexes are trained on."""


def main(home: str, counts: list[int]) -> None:
    """Prints the figures."""
    real = np.concatenate([_vectors(path) for path in Path(home).glob("lake/vectors/**/*.parquet")])
    asked = _questions(home)
    for count in counts:
        print(f"{count} vectors of {real.shape[1]} dimensions around {len(real)} chunks' own, noise {NOISE}")
        measure(spread(real, count, seed=0), spread(asked, BATCH, seed=1, noise=QUESTION_NOISE))
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
        print(f"peak memory {peak:.1f} GB\n", flush=True)


def measure(vectors: Matrix, questions: Matrix) -> None:
    """Prints the figures of one set of vectors."""
    begin = time.perf_counter()
    truth = exact(questions, vectors)
    batch = time.perf_counter() - begin
    print(f"exact product, batch of {BATCH}: {batch:.2f} s, {1000 * batch / BATCH:.2f} ms a question", flush=True)
    report("exact product", truth, lambda question: exact(question[None], vectors)[0], questions)
    faiss(vectors, questions, truth)
    with tempfile.TemporaryDirectory() as folder:
        lance(folder, vectors, questions, truth, batch)


def spread(real: Matrix, count: int, seed: int, noise: float = NOISE) -> Matrix:
    """``(count, n)`` unit vectors, each one of ``real`` with noise."""
    draw = np.random.default_rng(seed)
    made = draw.standard_normal((count, real.shape[1]), dtype=np.float32)
    made *= noise / np.sqrt(real.shape[1])
    made += real[draw.integers(0, len(real), count)]
    made /= np.linalg.norm(made, axis=1, keepdims=True)
    return made


def exact(questions: Matrix, vectors: Matrix) -> Ids:
    """The best TOP of each question, as a refresh' index is searched."""
    found = []
    for begin in range(0, len(questions), QUESTIONS_A_BATCH):
        scores = questions[begin : begin + QUESTIONS_A_BATCH] @ vectors.T
        found += [best_first(row, TOP) for row in scores]
    return np.array(found)


def report(name: str, truth: Ids, ask: Callable[[Matrix], Any], questions: Matrix, note: str = "") -> float:
    """Asks one by one, prints recall and times, gives the mean seconds."""
    times, found = [], 0
    for question, wanted in zip(questions[:ONE_BY_ONE], truth, strict=False):
        begin = time.perf_counter()
        answer = ask(question)
        times.append(time.perf_counter() - begin)
        found += len(set(map(int, answer)) & set(map(int, wanted)))
    p50, p95 = (1000 * np.percentile(times, share) for share in (50, 95))
    recall = found / (TOP * len(times))
    print(f"{name:<34} recall@{TOP} {recall:.3f}  p50 {p50:7.2f} ms  p95 {p95:7.2f} ms  {note}", flush=True)
    return float(np.mean(times))


def lance(folder: str, vectors: Matrix, questions: Matrix, truth: Ids, batch: float) -> None:
    """LanceDB, flat, also beside the ``batch`` seconds of the exact product, and by its indexes."""
    column = pa.FixedSizeListArray.from_arrays(pa.array(vectors.ravel()), vectors.shape[1])
    made = pa.table({"id": np.arange(len(vectors)), "dense": column})
    table = lancedb.connect(folder).create_table("vectors", made)

    def ask(question: Matrix, probes: int = 0, ef: int = 0) -> Any:
        query = table.search(question).distance_type("dot").select(["id", "_distance"]).limit(TOP)
        query = query.nprobes(probes).refine_factor(Search().refine) if probes else query
        return (query.ef(ef) if ef else query).to_arrow()["id"].to_pylist()

    flat = report("LanceDB flat", truth, ask, questions[:FLAT], f"{_size(folder) / 1e6:.0f} MB of table")
    print(f"the exact batch is {flat * BATCH / batch:.0f}× as fast as this one by one", flush=True)

    def index(recipe: Recipe, grid: list[tuple[int, int]]) -> None:
        before, begin = _size(folder), time.perf_counter()
        table.create_index("dense", config=vector_index(recipe, *vectors.shape))
        note = f"{(_size(folder) - before) / 1e6:.0f} MB of index, built in {time.perf_counter() - begin:.0f} s"
        for probes, ef in grid:
            name = f"LanceDB {recipe.index} {probes} of {recipe.partitions_of(len(vectors))}{f', ef {ef}' * bool(ef)}"
            report(name, truth, partial(ask, probes=probes, ef=ef), questions, note)

    # What an index leaves out hangs on how its partitions happened to be drawn.
    for _ in range(BUILDS if len(vectors) <= SLOW_TO_BUILD else 1):
        index(Recipe(), [(20, 0), (40, 0), (64, 0), (Search().nprobes, 0), (128, 0)])
    if len(vectors) <= SLOW_TO_BUILD:
        index(Recipe(index="ivf_pq"), [(Search().nprobes, 0)])
        index(Recipe(index="ivf_hnsw_sq", partitions=1), [(1, 100), (1, 300), (1, Search().ef)])


def faiss(vectors: Matrix, questions: Matrix, truth: Ids) -> None:
    """faiss, flat and by IVF with 8 bits a dimension, where it is installed."""
    try:
        module = importlib.import_module("faiss")
    except ImportError:
        print("faiss is not installed")
        return
    width, parts = vectors.shape[1], round(np.sqrt(len(vectors)))
    flat = module.IndexFlatIP(width)
    flat.add(vectors)
    begin = time.perf_counter()
    flat.search(questions, TOP)
    print(f"faiss flat, batch of {BATCH}: {time.perf_counter() - begin:.2f} s")
    report("faiss flat", truth, lambda question: flat.search(question[None], TOP)[1][0], questions)
    flat.reset()
    begin = time.perf_counter()
    cells = module.IndexFlatIP(width)
    index = module.IndexIVFScalarQuantizer(
        cells, width, parts, module.ScalarQuantizer.QT_8bit, module.METRIC_INNER_PRODUCT
    )
    index.train(vectors[: SAMPLE * parts])
    index.add(vectors)
    index.nprobe = PROBES
    note = f"{len(vectors) * (width + 8) / 1e6:.0f} MB of index, built in {time.perf_counter() - begin:.0f} s"
    name = f"faiss IVF_SQ8 {PROBES} of {parts}"
    report(name, truth, lambda question: index.search(question[None], TOP)[1][0], questions, note)


def _vectors(path: Path) -> Matrix:
    raw = pq.read_table(path, columns=["dense"], partitioning=None)["dense"].to_pylist()
    return np.stack([np.frombuffer(vector, dtype="<f4") for vector in raw])


def _questions(home: str) -> Matrix:
    paths = Path(home).glob("lake/questions/**/*.parquet")
    texts = {text for path in paths for text in pq.read_table(path, partitioning=None)["question"].to_pylist()}
    return encode_questions(sorted(texts), Encoder(load_plan("bidfolio").embedding, 2, home))


def _size(folder: str) -> int:
    return sum(path.stat().st_size for path in Path(folder).rglob("*") if path.is_file())


if __name__ == "__main__":
    main(sys.argv[1], [int(count) for count in sys.argv[2:]] or [100_000])
