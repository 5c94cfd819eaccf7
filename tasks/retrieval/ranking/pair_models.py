"""Models that score (question, text) pairs: cross-encoders and sequence-to-sequence rankers (monoT5)."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import lru_cache, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from configs.machine import Machine
from configs.retrieval import Rerank
from tasks.embedding.models.model_files import model_folder
from tasks.errors import UsageError
from tasks.retrieval.ranking.cross_encoder import (
    GRAPH,
    MAX_QUESTION_TOKENS,
    MAX_TOKENS,
    ReadPairs,
    arithmetic_of,
    has_model,
    is_graph,
    read_pairs,
    recalling,
)
from tasks.storage.stage_cache import KnownOutputs

BATCH_PAIRS = 32
ASKED = ("Query:", "Document:", "Relevant:")
"""The prompt of monoT5 (Nogueira, Jiang, Pradeep and Lin 2020): the words before the question,
before and after the text.

It answers with one of two words. A text that is too long is cut; the prompt around it never is.
"""
WORDS = {"t5": ("true", "false"), "mt5": ("yes", "no")}
"""The words that a model of each type was trained to answer with: monoT5, and its multilingual kin."""


def pair_scorer(rerank: Rerank | None, machine: Machine, outputs: KnownOutputs | None = None) -> ReadPairs:
    """The function that scores pairs with the plan's reranker, those alone that ``outputs`` does not know; for a plan
    without such a model, one that raises ValueError.
    """
    if rerank is None or not rerank.reads_pairs:
        return _refuse
    model = str(rerank.model)

    def kind() -> str:
        return f"{rerank.by}-{arithmetic_of(model, machine)}" if is_graph(model) else rerank.by

    return recalling(outputs, model, partial(score_pairs, rerank=rerank, machine=machine), kind)


def _refuse(pairs: Sequence[tuple[str, str]]) -> NDArray[np.float32]:
    raise ValueError("the plan reranks with no model that reads pairs")


def score_pairs(pairs: Sequence[tuple[str, str]], rerank: Rerank, machine: Machine) -> NDArray[np.float32]:
    """The relevance of each text to its question, from 0 to 1, ``(len(pairs),)``; no pairs give none.

    A cross-encoder's one output goes through the logistic function; one that is an ONNX graph is run as such
    (:mod:`tasks.retrieval.ranking.cross_encoder`). For a sequence-to-sequence model it is the probability of "true"
    against "false", or of "yes" against "no", as its first word. What exceeds the model's window is cut. Raises
    UsageError where the folder has no such model.
    """
    if not pairs:
        return np.zeros(0, np.float32)
    folder = str(rerank.model)
    if not has_model(folder):
        raise UsageError(f"the reranker's folder {folder!r} is not there: name one that has the model's files")
    if rerank.by == "cross_encoder" and is_graph(folder):
        return np.asarray(1 / (1 + np.exp(-read_pairs(pairs, folder, machine))), np.float32)
    if is_graph(folder):
        raise UsageError(
            f"{folder!r} has a graph ({GRAPH}), which is run as a cross-encoder only: a sequence-to-sequence model is "
            "a folder with config.json and the weights of transformers"
        )
    os.environ["HF_HUB_OFFLINE"] = "1"  # read at import: no hub is ever asked
    import torch

    torch.set_num_threads(machine.threads)
    folder = str(model_folder(folder))
    try:
        model = _cross_encoder(folder) if rerank.by == "cross_encoder" else _sequence_to_sequence(folder)
    except (OSError, ValueError, KeyError, AttributeError, RuntimeError) as error:
        raise UsageError(f"{folder!r} has no {rerank.by.replace('_', '-')} that can be loaded: {error}") from error
    with torch.inference_mode():
        # Pairs of similar lengths go together, so that there is little padding.
        order = sorted(range(len(pairs)), key=lambda at: len(pairs[at][1]))
        scores = np.zeros(len(pairs), np.float32)
        for begin in range(0, len(order), BATCH_PAIRS):
            some = order[begin : begin + BATCH_PAIRS]
            scores[some] = model([pairs[at] for at in some])
    return scores


def _require(folder: str, kind: str) -> None:
    """Check the model's kind.

    Raises ValueError otherwise: missing weights would be filled at random, without a warning.
    """
    from transformers import AutoConfig

    config = AutoConfig.from_pretrained(folder, local_files_only=True, trust_remote_code=False)
    if not any(name.endswith(kind) for name in config.architectures or []):
        raise ValueError(f"it is a {', '.join(config.architectures or ['model of no kind'])}, and no …{kind}")


@lru_cache(maxsize=2)
def _cross_encoder(folder: str) -> Any:
    import torch
    from sentence_transformers import CrossEncoder

    _require(folder, "ForSequenceClassification")
    model = CrossEncoder(folder, local_files_only=True, trust_remote_code=False, max_length=MAX_TOKENS)
    if model.num_labels != 1:
        raise UsageError(f"the cross-encoder {folder!r} has {model.num_labels} outputs: take one that gives one score")

    def score(pairs: Sequence[tuple[str, str]]) -> NDArray[np.float32]:
        found = model.predict(list(pairs), batch_size=len(pairs), activation_fn=torch.nn.Sigmoid())
        return np.asarray(found, dtype=np.float32)

    return score


@lru_cache(maxsize=2)
def _sequence_to_sequence(folder: str) -> Any:
    import torch
    from transformers import AutoModelForSeq2SeqLM, AutoTokenizer

    _require(folder, "ForConditionalGeneration")
    tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True, trust_remote_code=False)
    model = AutoModelForSeq2SeqLM.from_pretrained(folder, local_files_only=True, trust_remote_code=False).eval()
    words = WORDS.get(model.config.model_type)
    if words is None:
        raise UsageError(f"the ranker {folder!r} is a {model.config.model_type}: take a {' or an '.join(WORDS)}")

    def ids(text: str) -> list[int]:
        found: list[int] = tokenizer(text, add_special_tokens=False)["input_ids"]
        return found

    first_tokens = [ids(word)[0] for word in words]
    before, between, after = (ids(part) for part in ASKED)

    def asked(question_ids: list[int], text: str) -> list[int]:
        room = MAX_TOKENS - len(before) - len(question_ids) - len(between) - len(after) - 1
        return [*before, *question_ids, *between, *ids(text)[:room], *after, tokenizer.eos_token_id]

    def score(pairs: Sequence[tuple[str, str]]) -> NDArray[np.float32]:
        questions = {question: ids(question)[:MAX_QUESTION_TOKENS] for question, _ in pairs}
        rows = [asked(questions[question], text) for question, text in pairs]
        given = tokenizer.pad({"input_ids": rows}, return_tensors="pt")
        begin = torch.full((len(rows), 1), model.config.decoder_start_token_id)
        found = model(input_ids=given.input_ids, attention_mask=given.attention_mask, decoder_input_ids=begin)
        return np.asarray(found.logits[:, 0, first_tokens].softmax(dim=1)[:, 0].float().numpy(), dtype=np.float32)

    return score
