"""Dense vectors by sentence-transformers models, from files on this machine, run by torch, OpenVINO or ONNX Runtime.

1. Texts become tokens with the model's own tokenizer, its prompt before each, and batches of like lengths.
2. torch runs the model's own modules. OpenVINO and ONNX Runtime run the same modules, pooling and all, as one graph,
   which is made from them at the first use and kept in the home; after that, torch is not even imported.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from tasks.embedding import onnx_graph, openvino_graph
from tasks.embedding.batches import Batch, Run, Vectors, cut_batches, mean_of_parts, run_sorted, unit
from tasks.embedding.model_files import (
    ModelTokenizer,
    TextKind,
    files_fingerprint,
    model_folder,
    pad_token_id,
    prompt,
    window_tokens,
)
from tasks.embedding.shards import Encoder
from tasks.errors import Terminal, UsageError
from tasks.progress import track

TORCH_BATCH_TEXTS = 32
GRAPH_BATCH_TEXTS = 8
"""Fewer, as one thread runs a whole batch: all threads have work to the end."""
PROBES = ("A probe.", "Another probe, and not of the length of the one that the graph is traced with.", "Short")
ONNX_OPSET = 17
"""The version of ONNX' operators: every ONNX Runtime since 1.12 has it."""
LEAST_COSINE = 0.9999
"""How like the vectors of the model's own modules those of the graph must be, before weights are rounded."""


class _Model(NamedTuple):
    run: Run
    dimensions: int
    batch_texts: int


def embed_texts(texts: Sequence[str], encoder: Encoder) -> Vectors:
    """The unit vectors of a shard's passages, ``(len(texts), n)`` float32; no texts give no rows.

    Same texts, same bits, in any process of a machine. Raises Terminal where a passage is longer than the window and
    the plan does not average: nothing is silently cut.
    """
    return _encode(texts, encoder, "passage", is_whole=True)


def encode_questions(texts: Sequence[str], encoder: Encoder) -> Vectors:
    """The unit vectors of questions, ``(len(texts), n)`` float32; no texts give no rows.

    What exceeds the window is cut, as it is asked and not indexed.
    """
    return _encode(texts, encoder, "query", is_whole=False)


def encode_passages(texts: Sequence[str], encoder: Encoder) -> Vectors:
    """The unit vectors of sentences and other parts of documents, as :func:`encode_questions` gives questions'."""
    return _encode(texts, encoder, "passage", is_whole=False)


def prepare(encoder: Encoder) -> None:
    """Makes what the back end needs and is not there yet, so that many workers need not each do it."""
    _load(encoder)


def _encode(texts: Sequence[str], encoder: Encoder, kind: TextKind, *, is_whole: bool) -> Vectors:
    plan = encoder.plan
    model = _load(encoder)
    if not texts:
        return np.zeros((0, model.dimensions), dtype=np.float32)
    tokenizer = ModelTokenizer(plan.model)
    window, before = window_tokens(plan), prompt(plan, kind)
    asked = [before + text if is_whole else tokenizer.cut(before + text, window) for text in texts]
    parts = [[ids] for ids in tokenizer.ids(asked)]
    for row, ((ids,), text) in enumerate(zip(parts, texts, strict=True)):
        if len(ids) > window and plan.long_texts == "mean":
            parts[row] = tokenizer.windows(text, window, before)
        elif len(ids) > window:
            raise Terminal(f"a text of {len(ids)} tokens exceeds the window of {window}: {text[:80]!r}…")
    tokens = [ids for of_text in parts for ids in of_text]
    vectors = run_sorted(tokens, model.run, model.batch_texts, pad_token_id(plan.model))
    return mean_of_parts(vectors, [len(of_text) for of_text in parts])


@lru_cache(maxsize=4)
def _load(encoder: Encoder) -> _Model:
    name = encoder.plan.model
    if encoder.plan.backend == "torch":
        pipeline = _pipeline(name)
        run = partial(_run_torch, pipeline, encoder.threads)
        return _Model(run, pipeline.get_embedding_dimension(), TORCH_BATCH_TEXTS)
    key = f"{files_fingerprint(name)}-{encoder.plan.backend}"
    if encoder.plan.backend == "onnx":
        session = onnx_graph.session(encoder.home, key, partial(_write_onnx, name))
        return _Model(*onnx_graph.runner(session, encoder.threads), GRAPH_BATCH_TEXTS)
    is_int8 = encoder.plan.backend == "openvino_int8"
    graph = openvino_graph.kept(encoder.home, key, partial(_make_graph, name, is_int8))
    return _Model(*openvino_graph.runner(graph, encoder.threads), GRAPH_BATCH_TEXTS)


def _run_torch(pipeline: Any, threads: int, batches: Sequence[Batch]) -> Iterator[tuple[Batch, Vectors]]:
    import torch

    torch.set_num_threads(threads)  # of the process: another caller may have asked for other threads
    for batch in batches:
        features = {name: torch.from_numpy(values).to(pipeline.device) for name, values in batch.inputs.items()}
        with torch.inference_mode():
            vectors = pipeline(features)["sentence_embedding"]
        yield batch, vectors.float().cpu().numpy()


def _pipeline(name: str) -> Any:
    os.environ["HF_HUB_OFFLINE"] = "1"  # read at import: no hub is ever asked
    from sentence_transformers import SentenceTransformer

    return SentenceTransformer(str(model_folder(name)), local_files_only=True, trust_remote_code=False).eval()


def _make_graph(name: str, is_int8: bool) -> Any:
    """Raises UsageError where there is no graph to be had that gives the vectors of the model's own modules."""
    with _graph_of(name, "OpenVINO") as (module, example, compare):
        graph = openvino_graph.traced(module, example)
        compare(openvino_graph.runner(graph, threads=1)[0])
    if is_int8:
        openvino_graph.round_weights(graph)
    return graph


def _write_onnx(name: str, file: Path) -> None:
    """Raises UsageError as :func:`_make_graph`."""
    with _graph_of(name, "ONNX Runtime") as (module, example, compare):
        _export(module, example, file)
        compare(onnx_graph.runner(onnx_graph.opened(file), threads=1)[0])


def _export(module: Any, example: dict[str, Any], file: Path) -> None:
    """Writes the ONNX graph of what takes the names of ``example``, with batch and length left open."""
    import torch

    with warnings.catch_warnings():
        # The exporter by tracing is called old; the new one wants one package more, and gives the same.
        warnings.simplefilter("ignore")
        torch.onnx.export(
            module,
            tuple(example.values()),
            str(file),
            input_names=list(example),
            output_names=["vectors"],
            dynamic_axes={name: {0: "texts", 1: "tokens"} for name in example} | {"vectors": {0: "texts"}},
            opset_version=ONNX_OPSET,
            dynamo=False,
        )


@contextmanager
def _graph_of(name: str, runtime: str) -> Iterator[tuple[Any, dict[str, Any], Callable[[Run], None]]]:
    """The model's modules as one that can be traced, what to trace it with, and what raises ValueError where a graph
    that was made of it gives other vectors. Whatever goes wrong inside is a UsageError.
    """
    import torch

    pipeline = _pipeline(name).to("cpu")

    class Modules(torch.nn.Module):
        """The model's modules, from tokens to vectors, as one that can be traced."""

        def __init__(self) -> None:
            super().__init__()
            self.pipeline = pipeline

        def forward(self, input_ids: Any, attention_mask: Any, token_type_ids: Any) -> Any:
            features = {"input_ids": input_ids, "attention_mask": attention_mask, "token_type_ids": token_type_ids}
            return self.pipeline(features)["sentence_embedding"]

    tokens = ModelTokenizer(name).ids(list(PROBES))
    probe, alone = (next(cut_batches(some, len(some), pad_token_id(name))) for some in (tokens, tokens[:1]))

    def compare(run: Run) -> None:
        for batch in (probe, alone):
            ((_, found),) = run([batch])
            ((_, wanted),) = _run_torch(pipeline, 1, [batch])
            least = float((unit(found) * unit(wanted)).sum(axis=1).min())
            if least < LEAST_COSINE:
                raise ValueError(f"its vectors are others, of cosine {least:.3f}")

    with track(f"Making {runtime}'s graph of {name}", 1) as advance:
        try:
            with torch.no_grad():
                yield (
                    Modules().eval(),
                    {name: torch.from_numpy(values) for name, values in probe.inputs.items()},
                    compare,
                )
        except Exception as error:  # whatever a model's code does that a graph cannot
            raise UsageError(
                f"the model {name!r} cannot be run by {runtime} ({error}): set embedding.backend: torch in the plan"
            ) from error
        advance(1)
