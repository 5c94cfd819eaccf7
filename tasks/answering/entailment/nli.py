"""Adapter to models of natural language inference: cross-encoders that decide if a text entails a claim."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, cast

from tasks.answering.entailment.labels import Entailment, Label, Labeller, TextPair
from tasks.errors import UsageError

BATCH_PAIRS = 32
MAX_TOKENS = 512
LABELS = ("contradiction", "entailment", "neutral")
TOKENIZERS = ("tokenizer.json", "vocab.txt", "vocab.json", "spm.model", "spiece.model", "sentencepiece.bpe.model")
"""Files of a tokenizer; a model needs one of them."""
SETTING = "BIDFOLIO_CHECKS_NLI"


def entailments_by(folder: str, threads: int) -> Labeller:
    """Labeller of pairs by the model in ``folder``, loaded for the first pairs: None where it says neutral.

    Raises UsageError where there is no such folder, and what it gives where the folder has no such model.
    """
    if not Path(folder).is_dir():
        raise UsageError(f"{SETTING}: there is no folder {folder!r}: name one that has the model's files")
    return partial(_entailments_of, folder=folder, threads=threads)


def _entailments_of(pairs: Sequence[TextPair], folder: str, threads: int) -> list[Entailment | None]:
    if not pairs:
        return []
    os.environ["HF_HUB_OFFLINE"] = "1"  # read at import: no hub is ever asked
    import torch
    from safetensors import SafetensorError

    torch.set_num_threads(threads)
    try:
        predict = _model(folder)
    except (OSError, ValueError, KeyError, AttributeError, RuntimeError, SafetensorError) as error:
        raise UsageError(f"{SETTING}: {folder!r} has no cross-encoder that can be loaded: {error}") from error
    return predict(pairs)


@lru_cache(maxsize=1)
def _model(folder: str) -> Callable[[Sequence[TextPair]], list[Entailment | None]]:
    import numpy as np
    from sentence_transformers import CrossEncoder
    from transformers import AutoConfig, AutoModelForSequenceClassification

    config = AutoConfig.from_pretrained(folder, local_files_only=True, trust_remote_code=False)
    # Weights that a model of another kind lacks would be filled with chance, and not a word said.
    if not any(name.endswith("ForSequenceClassification") for name in config.architectures or []):
        raise ValueError(f"it is a {', '.join(config.architectures or ['model of no kind'])}")
    options: dict[str, Any] = {"local_files_only": True, "trust_remote_code": False}
    _, loaded = AutoModelForSequenceClassification.from_pretrained(
        folder, output_loading_info=True, use_safetensors=True, **options
    )
    if loaded["missing_keys"]:
        raise ValueError(f"it lacks weights: {', '.join(sorted(loaded['missing_keys']))}")
    if not any((Path(folder) / name).is_file() for name in TOKENIZERS):
        raise ValueError(f"it has no tokenizer: one of {', '.join(TOKENIZERS)}")
    model: Any = CrossEncoder(folder, max_length=MAX_TOKENS, model_kwargs={"use_safetensors": True}, **options)
    labels = [str(config.id2label[number]).lower() for number in range(model.num_labels)]
    if sorted(labels) != list(LABELS):
        raise UsageError(
            f"{SETTING}: the model in {folder!r} says {', '.join(labels)}: take one that says {', '.join(LABELS)}"
        )

    entailed = labels.index("entailment")

    def predict(pairs: Sequence[TextPair]) -> list[Entailment | None]:
        logits = np.asarray(model.predict(list(pairs), batch_size=BATCH_PAIRS), np.float64)
        if not np.isfinite(logits).all():
            raise UsageError(f"{SETTING}: the model in {folder!r} gives no numbers: its files are damaged")
        shares = np.exp(logits - logits.max(axis=1, keepdims=True))
        shares /= shares.sum(axis=1, keepdims=True)
        return [_labelled(labels[int(one.argmax())], float(one[entailed])) for one in shares]

    return predict


def _labelled(label: str, probability: float) -> Entailment | None:
    if label == "neutral":
        return None
    reason = "a model of inference finds that its source contradicts it" if label == "contradiction" else ""
    return Entailment(cast(Label, label), probability, reason, "inference")
