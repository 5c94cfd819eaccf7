"""How much of a question's wording stands in its evidence: the demo's gold sets beside Northwind's.

A gold set whose questions repeat the documents' words would flatter any retrieval. The figure is the mean share
of a question's content words on the pages that hold its evidence, over questions with evidence on PDF pages.

Run: .venv/bin/python -m tests.bench.gold_overlap [NORTHWIND_FOLDER]
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections import Counter
from pathlib import Path
from statistics import mean
from typing import Any

import pypdfium2 as pdfium

from configs.demo.build import build_demo
from tests.made.word_overlap import overlap


def page_texts(folder: Path) -> dict[tuple[str, int], str]:
    """The text of every page of every PDF below ``folder``, by file name and 1-based page."""
    texts: dict[tuple[str, int], str] = {}
    for path in sorted(folder.glob("*.pdf")):
        with pdfium.PdfDocument(path) as pdf:
            for number in range(1, len(pdf) + 1):
                texts[path.name, number] = pdf[number - 1].get_textpage().get_text_bounded()
    return texts


def overlaps(gold: Path, texts: dict[tuple[str, int], str]) -> list[float]:
    """The overlap of each answerable question that has evidence on a PDF page."""
    found = []
    for item in map(json.loads, gold.read_text(encoding="utf-8").splitlines()):
        pages = {(place["file"], place["page"]) for place in item["evidence"]} & texts.keys()
        share = overlap(item["question"], "\n".join(texts[page] for page in sorted(pages))) if pages else None
        if share is not None:
            found.append(share)
    return found


def describe(gold: Path) -> str:
    """How many questions of which kind a demo gold set has."""
    items: list[dict[str, Any]] = [json.loads(line) for line in gold.read_text(encoding="utf-8").splitlines()]
    kinds = Counter(item["kind"] for item in items)
    hard = sum(kinds[kind] for kind in ("two-passages", "table", "negation")) / len(items)
    verdicts = Counter(item["verdict"] for item in items if item.get("verdict"))
    return (
        f"{len(items)} questions, {dict(kinds)}, two passages, table or negation {hard:.0%}, verdicts {dict(verdicts)}"
    )


def main(northwind: str | None) -> None:
    """Prints the figures."""
    with tempfile.TemporaryDirectory() as target:
        paths = build_demo(Path(target))
        texts = page_texts(paths.corpus)
        print(f"demo: {len(list(paths.corpus.iterdir()))} documents, {len(texts)} PDF pages")
        for gold in sorted(paths.gold.glob("*.jsonl")):
            shares = overlaps(gold, texts)
            print(f"{gold.stem}: {describe(gold)}; mean overlap {mean(shares):.3f} (n = {len(shares)})")
    if northwind:
        folder = Path(northwind)
        shares = overlaps(folder / "gold-dev.jsonl", page_texts(folder))
        print(f"northwind dev: mean overlap {mean(shares):.3f} (n = {len(shares)})")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else None)
