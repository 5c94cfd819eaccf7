"""Stages for a customer's file: read its questions, and write the filled copy and the evidence beside it."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple

from configs.plans import Plan
from configs.settings import Settings
from tasks.conversion.document.serialization import from_json
from tasks.conversion.files.version import LOGIC_VERSION as CONVERSION
from tasks.conversion.office.libreoffice import find_workbook_converter
from tasks.conversion.workers.sandbox import Helpers, Limits, Sandbox
from tasks.errors import UsageError
from tasks.questionnaires.customers_file import (
    AS_FOUND,
    CustomersFile,
    ReadAs,
    filled_suffix,
    read_customers_file,
    workbook_bytes,
)
from tasks.questionnaires.evidence.rows import evidence_row
from tasks.questionnaires.evidence.workbook import Heading, write_evidence
from tasks.questionnaires.filling.cell_answers import Given, filled_answer
from tasks.questionnaires.filling.company_facts import facts_left, known_facts
from tasks.questionnaires.filling.fill_questionnaire import Filled, fill_with_notes
from tasks.questionnaires.formats.load_grids import WORD_SUFFIXES
from tasks.questionnaires.output_names import answered_path, evidence_path, matrix_path, report_path, response_path
from tasks.questionnaires.reading.layout import EvidencePlace, Fill, Questionnaire
from tasks.questionnaires.requirements.find_requirements import LOGIC_VERSION as FINDING
from tasks.questionnaires.requirements.find_requirements import Requirement, find_requirements
from tasks.questionnaires.requirements.list_numbers import list_numbers
from tasks.questionnaires.requirements.tender import Tender, is_tender, read_tender
from tasks.questions.rows import question_rows
from tasks.records import Citation, Document, Quarantined, SourceFile, content_id
from tasks.references import Answered, Questions
from tasks.runtime.runs import Run
from tasks.runtime.stage import stage
from tasks.spreadsheets.evidence_workbooks import is_evidence, refusal
from tasks.storage.filled_copies import FilledCopies
from tasks.storage.lake import Lake
from tasks.storage.output_file import checked_target, write_whole
from tasks.storage.stage_cache import StageCache

SHOWN_ROWS = 5
_KEPT = "the answers are kept, and the same command goes on from them"


class Targets(NamedTuple):
    """The paths to write: the filled copy, or a tender's compliance matrix; the evidence workbook, and the response
    document of a tender; None where there is none to be.
    """

    out: str
    evidence: str | None
    response: str | None = None


def check_out(
    path: str,
    out: str | None,
    plan: Plan,
    settings: Settings,
    *,
    overwrite: bool,
    scope: str = "",
    fill: Fill = "answered",
    evidence: EvidencePlace = "file",
    read_as: ReadAs = AS_FOUND,
) -> Targets:
    """The path for the filled copy: ``out``, or beside the original as ``<name>.answered.<suffix>``; and beside it that
    for the evidence workbook, ``<name>.evidence.xlsx``. A tender in free text gets a compliance matrix,
    ``<name>.compliance.xlsx``, with a response document beside it, ``<name>.response.docx``.

    An existing file is written again if the same questionnaire, plan and scope made it and nobody has changed it since:
    so the same command finishes a run with failures. Raises UsageError where a path may not be written, is that of the
    original itself, or of a file that is open in another program.
    """
    original = Path(path)
    is_text = _is_tender(original)
    if evidence == "inline" and not (is_text or filled_suffix(path).casefold() in WORD_SUFFIXES):
        _require_title_rows(path, settings, read_as)
    suffix = ".xlsx" if is_text else filled_suffix(path)
    default = matrix_path(original) if is_text else answered_path(original, suffix)
    target = Path(out) if out else default
    if evidence == "inline" and (is_text or suffix.casefold() in WORD_SUFFIXES):
        raise UsageError("--evidence inline adds columns to a sheet, and this file is none: use --evidence file")
    if target.resolve() == original.resolve():
        raise UsageError(f"--out {target} is the questionnaire itself: name another file")
    if target.suffix.lower() != suffix.lower() and not target.is_dir():
        why = "as the questionnaire does" if suffix == original.suffix else "to which the questionnaire is converted"
        why = "in which a tender is answered" if is_text else why
        raise UsageError(f"--out {target} must end in {suffix}, {why}")
    beside = evidence_path(target) if evidence == "file" else None
    if beside and beside.resolve() == original.resolve():
        raise UsageError(f"the evidence of --out {target} would be the questionnaire itself: name another file")
    copies = FilledCopies(Lake(settings.home))
    identity = _identity(original, plan, scope, fill, evidence, read_as)
    response = response_path(target) if is_text else None
    for one in filter(None, (target, beside, response)):
        checked_target(one, "--out")
        if one.exists() and not overwrite and not copies.is_own(one, identity):
            raise UsageError(_not_own(one, is_evidence=one == beside))
    return Targets(str(target), str(beside) if beside else None, str(response) if response else None)


@stage("open {path}")
def open_file(path: str, settings: Settings, read_as: ReadAs = AS_FOUND) -> CustomersFile:
    """Read the questions of a customer's file of any kind, or the requirements of a tender in free text.

    Raises UsageError as :func:`read_customers_file`, and for an evidence workbook.
    """
    return _read(path, settings, read_as)


@stage("read {path}")
def read_questions_of_file(path: str, run: Run, settings: Settings, read_as: ReadAs = AS_FOUND) -> Questions:
    """Read the questions that nobody has answered yet; written to the table ``questions``.

    Raises UsageError where the file is missing, unreadable, or has no question column.
    """
    questionnaire = _read(path, settings, read_as).questionnaire
    wanted = _open_questions(questionnaire)
    questions = [question for question in questionnaire.questions if question.question_id in wanted]
    Lake(settings.home).write("questions", question_rows(run.identity, questions), run_id=run.run_id)
    return Questions(run.run_id, len(questions), _sha256(Path(path)), questionnaire.warnings)


class Written(NamedTuple):
    """The files that were written, and what a person should know of them."""

    out: str
    evidence: str | None
    warnings: tuple[str, ...]
    response: str | None = None


@stage("fill {targets.out}")
def fill_file(
    path: str,
    targets: Targets,
    questions: Questions,
    answered: Answered,
    plan: Plan,
    run: Run,
    index_version: str,
    settings: Settings,
    fill: Fill = "answered",
    evidence: EvidencePlace = "file",
    read_as: ReadAs = AS_FOUND,
    *,
    report: bool = False,
) -> Written:
    """Write the filled copy and the evidence workbook, each completely or not at all.

    With ``report``, each row of the evidence links to its question in the HTML report that will stand beside it.
    A proposed yes or no is written if ``fill`` is "proposed" and it is as likely as the plan's ``filled_from``.
    Raises UsageError where a file may not be written.
    """
    filled_from = plan.answering.verdicts.filled_from if plan.answering.verdicts else 0.0
    lake = Lake(settings.home)
    partition = {"run_id": answered.run_id, "plan": answered.plan}
    citations: dict[str, list[Citation]] = defaultdict(list)
    for row in lake.read("citations", **partition).sort_by("citation_index").to_pylist():
        citations[row["answer_id"]].append(_citation(row))
    original, questionnaire = _read(path, settings, read_as)
    if _sha256(Path(path)) != questions.content_sha256:
        raise UsageError(f"{path} was changed while it was being answered: run the same command again")
    rows = {row["question_id"]: row for row in lake.read("answers", **partition).to_pylist()}
    asked = {row["question_id"]: row for row in lake.read("questions", run_id=questions.run_id).to_pylist()}
    places = [place for sheet in questionnaire.sheets for place in sheet.rows]
    filled = [
        filled_answer(questionnaire, place.question_id, given, fill)
        for place in places
        if (
            given := [
                Given(rows[one], citations[rows[one]["answer_id"]], mark, asked[one]["asked_as"], filled_from)
                for one, mark in questionnaire.asked_in(place.question_id)
                if one in rows
            ]
        )
    ]
    filled += known_facts(questionnaire, settings.company)
    left = facts_left(questionnaire, filled)
    done = fill_with_notes(original, questionnaire, filled, review_columns=evidence == "inline")
    files = {Path(targets.out): done.data}
    if targets.evidence:
        evidence_rows = [
            evidence_row(
                asked[one],
                rows[one],
                citations[rows[one]["answer_id"]],
                notes=done.notes.get(place.question_id, ()),
                reference=" ".join(filter(None, (place.reference, mark))),
                index_version=index_version,
            )
            for place in places
            for one, mark in questionnaire.asked_in(place.question_id)
            if one in rows
        ]
        names = (questionnaire.file_name, Path(targets.out).name)
        linked = report_path(Path(targets.out)) if report else None
        heading = Heading(run.run_id, *names, answered.plan, index_version, run.started_at)
        files[Path(targets.evidence)] = write_evidence(evidence_rows, heading, linked)
    if targets.response and done.response:
        files[Path(targets.response)] = done.response
    copies = FilledCopies(lake)
    if evidence != "inline":
        # Before the copy is there: nothing may take its drafts for approved answers.
        copies.record_drafts(run.run_id, done.drafts)
    identity = _identity(Path(path), plan, run.scope, fill, evidence, read_as)
    for target, data in files.items():
        copies.record(target, identity, data)
        write_whole(target, data, "--out", _KEPT)
    told = (*_warnings(questionnaire, done, targets), *filter(None, [left]))
    return Written(targets.out, targets.evidence, told, targets.response)


def _warnings(questionnaire: Questionnaire, done: Filled, targets: Targets) -> tuple[str, ...]:
    """The sheets that got a column for the answers, and the drafts that have no cell in the customer's file."""
    told = [
        f"{questionnaire.file_name}{f', sheet {sheet!r}' if sheet else ''}: there was no place for answers, so a "
        "column “Answer” was added at the right"
        for sheet in done.added
    ]
    if done.unplaced:
        numbers = [
            f"{sheet.sheet_name} row {row.row_number}" if sheet.sheet_name else f"row {row.row_number}"
            for sheet in questionnaire.sheets
            for row in sheet.rows
            if row.question_id in done.unplaced
        ]
        more = f" and {len(numbers) - SHOWN_ROWS} more" if len(numbers) > SHOWN_ROWS else ""
        where = (
            f"see the reason for each in {Path(targets.evidence).name}"
            if targets.evidence
            else "--evidence file shows each with its reason"
        )
        drafts = "1 draft has" if len(numbers) == 1 else f"{len(numbers)} drafts have"
        told.append(f"{drafts} no cell in the customer's file ({', '.join(numbers[:SHOWN_ROWS])}{more}): {where}")
    return tuple(told)


def _require_title_rows(path: str, settings: Settings, read_as: ReadAs) -> None:
    """Raise UsageError for a sheet whose first row is a question: nothing would tell inline drafts from answers."""
    for sheet in _read(path, settings, read_as).questionnaire.sheets:
        if sheet.rows and not sheet.header_row:
            where = f"sheet {sheet.sheet_name!r}" if sheet.sheet_name else "the file"
            raise UsageError(
                f"{path}: {where} has no row above its first question for the titles of --evidence inline: insert an "
                "empty row at the top, or use --evidence file"
            )


def _not_own(path: Path, *, is_evidence: bool) -> str:
    if is_evidence:
        return (
            f"{path} is there already and is not this run's own work as it left it: take the decisions in it back "
            f"first (bidfolio review RUN --import {path.name}), give --overwrite to replace it, or name another --out"
        )
    return (
        f"{path} is there already and is not this run's own work as it left it: give --overwrite to "
        "replace it, or another --out"
    )


def _identity(
    questionnaire: Path, plan: Plan, scope: str, fill: Fill, evidence: EvidencePlace, read_as: ReadAs
) -> dict[str, str]:
    """The values that must be equal, beside the file's hash, for a written file to be this run's own, unchanged."""
    return {
        "questionnaire": _sha256(questionnaire),
        "plan": plan.fingerprint(),
        **({"scope": scope} if scope else {}),
        **({"fill": fill} if fill != "answered" else {}),
        **({"evidence": evidence} if evidence != "file" else {}),
        **read_as.identity,
    }


def _read(path: str, settings: Settings, read_as: ReadAs) -> CustomersFile:
    data = workbook_bytes(path)
    if is_tender(data, Path(path).name):
        return CustomersFile(data, _read_tender(Path(path), data, settings))
    if is_evidence(data):
        raise UsageError(refusal(Path(path).name))
    return read_customers_file(path, read_as, find_workbook_converter() if settings.libreoffice else None)


def _is_tender(path: Path) -> bool:
    return is_tender(workbook_bytes(str(path)), path.name)


def _sha256(path: Path) -> str:
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}") from error


def _read_tender(path: Path, data: bytes, settings: Settings) -> Tender:
    """Convert a tender and find its requirements, both once for the same bytes."""
    cache, content = StageCache(Lake(settings.home)), hashlib.sha256(data).hexdigest()
    key = ("index", "requirements", f"{content_id('requirements', path.name, content, CONVERSION, FINDING)}.json")
    kept = cache.get_json(*key)
    if not isinstance(kept, dict):  # an earlier bidfolio did not name the file, so that no purge could find it
        document = _converted(path, data, settings)
        numbers = list_numbers(data, path.name, document)
        found = [asdict(one) for one in find_requirements(document, numbers)]
        kept = {"file_name": path.name, "requirements": found}
        cache.put_json(kept, *key)
    return read_tender((Requirement(**one) for one in kept["requirements"]), path.name, content)


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
