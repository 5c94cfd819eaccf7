"""Questionnaires as customers send them, made afresh for each test."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable, Mapping

import pytest
from openpyxl import Workbook
from openpyxl.formatting.rule import CellIsRule
from openpyxl.styles import Alignment, Border, Font, PatternFill, Side
from openpyxl.workbook.defined_name import DefinedName
from openpyxl.worksheet.datavalidation import DataValidation

HEADER = {
    "font": Font(bold=True, color="FFFFFF"),
    "fill": PatternFill("solid", fgColor="1F4E78"),
    "border": Border(bottom=Side("thin")),
}
WRAP = Alignment(wrap_text=True, vertical="top")

X14 = (
    '<extLst><ext uri="{CCE6A557-97BC-4b89-ADB6-D9C93CAAB3DF}" '
    'xmlns:x14="http://schemas.microsoft.com/office/spreadsheetml/2009/9/main">'
    '<x14:dataValidations count="1" xmlns:xm="http://schemas.microsoft.com/office/excel/2006/main">'
    '<x14:dataValidation type="list" allowBlank="1"><x14:formula1><xm:f>\'The lists\'!$B$2:$B$5</xm:f>'
    "</x14:formula1><xm:sqref>C2:C4 C9</xm:sqref></x14:dataValidation></x14:dataValidations></ext></extLst>"
)


def to_bytes(workbook: Workbook) -> bytes:
    out = io.BytesIO()
    workbook.save(out)
    return out.getvalue()


def patched(data: bytes, changes: Mapping[str, Callable[[str], str]]) -> bytes:
    """The package with the XML of some parts edited as text, as another program would have written it."""
    out = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(data)) as source,
        zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as target,
    ):
        for info in source.infolist():
            text = source.read(info)
            change = changes.get(info.filename)
            target.writestr(info.filename, change(text.decode()).encode() if change else text)
    return out.getvalue()


@pytest.fixture
def patch_package() -> Callable[[bytes, Mapping[str, Callable[[str], str]]], bytes]:
    return patched


@pytest.fixture
def make_sheet() -> Callable[..., bytes]:
    def make(*sheets: list[list[object]], names: tuple[str, ...] = ()) -> bytes:
        workbook = Workbook()
        workbook.remove(workbook.active)
        for number, rows in enumerate(sheets):
            sheet = workbook.create_sheet(names[number] if names else f"Sheet{number + 1}")
            for row in rows:
                sheet.append(row)
        return to_bytes(workbook)

    return make


@pytest.fixture
def client_a() -> bytes:
    """Instructions, then a sheet with titles, sections, a Yes/No/Partial/NA dropdown and comments."""
    workbook = Workbook()
    intro = workbook.active
    intro.title = "Instructions"
    intro.append(["Supplier security questionnaire"])
    intro.append(["Please answer every question on the next sheet. How: choose from the list, then comment."])
    intro.append(["Term", "Description"])
    intro.append(["Partial", "You meet a part of the requirement and must say which."])
    sheet = workbook.create_sheet("Questionnaire")
    sheet.append(["Acme Corp: supplier security questionnaire"])
    sheet.merge_cells("A1:D1")
    sheet["A1"].font = Font(bold=True, size=16)
    sheet.append(["Version 3.1, to be returned by the end of the month"])
    sheet.append([])
    sheet.append(["Ref", "Question", "Answer", "Comments"])
    rows = [
        ["1", "Information security policy", None, None],
        ["1.1", "Do you have an information security policy approved by management?", None, None],
        ["1.2", "Describe how often the policy is reviewed.", None, None],
        ["2", "Encryption", None, None],
        ["2.1", "Is customer data encrypted at rest?", None, None],
        ["2.2", "Are encryption keys rotated at least yearly?", "Yes", "Answered last year"],
    ]
    for row in rows:
        sheet.append(row)
    for cell in sheet[4]:
        cell.font, cell.fill, cell.border = HEADER["font"], HEADER["fill"], HEADER["border"]
    for row in sheet.iter_rows(min_row=5, max_row=10):
        for cell in row:
            cell.alignment = WRAP
    for row_number in (5, 8):
        sheet.cell(row_number, 2).font = Font(bold=True)
    for letter, width in zip("ABCD", (6, 50, 12, 40), strict=True):
        sheet.column_dimensions[letter].width = width
    dropdown = DataValidation("list", formula1='"Yes,No,Partial,NA"', allow_blank=True)
    dropdown.add("C6:C7")
    dropdown.add("C9:C10")
    sheet.add_data_validation(dropdown)
    sheet.conditional_formatting.add(
        "C6:C10", CellIsRule("equal", ['"No"'], fill=PatternFill("solid", bgColor="FFC7CE"))
    )
    sheet["A12"] = "Answered:"
    sheet["C12"] = "=COUNTA(C6:C10)"
    workbook.defined_names["Answers"] = DefinedName("Answers", attr_text="Questionnaire!$C$6:$C$10")
    sheet.freeze_panes = "A5"
    return to_bytes(workbook)


@pytest.fixture
def client_b() -> bytes:
    """No., Section, Requirement, Supplier response: free text alone."""
    workbook = Workbook()
    sheet = workbook.active
    sheet.title = "RFP"
    for row in client_b_rows():
        sheet.append(row)
    return to_bytes(workbook)


def client_b_rows() -> list[list[object]]:
    return [
        ["No.", "Section", "Requirement", "Supplier response"],
        [1, "Hosting", "The supplier shall host all data in the European Union.", None],
        [2, None, "Single sign-on by SAML 2.0", None],
        [3, "Support", "What are your support hours?", None],
    ]


@pytest.fixture
def client_b_csv() -> bytes:
    rows = [";".join("" if v is None else str(v) for v in row) for row in client_b_rows()]
    return ("\r\n".join(rows) + "\r\n").encode("cp1252")


@pytest.fixture
def caiq() -> bytes:
    """The shape of CAIQ 3: two header rows, a cross in one of three columns, merged controls, notes."""
    workbook = Workbook()
    sheet = workbook.active
    sheet.title = "CAIQ"
    head = [
        "Control Domain",
        "Control ID",
        "Question ID",
        "Control Specification",
        "Consensus Assessment Questions",
    ]
    sheet.append(["CONSENSUS ASSESSMENTS INITIATIVE QUESTIONNAIRE v3.1"])
    sheet.append([*head, "Consensus Assessment Answers", None, None, "Notes"])
    sheet.append([None, None, None, None, None, "Yes", "No", "Not Applicable"])
    control = "Applications and programming interfaces (APIs) shall be designed, developed, deployed, and tested."
    first = "Do you use industry standards to build in security for your SDLC?"
    sheet.append(["Application Security", "AIS-01", "AIS-01.1", control, first])
    sheet.append([None, None, "AIS-01.2", None, "Do you use an automated source code analysis tool?"])
    sheet.append([None, None, "AIS-01.3", None, "Do you review your applications for vulnerabilities?"])
    for area in (
        "A1:I1",
        "F2:H2",
        "A2:A3",
        "B2:B3",
        "C2:C3",
        "D2:D3",
        "E2:E3",
        "I2:I3",
        "A4:A6",
        "B4:B6",
        "D4:D6",
    ):
        sheet.merge_cells(area)
    return to_bytes(workbook)


@pytest.fixture
def x14_book() -> bytes:
    """An x14 dropdown whose words stand on a hidden sheet, and question texts that are formulas."""
    workbook = Workbook()
    sheet = workbook.active
    sheet.title = "Questions"
    sheet.append(["ID", "Question", "Answer", "Additional Information"])
    for row in range(2, 5):
        sheet.append([f"Q-{row}", "FORMULA", None, None])
    lists = workbook.create_sheet("The lists")
    lists.sheet_state = "hidden"
    for word in ("Words", "Yes", "No", "Compensating control", "N/A"):
        lists.append([None, word])
    data = to_bytes(workbook)

    def questions(xml: str) -> str:
        for row in range(2, 5):
            before = xml.index(f'<c r="B{row}"')
            after = xml.index("</c>", before) + len("</c>")
            formula = f"<f>VLOOKUP(A{row},Lists!A:B,2,FALSE)</f><v>Do you do thing {row}?</v>"
            xml = f'{xml[:before]}<c r="B{row}" t="str">{formula}</c>{xml[after:]}'
        return xml.replace("</worksheet>", X14 + "</worksheet>")

    return patched(data, {"xl/worksheets/sheet1.xml": questions})
