"""Filling: what goes where, what stays as it was, and that a spreadsheet program reads it."""

from __future__ import annotations

import csv
import io
import re
import shutil
import subprocess
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree
from openpyxl import Workbook, load_workbook
from openpyxl.cell.cell import MergedCell
from openpyxl.worksheet.worksheet import Worksheet

from tasks.errors import UsageError
from tasks.questionnaires.filling.fill_questionnaire import FilledAnswer, fill_questionnaire
from tasks.questionnaires.formats.safe_cell_text import MAX_CELL_CHARACTERS, clean_text, guard_formula
from tasks.questionnaires.reading.read_questionnaire import load_grids, read_questionnaire
from tasks.questions.review_columns import REVIEW_TITLES

Make = Callable[..., bytes]
GOLDEN = Path(__file__).parent / "golden"
FULL = FilledAnswer(
    "1.1",
    "answered",
    "Yes",
    "The board approved it in May.",
    "yes",
    "high",
    0.912,
    "policy.pdf, p. 3; soc2.pdf, p. 9",
)
DECLINED = FilledAnswer("1.2", "declined", "never shown", "", reason="no evidence")
REVIEW = FilledAnswer("2.1", "needs_review", "partial", "At rest, but not in the cache.", "partial", "low", 0.4)


def filled(data: bytes, name: str, *answers: FilledAnswer) -> bytes:
    return fill_questionnaire(data, read_questionnaire(data, name), answers)


def sheet_of(data: bytes, name: str | None = None) -> Worksheet:
    workbook = load_workbook(io.BytesIO(data))
    return workbook[name] if name else workbook.active


def row_of(sheet: Worksheet, row: int) -> list[object]:
    return [cell.value for cell in sheet[row]]


def parts(data: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def test_client_a_is_filled_in_place(client_a: bytes) -> None:
    sheet = sheet_of(filled(client_a, "a.xlsx", FULL, DECLINED, REVIEW), "Questionnaire")
    assert row_of(sheet, 4) == ["Ref", "Question", "Answer", "Comments", *REVIEW_TITLES]
    assert row_of(sheet, 6)[2:] == [
        "Yes", "The board approved it in May.", "yes", "high (0.91)", FULL.citations, "answered",
    ]  # fmt: skip
    assert row_of(sheet, 7)[2:] == [None, None, None, None, None, "declined: no evidence"]
    assert row_of(sheet, 9)[2:] == [
        "Partial",
        REVIEW.comment_text,
        "partial",
        "low (0.40)",
        None,
        "needs_review",
    ]
    assert row_of(sheet, 10)[2:4] == ["Yes", "Answered last year"]
    assert [sheet.cell(4, c)._style for c in range(5, 9)] == [sheet.cell(4, 2)._style] * 4
    assert sheet.cell(6, 7).alignment.wrap_text
    assert sheet.column_dimensions["G"].width > 30
    assert sheet.calculate_dimension() == "A1:H12"


def test_everything_else_is_kept(client_a: bytes) -> None:
    before, after = parts(client_a), parts(filled(client_a, "a.xlsx", FULL, DECLINED, REVIEW))
    assert list(before) == list(after)
    assert [name for name in before if before[name] != after[name]] == ["xl/worksheets/sheet2.xml"]
    for tag in ("dataValidations", "conditionalFormatting", "mergeCells", "sheetViews", "pageMargins"):
        kept = [
            [etree.tostring(e) for e in etree.fromstring(p["xl/worksheets/sheet2.xml"]).iterfind(f"{{*}}{tag}")]
            for p in (before, after)
        ]
        assert kept[0] == kept[1] != []
    order = [etree.QName(e).localname for e in etree.fromstring(after["xl/worksheets/sheet2.xml"])]
    assert order.index("sheetFormatPr") < order.index("cols") < order.index("sheetData")


def test_the_same_answers_give_the_same_bytes(client_a: bytes) -> None:
    assert filled(client_a, "a.xlsx", FULL) == filled(client_a, "a.xlsx", FULL)
    assert filled(client_a, "a.xlsx") == client_a


def test_rows_grow_to_wrapped_text_unless_their_height_was_set(client_a: bytes, patch_package: Make) -> None:
    fix = {"xl/worksheets/sheet2.xml": lambda xml: xml.replace('<row r="9"', '<row r="9" ht="20" customHeight="1"')}
    long = FilledAnswer("1.1", "answered", "Yes", "word " * 60)
    data = filled(patch_package(client_a, fix), "a.xlsx", long, FilledAnswer("2.1", "answered", "Yes", "word " * 60))
    rows = {row.get("r"): row for row in etree.fromstring(parts(data)["xl/worksheets/sheet2.xml"]).iter("{*}row")}
    assert (rows["6"].get("ht"), rows["6"].get("customHeight")) == ("135", None)
    assert rows["9"].get("ht") == "20"
    assert rows["7"].get("ht") is None


def test_a_persons_answer_is_kept_and_the_draft_stands_beside(client_a: bytes) -> None:
    draft = FilledAnswer("2.2", "answered", "No", "Every two years.", "no", "high", 0.9)
    sheet = sheet_of(filled(client_a, "a.xlsx", draft), "Questionnaire")
    assert row_of(sheet, 10)[2:4] == ["Yes", "Answered last year"]
    assert sheet["E4"].value == "bidfolio answer"
    assert sheet["E10"].value == "No\nEvery two years."
    assert sheet["I10"].value == "answered; the answer already in the file is kept"


def test_a_second_fill_uses_the_review_columns_again(client_a: bytes) -> None:
    once = filled(client_a, "a.xlsx", FULL)
    assert read_questionnaire(once, "a.xlsx").sheets[0].answered_rows == (6, 10)
    sheet = sheet_of(filled(once, "a.xlsx", REVIEW), "Questionnaire")
    assert row_of(sheet, 4) == ["Ref", "Question", "Answer", "Comments", *REVIEW_TITLES]
    assert (sheet["C6"].value, sheet["H6"].value, sheet["C9"].value) == ("Yes", "answered", "Partial")


def test_without_answer_column_the_answer_gets_one(make_sheet: Make) -> None:
    data = make_sheet([["Ref", "Question"], ["a", "Do you log access?"]])
    sheet = sheet_of(filled(data, "q.xlsx", FilledAnswer("a", "answered", "Yes", "For a year.", "yes")))
    assert row_of(sheet, 1) == ["Ref", "Question", "bidfolio answer", *REVIEW_TITLES]
    assert row_of(sheet, 2)[2:] == ["Yes\nFor a year.", "yes", None, None, "answered"]


def test_a_word_that_the_dropdown_lacks_is_not_written(client_a: bytes) -> None:
    answer = FilledAnswer("2.1", "answered", "Only for backups", "")
    sheet = sheet_of(filled(client_a, "a.xlsx", answer), "Questionnaire")
    assert row_of(sheet, 9)[2:4] == [None, "Only for backups"]
    assert sheet["H9"].value == "answered; the answer column has no choice for this answer"
    textual = FilledAnswer("2.1", "answered", comment_text="In Dublin.")
    sheet = sheet_of(filled(client_a, "a.xlsx", textual), "Questionnaire")
    assert row_of(sheet, 9)[2:4] == [None, "In Dublin."]
    assert sheet["H9"].value == "answered; the answer column has no choice for this answer"


def test_caiq_is_crossed(caiq: bytes) -> None:
    answers = [
        FilledAnswer("AIS-01.1", "answered", "Yes", "ISO 27034.", "yes"),
        FilledAnswer("AIS-01.2", "answered", "Not applicable", "", "not_applicable"),
        FilledAnswer("AIS-01.3", "answered", "Partial", "Yearly.", "partial"),
    ]
    sheet = sheet_of(filled(caiq, "caiq.xlsx", *answers))
    assert [row_of(sheet, row)[5:9] for row in (4, 5, 6)] == [
        ["x", None, None, "ISO 27034."],
        [None, None, "x", None],
        [None, None, None, "Yearly."],
    ]
    assert sheet["J2"].value == "bidfolio answer" and sheet["J6"].value == "Partial"
    assert "no choice" in sheet["N6"].value
    assert sheet.merged_cells.ranges == sheet_of(caiq).merged_cells.ranges


def test_an_answer_without_a_verdict_misses_no_column_of_crosses(caiq: bytes) -> None:
    answer = FilledAnswer("AIS-01.1", "needs_review", "Code is reviewed by a second person.", "", reason="look")
    sheet = sheet_of(filled(caiq, "caiq.xlsx", answer))
    assert row_of(sheet, 4)[5:9] == [None, None, None, "Code is reviewed by a second person."]
    said = [str(value) for value in row_of(sheet, 4)[9:] if value]
    assert "needs_review: look" in said and not any("no choice" in one for one in said)


# openpyxl warns that it would lose the dropdown: here it only looks at the result.
@pytest.mark.filterwarnings("ignore:Data Validation extension")
def test_x14_dropdowns_and_cached_formulas_survive(x14_book: bytes) -> None:
    answer = FilledAnswer("Q-2", "answered", "n/a", "Not ours.", "not_applicable")
    after = filled(x14_book, "x.xlsx", answer)
    before, now = parts(x14_book), parts(after)
    assert [name for name in before if before[name] != now[name]] == ["xl/worksheets/sheet1.xml"]
    xml = now["xl/worksheets/sheet1.xml"].decode()
    assert "'The lists'!$B$2:$B$5" in xml and "x14:dataValidation" in xml
    assert "<f>VLOOKUP(A2,Lists!A:B,2,FALSE)</f><v>Do you do thing 2?</v>" in xml
    assert sheet_of(after)["C2"].value == "N/A"
    assert read_questionnaire(after, "x.xlsx").questions[0].text == "Do you do thing 2?"


def test_ignorable_prefixes_stay_declared(patch_package: Make, make_sheet: Make) -> None:
    extra = (
        '<worksheet mc:Ignorable="x14ac" '
        'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" '
        'xmlns:x14ac="http://schemas.microsoft.com/office/spreadsheetml/2009/9/ac" '
    )
    data = make_sheet([["Ref", "Question", "Answer"], ["a", "Do you log access?"]])
    data = patch_package(data, {"xl/worksheets/sheet1.xml": lambda xml: xml.replace("<worksheet ", extra, 1)})
    xml = parts(filled(data, "q.xlsx", FilledAnswer("a", "answered", "Yes")))["xl/worksheets/sheet1.xml"].decode()
    assert 'mc:Ignorable="x14ac"' in xml and "xmlns:x14ac=" in xml


def test_merged_formula_and_shared_answer_cells() -> None:
    workbook = Workbook()
    sheet = workbook.active
    sheet.append(["Ref", "Question", "Answer", None])
    for number in range(1, 6):
        sheet.append([f"m{number}", f"Describe thing number {number}."])
    sheet.merge_cells("C1:D1")
    sheet.merge_cells("C2:D2")
    sheet.merge_cells("C3:D4")
    sheet["C5"] = '=IF(TRUE,"",1)'
    out = io.BytesIO()
    workbook.save(out)
    answers = [FilledAnswer(f"m{number}", "answered", f"text {number}") for number in range(1, 6)]
    after = sheet_of(filled(out.getvalue(), "m.xlsx", *answers))
    assert [after.cell(row, 3).value for row in (2, 3, 5, 6)] == [
        "text 1",
        "text 2",
        '=IF(TRUE,"",1)',
        "text 5",
    ]
    assert isinstance(after["C4"], MergedCell)
    assert [after.cell(row, 5).value for row in range(1, 7)] == [
        "bidfolio answer", None, None, "text 3", "text 4", None,
    ]  # fmt: skip
    assert after["I4"].value == "answered; the answer cell is shared with another question or column"
    assert after["I5"].value == "answered; the answer cell holds a formula and is kept"


def test_several_sheets_are_filled(make_sheet: Make) -> None:
    one = [["Ref", "Question", "Answer"], ["a", "Do you log access?"]]
    two = [["Ref", "Requirement", "Response"], ["b", "Logs shall be kept for a year."]]
    answers = [FilledAnswer("a", "answered", "Yes"), FilledAnswer("b", "answered", "They are.")]
    after = load_workbook(io.BytesIO(filled(make_sheet(one, two, names=("A", "B")), "s.xlsx", *answers)))
    assert (after["A"]["C2"].value, after["B"]["C2"].value) == ("Yes", "They are.")


def test_hidden_columns_are_split_and_spans_and_styles_followed(patch_package: Make, make_sheet: Make) -> None:
    data = make_sheet([["Ref", "Question", "Answer"], ["a", "Do you log access?"]])
    hidden = '<cols><col min="3" max="3" width="9" style="0"/><col min="4" max="16384" hidden="1" width="0"/></cols>'

    def edit(xml: str) -> str:
        xml = xml.replace("<sheetData>", hidden + "<sheetData>")
        return re.sub(r'<row r="(\d)"[^>]*>', r'<row r="\1" spans="1:3" ht="15">', xml)

    data = patch_package(data, {"xl/worksheets/sheet1.xml": edit})
    xml = parts(filled(data, "q.xlsx", FilledAnswer("a", "answered", "Yes")))["xl/worksheets/sheet1.xml"]
    root = etree.fromstring(xml)
    columns = [(int(c.attrib["min"]), int(c.attrib["max"]), c.get("hidden")) for c in root.iterfind("{*}cols/{*}col")]
    assert columns == [(3, 3, None), *[(c, c, None) for c in range(4, 8)], (8, 16384, "1")]
    assert {row.get("spans") for row in root.iter("{*}row")} == {"1:7"}
    assert {row.get("ht") for row in root.iter("{*}row")} == {"15"}
    references = [cell.get("r") for cell in root.iter("{*}c") if str(cell.attrib["r"]).endswith("2")]
    assert references == [f"{letter}2" for letter in "ABCDEFG"]


@pytest.mark.parametrize(
    "text",
    ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "＝1", " =1", "\x00=1", '=HYPERLINK("http://x")'],
)
def test_no_text_becomes_a_formula(text: str, client_b: bytes, client_b_csv: bytes) -> None:
    answer = FilledAnswer("1", "answered", text, citations=text)
    sheet = sheet_of(filled(client_b, "b.xlsx", answer))
    assert {sheet["D2"].data_type, sheet["G2"].data_type} <= {"s", "n"} and sheet["D2"].data_type != "f"
    assert sheet["D2"].value == clean_text(text)
    row = list(csv.reader(io.StringIO(filled(client_b_csv, "b.csv", answer).decode(), newline=""), delimiter=";"))[1]
    assert row[3] == row[6] == "'" + clean_text(text)


@pytest.mark.parametrize("text", ["5 - 3", "a=b", "Yes", "", "'=1"])
def test_harmless_text_gets_no_apostrophe(text: str) -> None:
    assert guard_formula(text) == text


def test_long_and_illegal_text() -> None:
    assert clean_text("a\x00b\x0bc\ud800d\ufffee\r\nf\rg\th") == "abcde\nf\ng\th"
    assert clean_text("x" * MAX_CELL_CHARACTERS) == "x" * MAX_CELL_CHARACTERS
    cut = clean_text("𝄞" * MAX_CELL_CHARACTERS)
    assert cut.endswith("…") and len(cut.encode("utf-16-le")) // 2 <= MAX_CELL_CHARACTERS


TEXTS = st.text(max_size=60) | st.sampled_from(["_x000D_", "_x005F_", " a ", "<&>\"'", "]]>", "a\n\nb", "=1", "𝄞"])


@settings(max_examples=60, deadline=None)
@given(st.lists(TEXTS, min_size=3, max_size=3), st.sampled_from([",", ";", "\t", "|", "xlsx"]))
def test_fill_then_read_gives_the_texts_back(texts: list[str], form: str) -> None:
    rows = [
        ["Ref", "Question", "Answer", "Comments"],
        ["a", "Describe one."],
        ["b", "Describe two."],
        ["c", "How?"],
    ]
    if form == "xlsx":
        workbook, out = Workbook(), io.BytesIO()
        for row in rows:
            workbook.active.append(row)
        workbook.save(out)
        data = out.getvalue()
    else:
        data = "\n".join(form.join([*row, "", ""][:4]) for row in rows).encode()
    answers = [FilledAnswer(i, "answered", t, t, citations=t) for i, t in zip("abc", texts, strict=True)]
    after = filled(data, f"q.{form if form == 'xlsx' else 'csv'}", *answers)
    (grid,) = load_grids(after, "q.xlsx" if form == "xlsx" else "q.csv")
    for row_number, text in enumerate(texts, 2):
        expected = clean_text(text) if form == "xlsx" else clean_text(guard_formula(clean_text(text)))
        for number in (3, 4, 7):
            got = grid.texts[row_number].get(number, "")
            assert got == expected or (not got and not expected.strip())


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|", "^", "~"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
def test_csv_keeps_delimiter_encoding_line_ends_and_quotes(delimiter: str, encoding: str, line_end: str) -> None:
    lines = [
        delimiter.join(["Nr", '"Question"', "Answer", "Comments", "Prüfer"]),
        delimiter.join(["1", f'"Do you ""log""{delimiter} access?\nAlways?"', "", "", '"é"']),
        delimiter.join(["2", "Describe your logs", "", "", ""]),
    ]
    data = (line_end.join(lines) + line_end).encode(encoding)
    after = filled(data, "q.csv", FilledAnswer("1", "answered", "Yes", f'a{delimiter}b\n"c"'))
    old = list(csv.reader(io.StringIO(data.decode(encoding), newline=""), delimiter=delimiter))
    new = list(csv.reader(io.StringIO(after.decode(encoding), newline=""), delimiter=delimiter))
    assert [len(row) for row in new] == [9, 9, 9]
    assert new[0] == [*old[0], *REVIEW_TITLES]
    assert new[1] == [*old[1][:2], "Yes", f'a{delimiter}b\n"c"', old[1][4], "", "", "", "answered"]
    assert new[2][:5] == old[2]
    text = after.decode(encoding)
    assert (
        text.startswith(lines[0]) and text.endswith(line_end) and text.count("\r") == data.decode(encoding).count("\r")
    )
    assert after[:2] == data[:2]


def test_csv_of_another_encoding_becomes_utf8_when_it_must(client_b_csv: bytes) -> None:
    data = client_b_csv.replace(b"Hosting", b"H\xf6sting")
    assert filled(data, "b.csv", FilledAnswer("1", "answered", "Straße")).decode("cp1252")
    after = filled(data, "b.csv", FilledAnswer("1", "answered", "≥ 99.9 %"))
    assert after.startswith(b"\xef\xbb\xbf") and "Hösting" in after.decode("utf-8-sig")


def test_csv_where_all_is_quoted_stays_so() -> None:
    data = b'"Ref","Question","Answer"\n"a","Do you log access?",""\n'
    after = filled(data, "q.csv", FilledAnswer("a", "answered", "Yes")).decode()
    assert after.splitlines()[1].startswith('"a","Do you log access?","Yes",')
    assert '"bidfolio status"' in after


def test_empty_csv_fields_at_the_end_stay_the_customers() -> None:
    data = b"Ref,Question,Answer,\na,Do you log access?,,\n"
    after = filled(data, "q.csv", FilledAnswer("a", "answered", "Yes")).decode()
    assert after.splitlines()[0] == "Ref,Question,Answer,," + ",".join(REVIEW_TITLES)
    assert after.splitlines()[1] == "a,Do you log access?,Yes,,,,,answered"


def test_tiny_csv_matches_the_golden_file() -> None:
    data = (GOLDEN / "tiny.csv").read_bytes()
    answers = [
        FilledAnswer("S-1", "answered", "Yes", "", "yes", "high", 0.93, "policy.pdf, p. 4"),
        FilledAnswer("S-2", "declined", "", "", reason="no_evidence"),
        FilledAnswer("S-3", "needs_review", "-30 days, then deleted", "", None, "low", 0.41, "ops.docx, § Logs"),
    ]
    assert filled(data, "tiny.csv", *answers) == (GOLDEN / "tiny_filled.csv").read_bytes()


def test_the_wrong_file_and_wrong_answers_are_refused(client_a: bytes, client_b: bytes) -> None:
    questionnaire = read_questionnaire(client_a, "a.xlsx")
    with pytest.raises(UsageError, match=r"a\.xlsx: the file changed"):
        fill_questionnaire(client_b, questionnaire, [FULL])
    with pytest.raises(ValueError, match="unknown"):
        fill_questionnaire(client_a, questionnaire, [FilledAnswer("9.9", "answered")])
    with pytest.raises(ValueError, match="twice"):
        fill_questionnaire(client_a, questionnaire, [FULL, FULL])


@pytest.mark.skipif(shutil.which("soffice") is None, reason="LibreOffice (soffice) is not installed")
@pytest.mark.parametrize("book", ["client_a", "client_b", "caiq", "x14_book"])
def test_libreoffice_opens_the_result(book: str, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    data = request.getfixturevalue(book)
    questions = read_questionnaire(data, "q.xlsx").questions
    text = "=1+1 is text\n<&> ü"
    answers = [FilledAnswer(q.question_id, "answered", "Yes", text, "yes", citations=text) for q in questions]
    (tmp_path / "q.xlsx").write_bytes(filled(data, "q.xlsx", *answers))
    command = [
        "soffice",
        f"-env:UserInstallation=file://{tmp_path}/profile",
        "--headless",
        "--convert-to",
        "ods",
    ]
    there = [*command, "--outdir", str(tmp_path), str(tmp_path / "q.xlsx")]
    subprocess.run(there, check=True, capture_output=True, timeout=180)
    back = [*command[:-1], "xlsx:Calc MS Excel 2007 XML", "--outdir", str(tmp_path / "back"), str(tmp_path / "q.ods")]
    subprocess.run(back, check=True, capture_output=True, timeout=180)
    grids = load_grids((tmp_path / "back" / "q.xlsx").read_bytes(), "q.xlsx")
    cells = [cell for grid in grids for row in grid.texts.values() for cell in row.values()]
    assert sum(cell.startswith(text) or cell.endswith(text) for cell in cells) >= len(questions)
    assert all(title in cells for title in REVIEW_TITLES)
