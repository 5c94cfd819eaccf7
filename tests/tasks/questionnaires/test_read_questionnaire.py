"""Reading: header rows, sections, kinds, ids, dropdowns, and the errors for what cannot be read."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Callable

import pytest
from openpyxl import Workbook, load_workbook
from openpyxl.worksheet.datavalidation import DataValidation

from tasks.errors import UsageError
from tasks.questionnaires.reading.layout import VerdictColumn
from tasks.questionnaires.reading.read_questionnaire import read_questionnaire

Make = Callable[..., bytes]


def to_bytes(workbook: Workbook) -> bytes:
    out = io.BytesIO()
    workbook.save(out)
    return out.getvalue()


def test_client_a_is_understood(client_a: bytes) -> None:
    found = read_questionnaire(client_a, "a.xlsx")
    assert [(q.question_id, q.kind, q.section, q.row_number) for q in found.questions] == [
        ("1.1", "yes_no", "1 Information security policy", 6),
        ("1.2", "yes_no", "1 Information security policy", 7),
        ("2.1", "yes_no", "2 Encryption", 9),
        ("2.2", "yes_no", "2 Encryption", 10),
    ]
    assert [q.ordinal for q in found.questions] == [0, 1, 2, 3]
    (sheet,) = found.sheets
    assert (sheet.sheet_name, sheet.header_row, sheet.id_column) == ("Questionnaire", 4, 1)
    assert (sheet.question_column, sheet.answer_column, sheet.comment_column) == (2, 3, 4)
    assert sheet.answered_rows == (10,)
    assert {row.choices for row in sheet.rows} == {("Yes", "No", "Partial", "NA")}
    assert found.place("2.1")[1].row_number == 9


def test_client_b_and_its_csv_have_the_same_questions(client_b: bytes, client_b_csv: bytes) -> None:
    book = read_questionnaire(client_b, "b.xlsx")
    text = read_questionnaire(client_b_csv, "b.csv")
    assert [(q.question_id, q.text, q.kind, q.section, q.row_number) for q in book.questions] == [
        ("1", "The supplier shall host all data in the European Union.", "yes_no", "Hosting", 2),
        ("2", "Single sign-on by SAML 2.0", "free_text", "Hosting", 3),
        ("3", "What are your support hours?", "free_text", "Support", 4),
    ]
    assert [(q.question_id, q.text, q.section) for q in text.questions] == [
        (q.question_id, q.text, q.section) for q in book.questions
    ]
    assert text.questions[0].sheet_name is None
    assert (text.sheets[0].answer_column, text.sheets[0].comment_column) == (4, None)


def test_caiq_has_a_column_for_each_verdict(caiq: bytes) -> None:
    found = read_questionnaire(caiq, "caiq.xlsx")
    (sheet,) = found.sheets
    assert sheet.verdict_columns == (
        VerdictColumn("yes", 6),
        VerdictColumn("no", 7),
        VerdictColumn("not_applicable", 8),
    )
    assert (sheet.header_row, sheet.question_column, sheet.id_column, sheet.comment_column) == (2, 5, 3, 9)
    assert [q.question_id for q in found.questions] == ["AIS-01.1", "AIS-01.2", "AIS-01.3"]
    assert {(q.kind, q.section) for q in found.questions} == {("yes_no", "Application Security")}


def test_x14_dropdowns_and_cached_formula_texts_are_read(x14_book: bytes) -> None:
    found = read_questionnaire(x14_book, "x.xlsx")
    assert [q.text for q in found.questions] == [f"Do you do thing {row}?" for row in (2, 3, 4)]
    assert {row.choices for row in found.sheets[0].rows} == {("Yes", "No", "Compensating control", "N/A")}


def test_several_sheets_and_repeated_references(make_sheet: Make) -> None:
    rows = [["No", "Question", "Answer"], [1, "Do you log access?"], [2, "How long are logs kept?"]]
    other = [["No", "Question", "Answer"], [1, "Do you test restores?"], [7, "Who tests them?"]]
    found = read_questionnaire(make_sheet(rows, other, names=("One", "Two")), "two.xlsx")
    assert [q.sheet_name for q in found.questions] == ["One", "One", "Two", "Two"]
    ids = [q.question_id for q in found.questions]
    assert (ids[1], ids[3]) == ("2", "7")
    assert len(ids[0]) == len(ids[2]) == 16 and ids[0] != ids[2]
    again = read_questionnaire(make_sheet(rows, other, names=("One", "Two")), "two.xlsx")
    assert [q.question_id for q in again.questions] == ids


def test_hidden_sheets_are_left_out(make_sheet: Make) -> None:
    rows = [["Question", "Answer"], ["Do you log access?"]]
    workbook = load_workbook(io.BytesIO(make_sheet(rows, rows, names=("Seen", "Unseen"))))
    workbook["Unseen"].sheet_state = "hidden"
    found = read_questionnaire(to_bytes(workbook), "h.xlsx")
    assert [sheet.sheet_name for sheet in found.sheets] == ["Seen"]


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        (["Ref", "Question", "Compliant (Y/N)", "Supplier response"], (2, 3, 4)),
        (["Ref", "Query", "Vendor reply", "Remarks"], (2, 3, 4)),
        (["Ref", "Description of control", "Response", "Explanation"], (2, 3, 4)),
        (["#", "Requirement", "Reviewer comments", "Comments / response"], (2, 4, None)),
        (["ID", "Item text", "Answer", "Score"], (2, 3, None)),
        (["Question ID", "Question", "Answer type", "Answer"], (2, 4, None)),
        (["Ref", "Question", "bidfolio verdict", "bidfolio status"], (2, None, None)),
        (["Company overview", None, "Vendor Answers", "Additional Information"], (2, 3, 4)),
    ],
)
def test_columns_are_found_by_words_and_content(
    header: list[object], expected: tuple[int, int | None, int | None], make_sheet: Make
) -> None:
    body = [["A1", "Do you encrypt backups?"], ["A2", "Describe how keys are stored."]]
    (sheet,) = read_questionnaire(make_sheet([header, *body]), "c.xlsx").sheets
    assert (sheet.question_column, sheet.answer_column, sheet.comment_column) == expected


def test_the_description_is_asked_where_the_requirement_is_a_title(make_sheet: Make) -> None:
    head = ["Req ID", "Requirement", "Description", "Priority", "Compliance (F/P/N)", "Remarks"]
    rows = [
        ["R1", "SSO", "The system shall support SAML 2.0.", "M"],
        ["R2", "Logs", "All access must be logged.", "S"],
    ]
    found = read_questionnaire(make_sheet([head, *rows]), "r.xlsx")
    assert [(q.question_id, q.text) for q in found.questions] == [("R1", rows[0][2]), ("R2", rows[1][2])]
    assert (found.sheets[0].answer_column, found.sheets[0].comment_column) == (5, 6)


def test_csv_with_titles_and_sections(make_sheet: Make) -> None:
    data = (
        b"Acme RFP,,,\n,,,\nNo,Requirement,Response,Comments\nA. Security,,,\n"
        b"1,Encryption of data at rest,,\nB. Support,,,\n2,24x7 support,,\n"
    )
    found = read_questionnaire(data, "rfp.csv")
    assert [(q.question_id, q.section, q.row_number) for q in found.questions] == [
        ("1", "A. Security", 5),
        ("2", "B. Support", 7),
    ]


def test_csv_of_bare_questions_is_not_split_at_their_commas() -> None:
    data = b"Question\nDo you encrypt, at rest, all data?\nWho, if anyone, is the CISO?\n"
    found = read_questionnaire(data, "bare.csv")
    assert [q.text for q in found.questions] == [
        "Do you encrypt, at rest, all data?",
        "Who, if anyone, is the CISO?",
    ]


def test_other_tables_are_no_questionnaires(make_sheet: Make) -> None:
    summary = [["Section", "Questions", "Answered", "Score"], ["Security", 10, 4, "40%"]]
    sheets = [["Sheet", "Description"], ["Questions", "Has the questions. You must answer them all."]]
    asked = [["Question", "Answer"], ["How do you do it?", None]]
    found = read_questionnaire(make_sheet(summary, sheets, asked, names=("A", "B", "C")), "t.xlsx")
    assert [sheet.sheet_name for sheet in found.sheets] == ["C"]


def test_placeholder_is_no_answer_and_limits_are_read(make_sheet: Make) -> None:
    workbook = load_workbook(
        io.BytesIO(
            make_sheet(
                [
                    ["Question", "Answer (max. 1,000 characters)"],
                    ["Do you encrypt backups?", "Please select"],
                    ["Describe your backups.", None],
                ]
            )
        )
    )
    limit = DataValidation("textLength", operator="lessThanOrEqual", formula1="300")
    limit.add("B3")
    workbook.active.add_data_validation(limit)
    found = read_questionnaire(to_bytes(workbook), "p.xlsx")
    assert found.sheets[0].answered_rows == ()
    assert [q.max_characters for q in found.questions] == [1000, 300]


def test_a_limit_of_the_column_for_reasons_holds_beside_a_column_for_yes_or_no(make_sheet: Make) -> None:
    rows = [["Question", "Yes/No", "Comment (max 80 characters)"], ["Do you encrypt backups?", None, None]]
    found = read_questionnaire(make_sheet(rows), "p.xlsx")
    assert found.sheets[0].comment_column == 3
    assert [q.max_characters for q in found.questions] == [80]


def test_dropdown_words_from_a_defined_name_and_a_dropdown_without_header(
    patch_package: Make, make_sheet: Make
) -> None:
    data = make_sheet([["Question", None], ["Do you encrypt backups?"]], [["Yes", "No"]], names=("Q", "L"))
    validation = (
        '<dataValidations count="1"><dataValidation type="list" sqref="B2:B99"><formula1>YesNo</formula1>'
        "</dataValidation></dataValidations><pageMargins"
    )
    names = "<definedNames><definedName name='YesNo'>L!$A$1:$B$1</definedName></definedNames>"
    data = patch_package(
        data,
        {
            "xl/worksheets/sheet1.xml": lambda xml: xml.replace("<pageMargins", validation, 1),
            "xl/workbook.xml": lambda xml: xml.replace("<definedNames />", names).replace("<definedNames/>", names),
        },
    )
    (sheet,) = read_questionnaire(data, "n.xlsx").sheets
    assert sheet.answer_column == 2
    assert sheet.rows[0].choices == ("Yes", "No")


def test_cells_without_references_are_counted(patch_package: Make, make_sheet: Make) -> None:
    data = make_sheet([["Question", "Answer"], ["Do you encrypt backups?", "Yes"]])
    strip = {"xl/worksheets/sheet1.xml": lambda xml: re.sub(r'(<(?:c|row)) r="\w+"', r"\1", xml)}
    (sheet,) = read_questionnaire(patch_package(data, strip), "r.xlsx").sheets
    assert (sheet.header_row, sheet.answer_column, sheet.answered_rows) == (1, 2, (2,))


def test_no_question_column_says_what_was_seen_and_what_to_do(make_sheet: Make) -> None:
    data = make_sheet([["Produkt", "Preis"], ["Tisch", 3], ["Stuhl", 4]], [[]])
    with pytest.raises(UsageError) as error:
        read_questionnaire(data, "preise.xlsx")
    message = str(error.value)
    assert "preise.xlsx" in message and "Produkt, Preis" in message and "'Question'" in message


def test_a_column_named_for_questions_with_none_below_is_not_told_to_be_renamed(make_sheet: Make) -> None:
    for rows in ([["Question"], ["VPN"], ["MFA"]], [["No.", "Question"]]):
        with pytest.raises(UsageError, match=r"q\.xlsx: nothing below 'Question' reads as a question\. Write each"):
            read_questionnaire(make_sheet(rows), "q.xlsx")


def encrypted_zip() -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("xl/workbook.xml", "<x/>")
    return out.getvalue().replace(b"PK\x01\x02\x14\x03\x14\x00\x00\x00", b"PK\x01\x02\x14\x03\x14\x00\x01\x00")


def other_zip(name: str) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr(name, "content")
    return out.getvalue()


OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"


@pytest.mark.parametrize(
    ("data", "name", "said"),
    [
        (b"", "a.xlsx", "empty"),
        (b" \r\n", "a.csv", "empty"),
        (OLE + b"Workbook", "a.xls", "Save it as .xlsx"),
        (OLE + "EncryptedPackage".encode("utf-16-le"), "a.xlsx", "Remove its password"),
        (encrypted_zip(), "a.xlsx", "Remove its password"),
        (b"PK\x03\x04garbage", "a.xlsx", "damaged"),
        (b"just text", "a.xlsx", "not an Excel workbook"),
        (b"%PDF-1.7", "a.pdf", "PDF"),
        (b"a\x00b\x00", "a.csv", "Save the questionnaire"),
        (b"\xff\xfeabc", "a.csv", "Save the questionnaire"),
        (other_zip("xl/workbook.bin"), "a.xlsb", ".xlsb"),
        (other_zip("word/document.xml"), "a.docx", "Word"),
        (other_zip("content.xml"), "a.ods", "Save it as .xlsx"),
    ],
)
def test_what_cannot_be_read_names_file_and_remedy(data: bytes, name: str, said: str) -> None:
    with pytest.raises(UsageError, match=said) as error:
        read_questionnaire(data, name)
    assert name in str(error.value)


def test_entities_are_not_expanded(patch_package: Make, make_sheet: Make) -> None:
    bomb = '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]>'
    data = make_sheet([["Question", "Answer"], ["Do you encrypt backups?"]])

    def explode(xml: str) -> str:
        at = xml.index("<sst")
        return (xml[:at] + bomb + xml[at:]).replace("Do you encrypt backups?", "Do you encrypt backups? &b;")

    found = read_questionnaire(patch_package(data, {"xl/sharedStrings.xml": explode}), "e.xlsx")
    assert "aaaa" not in found.questions[0].text


@pytest.mark.parametrize(
    ("header", "columns"),
    [
        (["Question", "Answer", "Question", "Answer"], [(1, 2), (3, 4)]),
        (["Question 1", "Answer 1", "Question 2", "Answer 2"], [(1, 2), (3, 4)]),
        (["Question", "Answer", "Privacy question", "Response"], [(1, 2), (3, 4)]),
        (["Question", "Yes", "No", "Question", "Yes", "No"], [(1, None), (4, None)]),
        (["Question", "Answer", "Question", "Comments"], [(1, 2)]),
        (["Question", "Requirement", "Answer", "Comments"], [(1, 3)]),
        (["Question", "Answer", "Previous question", "Previous answer"], [(1, 2)]),
    ],
)
def test_tables_beside_each_other_are_read_with_their_own_columns(
    make_sheet: Make, header: list[object], columns: list[tuple[int, int | None]]
) -> None:
    asked = ("Do you log access?", "The supplier shall scan files.", "Can data be deleted?")
    held = {"Question", "Question 1", "Question 2", "Privacy question", "Previous question", "Requirement"}
    rows = [header, *([text if title in held else None for title in header] for text in asked)]
    read = read_questionnaire(make_sheet(rows, names=("Security",)), "q.xlsx")
    assert [(sheet.question_column, sheet.answer_column) for sheet in read.sheets] == columns
    assert len(read.questions) == 3 * len(columns)
