"""The files of a run: where they go, what is never overwritten, and what is said where one cannot be written."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest
from openpyxl import Workbook, load_workbook

from configs.plans import load_plan
from configs.settings import Settings
from flows.gold import import_gold_set
from flows.library import import_library
from tasks.conversion.files.convert import convert
from tasks.conversion.office import unstructured_reader
from tasks.errors import ConversionError, UsageError
from tasks.questionnaires.completed.completed_rows import DRAFTS, read_completed
from tasks.questionnaires.evidence.columns import ANSWERS_SHEET, COLUMNS
from tasks.questionnaires.task import Targets, Written, check_out, fill_file, read_questions_of_file
from tasks.records import SourceFile
from tasks.references import Answered
from tasks.runtime.runs import Run, start_run
from tasks.storage.lake import Lake
from tests.made.questionnaires import ENCRYPTED, QUESTIONS, write_questionnaire

PLAN = load_plan("bidfolio")
DRAFT = {"run_id": "", "plan": "bidfolio", "answer_id": "", "status": "answered", "generator": "extractive"}


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(home=str(tmp_path / "home"))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return write_questionnaire(tmp_path / "customer.xlsx")


def answer(file: Path, settings: Settings, **options: Any) -> Written:
    """Fill the file with drafts of a run that answered the first question, and found nothing about the others."""
    run = start_run("answer", "bidfolio", str(file))
    told = {name: value for name, value in options.items() if name in ("fill", "evidence")}
    options = {"overwrite": False, "out": None} | options
    targets = check_out(str(file), options.pop("out"), PLAN, settings, **options)
    return fill(file, targets, run, settings, **told)


def fill(file: Path, targets: Targets, run: Run, settings: Settings, **told: Any) -> Written:
    questions = read_questions_of_file.fn(str(file), run, settings)
    lake, partition = Lake(settings.home), {"run_id": run.run_id, "plan": "bidfolio"}
    rows = lake.read("questions", run_id=run.run_id).sort_by("question_index").to_pylist()
    ids = [row["question_id"] for row in rows]
    known = {"text": "All of it is.", "verdict": "yes", "proposed_verdict": "yes", "verdict_probability": 0.96}
    lacking = {"status": "declined", "decline_reason": "no_evidence"}
    drafts = [run.identity | DRAFT | {"answer_id": one, "question_id": one} for one in ids]
    drafts = [drafts[0] | known, *(one | lacking for one in drafts[1:])]
    lake.write("answers", drafts, **partition)
    lake.write("citations", [], **partition)
    answered = Answered(run.run_id, "bidfolio", 1, len(ids) - 1, 0, 0)
    return fill_file.fn(str(file), targets, questions, answered, PLAN, run, "v1", settings, **told)


def rows_of(path: Path, sheet: str) -> list[list[Any]]:
    return [[cell.value for cell in row] for row in load_workbook(path)[sheet]]


def test_the_evidence_stands_beside_the_copy(file: Path, settings: Settings, tmp_path: Path) -> None:
    untouched = file.read_bytes()
    written = answer(file, settings)
    assert written == Written(str(tmp_path / "customer.answered.xlsx"), str(tmp_path / "customer.evidence.xlsx"), ())
    assert rows_of(Path(written.out), "Security")[:3] == [
        ["No.", "Question", "Answer", "Comments"],
        [1, ENCRYPTED, "Yes", "All of it is."],
        [2, QUESTIONS[1], None, None],
    ]
    _, *rows = rows_of(tmp_path / "customer.evidence.xlsx", ANSWERS_SHEET)
    found = [dict(zip((column.name for column in COLUMNS), row, strict=True)) for row in rows]
    assert [row["question"] for row in found] == list(QUESTIONS)
    assert [row["status"] for row in found] == ["answered", "declined", "declined", "declined"]
    names = ("reference", "row_number", "final", "probability", "index_version")
    assert [found[0][name] for name in names] == ["1", 2, "All of it is.", 0.96, "v1"]
    assert file.read_bytes() == untouched and not list(tmp_path.glob(".*"))


def test_inline_and_none_write_one_file(file: Path, settings: Settings, tmp_path: Path) -> None:
    inline = answer(file, settings, evidence="inline", out=str(tmp_path / "inline.xlsx"))
    none = answer(file, settings, evidence="none", out=str(tmp_path / "none.xlsx"))
    assert (inline.evidence, none.evidence) == (None, None)
    assert rows_of(tmp_path / "inline.xlsx", "Security")[0][-1] == "bidfolio status"
    assert rows_of(tmp_path / "none.xlsx", "Security")[0] == ["No.", "Question", "Answer", "Comments"]
    assert sorted(path.name for path in tmp_path.glob("*.xlsx")) == ["customer.xlsx", "inline.xlsx", "none.xlsx"]


def test_what_the_run_left_is_written_again_and_what_a_person_changed_is_not(
    file: Path, settings: Settings, tmp_path: Path
) -> None:
    evidence = tmp_path / "customer.evidence.xlsx"
    answer(file, settings)
    answer(file, settings)
    for other in ({"fill": "proposed"}, {"evidence": "inline"}):
        with pytest.raises(UsageError, match=r"customer\.answered\.xlsx is there already .* give --overwrite"):
            answer(file, settings, **other)
    book = load_workbook(evidence)
    book[ANSWERS_SHEET]["J3"] = "approved"
    book.save(evidence)
    edited = evidence.read_bytes()
    with pytest.raises(
        UsageError, match=r"customer\.evidence\.xlsx is there .*review RUN --import customer\.evidence\.xlsx"
    ):
        answer(file, settings)
    assert evidence.read_bytes() == edited
    answer(file, settings, overwrite=True)
    assert rows_of(evidence, ANSWERS_SHEET)[2][9] == "declined"


@pytest.mark.parametrize("lock", ["~${}", ".~lock.{}#"])
@pytest.mark.parametrize("name", ["customer.answered.xlsx", "customer.evidence.xlsx"])
def test_a_file_that_is_open_elsewhere_is_named(
    name: str, lock: str, file: Path, settings: Settings, tmp_path: Path
) -> None:
    answer(file, settings)
    (tmp_path / lock.format(name)).touch()
    with pytest.raises(UsageError, match=rf"{name} is open in another program: close it there, or name another --out"):
        answer(file, settings, overwrite=True)


@pytest.mark.parametrize("name", ["customer.answered.xlsx", "customer.evidence.xlsx"])
def test_a_file_that_cannot_be_replaced_leaves_all_as_it_was_and_the_next_run_goes_on(
    name: str, file: Path, settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    usual = Path.replace

    def replace(staged: Path, target: Path) -> Path:
        if target.name == name:
            raise PermissionError(13, "Permission denied")
        return usual(staged, target)

    untouched = file.read_bytes()
    with monkeypatch.context() as patched, pytest.raises(UsageError) as refused:
        patched.setattr(Path, "replace", replace)
        answer(file, settings)
    told = f"cannot write {tmp_path / name} (Permission denied): close it where it is open, or name another --out"
    assert str(refused.value) == f"{told}; the answers are kept, and the same command goes on from them"
    assert file.read_bytes() == untouched and not (tmp_path / name).exists() and not list(tmp_path.glob(".*"))
    answer(file, settings)
    assert (tmp_path / name).exists()


@pytest.mark.parametrize("name", ["customer.answered.xlsx", "customer.evidence.xlsx"])
@pytest.mark.parametrize("is_written", [True, False])
def test_a_run_that_is_killed_at_a_file_is_gone_on_with(
    name: str, is_written: bool, file: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    usual = Path.replace

    def replace(staged: Path, target: Path) -> Path:
        if target.name == name and not is_written:
            raise KeyboardInterrupt
        usual(staged, target)
        if target.name == name:
            raise KeyboardInterrupt
        return target

    answer(file, settings)
    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
        patched.setattr(Path, "replace", replace)
        answer(file, settings)
    answer(file, settings)


def test_a_folder_that_cannot_be_written_is_named_before_anything_is_asked(
    file: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    def touch(*_: Any) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "touch", touch)
    with pytest.raises(
        UsageError, match=r"cannot write .*customer\.answered\.xlsx \(Permission denied\): name another"
    ):
        answer(file, settings)


def test_the_evidence_is_never_the_questionnaire_itself(file: Path, settings: Settings, tmp_path: Path) -> None:
    sheet = file.rename(tmp_path / "customer.evidence.xlsx")
    with pytest.raises(UsageError, match="would be the questionnaire itself"):
        answer(sheet, settings, out=str(tmp_path / "customer.xlsx"))
    (tmp_path / "b.evidence.xlsx").mkdir()
    with pytest.raises(UsageError, match=r"b\.evidence\.xlsx is a folder"):
        answer(sheet, settings, out=str(tmp_path / "b.xlsx"))


def test_an_evidence_workbook_is_no_questionnaire_no_library_and_no_document(file: Path, settings: Settings) -> None:
    evidence = Path(str(answer(file, settings).evidence))
    refused = r"evidence workbook of bidfolio's own.* review RUN --import customer\.evidence"
    with pytest.raises(UsageError, match=refused):
        answer(evidence, settings)
    with pytest.raises(UsageError, match=refused):
        import_library(str(evidence), "default", settings, overwrite=False)
    data = evidence.read_bytes()
    with pytest.raises(ConversionError, match="whose drafts are no evidence"):
        convert(SourceFile("e.xlsx", "", len(data), ""), data, unstructured_reader)


@pytest.mark.parametrize(
    ("rows", "told"),
    [
        (
            [["No.", "Question"], [1, ENCRYPTED]],
            "customer.xlsx, sheet 'Security': there was no place for answers, so a column “Answer” was added at the "
            "right",
        ),
        (
            [["No.", "Question", "Answer (max. 2 characters)"], [1, "Describe your backups."]],
            "1 draft has no cell in the customer's file (Security row 2): see the reason for each in "
            "customer.evidence.xlsx",
        ),
    ],
)
def test_what_has_no_place_is_told(rows: list[list[Any]], told: str, file: Path, settings: Settings) -> None:
    book = load_workbook(file)
    book.active.delete_rows(1, 9)
    for row in rows:
        book.active.append(row)
    book.save(file)
    assert answer(file, settings).warnings == (told,)


def test_library_and_gold_set_take_no_draft_of_a_copy_without_review_columns(
    file: Path, settings: Settings, tmp_path: Path
) -> None:
    out = Path(answer(file, settings).out)
    with pytest.raises(UsageError, match="no approved answer in it"):
        import_library(str(out), "default", settings, overwrite=False)
    with pytest.raises(UsageError, match="gives no question: 3 questions that nobody has answered; 1 answers that are"):
        import_gold_set(str(out), None, None, str(tmp_path / "gold.jsonl"), None, settings, overwrite=False)
    book, changed = load_workbook(io.BytesIO(out.read_bytes())), tmp_path / "sent.xlsx"
    book.active["C3"] = "Within a day."
    book.save(changed)
    assert import_library(str(changed), "default", settings, overwrite=False)["answers"] == 1


def test_inline_evidence_gets_its_titles_above_questions_without_a_header(
    file: Path, settings: Settings, tmp_path: Path
) -> None:
    def write(*rows: list[str]) -> Path:
        book = Workbook()
        for row in rows:
            book.active.append(row)
        book.save(tmp_path / "bare.xlsx")
        return tmp_path / "bare.xlsx"

    asked = [[question] for question in QUESTIONS]
    with pytest.raises(UsageError, match=r"sheet 'Sheet' has no row above its first question .* insert an empty row"):
        answer(write(*asked), settings, evidence="inline")
    filled = answer(write([], *asked), settings, evidence="inline").out
    titles = rows_of(Path(filled), "Sheet")[0]
    assert titles[-1] == "bidfolio status" and titles[0] is None
    completed = read_completed(Path(filled).read_bytes(), "bare.answered.xlsx")
    assert completed.rows == [] and completed.left_out[DRAFTS] == 1, "a draft is told from an answer by its status"
