"""What a grid costs, beside each of its configurations alone, and what it says.

Run: .venv/bin/python -m tests.bench.grid NORTHWIND_FOLDER [--grid advanced]

Wall time and processor time of the command and all its children. The index is there in all of them; the sentences'
vectors that answers are chosen by are there for the configurations that run alone, and not for the grid.
"""

from __future__ import annotations

import argparse
import json
import resource
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from configs.grids import load_grid
from configs.settings import OpenAISettings, RerankSettings
from flows.cli.output.grid_lines import grid_lines
from tasks.evaluation.experiments.trials import recipe_as_run, trials_of
from tests.bench.northwind import bidfolio

ALONE = 3


class Cost(NamedTuple):
    """Seconds by the clock, and of the processors."""

    wall_s: float
    cpu_s: float

    def __str__(self) -> str:
        return f"{self.wall_s:.1f} s wall, {self.cpu_s:.1f} s of processors"

    def times(self, count: float) -> Cost:
        """So many of it."""
        return Cost(self.wall_s * count, self.cpu_s * count)


def timed(home: str, *arguments: str) -> tuple[dict[str, Any], Cost]:
    """A command's summary and what it cost. Raises CalledProcessError where it does not return 0."""
    before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    said = bidfolio(home, *arguments)
    wall_s, after = time.perf_counter() - begin, resource.getrusage(resource.RUSAGE_CHILDREN)
    return said, Cost(wall_s, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def written(folder: str, grid: str) -> list[str]:
    """Plan files of ALONE configurations, from the first to the last."""
    trials = trials_of(load_grid(grid), "bidfolio", RerankSettings(), OpenAISettings())[1:]
    files = []
    for trial in (trials[at * (len(trials) - 1) // (ALONE - 1)] for at in range(ALONE)):
        files.append(str(Path(folder) / f"{trial.plan.name}.yaml"))
        Path(files[-1]).write_text(yaml.safe_dump(recipe_as_run(trial)), encoding="utf-8")
    return files


def main(folder: str, grid: str, home: str | None) -> None:
    """Prints the figures; a ``home`` that is given may have the indexes, and must not have measured the grid."""
    gold = str(Path(folder) / "gold-dev.jsonl")
    with tempfile.TemporaryDirectory() as empty:
        home = home or empty
        files = written(empty, grid)
        bidfolio(home, "refresh", folder)
        bidfolio(home, "refresh", folder, "--plan", files[0])
        said, whole = timed(home, "tune", gold, "--grid", grid, "--out", empty)
        print("\n".join(grid_lines(said, None)), flush=True)
        print(f"\ngrid: {whole}")
        again = timed(home, "tune", gold, "--grid", grid)[1]
        print(f"again, all measured already: {again}")
        alone = [timed(home, "evaluate", gold, "--plan", file)[1] for file in files]
        together = timed(home, "evaluate", gold, *options(files))[1]
        count = said["configurations"]
        each = Cost(sum(one.wall_s for one in alone) / ALONE, sum(one.cpu_s for one in alone) / ALONE)
        further = Cost(
            (together.wall_s - alone[0].wall_s) / (ALONE - 1), (together.cpu_s - alone[0].cpu_s) / (ALONE - 1)
        )
        print(f"one configuration alone: {each}; {count} of them: {each.times(count)}")
        print(f"a further one in the same process: {further}; {count} of them: {further.times(count)}")
        print(f"the grid takes 1/{each.times(count).cpu_s / whole.cpu_s:.1f} of the processors' time of all alone")
        print(json.dumps({key: said[key] for key in ("anova", "levels", "pairs", "top", "best", "to_beat", "triad")}))


def options(files: Sequence[str]) -> list[str]:
    """``--plan`` for each."""
    return [part for file in files for part in ("--plan", file)]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder")
    parser.add_argument("--grid", default="advanced")
    parser.add_argument("--home")
    given = parser.parse_args()
    main(given.folder, given.grid, given.home)
