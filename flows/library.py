"""`bidfolio library`: import, remove and list approved past answers, and list those that no longer stand."""

from __future__ import annotations

from dataclasses import asdict
from datetime import date
from typing import Any

from configs.settings import Settings
from tasks.answering.stale_task import stale_entries
from tasks.library.task import import_answers, library_corpus, list_answers, remove_answers, source_of
from tasks.runtime.artifacts import failure_recorded, open_run, record_run

_OWN_COLUMNS = ("run_id", "run_date", "content_sha256")


def import_library(
    path: str, corpus: str | None, settings: Settings, *, overwrite: bool, day: date | None = None
) -> dict[str, Any]:
    """Import a completed questionnaire; returns counts of approved and left-out answers, and the ``source`` to refresh.

    Without a ``corpus`` it is the only one. ``source`` is None where the corpus does not exist yet. Raises UsageError
    as :func:`library_corpus` and :func:`import_answers`.
    """
    corpus = library_corpus.fn(corpus, settings)
    run = open_run.fn("library", "", path, corpus, settings)
    with failure_recorded(run, settings):
        imported = import_answers.fn(path, run, settings, overwrite=overwrite, day=day)
    record_run(run, settings, status="done")
    return {
        "run_id": run.run_id,
        "corpus": corpus,
        **asdict(imported),
        "answered_on": imported.answered_on.isoformat(),
        "source": source_of.fn(corpus, settings),
    }


def remove_from_library(file_name: str, corpus: str | None, settings: Settings) -> dict[str, Any]:
    """Remove a file's answers; returns their number, and the ``source`` to refresh.

    Without a ``corpus`` it is the only one. Raises UsageError as :func:`library_corpus` and :func:`remove_answers`.
    """
    corpus = library_corpus.fn(corpus, settings)
    removed = remove_answers.fn(file_name, corpus, settings)
    return {"corpus": corpus, "removed": removed, "source": source_of.fn(corpus, settings)}


def list_library(corpus: str | None, settings: Settings) -> list[dict[str, Any]]:
    """Every approved answer, with its place, the day of its approval, and who stands behind it."""
    return [_shown(row) for row in list_answers.fn(corpus, settings)]


def list_stale(corpus: str | None, settings: Settings) -> list[dict[str, Any]]:
    """Every approved answer that is not used again without a person, with the ``faults`` of each."""
    return [_shown(row) | {"faults": faults} for row, faults in stale_entries.fn(corpus, settings)]


def _shown(row: dict[str, Any]) -> dict[str, Any]:
    shown = {name: value for name, value in row.items() if name not in _OWN_COLUMNS}
    days = {name: row[name] and row[name].isoformat() for name in ("answered_on", "approved_on", "valid_until")}
    return shown | days | {"approved_at": row["approved_at"].isoformat(timespec="seconds")}
