"""Entries of the library: which cells make one, who stands behind it, and how the review desk adds more."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from pathlib import Path

import openpyxl
import pytest

from configs.settings import Settings
from flows.cli import library_command
from flows.library import import_library, list_library, list_stale, remove_from_library
from tasks.errors import SeveralCorpora, UsageError
from tasks.library.entries import Edit, EntryEvidence, LibraryEntry
from tasks.library.rows import entry_of
from tasks.library.task import add_edits, add_entries, library_corpus
from tasks.questions.past_rows import without_places
from tasks.runtime.runs import start_run
from tasks.storage.lake import Lake
from tests.made.conversions import convert_bytes
from tests.made.past_questionnaires import workbook


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(home=str(tmp_path / "home"))


def _documents(settings: Settings, corpus: str) -> None:
    row = {"corpus": corpus, "document_id": "1", "file_name": "a.md", "content_sha256": "1", "status": "indexed"}
    Lake(settings.home).write("documents", [row | {"source": "folder"}], corpus=corpus)


def _import(
    tmp_path: Path, settings: Settings, *rows: list[str | None], name: str = "past.xlsx"
) -> list[dict[str, object]]:
    (tmp_path / name).write_bytes(workbook(*rows))
    import_library(str(tmp_path / name), None, settings, overwrite=True)
    return list_library(None, settings)


def test_answers_are_for_the_only_corpus_and_several_are_named(tmp_path: Path, settings: Settings) -> None:
    past = tmp_path / "past.csv"
    past.write_text("Question,Answer\nWhere do you host?,In Cork.\n", encoding="utf-8")
    _documents(settings, "demo")
    assert import_library(str(past), None, settings, overwrite=False)["corpus"] == "demo"
    _documents(settings, "tenders")
    with pytest.raises(SeveralCorpora, match=r"there are several corpora \(demo, tenders\): say which with --corpus"):
        import_library(str(past), None, settings, overwrite=False)
    with pytest.raises(SeveralCorpora):
        remove_from_library("past.csv", None, settings)
    assert library_corpus.fn("tenders", settings) == "tenders"


def test_an_approved_text_in_the_comments_is_an_answer_and_all_that_is_listed_is_what_a_refresh_reads(
    tmp_path: Path, settings: Settings
) -> None:
    rows = _import(
        tmp_path,
        settings,
        ["Question", "Yes/No", "Comments", "bidfolio status"],
        ["Do you encrypt backups?", None, "With AES-256. [policy.pdf, p. 3]", "approved"],
        ["Do you rotate keys?", None, "Each January.", "needs review: thin"],
        ["Do you log access?", None, None, None],
        ["Are keys escrowed?", "No", "By nobody. [§ 4 Keys, p. 2]", None],
    )
    assert [(row["question"], row["verdict"], row["answer"]) for row in rows] == [
        ("Do you encrypt backups?", None, "With AES-256."),
        ("Are keys escrowed?", "no", "By nobody."),
    ]
    stored = Lake(settings.home).get("library", "corpus=default", "past.xlsx") or b""
    read = convert_bytes("past.xlsx", stored)
    assert [(one.kind, one.row_number) for one in read.elements if one.row_number] == [("row", 2), ("row", 5)]
    assert [row["row_number"] for row in rows] == [2, 5], "the rows of the original"


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("With AES-256. [policy.pdf, p. 3]", "With AES-256."),
        ("With AES-256. [policy.txt] [§ 2 Keys, p. 4]", "With AES-256."),
        ("With AES-256. [Information Security Policy, § 2 Keys, p. 4] [Exit Plan, p. iv (sheet 4)]", "With AES-256."),
        ("With AES-256 [library:past.csv, row 2] [Security policy.docx, § 3 Keys].", "With AES-256."),
        (
            "It is on by default [unless example.com asks otherwise].",
            "It is on by default [unless example.com asks otherwise].",
        ),
    ],
)
def test_citations_are_no_part_of_a_stored_answer(text: str, left: str) -> None:
    assert without_places(text) == left
    assert without_places(without_places(text)) == left


def test_columns_say_who_stands_behind_an_answer_and_until_when(tmp_path: Path, settings: Settings) -> None:
    rows = _import(
        tmp_path,
        settings,
        ["Question", "Answer", "Owner", "Approved by", "Approved on", "Valid until"],
        ["Do you encrypt backups?", "Yes. With AES-256.", "IT", "J. Doe", "2026-01-31", "31 December 2026"],
        ["Where do you host?", "In Cork.", None, None, None, None],
    )
    wanted = ("owner", "approved_by", "approved_on", "valid_until", "questionnaire")
    assert [tuple(row[name] for name in wanted) for row in rows] == [
        ("IT", "J. Doe", "2026-01-31", "2026-12-31", "past.xlsx"),
        (None, None, None, None, "past.xlsx"),
    ]


def test_excels_own_days_are_read_and_what_is_no_day_is_refused(tmp_path: Path, settings: Settings) -> None:
    book = openpyxl.Workbook()
    for cells in (("Question", "Answer", "Valid until"), ("Where do you host?", "In Cork.", date(2026, 5, 4))):
        book.worksheets[0].append(cells)
    book.save(tmp_path / "days.xlsx")
    import_library(str(tmp_path / "days.xlsx"), None, settings, overwrite=False)
    assert list_library(None, settings)[0]["valid_until"] == "2026-05-04"
    with pytest.raises(UsageError, match=r"row 2: “soon” under “valid until” is no day that can be read"):
        _import(tmp_path, settings, ["Question", "Answer", "Valid until"], ["Where do you host?", "In Cork.", "soon"])


ENTRY = LibraryEntry(
    "Do you encrypt backups?",
    "With AES-256. [p. 3]",
    "yes",
    owner="IT",
    approved_by="J. Doe",
    approved_on=date(2026, 5, 4),
    valid_until=date(2020, 1, 1),
    evidence=(EntryEvidence("policy.pdf", "Backups are encrypted with AES-256.", "abc", 3),),
)
REUSED = EntryEvidence("library:past.csv", "With AES-256.", "def", row_number=2)


def test_the_review_desk_adds_entries_and_the_same_question_is_taken_anew(settings: Settings) -> None:
    run = start_run("review", "", "tender.docx", "default")
    other = LibraryEntry("Where do you host?", "In Cork.")
    assert add_entries.fn([ENTRY, other], "/in/tender.docx", run, settings).answers == 2
    assert add_entries.fn([], "tender.docx", run, settings).answers == 0
    changed = LibraryEntry("do you encrypt  backups?", "With AES-512.", "yes")
    done = add_entries.fn([changed], "tender.docx", run, settings)
    assert (done.file_name, done.answers, done.replaced) == ("library:tender.docx.xlsx", 1, True)
    rows = list_library("default", settings)
    assert [(row["sheet_name"], row["row_number"], row["answer"]) for row in rows] == [
        ("Answers", 3, "In Cork."),
        ("Answers", 4, "With AES-512."),
    ]
    stored = Lake(settings.home).get("library", "corpus=default", "tender.docx.xlsx") or b""
    read = convert_bytes("tender.docx.xlsx", stored)
    assert [one.text for one in read.elements if one.kind == "row"][1] == (
        "do you encrypt backups?\nAnswer: Yes\nComments: With AES-512."
    )


def test_an_entry_comes_back_from_the_lake_as_it_was_and_its_end_is_listed(settings: Settings) -> None:
    run = start_run("review", "", "tender.csv", "default")
    reused = replace(ENTRY, evidence=(*ENTRY.evidence, REUSED))
    add_entries.fn([reused], "tender.csv", run, settings)
    (row,) = Lake(settings.home).read("library", corpus="default").to_pylist()
    kept = entry_of(row)
    assert (kept.owner, kept.valid_until, kept.evidence, kept.answer) == (
        "IT",
        ENTRY.valid_until,
        ENTRY.evidence,
        "With AES-256.",
    )
    (stale,) = list_stale("default", settings)
    assert [fault["kind"] for fault in stale["faults"]] == ["expired", "document_gone"]
    lines = library_command.stale_lines([stale])
    assert lines[0] == "default  library:tender.csv, row 2  Do you encrypt backups? (owner: IT)"
    assert lines[1] == "  it was approved until 2020-01-01: ask IT"
    assert library_command.stale_lines([]) == ["every approved answer still stands"]


def test_edits_are_a_table(settings: Settings) -> None:
    run = start_run("review", "", "tender.csv", "default")
    edits = [
        Edit("20260101T000000-abc", "q1", "Do you log?", "Logs exist.", "All access is logged.", "yes", "yes", 0.8)
    ]
    assert add_edits.fn(edits, run, settings) == 1
    (row,) = Lake(settings.home).read("edits", run_id=run.run_id).to_pylist()
    assert (row["proposed"], row["final"], row["edited_by"]) == ("Logs exist.", "All access is logged.", None)


def test_a_draft_that_is_approved_keeps_the_places_that_it_cited(tmp_path: Path, settings: Settings) -> None:
    lake, whose = Lake(settings.home), {"run_id": "20260101T000000-abc"}
    asked = {"question_id": "q", "question_index": 0, "question": "Do you encrypt backups?"}
    lake.write("questions", [whose | asked], run_id=whose["run_id"])
    answer = whose | {"plan": "bidfolio", "question_id": "q", "answer_id": "a", "status": "answered", "verdict": "yes"}
    lake.write("answers", [answer | {"text": "Backups use AES-256."}], run_id=whose["run_id"], plan="bidfolio")
    place = {"document_id": "d", "file_name": "policy.pdf", "content_sha256": "abc", "page_number": 3}
    cited = whose | {"plan": "bidfolio", "question_id": "q", "answer_id": "a", "citation_index": 0} | place
    lake.write("citations", [cited | {"quote": "Backups use AES-256."}], run_id=whose["run_id"], plan="bidfolio")
    rows = _import(
        tmp_path,
        settings,
        ["Question", "Answer", "bidfolio status"],
        ["Do you encrypt backups?", "Yes. Backups use AES-256. [§ 2 Keys, p. 3]", "approved"],
    )
    assert '"file_name": "policy.pdf", "quote": "Backups use AES-256."' in str(rows[0]["evidence"])
