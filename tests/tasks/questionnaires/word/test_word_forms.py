"""Word questionnaires: what is a question, where its answer goes, and that nothing else in the file changes."""

from __future__ import annotations

import io
import shutil
import subprocess
from pathlib import Path

import docx
import pytest

from tasks.errors import UsageError
from tasks.questionnaires.completed.completed_rows import completed_rows
from tasks.questionnaires.customers_file import AS_FOUND, grids_of, read_customers_file
from tasks.questionnaires.filling.company_facts import known_facts
from tasks.questionnaires.filling.fill_questionnaire import FilledAnswer, fill_questionnaire, fill_with_notes
from tasks.questionnaires.reading.layout import Questionnaire
from tasks.questionnaires.word.questions import form_of, has_places, read_word_questionnaire
from tests.made.word_differences import changed_parts, differences, part_of
from tests.made.word_forms import (
    STORE,
    cell,
    check_box,
    control,
    drawing,
    dropdown,
    field,
    paragraph,
    run,
    table,
    text_control,
    word_file,
)

BOX = "<w:checkBox><w:sizeAuto/><w:default w:val='0'/></w:checkBox>"
TRACKED = (
    '<w:commentRangeStart w:id="0"/>'
    + run("Do you ")
    + '<w:del w:id="1" w:author="Buyer"><w:r><w:delText xml:space="preserve">ever </w:delText></w:r></w:del>'
    + '<w:ins w:id="2" w:author="Buyer">'
    + run("regularly ")
    + "</w:ins>"
    + run("test backups?")
    + '<w:commentRangeEnd w:id="0"/><w:r><w:commentReference w:id="0"/></w:r>'
)
BOUND = f"<w:dataBinding w:xpath='/values[1]/owner[1]' w:storeItemID='{STORE}'/><w:text/>"
TENDER = (
    paragraph("Supplier questionnaire", "Heading1"),
    paragraph("Please answer all questions. Answers shall be in English."),
    paragraph(drawing()),
    paragraph("1 Company", "Heading2"),
    table(
        ["No.", "Question", "Answer", "Comments"],
        [
            "1.1",
            "Is data encrypted at rest?",
            cell(paragraph(dropdown("Yes", "No", "Partly"))),
            cell(paragraph(text_control())),
        ],
        ["1.2", cell(paragraph(TRACKED)), cell(paragraph(check_box() + run(" Yes  ") + check_box() + run(" No"))), ""],
    ),
    table(
        ["Question", "Answer"],
        ["How often are backups made?", cell(paragraph(mark='<w:color w:val="1F3864"/><w:i/>'))],
    ),
    paragraph(),
    table(
        ["Requirement", "Yes", "No", "Remarks"],
        ["The supplier encrypts laptops.", "☐", "☐", ""],
        ["The supplier has a security officer.", cell(paragraph(check_box())), cell(paragraph(check_box())), ""],
    ),
    paragraph("2 Security", "Heading2"),
    paragraph("Do you have an incident response plan?", numbered=0),
    paragraph(run("Answer:", "<w:b/>")),
    paragraph("How is access reviewed?", numbered=0),
    paragraph(mark="<w:i/>"),
    paragraph(),
    paragraph("Is access logged? ☐ Yes ☐ No"),
    paragraph("If yes, please explain: ______________"),
    paragraph("Describe your training programme."),
    paragraph("______________________________________"),
    paragraph("______________________________________"),
    paragraph("Who is responsible for privacy?"),
    control(BOUND, paragraph(run("Click here", "<w:rStyle w:val='PlaceholderText'/>"))),
    paragraph("Name of the company: ______________"),
    paragraph(run("Are subcontractors used? ") + field(BOX) + run(" Yes ") + field(BOX) + run(" No")),
    paragraph("Which certificates do you hold?"),
    paragraph(field("<w:textInput><w:maxLength w:val='200'/></w:textInput>", "     ")),
    table(["Please describe your disaster recovery."], [""], ["What is your RTO?"], [""]),
    table(["Do you support SSO?", ""], ["Do you support MFA?", ""]),
)
ASKED = [
    ("table 1", 2, "1.1", "yes_no", "Is data encrypted at rest?"),
    ("table 1", 3, "1.2", "yes_no", "Do you regularly test backups?"),
    ("table 2", 2, None, "free_text", "How often are backups made?"),
    ("table 3", 2, None, "yes_no", "The supplier encrypts laptops."),
    ("table 3", 3, None, "yes_no", "The supplier has a security officer."),
    ("paragraphs", 7, "1", "yes_no", "Do you have an incident response plan?"),
    ("paragraphs", 9, "2", "free_text", "How is access reviewed?"),
    ("paragraphs", 12, None, "yes_no", "Is access logged?"),
    ("paragraphs", 14, None, "free_text", "Describe your training programme."),
    ("paragraphs", 17, None, "free_text", "Who is responsible for privacy?"),
    ("paragraphs", 20, None, "yes_no", "Are subcontractors used?"),
    ("paragraphs", 21, None, "free_text", "Which certificates do you hold?"),
    ("paragraphs", 23, None, "free_text", "Please describe your disaster recovery."),
    ("paragraphs", 25, None, "free_text", "What is your RTO?"),
    ("table 4", 1, None, "yes_no", "Do you support SSO?"),
    ("table 4", 2, None, "yes_no", "Do you support MFA?"),
]


def read_questionnaire(data: bytes, file_name: str) -> Questionnaire:
    form = form_of(data, file_name)
    assert form is not None
    return read_word_questionnaire(form, data, file_name)


def answered(read: Questionnaire, **texts: str) -> list[FilledAnswer]:
    """A yes with reasons for each question that has choices, else a text; by place in ``texts``."""
    found = []
    for sheet in read.sheets:
        for row in sheet.rows:
            place = f"{(sheet.sheet_name or '').replace(' ', '_')}_{row.row_number}"
            text = texts.get(place, f"Text {place}.")
            if row.choices or sheet.verdict_columns:
                found.append(FilledAnswer(row.question_id, "answered", "Yes", text, "yes"))
            else:
                found.append(FilledAnswer(row.question_id, "answered", text))
    return found


def filled(data: bytes, **texts: str) -> bytes:
    read = read_questionnaire(data, "form.docx")
    return fill_questionnaire(data, read, answered(read, **texts))


def answers_in(data: bytes) -> list[tuple[str, str | None, str | None]]:
    rows = completed_rows(read_questionnaire(data, "form.docx"), grids_of(data, "form.docx")).rows
    return [(row.question, row.verdict, row.answer) for row in rows]


def test_every_question_is_found_in_reading_order_with_its_place() -> None:
    read = read_questionnaire(word_file(*TENDER), "form.docx")
    found = [(one.sheet_name, one.row_number, one.question_id, one.kind, one.text) for one in read.questions]
    assert [(a, b, c if known[2] else None, d, e) for (a, b, c, d, e), known in zip(found, ASKED, strict=True)] == ASKED
    assert [one.ordinal for one in read.questions] == list(range(len(ASKED)))
    sections = {one.section for one in read.questions if one.sheet_name == "paragraphs"}
    assert sections == {"Supplier questionnaire > 2 Security"}
    assert [one.max_characters for one in read.questions if one.text.startswith("Which")] == [200]


def test_answers_go_into_their_places_and_nothing_else_changes() -> None:
    data = word_file(*TENDER)
    done = filled(data)
    assert changed_parts(data, done) == ["word/document.xml", "customXml/item1.xml"]
    gone, came = differences(data, done)
    texts = {one for one in came if not one.startswith(("<", "</"))}
    expected = {f"Text {sheet.replace(' ', '_')}_{row}." for sheet, row, *_ in ASKED}
    # Four questions have check boxes or a list and no place for words, and a label keeps its blank.
    assert {one.strip() for one in texts} - expected <= {
        "Yes",
        "☒",
        "Is access logged? ☒ Yes ☐ No",
        "If yes, please explain: Text paragraphs_12.",
    }
    assert expected - {one.strip() for one in texts} == {"Text paragraphs_12.", "Text paragraphs_20."}
    old = {one for one in gone if not one.startswith(("<", "</"))}
    prompts = {"Choose an item.", "Click or tap here to enter text.", "Click here"}
    blanks = {
        "☐",
        "☐ Yes ☐ No",
        "Is access logged? ☐ Yes ☐ No",
        "     ",
        "_" * 38,
        "If yes, please explain: ______________",
    }
    assert old <= prompts | blanks
    tags = {one.split()[0].lstrip("</") for one in came + gone if one.startswith("<")}
    assert tags <= {"r", "rPr", "t", "i", "color", "rStyle", "showingPlcHdr", "checked"}
    assert part_of(done, "customXml/item1.xml").endswith(b"<values><owner>Text paragraphs_17.</owner></values>")


def test_a_filled_file_reads_as_answered() -> None:
    done = filled(word_file(*TENDER))
    found = {question: (verdict, answer) for question, verdict, answer in answers_in(done)}
    # Text below a question, without a label or a box around it, may be anything.
    unmarked = {"How is access reviewed?", "Describe your training programme."}
    assert {text for *_, text in ASKED} - set(found) <= unmarked
    assert found["Do you regularly test backups?"] == ("yes", "Text table_1_3.")
    assert found["The supplier encrypts laptops."] == ("yes", "Text table_3_2.")
    assert found["Are subcontractors used?"] == ("yes", None)
    assert found["What is your RTO?"] == (None, "Text paragraphs_25.")
    read = read_questionnaire(done, "form.docx")
    again = fill_questionnaire(
        done, read, answered(read, **{f"{a.replace(' ', '_')}_{b}": "New" for a, b, *_ in ASKED})
    )
    assert part_of(again) == part_of(done)


def test_the_style_of_the_place_is_kept() -> None:
    xml = part_of(filled(word_file(*TENDER))).decode()
    assert '<w:rPr><w:color w:val="1F3864"/><w:i/></w:rPr><w:t xml:space="preserve">Text table_2_2.' in xml
    assert '<w:rPr><w:i/></w:rPr><w:t xml:space="preserve">Text paragraphs_9.' in xml
    label, answer = xml.index("Answer:"), xml.index("Text paragraphs_7.")
    assert "<w:b/>" not in xml[label:answer]
    assert xml.count("PlaceholderText") == 0


def test_a_dropdown_shows_the_choice_and_a_prompt_is_gone() -> None:
    xml = part_of(filled(word_file(*TENDER))).decode()
    assert "Choose an item.</w:t>" not in xml
    assert "showingPlcHdr" not in xml


@pytest.mark.skipif(shutil.which("soffice") is None, reason="LibreOffice is not installed")
def test_libreoffice_opens_the_file_and_shows_the_answers(tmp_path: Path) -> None:
    (tmp_path / "form.docx").write_bytes(filled(word_file(*TENDER)))
    command = ["soffice", f"-env:UserInstallation=file://{tmp_path}/profile", "--headless", "--convert-to", "txt:Text"]
    subprocess.run([*command, "form.docx"], cwd=tmp_path, check=True, capture_output=True)
    shown = (tmp_path / "form.txt").read_text(encoding="utf-8-sig")
    assert all(f"Text {sheet.replace(' ', '_')}_{row}." in shown for sheet, row, *_ in ASKED if row != 20)
    assert "☒ Yes" in shown


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        (paragraph("Are logs kept? Yes ☐ No ☐"), "Yes ☒ No ☐"),
        (paragraph("Are logs kept? [ ] Yes [ ] No"), "[x] Yes [ ] No"),
        (paragraph("Are logs kept? □ Yes □ No □ N/A"), "■ Yes □ No □ N/A"),
        (
            paragraph(run("Are logs kept? ") + '<w:r><w:sym w:font="Wingdings" w:char="F0A8"/></w:r>' + run(" Yes ")
                      + '<w:r><w:sym w:font="Wingdings" w:char="F0A8"/></w:r>' + run(" No")),
            'w:font="Wingdings" w:char="F0FE"/></w:r><w:r><w:t xml:space="preserve"> Yes',
        ),
        (
            paragraph(run("Are logs kept? ") + field(BOX) + run(" Yes ") + field(BOX) + run(" No")),
            '<w:default w:val="0"/><w:checked w:val="1"/></w:checkBox>',
        ),
    ],
)  # fmt: skip
def test_check_boxes_of_every_kind_are_ticked(line: str, shown: str) -> None:
    xml = part_of(filled(word_file(line))).decode()
    assert shown in xml
    assert xml.count('w:checked w:val="1"') + xml.count("F0FE") + sum(map(xml.count, ("☒", "■", "[x]"))) == 1


def test_what_a_person_wrote_is_kept() -> None:
    data = word_file(
        paragraph("Are backups encrypted?"),
        paragraph("Answer: Yes, with AES-256."),
        paragraph("Are backups tested?"),
        paragraph("Answer:"),
        table(["Question", "Answer"], ["Is MFA used?", "Yes"], ["Is SSO used?", ""]),
    )
    gone, came = differences(data, filled(data))
    assert gone == []
    assert [one.strip() for one in came if not one.startswith("<")] == ["Text paragraphs_3.", "Text table_1_3."]


def test_a_declined_question_leaves_its_place_as_it_is() -> None:
    data = word_file(*TENDER)
    read = read_questionnaire(data, "form.docx")
    declined = [
        FilledAnswer(one.question_id, "declined", "never shown", reason="no evidence") for one in read.questions
    ]
    assert part_of(fill_questionnaire(data, read, declined)) == part_of(data)


def test_empty_lines_between_all_paragraphs_are_no_answer_space() -> None:
    text = ("The contract runs for two years.", "Which law applies?", "Offers are opened in May.", "See annex 2.")
    spaced = [part for one in text for part in (paragraph(one), paragraph())]
    assert not has_places(word_file(*spaced), "form.docx")
    wide = [part for one in text[1:2] for part in (paragraph(one), paragraph(), paragraph(), paragraph())]
    assert has_places(word_file(*spaced, *wide), "form.docx")


def test_a_table_that_asks_nothing_is_no_form() -> None:
    data = word_file(table(["Deliverable", "Due date", "Description"], ["Plan", "May 1", ""], ["Report", "June 1", ""]))
    assert not has_places(data, "form.docx")


def test_locked_controls_dates_and_pictures_are_left_alone() -> None:
    locked = text_control(properties='<w:lock w:val="sdtContentLocked"/><w:text/>')
    data = word_file(
        paragraph("When was the audit?"), paragraph(text_control(properties="<w:date/>")), paragraph(locked)
    )
    assert not has_places(data, "form.docx")


def test_nested_tables_and_cells_in_controls_are_read() -> None:
    inner = table(["Question", "Answer"], ["Is MFA used?", ""])
    wrapped = f"<w:sdt><w:sdtPr/><w:sdtContent>{cell('')}</w:sdtContent></w:sdt>"
    outer = table([cell(inner + paragraph()), "Notes"])
    data = word_file(outer, table(["Question", "Answer"], ["Is SSO used?", wrapped]))
    assert [one.text for one in read_questionnaire(data, "form.docx").questions] == ["Is MFA used?", "Is SSO used?"]
    assert [answer for _, _, answer in answers_in(filled(data))] == ["Text table_2_2.", "Text table_3_2."]


@pytest.mark.parametrize(
    ("data", "name", "told"),
    [
        (b"PK\x03\x04 broken", "form.docx", "the document is damaged"),
        (b"no package", "form.docx", "this is not a Word document. Save it as .docx"),
        (
            b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "WordDocument".encode("utf-16-le"),
            "form.doc",
            "legacy Office file (.doc)",
        ),
        (
            b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "EncryptedPackage".encode("utf-16-le"),
            "form.docx",
            "Remove its password",
        ),
        (word_file(paragraph("Nothing is asked.")), "form.docx", "no question with a place for its answer"),
    ],
)
def test_bad_input_gets_a_message_with_a_remedy(data: bytes, name: str, told: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(data)
    with pytest.raises(UsageError, match=r"^form\.docx?: ") as raised:
        read_customers_file(str(path), AS_FOUND)
    assert told in str(raised.value)


def test_a_table_of_facts_and_a_heading_with_a_note_are_no_form() -> None:
    facts = table(
        ["Role", "Compliance", "Expertise"], ["Lead", "40%", "Planning and content"], ["Writer", "20%", "Design"]
    )
    note = (paragraph("Required skills", "Heading2"), paragraph("Note: Knowledge of statistics."))
    assert not has_places(word_file(facts, *note), "form.docx")


def test_guidance_stands_between_a_question_and_its_box() -> None:
    data = word_file(
        paragraph("Part 2", "Heading1"),
        paragraph("Question 1. How soon do you report a breach?"),
        paragraph("Maximum 200 words"),
        paragraph("• how customers are told"),
        table([""]),
        paragraph("Question 2. Who is told?"),
        paragraph("The law applies."),
        paragraph("It is described in annex 2."),
    )
    asked = read_questionnaire(data, "form.docx").questions
    assert [(one.text, one.max_characters, one.section) for one in asked] == [
        ("Question 1. How soon do you report a breach?", 1000, "Part 2")
    ]
    assert b"Text paragraphs_2." in part_of(filled(data))


def test_a_table_has_the_section_of_its_title_row_or_of_the_heading_above() -> None:
    span = '<w:gridSpan w:val="2"/>'
    title = f"<w:tr>{cell('Section 6: Security', span)}</w:tr>"
    titled = table(["Question", "Answer"], ["Is MFA used?", ""]).replace("<w:tr>", f"{title}<w:tr>", 1)
    data = word_file(paragraph("Part 1", "Heading1"), titled, table(["Question", "Answer"], ["Is SSO used?", ""]))
    assert [one.section for one in read_questionnaire(data, "form.docx").questions] == ["Section 6: Security", "Part 1"]


def test_tiny_type_of_an_empty_cell_is_not_taken_over() -> None:
    empty = cell(paragraph(mark='<w:sz w:val="2"/><w:i/>'))
    xml = part_of(filled(word_file(table(["Question", "Answer"], ["Where are backups kept?", empty])))).decode()
    assert '<w:rPr><w:i/></w:rPr><w:t xml:space="preserve">Text table_1_2.' in xml


def test_facts_about_the_bidder_are_filled_from_the_profile() -> None:
    data = word_file(
        table(["Bidder's legal name", ""], ["Contact e-mail", ""], ["Date", ""]),
        paragraph("Name of bidder: ________"),
        paragraph("Website of the company:"),
        paragraph("________________"),
        paragraph("Do you log access? ☐ Yes ☐ No"),
        paragraph("Name: ________"),
        paragraph("Signature: ________"),
    )
    form = form_of(data, "f.docx")
    assert form is not None
    read = read_word_questionnaire(form, data, "f.docx")
    assert [one.text for one in read.questions] == ["Do you log access?"]
    given = known_facts(read, {"name": "Northwind Ltd", "contact_email": "a@n.example", "website": "n.example"})
    filled_in = docx.Document(io.BytesIO(fill_with_notes(data, read, given, review_columns=False).data))
    assert [row.cells[1].text for row in filled_in.tables[0].rows] == ["Northwind Ltd", "a@n.example", ""]
    assert [one.text for one in filled_in.paragraphs] == [
        "Name of bidder: Northwind Ltd",
        "Website of the company:",
        "n.example",
        "Do you log access? ☐ Yes ☐ No",
        "Name: ________",
        "Signature: ________",
    ]
