"""Stages of the library: import, add, remove and list approved answers, which a refresh makes documents of."""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

from configs.settings import Settings
from tasks.conversion.files.convert import convert
from tasks.conversion.files.file_dates import own_date
from tasks.conversion.office import unstructured_reader
from tasks.conversion.office.libreoffice import find_workbook_converter
from tasks.errors import ConversionError, SeveralCorpora, UsageError
from tasks.library.entries import Edit, EntryEvidence, LibraryEntry
from tasks.library.library_file import as_file, file_name_for, placed
from tasks.library.rows import edit_row, entry_of, entry_row
from tasks.library_names import PREFIX, is_approved
from tasks.questionnaires.completed.completed_rows import read_completed
from tasks.questionnaires.customers_file import workbook_bytes
from tasks.questions.past_rows import without_places
from tasks.records import SourceFile
from tasks.references import DEFAULT_CORPUS
from tasks.runtime.runs import Run, now
from tasks.runtime.stage import stage
from tasks.sources.file_types import is_document
from tasks.storage.commits import Commits, of_library
from tasks.storage.filled_copies import FilledCopies
from tasks.storage.lake import Lake

NO_ANSWER = "answers that are drafts by their row's own status, only point elsewhere, or are hidden"
RUNS_READ = 100
"""The number of the last runs whose drafts are looked up for the places that they cited."""
_OF_CITATION = "answer_id file_name quote content_sha256 page_number sheet_name row_number".split()


@dataclass(frozen=True, slots=True)
class Imported:
    """The result of an import: the number of answers and their day, and the rows left out by reason."""

    file_name: str
    answers: int
    answered_on: date
    left_out: dict[str, int]
    replaced: bool


@stage("corpus of the library")
def library_corpus(corpus: str | None, settings: Settings) -> str:
    """The corpus that answers are for: the one that is named, else the only one; ``default`` where there is none yet.

    Raises SeveralCorpora where there are several.
    """
    if corpus:
        return corpus
    lake = Lake(settings.home)
    known = sorted({*lake.values("documents", "corpus"), *lake.values("library", "corpus")})
    if len(known) > 1:
        raise SeveralCorpora(known)
    return known[0] if known else DEFAULT_CORPUS


@stage("import {path} into the library of {run.corpus}")
def import_answers(path: str, run: Run, settings: Settings, *, overwrite: bool, day: date | None = None) -> Imported:
    """Import the answered rows of the file into the library of the run's corpus.

    The answers get that ``day``, else the day in the workbook's properties, else when the file was last written: it
    decides which of two answers is newer. Raises UsageError where the file cannot be read, is no completed
    questionnaire, has no approved answer, or would replace another without ``overwrite``.
    """
    file, corpus, lake = Path(path), run.corpus or "", Lake(settings.home)
    if not is_document(file.name):
        raise UsageError(f"{path}: a refresh would pass over a file of that name: call it NAME.xlsx or NAME.csv")
    try:
        sha256 = hashlib.sha256(file.read_bytes()).hexdigest()
        written = datetime.fromtimestamp(file.stat().st_mtime, UTC).date()
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}") from error
    data = workbook_bytes(path, find_workbook_converter() if settings.libreoffice else None)
    completed = read_completed(data, file.name, FilledCopies(lake).drafts())
    free = [row for row in completed.rows if (row.sheet_name or "") in completed.free]
    # A table is read as a refresh reads it: what its own columns call a draft, or point elsewhere with, is no answer.
    read = frozenset() if len(free) == len(completed.rows) else _read_by_a_refresh(data, file_name_for(file.name))
    evidence = _evidence_of_drafts(lake)
    known = [row for row in completed.rows if row in free or (row.sheet_name, row.row_number) in read]
    entries = [
        LibraryEntry(
            row.question,
            answer := without_places(row.answer) if row.answer else None,
            row.verdict,
            row.owner,
            row.approved_by,
            row.approved_on,
            row.valid_until,
            row.sheet_name,
            row.row_number,
            evidence.get((row.question, answer or ""), ()),
        )
        for row in known
    ]
    silent = len(completed.rows) - len(known)
    left_out = completed.left_out + Counter({NO_ANSWER: silent} if silent else {})
    if not entries:
        raise UsageError(f"{path}: no approved answer in it ({_in_words(left_out)})")
    name = f"{PREFIX}{file_name_for(file.name)}"
    before = {row["content_sha256"] for row in _rows(lake, corpus) if row["file_name"] == name}
    if before - {sha256} and not overwrite:
        raise UsageError(
            f"the library of {corpus!r} has another {file.name}: give --overwrite to take this one in its place, or "
            "rename the file"
        )
    answered_on = day or own_date("xlsx", file.name, data) or written
    taken = _put(entries, name, sha256, answered_on, file.name, run, lake)
    lost = len(entries) - taken
    left_out += Counter({NO_ANSWER: lost} if lost else {})
    return Imported(name, taken, answered_on, dict(left_out), bool(before))


@stage("add {source} to the library of {run.corpus}")
def add_entries(entries: Sequence[LibraryEntry], source: str, run: Run, settings: Settings) -> Imported:
    """Add the entries that were approved in the questionnaire ``source`` to the library of the run's corpus.

    An entry takes the place of an earlier one of the same questionnaire to the same question; all others stay. Their
    day is that of the run. No entries change nothing. The next refresh makes a document of them.
    """
    corpus, lake = run.corpus or "", Lake(settings.home)
    name, today = f"{PREFIX}{file_name_for(Path(source).name)}", run.started_at.date()
    new = [_bare(one) for one in entries]
    kept = [one for one in new if one.answer or one.verdict]
    left_out = {NO_ANSWER: len(new) - len(kept)} if len(new) > len(kept) else {}
    if not kept:
        return Imported(name, 0, today, left_out, False)
    rows = [row for row in _rows(lake, corpus) if row["file_name"] == name]
    asked = {_asked(one.question) for one in kept}
    earlier = [entry_of(row) for row in rows if _asked(row["question"]) not in asked]
    sha256 = hashlib.sha256(repr((earlier, kept)).encode()).hexdigest()
    taken = _put([*earlier, *kept], name, sha256, today, Path(source).name, run, lake)
    return Imported(name, taken - len(earlier), today, left_out, bool(rows))


@stage("record the edits of {run.run_id}")
def add_edits(edits: Sequence[Edit], run: Run, settings: Settings) -> int:
    """Write drafts beside what people made of them to the table ``edits``; returns their number."""
    Lake(settings.home).write("edits", (run.identity | edit_row(edit) for edit in edits), run_id=run.run_id)
    return len(edits)


@stage("remove {file_name} from the library of {corpus}")
def remove_answers(file_name: str, corpus: str, settings: Settings) -> int:
    """Remove the file of that name; returns its number of answers. Raises UsageError where there is no such file."""
    lake, bare = Lake(settings.home), file_name.removeprefix(PREFIX)
    rows = _rows(lake, corpus)
    names = {f"{PREFIX}{bare}", f"{PREFIX}{file_name_for(bare)}"}
    left = [row for row in rows if row["file_name"] not in names]
    if len(left) == len(rows):
        known = sorted({row["file_name"].removeprefix(PREFIX) for row in rows})
        raise UsageError(f"the library of {corpus!r} has no {file_name!r}; it has {', '.join(known) or 'nothing'}")
    for name in names:
        lake.drop("library", f"corpus={corpus}", name.removeprefix(PREFIX))
    lake.write("library", left, corpus=corpus)
    _commit(lake, corpus)
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
    return [row for one in corpora for row in _rows(lake, one)]


def _rows(lake: Lake, corpus: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = lake.read("library", corpus=corpus).to_pylist()
    return rows


def _bare(entry: LibraryEntry) -> LibraryEntry:
    """The entry without citations in its text, and without the library's own rows as evidence of themselves."""
    evidence = tuple(one for one in entry.evidence if not is_approved(one.file_name))
    return replace(entry, answer=without_places(entry.answer) if entry.answer else None, evidence=evidence)


def _asked(question: str) -> str:
    return " ".join(question.split()).casefold()


def _put(
    entries: Sequence[LibraryEntry],
    name: str,
    sha256: str,
    answered_on: date,
    questionnaire: str,
    run: Run,
    lake: Lake,
) -> int:
    """Put the entries in the place of the library's file ``name``; returns the number of those that a refresh reads."""
    corpus, stored = run.corpus or "", name.removeprefix(PREFIX)
    at = placed(entries, stored)
    # What a refresh would not read as an answer is not listed either.
    read = _read_by_a_refresh(as_file(at, stored), stored)
    kept = [one for one in at if (one.sheet_name, one.row_number) in read]
    if not kept:
        raise UsageError(f"{questionnaire}: no answer in it is one that a refresh reads")
    shared = {
        **run.identity,
        "corpus": corpus,
        "file_name": name,
        "content_sha256": sha256,
        "answered_on": answered_on,
        "approved_at": now(),
        "questionnaire": questionnaire,
    }
    rows = [row for row in _rows(lake, corpus) if row["file_name"] != name]
    rows += [shared | entry_row(one) for one in kept]
    # If the run is killed in between, the answers are listed and not searched, and the same command goes on.
    lake.write("library", rows, corpus=corpus)
    lake.put(as_file(kept, stored), "library", f"corpus={corpus}", stored)
    _commit(lake, corpus)
    return len(kept)


def _commit(lake: Lake, corpus: str) -> None:
    own = f"corpus={corpus}"
    Commits(lake).put(of_library(corpus), [("lake", "library", own), ("library", own)], rewritten=("library/",))


def _evidence_of_drafts(lake: Lake) -> Mapping[tuple[str, str], tuple[EntryEvidence, ...]]:
    """The places that bidfolio cited for its drafts, by question and text: who approves a draft approves it with them.

    Of the same draft of several runs, those of the last; places of past answers, which bear nothing out, are left out.
    """
    found: dict[tuple[str, str], tuple[EntryEvidence, ...]] = {}
    for run_id in lake.values("answers", "run_id")[-RUNS_READ:]:
        questions = lake.read("questions", run_id=run_id).select(["question_id", "question"]).to_pylist()
        asked = {row["question_id"]: " ".join(row["question"].split()) for row in questions}
        for plan in lake.values("answers", "plan", run_id=run_id):
            cited: dict[str, list[EntryEvidence]] = defaultdict(list)
            for row in lake.read("citations", run_id=run_id, plan=plan).select(_OF_CITATION).to_pylist():
                answer_id = row.pop("answer_id")
                if row["row_number"] is None:
                    row["content_sha256"] = row["content_sha256"] or ""
                    cited[answer_id].append(EntryEvidence(**row))
            for row in lake.read("answers", run_id=run_id, plan=plan).to_pylist():
                question = asked.get(row["question_id"])
                if question and row["text"] and cited[row["answer_id"]]:
                    for text in _as_filled(row["text"], row["verdict"] or row["proposed_verdict"]):
                        found[question, text] = tuple(cited[row["answer_id"]])
    return found


def _as_filled(text: str, verdict: str | None) -> Collection[str]:
    """The forms in which a draft stands in the cells of a filled copy: alone, and behind its yes or no."""
    words = {"yes": "Yes", "no": "No", "partial": "Partial"}
    return [text, f"{words[verdict]}. {text}"] if verdict in words else [text]


def _read_by_a_refresh(data: bytes, file_name: str) -> frozenset[tuple[str | None, int | None]]:
    """The sheets and rows that a refresh recognizes as answers; others could never be found."""
    try:
        document = convert(SourceFile(file_name, "", len(data), ""), data, unstructured_reader)
    except ConversionError as error:
        raise UsageError(str(error)) from error
    return frozenset((one.sheet_name, one.row_number) for one in document.elements if one.kind == "row")


def _in_words(left_out: Counter[str]) -> str:
    told = ", ".join(f"{count} {reason}" for reason, count in left_out.items())
    return (
        f"{told or 'no questions'}; to approve a draft, write 'approved' into its cell in 'bidfolio status' or, of a "
        "copy without that column, into the evidence workbook, and take it back: bidfolio review RUN --import FILE"
    )
