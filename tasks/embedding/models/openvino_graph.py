"""OpenVINO back end: a model's graph is traced from its modules, its weights rounded, kept in a folder and run.

``nncf`` could round the weights, too; it needs further packages for what is a division here.
"""

from __future__ import annotations

import logging
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache, partial
from pathlib import Path
from queue import LifoQueue
from threading import Lock
from typing import Any, Literal, TypeVar

import numpy as np

from tasks.embedding.models.batches import Batch, Outputs, Run, Vectors
from tasks.embedding.models.fastest import RunSample
from tasks.embedding.models.graph_folders import full_disk_told
from tasks.embedding.models.graph_folders import kept as kept_folder
from tasks.embedding.models.threads import in_threads

LOGIC_VERSION = "2"
"""Version of the graph's making: raised whenever the same model would get another graph; where vectors of texts change,
that of :mod:`tasks.embedding.models.shards` is raised, too.
"""
T = TypeVar("T")
Precision = Literal["f32", "bf16"]
"""The numbers that a graph without rounded weights is computed with; sums and what is given are float32 always."""
ROUNDED = "openvino_int8"
PRECISIONS: Mapping[str, Precision] = {ROUNDED: "f32", "openvino_bf16": "bf16", "openvino": "f32"}
"""OpenVINO's back ends; the weights of the first are rounded to 8 bits."""
QUANTIZATION_GROUP = 64
"""The number of neighbouring activations that share a scale where the weights have 8 bits.

Larger groups take less time and rank less like fp32; vectors made with another number are other vectors.
"""
MOST_THREADS_ALONE = 2
"""The number of threads for a single batch, if there are several threads: more were not tested for equal bits."""


def traced(module: Any, example: dict[str, Any]) -> Any:
    """The OpenVINO graph of a torch ``module`` with the inputs of ``example``, with batch and length left open."""
    block_telemetry()
    from openvino.frontend import FrontEndManager
    from openvino.frontend.pytorch.ts_decoder import TorchScriptPythonDecoder

    frontend = FrontEndManager().load_by_framework("pytorch")
    with _quiet():
        try:
            decoder = TorchScriptPythonDecoder(module, example_input=example)  # must live until the conversion ends
            return frontend.convert(frontend.load(decoder))
        except Exception as error:
            if "KeyboardInterrupt" in str(error):  # OpenVINO makes a RuntimeError of it
                raise KeyboardInterrupt from error
            raise


def round_weights(graph: Any) -> None:
    """Round every weight matrix to 8 bits in place, with a scale for each output.

    Embeddings, biases and norms stay as they are. Activations are rounded when the graph is run. A matrix of a single
    output stays, too: its one scale, a plain number, is at times left out or applied twice by OpenVINO's streams, which
    are made at once.
    """
    block_telemetry()
    import openvino
    from openvino import opset13

    for node in graph.get_ordered_ops():
        if node.get_type_name() != "MatMul":
            continue
        constant = node.input(1).get_source_output().get_node()
        if constant.get_type_name() != "Constant" or constant.get_element_type() != openvino.Type.f32:
            continue
        rounded, scales = rounded_weights(constant.data, axis=-1 if node.get_attributes()["transpose_b"] else -2)
        if scales.size == 1:
            continue
        weights = opset13.multiply(opset13.convert(opset13.constant(rounded), "f32"), opset13.constant(scales))
        node.input(1).replace_source_output(weights.output(0))


def rounded_weights(weights: Vectors, axis: int) -> tuple[np.ndarray[Any, np.dtype[np.int8]], Vectors]:
    """The weights as int8 with float32 scales, of length 1 along ``axis``; the product is within half a scale of
    ``weights``.
    """
    scales = np.abs(weights).max(axis=axis, keepdims=True) / np.float32(127)
    scales[scales < np.finfo(np.float32).tiny] = 1  # for zeros and denormal numbers
    return np.rint(weights / scales).astype(np.int8), scales


def on_sample(make: Callable[[], Any], sample: Sequence[Batch], threads: int) -> dict[str, Callable[[], RunSample]]:
    """For each back end that this processor has, a function that loads the graph that ``make`` gives, and gives one
    that runs the ``sample``; the one that is fastest on most processors comes first.
    """

    def load(name: str, precision: Precision) -> RunSample:
        graph = make().clone()
        if name == ROUNDED:
            round_weights(graph)
        run, _ = runner(graph, threads, precision)
        return lambda: list(run(sample, lambda _, outputs: outputs))

    here = {name: precision for name, precision in PRECISIONS.items() if precision == "f32" or has_bf16()}
    return {name: partial(load, name, precision) for name, precision in here.items()}


def has_bf16() -> bool:
    """Tell if this processor multiplies numbers of 16 bits (bfloat16)."""
    block_telemetry()
    import openvino

    return "BF16" in openvino.Core().get_property("CPU", "OPTIMIZATION_CAPABILITIES")


def kept(home: str, key: str, make: Callable[[], Any], threads: int, precision: Precision = "f32") -> tuple[Run, int]:
    """The :func:`runner` of the graph of that key; the first caller puts the graph that ``make`` gives into the home.

    The graph is written completely or not at all. A home that is a URL keeps none: there each process makes its own,
    and still reads it from a file, since a graph that was never written gives other bits.
    """
    block_telemetry()
    import openvino

    def write(folder: Path) -> None:
        graph = make()
        constants = (node for node in graph.get_ordered_ops() if node.get_type_name() == "Constant")
        with full_disk_told(folder, sum(node.get_byte_size() for node in constants)):
            openvino.serialize(graph, str(folder / "graph.xml"), str(folder / "graph.bin"))

    with kept_folder(home, f"{key}-{LOGIC_VERSION}-{openvino.__version__.split('-')[0]}", write) as folder:
        return _loaded(folder.resolve(), threads, precision)


@lru_cache(maxsize=4)
def _loaded(folder: Path, threads: int, precision: Precision) -> tuple[Run, int]:
    """The runner for a graph's folder. Homes that link to the same folder share it: loading takes half a second."""
    import openvino

    return runner(openvino.Core().read_model(folder / "graph.xml"), threads, precision)


def runner(graph: Any, threads: int, precision: Precision = "f32") -> tuple[Run, int]:
    """The function that runs batches, ``threads`` at once, and the length of its vectors.

    Each of several batches is run by one thread. A single batch, say one question, is run by two, which takes half as
    long and gives the same bits: threads share the outputs, and not the sum of an output.
    """
    names = {name for given in graph.inputs for name in given.names}
    many = _Requests(graph, threads, threads, precision)
    few = many if threads == 1 else _Requests(graph, 1, MOST_THREADS_ALONE, precision)

    def run(batches: Sequence[Batch], read: Callable[[Batch, Outputs], T], /) -> Iterable[tuple[Batch, T]]:
        def run_one(batch: Batch) -> tuple[Batch, T]:
            with (few if len(batches) == 1 else many).one() as request:
                request.infer({name: values for name, values in batch.inputs.items() if name in names})
                outputs = [request.get_output_tensor(at).data for at in range(len(graph.outputs))]
                return batch, read(batch, outputs)

        return in_threads(run_one, batches, threads)

    return run, graph.outputs[0].partial_shape[1].get_length()


class _Requests:
    """Pool of inference requests, one for each stream; the streams share the threads.

    The graph is compiled at first use: most processes embed either many batches or single questions, and it takes half
    a second and 140 MB. OpenVINO's own queue of requests is not used: a process that has had one may hang or abort when
    it ends. The last request used is the next, since questions in sequence are a fifth faster on the same request.
    """

    def __init__(
        self, graph: Any, streams: int, threads: int, precision: Precision = "f32", group: int = QUANTIZATION_GROUP
    ) -> None:
        self._graph, self._streams, self._threads, self._group = graph, streams, threads, group
        self._precision = precision
        self._free: LifoQueue[Any] = LifoQueue()
        self._lock = Lock()
        self._is_compiled = False

    @contextmanager
    def one(self) -> Iterator[Any]:
        """Lend a request exclusively for the block."""
        with self._lock:
            if not self._is_compiled:
                self._compile()
        request = self._free.get()
        try:
            yield request
        finally:
            self._free.put(request)

    def _compile(self) -> None:
        block_telemetry()
        import openvino

        settings = {
            "NUM_STREAMS": str(self._streams),
            "INFERENCE_NUM_THREADS": str(self._threads),
            "INFERENCE_PRECISION_HINT": self._precision,
            "DYNAMIC_QUANTIZATION_GROUP_SIZE": str(self._group),
            # With pinning, all processes of a machine would run on the same cores.
            "ENABLE_CPU_PINNING": "NO",
        }
        compiled = openvino.Core().compile_model(self._graph, "CPU", settings)
        # Its bindings import NumPy at the first array; two threads that both do it first deadlock.
        _ = openvino.Tensor(np.zeros(1, np.float32)).data
        for _ in range(self._streams):
            self._free.put(compiled.create_infer_request())
        self._is_compiled = True


class ProductsOfCodes:
    """Function object for the products of single vectors with 8-bit matrices, rounded by :func:`rounded_weights`.

    The matrices have rows (m, n). It takes a third of the time of a product in single precision: a processor waits for
    memory.
    """

    def __init__(self, matrices: Sequence[tuple[np.ndarray[Any, np.dtype[np.int8]], Vectors]]) -> None:
        block_telemetry()
        import openvino
        from openvino import opset13

        given, found = [], []
        for codes, scales in matrices:
            vector = opset13.parameter([1, codes.shape[1]], openvino.Type.f32)
            rows = opset13.multiply(opset13.convert(opset13.constant(codes), "f32"), opset13.constant(scales))
            given.append(vector)
            found.append(opset13.matmul(vector, rows, transpose_a=False, transpose_b=True))
        # The vectors are not rounded, so that the error bound of the products does not depend on them.
        self._requests = _Requests(openvino.Model(found, given), 1, MOST_THREADS_ALONE, group=0)

    def __call__(self, vectors: Sequence[Vectors]) -> tuple[Vectors, ...]:
        """The products of each vector ``(1, n)`` with the rows of its matrix, ``(1, m)``."""
        with self._requests.one() as request:
            request.infer(list(vectors))
            return tuple(request.get_output_tensor(at).data.copy() for at in range(len(vectors)))


@contextmanager
def _quiet() -> Iterator[None]:
    """Suppress the warnings of tracing: about what it may miss, which the caller checks, and about deprecated names."""
    before = logging.root.manager.disable
    logging.disable(logging.WARNING)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.disable(before)


def block_telemetry() -> None:
    """Block OpenVINO's telemetry package: else the import alone already reports to its maker."""
    sys.modules.setdefault("openvino_telemetry", None)  # type: ignore[arg-type]  # the way to make an import fail
