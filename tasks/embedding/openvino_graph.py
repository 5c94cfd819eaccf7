"""A model as OpenVINO's graph: traced from its own modules, its weights rounded, kept in a folder, run in streams.

``nncf`` would round the weights, too; it brings packages for what is a division here.
"""

from __future__ import annotations

import logging
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from queue import LifoQueue
from typing import Any, TypeVar

import numpy as np

from tasks.embedding.batches import Batch, Outputs, Run, Vectors
from tasks.embedding.graph_files import kept as kept_folder
from tasks.embedding.threads import in_threads

LOGIC_VERSION = "1"
"""Changes whenever the same model would get another graph."""
T = TypeVar("T")
QUANTIZATION_GROUP = 64
"""How many neighbouring activations are rounded by one scale where the weights are of 8 bits.

More of them take less time and rank less like fp32; vectors made with another number are other vectors.
"""


def traced(module: Any, example: dict[str, Any]) -> Any:
    """The graph of a torch ``module`` that takes the names of ``example``, with batch and length left open."""
    _without_telemetry()
    from openvino.frontend import FrontEndManager
    from openvino.frontend.pytorch.ts_decoder import TorchScriptPythonDecoder

    frontend = FrontEndManager().load_by_framework("pytorch")
    with _quiet():
        decoder = TorchScriptPythonDecoder(module, example_input=example)  # has to live until all is converted
        return frontend.convert(frontend.load(decoder))


def round_weights(graph: Any) -> None:
    """Makes every weight matrix one of 8 bits, each output with a scale of its own, in place.

    Embeddings, biases and norms stay as they are. Activations are rounded as they come, where the graph is run.
    """
    _without_telemetry()
    import openvino
    from openvino import opset13

    for node in graph.get_ordered_ops():
        if node.get_type_name() != "MatMul":
            continue
        constant = node.input(1).get_source_output().get_node()
        if constant.get_type_name() != "Constant" or constant.get_element_type() != openvino.Type.f32:
            continue
        rounded, scales = rounded_weights(constant.data, axis=-1 if node.get_attributes()["transpose_b"] else -2)
        weights = opset13.multiply(opset13.convert(opset13.constant(rounded), "f32"), opset13.constant(scales))
        node.input(1).replace_source_output(weights.output(0))


def rounded_weights(weights: Vectors, axis: int) -> tuple[np.ndarray[Any, np.dtype[np.int8]], Vectors]:
    """int8 and its float32 scales, of length 1 along ``axis``; their product is within half a scale of ``weights``."""
    scales = np.abs(weights).max(axis=axis, keepdims=True) / np.float32(127)
    scales[scales < np.finfo(np.float32).tiny] = 1  # of zeros, and of what is too small to have all its digits
    return np.rint(weights / scales).astype(np.int8), scales


def kept(home: str, key: str, make: Callable[[], Any], threads: int) -> tuple[Run, int]:
    """:func:`runner` of the graph of that key from the home, where the first to ask puts what ``make`` gives, whole or
    not at all.

    A home that is a URL keeps none: there each process makes its own, and reads it from a file all the same, since
    a graph that was never written gives other bits.
    """
    _without_telemetry()
    import openvino

    def write(folder: Path) -> None:
        openvino.serialize(make(), str(folder / "graph.xml"), str(folder / "graph.bin"))

    with kept_folder(home, f"{key}-{LOGIC_VERSION}-{openvino.__version__.split('-')[0]}", write) as folder:
        return _loaded(folder.resolve(), threads)


@lru_cache(maxsize=4)
def _loaded(folder: Path, threads: int) -> tuple[Run, int]:
    """Homes that are linked to the same folder share what was loaded from it, which takes half a second."""
    import openvino

    return runner(openvino.Core().read_model(folder / "graph.xml"), threads)


def runner(graph: Any, threads: int) -> tuple[Run, int]:
    """What runs batches, ``threads`` at once, and the length of the vectors that it gives.

    Each batch is run by one thread, so that its vectors do not depend on how many there are.
    """
    _without_telemetry()
    import openvino

    settings = {
        "NUM_STREAMS": str(threads),
        "INFERENCE_NUM_THREADS": str(threads),
        "INFERENCE_PRECISION_HINT": "f32",
        "DYNAMIC_QUANTIZATION_GROUP_SIZE": str(QUANTIZATION_GROUP),
        # The processes of one machine would all sit on the same cores.
        "ENABLE_CPU_PINNING": "NO",
    }
    compiled = openvino.Core().compile_model(graph, "CPU", settings)
    names = {name for given in compiled.inputs for name in given.names}
    # Its bindings look up NumPy at the first array; two threads that are both the first wait for each other for ever.
    _ = openvino.Tensor(np.zeros(1, np.float32)).data

    # Not OpenVINO's own queue of requests: a process that has had one may hang or abort when it ends. The last one used
    # is the next, since one question after the other is a fifth faster where all are run by the same.
    free: LifoQueue[Any] = LifoQueue()
    for _ in range(threads):
        free.put(compiled.create_infer_request())

    def run(batches: Sequence[Batch], read: Callable[[Batch, Outputs], T], /) -> Iterable[tuple[Batch, T]]:
        def run_one(batch: Batch) -> tuple[Batch, T]:
            request = free.get()
            try:
                request.infer({name: values for name, values in batch.inputs.items() if name in names})
                outputs = [request.get_output_tensor(at).data for at in range(len(compiled.outputs))]
                return batch, read(batch, outputs)
            finally:
                free.put(request)

        return in_threads(run_one, batches, threads)

    return run, compiled.outputs[0].partial_shape[1].get_length()


@contextmanager
def _quiet() -> Iterator[None]:
    """Tracing warns of what it may miss, where the caller compares vectors, and of every old name that it touches."""
    before = logging.root.manager.disable
    logging.disable(logging.WARNING)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.disable(before)


def _without_telemetry() -> None:
    """OpenVINO tells its maker already that it is imported; without this package it has nothing to tell it by."""
    sys.modules.setdefault("openvino_telemetry", None)  # type: ignore[arg-type]  # the way to make an import fail
