"""What a file holds and does not show is no evidence: nobody who opens it would find it."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

import openpyxl
import pptx
import pytest
from openpyxl.styles import Font

from tasks.conversion.files.convert import convert
from tasks.conversion.office import unstructured_reader
from tasks.errors import ConversionError
from tests.made.conversions import convert_bytes
from tests.made.source_files import source_of


def saved(book: Any) -> bytes:
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def sheet(change: Callable[[Any], None], rows: int = 4) -> list[str]:
    """What is read of a sheet of ``rows`` rows of three cells, after ``change``."""
    book = openpyxl.Workbook()
    for row in range(1, rows + 1):
        book.active.append([f"{column}{row}" for column in "ABC"])
    change(book.active)
    return convert_bytes("s.xlsx", saved(book)).text.split("\n")


def test_hidden_rows_and_columns_are_left_out_and_others_keep_their_numbers() -> None:
    def change(shown: Any) -> None:
        shown.column_dimensions["B"].hidden = True
        shown.row_dimensions[2].hidden = True

    book = openpyxl.Workbook()
    for row in range(1, 5):
        book.active.append([f"{column}{row}" for column in "ABC"])
    change(book.active)
    got = convert_bytes("s.xlsx", saved(book))
    assert [(e.row_number, e.text) for e in got.elements] == [(1, "A1 | C1"), (3, "A3 | C3"), (4, "A4 | C4")]


def test_a_stretch_of_hidden_columns_reaches_to_the_end() -> None:
    def change(shown: Any) -> None:
        shown.column_dimensions.group("B", "XFD", outline_level=0, hidden=True)

    assert sheet(change, rows=2) == ["A1", "A2"]


def test_what_a_filter_hides_is_read_and_what_stands_below_it_is_not() -> None:
    def change(shown: Any) -> None:
        shown.auto_filter.ref = "A1:C3"
        shown.auto_filter.add_filter_column(0, ["A2"])
        shown.row_dimensions[3].hidden = shown.row_dimensions[4].hidden = True

    assert len(sheet(change)) == 3
    assert len(sheet(lambda shown: setattr(shown.row_dimensions[3], "hidden", True))) == 3


def test_folded_groups_are_read() -> None:
    def change(shown: Any) -> None:
        shown.row_dimensions.group(2, 3, hidden=True)
        shown.column_dimensions.group("B", hidden=True)

    assert sheet(change) == [f"A{row} | B{row} | C{row}" for row in range(1, 5)]


@pytest.mark.parametrize("state", ["hidden", "veryHidden"])
def test_hidden_sheets_are_left_out(state: str) -> None:
    book = openpyxl.Workbook()
    book.active.append(["Shown", "here"])
    lists = book.create_sheet("Lists")
    lists.append(["Yes"])
    lists.sheet_state = state
    assert [page.sheet_name for page in convert_bytes("s.xlsx", saved(book)).pages] == ["Sheet"]
    book.active.delete_rows(1)
    with pytest.raises(ConversionError, match="no text found on a sheet that is shown; what is hidden is not read"):
        convert(source_of("s.xlsx", saved(book)), saved(book), unstructured_reader)


def test_a_merged_title_is_seen_beside_its_hidden_column() -> None:
    def change(shown: Any) -> None:
        shown["B1"] = shown["C1"] = shown["A2"] = None
        shown.merge_cells("A1:C1")
        shown.merge_cells("A2:A3")
        shown.column_dimensions["A"].hidden = True

    assert sheet(change)[0] == "A1"


def read_list(change: Callable[[Any], None]) -> list[tuple[str, str, str]]:
    book = openpyxl.Workbook()
    for row in (["Metric", "Value", "Owner"], ["RTO"], ["RPO", "1 h", "Ann"], ["Uptime", "99.9 %", "Bob"]):
        book.active.append(row)
    for cell in book.active[1]:
        cell.font = Font(bold=True)
    change(book.active)
    got = convert_bytes("s.xlsx", saved(book))
    return [(element.kind, element.text, element.section_path) for element in got.elements]


def test_a_record_without_its_values_is_no_title() -> None:
    assert read_list(lambda shown: None) == [
        ("row", "Metric: RTO", ""),
        ("row", "Metric: RPO; Value: 1 h; Owner: Ann", ""),
        ("row", "Metric: Uptime; Value: 99.9 %; Owner: Bob", ""),
    ]


@pytest.mark.parametrize(
    "change",
    [lambda shown: setattr(shown["A2"], "font", Font(bold=True)), lambda shown: shown.merge_cells("A2:C2")],
    ids=["bold", "merged"],
)
def test_what_looks_otherwise_than_records_is_a_title(change: Callable[[Any], None]) -> None:
    got = read_list(change)
    assert got[0][:2] == ("title", "RTO") and got[1][2] == "RTO"


def test_a_hidden_slide_keeps_its_number_and_says_nothing() -> None:
    deck = pptx.Presentation()
    for title, body in (("Backups", "Kept for 35 days."), ("Old prices", "Forty per cent."), ("Keys", "In a vault.")):
        slide = deck.slides.add_slide(deck.slide_layouts[1])
        slide.shapes.title.text, slide.placeholders[1].text = title, body
        slide.notes_slide.notes_text_frame.text = f"Say more of {title}."
    deck.slides[1]._element.set("show", "0")
    got = convert_bytes("d.pptx", saved(deck))
    assert [page.page_number for page in got.pages] == [1, 2, 3]
    assert "Old prices" not in got.text and "Forty" not in got.text
    assert {e.page_number for e in got.elements} == {1, 3}


def test_a_hidden_shape_is_not_read() -> None:
    deck = pptx.Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[1])
    slide.shapes.title.text, slide.placeholders[1].text = "Backups", "Draft: never say this."
    slide.shapes.add_textbox(0, 6_000_000, 900, 900).text_frame.text = "Kept for 35 days."
    slide.placeholders[1]._element.nvSpPr.cNvPr.set("hidden", "1")
    assert convert_bytes("d.pptx", saved(deck)).text.split("\n") == ["Backups", "Kept for 35 days."]


@pytest.mark.parametrize(
    "hidden",
    [
        "<p hidden>Not this.</p>",
        '<div style="color:red; DISPLAY : none"><p>Not this.</p></div>',
        '<p>Shown.<span style="visibility:hidden">Not this.</span></p>',
        "<template><p>Not this.</p></template>",
        "<p>Shown.<s>Not this.</s></p>",
        "<p>Shown.<strike>Not this.</strike><del>Not this.</del></p>",
        '<p>Shown.<span style="text-decoration: red line-through">Not this.</span></p>',
    ],
)
def test_hidden_markup_is_left_out(hidden: str) -> None:
    page = f"<html><body><h1>Backups</h1><p>Before.</p>{hidden}<p style='display:block'>After.</p></body></html>"
    got = convert_bytes("p.html", page.encode()).text
    assert "Not this" not in got and "Before." in got and "After." in got


def test_struck_text_of_a_slide_and_of_markdown_is_not_read() -> None:
    deck = pptx.Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[1])
    slide.shapes.title.text = "Backups"
    paragraph = slide.placeholders[1].text_frame.paragraphs[0]
    for said, strike in (("Kept for ", ""), ("30 ", "sngStrike"), ("90 days.", "noStrike")):
        run = paragraph.add_run()
        run.text = said
        run._r.get_or_add_rPr().set("strike", strike or "noStrike")
    assert convert_bytes("d.pptx", saved(deck)).text == "Backups\nKept for 90 days."
    text = "Kept for ~~30~~ 90 days.\n\n```\nrun ~~30~~\n```\n"
    assert convert_bytes("a.md", text.encode()).text == "Kept for 90 days.\nrun ~~30~~"


def test_a_picture_alone_in_a_cell_is_read_as_what_it_stands_for() -> None:
    table = (
        '<table><tr><th>Feature<th>Basic<th>Pro<tr><td>SSO<td><img src="n.svg" alt="No"><td>'
        '<i aria-label="included"></i>'
        '<tr><td>API<td><svg><title>x</title></svg><td>Yes <img src="i.svg" alt="More"></table>'
    )
    (found,) = (e for e in convert_bytes("p.html", f"<html><body>{table}".encode()).elements if e.kind == "table")
    assert found.text.split("\n")[1:] == ["SSO | No | included", "API | Basic: x | Yes"]


@pytest.mark.parametrize("unfolds", ['aria-controls="x a1"', 'data-bs-target="#a1"', 'href="#a1"'])
def test_a_folded_answer_is_read(unfolds: str) -> None:
    page = f"<html><body><p><a {unfolds}>Do you log?</a></p><div id='a1' style='display:none'>Yes.</div></body></html>"
    assert convert_bytes("p.html", page.encode()).text.split("\n") == ["Do you log?", "Yes."]
