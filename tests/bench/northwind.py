"""The plans on Northwind: the table, the paired tests, and every quote on its page.

Run: .venv/bin/python -m tests.bench.northwind NORTHWIND_FOLDER
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import polars as pl

from configs.plans import plan_names
from flows.cli.output.tables import evaluation_lines
from tests.bench.gold_overlap import page_texts

PLANS = tuple(name for name in plan_names() if name != "bidfolio_multilingual")
"""The plans for English, which need no extra."""


def bidfolio(home: str, *arguments: str) -> dict[str, object]:
    """The JSON summary of a command. Raises CalledProcessError where it does not return 0."""
    command = [sys.executable, "-P", "-m", "flows.cli", "--home", home, "--json", *arguments]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, env=dict(os.environ))
    summary: dict[str, object] = json.loads(done.stdout)
    return summary


def quotes_on_their_page(home: str, folder: Path) -> tuple[int, int]:
    """How many quotes of PDFs stand on the page that they name, and how many there are.

    Compared are letters and digits: a quote has a word whole that its page parts by a hyphen at a line's end.
    """
    pages = {place: fold(text) for place, text in page_texts(folder).items()}
    rows = pl.read_parquet(f"{home}/lake/citations/**/*.parquet").filter(pl.col("file_name").str.ends_with(".pdf"))
    found = [fold(row["quote"]) in pages[row["file_name"], row["page_number"]] for row in rows.iter_rows(named=True)]
    return sum(found), len(found)


def fold(text: str) -> str:
    """Letters and digits alone, in lower case."""
    return re.sub(r"[\W_]+", "", text).lower()


def main(folder: str) -> None:
    """Prints the figures."""
    with tempfile.TemporaryDirectory() as home:
        refreshed = bidfolio(home, "refresh", folder)
        print(f"refresh: {refreshed['pages']} pages, {refreshed['chunks']} chunks in {refreshed['seconds']} s")
        gold = str(Path(folder) / "gold-dev.jsonl")
        evaluated = bidfolio(home, "evaluate", gold, *(part for plan in PLANS for part in ("--plan", plan)))
        print("\n".join(evaluation_lines(evaluated)))
        right, count = quotes_on_their_page(home, Path(folder))
        print(f"{right} of {count} quotes on their page")


if __name__ == "__main__":
    main(sys.argv[1])
