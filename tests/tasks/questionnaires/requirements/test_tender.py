"""Tenders in free text: their requirements with number, section and page, the matrix and the response document."""

from __future__ import annotations

import io
from dataclasses import replace
from pathlib import Path

import docx
import pytest
from openpyxl import load_workbook

from tasks.errors import UsageError
from tasks.questionnaires.filling.fill_questionnaire import FilledAnswer, fill_questionnaire
from tasks.questionnaires.output_names import matrix_path, response_path
from tasks.questionnaires.requirements.compliance_matrix import COLUMNS
from tasks.questionnaires.requirements.find_requirements import Requirement, find_requirements
from tasks.questionnaires.requirements.list_numbers import list_numbers
from tasks.questionnaires.requirements.response_document import write_response
from tasks.questionnaires.requirements.responses import responses_of
from tasks.questionnaires.requirements.tender import Tender, is_tender, read_tender
from tasks.records import Citation
from tests.made.conversions import convert_bytes
from tests.made.pdfs import pdf_of_pages
from tests.made.word_forms import paragraph, word_file

TEXT = """# Hosted case management

## 1 Introduction

The Department of Transport buys a system. The Department will pay invoices within 30 days.

## 2 Security

2.1 The Supplier shall encrypt customer data. It shall also encrypt backups.

2.2 The Supplier must report breaches. The Department shall acknowledge the report.

- a) Do you have a response plan?
- b) Please describe how access is reviewed.

The Supplier must hold:

- ISO/IEC 27001
- SOC 2 Type II

| Ref | Requirement | Weight |
|---|---|---|
| T-1 | The system supports single sign-on | 5 |
| T-2 | =1+1 must not run | 3 |

## 3 Evaluation

Proposals will be evaluated on price.
"""


def found_in(text: str) -> tuple[Requirement, ...]:
    return find_requirements(convert_bytes("tender.md", text.encode()))


def tender_of(text: str = TEXT) -> Tender:
    return read_tender(found_in(text), "tender.md", "0" * 64)


def cited(file_name: str, page: int) -> Citation:
    return Citation("d", file_name, "0" * 64, page, "quote", 0, 5)


def test_requirements_keep_number_section_and_order() -> None:
    assert [(one.number, one.text, one.section.rpartition(" > ")[2]) for one in found_in(TEXT)] == [
        ("2.1", "The Supplier shall encrypt customer data.", "2 Security"),
        ("2.1-2", "It shall also encrypt backups.", "2 Security"),
        ("2.2", "The Supplier must report breaches.", "2 Security"),
        ("2.2 a)", "Do you have a response plan?", "2 Security"),
        ("2.2 b)", "Please describe how access is reviewed.", "2 Security"),
        ("2.2-1", "The Supplier must hold: ISO/IEC 27001; SOC 2 Type II", "2 Security"),
        ("T-1", "The system supports single sign-on", "2 Security"),
        ("T-2", "=1+1 must not run", "2 Security"),
    ]


def numbers_in(name: str, data: bytes) -> list[str]:
    document = convert_bytes(name, data)
    return [one.number for one in find_requirements(document, list_numbers(data, name, document))]


def test_numbers_of_markdown_and_html_lists_are_kept() -> None:
    text = "## 3 A\n\n1. Where is data kept?\n1. Do you hold ISO 14001?\n\n   - Do you hold SOC 2?\n\nDo you log?\n"
    assert numbers_in("t.md", text.encode()) == ["1", "2", "2-1", "3-1"]
    twice = "## 3 A\n\n1. Where is data kept? Is it kept twice?\n\n## 4 B\n\n1. Do you log?\n2. Are logs kept?\n"
    assert numbers_in("t.md", twice.encode()) == ["3 1)", "3 1)-2", "4 1)", "4 2)"]
    page = b"<h2>3 A</h2><p>2.3 Do you log?</p><ol start=4 type=a><li>Where are logs?</li><li>Are they safe?</li></ol>"
    assert numbers_in("t.html", page) == ["2.3", "2.3 d)", "2.3 e)"]


def test_automatic_numbers_of_a_word_file_are_kept() -> None:
    clauses = [
        ("Security", 0),
        ("The supplier shall encrypt data. It must also log.", 1),
        ("The supplier shall log.", 1),
    ]
    body = [paragraph(text, numbered=level) for text, level in clauses]
    assert numbers_in("t.docx", word_file(*body)) == ["1.1", "1.1-2", "1.2"]


def test_requirements_of_a_pdf_know_their_page() -> None:
    lines = [(72, 780, "1 Scope"), (72, 740, "The supplier shall keep records for ten years.")]
    more = [(72, 740, "The supplier shall answer the telephone within a minute.")]
    document = convert_bytes("tender.pdf", pdf_of_pages([lines, more]))
    assert [(one.text[:24], one.page_number) for one in find_requirements(document)] == [
        ("The supplier shall keep ", 1),
        ("The supplier shall answe", 2),
    ]


def test_a_contents_list_and_headings_require_nothing() -> None:
    assert found_in("# Contents\n\n- The supplier must comply ..... 4\n\n# The supplier must comply\n\nText.\n") == ()


def test_a_tender_that_requires_nothing_is_refused_with_a_remedy() -> None:
    with pytest.raises(UsageError, match="no requirement or question was found"):
        read_tender((), "tender.md", "0" * 64)


def test_questions_of_a_tender() -> None:
    tender = tender_of()
    assert [(one.question_id, one.kind) for one in tender.questions][:5] == [
        ("2.1", "yes_no"),
        ("2.1-2", "yes_no"),
        ("2.2", "yes_no"),
        ("2.2 a)", "yes_no"),
        ("2.2 b)", "free_text"),
    ]
    kinds = {one.question_id: one.kind for one in tender.questions}
    assert (kinds["2.2-1"], kinds["T-1"]) == ("yes_no", "yes_no")
    assert [one.row_number for one in tender.questions] == list(range(1, 9))


ANSWERS = [
    FilledAnswer("2.1", "answered", "Yes", "Data is encrypted.", "yes", cited=(cited("a.pdf", 3), cited("b.pdf", 9))),
    FilledAnswer("2.1-2", "answered", "No", "Backups are not.", "no"),
    FilledAnswer("2.2", "needs_review", "Breaches are reported.", reason="probably yes (77%)"),
    FilledAnswer("2.2 a)", "declined", "never shown", reason="no evidence"),
    FilledAnswer("2.2 b)", "answered", "Twice a year.", cited=(cited("a.pdf", 4),)),
]


def test_the_matrix_has_every_requirement_in_order() -> None:
    tender = tender_of()
    book = load_workbook(io.BytesIO(fill_questionnaire(b"", _hashed(tender, b""), ANSWERS)))
    rows = list(book.active.iter_rows(values_only=True))
    assert rows[0] == tuple(title for title, _ in COLUMNS)
    assert [row[0] for row in rows[1:]] == [one.number for one in tender.requirements.values()]
    assert [row[4:] for row in rows[1:6]] == [
        ("Comply", "Data is encrypted.", "a.pdf, p. 3\nb.pdf, p. 9", None),
        ("Does not comply", "Backups are not.", None, None),
        ("To be reviewed", "Breaches are reported.", None, "to review; probably yes (77%)"),
        ("To be reviewed", None, None, "not in the documents; no evidence"),
        ("See response", "Twice a year.", "a.pdf, p. 4", None),
    ]
    assert rows[8][1] == "=1+1 must not run" and book.active["B9"].data_type == "s"
    assert book.active.freeze_panes == "C2" and book.active.auto_filter.ref == "A1:H9"


def test_the_response_document_has_headings_requirements_and_sources() -> None:
    tender = tender_of()
    responses = list(responses_of(tender, {one.question_id: one for one in ANSWERS}))
    read = docx.Document(io.BytesIO(write_response(responses, "Response to tender")))
    texts = [one.text for one in read.paragraphs]
    assert [one.text for one in read.paragraphs if one.style.name.startswith("Heading")][-1] == "2 Security"
    begin = texts.index("2.1  The Supplier shall encrypt customer data.")
    assert texts[begin + 1 : begin + 3] == ["Comply. Data is encrypted.", "Source: a.pdf, p. 3; b.pdf, p. 9"]
    assert write_response(responses, "Response to tender") == write_response(responses, "Response to tender")


def test_no_past_questionnaire_is_named_to_a_customer() -> None:
    past = replace(cited("Past-Questionnaire-Albion-2025.xlsx", 0), page_number=None, sheet_name="S", row_number=4)
    approved = replace(past, file_name="library:albion.xlsx")
    reason = (
        "similar, approved (library:albion.xlsx, sheet S, row 4): “Is it so?” → “It is; for Albion.”; "
        "probably yes (77%); Past-Questionnaire-Albion-2025.xlsx is older than a.pdf"
    )
    own = FilledAnswer("2.1", "needs_review", "Yes", "It is.", reason=reason, cited=(approved, cited("a.pdf", 3), past))
    none = FilledAnswer("2.2", "answered", "Yes", "It is.", "yes", cited=(past, approved))
    tender = tender_of()
    book = load_workbook(io.BytesIO(fill_questionnaire(b"", _hashed(tender, b""), [own, none])))
    rows = {row[0]: row[6:] for row in book.active.iter_rows(values_only=True)}
    assert rows["2.1"] == ("a.pdf, p. 3", "to review; probably yes (77%); see the evidence workbook")
    assert rows["2.2"] == (None, None)
    written = docx.Document(
        io.BytesIO(write_response(list(responses_of(tender, {"2.1": own, "2.2": none})), "Response"))
    )
    texts = "\n".join(one.text for one in written.paragraphs)
    assert "Albion" not in texts and "library:" not in texts and texts.count("Source: ") == 1


def test_which_files_are_tenders() -> None:
    assert is_tender(b"%PDF-1.7", "tender.pdf") and is_tender(b"# Text", "tender.md")
    assert is_tender(word_file(paragraph("The supplier shall deliver.")), "tender.docx")
    assert not is_tender(word_file(paragraph("Is MFA used? ☐ Yes ☐ No")), "form.docx")
    assert not is_tender(b"Question,Answer\nIs MFA used?,\n", "form.csv")


def test_paths_beside_a_tender() -> None:
    assert matrix_path(Path("a/t.pdf")) == Path("a/t.compliance.xlsx")
    assert response_path(Path("a/t.compliance.xlsx")) == Path("a/t.response.docx")
    assert response_path(Path("a/mine.xlsx")) == Path("a/mine.response.docx")


def _hashed(tender: Tender, data: bytes) -> Tender:
    import hashlib

    return replace(tender, content_sha256=hashlib.sha256(data).hexdigest())
