from __future__ import annotations

import pytest

from tasks.conversion.layout.headers_and_footers import find_bodies, is_in_upper_half
from tasks.conversion.layout.page import Line, PrintedPage
from tests.made.conversions import convert_bytes
from tests.made.pdfs import MakePdf


def line(text: str, y: float, size: float = 11.0) -> Line:
    return Line(text, 72.0, 500.0, y, y, size)


def page(number: int, *lines: Line) -> PrintedPage:
    return PrintedPage(number, 842.0, lines)


def body(number: int, words: str = "Body") -> list[Line]:
    return [line(f"{words} line {i} of chapter {chr(96 + number)}", 700 - 14 * i) for i in range(10)]


def test_header_and_footer_go_whatever_their_place_in_the_reading_order() -> None:
    pages = [page(n, line("Acme – Policy", 800), line(f"Page {n} of 4", 30), *body(n)) for n in range(1, 5)]
    bodies = find_bodies(pages).ranges
    assert bodies == [(2, 12)] * 4
    assert is_in_upper_half(pages[0], 0, bodies[0]) and not is_in_upper_half(pages[0], 1, bodies[0])
    after = [page(n, line("Acme", 800), *body(n), line(f"{n}", 30)) for n in range(1, 5)]
    assert find_bodies(after).ranges == [(1, 11)] * 4


def test_odd_and_even_headers_go() -> None:
    pages = [page(n, line("Even" if n % 2 == 0 else "Odd", 800), *body(n)) for n in range(1, 8)]
    assert find_bodies(pages).ranges == [(1, 11)] * 7


def test_lines_of_the_body_stay_however_alike_they_are() -> None:
    """Sentences that differ in digits alone, at the same place on each page, without any gap."""
    pages = [
        page(n, *[line(f"Control {i} of system {n} is tested {n * i} times", 780 - 14 * i) for i in range(40)])
        for n in range(1, 6)
    ]
    assert find_bodies(pages).ranges == [(0, 40)] * 5


def test_a_sentence_whose_digits_change_stays() -> None:
    pages = [page(n, line(f"The limit of plan {n} is {n * 10} days.", 800), *body(n)) for n in range(1, 6)]
    assert find_bodies(pages).ranges == [(0, 11)] * 5


@pytest.mark.parametrize("title", ["Schedule {}", "Appendix {} – Controls", "Annex A.{}", "{}. Service levels"])
def test_titles_that_are_numbered_from_page_to_page_stay(make_pdf: MakePdf, title: str) -> None:
    """And open sections, while what is printed above and below them on every page goes."""
    words = ["backups", "staff", "keys", "logs"]
    pages = [
        [
            (72, 800, "Acme Ltd", "Helvetica", 14),
            (72, 760, title.format(n), "Helvetica-Bold", 16),
            *[
                (72, 720 - 14 * i, f"What is agreed on {w} and {x} holds.", "Helvetica", 10)
                for i, x in enumerate(words)
            ],
            (72, 30, f"Page {n} of 4", "Helvetica", 12),
        ]
        for n, w in enumerate(words, start=1)
    ]
    document = convert_bytes("a.pdf", make_pdf(pages))
    titles = [title.format(n) for n in range(1, 5)]
    assert [element.text for element in document.elements if element.kind == "title"] == titles
    assert [e.section_path for e in document.elements if e.kind == "paragraph"] == titles
    assert "Acme" not in document.text and "Page" not in document.text


def test_large_running_lines_go_where_they_do_not_differ_from_page_to_page() -> None:
    """A chapter's number that stays for pages, and a bare page number."""
    pages = [page(n, line(f"{n}", 815, 16), line(f"Chapter {(n + 2) // 3}", 800, 16), *body(n)) for n in range(1, 10)]
    assert find_bodies(pages).ranges == [(2, 12)] * 9


def test_a_title_that_comes_back_now_and_then_stays() -> None:
    pages = [
        page(n, line("Exceptions" if n in (1, 15, 30) else f"T{chr(96 + n)}", 780), *body(n)) for n in range(1, 31)
    ]
    assert all(found == (0, 11) for found in find_bodies(pages).ranges)


def test_nothing_but_running_text_is_a_body_after_all() -> None:
    pages = [page(n, line("The same words", 800), line("and these", 400)) for n in range(1, 5)]
    assert find_bodies(pages).ranges == [(0, 2)] * 4


def test_small_print_close_to_the_body_goes() -> None:
    pages = [page(n, line("Acme", 708, 7.0), *body(n)) for n in range(1, 5)]
    assert find_bodies(pages).ranges == [(1, 11)] * 4


def test_without_places_order_decides() -> None:
    pages = [
        PrintedPage(
            n,
            0.0,
            (Line("Acme"), *[Line(f"Text {chr(97 + n)}{chr(97 + i)}") for i in range(9)], Line(f"p {n}")),
        )
        for n in range(1, 5)
    ]
    bodies = find_bodies(pages).ranges
    assert bodies == [(1, 10)] * 4
    assert is_in_upper_half(pages[0], 0, bodies[0]) and not is_in_upper_half(pages[0], 10, bodies[0])


def test_no_pages() -> None:
    assert find_bodies([]).ranges == []


def test_a_header_that_names_the_section_and_the_page_goes_though_each_name_stands_once() -> None:
    names = "Scope Keys Logs Staff Backups Suppliers".split()
    pages = [page(n + 4, line(f"1.{n}. {name} {n}", 800), *body(n)) for n, name in enumerate(names, 1)]
    assert find_bodies(pages).ranges == [(1, 11)] * 6


@pytest.mark.parametrize(
    ("last", "size", "is_body"),
    [
        ("List price: EUR {0}.90 per user", 11.0, True),
        ("Restores in {0} hours", 22.0, True),
        ("List price: EUR {0}.90 per user", 8.0, False),
        ("Offer 2026-118, page {1}", 11.0, False),
        ("Page {1} of 20, Offer 118", 11.0, False),
    ],
)
def test_what_changes_at_a_pages_foot_is_its_own_unless_it_counts_pages(last: str, size: float, is_body: bool) -> None:
    prices = (4, 9, 2, 14)
    pages = [page(n, *body(n), line(last.format(price, n), 60, size)) for n, price in enumerate(prices, 1)]
    assert [own.end - own.start for own in find_bodies(pages).ranges] == [10 + is_body] * 4


def test_the_number_of_a_page_on_which_a_chapter_begins_goes() -> None:
    begins = (1, 12, 25)
    pages = [page(n, *body(n % 26), *([line(str(n), 30)] if n in begins else [])) for n in range(1, 31)]
    assert [len(own.lines) - body.end for own, body in zip(pages, find_bodies(pages).ranges, strict=True)] == [
        int(n in begins) for n in range(1, 31)
    ]


def test_chapter_names_that_come_back_at_their_place_go() -> None:
    names = [name for name in "Scope Keys Logs Staff Backups Suppliers".split() for _ in range(2)]
    pages = [page(n, line(name, 800), *body(n)) for n, name in enumerate(names, 1)]
    assert find_bodies(pages).ranges == [(1, 11)] * 12


def test_titles_of_slides_that_come_twice_stay() -> None:
    names = [name for name in "Scope Keys Logs Staff Backups Suppliers".split() for _ in range(2)]
    pages = [page(n, line(name, 800, 24.0), *body(n)) for n, name in enumerate(names, 1)]
    assert find_bodies(pages).ranges == [(0, 11)] * 12


def test_first_lines_of_their_own_stay() -> None:
    """Each page begins at the same height with a line that stands nowhere else; some end with a number."""
    firsts = [
        f"Questions on {name} {number}" for name, number in zip("abcdefgh", (7, 3, 12, 9, 4, 1, 30, 2), strict=True)
    ]
    pages = [page(n, line(first, 800), *body(n)) for n, first in enumerate(firsts, 1)]
    assert find_bodies(pages).ranges == [(0, 11)] * 8
