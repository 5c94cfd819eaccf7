"""Stages for a customer's file: read its questions, and write the filled copy."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from pathlib import Path
from typing import Any

from configs.plans import Plan
from configs.settings import Settings
from tasks.errors import UsageError
from tasks.questionnaires.filling.cell_answers import Given, filled_answer
from tasks.questionnaires.filling.fill_questionnaire import fill_questionnaire
from tasks.questionnaires.reading.layout import Fill, Questionnaire
from tasks.questionnaires.reading.read_questionnaire import read_questionnaire
from tasks.questions.rows import question_rows
from tasks.records import Citation, content_id
from tasks.references import Answered, Questions
from tasks.runtime.runs import Run
from tasks.runtime.stage import stage
from tasks.storage.lake import Lake
from tasks.storage.stage_cache import StageCache


def check_out(
    path: str,
    out: str | None,
    plan: Plan,
    settings: Settings,
    *,
    overwrite: bool,
    scope: str = "",
    fill: Fill = "answered",
) -> str:
    """The path for the filled copy: ``out``, or beside the original as ``<name>.answered.<suffix>``.

    An existing copy is filled again if the same questionnaire, plan and scope made it and nobody has changed it since:
    so the same command finishes a run with failures. Raises UsageError where the path may not be written, or is the
    original itself.
    """
    original = Path(path)
    target = Path(out) if out else original.with_name(f"{original.stem}.answered{original.suffix}")
    if target.resolve() == original.resolve():
        raise UsageError(f"--out {target} is the questionnaire itself: name another file")
    if target.is_dir():
        raise UsageError(f"--out {target} is a folder: name a file in it")
    if target.suffix.lower() != original.suffix.lower():
        raise UsageError(f"--out {target} must end in {original.suffix}, as the questionnaire does")
    if target.exists() and not overwrite:
        kept = StageCache(Lake(settings.home)).get_json(*_filled_key(target))
        if kept != _filled_identity(original, target, plan, scope, fill):
            raise UsageError(
                f"{target} is there already and is not this run's own work as it left it: give --overwrite to "
                "replace it, or another --out"
            )
    if not target.parent.is_dir():
        raise UsageError(f"there is no folder {target.parent}: make it, or name another --out")
    try:
        _partial(target).touch()
        _partial(target).unlink()
    except OSError as error:
        raise UsageError(f"cannot write {target} ({error.strerror}): name another --out") from error
    return str(target)


@stage("read {path}")
def read_questions_of_file(path: str, run: Run, settings: Settings) -> Questions:
    """Read the questions that nobody has answered yet; written to the table ``questions``.

    Raises UsageError where the file is missing, unreadable, or has no question column.
    """
    questionnaire = _read(path)
    wanted = _open_questions(questionnaire)
    questions = [question for question in questionnaire.questions if question.question_id in wanted]
    Lake(settings.home).write("questions", question_rows(run.identity, questions), run_id=run.run_id)
    return Questions(run.run_id, len(questions), questionnaire.content_sha256)


@stage("fill {out}")
def fill_file(
    path: str,
    out: str,
    questions: Questions,
    answered: Answered,
    plan: Plan,
    settings: Settings,
    scope: str = "",
    fill: Fill = "answered",
) -> str:
    """Write the filled copy, completely or not at all, and return its path.

    A proposed yes or no is written if ``fill`` is "proposed" and it is as likely as the plan's ``filled_from``.
    Raises UsageError where the copy may not be written.
    """
    filled_from = plan.answering.verdicts.filled_from if plan.answering.verdicts else 0.0
    lake = Lake(settings.home)
    partition = {"run_id": answered.run_id, "plan": answered.plan}
    citations: dict[str, list[Citation]] = defaultdict(list)
    for row in lake.read("citations", **partition).sort_by("citation_index").to_pylist():
        citations[row["answer_id"]].append(_citation(row))
    questionnaire = _read(path)
    if questionnaire.content_sha256 != questions.content_sha256:
        raise UsageError(f"{path} was changed while it was being answered: run the same command again")
    rows = {row["question_id"]: row for row in lake.read("answers", **partition).to_pylist()}
    asked = lake.read("questions", run_id=questions.run_id)
    asked_as = dict(zip(*(asked[name].to_pylist() for name in ("question_id", "asked_as")), strict=True))
    filled = [
        filled_answer(questionnaire, place.question_id, given, fill)
        for sheet in questionnaire.sheets
        for place in sheet.rows
        if (
            given := [
                Given(rows[one], citations[rows[one]["answer_id"]], mark, asked_as[one], filled_from)
                for one, mark in questionnaire.asked_in(place.question_id)
                if one in rows
            ]
        )
    ]
    target = Path(out)
    staged = _partial(target)
    try:
        staged.write_bytes(fill_questionnaire(Path(path).read_bytes(), questionnaire, filled))
        staged.replace(target)
    except OSError as error:
        staged.unlink(missing_ok=True)
        raise UsageError(f"cannot write {target} ({error.strerror}): name another --out") from error
    StageCache(lake).put_json(_filled_identity(Path(path), target, plan, scope, fill), *_filled_key(target))
    return out


def _partial(target: Path) -> Path:
    """The path of the temporary file, in the target's folder, so that it can replace the target in one step.

    Its name is a hash: to a name of the greatest length nothing could be added.
    """
    return target.with_name(f".{content_id('partial', target.name)}.partial")


def _filled_key(target: Path) -> tuple[str, str, str]:
    """The key of the record of a filled copy, so that the same run may write it again."""
    return "index", "filled", f"{content_id('filled', str(target.resolve()))}.json"


def _filled_identity(questionnaire: Path, target: Path, plan: Plan, scope: str, fill: Fill) -> dict[str, str]:
    """The values that must be equal for a filled copy to be this run's own, unchanged."""
    return {
        "questionnaire": _sha256(questionnaire),
        "filled": _sha256(target),
        "plan": plan.fingerprint(),
        **({"scope": scope} if scope else {}),
        **({"fill": fill} if fill != "answered" else {}),
    }


def _sha256(path: Path) -> str:
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}") from error


def _read(path: str) -> Questionnaire:
    try:
        return read_questionnaire(Path(path).read_bytes(), Path(path).name)
    except OSError as error:
        raise UsageError(f"cannot read the questionnaire {path}: {error.strerror}") from error


def _open_questions(questionnaire: Questionnaire) -> set[str]:
    return {
        question_id
        for sheet in questionnaire.sheets
        for row in sheet.rows
        if row.row_number not in sheet.answered_rows
        for question_id, _ in questionnaire.asked_in(row.question_id)
    }


def _citation(row: dict[str, Any]) -> Citation:
    return Citation(
        document_id=row["document_id"],
        file_name=row["file_name"],
        content_sha256=row["content_sha256"],
        page_number=row["page_number"],
        quote=row["quote"],
        start=row["start_offset"],
        end=row["end_offset"],
        section_path=row["section_path"] or "",
        sheet_name=row["sheet_name"],
        row_number=row["row_number"],
        page_label=row["page_label"] or "",
        document_name=row["document_name"] or "",
    )
