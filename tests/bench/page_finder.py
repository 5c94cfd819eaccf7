"""The page finders on real PDFs: how often each is right, and the time of one text in batch beside fitting each time.

Run: .venv/bin/python -m tests.bench.page_finder FOLDER [--dense]

With ``--dense`` the paper's baseline takes part, too; its vectors take many minutes, and it is not given the worn
texts.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from statistics import median

from configs.plans import Chunking, load_plan
from flows.cli.output.tables import table_lines
from tasks.chunking.chunker import chunk_document
from tasks.conversion.files.convert import convert
from tasks.conversion.office import unstructured_reader
from tasks.embedding.models.dense import encode_passages
from tasks.embedding.models.model_files import ModelTokenizer, longest_passage_tokens, passage_window_tokens
from tasks.embedding.models.shards import Encoder
from tasks.pages.accuracy_task import CHUNK_TOKENS, OVERLAP_TOKENS, cut_windows
from tasks.pages.finders.accuracy import Case, accuracy, cases_of
from tasks.pages.finders.dense import embed_pages
from tasks.pages.finders.finder import BestPage, FilePages, PageFinder
from tasks.pages.finders.storage import fit_file, pages_of
from tasks.pages.finders.text_degradation import reflowed
from tasks.pages.finders.tfidf import fit_tfidf_pages
from tests.bench.conversion import source_of

FITTED_EACH_TIME = 9
"""How many texts the paper's way is timed on: it fits the pages anew for each."""
BATCHES = 5
"""How often a batch is timed: the median is told."""


def main(folder: Path, with_dense: bool) -> None:
    """Prints the figures."""
    plan = load_plan("bidfolio")
    tokenizer = ModelTokenizer(plan.embedding.model)
    paths = sorted(folder.glob("*.pdf"))
    documents = [convert(source_of(path), path.read_bytes(), unstructured_reader) for path in paths]
    files = {document.file_name: pages_of(document) for document in documents}
    finders: dict[str, PageFinder] = {
        "tfidf": BestPage({name: (file.numbers, fit_tfidf_pages(file.texts)) for name, file in files.items()}),
        "bidfolio": BestPage({document.file_name: fit_file(document) for document in documents}),
    }
    if with_dense:
        encode = partial(encode_passages, encoder=Encoder(plan.embedding, threads=2, home=".bidfolio"))
        windows = partial(cut_windows, tokenizer, passage_window_tokens(plan.embedding) - tokenizer.special_tokens)
        finders["dense"] = BestPage({n: (f.numbers, embed_pages(f.texts, encode, windows)) for n, f in files.items()})
    print(f"{sum(len(file.numbers) for file in files.values())} pages of {len(files)} files")
    longest = longest_passage_tokens(plan.embedding)
    for tokens in CHUNK_TOKENS:
        sized = Chunking(max_tokens=tokens, overlap_tokens=OVERLAP_TOKENS)
        chunks = [c for d in documents for c in chunk_document(d, sized, tokenizer, longest)]
        cases = cases_of(chunks, files)
        worn = [case._replace(text=reflowed(case.text)) for case in cases]
        rows = []
        for name, finder in finders.items():
            begin = time.perf_counter()
            right = accuracy(finder, cases).value
            each_ms = (time.perf_counter() - begin) * 1000 / len(cases)
            again = None if name == "dense" else accuracy(finder, worn).value
            rows.append([tokens, name, len(cases), right, again, each_ms])
        print("\n".join(table_lines(["chunk tokens", "finder", "n", "accuracy", "worn", "ms a text"], rows)))
        tell_times(files, cases, finders)


def tell_times(files: dict[str, FilePages], cases: Sequence[Case], finders: dict[str, PageFinder]) -> None:
    """Prints what a text takes in the largest file, in batch with what was built before, beside the paper's way."""
    largest = max(files, key=lambda name: len(files[name].numbers))
    own = [case for case in cases if case.file_name == largest]
    alone_ms = median(fit_and_find(files[largest], case) for case in own[:FITTED_EACH_TIME])
    print(
        f"the paper's way on {largest} ({len(files[largest].numbers)} pages), fitted for each text: {alone_ms:.1f} ms"
    )
    texts = [case.text for case in own]
    for name in ("tfidf", "bidfolio"):
        times = []
        for _ in range(BATCHES):
            begin = time.perf_counter()
            finders[name].find(largest, texts)
            times.append((time.perf_counter() - begin) * 1000 / len(texts))
        print(f"{name}, built before, in batch: {median(times):.3f} ms a text, {alone_ms / median(times):.0f}× faster")


def fit_and_find(file: FilePages, case: Case) -> float:
    """The milliseconds of Algorithm 1 for one text."""
    begin = time.perf_counter()
    BestPage({"file": (file.numbers, fit_tfidf_pages(file.texts))}).find("file", [case.text])
    return (time.perf_counter() - begin) * 1000


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--dense", action="store_true")
    given = parser.parse_args()
    main(given.folder, given.dense)
