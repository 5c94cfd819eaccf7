"""Runs of this home that were killed: they are closed before a command reads what they left."""

from __future__ import annotations

from pathlib import Path

from configs.settings import Settings
from tasks.runtime.running import FOLDER, dead_runs


def close_killed_runs(settings: Settings) -> None:
    """Close the runs whose process is gone. Where there are none, nothing of Prefect is imported."""
    if any(not run.is_closed for run in dead_runs(Path(settings.home, *FOLDER))):
        from tasks.runtime.artifacts import close_crashed

        close_crashed.fn(settings)
