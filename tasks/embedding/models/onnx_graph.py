"""ONNX Runtime back end: a model's ONNX graph is kept in a folder and run in threads.

It is used for cross-encoders, and for embedding where a setting names it. Writing graphs needs the extra ``onnx``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, TypeVar

from tasks.embedding.models.batches import Batch, Outputs, Run
from tasks.embedding.models.graph_folders import kept as kept_folder
from tasks.embedding.models.threads import in_threads
from tasks.errors import UsageError

LOGIC_VERSION = "1"
"""Version of the graph's making: raised whenever the same model would get another graph."""
T = TypeVar("T")
_FILE = "graph.onnx"
_ERRORS_ALONE = 3
_EXACT_PRODUCTS = "session.x64quantprecision"
"""Session option for exact 8-bit products on x86 processors without VNNI.

These add pairs of 8-bit products in 16 bits, which overflows, so a graph with such weights would give other results
there. With the option they take half as long again and give the same results.
"""


def session(home: str, key: str, write: Callable[[Path], None]) -> Any:
    """The ONNX Runtime session of the graph of that key; ``write`` makes its file where the home has none.

    Raises UsageError where the package that writes graphs is missing.
    """
    _require_writer()
    with kept_folder(home, f"{key}-{LOGIC_VERSION}", lambda folder: write(folder / _FILE)) as folder:
        return opened(folder / _FILE)


def opened(file: Path) -> Any:
    """The ONNX Runtime session of a graph file, with one thread for each batch."""
    import onnxruntime

    onnxruntime.disable_telemetry_events()
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = _ERRORS_ALONE
    options.add_session_config_entry(_EXACT_PRODUCTS, "0" if _has_vnni() else "1")
    return onnxruntime.InferenceSession(str(file), options, providers=["CPUExecutionProvider"])


def _has_vnni() -> bool:
    """Tell if the processor has VNNI; False where that is unknown."""
    try:
        return "vnni" in Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        return False


def runner(graph: Any, threads: int) -> tuple[Run, int]:
    """The function that runs batches, ``threads`` at once, and the length of the session's vectors.

    Each batch is run by one thread, so that its vectors do not depend on the number of threads.
    """
    names = {given.name for given in graph.get_inputs()}

    def run(batches: Sequence[Batch], read: Callable[[Batch, Outputs], T], /) -> Iterable[tuple[Batch, T]]:
        def run_one(batch: Batch) -> tuple[Batch, T]:
            given = {name: values for name, values in batch.inputs.items() if name in names}
            return batch, read(batch, graph.run(None, given))

        return in_threads(run_one, batches, threads)

    return run, graph.get_outputs()[0].shape[1]


def _require_writer() -> None:
    try:
        import onnx  # noqa: F401  # better missed now than after a minute
    except ImportError as error:
        raise UsageError(
            "the back end onnx needs the package onnx to write a model's graph: install it where bidfolio is "
            "(pip install onnx), or take another back end (--backend, or embedding.backend of the plan)"
        ) from error
