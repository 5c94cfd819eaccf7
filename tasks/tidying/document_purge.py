"""Purge of a deleted document: remove what the records of runs have of it, and leave what they have of others."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import asdict
from typing import Any

import pyarrow as pa

from configs.settings import Settings
from tasks.errors import UsageError
from tasks.index.store import IndexStore
from tasks.runtime.stage import stage
from tasks.sources.scan_cache import ScanCache
from tasks.storage.document_rows import DocumentRows
from tasks.storage.lake import Lake
from tasks.storage.output_cache import forget, outputs_file
from tasks.storage.stored_file import Stored
from tasks.tidying.erasing import BY_RUN, Eraser, questions_of, replies
from tasks.tidying.purge_selection import similar
from tasks.tidying.retention import Removed

Answered = frozenset[tuple[str, str]]
"""Questions of a run, each with the plan that answered it."""
_HANDED_OVER = ("citations", "audit_steps")
"""Tables whose rows say from which documents a question was answered."""
_OF_ANSWERS = ("reviews", "judgements", "answers", "audit", *_HANDED_OVER)
_SUMMARIES = ("summary_json", "error")


class Purged:
    """A document by its path below a corpus; an archive or a mail stands for its members, too."""

    def __init__(self, name: str) -> None:
        self.name = name
        written = "|".join(map(re.escape, {name, json.dumps(name)[1:-1]}))
        self._named = re.compile(rf"(?<![\w./-])(?:{written})(?![\w-])")

    def is_it(self, file_name: str) -> bool:
        """Tell if a document of that name is the one, or a member of it."""
        return file_name == self.name or file_name.startswith(f"{self.name}/")

    def is_named_in(self, value: Any) -> bool:
        """Tell if a text names it."""
        return isinstance(value, str) and self._named.search(value) is not None

    def naming(self, rows: pa.Table) -> list[bool]:
        """Tell of each row if any of its texts names the document."""
        found = [False] * rows.num_rows
        for column in rows.columns:
            if pa.types.is_string(column.type):
                named = {value: self.is_named_in(value) for value in column.unique().to_pylist()}
                found = [was or named[value] for was, value in zip(found, column.to_pylist(), strict=True)]
        return found


@stage("require that {name} is deleted")
def require_deleted(name: str, corpus: str | None, settings: Settings, *, is_known: bool) -> None:
    """Raise UsageError for a document that a corpus still has, by its last scan or by what is published, and for one
    that nothing in the home names; ``is_known`` if anything beside the lake and the index does.
    """
    lake, purged = Lake(settings.home), Purged(name)
    corpora = lake.values("documents", "corpus") if corpus is None else [corpus]
    present: dict[str, str] = {}
    for one in corpora:
        scan = ScanCache(lake).last_scan(one)
        rows = [*lake.read("documents", corpus=one).to_pylist()]
        rows += map(asdict, (ScanCache(lake).files(scan) if scan else None) or ())
        present |= {row["file_name"]: one for row in rows}
    if found := [known for known in present if purged.is_it(known)]:
        raise UsageError(
            f"{name} is a document of the corpus {present[found[0]]!r}: delete it from its folder, run `bidfolio "
            "refresh` with each plan that you use, then this again"
        )
    versions = [one.manifest for one in IndexStore(settings.home).versions() if one.manifest.corpus in corpora]
    cache = DocumentRows(lake)
    held = {row["file_name"] for one in versions for row in cache.document_rows(one.corpus, one.documents_key) or ()}
    held |= {name for _, rows in _changes(lake) for row in rows for name in (row["file_name"], row["old_name"]) if name}
    is_known = is_known or any(map(purged.is_it, held))
    if not is_known and not any(_is_named(purged, run_id, lake) for run_id in _runs(lake)):
        known = similar(name, {*present, *held})
        raise UsageError(f"nothing names a document {name!r}: give its path below the corpus; {known}")


@stage("runs that name {name}")
def find_naming(name: str, corpus: str | None, settings: Settings) -> dict[str, str]:
    """The runs that name the document, and those that have recorded no answers yet but keep replies of a model server,
    which may quote it; each with its flow run in Prefect, or "".
    """
    lake, purged = Lake(settings.home), Purged(name)
    recorded = set(lake.values("audit", "run_id"))
    unrecorded = {run_id for _, run_id in replies(lake) if run_id and run_id not in recorded}
    found: dict[str, str] = {}
    for run_id in sorted(unrecorded.union(_runs(lake))):
        rows = lake.read("runs", run_id=run_id).to_pylist()
        if corpus is not None and corpus not in (_corpora_of(run_id, lake) or {corpus}):
            continue
        if run_id in unrecorded or _is_named(purged, run_id, lake):
            found[run_id] = next((row["flow_run_id"] or "" for row in rows), "")
    return found


@stage("purge {name}")
def purge_document(name: str, runs: Collection[str], settings: Settings, *, dry_run: bool) -> dict[str, Removed]:
    """Remove from the records of ``runs`` every answer for which the document was handed over, with its hits, attempts,
    checks and citations; the runs' replies of model servers and turns of conversations; and cached vectors of quoted
    sentences. Returns what was removed, or with ``dry_run`` would be, by kind.

    Questions, figures and approved answers of the library stay. What shows that an answer rested on the document goes
    last, so that the same command completes a purge that was killed.
    """
    lake, purged = Lake(settings.home), Purged(name)
    eraser = Eraser(lake, dry_run=dry_run)
    answered = {run_id: _answered_from(purged, run_id, lake) for run_id in sorted(runs)}
    recorded = set(lake.values("audit", "run_id"))
    going = {run_id for run_id, asked in answered.items() if asked or run_id not in recorded}
    eraser.drop("replies", (file for file, run_id in replies(lake) if run_id in going or not run_id))
    eraser.drop_turns(going, {question for run_id in going for question in questions_of(run_id, lake)})
    # By its hashes it is not known whose an output is.
    eraser.drop_local("vectors", outputs_file(settings.home), forget)
    for run_id in lake.values("edits", "run_id"):
        rows = lake.read("edits", run_id=run_id)
        of = zip(rows["answer_run_id"].to_pylist(), rows["question_id"].to_pylist(), strict=True)
        gone = [any(question == one for one, _ in answered.get(run, ())) for run, question in of]
        _drop_rows(eraser, purged, rows, gone, "edits", run_id=run_id)
    if not dry_run:
        _blank(purged, answered, lake, eraser)
    # What shows that an answer rested on the document goes last.
    for table in ("quality", "expansions", *_OF_ANSWERS, "retrievals"):
        for run_id, asked in answered.items():
            asked |= _found_in(purged, run_id, lake) if table == "expansions" else frozenset()
            for partition in _partitions(table, run_id, lake):
                rows = lake.read(table, **partition)
                gone = _are_of(rows, asked) if table not in ("quality", "retrievals") else [False] * rows.num_rows
                _drop_rows(eraser, purged, rows, gone, table, **partition)
    return eraser.removed


def _blank(purged: Purged, runs: Iterable[str], lake: Lake, eraser: Eraser) -> None:
    """Take the document out of rows that stay: summaries of runs, evidence of approved answers, lists of changes."""
    for run_id in runs:
        rows = lake.read("runs", run_id=run_id).to_pylist()
        left = [row | {key: None for key in _SUMMARIES if purged.is_named_in(row[key])} for row in rows]
        if left != rows:
            eraser.write(left, "runs", run_id=run_id)
    for corpus in lake.values("library", "corpus"):
        rows = lake.read("library", corpus=corpus).to_pylist()
        left = [row | {"evidence": _without_evidence(purged, row["evidence"])} for row in rows]
        if left != rows:
            eraser.write(left, "library", corpus=corpus)
    for file, changed in _changes(lake):
        left = [row for row in changed if not purged.is_it(row["file_name"]) and row["old_name"] != purged.name]
        if left != changed:
            lake.put(json.dumps(left).encode(), *file.parts)


def _changes(lake: Lake) -> Iterator[tuple[Stored, list[dict[str, Any]]]]:
    """The files that list what refreshes have changed, and what they hold."""
    for file in lake.below("cache", "changes"):
        yield file, json.loads(lake.get(*file.parts) or b"[]")


def _without_evidence(purged: Purged, evidence: str | None) -> str | None:
    if not purged.is_named_in(evidence):
        return evidence
    left = [one for one in json.loads(evidence or "[]") if not purged.is_it(one["file_name"])]
    return json.dumps(left, ensure_ascii=False) if left else None


def _drop_rows(
    eraser: Eraser, purged: Purged, rows: pa.Table, gone: Sequence[bool], table: str, **partition: str
) -> None:
    """Remove the rows that are ``gone``, and those that name the document."""
    is_kept = [not (one or other) for one, other in zip(gone, purged.naming(rows), strict=True)]
    eraser.keep_rows("tables", rows.filter(pa.array(is_kept, pa.bool_())), rows.num_rows, table, **partition)


def _are_of(rows: pa.Table, asked: Answered) -> list[bool]:
    """Tell of each row if it is about one of those questions, by any plan where the table has none."""
    any_plan = {question for question, _ in asked}
    questions = rows["question_id"].to_pylist()
    if "plan" not in rows.column_names:
        return [question in any_plan for question in questions]
    return [key in asked for key in zip(questions, rows["plan"].to_pylist(), strict=True)]


def _answered_from(purged: Purged, run_id: str, lake: Lake) -> Answered:
    """The questions of the run that the document was handed over for, or whose answer names it."""
    return _keys_naming(purged, run_id, lake, (*_HANDED_OVER, "answers", "audit"))


def _found_in(purged: Purged, run_id: str, lake: Lake) -> Answered:
    """The questions of the run that the document was found for: an expansion may have its words."""
    return _keys_naming(purged, run_id, lake, ("retrievals",))


def _keys_naming(purged: Purged, run_id: str, lake: Lake, tables: Iterable[str]) -> Answered:
    found: set[tuple[str, str]] = set()
    for table in tables:
        for partition in _partitions(table, run_id, lake):
            rows = lake.read(table, **partition)
            of_questions = zip(rows["question_id"].to_pylist(), rows["plan"].to_pylist(), strict=True)
            found.update(key for key, names in zip(of_questions, purged.naming(rows), strict=True) if names)
    return frozenset(found)


def _corpora_of(run_id: str, lake: Lake) -> set[str]:
    """The corpora that a run has read, as its records say."""
    partitions = [("runs", {"run_id": run_id}), *(("audit", one) for one in _partitions("audit", run_id, lake))]
    return {one for table, of in partitions for one in lake.read(table, **of)["corpus"].unique().to_pylist() if one}


def _runs(lake: Lake) -> list[str]:
    return sorted({run_id for table in BY_RUN for run_id in lake.values(table, "run_id")})


def _is_named(purged: Purged, run_id: str, lake: Lake) -> bool:
    return any(
        any(purged.naming(lake.read(table, **partition)))
        for table in BY_RUN
        for partition in _partitions(table, run_id, lake)
    )


def _partitions(table: str, run_id: str, lake: Lake) -> Iterator[dict[str, str]]:
    """The partitions of a run in a table: by plan or by save where the table has these."""
    for key in ("plan", "save_id"):
        if values := lake.values(table, key, run_id=run_id):
            yield from ({"run_id": run_id, key: value} for value in values)
            return
    yield {"run_id": run_id}
