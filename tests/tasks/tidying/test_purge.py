"""A purge removes what is damaged of a run, too, as its messages say."""

from __future__ import annotations

from pathlib import Path

from configs.settings import Settings
from tasks.publishing.mending_task import check_home
from tasks.storage.filled_copies import FilledCopies
from tasks.storage.lake import Lake
from tasks.tidying.purge import find_runs, purge_runs
from tasks.tidying.purge_selection import Wanted
from tests.made.tables import least_row

RUN, OTHER = "20260102T030405-aaaaaa", "20260102T030406-bbbbbb"


def test_what_is_damaged_of_a_run_goes_with_it(tmp_path: Path) -> None:
    lake, settings = Lake(str(tmp_path)), Settings(home=str(tmp_path))
    for run_id in (RUN, OTHER):
        lake.write("runs", [least_row("runs") | {"run_id": run_id, "status": "done"}], run_id=run_id)
        lake.write("audit", [least_row("audit") | {"run_id": run_id}], run_id=run_id, plan="a")
        FilledCopies(lake).record_drafts(run_id, ["a draft"])
        lake.put(b'{"asked_as": "Why?"}', "sessions", "chat", f"{run_id}.json")
    assert check_home.fn(settings) == []
    for path in [*tmp_path.glob(f"lake/*/run_id={RUN}/**/*.parquet"), *tmp_path.glob(f"*/*/{RUN}.json")]:
        path.write_bytes(path.read_bytes()[:10])
    assert len(told := check_home.fn(settings)) == 4 and all("bidfolio purge --" in line for line in told)

    wanted = Wanted(run_ids=(RUN,))
    (going,) = find_runs.fn(wanted, settings)
    purge_runs.fn([going], wanted, settings, dry_run=False)

    assert check_home.fn(settings) == []
    left = [file.parts for file in lake.below() if file.parts[:2] != ("index", "commits")]
    assert not [parts for parts in left if any(RUN in part for part in parts)]
    assert len([parts for parts in left if any(OTHER in part for part in parts)]) == 4
