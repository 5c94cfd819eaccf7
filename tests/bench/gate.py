"""What the gate costs before a version is published: seconds and memory at 10,000 and at 100,000 chunks.

Run: .venv/bin/python -m tests.bench.gate

The documents are made of random words, 250 chunks each; vectors are random and have 384 numbers in both spaces.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import time

import numpy as np
import pyarrow as pa

from configs.plans import load_plan
from configs.settings import Settings
from tasks.conversion.files.converted_cache import ConvertedCache
from tasks.index.rows import CHUNK_SCHEMA, to_table, with_vectors
from tasks.index.store import IndexStore
from tasks.index.versions import Manifest
from tasks.quality.task import check_version, require_passed
from tasks.records import Chunk, Document, Page, PageSpan, content_id
from tasks.references import Staged
from tasks.storage.document_rows import DocumentRows
from tasks.storage.lake import Lake

SIZES = (10_000, 100_000)
CHUNKS_A_DOCUMENT = 250
CHUNKS_A_PAGE = 2
WORDS_A_CHUNK = 60
DIMENSIONS = 384


def main() -> None:
    """Prints the figures; each size has a process of its own, so that its peak is its own."""
    for size in SIZES:
        command = [sys.executable, "-m", "tests.bench.gate", str(size)]
        at = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout.splitlines()[-1])
        print(
            f"{size:7} chunks: {at['seconds']:6.1f} s; peak {at['peak_mb']:5.0f} MB, {at['start_mb']:5.0f} MB of it "
            f"by reading the version's rows ({at['rows_mb']:4.0f} MB) alone"
        )


def measure(size: int) -> None:
    """Prints what the gate costs at that size, as JSON."""
    with tempfile.TemporaryDirectory() as home:
        settings = Settings(home=home)
        # Made by a child, so that what making costs is not counted.
        subprocess.run([sys.executable, "-m", "tests.bench.gate", str(size), home], check=True)
        (version,) = IndexStore(home).versions()
        made = version.manifest
        staged = Staged(made.corpus, made.index_key, made.index_version, made.documents, made.chunks)
        rows = IndexStore(home).rows(made.corpus, made.index_key, made.index_version).nbytes / 1e6
        start_mb = peak_mb()
        begin = time.perf_counter()
        findings = check_version(staged, load_plan("bidfolio"), settings, before=None)
        seconds = time.perf_counter() - begin
        require_passed(findings, staged, settings, "bidfolio")
        print(json.dumps({"seconds": seconds, "peak_mb": peak_mb(), "rows_mb": rows, "start_mb": start_mb}))


def make(size: int, home: str) -> None:
    """A staged version of that many chunks."""
    rng = np.random.default_rng(0)
    words = np.array([f"w{number:x}" for number in range(20_000)])
    cache, plan = ConvertedCache(Lake(home)), load_plan("bidfolio")
    rows, tables = [], [CHUNK_SCHEMA.empty_table()]
    for number in range(size // CHUNKS_A_DOCUMENT):
        document, chunks = one_document(f"made {number}.pdf", words, rng)
        cache.put_document(document)
        row = {"document_id": document.document_id, "file_name": document.file_name, "status": "indexed"}
        rows.append(row | {"page_count": len(document.pages)})
        tables.append(to_table(chunks))
    DocumentRows(Lake(home)).put_document_rows("default", "documents", rows)
    manifest = Manifest(
        "default", plan.index_key, plan.name, "", 512, "", "", "", "documents", documents=len(rows), chunks=size
    )
    dense, lexical = unit(rng, size), unit(rng, size)
    IndexStore(home).stage(manifest, with_vectors(pa.concat_tables(tables), dense, lexical))


def one_document(name: str, words: np.ndarray, rng: np.random.Generator) -> tuple[Document, list[Chunk]]:
    """A document of random words, with its chunks."""
    texts = [" ".join(rng.choice(words, WORDS_A_CHUNK)) for _ in range(CHUNKS_A_DOCUMENT)]
    starts = np.cumsum([0, *(len(text) + 1 for text in texts)]).tolist()
    text = " ".join(texts)
    firsts = range(0, CHUNKS_A_DOCUMENT, CHUNKS_A_PAGE)
    pages = tuple(
        Page(number, starts[first], min(starts[first + CHUNKS_A_PAGE], len(text)), "native")
        for number, first in enumerate(firsts, start=1)
    )
    document_id = content_id("document", name)
    chunks = [
        Chunk(
            chunk_id=content_id(name, at),
            document_id=document_id,
            file_name=name,
            content_sha256="",
            kind="pdf",
            ordinal=at,
            start=starts[at],
            end=starts[at] + len(one),
            text=one,
            context="",
            token_count=WORDS_A_CHUNK,
            page_spans=(PageSpan(at // CHUNKS_A_PAGE + 1, starts[at], starts[at] + len(one)),),
        )
        for at, one in enumerate(texts)
    ]
    return Document(document_id, name, "", "pdf", name, text, pages, ()), chunks


def unit(rng: np.random.Generator, size: int) -> np.ndarray:
    """Random vectors of length 1."""
    vectors = rng.standard_normal((size, DIMENSIONS), dtype=np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors


def peak_mb() -> float:
    """The largest resident memory of this process so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3


if __name__ == "__main__":
    if len(sys.argv) == 1:
        main()
    elif len(sys.argv) == 2:
        measure(int(sys.argv[1]))
    else:
        make(int(sys.argv[1]), sys.argv[2])
