"""Cross-encoder as an ONNX graph: a model that reads a question and a text together and scores how well it answers.

The model that ships is ms-marco-MiniLM-L-12-v2, its weights rounded to 8 bits. ONNX Runtime runs the graph as it is,
or OpenVINO with its products multiplied out (:mod:`tasks.embedding.models.quantized_onnx`), whichever is faster here.
The graph rounds the activations of a batch by one scale, so each pair is run alone: its score then depends neither on
other pairs nor on the number of threads.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache, lru_cache, partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tokenizers import Encoding, Tokenizer

from configs.machine import FASTEST, Machine
from configs.retrieval import Reread
from tasks.embedding.models import onnx_graph, openvino_graph
from tasks.embedding.models.batches import LENGTH_STEP, Batch, Outputs, Run
from tasks.embedding.models.fastest import RunSample, fastest
from tasks.embedding.models.model_files import files_fingerprint, model_folder
from tasks.embedding.models.quantized_onnx import multiplied_out
from tasks.errors import UsageError
from tasks.storage.stage_cache import KnownOutputs

GRAPH, TOKENIZER = "model.onnx", "tokenizer.json"
MAX_TOKENS = 512
MAX_QUESTION_TOKENS = 128
ONNX = "onnx"
PROBES = (("Are backups encrypted?", "All backups are encrypted."), ("Who signs?", "The canteen opens at eight. " * 9))
SAMPLE = ("How long do you keep the records of our users?", "Records are kept for as long as the contract says. " * 14)
"""A pair of as many tokens as most."""
MOST_APART = 1.0
"""The largest difference between the logits of two back ends for the same pair; rounding moves them by up to 0.6."""
Vector = NDArray[np.float32]
ReadPairs = Callable[[Sequence[tuple[str, str]]], Vector]
"""Function that gives a logit for each (question, text) pair: how well the text answers; about 0 where that is open."""


def pair_reader(reread: Reread | None, machine: Machine, outputs: KnownOutputs | None = None) -> ReadPairs:
    """The function that scores pairs with the plan's cross-encoder, those alone that ``outputs`` does not know; without
    ``reread`` in the plan, one that raises ValueError.
    """
    if reread is None:
        return _refuse
    read = partial(read_pairs, model=reread.model, machine=machine)
    return recalling(outputs, reread.model, read, lambda: arithmetic_of(reread.model, machine))


def recalling(
    outputs: KnownOutputs | None, model: str, read: ReadPairs, kind: Callable[[], str] = lambda: "read"
) -> ReadPairs:
    """The function that gives the scores of ``read``, each kept in the cache under the files of ``model`` and a
    ``kind``, the name of the way of scoring, which is asked for at the first pairs.
    """
    if outputs is None or not has_model(model):  # without its files, ``read`` tells what is missing
        return read

    def read_or_recall(pairs: Sequence[tuple[str, str]]) -> Vector:
        space = f"{files_fingerprint(model)}-{kind()}-{MAX_TOKENS}-{MAX_QUESTION_TOKENS}"
        found = outputs.recalled(space, pairs, lambda new: [score.tobytes() for score in read(new)])
        return np.frombuffer(b"".join(found), np.float32)

    return read_or_recall


def _refuse(pairs: Sequence[tuple[str, str]]) -> Vector:
    raise ValueError("the plan has no cross-encoder that reads its hits again")


def read_pairs(pairs: Sequence[tuple[str, str]], model: str, machine: Machine) -> Vector:
    """The logit of each (question, text) pair, ``(len(pairs),)``; no pairs give none.

    A question of more than MAX_QUESTION_TOKENS is cut, and what then exceeds MAX_TOKENS of the text, too. Equal pairs
    are read once. Raises UsageError where ``model`` names nothing that can be loaded.
    """
    if not pairs:
        return np.zeros(0, np.float32)
    tokens_of, backend = _tokenizer(model), backend_of(model, machine)
    apart = list(dict.fromkeys(pairs))
    batches = [_batch(at, tokens_of(*pair), backend) for at, pair in enumerate(apart)]
    run = _run(model, backend, machine)
    found = {apart[batch.rows[0]]: logit for batch, logit in run(batches, _logit)}
    return np.array([found[pair] for pair in pairs], np.float32)


def has_model(model: str) -> bool:
    """Tell if ``model`` is a folder, or names a folder in an installed package."""
    try:
        return model_folder(model).is_dir()
    except UsageError:
        return False


def is_graph(model: str) -> bool:
    """Tell if the folder of ``model`` holds an ONNX graph, and not a model for the transformers library."""
    return (model_folder(model) / GRAPH).is_file() and not (model_folder(model) / "config.json").is_file()


def _logit(_batch: Batch, outputs: Outputs) -> float:
    return float(outputs[0].reshape(-1)[0])


def _batch(at: int, tokens: Encoding, backend: str) -> Batch:
    """A single pair, padded for OpenVINO, which takes longer for each new length; ONNX Runtime would round padding,
    too.
    """
    step = 1 if backend == ONNX else LENGTH_STEP
    given = np.zeros((3, 1, -(-len(tokens) // step) * step), np.int64)
    given[:, 0, : len(tokens)] = tokens.ids, tokens.attention_mask, tokens.type_ids
    return Batch((at,), *given)


@lru_cache(maxsize=2)
def _tokenizer(model: str) -> Callable[[str, str], Encoding]:
    """The function that gives the tokens of a question and a text, cut to the room that there is."""
    folder = model_folder(model)
    if missing := [name for name in (GRAPH, TOKENIZER) if not (folder / name).is_file()]:
        raise UsageError(f"the cross-encoder {model!r} has no {' and no '.join(missing)} in {folder}")
    with _loading(model):
        tokenizer = Tokenizer.from_file(str(folder / TOKENIZER))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    room = MAX_TOKENS - tokenizer.num_special_tokens_to_add(True)

    def tokens_of(question: str, text: str) -> Encoding:
        first, second = (tokenizer.encode(part, add_special_tokens=False) for part in (question, text))
        first.truncate(MAX_QUESTION_TOKENS)
        second.truncate(room - len(first))
        return tokenizer.post_process(first, second)

    return tokens_of


@lru_cache(maxsize=4)
def _run(model: str, backend: str, machine: Machine) -> Run:
    """The function that runs batches of single pairs, ``machine.threads`` at once."""
    file = model_folder(model) / GRAPH
    with _loading(model):
        if backend == ONNX:
            graph = onnx_graph.opened(file)
            run, outputs = onnx_graph.runner(graph, machine.threads)
        else:
            is_rounded = backend == openvino_graph.ROUNDED
            key = f"{files_fingerprint(model)}-pairs{'-8' * is_rounded}"
            make = partial(_graph, file, is_rounded=is_rounded)
            precision = openvino_graph.PRECISIONS[backend]
            run, outputs = openvino_graph.kept(machine.home, key, make, machine.threads, precision)
    if outputs != 1:
        raise UsageError(f"the cross-encoder {model!r} has {outputs} outputs: take one that gives one score")
    return run


def _graph(file: Path, *, is_rounded: bool) -> Any:
    """OpenVINO's graph of an ONNX file, its weights rounded or not; raises as :func:`_multiplied_out`."""
    graph = _multiplied_out(file)
    if is_rounded:
        openvino_graph.round_weights(graph)
    return graph


def _multiplied_out(file: Path) -> Any:
    """OpenVINO's graph of an ONNX file. Raises ValueError where its logits are others than ONNX Runtime's."""
    graph, tokens_of = multiplied_out(file), _tokenizer(str(file.parent))
    tokens = [_batch(at, tokens_of(*pair), ONNX) for at, pair in enumerate(PROBES)]
    runs = openvino_graph.runner(graph, 1)[0], onnx_graph.runner(onnx_graph.opened(file), 1)[0]
    found, wanted = ([logit for _, logit in run(tokens, _logit)] for run in runs)
    if (difference := np.abs(np.subtract(found, wanted)).max()) > MOST_APART:
        raise ValueError(f"OpenVINO gives other logits, by up to {difference:.1f}")
    return graph


@cache
def backend_of(model: str, machine: Machine) -> str:
    """The back end that the machine's settings name, or the fastest; ONNX Runtime in the place of torch, which runs no
    graph.
    """
    if machine.backend == "torch":
        return ONNX
    if machine.backend != FASTEST:
        return machine.backend
    tokens, file = _tokenizer(model)(*SAMPLE), model_folder(model) / GRAPH

    def load_onnx() -> RunSample:
        run, _ = onnx_graph.runner(onnx_graph.opened(file), machine.threads)
        return lambda: list(run([_batch(at, tokens, ONNX) for at in range(machine.threads)], _logit))

    sample = [_batch(at, tokens, openvino_graph.ROUNDED) for at in range(machine.threads)]
    plain = cache(partial(_multiplied_out, file))
    back_ends = {ONNX: load_onnx} | openvino_graph.on_sample(plain, sample, machine.threads)
    return fastest(machine.home, f"{model}:{files_fingerprint(model)}", machine.threads, back_ends)


def arithmetic_of(model: str, machine: Machine) -> str:
    """The back end, with the version of the graph that it runs, which a pair's logit depends on beside the files."""
    backend = backend_of(model, machine)
    return backend if backend == ONNX else f"{backend}-{openvino_graph.LOGIC_VERSION}"


@contextmanager
def _loading(model: str) -> Iterator[None]:
    """Turn what the libraries raise of a file into a UsageError that names the model."""
    try:
        yield
    except (UsageError, OSError):
        raise
    except Exception as error:  # the libraries raise plain Exception, or subclasses of it with no other parent
        raise UsageError(f"the cross-encoder {model!r} cannot be loaded from {model_folder(model)}: {error}") from error
