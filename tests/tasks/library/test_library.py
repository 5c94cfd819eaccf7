"""Approved answers: which are taken over, where they are kept, and how they go."""

from __future__ import annotations

import os
from collections.abc import Callable
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from configs.settings import Settings
from flows.cli import library_command
from flows.library import import_library, list_library, remove_from_library
from tasks.errors import UsageError
from tasks.library.task import NO_ANSWER
from tasks.questionnaires.completed.completed_rows import read_completed
from tasks.storage.lake import Lake
from tests.made.raw_workbooks import RawSheet, raw_workbook
from tests.made.word_forms import table, word_file

PAST = (
    "Ref,Question,Answer,bidfolio status\n"
    "1,Do you encrypt backups?,Yes. With AES-256.,\n"
    "2,Where do you host?,In Dublin.,approved by J. Doe\n"
    "3,Do you rotate keys?,Yes.,needs review: the evidence is thin\n"
    "4,Do you log access?,,\n"
)
WRITTEN = datetime(2021, 5, 6, 12, tzinfo=UTC).timestamp()


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(home=str(tmp_path / "home"))


@pytest.fixture
def past(tmp_path: Path) -> Path:
    path = tmp_path / "past.csv"
    path.write_text(PAST, encoding="utf-8")
    os.utime(path, (WRITTEN, WRITTEN))
    return path


def test_what_a_refresh_would_not_read_is_not_taken_over(past: Path, settings: Settings) -> None:
    past.write_text(
        "Ref,Question,Answer,Status\n1,Do you encrypt backups?,Yes. With AES-256.,Approved\n"
        "2,Where do you host?,In Dublin.,Draft\n3,Do you rotate keys?,Same as 2023,Approved\n",
        encoding="utf-8",
    )
    summary = import_library(str(past), "default", settings, overwrite=False)
    assert summary["answers"] == 1
    assert summary["left_out"] == {NO_ANSWER: 2}
    assert [row["row_number"] for row in list_library(None, settings)] == [2]


def test_what_a_person_stands_behind_is_taken_over(past: Path, settings: Settings) -> None:
    summary = import_library(str(past), "default", settings, overwrite=False)
    assert (summary["file_name"], summary["answers"], summary["replaced"]) == ("library:past.csv", 2, False)
    assert sorted(summary["left_out"].values()) == [1, 1]
    rows = list_library(None, settings)
    assert [(row["row_number"], row["question"], row["verdict"], row["answer"]) for row in rows] == [
        (2, "Do you encrypt backups?", "yes", "Yes. With AES-256."),
        (3, "Where do you host?", None, "In Dublin."),
    ]
    stored = Lake(settings.home).get("library", "corpus=default", "past.csv") or b""
    assert stored.decode() == (
        "Question,Answer,Comments\nDo you encrypt backups?,Yes. With AES-256.,\nWhere do you host?,In Dublin.,\n"
    ), "the approved answers, and nothing else, in their rows"
    assert list_library("another", settings) == []
    lines = library_command.imported_lines(summary)
    assert lines[0] == "2 approved answers of library:past.csv are in the library of default, of 2021-05-06"
    assert lines[-1] == "the next refresh takes it in: bidfolio refresh FOLDER"
    assert library_command.listed_lines(rows)[1] == (
        "default  library:past.csv, row 3  Where do you host? → In Dublin."
    )


def test_another_file_of_that_name_takes_its_place_only_where_that_is_said(past: Path, settings: Settings) -> None:
    import_library(str(past), "default", settings, overwrite=False)
    import_library(str(past), "default", settings, overwrite=False)
    past.write_text("Question,Answer\nWhere do you host?,In Cork.\n", encoding="utf-8")
    with pytest.raises(UsageError, match=r"has another past\.csv: give --overwrite"):
        import_library(str(past), "default", settings, overwrite=False)
    assert len(list_library(None, settings)) == 2
    summary = import_library(str(past), "default", settings, overwrite=True)
    assert [row["answer"] for row in list_library(None, settings)] == ["In Cork."]
    assert "in the place of those before" in library_command.imported_lines(summary)[0]


def test_answers_are_of_the_day_that_is_given_else_of_the_workbooks_own_else_of_the_files(
    past: Path, settings: Settings, tmp_path: Path
) -> None:
    def days() -> set[date]:
        return {row["answered_on"] for row in Lake(settings.home).read("library", corpus="default").to_pylist()}

    import_library(str(past), "default", settings, overwrite=False)
    assert days() == {date(2021, 5, 6)}
    import_library(str(past), "default", settings, overwrite=False, day=date(2019, 1, 2))
    assert days() == {date(2019, 1, 2)}
    remove_from_library("past.csv", "default", settings)
    book = openpyxl.Workbook()
    sheet = book.worksheets[0]
    for row in (("Question", "Answer"), ("Do you encrypt backups?", "Yes, with AES-256.")):
        sheet.append(row)
    book.save(tmp_path / "past.xlsx")
    today = datetime.now(UTC).date()
    os.utime(tmp_path / "past.xlsx", (WRITTEN, WRITTEN))
    import_library(str(tmp_path / "past.xlsx"), "default", settings, overwrite=False)
    assert days() == {today}, "openpyxl writes the day of saving into the properties"


def test_a_file_goes_with_its_answers(past: Path, settings: Settings) -> None:
    import_library(str(past), "default", settings, overwrite=False)
    with pytest.raises(UsageError, match=r"has no 'other\.csv'; it has past\.csv"):
        remove_from_library("other.csv", "default", settings)
    assert remove_from_library("library:past.csv", "default", settings)["removed"] == 2
    assert list_library(None, settings) == []
    assert Lake(settings.home).get("library", "corpus=default", "past.csv") is None
    assert library_command.listed_lines([]) == ["no approved answers yet: bidfolio library import FILE"]


BACKUP, RTO, LINES = (
    "Describe your backup policy.",
    "What is your recovery time objective?",
    "Daily:\n- databases\n- files",
)
SEVERAL = ["Do you encrypt backups?", "Where do you host?", "Do you rotate keys?", BACKUP, RTO]
FORMS: dict[str, Callable[[], bytes]] = {
    "stacked.xlsx": lambda: raw_workbook(
        RawSheet("Due diligence", [["1.1", BACKUP], ["Answer:", LINES], [], ["1.2", RTO], ["Answer:", "4 hours"]])
    ),
    "stacked.csv": lambda: f'1.1,{BACKUP}\nAnswer:,"{LINES}"\n1.2,{RTO}\nAnswer:,4 hours\n'.encode(),
    "cards.xlsx": lambda: raw_workbook(
        *(
            RawSheet(f"Q{number}", [["Question", asked], ["Answer", answer], ["Comments", None]])
            for number, (asked, answer) in enumerate(((BACKUP, LINES), (RTO, "4 hours")), start=1)
        )
    ),
    "headerless.xlsx": lambda: raw_workbook(
        RawSheet("Sheet1", [[asked, {BACKUP: LINES, RTO: "4 hours"}.get(asked)] for asked in SEVERAL])
    ),
    "form.docx": lambda: word_file(
        table(["Question", "Answer"], [BACKUP, LINES], [RTO, "4 hours"], ["Where do you host?", ""])
    ),
}


@pytest.mark.parametrize("name", FORMS)
def test_answers_of_every_form_that_is_read_are_taken_over_with_their_lines(
    name: str, settings: Settings, tmp_path: Path
) -> None:
    (tmp_path / name).write_bytes(FORMS[name]())
    summary = import_library(str(tmp_path / name), "default", settings, overwrite=False)
    rows = {row["question"]: row["answer"] for row in list_library(None, settings)}
    assert rows == {BACKUP: LINES, RTO: "4 hours"} and summary["answers"] == 2
    again = import_library(str(tmp_path / name), "default", settings, overwrite=False)
    assert again["answers"] == 2, "the same file once more is the same answers"
    stored = Lake(settings.home).get("library", "corpus=default", summary["file_name"].removeprefix("library:")) or b""
    assert {one.question for one in read_completed(stored, summary["file_name"]).rows} == {BACKUP, RTO}


@pytest.mark.parametrize("name", ["past.txt.old", ".past.csv", "~$past.csv", "past"])
def test_a_file_that_no_refresh_would_read_is_refused(name: str, past: Path, settings: Settings) -> None:
    with pytest.raises(UsageError, match="pass over a file of that name"):
        import_library(str(past.rename(past.with_name(name))), "default", settings, overwrite=False)
    assert list_library(None, settings) == []


@pytest.mark.parametrize("action", ["import", "remove"])
def test_what_is_killed_halfway_is_finished_by_the_same_command(
    action: str, past: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    def run() -> None:
        if action == "import":
            import_library(str(past), "default", settings, overwrite=False)
        else:
            remove_from_library("past.csv", "default", settings)

    if action == "remove":
        import_library(str(past), "default", settings, overwrite=False)
    name = {"import": "put", "remove": "write"}[action]
    usual = getattr(Lake, name)

    def dying(lake: Lake, what: Any, *parts: Any, **partition: str) -> None:
        if "library" in (what, parts[0]):
            raise KeyboardInterrupt
        usual(lake, what, *parts, **partition)

    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
        patched.setattr(Lake, name, dying)
        run()
    assert len(list_library(None, settings)) == 2, "listed, so that it can be seen and removed"
    assert Lake(settings.home).get("library", "corpus=default", "past.csv") is None
    run()
    assert len(list_library(None, settings)) == (2 if action == "import" else 0)
    assert (Lake(settings.home).get("library", "corpus=default", "past.csv") is None) == (action == "remove")


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("Question,Answer,bidfolio status\nWhere do you host?,In Cork.,answered\n", "no approved answer in it .1 answ"),
        ("Question,Answer\nWhere do you host?,\n", "no approved answer in it .1 questions that nobody"),
        (None, "cannot read"),
    ],
)
def test_a_file_without_any_is_refused(content: str | None, reason: str, tmp_path: Path, settings: Settings) -> None:
    path = tmp_path / "odd.csv"
    if content is not None:
        path.write_text(content, encoding="utf-8")
    with pytest.raises(UsageError, match=reason):
        import_library(str(path), "default", settings, overwrite=False)
    assert list_library(None, settings) == []
