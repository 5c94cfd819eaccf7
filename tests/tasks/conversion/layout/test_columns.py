"""Columns whose lines the file draws in turn, and what looks like them."""

from __future__ import annotations

from itertools import cycle, islice

import pytest

from tasks.conversion.layout.columns import order_columns
from tasks.text.characters import fold
from tests.made.columns import LEFT, RIGHT, THIRD, across, in_order
from tests.made.conversions import convert_bytes
from tests.made.pdfs import MakePdf
from tests.made.placed_text import check_places


def test_two_columns_drawn_line_by_line(make_pdf: MakePdf) -> None:
    title = (60, 760, "Security at a glance, and what it means for our customers and their own customers")
    figure = (60, 560, "Figure 1: how the keys are kept apart from the data, over both of the page's columns")
    page = [title, *across([LEFT, RIGHT]), figure, *across([THIRD, LEFT], top=530)]
    data = make_pdf([page])
    document = convert_bytes("a.pdf", data)
    pieces = (title[2], " ".join(LEFT), " ".join(RIGHT), figure[2], " ".join(THIRD), " ".join(LEFT))
    assert in_order(document.text[: len(document.text) // 2 + 200], *pieces[:3])
    assert fold(document.text) == fold("".join(map(str, pieces)))
    check_places(document, data)


def test_three_columns(make_pdf: MakePdf) -> None:
    data = make_pdf([across([LEFT, RIGHT, THIRD], step=175, size=8)])
    assert fold(convert_bytes("a.pdf", data).text) == fold("".join(LEFT + RIGHT + THIRD))


def test_hyphens_at_the_ends_of_either_column(make_pdf: MakePdf) -> None:
    left = [
        *LEFT[:3],
        "every ninety days by a service that no-",
        "body reaches from the office network, and",
        *LEFT[5:],
    ]
    right = [
        *RIGHT[:3],
        "takes is known. The results are presen-",
        "ted to the board, which decides on the",
        *RIGHT[5:],
    ]
    data = make_pdf([across([left, right])])
    document = convert_bytes("a.pdf", data)
    assert fold(document.text) == fold("".join(left + right))
    assert "by a service that nobody reaches" in document.text and "are presented to the board" in document.text
    check_places(document, data)


WORDS = (
    "the policy says that access to data is given by those who own them and is taken away at once when people leave or "
    "change their work so nobody keeps what he has no use for and reviews find what was forgotten within a quarter of "
    "a year which auditors look at before they write down what they think of it"
).split()


def with_hyphens(rows: int, every: int, first: int) -> list[str]:
    """Lines of a column, of which each ``every``-th from ``first`` on ends with a hyphen in the word "encryption"."""
    words = islice(cycle(WORDS), 5 * first, None)
    lines: list[str] = []
    opening = ""
    for index in range(rows):
        end = " encryp-" if index >= first and (index - first) % every == 0 and index < rows - 1 else ""
        line = opening or next(words)
        while len(line + end) < 34:
            line += f" {next(words)}"
        lines.append(line + end)
        opening = "tion" if end else ""
    return lines


@pytest.mark.parametrize("rows", [6, 10, 14, 20])
@pytest.mark.parametrize("every", [1, 2, 3])
@pytest.mark.parametrize("apart", [0, 1])
def test_many_hyphens(make_pdf: MakePdf, rows: int, every: int, apart: int) -> None:
    """At the ends of the same rows in both columns, or of others."""
    columns = [with_hyphens(rows, every, 0), with_hyphens(rows, every, apart)]
    data = make_pdf([across(columns)])
    document = convert_bytes("a.pdf", data)
    known = " ".join(line for column in columns for line in column).replace("- ", "")
    assert " ".join(document.text.split()) == known
    check_places(document, data)


def test_columns_that_are_drawn_one_after_the_other_stay(make_pdf: MakePdf) -> None:
    one, two = across([LEFT]), across([[], RIGHT])
    assert fold(convert_bytes("a.pdf", make_pdf([[*one, *two]])).text) == fold("".join(LEFT + RIGHT))


TABLES = {
    "short cells": [["Backups", "Access", "Keys", "Logs", "Staff", "Sites", "Tests", "Audits"], RIGHT],
    "cells that start together": [
        ["The company encrypts all of its data", "at rest.", "It keeps keys apart from the data, in", "hardware."] * 3,
        ["Backups are taken each night, and are", "kept.", "Recovery is tested once a quarter in", "a network."] * 3,
    ],
    "rows of whole sentences": [
        [f"{w} is what the policy says on it." for w in "Alpha Beta Gamma Delta Epsilon Zeta Eta Theta".split()],
        [f"{w} does it once in each quarter." for w in "Ann Bob Cem Dora Eve Finn Gus Hans".split()],
    ],
}


@pytest.mark.parametrize("name", TABLES)
def test_tables_stay_row_by_row(make_pdf: MakePdf, name: str) -> None:
    left, right = TABLES[name]
    cells = across([left, right])
    text = convert_bytes("a.pdf", make_pdf([cells])).text
    assert in_order(text, left[0], right[0]) and text.index(right[0]) < text.index(left[2])


def test_rows_that_are_set_apart_are_a_table(make_pdf: MakePdf) -> None:
    """Wrapped cells: long lines that go on, but each row begins at the same height in both columns."""
    cells: list[tuple[object, ...]] = []
    y = 700.0
    for i in range(0, 8, 2):
        for k in range(2):
            cells += [(60, y, LEFT[i + k], "Helvetica", 10), (300, y, RIGHT[i + k], "Helvetica", 10)]
            y -= 14
        y -= 10
    text = convert_bytes("a.pdf", make_pdf([cells])).text
    assert in_order(text, LEFT[0], RIGHT[0], LEFT[2], RIGHT[2])


def test_nothing_to_order() -> None:
    assert order_columns([]) is None


def test_a_footnote_of_one_column_is_no_rest_of_a_word_in_another(make_pdf: MakePdf) -> None:
    """The file draws it behind a hyphen, as what comes next."""
    body = [
        (60 + 240 * at, 700 - 14 * i, line, "Helvetica", 10)
        for at, column in enumerate((LEFT, [*RIGHT[:-1], "team, with the help of an inde-"]))
        for i, line in enumerate(column)
    ]
    note = (60, 90, "1 The time is measured from the first alarm.", "Helvetica", 7)
    data = make_pdf([[*body, note]])
    document = convert_bytes("a.pdf", data)
    (foot,) = [element for element in document.elements if "first alarm" in element.text]
    assert foot.text == note[2] and foot.box is not None and foot.box.top > 600
    assert "with the help of an inde-" in document.text and "inde-1" not in document.text
    check_places(document, data)
