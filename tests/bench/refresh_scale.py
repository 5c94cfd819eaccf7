"""A first refresh of a corpus of some size and of one ten times as large, and a refresh after 1% of its files changed.

Run: .venv/bin/python -m tests.bench.refresh_scale FOLDER [--chunks 10000 100000] [--vectors {model,random}]
     [--words-a-file 10000]

FOLDER holds PDFs. The corpora are text and Markdown files of some hundred chunks each, or as many as their words make,
of their sentences in an order drawn by chance, with the plan bidfolio. With ``--vectors random`` the model is left out,
vectors are drawn by their text, and each line says so: two cores embed 100,000 chunks in half an hour or more. The
fixed start is the refresh of a corpus of one short file. Times are of the wall and of the processors, of the command
and all that it starts; peak memory is that of its own process, and of all of them at one moment.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple
from unittest.mock import patch

import numpy as np
import psutil
import pypdfium2

from tasks.embedding.models.shards import Encoder, TextVectors, text_id
from tasks.embedding.models.unit_vectors import unit
from tests.bench.commands import SAMPLE_INTERVAL_S, tree_bytes

WORDS_A_FILE = 10_000
CHUNKS_A_WORD = 1 / 88
"""What the plan makes of such text, measured: files are so many that the chunks are as many as asked for."""
CHANGED = 0.01
STARTS = 3
"""The fixed start is the median of so many: the first reads the program from the disk."""
DIMENSIONS = 384


class Cost(NamedTuple):
    """What a refresh took: of the wall and the processors, and at most of memory."""

    seconds: float
    processor_seconds: float
    driver_mb: float
    tree_mb: float
    summary: dict[str, object]


def main(folder: Path, sizes: Sequence[int], vectors: str, words: int) -> None:
    """Prints the figures."""
    said = "vectors drawn by chance, NOT embedded" if vectors == "random" else "embedded by the model"
    sentences = sentences_of(folder)
    print(f"{len(sentences)} sentences of {folder.name}; {said}")
    with tempfile.TemporaryDirectory() as scratch:
        models = Path(scratch, "models")
        tiny = made(Path(scratch, "tiny"), ["One short file."], 1, words=3)
        refresh(tiny, Path(scratch, "warm"), vectors, models)  # makes the model's graph, which is no one's
        starts = [refresh(tiny, Path(scratch, f"start {number}"), vectors, models) for number in range(STARTS)]
        start = sorted(starts)[STARTS // 2]
        print(f"the fixed start: {start.seconds:.1f} s of the wall, {start.processor_seconds:.1f} s of processors")
        rates = []
        for size in sizes:
            corpus, home = Path(scratch, f"corpus {size}"), Path(scratch, f"home {size}")
            count = max(1, round(size / (CHUNKS_A_WORD * words)))
            made(corpus, sentences, count, words=words)
            full = refresh(corpus, home, vectors, models)
            chunks = int(str(full.summary["chunks"]))
            tell(f"{count} files, {chunks} chunks, all new", full)
            own = [(took - fixed) / chunks * 1000 for took, fixed in zip(full[:2], start[:2], strict=True)]
            rates.append(own)
            print(f"    beyond the start: {own[0]:.2f} ms of the wall a chunk, {own[1]:.2f} ms of processors")
            changed = max(1, round(CHANGED * count))
            made(corpus, sentences, changed, seed=1, words=words)
            again = refresh(corpus, home, vectors, models)
            tell(f"    {changed} of {count} files changed", again)
            drift = f"lexical space {again.summary['lexical_space']}, drift {again.summary['lexical_drift']}"
            shares = [(a - s) / (f - s) for a, f, s in zip(again[:2], full[:2], start[:2], strict=True)]
            print(
                f"    beyond the start: {shares[0]:.1%} of the wall, {shares[1]:.1%} of processors (target 3%); {drift}"
            )
        for size, (wall, processor) in list(zip(sizes, rates, strict=True))[1:]:
            grown = wall / rates[0][0] - 1, processor / rates[0][1] - 1
            print(
                f"{size} chunks to {sizes[0]}, a chunk: wall {grown[0]:+.0%}, processors {grown[1]:+.0%} (target +15%)"
            )


def sentences_of(folder: Path) -> list[str]:
    """The sentences of 5 to 40 words of all PDFs."""
    text = " ".join(
        page.get_textpage().get_text_range()
        for path in sorted(folder.rglob("*.pdf"))
        for page in pypdfium2.PdfDocument(path)
    )
    found = re.split(r"(?<=[.!?])\s+(?=[A-Z])", " ".join(text.split()))
    return [one for one in found if 5 <= len(one.split()) <= 40]


def made(corpus: Path, sentences: Sequence[str], count: int, words: int, seed: int = 0) -> Path:
    """Writes so many files into ``corpus``; another seed gives files of the same names other sentences."""
    corpus.mkdir(exist_ok=True)
    lengths = np.array([len(one.split()) for one in sentences])
    for number in range(count):
        draw = np.random.default_rng([seed, number])
        order = draw.integers(0, len(sentences), words)
        last = int(np.searchsorted(lengths[order].cumsum(), words)) + 1
        drawn = [sentences[at] for at in order[:last]]
        paragraphs = [" ".join(drawn[at : at + 6]) for at in range(0, len(drawn), 6)]
        is_markdown = number % 2 == 1
        if is_markdown:
            paragraphs = [text if at % 10 else f"## Part {at}\n\n{text}" for at, text in enumerate(paragraphs)]
        name = f"policy {number:04}.{'md' if is_markdown else 'txt'}"
        (corpus / name).write_text("\n\n".join(paragraphs) + "\n", encoding="utf-8")
    return corpus


def refresh(corpus: Path, home: Path, vectors: str, models: Path, plan: str = "bidfolio") -> Cost:
    """What the command takes. Raises CalledProcessError where it does not return 0."""
    models.mkdir(exist_ok=True)
    if not home.exists():
        (home / "cache").mkdir(parents=True)
        os.symlink(models, home / "cache" / "models")
    command = [sys.executable, "-m", "tests.bench.refresh_scale", "--refresh", vectors]
    command += ["--home", str(home), "--json", "refresh", str(corpus), "--plan", plan]
    with tempfile.TemporaryFile() as out:
        before, begin = os.times(), time.perf_counter()
        process = subprocess.Popen(command, stdout=out, stderr=subprocess.DEVNULL)
        driver = tree = 0
        while process.poll() is None:
            try:
                driver = max(driver, psutil.Process(process.pid).memory_info().rss)
            except psutil.NoSuchProcess:
                break
            tree = max(tree, tree_bytes(process.pid))
            time.sleep(SAMPLE_INTERVAL_S)
        code = process.wait()
        seconds, after = time.perf_counter() - begin, os.times()
        out.seek(0)
        said = out.read()
    if code:
        raise subprocess.CalledProcessError(code, command, said)
    spent = after.children_user - before.children_user + after.children_system - before.children_system
    return Cost(seconds, spent, driver / 1e6, tree / 1e6, json.loads(said))


def tell(name: str, cost: Cost) -> None:
    """Prints what it took."""
    print(
        f"{name}: {cost.seconds:.1f} s of the wall, {cost.processor_seconds:.1f} s of processors, peak "
        f"{cost.driver_mb:.0f} MB, with its children {cost.tree_mb:.0f} MB",
        flush=True,
    )


def drawn_vectors(texts: Sequence[str], encoder: Encoder) -> TextVectors:
    """A vector for each text in the place of the model's, always the same, and one of bytes for each word."""
    draws = [np.random.default_rng(int(text_id(text), 16)) for text in texts]
    dense = unit(np.array([draw.standard_normal(DIMENSIONS) for draw in draws], dtype=np.float32))
    kept = encoder.plan.token_dimensions
    tokens = [draw.bytes(len(text.split()) * (kept or 0)) for draw, text in zip(draws, texts, strict=True)]
    return TextVectors(dense, None if kept is None else tokens)


def run(vectors: str, arguments: list[str]) -> int:
    """The command in this process."""
    from flows.cli.main import main as bidfolio

    if vectors == "model":
        return bidfolio(arguments)
    # Where it comes from, not where it is used: that module imports Prefect, for which the command has to be ready.
    with patch("tasks.embedding.models.dense.embed_texts", drawn_vectors):
        return bidfolio(arguments)


if __name__ == "__main__":
    if sys.argv[1] == "--refresh":
        raise SystemExit(run(sys.argv[2], sys.argv[3:]))
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--chunks", type=int, nargs="+", default=[10_000, 100_000])
    parser.add_argument("--vectors", choices=["model", "random"], default="model")
    parser.add_argument("--words-a-file", type=int, default=WORDS_A_FILE)
    given = parser.parse_args()
    main(given.folder, given.chunks, given.vectors, given.words_a_file)
