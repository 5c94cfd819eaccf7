"""Workbooks of Excel 97 to 2003, which LibreOffice writes here."""

from __future__ import annotations

import datetime as dt
import io
import shutil
import struct
import subprocess
from pathlib import Path

import openpyxl
import pytest
from openpyxl.cell.rich_text import CellRichText, TextBlock
from openpyxl.cell.text import InlineFont
from openpyxl.styles import Font

from tasks.conversion.files.convert import convert
from tasks.conversion.office import unstructured_reader
from tasks.conversion.sheets.reader import read_workbook
from tasks.conversion.sheets.xls_reader import read_xls
from tasks.errors import ConversionError
from tasks.sources.file_types import detect_kind
from tests.made.conversions import convert_bytes
from tests.made.outlook_messages import compound_file
from tests.made.source_files import source_of

SHEETS = ("Security", "Empty", "Partly ☃", "Folded", "Filtered", "Merged", "Struck")
"""Those of :func:`workbook` that are shown."""


def workbook() -> bytes:
    book = openpyxl.Workbook()
    book.properties.title = "Acme past answers"
    sheet = book.active
    sheet.title = "Security"
    for row in (
        ["Acme questionnaire"],
        [],
        ["Question", "Answer", "Score", "Date", "Hour"],
        ["Do you encrypt?", "Yes, „größtenteils“\nand always", 0.955, dt.date(2026, 3, 2), dt.time(9, 30)],
        ["Do you log?", True, 3, dt.datetime(2026, 3, 2, 14, 5), None],
        ["Is it 1/0?", "=1/0", 2.5, None, None],
        ["Sum", "=1+2", -0.125, None, None],
    ):
        sheet.append(row)
    sheet["C4"].number_format = "0.0%"
    sheet["C7"].number_format = "0%"
    book.create_sheet("Empty")
    hidden = book.create_sheet("Hidden ☃")
    hidden.append(["kept", None, "too"])
    hidden.sheet_state = "hidden"
    partly = book.create_sheet("Partly ☃")
    for cells in (["Owners of controls"], ["k1", "Logs", "Ann"], ["k2", "Backups", "Bob"], ["k3", "Keys", "Cid"]):
        partly.append(cells)
    partly.merge_cells("A1:B1")
    partly.column_dimensions["A"].hidden = True
    partly.row_dimensions[3].hidden = True
    folded = book.create_sheet("Folded")
    for cells in (["Logs", "Ann"], ["Backups", "Bob"], ["Keys", "Cid"]):
        folded.append(cells)
    folded.row_dimensions.group(2, 3, hidden=True)
    filtered = book.create_sheet("Filtered")
    for cells in (["Control", "Owner"], ["Logs", "Ann"], ["Backups", "Bob"]):
        filtered.append(cells)
    filtered.auto_filter.ref = "A1:B3"
    filtered.auto_filter.add_filter_column(1, ["Ann"])
    filtered.row_dimensions[3].hidden = True
    merged = book.create_sheet("Merged")
    for sites in (["Region", "Site"], ["Europe", "Lisbon"], [None, "Porto"], [], [None, "Kraków"], [None, "Boston"]):
        merged.append(sites)
    merged.merge_cells("A2:A5")
    struck = book.create_sheet("Struck")
    kept = CellRichText("Logs are kept for ", TextBlock(InlineFont(strike=True), "30"), " 90 days")
    for row in (["Question", "Answer"], ["Do you log?", "No"], ["For how long?", kept]):
        struck.append(row)
    struck["B2"].font = Font(strike=True)
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def soffice(folder: Path, source: Path, target: str) -> bytes:
    command = shutil.which("soffice")
    if command is None:
        pytest.skip("LibreOffice is not installed, and nothing else here writes .xls")
    home = (folder / "libreoffice").as_uri()
    done = subprocess.run(
        [command, f"-env:UserInstallation={home}", "--headless", "--convert-to", target, "--outdir", folder, source],
        capture_output=True,
        text=True,
        timeout=180,
        check=False,
    )
    made = folder / f"{source.stem}.{target.partition(':')[0]}"
    if not made.is_file():
        pytest.skip(f"LibreOffice wrote no .{target}: {done.stderr[-200:]}")
    return made.read_bytes()


@pytest.fixture(scope="session")
def both(tmp_path_factory: pytest.TempPathFactory) -> tuple[bytes, bytes]:
    """The same workbook as XLSX and XLS, both by LibreOffice: it computes the formulas."""
    folder = tmp_path_factory.mktemp("xls")
    (folder / "q.source.xlsx").write_bytes(workbook())
    (folder / "new").mkdir()
    return soffice(folder / "new", folder / "q.source.xlsx", "xlsx"), soffice(folder, folder / "q.source.xlsx", "xls")


def test_an_old_workbook_gives_the_rows_of_the_new_one(both: tuple[bytes, bytes]) -> None:
    new, old = both
    sheets, title = read_xls("q.xls", old)
    assert title == "Acme past answers"
    assert [(s.name, s.rows) for s in sheets] == [(s.name, s.rows) for s in read_workbook("a.xlsx", new)[0]]
    assert [sheet.name for sheet in sheets] == list(SHEETS)
    assert [(row.number, row.cells) for row in sheets[0].rows[2:]] == [
        (4, ("Do you encrypt?", "Yes, „größtenteils“\nand always", "95.5%", "2026-03-02", "09:30:00")),
        (5, ("Do you log?", "TRUE", "3", "2026-03-02 14:05")),
        (6, ("Is it 1/0?", "#DIV/0!", "2.5")),
        (7, ("Sum", "3", "-13%")),
    ]
    said = {sheet.name: [(row.number, row.cells) for row in sheet.rows] for sheet in sheets}
    assert said["Partly ☃"] == [(1, ("", "Owners of controls")), (2, ("", "Logs", "Ann")), (4, ("", "Keys", "Cid"))]
    assert said["Folded"] == [(1, ("Logs", "Ann")), (2, ("Backups", "Bob")), (3, ("Keys", "Cid"))]
    assert said["Filtered"] == [(1, ("Control", "Owner")), (2, ("Logs", "Ann")), (3, ("Backups", "Bob"))]
    assert said["Struck"] == [
        (1, ("Question", "Answer")),
        (2, ("Do you log?",)),
        (3, ("For how long?", "Logs are kept for 90 days")),
    ]
    assert said["Merged"][1:] == [
        (2, ("Europe", "Lisbon")),
        (3, ("Europe", "Porto")),
        (5, ("Europe", "Kraków")),
        (6, ("", "Boston")),
    ]


def test_an_old_workbook_becomes_a_document(both: tuple[bytes, bytes]) -> None:
    got = convert_bytes("q.xls", both[1])
    assert (got.kind, got.title) == ("xls", "Acme past answers")
    assert [(page.page_number, page.sheet_name) for page in got.pages] == [(None, name) for name in SHEETS]
    row = next(e for e in got.elements if e.row_number == 4)
    assert row.kind == "row" and row.text.startswith("Question: Do you encrypt?; Answer: Yes, „größtenteils“\nand")


def test_content_decides_what_an_old_office_file_is(both: tuple[bytes, bytes], tmp_path: Path) -> None:
    assert detect_kind("a.doc", both[1]) == "xls"
    assert detect_kind("a.xls", both[0]) == "xlsx"
    (tmp_path / "words.txt").write_text("Plain words.", encoding="utf-8")
    with pytest.raises(ConversionError, match="before 2007"):
        detect_kind("a.xls", soffice(tmp_path, tmp_path / "words.txt", "doc"))
    with pytest.raises(ConversionError, match="plain text, not that of a"):
        detect_kind("a.xls", b"Question\tAnswer\nDo you log?\tYes\n")


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
def test_a_cut_workbook_is_damaged(both: tuple[bytes, bytes], share: float) -> None:
    data = both[1][: int(len(both[1]) * share)]
    with pytest.raises(ConversionError, match=r"^q\.xls: "):
        convert(source_of("q.xls", data), data, unstructured_reader)


def test_an_encrypted_workbook_says_so(both: tuple[bytes, bytes]) -> None:
    data = bytearray(both[1])
    beginning = data.find(bytes.fromhex("0908100000060500"))  # BIFF8's first record, of 20 bytes
    data[beginning + 20 : beginning + 22] = b"\x2f\x00"  # the next one now says that a password is needed
    with pytest.raises(ConversionError, match=r"^q\.xls: encrypted; save it without its password"):
        convert(source_of("q.xls", bytes(data)), bytes(data), unstructured_reader)


def record(number: int, *fields: bytes) -> bytes:
    """A record of the format (BIFF8)."""
    body = b"".join(fields)
    return struct.pack("<HH", number, len(body)) + body


def formatted_workbook(rows: int, columns: int, text: str) -> bytes:
    """A sheet of cells that have a format and nothing in them, but for the first of the last row, which has a text."""
    font = record(0x31, struct.pack("<HHHHHBBBBBB", 200, 0, 0x7FFF, 400, 0, 0, 0, 0, 0, 5, 0), b"Arial")
    formats = record(0xE0, bytes(20)) * 16
    begin = record(0x809, struct.pack("<HHHHII", 0x600, 5, 0, 1996, 0, 6)) + font + formats
    place = len(begin) + 4 + 14 + 4
    head = begin + record(0x85, struct.pack("<IBBBB", place, 0, 0, 6, 0), b"Sheet1") + record(0x0A)
    assert len(head) == place
    styles = struct.pack(f"<{columns}H", *[15] * columns)
    blanks = (
        record(0xBE, struct.pack("<HH", row, 0), styles, struct.pack("<H", columns - 1)) for row in range(rows - 1)
    )
    cell = record(0x204, struct.pack("<HHHHB", rows - 1, 0, 15, len(text), 0), text.encode("latin-1"))
    sheet = record(0x809, struct.pack("<HHHHII", 0x600, 16, 0, 1996, 0, 6)) + b"".join(blanks) + cell + record(0x0A)
    return compound_file({"Workbook": head + sheet})


def test_rows_that_have_a_format_and_no_content_are_no_text() -> None:
    document = convert_bytes("formatted.xls", formatted_workbook(65_536, 4, "Backups are kept for a year."))
    assert document.kind == "xls" and document.text == "Backups are kept for a year."
    assert [(element.row_number, element.sheet_name) for element in document.elements] == [(65_536, "Sheet1")]
