"""Waiting time and memory of commands: `--help`, a demo, a question from cold, a questionnaire again.

Run: .venv/bin/python -m tests.bench.commands [--repeats 5]
"""

from __future__ import annotations

import argparse
import os
import subprocess
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import NamedTuple

import psutil

from tasks.storage.output_cache import outputs_file

LAUNCHER = Path(__file__).resolve().parents[2] / "infra" / "bidfolio"
SAMPLE_INTERVAL_S = 0.5


class Measured(NamedTuple):
    """Wall time, and the largest resident memory of the command with all its children at one moment."""

    seconds: float
    peak_mb: float


def measure(*arguments: str, home: str) -> Measured:
    """One run of the launcher. Raises CalledProcessError where it does not return 0."""
    command = [str(LAUNCHER), *arguments]
    begin = time.perf_counter()
    process = subprocess.Popen(
        command,
        env={**os.environ, "BIDFOLIO_HOME": home},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    peak = 0
    while True:
        try:
            process.wait(SAMPLE_INTERVAL_S)
            break
        except subprocess.TimeoutExpired:
            peak = max(peak, tree_bytes(process.pid))
    seconds = time.perf_counter() - begin
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command)
    return Measured(seconds, peak / 1e6)


def tree_bytes(pid: int) -> int:
    """The resident memory of the process with all its children; 0 where it is gone."""
    total = 0
    try:
        tree = [psutil.Process(pid), *psutil.Process(pid).children(recursive=True)]
    except psutil.NoSuchProcess:
        return 0
    for process in tree:
        try:
            total += process.memory_info().rss
        except psutil.NoSuchProcess:
            continue
    return total


def main() -> None:
    """Prints the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=5)
    repeats = parser.parse_args().repeats
    with tempfile.TemporaryDirectory() as home:
        helps = [measure("--help", home=home).seconds for _ in range(repeats)]
        print(processor())
        print(f"--help: median {median(helps):.2f} s of {repeats}")
        first = measure("demo", home=home)
        print(f"first demo: {first.seconds:.1f} s, peak memory of all its processes {first.peak_mb:.0f} MB")
        seconds = [measure("demo", home=home) for _ in range(max(1, repeats // 2))]
        print(
            f"second demo: median {median(run.seconds for run in seconds):.1f} s of {len(seconds)}, "
            f"peak memory {max(run.peak_mb for run in seconds):.0f} MB"
        )
        demo = Path(home, "demo")
        asked, sheet = (
            "How soon do you tell customers about a breach of personal data?",
            "Client-A-Security-Questionnaire",
        )
        answer = ("answer", f"{demo}/questionnaires/{sheet}.xlsx", "--out", f"{home}/a.xlsx", "--overwrite")
        for what, arguments, forgets in (
            ("refresh with nothing new", ("refresh", f"{demo}/corpus", "--corpus", "demo"), False),
            ("a question from cold, asked before", ("ask", asked), False),
            ("a question from cold, first time", ("ask", asked), True),
            ("client A, 120 questions, first time", answer, True),
            ("client A, again", answer, False),
        ):
            runs = []
            for _ in range(max(1, repeats // 2)):
                if forgets:
                    outputs_file(home).unlink(missing_ok=True)
                runs.append(measure(*arguments, home=home))
            told = f"median {median(run.seconds for run in runs):.1f} s of {len(runs)}"
            print(f"{what}: {told}, peak memory {max(run.peak_mb for run in runs):.0f} MB", flush=True)


def processor() -> str:
    """The processor's name, its number of cores, and the flags that products of small numbers depend on."""
    lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    told = {name.strip(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    flags = [one for one in ("avx2", "avx_vnni", "avx512_vnni", "amx_int8") if one in told.get("flags", "").split()]
    return f"{told.get('model name')}, {os.cpu_count()} cores, {' '.join(flags)}"


if __name__ == "__main__":
    main()
