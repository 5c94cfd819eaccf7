"""Converting PDFs: pages a second beside plain text extraction and other tools, over cores, and memory.

Run: .venv/bin/python -m tests.bench.conversion FOLDER [--repeats 3]

FOLDER holds PDFs of 1,000 pages and more in all, and ``LICENCES``, a line ``file name<TAB>licence`` for each. A tool
that is not installed is named as such. Tools take turns file by file, so that a machine that others use is as busy for
one as for the other, and each figure is the sum of the files' medians; those of worker processes are medians over all
files at once. pdfplumber and unstructured, which take minutes, read each file once, after the first turn of the others.
Two of the tools are compiled from Rust: LiteParse, which reads with pdfium as bidfolio does, and pdf_oxide, which has a
reader of its own. Which Python it is counts: one that was built without being optimised by profiles is slower, which
those two and pdfium do not notice.
"""

from __future__ import annotations

import argparse
import gc
import hashlib
import importlib
import importlib.util
import io
import multiprocessing
import subprocess
import sys
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

import psutil
import pypdfium2

from tasks.conversion.files.convert import Readers
from tasks.conversion.office import unstructured_reader
from tasks.conversion.workers.sandbox import Helpers, Limits, Sandbox
from tasks.conversion.workers.worker import OBJECTS_A_COLLECTION, convert_file
from tasks.records import SourceFile

Tool = Callable[[Sequence[Path]], None]

MEMORY = """
import sys
from tests.bench.conversion import source_of
from tasks.conversion.workers.worker import convert_file
from tasks.conversion.files.convert import Readers
from tasks.conversion import unstructured_reader
from pathlib import Path
for path in sys.argv[1:]:
    for _ in convert_file(source_of(Path(path)), Readers(unstructured_reader)):
        pass
# The peak that getrusage gives is at least that of the process that started this one.
status = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
print(int(status["VmHWM"].split()[0]) // 1024)
"""


def source_of(path: Path) -> SourceFile:
    """The file as a scan finds it."""
    data = path.read_bytes()
    return SourceFile(path.name, path.resolve().as_uri(), len(data), hashlib.sha256(data).hexdigest())


def plain(paths: Sequence[Path]) -> None:
    """Text of each page and nothing else: what no conversion can beat."""
    for path in paths:
        document = pypdfium2.PdfDocument(path.read_bytes())
        for page in document:
            page.get_textpage().get_text_bounded()
        document.close()


def ours(paths: Sequence[Path]) -> None:
    """What a worker process does for each file, its check and the JSON that it answers with included."""
    usual = gc.get_threshold()
    gc.set_threshold(OBJECTS_A_COLLECTION)
    for path in paths:
        for _ in convert_file(source_of(path), Readers(unstructured_reader)):
            pass
    gc.set_threshold(*usual)


def in_processes(count: int) -> Tool:
    """The whole conversion in ``count`` worker processes, their start included."""

    def run(paths: Sequence[Path]) -> None:
        with Sandbox(count, Limits(), Helpers()) as sandbox:
            for _ in sandbox.convert([source_of(path) for path in paths]):
                pass

    return run


def plain_twice(paths: Sequence[Path]) -> None:
    """The plain text of all files in each of two processes at once."""
    processes = [multiprocessing.get_context("fork").Process(target=plain, args=(paths,)) for _ in range(2)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()


def peak_together(paths: Sequence[Path], count: int) -> int:
    """The most memory, in MB, that ``count`` worker processes have at one time; what they share is counted for each."""
    over = threading.Event()
    peak = 0

    def look() -> None:
        nonlocal peak
        while not over.wait(0.05):
            now = 0
            for child in psutil.Process().children():
                with suppress(psutil.NoSuchProcess):
                    now += child.memory_info().rss
            peak = max(peak, now)

    watcher = threading.Thread(target=look)
    watcher.start()
    try:
        in_processes(count)(paths)
    finally:
        over.set()
        watcher.join()
    return peak >> 20


def plumbed(paths: Sequence[Path], *, with_tables: bool = False) -> None:
    """pdfplumber's text; ``with_tables`` its words with their places and its tables, too: what is nearest to what
    bidfolio keeps.
    """
    pdfplumber: Any = importlib.import_module("pdfplumber")
    for path in paths:
        with pdfplumber.open(io.BytesIO(path.read_bytes())) as document:
            for page in document.pages:
                page.extract_text()
                if with_tables:
                    page.extract_words()
                    page.extract_tables()
                page.close()


def partitioned(paths: Sequence[Path]) -> None:
    """unstructured's elements, strategy fast. Files of which it gives none are told, and count as read."""
    from unstructured.partition.pdf import partition_pdf

    # It would fetch its model from the web, and give nothing where that fails.
    unstructured_reader.prepare()
    for path in paths:
        if not partition_pdf(filename=str(path), strategy="fast", languages=["eng"]):
            print(f"unstructured gives nothing for {path.name}")


def parsed(paths: Sequence[Path]) -> None:
    """LiteParse's lines, each word with its place, and blocks: the nearest that it has to what bidfolio keeps."""
    lite: Any = importlib.import_module("liteparse")
    reader = lite.LiteParse(ocr_enabled=False, quiet=True, num_workers=1, emit_word_boxes=True, extract_blocks=True)
    for path in paths:
        reader.parse(str(path))


def oxidised(paths: Sequence[Path]) -> None:
    """pdf_oxide's words with their places."""
    oxide: Any = importlib.import_module("pdf_oxide")
    for path in paths:
        document = oxide.PdfDocument(str(path))
        for number in range(document.page_count()):
            document.extract_words(number)


def in_turns(
    paths: Sequence[Path], tools: Mapping[str, Tool], once: Mapping[str, Tool], repeats: int
) -> dict[str, float]:
    """The median of the seconds that each of the ``tools`` takes for the files, and what each of ``once`` takes."""
    seconds: dict[str, list[float]] = defaultdict(list)
    for repeat in range(repeats):
        for name, run in {**tools, **(once if repeat == 0 else {})}.items():
            begin = time.perf_counter()
            run(paths)
            seconds[name].append(time.perf_counter() - begin)
    return {name: median(times) for name, times in seconds.items()}


def main(folder: Path, repeats: int) -> None:
    """Prints the figures."""
    print(f"Python {sys.version}")
    paths = sorted(folder.glob("*.pdf"))
    licences = dict(line.split("\t") for line in (folder / "LICENCES").read_text("utf-8").splitlines() if line)
    pages = {path: len(pypdfium2.PdfDocument(path)) for path in paths}
    for path in paths:
        print(f"{path.name}: {pages[path]} pages, {licences[path.name]}")
    tools: dict[str, Tool] = {"plain pypdfium2": plain, "bidfolio": ours}
    compiled: dict[str, Tool] = {"liteparse": parsed, "pdf_oxide": oxidised}
    tools |= {name: run for name, run in compiled.items() if importlib.util.find_spec(name)}
    slow: dict[str, Tool] = {}
    if importlib.util.find_spec("pdfplumber"):
        slow |= {"pdfplumber": plumbed, "pdfplumber with tables": partial(plumbed, with_tables=True)}
    if importlib.util.find_spec("unstructured_inference"):
        slow["unstructured fast"] = partitioned
    together: dict[str, Tool] = {
        "plain, twice at once": plain_twice,
        "bidfolio, 1 process": in_processes(1),
        "bidfolio, 2 processes": in_processes(2),
    }
    smallest, largest = (choose(paths, key=lambda path: pages[path]) for choose in (min, max))
    in_turns([smallest], tools, slow, 1)
    # What one tool has loaded is not to be gone through by the collector while another reads.
    gc.freeze()
    seconds: Counter[str] = Counter()
    for path in paths:
        seconds.update(in_turns([path], tools, slow, repeats))
    seconds.update(in_turns(paths, together, {}, repeats))
    speed = {name: sum(pages.values()) / seconds[name] for name in (*tools, *slow, *together)}
    for name, figure in speed.items():
        print(f"{name:24} {figure:8.1f} pages/s   bidfolio is {speed['bidfolio'] / figure:6.2f}×")
    for missing in sorted({*compiled, "pdfplumber", "unstructured fast"} - tools.keys() - slow.keys()):
        print(f"{missing:24} not installed here")
    # Where two cores share their caches or one's units, no program gains twice.
    most = 2 * speed["plain, twice at once"] / speed["plain pypdfium2"]
    gained = speed["bidfolio, 2 processes"] / speed["bidfolio, 1 process"]
    print(f"two processes: {gained:.2f}× one; plain text in two, which have nothing to tell one another: {most:.2f}×")
    for path in (smallest, largest):
        command = [sys.executable, "-c", MEMORY, str(path)]
        peak = subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()
        print(f"peak memory of {path.name} ({pages[path]} pages): {peak} MB")
    print(f"peak memory of two processes together, all files: {peak_together(paths, 2)} MB")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--repeats", type=int, default=3)
    given = parser.parse_args()
    main(given.folder, given.repeats)
