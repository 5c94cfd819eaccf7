"""What the checks of a run's answers cost: seconds of processor, of a run that is there and of 400 questions like it.

Run: .venv/bin/python -m tests.bench.answer_gate HOME
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice, product
from typing import Any

import numpy as np
import pandas as pd  # noqa: F401  # a run has it loaded by now: what Great Expectations adds is measured

from tasks.conversion.files.converted_cache import ConvertedCache
from tasks.quality.answer_frames import answer_frame, citation_frame
from tasks.quality.drift import topics
from tasks.records import Document
from tasks.storage.lake import Lake

QUESTIONS, EARLIER, DIMENSIONS = 400, 1000, 384


def main(home: str) -> None:
    """Prints the figures, of the last run that answered."""
    with timed("import of Great Expectations"):
        from tasks.quality.suites import answer_suite, citation_suite, validate
    lake = Lake(home)
    run_id = lake.names("lake", "answers", suffix="")[-1].removeprefix("run_id=")
    plan = lake.names("lake", "answers", f"run_id={run_id}", suffix="")[0].removeprefix("plan=")
    answers, citations = (repeated(lake, table, run_id, plan) for table in ("answers", "citations"))
    answers = answers[:QUESTIONS]
    ids = frozenset(row["answer_id"] for row in answers)
    citations = [row for row in citations if row["answer_id"] in ids]
    with timed(f"{len(answers)} answers with {len(citations)} citations"):
        cache = ConvertedCache(lake)
        found = {one: cache.document(one) for one in {row["document_id"] for row in citations}}
        documents = {one: kept if isinstance(kept, Document) else None for one, kept in found.items()}
        counts = Counter(row["answer_id"] for row in citations)
        frames = {
            "answers": (answer_frame(answers, counts), answer_suite(len(answers))),
            "citations": (citation_frame(citations, ids, documents), citation_suite()),
        }
        findings = validate(frames)
    print(f"{sum(one.failed for one in findings)} of {len(findings)} expectations do not hold")
    vectors = np.random.default_rng(0).normal(size=(QUESTIONS + EARLIER, DIMENSIONS)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    with timed(f"topics of {QUESTIONS} questions beside {EARLIER}"):
        topics(vectors[:QUESTIONS], vectors[QUESTIONS:])


def repeated(lake: Lake, table: str, run_id: str, plan: str) -> list[dict[str, Any]]:
    """The rows of the run, again and again under other ids, as of at least that many questions."""
    rows = lake.read(table, run_id=run_id, plan=plan).to_pylist()
    again = product(range(QUESTIONS), rows)
    most = len(rows) * (1 + QUESTIONS // max(1, lake.read("answers", run_id=run_id, plan=plan).num_rows))
    ids = ("question_id", "answer_id")
    return [row | {name: f"{row[name]}-{copy}" for name in ids} for copy, row in islice(again, most)]


@contextmanager
def timed(what: str) -> Iterator[None]:
    """Prints how much of the processor what is inside takes."""
    begin = time.process_time()
    yield
    print(f"{what}: {time.process_time() - begin:.2f} s")


if __name__ == "__main__":
    main(sys.argv[1])
