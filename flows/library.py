"""`bidfolio library`: import, remove and list approved past answers."""

from __future__ import annotations

from dataclasses import asdict
from datetime import date
from typing import Any

from configs.settings import Settings
from tasks.library.task import import_answers, list_answers, remove_answers, source_of
from tasks.runtime.artifacts import failure_recorded, open_run, record_run


def import_library(
    path: str, corpus: str, settings: Settings, *, overwrite: bool, day: date | None = None
) -> dict[str, Any]:
    """Import a completed questionnaire; returns counts of approved and left-out answers, and the ``source`` to refresh.

    ``source`` is None where the corpus does not exist yet. Raises UsageError as :func:`import_answers`.
    """
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


def remove_from_library(file_name: str, corpus: str, settings: Settings) -> dict[str, Any]:
    """Remove a file's answers; returns their number, and the ``source`` to refresh.

    Raises UsageError as :func:`remove_answers`.
    """
    removed = remove_answers.fn(file_name, corpus, settings)
    return {"corpus": corpus, "removed": removed, "source": source_of.fn(corpus, settings)}


def list_library(corpus: str | None, settings: Settings) -> list[dict[str, Any]]:
    """Every approved answer, with its place and the day of its approval."""
    return [
        {name: value for name, value in row.items() if name not in ("run_id", "run_date", "content_sha256")}
        | {
            "answered_on": row["answered_on"] and row["answered_on"].isoformat(),
            "approved_at": row["approved_at"].isoformat(timespec="seconds"),
        }
        for row in list_answers.fn(corpus, settings)
    ]
