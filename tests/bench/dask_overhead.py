"""What a cluster costs and gives on one machine: the same refresh without Dask, with one worker and with three.

Run: .venv/bin/python -m tests.bench.dask_overhead FOLDER [--workers 0 1 3] [--repeats 1]

Each refresh has a home of its own and begins with nothing. One worker against none is what the cluster costs: starting
it, each worker's own model, and what travels. Workers beyond the machine's cores give nothing but their price.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from statistics import median


def refresh(folder: str, workers: int, model_home: str) -> dict[str, float]:
    """The summary of a first refresh. Raises CalledProcessError where it does not return 0."""
    with tempfile.TemporaryDirectory() as home:
        os.makedirs(f"{home}/cache")
        # The graph of the model is made once: it is no part of what is compared.
        os.symlink(model_home, f"{home}/cache/models")
        command = [sys.executable, "-P", "-m", "flows.cli", "--home", home, "--json", "refresh", folder]
        environment = os.environ | {"BIDFOLIO_DASK_WORKERS": str(workers)}
        done = subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment)
    summary: dict[str, float] = json.loads(done.stdout)
    return summary


def main(folder: str, workers: list[int], repeats: int) -> None:
    """Prints the figures."""
    with tempfile.TemporaryDirectory() as model_home:
        refresh(folder, 0, model_home)
        seconds: dict[int, list[float]] = {count: [] for count in workers}
        chunks = 0.0
        for _ in range(repeats):
            for count in workers:
                summary = refresh(folder, count, model_home)
                seconds[count].append(summary["seconds"])
                chunks = summary["chunks"]
    first = median(seconds[workers[0]])
    for count in workers:
        took = median(seconds[count])
        name = f"{count} workers" if count != 1 else "1 worker"
        print(f"{name:10} {took:7.1f} s for {chunks:g} chunks   {took / first:.2f} of {workers[0]} workers' time")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("--workers", type=int, nargs="+", default=[0, 1, 3])
    parser.add_argument("--repeats", type=int, default=1)
    given = parser.parse_args()
    main(given.folder, given.workers, given.repeats)
