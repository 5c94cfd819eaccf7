"""How many of the titles that PDFs name in their own outlines are found, and how many that are found are named there.

Run: .venv/bin/python -m tests.bench.titles FOLDER [--list]

Only PDFs of FOLDER with an outline are measured, and of them the pages from the first that it names on. A title is
found where one on that page ends as the outline has it, blanks and case aside: some outlines leave the number out.
Few outlines are complete: they leave out the letters of an index, and titles of the lowest rank. What is not named is
therefore not always wrong, and ``--list`` prints it, with what is missed.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import pypdfium2

from tasks.text.characters import fold
from tests.made.conversions import convert_bytes


class Title(NamedTuple):
    """A title and its page, from 1."""

    page: int
    text: str

    def ends_as(self, other: Title) -> bool:
        """Whether it is ``other`` with or without a number before it."""
        return self.page == other.page and fold(self.text).casefold().endswith(fold(other.text).casefold())


def named_in(data: bytes) -> list[Title]:
    """The titles of the PDF's own outline."""
    document = pypdfium2.PdfDocument(data)
    try:
        targets = [(bookmark.get_title(), bookmark.get_dest()) for bookmark in document.get_toc()]
        indices = [(text, target.get_index() if target else None) for text, target in targets]
        return [Title(index + 1, text) for text, index in indices if index is not None and text.strip()]
    finally:
        document.close()


def found_in(name: str, data: bytes) -> list[Title]:
    """The titles that conversion finds."""
    elements = convert_bytes(name, data).elements
    return [Title(e.page_number, e.text) for e in elements if e.kind == "title" and e.page_number is not None]


def matched(found: Sequence[Title], named: Sequence[Title]) -> tuple[list[Title], list[Title]]:
    """The titles that are named and not found, and those that are found and not named: each serves one other."""
    left = list(found)
    missed: list[Title] = []
    for title in named:
        same = next((one for one in left if one.ends_as(title)), None)
        if same is None:
            missed.append(title)
        else:
            left.remove(same)
    return missed, left


def main() -> None:
    """Prints a line a PDF, and the sums."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--list", action="store_true")
    options = parser.parse_args()
    sums = [0, 0, 0]
    for path in sorted(options.folder.rglob("*.pdf")):
        data = path.read_bytes()
        named = named_in(data)
        if not named:
            continue
        first = min(title.page for title in named)
        found = [title for title in found_in(path.name, data) if title.page >= first]
        missed, others = matched(found, named)
        counts = (len(named), len(named) - len(missed), len(found))
        sums = [a + b for a, b in zip(sums, counts, strict=True)]
        print_line(path.name, *counts)
        if options.list:
            for sign, titles in (("missed", missed), ("not named", others)):
                for title in titles:
                    print(f"    {sign}: p. {title.page} {title.text}")
    if sums[0]:
        print_line("all", *sums)


def print_line(name: str, named: int, both: int, found: int) -> None:
    """Prints how many are named, found of those, and found in all."""
    print(
        f"{name:60} named {named:5}, found {both / named:6.1%} of them; of {found:5} found {both / max(found, 1):6.1%}"
    )


if __name__ == "__main__":
    main()
