"""The back ends of the embedding model beside ``SentenceTransformer.encode``, and those of the cross-encoder: speed,
and how like single precision they are.

Run: .venv/bin/python -m tests.bench.embedding NORTHWIND_FOLDER [--every N] [--recall]

The tools take turns, so that whatever else the machine does hits all of them; each figure is the median of three
rounds, and the processor is named. Processor time is that of all threads, and tells more than the wall's where others
use the machine.
``--every 4`` takes each fourth chunk, for a short run. ``--recall`` evaluates the plan bidfolio with each back end.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from importlib.util import find_spec
from itertools import cycle
from pathlib import Path
from statistics import median
from typing import get_args

import numpy as np

from configs.machine import Backend, Machine
from configs.plans import load_plan
from flows.cli.output.tables import evaluation_lines, table_lines
from tasks.chunking.chunker import chunk_document
from tasks.conversion.files.convert import convert
from tasks.conversion.office import unstructured_reader
from tasks.embedding.models.batches import Vectors
from tasks.embedding.models.dense import embed_texts, encode_questions
from tasks.embedding.models.model_files import ModelTokenizer, longest_passage_tokens, model_folder, window_tokens
from tasks.embedding.models.shards import Encoder, cut_shards, text_id
from tasks.retrieval.ranking.cross_encoder import backend_of, read_pairs
from tests.bench.conversion import source_of
from tests.bench.northwind import bidfolio

BACKENDS = [name for name in get_args(Backend) if name != "onnx" or find_spec("onnx")]
READING: Sequence[Backend] = ("onnx", "openvino", "openvino_bf16", "openvino_int8", "fastest")
"""The back ends of the cross-encoder."""
ROUNDS = 3
THREADS = 2
NEIGHBOURS = 10


def chunks_of(folder: Path) -> list[str]:
    """The texts that the plan bidfolio embeds of the folder's PDFs, in the order of the documents."""
    plan = load_plan("bidfolio")
    tokenizer, longest = ModelTokenizer(plan.embedding.model), longest_passage_tokens(plan.embedding)
    documents = [
        convert(source_of(path), path.read_bytes(), unstructured_reader) for path in sorted(folder.glob("*.pdf"))
    ]
    chunks = (chunk for one in documents for chunk in chunk_document(one, plan.chunking[""], tokenizer, longest))
    return list(dict.fromkeys(chunk.searched_text for chunk in chunks))


def embed_all(encoder: Encoder, texts: Sequence[str]) -> Vectors:
    """What a refresh does: shards, one after another."""
    vectors: dict[int, Vectors] = {}
    for shard in cut_shards((), [text_id(text) for text in texts], [len(text) for text in texts], ()):
        vectors |= zip(shard.rows, embed_texts([texts[row] for row in shard.rows], encoder).dense, strict=True)
    return np.stack([vectors[row] for row in range(len(texts))])


def agreement(scores: Vectors, expected: Vectors) -> float:
    """The share of each row's ten best that are among the ten best of ``expected``, on average."""
    best, right = (np.argsort(-of, axis=1)[:, :NEIGHBOURS] for of in (scores, expected))
    return float(np.mean([len(set(a) & set(b)) / NEIGHBOURS for a, b in zip(best, right, strict=True)]))


def among_themselves(vectors: Vectors) -> Vectors:
    """The cosine of each with each other, and none with itself."""
    scores: Vectors = vectors @ vectors.T
    np.fill_diagonal(scores, -2)
    return scores


def main(folder: Path, every: int, with_recall: bool) -> None:
    """Prints the figures."""
    print(processor())
    with tempfile.TemporaryDirectory() as home:
        speed(folder, every, home)
        pairs_read(folder, every, home)
    if with_recall:
        recall(folder)


def speed(folder: Path, every: int, home: str) -> None:
    """Prints speed and agreement."""
    import torch
    from sentence_transformers import SentenceTransformer

    plan = load_plan("bidfolio").embedding
    texts = chunks_of(folder)[::every]
    questions = [json.loads(line)["question"] for line in (folder / "gold-dev.jsonl").read_text("utf-8").splitlines()]
    tokens = sum(map(len, ModelTokenizer(plan.model).ids(texts)))
    print(f"{len(texts)} chunks of {tokens / len(texts):.0f} tokens, {len(questions)} questions, {THREADS} threads")
    model = SentenceTransformer(str(model_folder(plan.model)), local_files_only=True)
    model.max_seq_length = window_tokens(plan)
    encode = partial(model.encode, batch_size=32, normalize_embeddings=True, show_progress_bar=False)
    encoders = {name: Encoder(plan.model_copy(update={"backend": name}), THREADS, home) for name in BACKENDS}
    # What the peer gives, too: vectors of texts, and none of their tokens.
    texts_alone = plan.model_copy(update={"token_dimensions": None})
    encoders[f"{plan.backend}, texts alone"] = Encoder(texts_alone, THREADS, home)
    tools: dict[str, Callable[[list[str]], Vectors]] = {"SentenceTransformer.encode": encode}
    tools |= {name: partial(embed_all, encoder) for name, encoder in encoders.items()}
    expected = encode(texts)
    expected_hits = encode(questions) @ expected.T
    found = {name: tool(texts) for name, tool in tools.items()}  # the first time is no one's
    seconds: dict[str, list[float]] = {name: [] for name in tools}
    processor_seconds: dict[str, list[float]] = {name: [] for name in tools}
    for _ in range(ROUNDS):
        for name, tool in tools.items():
            torch.set_num_threads(THREADS)
            begin, processor_begin = time.perf_counter(), time.process_time()
            tool(texts)
            seconds[name].append(time.perf_counter() - begin)
            processor_seconds[name].append(time.process_time() - processor_begin)
    rows = []
    for name, vectors in found.items():
        asked = encode_questions(questions, encoders[name]) if name in encoders else encode(questions)
        cosines = (vectors * expected).sum(axis=1)
        rate = tokens / median(seconds[name])
        ratio, processor_ratio = (
            median(taken["SentenceTransformer.encode"]) / median(taken[name]) for taken in (seconds, processor_seconds)
        )
        of_questions = agreement(asked @ vectors.T, expected_hits)
        of_chunks = agreement(among_themselves(vectors), among_themselves(expected))
        likeness = [of_questions, of_chunks, float(cosines.mean()), float(cosines.min())]
        rows.append([name, f"{rate:.0f}", ratio, processor_ratio, *likeness])
    heads = ["tool", "tokens a second", "times", "by processor", "top 10, questions", "chunks", "cosine", "least"]
    print("\n".join(table_lines(heads, rows)))


def pairs_read(folder: Path, every: int, home: str) -> None:
    """Prints the speed of each back end of the cross-encoder, and how far its logits are from single precision."""
    reread = load_plan("bidfolio").retrieval.reread
    assert reread is not None
    texts = chunks_of(folder)[:: 3 * every]
    questions = [json.loads(line)["question"] for line in (folder / "gold-dev.jsonl").read_text("utf-8").splitlines()]
    pairs = list(zip(cycle(questions), texts, strict=False))
    machines = {name: Machine(THREADS, home, name) for name in READING}
    found = {name: read_pairs(pairs, reread.model, machine) for name, machine in machines.items()}
    seconds: dict[str, list[float]] = {name: [] for name in machines}
    for _ in range(ROUNDS):
        for name, machine in machines.items():
            begin = time.process_time()
            read_pairs(pairs, reread.model, machine)
            seconds[name].append(time.process_time() - begin)
    rows = []
    for name, logits in found.items():
        apart = np.abs(logits - found["openvino"])
        taken = 1000 * median(seconds[name]) / len(pairs)
        rows.append([f"{name} ({backend_of(reread.model, machines[name])})", f"{taken:.1f}", apart.mean(), apart.max()])
    print(f"\n{len(pairs)} pairs, {THREADS} threads")
    print("\n".join(table_lines(["cross-encoder", "processor ms a pair", "logits apart, mean", "most"], rows)))


def processor() -> str:
    """The processor's name, and the instructions that matter here."""
    told = dict(line.split(":", 1) for line in Path("/proc/cpuinfo").read_text("utf-8").splitlines() if ":" in line)
    known = {name.strip(): value.strip() for name, value in told.items()}
    has = [flag for flag in known.get("flags", "").split() if flag.startswith(("avx", "amx"))]
    return f"{known.get('model name', 'a processor')}: {' '.join(has)}"


def recall(folder: Path) -> None:
    """Prints what the plan bidfolio finds with each back end."""
    with tempfile.TemporaryDirectory() as place:
        home, plans = f"{place}/home", []
        for backend in BACKENDS:
            plan = load_plan("bidfolio").model_dump(mode="json", exclude={"name", "path"})
            plan["embedding"]["backend"] = backend
            plans.append(Path(place, f"{backend}.yaml"))
            plans[-1].write_text(json.dumps(plan), encoding="utf-8")  # JSON is YAML
        bidfolio(home, "refresh", str(folder))
        named = [part for plan in plans for part in ("--plan", str(plan))]
        print("\n".join(evaluation_lines(bidfolio(home, "evaluate", str(folder / "gold-dev.jsonl"), *named))))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--recall", action="store_true")
    given = parser.parse_args()
    main(given.folder, given.every, given.recall)
