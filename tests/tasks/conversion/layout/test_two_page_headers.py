"""Running lines of two pages, and what two pages have in common that is none."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tasks.conversion.layout.headers_and_footers import find_bodies
from tasks.conversion.layout.page import Cell, Line, PrintedPage
from tests.made.conversions import convert_bytes
from tests.made.pdfs import MakePdf

HEIGHT = 842.0


def line(text: str, y: float, size: float = 11.0, bold: bool = False, x0: float = 72.0) -> Line:
    return Line(text, x0, x0 + 5 * len(text), y, y, size, bold)


def body(number: int, count: int = 10, pitch: float = 14) -> list[Line]:
    """Lines of a page's own; a heading stands apart from what is above it."""
    lines = [line(f"What is written in row {i} of part {chr(96 + number)}", 740 - pitch * i) for i in range(count)]
    return [*lines, line(f"Heading {chr(96 + number)}", lines[-1].y - 30), line("its text", lines[-1].y - 46)]


def removed(make: Callable[[int], list[Line]], pages: int = 2, first: int = 1) -> list[list[str]]:
    """What is taken off each page."""
    printed = [PrintedPage(n, HEIGHT, tuple(make(n) if n >= first else body(n, 3))) for n in range(1, pages + 1)]
    ranges = find_bodies(printed).ranges
    return [
        [one.text for i, one in enumerate(p.lines) if not r.start <= i < r.end]
        for p, r in zip(printed, ranges, strict=True)
    ]


RUNNING: dict[str, list[tuple[str, float, float]]] = {
    "a header of the text's size, far from it": [("Acme Ltd – Security policy", 800, 11)],
    "a small header, near the text": [("Acme Ltd – Security policy", 765, 8)],
    "a counting header": [("Policy, page {n} of {all}", 765, 11)],
    "a counting header with a stroke": [("Policy {n}/{all}", 765, 11)],
    "a page number": [("{n}", 30, 11)],
    "a page number with words": [("Page {n}", 30, 11)],
    "several": [("Acme Ltd", 812, 8), ("Confidential", 800, 8), ("4 May 2026, page {n} of {all}", 30, 8)],
}


@pytest.mark.parametrize("name", RUNNING)
@pytest.mark.parametrize("pages", [2, 3])
def test_running_lines_of_two_pages_go(name: str, pages: int) -> None:
    """Of all pages, or of those after a cover."""

    def texts(n: int) -> list[str]:
        return [text.format(n=n, all=pages) for text, _, _ in RUNNING[name]]

    def make(n: int) -> list[Line]:
        own = [line(text, y, size) for text, (_, y, size) in zip(texts(n), RUNNING[name], strict=True)]
        return [*(one for one in own if one.y > 400), *body(n), *(one for one in own if one.y < 400)]

    first = pages - 1
    assert removed(make, pages, first) == [[] if n < first else texts(n) for n in range(1, pages + 1)]


def shared(*lines: Line) -> Callable[[int], list[Line]]:
    return lambda n: [*lines, *body(n)]


HEADINGS = (Cell(72, "Control", 0), Cell(200, "Owner", 4), Cell(300, "State", 4))
TEXT: dict[str, Callable[[int], list[Line]]] = {
    "a title of larger type": shared(line("Supplier questionnaire", 800, 16)),
    "a title in bold": shared(line("Exceptions", 800, bold=True)),
    "a title near its text": shared(line("Exceptions", 766)),
    "a title that is numbered anew": lambda n: [line(f"Schedule {n}", 800), *body(n)],
    "a bold title that is numbered anew, with the number of pages in it": lambda n: [
        line(f"Phase {n}: 2 weeks", 800, 14, bold=True),
        *body(n),
    ],
    "a title of the text's size with the number of pages in it": lambda n: [line(f"Phase {n}: 2 weeks", 800), *body(n)],
    "a mark where the other has a number": lambda n: [line(f"Ticket {'#' if n == 1 else 5}", 800, 8), *body(n)],
    "a number that does not count": lambda n: [*body(n), line(f"Total {40 * n}", 30)],
    "another place": lambda n: [line("Acme Ltd", 800 - 20 * n, 8), *body(n)],
    "within the text": lambda n: [line("Signed", 600, 8), *body(n, 4), line(f"by {chr(96 + n)}", 560)],
    "the headings of a table": shared(line("Control Owner State", 768, 9)._replace(cells=HEADINGS)),
    "a short form that is filled in twice": lambda n: [
        *(line(f"Field {chr(97 + i)}", 800 - 14 * i, 8) for i in range(6)),
        *body(n),
        line("Signed", 30, 8),
    ],
    "a long form that is filled in twice": lambda n: [
        line("Order", 800, 8),
        *body(n, 4),
        *(line(f"Field {chr(97 + i)}", 500 - 14 * i) for i in range(20)),
        *(one._replace(y=one.y - 500, y_end=one.y - 500) for one in body(n + 2, 4)),
    ],
}


@pytest.mark.parametrize("name", TEXT)
def test_text_that_two_pages_share_stays(name: str) -> None:
    assert removed(TEXT[name]) == [[], []]


def test_two_pages_of_which_one_has_nothing_else() -> None:
    assert removed(lambda n: [line("Acme Ltd", 800, 8), *(body(n) if n == 1 else [])]) == [[], []]


def test_from_a_pdf(make_pdf: MakePdf) -> None:
    """Header and footer are elements, and not in the text."""
    pages = [
        [
            (72, 800, "Acme Ltd: letter of 4 May 2026", "Helvetica", 8),
            *[(72, 740 - 14 * i, f"What we have to tell you of {w}.") for i, w in enumerate(words)],
            (480, 30, f"Page {n} of 2", "Helvetica", 8),
        ]
        for n, words in ((1, ("backups", "staff")), (2, ("keys", "logs", "sites")))
    ]
    document = convert_bytes("a.pdf", make_pdf(pages))
    asides = [(e.kind, e.page_number, e.text) for e in document.elements if e.kind in ("header", "footer")]
    header = "Acme Ltd: letter of 4 May 2026"
    assert asides == [
        *[("header", 1, header), ("footer", 1, "Page 1 of 2")],
        *[("header", 2, header), ("footer", 2, "Page 2 of 2")],
    ]
    assert "Acme" not in document.text and "Page" not in document.text
