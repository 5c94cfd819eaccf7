"""An index of up to a million chunks: build, publish, change 1%, ask 1,000 questions; recall, and others beside it.

Run: .venv/bin/python -m tests.bench.index_scale HOME [--chunks 10000 100000 1000000] [--only STEP …]

Real: the sentences of the demo's and the test companies' documents, their vectors and their tokens' vectors by the
plan's model; the 1,000 questions of the gold sets, embedded by it; and every stage from the chunks on. Made: a chunk is
one to five of those sentences in an order drawn by chance, each number drawn anew, below a name that is drawn so that
the vocabulary grows as that of a language does. Its vector is the mean of its sentences' by length with noise, and its
tokens' vectors are those of its sentences. So nothing is embedded chunk by chunk, nothing is converted, and no gate is
asked: `tests.bench.refresh_scale` times those. Each step is a process of its own; its memory is the peak of what is
resident, and of that the part that is not pages of files (anonymous). HOME is kept, and steps that are done are not
done again.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import yaml
from numpy.typing import NDArray

from configs.plans import load_plan
from configs.settings import Settings, load_settings
from tasks.embedding.corpus.corpus_cache import CorpusCache
from tasks.embedding.models.model_files import model_fingerprint
from tasks.embedding.models.shards import Encoder, text_id
from tasks.embedding.models.unit_vectors import unit
from tasks.records import Chunk, content_id
from tasks.references import Chunked, Converted, FileCounts
from tasks.storage.document_rows import DocumentRows, documents_key
from tasks.storage.lake import Lake
from tasks.text.sentences import sentence_spans

Matrix = NDArray[np.float32]
ROOT = Path(__file__).resolve().parents[2]
TEXTS = ("configs/demo/documents", "tests/data/companies/*/documents")
GOLDS = ("configs/demo/gold/*.yaml", "tests/data/companies/*/gold/*.yaml", "tests/data/demo/gold/*.yaml")
QUESTIONS, ASKED_SINGLY = 1000, 100
CHUNKS_A_FILE, FILES_A_SHARD, MOST_SENTENCES = 200, 20, 5
NOISE = 0.35
"""The length of the noise that is added to the unit vector of a chunk's sentences."""
NAMES = 1.2
"""The exponent of Zipf's law by which names are drawn."""
CHANGED = 0.01
STEPS = ("build", "change", "ask", "recall", "lancedb", "bm25s")
_SYLLABLES = [f"{a}{b}" for a in "bdfgklmnprstvz" for b in "aeiou"]


class Templates:
    """The sentences that chunks are made of, with their vectors (n, d) and their tokens' vectors as stored."""

    def __init__(self, folder: Path, settings: Settings) -> None:
        """Embed them, or read them where an earlier run has."""
        file = folder / "templates.npz"
        if not file.exists():
            from tasks.embedding.models.dense import embed_texts

            texts = sorted({one for pattern in TEXTS for path in ROOT.glob(pattern) for one in _sentences(path)})
            plan = load_plan("bidfolio").embedding
            found = embed_texts(texts, Encoder(plan, settings.threads, settings.home))
            raw = [np.frombuffer(each, np.int8) for each in found.tokens or []]
            np.savez(
                file,
                texts=np.array(texts),
                dense=found.dense,
                raw=np.concatenate(raw),
                ends=np.cumsum([0, *map(len, raw)]),
            )
        with np.load(file, allow_pickle=False) as arrays:
            self.texts, self.dense = arrays["texts"].tolist(), arrays["dense"]
            raw, ends = arrays["raw"].tobytes(), arrays["ends"]
        self.tokens = [raw[begin:end] for begin, end in pairwise(ends)]
        self.lengths = np.array([len(text) for text in self.texts])


def _sentences(folder: Path) -> Iterator[str]:
    for path in sorted(folder.glob("*.md")):
        for paragraph in path.read_text(encoding="utf-8").split("\n\n"):
            if paragraph[:1].isalpha():
                text = " ".join(paragraph.split())
                found = [text[begin:end] for begin, end in sentence_spans(text)]
                yield from (one for one in found if 5 <= len(one.split()) <= 40)


def questions() -> list[str]:
    """The first QUESTIONS of the gold sets, each once."""
    items = [one for pattern in GOLDS for path in sorted(ROOT.glob(pattern)) for one in _asked(path)]
    lines = [line for path in sorted(ROOT.glob("tests/bench/gold/*.jsonl")) for line in path.open(encoding="utf-8")]
    items += [json.loads(line).get("question") for line in lines]
    return list(dict.fromkeys(one for one in items if one))[:QUESTIONS]


def _asked(path: Path) -> Iterator[str]:
    told = yaml.safe_load(path.read_text(encoding="utf-8"))
    yield from (one["question"] for one in told["items"])


def named(number: int) -> str:
    """A made name."""
    parts = []
    number += len(_SYLLABLES)
    while number:
        number, at = divmod(number, len(_SYLLABLES))
        parts.append(_SYLLABLES[at])
    return "".join(parts).title()


def made_file(templates: Templates, number: int, seed: int, count: int) -> tuple[list[Chunk], Matrix, list[bytes]]:
    """The chunks of a file, their vectors and their tokens' vectors; another seed gives it other ones."""
    draw = np.random.default_rng([seed, number])
    document, file = content_id("made", str(seed), str(number)), f"policy {number:06}.md"
    names = np.minimum(draw.zipf(NAMES, (count, 2)), 10**9)
    sizes = draw.integers(1, MOST_SENTENCES + 1, count)
    noise = draw.standard_normal((count, templates.dense.shape[1]), dtype=np.float32)
    noise *= NOISE / np.sqrt(noise.shape[1])
    chunks, dense, tokens, start = [], np.empty_like(noise), [], 0
    for at, size in enumerate(sizes):
        rows = draw.integers(0, len(templates.texts), size)
        said = " ".join(templates.texts[row] for row in rows)
        text = re.sub(r"\d+", lambda found: str(draw.integers(0, 10 ** len(found[0]))), said)
        context = f"{named(int(names[at, 0]))} {named(int(names[at, 1]))} policy"
        mean = templates.lengths[rows] @ templates.dense[rows]
        dense[at] = mean / np.linalg.norm(mean)
        tokens.append(b"".join(templates.tokens[row] for row in rows))
        chunks.append(
            Chunk(
                chunk_id=content_id("made", document, str(at)),
                document_id=document,
                file_name=file,
                content_sha256=document,
                kind="md",
                ordinal=at,
                start=start,
                end=start + len(text),
                text=text,
                context=context,
                token_count=len(tokens[-1]) // 128,
                page_spans=(),
            )
        )
        start += len(text) + 1
    return chunks, unit(dense + noise), tokens


def write_chunks(
    templates: Templates, seeds: Sequence[int], count: int, settings: Settings
) -> tuple[Converted, Chunked]:
    """Put the files' chunks and vectors where conversion, chunking and embedding leave them, file by file."""
    lake, plan = Lake(settings.home), load_plan("bidfolio")
    cache, fingerprint = CorpusCache(lake), model_fingerprint(plan.embedding)
    counts: list[tuple[str, int]] = []
    rows: list[dict[str, Any]] = []
    held: list[tuple[list[Chunk], Matrix, list[bytes]]] = []

    def put_vectors() -> None:
        ids = [text_id(chunk.searched_text) for chunks, _, _ in held for chunk in chunks]
        dense = np.concatenate([each for _, each, _ in held])
        tokens = [one for _, _, each in held for one in each]
        first = sorted({one: at for at, one in reversed(list(enumerate(ids)))}.values())
        ids, tokens = [ids[at] for at in first], [tokens[at] for at in first]
        cache.put_dense(fingerprint, content_id("shard", *ids), ids, dense[first], tokens)
        held.clear()

    for number, seed in enumerate(seeds):
        size = min(CHUNKS_A_FILE, count - number * CHUNKS_A_FILE)
        key = content_id("made", str(seed), str(number))
        if cache.count_chunks(key) is None:
            held.append(made_file(templates, number, seed, size))
            cache.put_chunks(key, held[-1][0])
        counts.append((key, size))
        rows.append(
            {
                "corpus": "made",
                "document_id": key,
                "file_name": f"policy {number:06}.md",
                "content_sha256": key,
                "kind": "md",
                "title": f"Policy {number}",
                "status": "indexed",
            }
        )
        if len(held) == FILES_A_SHARD:
            put_vectors()
    if held:
        put_vectors()
    of_all, listed = (make(key for key, _ in counts) for make in (documents_key, chunk_list_of))
    DocumentRows(lake).put_document_rows("made", of_all, rows)
    cache.put_chunk_counts(listed, counts)
    files = FileCounts(len(rows), 0, 0, 0, 0)
    return Converted(of_all, "made", 0, files, ()), Chunked(listed, "made", count)


def chunk_list_of(documents: Iterable[str]) -> str:
    """The key of the list of all chunks, by the ids of its documents, which are the keys of their chunks, too."""
    return content_id("chunk_list", *documents)


def publish(seeds: Sequence[int], count: int, folder: Path, settings: Settings) -> None:
    """Embed, stage and publish by the stages of a refresh, and print what each takes."""
    from tasks.embedding.task import embed_chunks
    from tasks.publishing.task import publish_index, stage_index
    from tasks.runtime.runs import start_run

    plan = load_plan("bidfolio")
    converted, chunked = told(
        "chunks made, with their vectors", partial(write_chunks, Templates(folder, settings), seeds, count, settings)
    )
    embedded = told("words counted, space and BM25 fitted", lambda: embed_chunks.fn(chunked, plan, settings))
    print(f"    {embedded.embedded} embedded, lexical space {embedded.space}, drift {embedded.drift}")
    staged = told("staged", lambda: stage_index.fn(converted, embedded, plan, settings))
    run = start_run("refresh", "bidfolio", "made", "made")
    told("published", lambda: publish_index.fn(staged, run, settings))


def build(count: int, folder: Path, settings: Settings) -> None:
    """The first version."""
    publish([0] * -(-count // CHUNKS_A_FILE), count, folder, settings)


def change(count: int, folder: Path, settings: Settings) -> None:
    """A version of which CHANGED of the files have other chunks, spread over all."""
    files = -(-count // CHUNKS_A_FILE)
    changed = set(np.linspace(0, files - 1, max(1, round(CHANGED * files))).astype(int).tolist())
    publish([int(number in changed) for number in range(files)], count, folder, settings)


def told(name: str, run: Callable[[], Any]) -> Any:
    """The result of ``run``; prints its time and the memory at its peak."""
    peak, ended = [0, 0], threading.Event()

    def watch() -> None:
        while not ended.wait(0.05):
            peak[:] = [max(both) for both in zip(peak, memory_mb(), strict=True)]

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    begin, own = time.perf_counter(), time.process_time()
    try:
        return run()
    finally:
        seconds, spent = time.perf_counter() - begin, time.process_time() - own
        ended.set()
        watcher.join()
        print(
            f"    {name}: {seconds:.1f} s, {spent:.1f} s of processors; "
            f"peak {peak[0]} MB resident, {peak[1]} MB anonymous",
            flush=True,
        )


def memory_mb() -> tuple[int, int]:
    """This process' resident memory now, and the anonymous part of it, which is no page of a file."""
    lines = Path("/proc/self/status").read_text(encoding="utf-8").splitlines()
    kb = {name: value.split()[0] for name, _, value in (line.partition(":") for line in lines) if value.endswith("kB")}
    return int(kb["VmRSS"]) // 1000, int(kb["RssAnon"]) // 1000


def main(folder: Path, sizes: Sequence[int], only: Sequence[str]) -> None:
    """Runs each step in a process of its own."""
    for size in sizes:
        if {"lancedb", "bm25s"}.intersection(only) and "recall" not in only:
            exact = folder / str(size) / "exact.npz"
            if not exact.is_file():
                raise SystemExit(f"there is no {exact}, which lancedb and bm25s are held against: add recall to --only")
        for step in only:
            done = folder / str(size) / f"{step}.done"
            if done.exists():
                continue
            print(f"{size} chunks, {step}", flush=True)
            command = [sys.executable, "-P", "-m", "tests.bench.index_scale", str(folder), "--step", step, str(size)]
            subprocess.run(command, check=True, env={**os.environ, "LANCEDB_LOG": "error"})
            done.touch()


def one_step(folder: Path, step: str, size: int) -> None:
    """A step in this process."""
    from tests.bench import index_scale_others as others

    home = folder / str(size)
    models = folder / "models"
    models.mkdir(parents=True, exist_ok=True)
    if not home.exists():
        (home / "cache").mkdir(parents=True)
        (home / "cache" / "models").symlink_to(models.resolve())
    settings = load_settings(home=str(home))
    here = {"build": build, "change": change}
    (here[step] if step in here else getattr(others, step))(size, folder, settings)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--chunks", type=int, nargs="+", default=[10_000, 100_000, 1_000_000])
    parser.add_argument("--only", nargs="+", choices=STEPS, default=STEPS)
    parser.add_argument("--step", nargs=2)
    given = parser.parse_args()
    if given.step:
        one_step(given.folder, given.step[0], int(given.step[1]))
    else:
        main(given.folder, given.chunks, given.only)
