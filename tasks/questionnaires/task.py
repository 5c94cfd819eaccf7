"""Stages for a customer's file: read its questions, and write the filled copy."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from dataclasses import asdict
from pathlib import Path
from typing import Any

from configs.plans import Plan
from configs.settings import Settings
from tasks.conversion.document.serialization import from_json
from tasks.conversion.files.convert import LOGIC_VERSION as CONVERSION
from tasks.conversion.workers.sandbox import Helpers, Limits, Sandbox
from tasks.errors import UsageError
from tasks.questionnaires.filling.cell_answers import Given, filled_answer
from tasks.questionnaires.filling.fill_questionnaire import fill_questionnaire
from tasks.questionnaires.reading.layout import Fill, Questionnaire
from tasks.questionnaires.reading.read_questionnaire import read_questionnaire
from tasks.questionnaires.requirements.find_requirements import LOGIC_VERSION as FINDING
from tasks.questionnaires.requirements.find_requirements import Requirement, find_requirements
from tasks.questionnaires.requirements.response_document import write_response
from tasks.questionnaires.requirements.responses import responses_of
from tasks.questionnaires.requirements.tender import Tender, is_tender, matrix_path, read_tender, response_path
from tasks.questions.rows import question_rows
from tasks.records import Citation, Document, Quarantined, SourceFile, content_id
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
    """The path for the filled copy: ``out``, or beside the original as ``<name>.answered.<suffix>``; of a tender in
    free text that of the compliance matrix, ``<name>.compliance.xlsx``, beside which its response document is written.

    An existing copy is filled again if the same questionnaire, plan and scope made it and nobody has changed it since:
    so the same command finishes a run with failures. Raises UsageError where the path may not be written, or is the
    original itself.
    """
    original = Path(path)
    is_text = _is_tender(original)
    beside = matrix_path(original) if is_text else original.with_name(f"{original.stem}.answered{original.suffix}")
    target = Path(out) if out else beside
    if target.resolve() == original.resolve():
        raise UsageError(f"--out {target} is the questionnaire itself: name another file")
    if target.is_dir():
        raise UsageError(f"--out {target} is a folder: name a file in it")
    if is_text and target.suffix.lower() != ".xlsx":
        raise UsageError(f"--out {target} must end in .xlsx: {original.name} is answered in a compliance matrix")
    if not is_text and target.suffix.lower() != original.suffix.lower():
        raise UsageError(f"--out {target} must end in {original.suffix}, as the questionnaire does")
    for one in (target, *([response_path(target)] if is_text else [])):
        if one.exists() and not overwrite:
            kept = StageCache(Lake(settings.home)).get_json(*_filled_key(one))
            if kept != _filled_identity(original, one, plan, scope, fill):
                raise UsageError(
                    f"{one} is there already and is not this run's own work as it left it: give --overwrite to "
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
    questionnaire = _read(path, settings)
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
    questionnaire = _read(path, settings)
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
    files = {Path(out): fill_questionnaire(Path(path).read_bytes(), questionnaire, filled)}
    if isinstance(questionnaire, Tender):
        responses = responses_of(questionnaire, {answer.question_id: answer for answer in filled})
        files[response_path(Path(out))] = write_response(list(responses), f"Response to {Path(path).stem}")
    for target, data in files.items():
        staged = _partial(target)
        try:
            staged.write_bytes(data)
            staged.replace(target)
        except OSError as error:
            staged.unlink(missing_ok=True)
            raise UsageError(f"cannot write {target} ({error.strerror}): name another --out") from error
        StageCache(lake).put_json(_filled_identity(Path(path), target, plan, scope, fill), *_filled_key(target))
    return out


def response_beside(path: str, out: str) -> str | None:
    """The path of the response document that is written beside a tender's compliance matrix; None for other files."""
    return str(response_path(Path(out))) if _is_tender(Path(path)) else None


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
    return hashlib.sha256(_bytes_of(path)).hexdigest()


def _read(path: str, settings: Settings) -> Questionnaire:
    data, name = _bytes_of(Path(path)), Path(path).name
    if not is_tender(data, name):
        return read_questionnaire(data, name)
    cache, content = StageCache(Lake(settings.home)), hashlib.sha256(data).hexdigest()
    key = ("index", "requirements", f"{content_id('requirements', name, content, CONVERSION, FINDING)}.json")
    kept = cache.get_json(*key)
    if kept is None:
        kept = [asdict(one) for one in find_requirements(_converted(Path(path), data, settings))]
        cache.put_json(kept, *key)
    return read_tender((Requirement(**one) for one in kept), name, content)


def _converted(path: Path, data: bytes, settings: Settings) -> Document:
    """The document of a file that is of no corpus. Raises UsageError, with the reason, where it gives no text."""
    given = settings.conversion
    file = SourceFile(path.name, str(path.absolute()), len(data), hashlib.sha256(data).hexdigest())
    limits = Limits(given.seconds, given.memory_mb, given.output_mb)
    with Sandbox(1, limits, Helpers(settings.ocr_language, settings.libreoffice)) as sandbox:
        ((_, converted),) = sandbox.convert([file])
    document = from_json(converted)
    if isinstance(document, Quarantined):
        raise UsageError(document.reason)
    return document


def _is_tender(path: Path) -> bool:
    return is_tender(_bytes_of(path), path.name)


def _bytes_of(path: Path) -> bytes:
    try:
        return path.read_bytes()
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
