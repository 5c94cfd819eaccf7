"""Accuracy of page finders, on chunks whose pages are known by their offsets."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from tasks.pages.finders.finder import FilePages, PageFinder
from tasks.records import Chunk
from tasks.statistics.estimates import Figure, mean
from tasks.text.characters import fold


class Case(NamedTuple):
    """A test case of a page finder: a text of a file, and the pages that count as right for it."""

    file_name: str
    text: str
    pages: frozenset[int]


def cases_of(chunks: Iterable[Chunk], files: Mapping[str, FilePages]) -> list[Case]:
    """The test cases of a corpus: one for each chunk that stands on numbered pages.

    Right are the pages that the chunk touches, and the pages that contain its text verbatim, layout aside: boilerplate
    is printed on several pages.
    """
    folded = {name: [fold(text) for text in pages.texts] for name, pages in files.items()}
    cases: list[Case] = []
    for chunk in chunks:
        touched = {span.page_number for span in chunk.page_spans if span.page_number is not None}
        text = fold(chunk.text)
        if not touched or not text or chunk.file_name not in files:
            continue
        pages = zip(files[chunk.file_name].numbers, folded[chunk.file_name], strict=True)
        cases.append(Case(chunk.file_name, chunk.text, frozenset(touched | {n for n, page in pages if text in page})))
    return cases


def is_borne_out(chunk: Chunk, found: int | None, pages: FilePages) -> bool:
    """Tell if the page ``found`` is one that the chunk touches, or has the text that the chunk has on such a page.

    If two pages have the same text, the text alone cannot tell which of them it came from.
    """
    if found is None or found in {span.page_number for span in chunk.page_spans}:
        return found is not None
    page = fold(pages.texts[pages.numbers.index(found)])
    parts = (fold(chunk.text[span.start - chunk.start : span.end - chunk.start]) for span in chunk.page_spans)
    return any(part and part in page for part in parts)


def accuracy(finder: PageFinder, cases: Sequence[Case]) -> Figure:
    """The share of ``cases`` for which the finder names a right page, with a standard error clustered by file.

    Undefined without cases.
    """
    by_file: dict[str, list[Case]] = {}
    for case in cases:
        by_file.setdefault(case.file_name, []).append(case)
    right: list[float] = []
    for name, of_file in by_file.items():
        found = finder.find(name, [case.text for case in of_file])
        right += [float(page in case.pages) for page, case in zip(found, of_file, strict=True)]
    files = [name for name, of_file in by_file.items() for _ in of_file]
    return mean(right, files, reason="no chunk stands on a numbered page")
