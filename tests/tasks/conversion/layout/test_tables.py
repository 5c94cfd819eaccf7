"""Tables of printed pages whose cells are wrapped, and what stands beside a table's rows and is none of their kind."""

from __future__ import annotations

import pytest

from tasks.records import Document
from tests.made.conversions import convert_bytes
from tests.made.pdfs import MakePdf
from tests.made.placed_text import check_places

Item = tuple[object, ...]
BODY = 10.5
SMALL = 9.0
STEPS = [
    [["1", "Duty support lead"], ["At once"], ["1 working day"]],
    [["2", "Head of Support,", "or his deputy in", "working hours"], ["1 hour"], ["3 working days"]],
    [
        ["3", "Director of Customer", "Operations"],
        ["2 hours, or as is", "agreed upon with", "the customer"],
        ["5 days"],
    ],
    [["4", "Chief Executive"], ["6 hours"], ["Not automatic"]],
    [["5", "Chief People", "Officer"], ["Next day, by", "message"], ["Not automatic,", "and by mail"]],
]


def text(x: float, y: float, words: str, size: float = BODY, bold: bool = False) -> Item:
    return (x, y, words, "Helvetica-Bold" if bold else "Helvetica", size)


def paragraph(y: float, lines: int = 3) -> list[Item]:
    words = "What is said here runs on to the end of the line, as it does in a text that is written for people."
    return [text(72, y - 14 * i, words) for i in range(lines)]


def rows(y: float) -> list[Item]:
    """The rows of STEPS cell by cell: a number without a column of its own stands before each first cell."""
    items: list[Item] = []
    for number, *cells in ([row[0][0], row[0][1:], *row[1:]] for row in STEPS):
        items.append(text(80, y, str(number), SMALL))
        for x, cell in zip((92, 260, 400), cells, strict=True):
            items += [text(x, y - 12 * i, line, SMALL) for i, line in enumerate(cell)]
        y -= 12 * max(map(len, cells)) + 10
    return items


def titles(document: Document) -> list[str]:
    return [element.text for element in document.elements if element.kind == "title"]


def tables(document: Document) -> list[list[str]]:
    return [element.text.split("\n") for element in document.elements if element.kind == "table"]


AS_ROWS = [" | ".join([f"{row[0][0]} {' '.join(row[0][1:])}", *map(" ".join, row[1:])]) for row in STEPS]


def test_rows_of_unlike_heights_are_one_table_and_no_titles(make_pdf: MakePdf) -> None:
    """The last cell of a row may end far above the row's end; where the first is wrapped no line has a gap."""
    head = [
        text(80, 640, "Step and person", SMALL),
        text(260, 640, "Priority 1", SMALL),
        text(400, 640, "Other", SMALL),
    ]
    page = [text(72, 740, "6 Escalation", 16), *paragraph(710), *head, *rows(620), text(72, 380, "7 Duties", 16)]
    data = make_pdf([[*page, *paragraph(350)]])
    document = convert_bytes("a.pdf", data)
    assert titles(document) == ["6 Escalation", "7 Duties"]
    assert tables(document) == [["Step and person | Priority 1 | Other", *AS_ROWS]]
    assert [e.section_path for e in document.elements if e.kind == "table"] == ["6 Escalation"]
    check_places(document, data)


def test_a_table_of_nothing_but_wrapped_cells(make_pdf: MakePdf) -> None:
    """As one that goes on from the page before: nothing tells it but that its cells stand side by side."""
    cells = [["Provider", "limit in Dublin"], ["Raised; a part of", "it is reserved"], ["Closed in", "December"]]
    page: list[Item] = []
    for y in (740, 706, 672):
        for x, cell in zip((72, 200, 400), cells, strict=True):
            page += [text(x, y - 12 * i, line) for i, line in enumerate(cell)]
    row = "Provider limit in Dublin | Raised; a part of it is reserved | Closed in December"
    assert tables(convert_bytes("a.pdf", make_pdf([[*page, *paragraph(600)]]))) == [[row] * 3]


def test_a_formula_is_no_row(make_pdf: MakePdf) -> None:
    """Its sum goes down and back up to the baseline, with a term in smaller type between."""
    page: list[Item] = paragraph(740)
    for y in (680, 560):
        page += [text(180, y, "y ="), text(202, y + 10, "n", 7), text(202, y - 11, "j=0", 7), text(216, y, "bx + e")]
        page += paragraph(y - 40)
    assert tables(convert_bytes("a.pdf", make_pdf([page]))) == []


@pytest.mark.parametrize(
    "line",
    [
        [text(72, 640, "4 Chief Executive"), text(250, 640, "6 hours"), text(400, 640, "Not automatic")],
        [text(72, 640, "Ref", bold=True), text(250, 640, "Question", bold=True), text(400, 640, "Owner", bold=True)],
        [text(72, 640, "1 The package is described in another document", SMALL)],
        [text(72, 640, "Platform Operations", SMALL)],
    ],
    ids=["a row", "a bold row", "a note", "a label"],
)
def test_what_a_title_never_is(make_pdf: MakePdf, line: list[Item]) -> None:
    page = [text(72, 760, "3 Roles", 16), *paragraph(720), *line, *paragraph(600)]
    assert titles(convert_bytes("a.pdf", make_pdf([page]))) == ["3 Roles"]


def test_the_last_item_of_a_list_is_no_title_and_a_numbered_heading_is(make_pdf: MakePdf) -> None:
    items = [
        text(72, 700 - 20 * i, f"{i + 1}. Director of {what}") for i, what in enumerate(("Sales", "Finance", "Law"))
    ]
    page = [*paragraph(760), *items, *paragraph(610), text(72, 540, "4. Scope of the rules"), *paragraph(510)]
    assert titles(convert_bytes("a.pdf", make_pdf([page]))) == ["4. Scope of the rules"]


@pytest.mark.parametrize(
    "table",
    [
        [["Year", "Revenue", "Profit"], ["2021", "12.5", "1.2"], ["2022", "14.0", "2.0"]],
        [["Year", "Uptime"], ["2021", "99.95"], ["2022", "99.97"], ["2023", "99.99"]],
        [["No", "Users", "Price"], ["1", "10", "12.00"], ["2", "50", "10.00"]],
    ],
    ids=["figures", "two columns", "small numbers"],
)
def test_a_number_before_another_is_a_cell_and_no_mark_of_a_list(make_pdf: MakePdf, table: list[list[str]]) -> None:
    items = [text(80 + 130 * x, 500 - 18 * y, cell) for y, row in enumerate(table) for x, cell in enumerate(row)]
    document = convert_bytes("a.pdf", make_pdf([[*paragraph(740), *items]]))
    assert tables(document) == [[" | ".join(row) for row in table]]


def test_a_printed_table_has_its_cells_as_html_too(make_pdf: MakePdf) -> None:
    table = [["Data", "Kept"], ["Logs & traces", "12 months"], ["Backups", "35 days"]]
    items = [text(80 + 160 * x, 500 - 18 * y, cell) for y, row in enumerate(table) for x, cell in enumerate(row)]
    (found,) = (e.html for e in convert_bytes("a.pdf", make_pdf([items])).elements if e.kind == "table")
    assert found == (
        "<table><tr><td>Data</td><td>Kept</td></tr><tr><td>Logs &amp; traces</td><td>12 months</td></tr>"
        "<tr><td>Backups</td><td>35 days</td></tr></table>"
    )


MATRIX = [
    ["Control", "Yes", "No", "Planned"],
    ["Escrow of the source", "", "x", ""],
    ["Two factors at sign-in", "x", "", ""],
    ["Keys of your own", "", "", "x"],
    ["Air-gapped backups", "", "x", ""],
]


def table_of(rows: list[list[str]], xs: tuple[float, ...] = (80, 260, 340, 420), top: float = 500) -> list[Item]:
    return [text(xs[x], top - 18 * y, cell) for y, row in enumerate(rows) for x, cell in enumerate(row) if cell]


@pytest.mark.parametrize("corner", ["Control", ""])
def test_an_empty_cell_shows_in_its_column(make_pdf: MakePdf, corner: str) -> None:
    """Without it nobody could tell an x below "No" from one below "Yes"."""
    matrix = [[corner, *MATRIX[0][1:]], *MATRIX[1:]]
    data = make_pdf([[*paragraph(740), *table_of(matrix)]])
    document = convert_bytes("a.pdf", data)
    assert tables(document) == [[" | ".join(cell or "–" for cell in row) for row in matrix]]
    check_places(document, data)


def test_an_empty_cell_shows_where_marks_are_centred_below_wide_titles(make_pdf: MakePdf) -> None:
    titles = table_of([["Control", "In place today", "Not in place"]], (80, 240, 380))
    marks = table_of([[], *([row[0], row[1], row[2]] for row in MATRIX[1:3])], (80, 272, 408))
    document = convert_bytes("a.pdf", make_pdf([[*titles, *marks]]))
    assert tables(document) == [
        ["Control | In place today | Not in place", "Escrow of the source | – | x", "Two factors at sign-in | x | –"]
    ]


def test_figures_beside_their_title_are_in_its_column(make_pdf: MakePdf) -> None:
    head = table_of([["Service", "Price", "Notes"]], (80, 240, 380))
    rows = table_of(
        [[], ["Hosting", "1,200", "a year"], ["Support", "300", ""], ["Training", "", "on request"]], (80, 280, 380)
    )
    document = convert_bytes("a.pdf", make_pdf([[*head, *rows]]))
    assert tables(document) == [
        ["Service | Price | Notes", "Hosting | 1,200 | a year", "Support | 300 | –", "Training | – | on request"]
    ]


def test_a_title_over_two_columns_leaves_the_rows_below_theirs(make_pdf: MakePdf) -> None:
    items = [
        *table_of([["", "Response and resolution in hours"]], (80, 240)),
        *table_of([[], ["Plan", "First", "Done"], ["Gold", "1", "4"], ["Basic", "8", ""]], (80, 240, 380)),
    ]
    document = convert_bytes("a.pdf", make_pdf([items]))
    assert tables(document)[0][-2:] == ["Gold | 1 | 4", "Basic | 8 | –"]


def test_another_table_below_a_line_has_columns_of_its_own(make_pdf: MakePdf) -> None:
    """And one that goes on below a heading has those of before."""
    plans = [["Plan", "First", "Done", "Credits"], ["Gold", "1", "4", "10%"], ["Basic", "8", "", "5%"]]
    below = [["At night"], ["Escrow of keys", "", "x", ""], ["Guards", "x", "", ""]]
    items = [*table_of(MATRIX), *table_of(below, top=410), text(80, 356, "Remarks are ours.")]
    items += table_of(plans, (80, 200, 300, 400), top=338)
    (rows,) = tables(convert_bytes("a.pdf", make_pdf([items])))
    said = [[cell or "–" for cell in row] for row in (*MATRIX, *below[1:], *plans)]
    assert rows == [
        *map(" | ".join, said[:5]),
        "At night",
        *map(" | ".join, said[5:7]),
        "Remarks are ours.",
        *map(" | ".join, said[7:]),
    ]


def close_rows(rows: list[list[str]], xs: tuple[float, ...]) -> list[Item]:
    """A table set as tight as Word sets one."""
    return [text(xs[x], 500 - 13 * y, cell) for y, row in enumerate(rows) for x, cell in enumerate(row) if cell]


UNANSWERED = [
    ["Requirement", "Fulfilled"],
    ["Encryption of data at rest", "Yes"],
    ["Monthly restore tests", ""],
    ["SOC 2 report of type II", "Yes"],
    ["Bug bounty programme", ""],
    ["Hosting in the EU only", "No"],
    ["Escrow", ""],
]


@pytest.mark.parametrize("prose", [True, False])
def test_a_row_that_nobody_has_answered_does_not_take_the_next_ones_answer(make_pdf: MakePdf, prose: bool) -> None:
    """With nothing else on the page, the reader tells each cell as a line of its own."""
    items = close_rows(UNANSWERED, (80, 300))
    (rows,) = tables(convert_bytes("a.pdf", make_pdf([[*(paragraph(740) if prose else []), *items]])))
    assert rows == [" | ".join(filter(None, row)) for row in UNANSWERED]


def test_a_wrapped_question_takes_no_unanswered_one_before_it(make_pdf: MakePdf) -> None:
    items = close_rows(
        [["Question", "Yes", "No"], ["Do you encrypt data?", "X", ""], ["Do you test restores?"]], (80, 240, 380)
    )
    items += [
        text(80, 461, "Do you have a SOC 2"),
        text(80, 448, "report?"),
        text(240, 461, "X"),
        text(80, 435, "Is there a bounty?"),
        text(380, 435, "X"),
    ]
    (rows,) = tables(convert_bytes("a.pdf", make_pdf([[*paragraph(740), *items]])))
    assert rows == [
        "Question | Yes | No",
        "Do you encrypt data? | X | –",
        "Do you test restores?",
        "Do you have a SOC 2 report? | X | –",
        "Is there a bounty? | – | X",
    ]


def test_others_at_the_foot_of_a_wrapped_cell_are_of_its_row(make_pdf: MakePdf) -> None:
    lines = [
        ["Requirement", "Met"],
        ["All data are encrypted at rest and"],
        ["in transit", "Yes"],
        ["Access is taken away on the day of"],
        ["Departure of a person", "No"],
    ]
    (rows,) = tables(convert_bytes("a.pdf", make_pdf([[*paragraph(740), *close_rows(lines, (80, 300))]])))
    assert rows[1:] == [
        "All data are encrypted at rest and in transit | Yes",
        "Access is taken away on the day of Departure of a person | No",
    ]


def test_a_cell_alone_in_a_further_column_shows_in_it(make_pdf: MakePdf) -> None:
    area = [
        ["Area", "Control", "Status"],
        ["Access", "MFA", "done"],
        ["", "SSO", "open"],
        ["", "SCIM", ""],
        ["Data", "Keys", "done"],
    ]
    (rows,) = tables(convert_bytes("a.pdf", make_pdf([[*paragraph(740), *table_of(area, (80, 240, 380))]])))
    assert rows == [" | ".join(cell or "–" for cell in row) for row in area]


@pytest.mark.parametrize(
    "words",
    [
        "All prices are net, and hold until the end of the year that follows.",
        "It holds for both of the plans in all of the regions",
    ],
)
def test_a_paragraph_between_two_tables_is_none_of_their_rows(make_pdf: MakePdf, words: str) -> None:
    first, second = MATRIX[:3], [["Product", "Price", "Unit"], ["Licence", "100", "user"], ["Support", "", "year"]]
    lines = [text(80, 440, words + " and of all who buy"), text(80, 426, words)]
    items = [*table_of(first), *lines, *table_of(second, (80, 200, 300), top=400)]
    document = convert_bytes("a.pdf", make_pdf([[*paragraph(740), *items]]))
    assert tables(document) == [[" | ".join(cell or "–" for cell in row) for row in rows] for rows in (first, second)]


def test_narrow_columns_whose_cells_are_wrapped_are_parted(make_pdf: MakePdf) -> None:
    """Their titles stand close, and what stands below them begins a line of its own."""
    items = [text(90, 670, "Requirement"), text(165, 670, "Yes"), text(195, 670, "No"), text(400, 670, "Comment")]
    items += [text(90, 657, "Encryption"), text(90, 644, "at rest"), text(165, 657, "x"), text(400, 657, "AES-256")]
    items += [text(90, 631, "Single log"), text(90, 618, "in to all"), text(195, 631, "x"), text(400, 631, "planned")]
    (rows,) = tables(convert_bytes("a.pdf", make_pdf([[*paragraph(740), *items]])))
    assert rows == [
        "Requirement | Yes | No | Comment",
        "Encryption at rest | x | – | AES-256",
        "Single log in to all | – | x | planned",
    ]


@pytest.mark.parametrize("indent", [0.0, 6.0])
def test_the_names_of_groups_are_rows_of_their_table(make_pdf: MakePdf, indent: float) -> None:
    prices = [
        [(80.0, "Item"), (296.0, "Year 1"), (376.0, "Year 2"), (456.0, "Year 3")],
        [(80.0, "Licences")],
        [(80.0 + indent, "Base"), (296.0, "10,000"), (376.0, "10,500"), (456.0, "11,000")],
        [(80.0 + indent, "Add-on"), (382.0, "2,000"), (462.0, "2,100")],
        [(80.0, "Services")],
        [(80.0 + indent, "Training"), (302.0, "5,000")],
        [(80.0, "Total"), (296.0, "15,000"), (376.0, "12,500"), (456.0, "13,100")],
    ]
    cells = [text(x, 700 - 18 * at, words) for at, row in enumerate(prices) for x, words in row]
    (table,) = tables(convert_bytes("a.pdf", make_pdf([[*paragraph(780), *cells, *paragraph(500)]])))
    assert table[:3] == ["Item | Year 1 | Year 2 | Year 3", "Licences", "Base | 10,000 | 10,500 | 11,000"]
    assert table[4:] == ["Services", "Training | 5,000 | – | –", "Total | 15,000 | 12,500 | 13,100"]
