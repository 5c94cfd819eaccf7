"""Stages of the library: import, remove and list approved answers, which a refresh makes documents of."""

from __future__ import annotations

import hashlib
from collections import Counter
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

from configs.settings import Settings
from tasks.conversion.files.convert import convert
from tasks.conversion.files.file_dates import own_date
from tasks.conversion.office import unstructured_reader
from tasks.errors import ConversionError, UsageError
from tasks.library_names import PREFIX
from tasks.questionnaires.reading.completed import Completed, read_completed
from tasks.records import SourceFile
from tasks.runtime.runs import Run, now
from tasks.runtime.stage import stage
from tasks.sources.file_types import is_document
from tasks.storage.filled_copies import FilledCopies
from tasks.storage.lake import Lake

NO_ANSWER = "answers that are drafts by their row's own status, only point elsewhere, or are hidden"


@dataclass(frozen=True, slots=True)
class Imported:
    """The result of an import: the number of answers and their day, and the rows left out by reason."""

    file_name: str
    answers: int
    answered_on: date
    left_out: dict[str, int]
    replaced: bool


@stage("import {path} into the library of {run.corpus}")
def import_answers(path: str, run: Run, settings: Settings, *, overwrite: bool, day: date | None = None) -> Imported:
    """Import the file with its answered rows into the library of the run's corpus.

    The answers get that ``day``, else the day in the workbook's properties, else when the file was last written: it
    decides which of two answers is newer. Raises UsageError where the file cannot be read, is no completed
    questionnaire, has no approved answer, or would replace another without ``overwrite``.
    """
    file, corpus, lake = Path(path), run.corpus or "", Lake(settings.home)
    if not is_document(file.name):
        raise UsageError(f"{path}: a refresh would pass over a file of that name: call it NAME.xlsx or NAME.csv")
    try:
        data, written = file.read_bytes(), datetime.fromtimestamp(file.stat().st_mtime, UTC).date()
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}") from error
    drafts = FilledCopies(lake).drafts()
    completed = _read_by_a_refresh(read_completed(data, file.name, drafts), data, file.name)
    if not completed.rows:
        raise UsageError(f"{path}: no approved answer in it ({_in_words(completed)})")
    before = lake.get("library", f"corpus={corpus}", file.name)
    if before not in (None, data) and not overwrite:
        raise UsageError(
            f"the library of {corpus!r} has another {file.name}: give --overwrite to take this one in its place, or "
            "rename the file"
        )
    name = f"{PREFIX}{file.name}"
    rows = [row for row in lake.read("library", corpus=corpus).to_pylist() if row["file_name"] != name]
    answered_on = day or own_date("xlsx", file.name, data) or written
    told = {
        **run.identity,
        "corpus": corpus,
        "file_name": name,
        "content_sha256": hashlib.sha256(data).hexdigest(),
        "answered_on": answered_on,
        "approved_at": now(),
    }
    wanted = ("sheet_name", "row_number", "question", "verdict", "answer")
    rows += [told | {field: getattr(row, field) for field in wanted} for row in completed.rows]
    # If the run is killed in between, the answers are listed and not searched, and the same command goes on.
    lake.write("library", rows, corpus=corpus)
    lake.put(data, "library", f"corpus={corpus}", file.name)
    return Imported(name, len(completed.rows), answered_on, dict(completed.left_out), before is not None)


@stage("remove {file_name} from the library of {corpus}")
def remove_answers(file_name: str, corpus: str, settings: Settings) -> int:
    """Remove the file of that name; returns its number of answers. Raises UsageError where there is no such file."""
    lake, name = Lake(settings.home), f"{PREFIX}{file_name.removeprefix(PREFIX)}"
    rows = lake.read("library", corpus=corpus).to_pylist()
    left = [row for row in rows if row["file_name"] != name]
    if len(left) == len(rows):
        known = sorted({row["file_name"].removeprefix(PREFIX) for row in rows})
        raise UsageError(f"the library of {corpus!r} has no {file_name!r}; it has {', '.join(known) or 'nothing'}")
    lake.drop("library", f"corpus={corpus}", name.removeprefix(PREFIX))
    lake.write("library", left, corpus=corpus)
    return len(rows) - len(left)


@stage("source of {corpus}")
def source_of(corpus: str, settings: Settings) -> str | None:
    """The folder or URL that the corpus was last refreshed from; None where it never was."""
    return next(iter(Lake(settings.home).read("documents", corpus=corpus)["source"].to_pylist()), None)


@stage("list the library")
def list_answers(corpus: str | None, settings: Settings) -> list[dict[str, Any]]:
    """Every approved answer of the corpus, or of all, as rows of the table ``library``, by file and row."""
    lake = Lake(settings.home)
    corpora = lake.values("library", "corpus") if corpus is None else [corpus]
    return [row for one in corpora for row in lake.read("library", corpus=one).to_pylist()]


def _read_by_a_refresh(completed: Completed, data: bytes, file_name: str) -> Completed:
    """The completed rows that a refresh recognizes as answers; the others could never be found."""
    try:
        document = convert(SourceFile(file_name, "", len(data), ""), data, unstructured_reader)
    except ConversionError as error:
        raise UsageError(str(error)) from error
    read = {(one.sheet_name, one.row_number) for one in document.elements if one.kind == "row"}
    rows = [row for row in completed.rows if (row.sheet_name, row.row_number) in read]
    silent = len(completed.rows) - len(rows)
    return Completed(rows, completed.left_out + Counter({NO_ANSWER: silent} if silent else {}))


def _in_words(completed: Completed) -> str:
    left_out = ", ".join(f"{count} {reason}" for reason, count in completed.left_out.items())
    return (
        f"{left_out or 'no questions'}; to approve a draft, write 'approved' into its cell in 'bidfolio status' or, of "
        "a copy without that column, into the evidence workbook, and take it back: bidfolio review RUN --import FILE"
    )
