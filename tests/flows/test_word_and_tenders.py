"""`bidfolio answer` with a Word form, which comes back filled, and a tender, which gets a matrix and a response."""

from __future__ import annotations

from pathlib import Path

import docx
from openpyxl import load_workbook

from tests.made.commands import Bidfolio
from tests.made.published import Published
from tests.made.questionnaires import BREACH, GARDENER
from tests.made.word_differences import changed_parts, part_of
from tests.made.word_forms import paragraph, table, word_file


def test_a_word_form_comes_back_filled(published: Published, bidfolio: Bidfolio, tmp_path: Path) -> None:
    form = tmp_path / "form.docx"
    form.write_bytes(word_file(table(["Question", "Answer"], [BREACH, ""]), paragraph(GARDENER), paragraph("Answer:")))
    untouched = form.read_bytes()

    ran = bidfolio("--json", "answer", form)

    assert ran.exit_code == 0, ran.err
    assert (ran.summary["questions"], ran.summary["declined"]) == (2, 1)
    assert ran.summary["out"] == str(tmp_path / "form.answered.docx") and ran.summary["response"] is None
    filled = Path(ran.summary["out"]).read_bytes()
    assert form.read_bytes() == untouched and changed_parts(untouched, filled) == ["word/document.xml"]
    assert b"48 hours" in part_of(filled)


def test_a_tender_gets_a_matrix_and_a_response(published: Published, bidfolio: Bidfolio, tmp_path: Path) -> None:
    tender = tmp_path / "tender.md"
    lines = ("# Tender", "## 1 Security", f"1.1 {BREACH}", "1.2 The State will pay.", f"1.3 {GARDENER}")
    tender.write_text("\n\n".join(lines))

    ran = bidfolio("--json", "answer", tender)

    assert ran.exit_code == 0, ran.err
    assert (ran.summary["questions"], ran.summary["declined"]) == (2, 1)
    assert ran.summary["out"] == str(tmp_path / "tender.compliance.xlsx")
    rows = list(load_workbook(ran.summary["out"]).active.iter_rows(min_row=2, values_only=True))
    assert [(row[0], row[1], row[2]) for row in rows] == [
        ("1.1", BREACH, "1 Security"),
        ("1.3", GARDENER, "1 Security"),
    ]
    assert "48 hours" in rows[0][5] and rows[0][6] == "policy.pdf, p. 2" and rows[1][4] == "To be reviewed"
    texts = [one.text for one in docx.Document(ran.summary["response"]).paragraphs]
    assert f"1.1  {BREACH}" in texts and "Source: policy.pdf, p. 2" in texts

    again = bidfolio("answer", tender)
    assert again.exit_code == 0 and "tender.response.docx" in again.out
    Path(ran.summary["response"]).write_bytes(b"edited")
    refused = bidfolio("answer", tender)
    assert refused.exit_code == 2 and "tender.response.docx is there already" in refused.err
    assert bidfolio("answer", tender, "--out", tmp_path / "x.pdf").exit_code == 2
