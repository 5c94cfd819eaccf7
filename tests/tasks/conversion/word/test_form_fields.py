"""Check boxes and drop-down fields of Word forms."""

from __future__ import annotations

import io

import docx
import pytest

from tests.made.conversions import convert_bytes
from tests.made.word_files import read_paragraph


def legacy(field: str) -> str:
    return (
        f'<w:r><w:fldChar w:fldCharType="begin"><w:ffData><w:name w:val="F"/>{field}</w:ffData></w:fldChar></w:r>'
        '<w:r><w:instrText> FORM </w:instrText></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r>'
    )


def control(is_set: int, content: str) -> str:
    return (
        f'<w:sdt><w:sdtPr><w14:checkbox><w14:checked w14:val="{is_set}"/></w14:checkbox></w:sdtPr>'
        f"<w:sdtContent><w:r>{content}</w:r></w:sdtContent></w:sdt>"
    )


def symbol(code: str, font: str = "Wingdings") -> str:
    return f'<w:sym w:font="{font}" w:char="{code}"/>'


@pytest.mark.parametrize(
    ("state", "mark"),
    [
        ("<w:checked/>", "☒"),
        ('<w:default w:val="1"/>', "☒"),
        ('<w:default w:val="0"/><w:checked w:val="1"/>', "☒"),
        ('<w:default w:val="1"/><w:checked w:val="0"/>', "☐"),
        ('<w:default w:val="0"/>', "☐"),
        ("", "☐"),
    ],
)
def test_a_legacy_box_is_read_as_it_is_set(state: str, mark: str) -> None:
    box = legacy(f"<w:checkBox><w:sizeAuto/>{state}</w:checkBox>")
    assert read_paragraph("Encrypted? ", box, " Yes") == f"Encrypted? {mark} Yes"


@pytest.mark.parametrize(
    ("state", "chosen"),
    [('<w:result w:val="2"/>', "No"), ('<w:default w:val="1"/>', "Yes"), ("", "Choose"), ('<w:result w:val="9"/>', "")],
)
def test_a_legacy_list_is_read_as_it_is_chosen(state: str, chosen: str) -> None:
    entries = "".join(f'<w:listEntry w:val="{entry}"/>' for entry in ("Choose", "Yes", "No"))
    assert (
        read_paragraph("Encrypted? ", legacy(f"<w:ddList>{state}{entries}</w:ddList>"))
        == f"Encrypted? {chosen}".strip()
    )


def test_a_field_of_text_is_left_to_its_text() -> None:
    assert read_paragraph(legacy("<w:textInput/>"), "Corvane") == "Corvane"


def test_a_content_control_shows_its_own_sign_or_else_its_state() -> None:
    assert read_paragraph(control(1, "<w:t>☒</w:t>"), " Yes ", control(0, "<w:t>☐</w:t>"), " No") == "☒ Yes ☐ No"
    assert read_paragraph(control(1, symbol("F0FE")), " Yes ", control(0, symbol("F0A8")), " No") == "☑ Yes ☐ No"
    assert (
        read_paragraph(control(1, symbol("F021", "Odd")), " Yes ", control(0, symbol("F022", "Odd")), " No")
        == "☒ Yes ☐ No"
    )


def test_symbols_that_are_boxes_become_text_and_others_do_not() -> None:
    signs = ("F0FE", "00FD", "F0A8", "F0FC", "F04A", "no number")
    assert read_paragraph(*(f"<w:r>{symbol(sign)}</w:r>" for sign in signs), "end") == "☑☒☐✓end"
    assert read_paragraph(f"<w:r>{symbol('F052', 'Wingdings 2')}{symbol('F052', 'Symbol')}</w:r>", "end") == "☑Ρend"


def test_what_a_tracked_change_deleted_is_gone_with_its_marks() -> None:
    gone = f'<w:del w:id="1" w:author="a"><w:r>{symbol("F0FE")}</w:r></w:del>'
    assert read_paragraph(gone, "Kept") == "Kept"


def test_a_mark_in_a_table_says_below_which_heading_it_stands() -> None:
    document = docx.Document()
    table = document.add_table(rows=4, cols=3)
    rows = [("Control", "Yes", "No"), ("Encrypted", "X", ""), ("Tested", "", "x"), ("Logged", "☐", "☒")]
    for cells, texts in zip(table.rows, rows, strict=True):
        for cell, text in zip(cells.cells, texts, strict=True):
            cell.text = text
    out = io.BytesIO()
    document.save(out)
    assert convert_bytes("form.docx", out.getvalue()).text == (
        "Control | Yes | No\nEncrypted | Yes: X | –\nTested | – | No: x\nLogged | Yes: ☐ | No: ☒"
    )


def test_a_merged_cell_is_said_in_each_row_and_leaves_the_others_in_their_columns() -> None:
    document = docx.Document()
    rows = [
        ("Area", "Control", "Yes", "No"),
        ("Access", "Two factors", "x", ""),
        ("", "Reviews", "", "x"),
        ("Network", "", "", "x"),
        ("All of it", "", "", ""),
    ]
    table = document.add_table(rows=len(rows), cols=4)
    for cells, texts in zip(table.rows, rows, strict=True):
        for cell, text in zip(cells.cells, texts, strict=True):
            cell.text = text
    table.cell(1, 0).merge(table.cell(2, 0))
    table.cell(3, 1).merge(table.cell(3, 2))
    out = io.BytesIO()
    document.save(out)
    (found,) = convert_bytes("form.docx", out.getvalue()).elements
    assert found.text.splitlines() == [
        "Area | Control | Yes | No",
        "Access | Two factors | Yes: x | –",
        "Access | Reviews | – | No: x",
        "Network | – | – | No: x",
        "All of it",
    ]
    assert found.html is not None and '<td rowspan="2">Access' in found.html
