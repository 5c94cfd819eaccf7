"""The back end that runs a model fastest on this machine: each is timed once on a sample, and the choice is kept.

It depends on the processor: 8 bits need VNNI, and bfloat16 AMX or AVX-512's, to be faster than single precision.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import platform
import resource
import shutil
import timeit
from collections.abc import Callable, Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from threading import Lock

from tasks.embedding.models.graph_folders import is_passing, kept
from tasks.progress import tell, track

SAMPLE_S = 2.0
"""The processor seconds that all back ends together are timed for, after their first runs."""
LEAST_ROUNDS = 3
"""The number of runs of each back end at least: one may be disturbed by whatever else the processor does."""
GAIN = 1.05
"""The least ratio of times at which a back end is preferred to one that stands before it in the order given."""
HOPELESS = 1.5
"""A back end that takes so many times the best one's time is not timed further."""
RunSample = Callable[[], object]
_FILE = "fastest.json"
_one_at_a_time = Lock()
_PACKAGES = "openvino", "onnxruntime"


def fastest(home: str, model: str, threads: int, back_ends: Mapping[str, Callable[[], RunSample]]) -> str:
    """The name of the fastest of the ``back_ends``: functions that load a model and give one that runs a sample.

    ``model`` names the model and the sample. The choice is kept in the home for this processor, ``threads`` and the
    versions of the libraries; where it cannot be kept, nothing is timed, and the first is taken. A back end that
    cannot be loaded is left out, which is told. Raises the error of the first where none can be.
    """
    if len(back_ends) == 1:
        return next(iter(back_ends))

    def write(folder: Path) -> None:
        if is_passing(folder, home):
            (folder / _FILE).write_text(json.dumps({"choice": next(iter(back_ends))}), encoding="utf-8")
            return
        with track(f"Timing what runs {model.split(':')[0]} fastest", 1) as advance:
            taken = _timed(back_ends)
            advance(1)
        best = min(taken.values())
        choice = next(name for name, seconds in taken.items() if seconds <= best * GAIN)
        (folder / _FILE).write_text(json.dumps({"choice": choice, "seconds": taken}), encoding="utf-8")

    of_machine = (model, threads, _processor(), *map(_version, _PACKAGES), *back_ends)
    key = hashlib.sha256(json.dumps(of_machine).encode()).hexdigest()[:16]
    # Two threads that timed at once would time each other.
    with _one_at_a_time:
        for _ in range(2):
            with kept(home, f"fastest-{key}", write) as folder:
                choice = _read(folder / _FILE)
                if choice in back_ends:
                    return choice
                shutil.rmtree(folder, ignore_errors=True)  # not as it was written, nor sealed
    return next(iter(back_ends))


def _read(file: Path) -> str:
    """The choice that a file holds; "" where it holds none."""
    try:
        return str(json.loads(file.read_text(encoding="utf-8"))["choice"])
    except (ValueError, KeyError, TypeError, FileNotFoundError):
        return ""


def _timed(back_ends: Mapping[str, Callable[[], RunSample]]) -> dict[str, float]:
    """The least processor seconds that each back end that can be loaded took, run in turns, in the order given."""
    samples: dict[str, RunSample] = {}
    errors: list[Exception] = []
    for name, load in back_ends.items():
        try:
            samples[name] = load()
            samples[name]()  # compiles it
        except MemoryError:
            raise
        except Exception as error:  # whatever a runtime does on a processor that it does not know
            samples.pop(name, None)
            errors.append(error)
            reason = str(error).partition("\n")[0] or type(error).__name__
            tell(f"{name} cannot run the model here and is left out: {reason}")
    if not samples:
        raise errors[0]
    taken = dict.fromkeys(samples, math.inf)
    spent, rounds = 0.0, 0
    while rounds < LEAST_ROUNDS or (len(samples) > 1 and spent < SAMPLE_S):
        for name, sample in samples.items():
            seconds = timeit.timeit(sample, timer=_processor_seconds, number=1)
            taken[name], spent = min(taken[name], seconds), spent + seconds
        rounds += 1
        if rounds >= LEAST_ROUNDS:
            samples = {name: one for name, one in samples.items() if taken[name] < HOPELESS * min(taken.values())}
    return taken


def _processor_seconds() -> float:
    """The processor seconds of this process: those of the wall would also tell what else the machine does."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def _processor() -> list[str]:
    """The processor's architecture, the number of cores that this process may use, its model and its instructions."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    fields = dict(line.split(":", 1) for line in lines if ":" in line)
    known = [value for name, value in fields.items() if name.strip() in ("model name", "flags", "Features")]
    return [platform.machine(), platform.processor(), str(cores), *known]


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""
