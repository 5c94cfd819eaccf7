"""How often the gate's gold set refuses a good version, and lets a broken one through, on Northwind.

Run: .venv/bin/python -m tests.bench.gold_gate NORTHWIND_FOLDER

1. By simulation: gold sets of several sizes are drawn from Northwind's own outcomes. Under churn alone, as many
   questions are lost as found in the long run; under a loss, a share of those found is lost besides.
2. The version broken in memory in known ways, beside itself as it was.
3. Documents changed, and refreshed: what is meant and harmless, and what is not.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

import numpy as np
import pypdfium2
from reportlab.pdfgen import canvas

from configs.plans import load_plan
from configs.settings import GateSettings, Settings
from tasks.evaluation.gold.gold_set import read_gold
from tasks.index.store import IndexStore
from tasks.quality import gold_task
from tasks.quality.gold_comparison import Asked, Compared, Verdict, judge
from tasks.quality.gold_places import Placed
from tasks.records import GoldQuestion
from tasks.references import Staged
from tasks.retrieval.first_stage.exact_search import Index, SearchableIndex
from tasks.retrieval.version_loading import load_index
from tasks.statistics.significance import PairedDifference
from tasks.storage.document_rows import DocumentRows
from tasks.storage.lake import Lake

SIZES = (5, 10, 20, 50, 94, 200)
CHURNS = (0.02, 0.05, 0.1, 0.2)
LOSSES = (0.05, 0.1, 0.2, 0.4, 1.0)
DRAWS = 2000
RESAMPLES = 1000
GATE = GateSettings()
LIMITS = GATE.model_copy(update={"floor": None})
LOST = 11
"""A rank behind the first ten."""

Change = Callable[[SearchableIndex], Index]


class Case(NamedTuple):
    """A change of the version, and whether it ought to be refused."""

    name: str
    change: Change
    is_broken: bool


def main(folder: str) -> None:
    """Prints the figures."""
    gold = read_gold(str(Path(folder) / "gold-dev.jsonl"))
    with tempfile.TemporaryDirectory() as place:
        home, documents = Path(place, "home"), Path(place, "documents")
        documents.mkdir()
        for file in Path(folder).glob("*.pdf"):
            shutil.copyfile(file, documents / file.name)
        run_refresh(home, documents, None)
        ranks = break_in_memory(str(home), gold)
        simulate(ranks)
        change_documents(Path(place), home, documents, str(Path(folder) / "gold-dev.jsonl"))


def simulate(ranks: Sequence[int]) -> None:
    """The share of draws that are refused, by the size of the gold set: under churn alone, and under a loss."""
    print(f"\n{DRAWS} draws of each; refused by churn alone (half of it lost, half found)")
    header = "".join(f"{f'n {size}':>9}" for size in SIZES)
    print(f"{'':12}{header}")
    for churn in CHURNS:
        shares = [refused_share(ranks, size, churn, 0.0) for size in SIZES]
        print(f"churn {churn:4.0%}  " + "".join(f"{share:9.1%}" for share in shares))
    print("refused where of the questions found so many are lost, beside a churn of 5%")
    for loss in LOSSES:
        shares = [refused_share(ranks, size, 0.05, loss) for size in SIZES]
        print(f"loss {loss:5.0%}  " + "".join(f"{share:9.1%}" for share in shares))


def refused_share(ranks: Sequence[int], size: int, churn: float, loss: float) -> float:
    """How many of the draws are refused."""
    rng = np.random.default_rng([size, int(churn * 1000), int(loss * 1000)])
    return float(np.mean([is_refused(rng, ranks, size, churn, loss) for _ in range(DRAWS)]))


def is_refused(rng: np.random.Generator, ranks: Sequence[int], size: int, churn: float, loss: float) -> bool:
    """One draw: a gold set, what the version before said, and what this one says."""
    before = rng.choice(ranks, size)
    now = before.copy()
    # Each side of the churn draws from the other's ranks, so that what is found and lost evens out.
    moved = rng.random(size) < churn / 2
    now[moved] = LOST
    found = rng.random(size) < churn / 2
    now[found], before[found] = before[found], LOST
    now[(now < LOST) & (rng.random(size) < loss)] = LOST
    figures = [(before <= 5, now <= 5), (inverse(before), inverse(now))]
    return any(compared(rng, old.astype(float), new.astype(float)).refuses(LIMITS) for old, new in figures)


def inverse(ranks: np.ndarray) -> np.ndarray:
    """The reciprocal ranks, 0 behind the first ten."""
    return np.where(ranks < LOST, 1 / ranks, 0.0)


def compared(rng: np.random.Generator, before: np.ndarray, now: np.ndarray) -> Compared:
    """A figure of both as the gate compares it, with fewer resamples and no test, which it does not look at."""
    differences = now - before
    means = differences[rng.integers(len(now), size=(RESAMPLES, len(now)))].mean(axis=1)
    low, high = np.quantile(means, (0.025, 0.975))
    paired = PairedDifference(float(differences.mean()), float(low), float(high), None, len(now))
    return Compared("", float(before.mean()), float(now.mean()), paired, int((differences < 0).sum()))


def break_in_memory(home: str, gold: Sequence[GoldQuestion]) -> list[int]:
    """Prints what is said of each case; gives the ranks of the gold pages in the version as it is."""
    plan, settings = load_plan("bidfolio"), Settings(home=home)
    live = IndexStore(home).live("default", plan.index_key)
    assert live is not None
    staged = Staged(live.corpus, live.index_key, live.index_version, live.documents, live.chunks)
    documents = DocumentRows(Lake(home)).document_rows("default", live.documents_key) or []
    bench = gold_task._Bench(plan, settings)
    then = bench.ask(gold, staged, documents)
    print(f"{'the version, broken in memory':44}{'R@5':>7}{'now':>7}{'MRR':>7}{'now':>7}  worse")
    for case in CASES:
        with patch.object(gold_task, "load_index", partial(changed, case.change)):
            now = bench.ask(gold, staged, documents)
        asked = [Asked(Placed("asked", one, one), then[one.question_id], now[one.question_id]) for one in gold]
        tell(case.name, judge(asked, LIMITS, is_drafted=True), is_broken=case.is_broken)
    return [one.first_rank or LOST for one in then.values() if one.gold.answerable]


def changed(change: Change, *given: Any) -> Index:
    """The version, as the gate loads it, changed."""
    index = load_index(*given)
    assert isinstance(index, SearchableIndex)
    return change(index)


def tell(name: str, verdict: Verdict, *, is_broken: bool) -> None:
    """Prints a case's figures and whether it is refused, and whether that is right."""
    figures = "".join(f"{one.before:7.3f}{one.now:7.3f}" for one in verdict.compared[:2])
    refused = bool(verdict.refusals)
    right = "" if refused == is_broken else f"  <- {'missed' if is_broken else 'wrongly'}"
    print(f"{name:44}{figures}{len(verdict.worse):7}  {'refused' if refused else 'passes'}{right}")


def shuffled(share: float) -> Change:
    """So many of the rows with each other's vectors, dense ones and those of tokens."""

    def change(index: SearchableIndex) -> Index:
        rng = np.random.default_rng(0)
        order = np.arange(len(index))
        rows = rng.choice(len(index), int(share * len(index)), replace=False)
        order[rows] = rng.permutation(rows)
        tokens = index.tokens
        return replace(index, dense=index.dense[order], tokens=lambda at: tokens(order[at]))

    return change


def with_pages(share: float) -> Change:
    """So many of the chunks a page further on than they are."""

    def change(index: SearchableIndex) -> Index:
        rows = set(np.random.default_rng(0).choice(len(index), int(share * len(index)), replace=False).tolist())
        chunks = [
            replace(
                chunk,
                page_spans=tuple(span._replace(page_number=(span.page_number or 0) + 1) for span in chunk.page_spans),
            )
            if at in rows
            else chunk
            for at, chunk in enumerate(index.chunks)
        ]
        return replace(index, chunks=chunks)

    return change


def without_file(name: str) -> Change:
    """Without the chunks of a file that the corpus still has."""

    def change(index: SearchableIndex) -> Index:
        names = {chunk.file_name for chunk in index.chunks}
        return index.within(names - {name}, {name})

    return change


CASES = (
    Case("as it was", lambda index: index, False),
    Case("1% of the vectors exchanged", shuffled(0.01), False),
    Case("10% of the vectors exchanged", shuffled(0.1), True),
    Case("half of the vectors exchanged", shuffled(0.5), True),
    Case("all vectors exchanged", shuffled(1.0), True),
    Case("1% of the chunks a page further on", with_pages(0.01), False),
    Case("10% of the chunks a page further on", with_pages(0.1), True),
    Case("all chunks a page further on", with_pages(1.0), True),
    Case("no chunk of the Standard plan's PDF", without_file("Northwind_Standard_Benefits_Details.pdf"), True),
    Case("no chunk of the handbook", without_file("employee_handbook.pdf"), True),
    Case("no chunk of the smallest PDF, Perks", without_file("PerksPlus.pdf"), True),
)


def change_documents(place: Path, home: Path, documents: Path, gold: str) -> None:
    """Prints what a refresh says of each change of the documents."""
    print("\nthe documents changed, and refreshed")
    for name, change, is_broken in DOCUMENT_CASES:
        own, changed = place / "own", place / "changed"
        for folder, of in ((own, home), (changed, documents)):
            shutil.rmtree(folder, ignore_errors=True)
            shutil.copytree(of, folder, symlinks=True)
        change(changed)
        done = run_refresh(own, changed, gold)
        refused = done.returncode == 3
        right = "" if refused == is_broken else f"  <- {'missed' if is_broken else 'wrongly'}"
        print(f"{name:52}{'refused' if refused else 'passes' if not done.returncode else done.returncode}{right}")
        for line in said_of(own):
            print(f"    {line}")


def run_refresh(home: Path, documents: Path, gold: str | None) -> subprocess.CompletedProcess[str]:
    """A refresh with that gold set as the gate."""
    environment = dict(os.environ) | ({"BIDFOLIO_GATE_GOLD": gold} if gold else {})
    command = [sys.executable, "-P", "-m", "flows.cli", "--home", str(home), "--json", "refresh", str(documents)]
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    if done.returncode not in (0, 3):
        print(done.stderr)
    return done


def said_of(home: Path) -> Iterator[str]:
    """The rows of the last check by the gold set that are about its figures and files."""
    query = (
        "SELECT column_name, observed FROM quality WHERE suite = 'gold' AND expectation <> 'expect_question' "
        "AND run_id = (SELECT max(run_id) FROM quality) AND observed <> '' ORDER BY column_name DESC"
    )
    command = [sys.executable, "-P", "-m", "flows.cli", "--home", str(home), "--json", "sql", query]
    for row in json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)["rows"]:
        yield f"{row[0]}: {row[1]}"


def add_text(documents: Path) -> None:
    """A file about something else."""
    (documents / "picnic.txt").write_text(
        "The picnic is on the first Saturday of June, by the lake.\n", encoding="utf-8"
    )


def rename(documents: Path) -> None:
    """The same bytes under another name."""
    (documents / "employee_handbook.pdf").rename(documents / "employee handbook 2026.pdf")


def insert_page(documents: Path) -> None:
    """A new first page, so that every page of the file is another number."""
    path = documents / "Northwind_Standard_Benefits_Details.pdf"
    cover = documents / "cover.pdf"
    write_pdf(cover, 1)
    whole = pypdfium2.PdfDocument.new()
    for part in (cover, path):
        with pypdfium2.PdfDocument(part) as read:
            whole.import_pages(read)
    whole.save(documents / "new.pdf")
    whole.close()
    cover.unlink()
    (documents / "new.pdf").replace(path)


def delete(documents: Path) -> None:
    """A file that some of the gold set asks about goes."""
    (documents / "PerksPlus.pdf").unlink()


def replace_pdf(documents: Path) -> None:
    """Another PDF under the name of one that much of the gold set asks about."""
    write_pdf(documents / "Northwind_Standard_Benefits_Details.pdf", 110)


def copy_draft(documents: Path) -> None:
    """The same document once more under another name, as a draft that was left lying about."""
    draft = documents / "draft of the Standard plan.pdf"
    shutil.copyfile(documents / "Northwind_Standard_Benefits_Details.pdf", draft)


def write_pdf(path: Path, pages: int) -> None:
    """A list of what is in a warehouse."""
    pdf = canvas.Canvas(str(path), pagesize=(595, 842), invariant=True)
    for page in range(pages):
        pdf.setFont("Helvetica", 11)
        for line in range(20):
            pdf.drawString(
                60, 780 - 20 * line, f"Item {20 * page + line} in hall {page % 7} is counted by shift {line % 3}."
            )
        pdf.showPage()
    pdf.save()


DOCUMENT_CASES: Sequence[tuple[str, Callable[[Path], None], bool]] = (
    ("a text about something else added", add_text, False),
    ("the handbook renamed", rename, False),
    ("a page put before the Standard plan's 110", insert_page, False),
    ("PerksPlus.pdf deleted", delete, False),
    ("the Standard plan's PDF replaced by another", replace_pdf, True),
    ("the Standard plan's PDF there twice", copy_draft, True),
)


if __name__ == "__main__":
    main(sys.argv[1])
