"""A check of the home names every damaged file, whatever else is damaged."""

from __future__ import annotations

from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

from configs.settings import Settings
from tasks.publishing.mending_task import check_home
from tasks.storage.lake import Lake


def test_a_damaged_row_of_a_run_is_named_beside_other_damage(tmp_path: Path) -> None:
    lake = Lake(str(tmp_path))
    for run_id in ("1", "2"):
        row: dict[str, Any] = {
            "run_id": run_id,
            "run_date": date(2026, 1, 1),
            "kind": "answer",
            "plan": "bidfolio",
            "status": "done",
        }
        row |= {"started_at": datetime(2026, 1, 1, tzinfo=UTC), "duration_ms": 1}
        lake.write("runs", [row], run_id=run_id)
    assert check_home.fn(Settings(home=str(tmp_path))) == []

    paths = [tmp_path / "lake" / "runs" / f"run_id={run_id}" / "runs.parquet" for run_id in ("1", "2")]
    for path in paths:
        path.write_bytes(b"x")

    told = check_home.fn(Settings(home=str(tmp_path)))
    assert len(told) == 2
    for path, run_id in zip(paths, "12", strict=True):
        assert any(str(path) in line and f"bidfolio purge --run {run_id}" in line for line in told)
