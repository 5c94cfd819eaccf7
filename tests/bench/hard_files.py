"""Files of the kinds that public reports name as read wrongly: which tools read them as a person does.

Run: .venv/bin/python -m tests.bench.hard_files

The files are those of tests/data/hard, and each tool runs with its defaults (unstructured reads PDFs by its strategy
"fast", which needs no model). What counts as right is one rule for all of them, which `tests.made.hard_files` states. A
tool that is not installed is named as such: pip install pypdf pdfplumber "markitdown[all]" "unstructured[pdf]".
"""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

from tasks.conversion.office import unstructured_reader
from tests.made.conversions import convert_bytes
from tests.made.hard_files import FOLDER, HARD_FILES, ReadPage, faults

Reader = Callable[[Path], Sequence[ReadPage]]


def ours(path: Path) -> Sequence[ReadPage]:
    """The pages of bidfolio's document."""
    document = convert_bytes(path.name, path.read_bytes())
    return [ReadPage(document.text[page.start : page.end], page.page_number, page.label) for page in document.pages]


def partitioned(path: Path) -> Sequence[ReadPage]:
    """unstructured's elements, by page."""
    options = {"strategy": "fast", "languages": ["eng"]} if path.suffix == ".pdf" else {}
    module: Any = importlib.import_module(f"unstructured.partition.{path.suffix[1:]}")
    # It would fetch its model from the web, and give nothing where that fails.
    unstructured_reader.prepare()
    elements = getattr(module, f"partition_{path.suffix[1:]}")(filename=str(path), **options)
    by_page = groupby(elements, key=lambda element: element.metadata.page_number)
    return [ReadPage("\n".join(element.text for element in own), number) for number, own in by_page]


def pypdf_pages(path: Path) -> Sequence[ReadPage]:
    """pypdf's text of each page, with the page's label."""
    reader: Any = importlib.import_module("pypdf").PdfReader(path)
    labels = reader.page_labels
    return [ReadPage(page.extract_text(), at + 1, labels[at]) for at, page in enumerate(reader.pages)]


def plumbed(path: Path) -> Sequence[ReadPage]:
    """pdfplumber's text of each page, with the page's label by pdfminer."""
    with importlib.import_module("pdfplumber").open(path) as pdf:
        return [ReadPage(page.extract_text(), page.page_number, page.page_obj.label) for page in pdf.pages]


def marked(path: Path) -> Sequence[ReadPage]:
    """markitdown's text; it tells no pages."""
    return [ReadPage(importlib.import_module("markitdown").MarkItDown().convert(path).text_content)]


TOOLS: Mapping[str, tuple[Reader, str, tuple[str, ...]]] = {
    "bidfolio": (ours, "tasks", (".pdf", ".docx", ".pptx")),
    "unstructured": (partitioned, "unstructured_inference", (".pdf", ".docx", ".pptx")),
    "pypdf": (pypdf_pages, "pypdf", (".pdf",)),
    "pdfplumber": (plumbed, "pdfplumber", (".pdf",)),
    "markitdown": (marked, "markitdown", (".pdf", ".docx", ".pptx")),
}
"""Each tool's reader, the module that it needs, and the files that it is made for."""


def judge(reader: Reader, case: str) -> list[str]:
    """Name what a tool reads wrongly in the files of a case; an error counts as such."""
    wrong: list[str] = []
    for file in HARD_FILES:
        if file.case == case:
            try:
                wrong += faults(file, reader(FOLDER / file.name))
            except Exception as error:  # the tools raise whatever they like
                wrong.append(f"raises {type(error).__name__}: {str(error)[:60]}")
    return wrong


def main() -> None:
    """Prints a table of cases and tools, and what is wrong in each."""
    tools = {name: tool for name, tool in TOOLS.items() if importlib.util.find_spec(tool[1])}
    for name in TOOLS.keys() - tools.keys():
        print(f"{name} is not installed")
    suffixes = {file.case: Path(file.name).suffix for file in HARD_FILES}
    notes: list[str] = []
    print(f"| case | {' | '.join(tools)} |")
    print("|---" * (len(tools) + 1) + "|")
    for case, suffix in suffixes.items():
        cells: list[str] = []
        for name, (reader, _, made_for) in tools.items():
            wrong = judge(reader, case) if suffix in made_for else None
            cells.append("–" if wrong is None else "wrong" if wrong else "right")
            notes += [f"{case}, {name}: {fault}" for fault in wrong or ()]
        print(f"| {case} | {' | '.join(cells)} |")
    print("\n".join(["", *notes]))


if __name__ == "__main__":
    main()
