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
from threading import Lock
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
MOST_THREADS_ALONE = 2
"""How many threads a batch that comes alone is shared by, where there are any: more were not tried for their bits."""


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

    Each of several batches is run by one thread. A batch that comes alone, one question say, is run by two, which takes
    half as long and gives the same bits: what is shared out is which numbers are made, and not what each is the sum of.
    """
    names = {name for given in graph.inputs for name in given.names}
    many = _Requests(graph, streams=threads, threads=threads)
    few = many if threads == 1 else _Requests(graph, streams=1, threads=MOST_THREADS_ALONE)

    def run(batches: Sequence[Batch], read: Callable[[Batch, Outputs], T], /) -> Iterable[tuple[Batch, T]]:
        def run_one(batch: Batch) -> tuple[Batch, T]:
            with (few if len(batches) == 1 else many).one() as request:
                request.infer({name: values for name, values in batch.inputs.items() if name in names})
                outputs = [request.get_output_tensor(at).data for at in range(len(graph.outputs))]
                return batch, read(batch, outputs)

        return in_threads(run_one, batches, threads)

    return run, graph.outputs[0].partial_shape[1].get_length()


class _Requests:
    """What infers, as many at once as there are streams, which share the threads. Compiled when it is first asked for:
    most processes embed either many batches or single questions, and it takes half a second and 140 MB.

    Not OpenVINO's own queue of requests: a process that has had one may hang or abort when it ends. The last one used
    is the next, since one question after the other is a fifth faster where all are run by the same.
    """

    def __init__(self, graph: Any, streams: int, threads: int, group: int = QUANTIZATION_GROUP) -> None:
        self._graph, self._streams, self._threads, self._group = graph, streams, threads, group
        self._free: LifoQueue[Any] = LifoQueue()
        self._lock = Lock()
        self._is_compiled = False

    @contextmanager
    def one(self) -> Iterator[Any]:
        """A request that nobody else has meanwhile."""
        with self._lock:
            if not self._is_compiled:
                self._compile()
        request = self._free.get()
        try:
            yield request
        finally:
            self._free.put(request)

    def _compile(self) -> None:
        _without_telemetry()
        import openvino

        settings = {
            "NUM_STREAMS": str(self._streams),
            "INFERENCE_NUM_THREADS": str(self._threads),
            "INFERENCE_PRECISION_HINT": "f32",
            "DYNAMIC_QUANTIZATION_GROUP_SIZE": str(self._group),
            # The processes of one machine would all sit on the same cores.
            "ENABLE_CPU_PINNING": "NO",
        }
        compiled = openvino.Core().compile_model(self._graph, "CPU", settings)
        # Its bindings look up NumPy at the first array; two threads that are both the first wait for each other for
        # ever.
        _ = openvino.Tensor(np.zeros(1, np.float32)).data
        for _ in range(self._streams):
            self._free.put(compiled.create_infer_request())
        self._is_compiled = True


class ProductsOfCodes:
    """Gives the products of single vectors with matrices of 8 bits, each as :func:`rounded_weights` makes them of rows
    (m, n), which takes a third of the time of a product in single precision: a processor waits for memory.
    """

    def __init__(self, matrices: Sequence[tuple[np.ndarray[Any, np.dtype[np.int8]], Vectors]]) -> None:
        _without_telemetry()
        import openvino
        from openvino import opset13

        given, found = [], []
        for codes, scales in matrices:
            vector = opset13.parameter([1, codes.shape[1]], openvino.Type.f32)
            rows = opset13.multiply(opset13.convert(opset13.constant(codes), "f32"), opset13.constant(scales))
            given.append(vector)
            found.append(opset13.matmul(vector, rows, transpose_a=False, transpose_b=True))
        # The vectors are not rounded: by how much the products are off at most is then known without them.
        self._requests = _Requests(openvino.Model(found, given), 1, MOST_THREADS_ALONE, group=0)

    def __call__(self, vectors: Sequence[Vectors]) -> tuple[Vectors, ...]:
        """The products of each vector ``(1, n)`` with the rows of its matrix, ``(1, m)``."""
        with self._requests.one() as request:
            request.infer(list(vectors))
            return tuple(request.get_output_tensor(at).data.copy() for at in range(len(vectors)))


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
