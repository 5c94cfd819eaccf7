"""Dense vectors by sentence-transformers models, from files on this machine, run by torch, OpenVINO or ONNX Runtime.

1. Texts become tokens with the model's own tokenizer, its prompt before each, and batches of like lengths.
2. torch runs the model's own modules. OpenVINO and ONNX Runtime run the same modules, pooling and all, as one graph,
   which is made from them at the first use and kept in the home; after that, torch is not even imported.
3. Where the plan keeps token vectors, they come from the same run; their basis is kept beside the graph.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np

from configs.machine import FASTEST
from tasks.embedding.models import (
    graph_folders,
    language_offsets,
    onnx_graph,
    openvino_graph,
    packed_e5,
    token_vectors,
)
from tasks.embedding.models.batches import (
    LENGTH_STEP,
    Batch,
    Outputs,
    Run,
    Vectors,
    cut_batches,
    mean_of_parts,
    read_vectors,
    run_sorted,
)
from tasks.embedding.models.fastest import fastest
from tasks.embedding.models.language_offsets import Offsets
from tasks.embedding.models.model_files import (
    ModelTokenizer,
    TextKind,
    arithmetic,
    files_fingerprint,
    model_folder,
    pad_token_id,
    prompt,
    window_ids,
    window_tokens,
)
from tasks.embedding.models.shards import Encoder, TextVectors, text_id
from tasks.embedding.models.token_vectors import Basis
from tasks.embedding.models.unit_vectors import unit
from tasks.errors import UsageError
from tasks.progress import track

T = TypeVar("T")
TORCH_BATCH_TEXTS = 32
PROBES = ("A probe.", "Another probe, and not of the length of the one that the graph is traced with.", "Short")
ONNX_OPSET = 17
"""The version of ONNX' operators: every ONNX Runtime since 1.12 has it."""
LEAST_COSINE = 0.9999
"""The least cosine between the vectors of a graph and of the model's own modules, before weights are rounded."""
SAMPLE = "What the back ends are timed on has as many tokens as most passages of the documents have. " * 8
GRAPH_BATCH_TEXTS = 8
"""Fewer texts than for torch, as each batch is run by one thread: so all threads have work to the end."""


class _Model(NamedTuple):
    run: Run
    dimensions: int
    batch_texts: int


def embed_texts(texts: Sequence[str], encoder: Encoder) -> TextVectors:
    """The unit vectors of a shard's passages, ``(len(texts), n)`` float32, and token vectors where the plan keeps them.

    No texts give no rows. A text that is averaged has the tokens of all its windows. The same texts give the same bits
    in any process of a machine. Raises Terminal where a passage is longer than the window and the plan does not
    average: nothing is silently cut.
    """
    if encoder.plan.token_dimensions is None:
        return TextVectors(_encode(texts, encoder, "passage", is_whole=True), None)
    if encoder.plan.align_languages:
        dense, states = _encode_reduced(texts, encoder, "passage", is_whole=True)
        return TextVectors(dense, list(map(token_vectors.quantized, states)))
    keep = partial(token_vectors.codes, basis=_basis(encoder))
    dense, tokens = _encode_tokens(texts, encoder, "passage", keep, is_whole=True)
    return TextVectors(dense, [b"".join(windows) for windows in tokens])


def encode_questions(texts: Sequence[str], encoder: Encoder) -> Vectors:
    """The unit vectors of questions, ``(len(texts), n)`` float32; no texts give no rows.

    Text beyond the window is cut, as questions are not indexed.
    """
    return _encode(texts, encoder, "query", is_whole=False)


def encode_with_tokens(texts: Sequence[str], encoder: Encoder) -> tuple[Vectors, list[Vectors]]:
    """The unit vectors of questions, as by :func:`encode_questions`, and the vectors of each one's t tokens, (t, d).

    A plan that keeps no token vectors gives an empty list.
    """
    return _encode_with_tokens(texts, encoder, "query")


def encode_passages(texts: Sequence[str], encoder: Encoder) -> Vectors:
    """The unit vectors of sentences and other parts of documents, cut as by :func:`encode_questions`."""
    return _encode(texts, encoder, "passage", is_whole=False)


def prepare(encoder: Encoder) -> None:
    """Create the files that the back end needs and that are missing, so that workers need not each do it."""
    _load(encoder)
    if encoder.plan.token_dimensions is not None:
        _basis(encoder)


def _encode(texts: Sequence[str], encoder: Encoder, kind: TextKind, *, is_whole: bool) -> Vectors:
    found = _encode_plainly(texts, encoder, kind, is_whole=is_whole)
    return _offsets(encoder, kind).moved(found, texts) if encoder.plan.align_languages and texts else found


def _encode_with_tokens(texts: Sequence[str], encoder: Encoder, kind: TextKind) -> tuple[Vectors, list[Vectors]]:
    if encoder.plan.token_dimensions is None:
        return _encode(texts, encoder, kind, is_whole=False), []
    return _encode_reduced(texts, encoder, kind, is_whole=False)


def _encode_reduced(
    texts: Sequence[str], encoder: Encoder, kind: TextKind, *, is_whole: bool
) -> tuple[Vectors, list[Vectors]]:
    """The vectors of the texts, and the projected vectors of each one's tokens, in one language where the plan says."""
    reduce = partial(token_vectors.projected, basis=_basis(encoder))
    dense, windows = _encode_tokens(texts, encoder, kind, reduce, is_whole=is_whole)
    tokens = [np.concatenate(of_text) for of_text in windows]
    if not encoder.plan.align_languages or not texts:
        return dense, tokens
    offsets = _offsets(encoder, kind)
    return offsets.moved(dense, texts), offsets.moved_tokens(tokens, texts)


def _encode_plainly(texts: Sequence[str], encoder: Encoder, kind: TextKind, *, is_whole: bool) -> Vectors:
    model = _load(encoder)
    if not texts:
        return np.zeros((0, model.dimensions), dtype=np.float32)
    parts = window_ids(texts, encoder.plan, kind, is_whole=is_whole)
    vectors = _run(parts, encoder, kind, read_vectors)
    return mean_of_parts(unit(np.stack(vectors)), [len(of_text) for of_text in parts])


def _encode_tokens(
    texts: Sequence[str], encoder: Encoder, kind: TextKind, reduce: Callable[[Vectors], T], *, is_whole: bool
) -> tuple[Vectors, list[list[T]]]:
    """The vectors of the texts, and the results of ``reduce`` on the token vectors of each window of each text.

    Special tokens and those of the prompt are left out.
    """
    if not texts:
        return _encode_plainly(texts, encoder, kind, is_whole=is_whole), []
    tokenizer = ModelTokenizer(encoder.plan.model)
    # The blank at a prompt's end belongs to the text's first token, where a tokenizer has tokens with a blank.
    begin = tokenizer.tokens_before + len(tokenizer.offsets(prompt(encoder.plan, kind).rstrip()))
    after = tokenizer.special_tokens - tokenizer.tokens_before

    def read(batch: Batch, outputs: Outputs) -> list[tuple[Vectors, T]]:
        vectors, states = outputs
        ends = batch.attention_mask.sum(axis=1) - after
        return [(vectors[row].copy(), reduce(states[row, begin:end])) for row, end in enumerate(ends)]

    parts = window_ids(texts, encoder.plan, kind, is_whole=is_whole)
    found = iter(_run(parts, encoder, kind, read))
    of_texts = [[next(found) for _ in of_text] for of_text in parts]
    vectors = unit(np.stack([vector for of_text in of_texts for vector, _ in of_text]))
    tokens = [[reduced for _, reduced in of_text] for of_text in of_texts]
    return mean_of_parts(vectors, [len(of_text) for of_text in parts]), tokens


def _run(
    parts: Sequence[Sequence[Sequence[int]]],
    encoder: Encoder,
    kind: TextKind,
    read: Callable[[Batch, Outputs], Sequence[T]],
) -> list[T]:
    model = _load(encoder)
    tokens = [ids for of_text in parts for ids in of_text]
    step = LENGTH_STEP if window_tokens(encoder.plan) % LENGTH_STEP == 0 else 1
    return run_sorted(tokens, model.run, read, model.batch_texts, pad_token_id(encoder.plan.model), step)


@lru_cache(maxsize=4)
def _basis(encoder: Encoder) -> Basis:
    """The basis of token vectors, fitted on the vocabulary, each word alone; the same for whatever is fastest."""
    if encoder.plan.backend == FASTEST:
        precise = "openvino_bf16" if openvino_graph.has_bf16() else "openvino"
        return _basis(replace(encoder, plan=encoder.plan.model_copy(update={"backend": precise})))
    plan = encoder.plan
    dimensions = plan.token_dimensions or 0

    def write(folder: Path) -> None:
        words = token_vectors.words_learnt_from(ModelTokenizer(plan.model).vocabulary())
        with track(f"Reducing the token vectors of {plan.model}", 1) as advance:
            _, states = _encode_tokens(words, encoder, "passage", np.array, is_whole=False)
            of_words = [one for windows in states for one in windows]
            np.save(folder / "basis.npy", token_vectors.basis_of(plan.model, of_words, dimensions))
            advance(1)

    # A prompt before a word changes its token vectors.
    said_before = text_id(prompt(plan, "passage"))
    model = f"{files_fingerprint(plan.model)}-{arithmetic(plan)}"
    key = f"{model}-{dimensions}-{said_before}-{token_vectors.LOGIC_VERSION}"
    with graph_folders.kept(encoder.home, key, write) as folder:
        basis: Basis = np.load(folder / "basis.npy", allow_pickle=False)
    return basis


@lru_cache(maxsize=8)
def _offsets(encoder: Encoder, kind: TextKind) -> Offsets:
    """The offsets of the languages for texts of that kind, learned at the first use and kept beside the graph."""
    plan = encoder.plan
    plain = replace(encoder, plan=plan.model_copy(update={"align_languages": False}))
    said = text_id(f"{prompt(plan, kind)}{language_offsets.sentences_id()}")
    key = f"{files_fingerprint(plan.model)}-{arithmetic(plan)}-{plan.token_dimensions}-{said}"
    write = partial(language_offsets.write, encode=partial(_encode_with_tokens, encoder=plain, kind=kind))
    with graph_folders.kept(encoder.home, f"{key}-offsets-{language_offsets.LOGIC_VERSION}", write) as folder:
        return language_offsets.read(folder)


@lru_cache(maxsize=4)
def _load(encoder: Encoder) -> _Model:
    name, threads, with_tokens = encoder.plan.model, encoder.threads, encoder.plan.token_dimensions is not None
    backend = backend_of(encoder)
    if backend == "torch":
        model = _modules_of(name)
        return _Model(_torch_runner(model, threads, with_tokens), model.get_embedding_dimension(), TORCH_BATCH_TEXTS)
    graph = backend.removesuffix("_bf16")  # which is the same as in single precision
    key = f"{files_fingerprint(name)}-{graph}{'-tokens' * with_tokens}"
    if backend == "onnx":
        session = onnx_graph.session(encoder.home, key, partial(_write_onnx, name, with_tokens))
        return _Model(*onnx_graph.runner(session, threads), GRAPH_BATCH_TEXTS)
    make = partial(_make_graph, name, backend == openvino_graph.ROUNDED, with_tokens)
    kept = openvino_graph.kept(encoder.home, key, make, threads, openvino_graph.PRECISIONS[backend])
    if encoder.plan.backend != FASTEST or not with_tokens:  # else the basis needs it next
        _traced.cache_clear()
    return _Model(*kept, GRAPH_BATCH_TEXTS)


def backend_of(encoder: Encoder) -> str:
    """The back end of the plan, or of this machine's settings where the plan says none, or else the fastest here."""
    plan = encoder.plan
    named = encoder.backend if plan.backend == FASTEST else plan.backend
    if named != FASTEST:
        return named
    tokenizer, pad = ModelTokenizer(plan.model), pad_token_id(plan.model)
    ids = tokenizer.ids([tokenizer.cut(SAMPLE, window_tokens(plan))])[0]
    sample = list(cut_batches([ids] * GRAPH_BATCH_TEXTS * encoder.threads, GRAPH_BATCH_TEXTS, pad, LENGTH_STEP))
    with_tokens = plan.token_dimensions is not None
    graph = partial(_traced, plan.model, with_tokens)
    back_ends = openvino_graph.on_sample(graph, sample, encoder.threads)
    return fastest(encoder.home, f"{plan.model}:{files_fingerprint(plan.model)}", encoder.threads, back_ends)


def _torch_runner(pipeline: Any, threads: int, with_tokens: bool) -> Run:
    def run(batches: Sequence[Batch], read: Callable[[Batch, Outputs], T], /) -> Iterable[tuple[Batch, T]]:
        import torch

        torch.set_num_threads(threads)  # of the process: another caller may have asked for other threads
        for batch in batches:
            features = {name: torch.from_numpy(values).to(pipeline.device) for name, values in batch.inputs.items()}
            with torch.inference_mode():
                found = pipeline(features)
            yield batch, read(batch, [each.float().cpu().numpy() for each in _outputs(found, with_tokens)])

    return run


def _outputs(found: dict[str, Any], with_tokens: bool) -> tuple[Any, ...]:
    """The output tensors among the results of sentence-transformers.

    Raises UsageError for a model without token vectors.
    """
    if not with_tokens:
        return (found["sentence_embedding"],)
    if "token_embeddings" not in found:
        raise UsageError("the model gives no vectors of its tokens: leave embedding.token_dimensions out of the plan")
    return found["sentence_embedding"], found["token_embeddings"]


def _modules_of(name: str) -> Any:
    os.environ["HF_HUB_OFFLINE"] = "1"  # read at import: no hub is ever asked
    if packed := packed_e5.packed_file(model_folder(name)):
        import torch

        return packed_e5.pipeline(packed, torch)
    from sentence_transformers import SentenceTransformer

    return SentenceTransformer(str(model_folder(name)), local_files_only=True, trust_remote_code=False).eval()


def _make_graph(name: str, is_int8: bool, with_tokens: bool) -> Any:
    """The OpenVINO graph of a model. Raises UsageError where no graph gives the vectors of the model's own modules."""
    graph = _traced(name, with_tokens).clone()
    if is_int8:
        openvino_graph.round_weights(graph)
    return graph


@lru_cache(maxsize=1)
def _traced(name: str, with_tokens: bool) -> Any:
    """The graph before its weights are rounded; kept until all that is made of it is made."""
    with _graph_of(name, "OpenVINO", with_tokens) as (module, example, compare):
        graph = openvino_graph.traced(module, example)
        compare(openvino_graph.runner(graph, threads=1)[0])
    return graph


def _write_onnx(name: str, with_tokens: bool, file: Path) -> None:
    """Write the ONNX graph of a model to ``file``. Raises UsageError as :func:`_make_graph`."""
    with _graph_of(name, "ONNX Runtime", with_tokens) as (module, example, compare):
        _export(module, example, file, with_tokens)
        compare(onnx_graph.runner(onnx_graph.opened(file), threads=1)[0])


def _export(module: Any, example: dict[str, Any], file: Path, with_tokens: bool) -> None:
    """Write the ONNX graph of a module with the inputs of ``example``, with batch and length left open."""
    import torch

    by_text, by_token = {0: "texts"}, {0: "texts", 1: "tokens"}
    outputs = {"vectors": by_text, "states": by_token} if with_tokens else {"vectors": by_text}
    with warnings.catch_warnings():
        # The exporter by tracing is deprecated; the new one needs another package, and gives the same.
        warnings.simplefilter("ignore")
        torch.onnx.export(
            module,
            tuple(example.values()),
            str(file),
            input_names=list(example),
            output_names=list(outputs),
            dynamic_axes=dict.fromkeys(example, by_token) | outputs,
            opset_version=ONNX_OPSET,
            dynamo=False,
        )


@contextmanager
def _graph_of(
    name: str, runtime: str, with_tokens: bool
) -> Iterator[tuple[Any, dict[str, Any], Callable[[Run], None]]]:
    """The model's modules as a module to trace, an example input, and a check of a graph made from it.

    The check raises ValueError where the graph gives other vectors. Any error inside the block becomes a UsageError.
    """
    import torch

    pipeline = _modules_of(name).to("cpu")

    class Modules(torch.nn.Module):
        """The model's modules, from tokens to vectors, as a single module that can be traced."""

        def __init__(self) -> None:
            super().__init__()
            self.pipeline = pipeline

        def forward(self, input_ids: Any, attention_mask: Any, token_type_ids: Any) -> Any:
            features = {"input_ids": input_ids, "attention_mask": attention_mask, "token_type_ids": token_type_ids}
            return _outputs(self.pipeline(features), with_tokens)

    tokens = ModelTokenizer(name).ids(list(PROBES))
    probe, alone = (next(cut_batches(some, len(some), pad_token_id(name))) for some in (tokens, tokens[:1]))

    def rows(batch: Batch, outputs: Outputs) -> list[Vectors]:
        is_text = batch.attention_mask == 1
        return [unit(each if each.ndim == 2 else each[is_text]) for each in outputs]

    def compare(run: Run) -> None:
        for batch in (probe, alone):
            ((_, found),) = run([batch], rows)
            ((_, wanted),) = _torch_runner(pipeline, 1, with_tokens)([batch], rows)
            least = min(float((one * other).sum(axis=1).min()) for one, other in zip(found, wanted, strict=True))
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
