"""Cross-encoder as an ONNX graph: a model that reads a question and a text together and scores how well it answers.

The model that ships is ms-marco-MiniLM-L-12-v2, its weights rounded to 8 bits. It rounds the activations of a batch by
one scale, so each pair is run alone: its score then depends neither on other pairs nor on the number of threads.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache, partial

import numpy as np
from numpy.typing import NDArray
from tokenizers import Encoding, Tokenizer

from configs.retrieval import Reread
from tasks.embedding.models.model_files import files_fingerprint, model_folder
from tasks.embedding.models.onnx_graph import opened
from tasks.embedding.models.threads import in_threads
from tasks.errors import UsageError
from tasks.storage.stage_cache import KnownOutputs

GRAPH, TOKENIZER = "model.onnx", "tokenizer.json"
MAX_TOKENS = 512
MAX_QUESTION_TOKENS = 128
Vector = NDArray[np.float32]
ReadPairs = Callable[[Sequence[tuple[str, str]]], Vector]
"""Function that gives a logit for each (question, text) pair: how well the text answers; about 0 where that is open."""


def pair_reader(reread: Reread | None, threads: int, outputs: KnownOutputs | None = None) -> ReadPairs:
    """The function that scores pairs with the plan's cross-encoder, those alone that ``outputs`` does not know; without
    ``reread`` in the plan, one that raises ValueError.
    """
    if reread is None:
        return _refuse
    return recalling(outputs, reread.model, partial(read_pairs, model=reread.model, threads=threads))


def recalling(outputs: KnownOutputs | None, model: str, read: ReadPairs, kind: str = "read") -> ReadPairs:
    """The function that gives the scores of ``read``, of which the cache keeps each, by the files of ``model``."""
    if outputs is None or not has_model(model):  # without its files, ``read`` tells what is missing
        return read

    def read_or_recall(pairs: Sequence[tuple[str, str]]) -> Vector:
        space = f"{files_fingerprint(model)}-{kind}-{MAX_TOKENS}-{MAX_QUESTION_TOKENS}"
        found = outputs.recalled(space, pairs, lambda new: [score.tobytes() for score in read(new)])
        return np.frombuffer(b"".join(found), np.float32)

    return read_or_recall


def _refuse(pairs: Sequence[tuple[str, str]]) -> Vector:
    raise ValueError("the plan has no cross-encoder that reads its hits again")


def read_pairs(pairs: Sequence[tuple[str, str]], model: str, threads: int) -> Vector:
    """The logit of each (question, text) pair, ``(len(pairs),)``; no pairs give none.

    A question of more than MAX_QUESTION_TOKENS is cut, and what then exceeds MAX_TOKENS of the text, too. Equal pairs
    are read once. Raises UsageError where ``model`` names nothing that can be loaded.
    """
    if not pairs:
        return np.zeros(0, np.float32)
    score = _cross_encoder(model)
    apart = list(dict.fromkeys(pairs))
    found = dict(zip(apart, in_threads(score, apart, threads), strict=True))
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


@lru_cache(maxsize=2)
def _cross_encoder(model: str) -> Callable[[tuple[str, str]], float]:
    folder = model_folder(model)
    if missing := [name for name in (GRAPH, TOKENIZER) if not (folder / name).is_file()]:
        raise UsageError(f"the cross-encoder {model!r} has no {' and no '.join(missing)} in {folder}")
    try:
        tokenizer, graph = Tokenizer.from_file(str(folder / TOKENIZER)), opened(folder / GRAPH)
    except Exception as error:  # both libraries raise plain Exception, or subclasses of it with no other parent
        raise UsageError(f"the cross-encoder {model!r} cannot be loaded from {folder}: {error}") from error
    tokenizer.no_truncation()
    tokenizer.no_padding()
    if (given := graph.get_outputs()[0].shape[-1]) != 1:
        raise UsageError(f"the cross-encoder {model!r} has {given} outputs: take one that gives one score")
    names = {given.name for given in graph.get_inputs()}
    room = MAX_TOKENS - tokenizer.num_special_tokens_to_add(True)

    def asked(question: str, text: str) -> Encoding:
        first, second = (tokenizer.encode(part, add_special_tokens=False) for part in (question, text))
        first.truncate(MAX_QUESTION_TOKENS)
        second.truncate(room - len(first))
        return tokenizer.post_process(first, second)

    def score(pair: tuple[str, str]) -> float:
        tokens = asked(*pair)
        inputs = {
            "input_ids": tokens.ids,
            "attention_mask": tokens.attention_mask,
            "token_type_ids": tokens.type_ids,
        }
        given = {name: np.array([values], np.int64) for name, values in inputs.items() if name in names}
        return float(graph.run(None, given)[0].reshape(-1)[0])

    return score
