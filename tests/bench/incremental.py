"""Scanning and converting again after one file of 200 has changed, beside converting all of them.

Run: .venv/bin/python -m tests.bench.incremental FOLDER

The PDFs of FOLDER are cut into 200 files of as many pages each. What a run costs however little there is to do (the
scan, the start of the processes) is measured by adding a text of one line.
"""

from __future__ import annotations

import io
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

import pypdfium2

from configs.plans import Plan, load_plan
from configs.settings import Settings
from tasks.conversion.task import convert_documents, scan_corpus

FILES = 200
REPEATS = 5


def main(folder: Path) -> None:
    """Prints the figures."""
    plan = load_plan("bidfolio")
    with tempfile.TemporaryDirectory() as scratch:
        corpus = Path(scratch, "corpus")
        corpus.mkdir()
        spare = cut(sorted(folder.glob("*.pdf")), corpus)
        settings = Settings(home=str(Path(scratch, "home")))
        full = timed(corpus, plan, settings)
        unchanged: list[float] = []
        start: list[float] = []
        changed: list[float] = []
        for index in range(REPEATS):
            unchanged.append(timed(corpus, plan, settings))
            (corpus / f"note {index}.txt").write_text(f"Note {index}.", encoding="utf-8")
            start.append(timed(corpus, plan, settings))
            (corpus / f"{index:03}.pdf").write_bytes(spare[index])
            changed.append(timed(corpus, plan, settings))
        cost = median(changed) - median(start)
        print(f"{FILES} files, all new:         {full:7.2f} s")
        print(f"nothing changed:            {median(unchanged):7.2f} s")
        print(f"a text of one line added:   {median(start):7.2f} s (the fixed start)")
        print(f"one PDF of {FILES} changed:     {median(changed):7.2f} s")
        print(f"beyond the fixed start: {cost:.2f} s, {100 * cost / full:.2f}% of converting all (target 3%)")


def cut(paths: list[Path], corpus: Path) -> list[bytes]:
    """Writes FILES PDFs of as many pages each into ``corpus``; gives REPEATS others, of pages from between theirs: the
    last ones of a manual are its index, which takes several times as long as others."""
    documents = [pypdfium2.PdfDocument(path) for path in paths]
    pages = [(document, index) for document in documents for index in range(len(document))]
    size = len(pages) // (FILES + REPEATS)
    between = (FILES + REPEATS) // REPEATS
    spare: list[bytes] = []
    written = 0
    for number in range(FILES + REPEATS):
        part = pypdfium2.PdfDocument.new()
        for document, index in pages[number * size : (number + 1) * size]:
            part.import_pages(document, [index])
        made = io.BytesIO()
        part.save(made)
        if number % between == between // 2 and len(spare) < REPEATS:
            spare.append(made.getvalue())
        else:
            (corpus / f"{written:03}.pdf").write_bytes(made.getvalue())
            written += 1
    print(f"{FILES} files of {size} pages each, out of {', '.join(path.name for path in paths)}")
    return spare


def timed(corpus: Path, plan: Plan, settings: Settings) -> float:
    """The seconds that scanning and converting what is new of ``corpus`` take."""
    begin = time.perf_counter()
    scan = scan_corpus.fn(str(corpus), "bench", settings)
    convert_documents.fn(scan, settings)
    return time.perf_counter() - begin


if __name__ == "__main__":
    main(Path(sys.argv[1]))
