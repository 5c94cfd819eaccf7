"""The customer's file at the end: what was approved or edited stands in it, and nothing else."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import docx
import pytest
from openpyxl import Workbook, load_workbook
from openpyxl.worksheet.datavalidation import DataValidation

from flows.review import finish
from tasks.errors import UsageError
from tasks.review.events import Change
from tasks.review.items import ReviewItem
from tasks.review.learning import edits_of, entries_of
from tasks.review.task import save_changes
from tasks.storage.lake import Lake
from tests.made.raw_workbooks import ods_file
from tests.made.reviewed_runs import (
    DRAFTS,
    RUN,
    ReviewedRun,
    asked,
    policy_pdf,
    reviewed_run,
    rule,
)
from tests.made.word_differences import changed_parts
from tests.made.word_forms import paragraph, table, word_file


@pytest.fixture
def made(tmp_path: Path) -> ReviewedRun:
    return reviewed_run(tmp_path)


def decide(made: ReviewedRun, *changes: Change) -> None:
    save_changes.fn(RUN, {}, changes, "Ann", made.settings)


def cells(path: Path) -> dict[str, tuple[Any, ...]]:
    sheet = load_workbook(path).active
    return {row[0]: row[2:] for row in sheet.iter_rows(min_row=2, values_only=True)}


def approval(item: ReviewItem) -> Change:
    return Change(item.question_id, "approve", item.text, item.draft_verdict, draft_id=item.draft_id)


def test_only_what_was_approved_is_written(made: ReviewedRun) -> None:
    edited = Change("Q-3", "edit", "No. Each spring.", "no", draft_id=made.item("Q-3").draft_id)
    decide(made, approval(made.item("Q-1")), approval(made.item("Q-2")), edited, Change("Q-4", "reject"))
    before = made.questionnaire.read_bytes()
    with pytest.raises(UsageError, match=r"3 answers are open \(.*\): decide on them with `bidfolio review") as open_:
        finish(RUN, "", made.settings)
    assert "1 to review" in str(open_.value) and "1 not in the documents" in str(open_.value)
    done = finish(RUN, "", made.settings, partial=True)
    out = made.questionnaire.with_name("q.final.xlsx")
    assert (done["out"], done["written"], done["left_empty"]) == (str(out), 3, 3)
    found = cells(out)
    assert found["Q-1"] == ("Yes", f"{rule(1)} {PLACE}")
    assert found["Q-2"] == (f"{rule(2)} {PLACE}", None)
    assert found["Q-3"] == ("No", "No. Each spring."), "an edited text stands as it was written"
    empty = (None, None)
    assert [found[f"Q-{number}"] for number in (0, 4, 5, 6)] == [empty] * 4
    assert load_workbook(out).active.max_column == 4, "no column of bidfolio's in what the customer gets"
    assert made.questionnaire.read_bytes() == before
    lake, asked = Lake(made.settings.home), [made.item(f"Q-{number}").question for number in (1, 2, 3)]
    assert done["learnt"] == 3
    (corpus,), (run,) = lake.values("library", "corpus"), lake.values("edits", "run_id")
    assert sorted(row["question"] for row in lake.read("library", corpus=corpus).to_pylist()) == sorted(asked)
    edits = {row["question_id"]: (row["status"], row["final"]) for row in lake.read("edits", run_id=run).to_pylist()}
    assert edits["Q-3"] == ("edited", "No. Each spring.") and edits["Q-4"] == ("rejected", None)


def test_what_was_answered_goes_out_without_a_look_only_if_it_is_asked_for(made: ReviewedRun) -> None:
    decide(made, *(Change(f"Q-{number}", "reject") for number in range(2, DRAFTS + 1)))
    with pytest.raises(UsageError, match=r"2 answers are open \(2 answered and not approved\).*--with-answered"):
        finish(RUN, "", made.settings)
    done = finish(RUN, "", made.settings, with_answered=True)
    assert (done["written"], done["left_empty"]) == (2, 0)
    assert cells(Path(done["out"]))["Q-0"][0].startswith(rule(0))


def test_a_file_that_somebody_changed_is_not_replaced(made: ReviewedRun) -> None:
    out = Path(finish(RUN, "", made.settings, partial=True)["out"])
    decide(made, approval(made.item("Q-2")))
    finish(RUN, "", made.settings, partial=True)
    assert cells(out)["Q-2"][0]
    out.write_bytes(out.read_bytes() + b" ")
    with pytest.raises(UsageError, match="not this run's own work"):
        finish(RUN, "", made.settings, partial=True)
    finish(RUN, "", made.settings, partial=True, overwrite=True)
    for wrong, told in ((made.questionnaire, "is the questionnaire itself"), (out.with_suffix(".csv"), "must end in")):
        with pytest.raises(UsageError, match=told):
            finish(RUN, str(wrong), made.settings, partial=True)
    out.with_name(f"~${out.name}").touch()
    with pytest.raises(UsageError, match="open in another program"):
        finish(RUN, "", made.settings, partial=True)


def test_a_questionnaire_that_asks_something_else_now_gets_no_answer(made: ReviewedRun) -> None:
    decide(made, approval(made.item("Q-2")))
    book = load_workbook(made.questionnaire)
    book.active["B4"] = "Who pays the fine if part 2 is not checked?"
    book.save(made.questionnaire)
    with pytest.raises(UsageError, match="does not ask 'Q-2' any more as it was answered"):
        finish(RUN, "", made.settings, partial=True)
    made.questionnaire.unlink()
    with pytest.raises(UsageError, match="is gone: put it back"):
        finish(RUN, "", made.settings, partial=True)


def test_an_edited_answer_that_is_a_choice_of_the_customers_is_chosen(made: ReviewedRun) -> None:
    book = load_workbook(made.questionnaire)
    rule_ = DataValidation(type="list", formula1='"Yes,No,Compensating control"')
    rule_.add("C2:C8")
    book.active.add_data_validation(rule_)
    book.save(made.questionnaire)
    decide(made, Change("Q-3", "edit", "compensating control", draft_id=made.item("Q-3").draft_id))
    done = finish(RUN, "", made.settings, partial=True)
    assert cells(Path(done["out"]))["Q-3"] == ("Compensating control", None)


PLACE = "[policy.pdf, § Part 1 of the policy, p. 1]"
FORM = "ID,Question,Answer,Comments\r\n" + "".join(f"Q-{number},{asked(number)},,\r\n" for number in range(4))


def finished(folder: Path, file: Path, out: str) -> tuple[ReviewedRun, dict[str, Any]]:
    """A run over the file, of which the second draft is approved, the third edited and the last left open."""
    made = reviewed_run(folder, file=file, out=out)
    items = made.load().items
    edit = Change(items[2].question_id, "edit", "Each spring.", draft_id=items[2].draft_id)
    decide(made, approval(items[1]), edit)
    before = file.read_bytes()
    done = finish(RUN, "", made.settings, partial=True)
    assert file.read_bytes() == before
    return made, done


def test_a_csv_file_gets_what_was_approved(tmp_path: Path) -> None:
    file = tmp_path / "q.csv"
    file.write_text(FORM, encoding="utf-8", newline="")
    _, done = finished(tmp_path / "made", file, "q.answered.csv")
    assert done["out"] == str(tmp_path / "q.final.csv") and done["response"] is None
    lines = Path(done["out"]).read_bytes().decode().split("\r\n")
    assert lines[1:4] == [
        f"Q-0,{asked(0)},,",
        f'Q-1,{asked(1)},Yes,"{rule(1)} {PLACE}"',
        f"Q-2,{asked(2)},Each spring.,",
    ]


def test_what_the_profile_knows_of_the_company_is_in_the_final_file(tmp_path: Path) -> None:
    file = tmp_path / "q.xlsx"
    book = Workbook()
    book.active.title = "Cover"
    for label in ("Supplier details", "Company name", "Website"):
        book.active.append([label])
    sheet = book.create_sheet("Questions")
    for row in (["ID", "Question", "Answer", "Comments"], *([f"Q-{at}", asked(at), None, None] for at in range(4))):
        sheet.append(row)
    book.save(file)
    made = reviewed_run(tmp_path / "made", file=file, out="q.answered.xlsx")
    made = replace(made, settings=made.settings.model_copy(update={"company": {"name": "Acme Ltd"}}))
    decide(made, *map(approval, made.load().items[1:3]))
    done = finish(RUN, "", made.settings, partial=True)
    cover = load_workbook(done["out"])["Cover"]
    assert [row[1] if len(row) > 1 else None for row in cover.iter_rows(values_only=True)] == [None, "Acme Ltd", None]
    assert "1 fact about your company is left to you: “Website” (Cover, row 3)" in "\n".join(done["warnings"])


def test_a_word_form_gets_what_was_approved(tmp_path: Path) -> None:
    file = tmp_path / "q.docx"
    rows = [[asked(number), ""] for number in range(4)]
    file.write_bytes(word_file(table(["Question", "Answer"], *rows), paragraph("Thank you.")))
    _, done = finished(tmp_path / "made", file, "q.answered.docx")
    assert done["out"] == str(tmp_path / "q.final.docx")
    written = Path(done["out"]).read_bytes()
    assert changed_parts(file.read_bytes(), written) == ["word/document.xml"]
    cells = [cell.text for row in docx.Document(done["out"]).tables[0].rows for cell in row.cells][1::2]
    assert [bool(cell) for cell in cells] == [True, False, True, True, False]
    assert rule(1) in cells[2] and cells[3] == "Each spring."


def test_a_tender_gets_a_matrix_and_a_response_of_what_was_approved(tmp_path: Path) -> None:
    file = tmp_path / "tender.md"
    lines = (f"1.{number} The Contractor shall check part {number} of the service." for number in range(1, 5))
    file.write_text("\n\n".join(("# Tender", "## 1 Checks", *lines)), encoding="utf-8")
    made, done = finished(tmp_path / "made", file, "tender.compliance.xlsx")
    assert finish(RUN, "", made.settings, partial=True) == done, "once more, the same"
    assert done["out"] == str(tmp_path / "tender.final.compliance.xlsx")
    rows = list(load_workbook(done["out"]).active.iter_rows(min_row=2, values_only=True))
    assert [(row[0], row[4], row[5]) for row in rows] == [
        ("1.1", None, None),
        ("1.2", "Comply", f"{rule(1)} {PLACE}"),
        ("1.3", "See response", "Each spring."),
        ("1.4", None, None),
    ], "open ones are empty: nothing of bidfolio's own work list goes out"
    assert [row[6] for row in rows] == [None, "policy.pdf, p. 1", None, None] and not any(row[7] for row in rows)
    texts = [one.text for one in docx.Document(done["response"]).paragraphs]
    assert f"Comply. {rule(1)} {PLACE}" in texts and "To be reviewed" not in " ".join(texts)
    Path(done["response"]).write_bytes(b"mine")
    with pytest.raises(UsageError, match=r"tender\.final\.response\.docx is there already"):
        finish(RUN, "", made.settings, partial=True)


@pytest.mark.skipif(shutil.which("soffice") is None, reason="LibreOffice (soffice) is not installed")
def test_an_open_document_sheet_gets_what_was_approved_as_the_filled_copy_did(tmp_path: Path) -> None:
    file = tmp_path / "q.ods"
    file.write_bytes(ods_file(["ID", "Question", "Answer"], *([f"Q-{at}", asked(at), ""] for at in range(4))))
    _, done = finished(tmp_path / "made", file, "q.answered.xlsx")
    assert done["out"] == str(tmp_path / "q.final.xlsx")
    assert cells(tmp_path / "q.final.xlsx")["Q-2"] == ("Each spring.",)


def test_five_hundred_decisions_are_finished(tmp_path: Path) -> None:
    made = reviewed_run(tmp_path, 500, policy_pdf(20, 25))
    items = made.load().items
    decide(made, *(approval(item) for item in items[:-1]), Change("Q-499", "reject"))
    done = finish(RUN, "", made.settings)
    assert (done["written"], done["approved"], done["rejected"], done["open"]) == (499, 499, 1, 0)
    found = cells(Path(done["out"]))
    assert len(found) == 500 and found["Q-498"][0].startswith(rule(498)) and found["Q-499"] == (None, None)
    assert done["learnt"] == 499


def test_what_was_decided_becomes_entries_and_pairs_to_learn_from(made: ReviewedRun) -> None:
    edited = Change("Q-3", "edit", "No. Each spring.", "no", draft_id=made.item("Q-3").draft_id)
    decide(made, approval(made.item("Q-2")), edited, Change("Q-4", "reject"), Change("Q-2", "assign", owner="Ben"))
    items = made.load().items
    first, second = entries_of(items)
    assert (first.answer, first.approved_by, first.owner) == (rule(2), "Ann", "Ben")
    assert first.evidence[0].quote == rule(2) and first.evidence[0].page_number == 1 and first.approved_on
    assert (second.answer, second.verdict) == ("No. Each spring.", "no")
    pairs = [(edit.question_id, edit.proposed, edit.final) for edit in edits_of(items, RUN)]
    assert pairs == [("Q-2", rule(2), rule(2)), ("Q-3", rule(3), "No. Each spring."), ("Q-4", rule(4), None)]
