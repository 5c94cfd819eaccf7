"""The adapter to models of natural language inference: cross-encoders that say whether a text entails a claim."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, cast

from tasks.answering.grounding import Entailment, Pair
from tasks.errors import UsageError

BATCH_PAIRS = 32
MAX_TOKENS = 512
LABELS = ("contradiction", "entailment", "neutral")
SETTING = "BIDFOLIO_CHECKS_NLI"


def entailments_of(pairs: Sequence[Pair], folder: str, threads: int) -> list[Entailment]:
    """What each pair's source says of its claim, in order; no pairs give none. What exceeds the window is cut.

    Raises UsageError where ``folder`` has no such model.
    """
    if not pairs:
        return []
    os.environ["HF_HUB_OFFLINE"] = "1"  # read at import: no hub is ever asked
    import torch

    torch.set_num_threads(threads)
    if not Path(folder).is_dir():
        raise UsageError(f"{SETTING}: there is no folder {folder!r}: name one that has the model's files")
    try:
        predict = _model(folder)
    except (OSError, ValueError, KeyError, AttributeError, RuntimeError) as error:
        raise UsageError(f"{SETTING}: {folder!r} has no cross-encoder that can be loaded: {error}") from error
    return predict(pairs)


@lru_cache(maxsize=1)
def _model(folder: str) -> Callable[[Sequence[Pair]], list[Entailment]]:
    from sentence_transformers import CrossEncoder
    from transformers import AutoConfig

    config = AutoConfig.from_pretrained(folder, local_files_only=True, trust_remote_code=False)
    # Weights that a model of another kind lacks would be filled with chance, and not a word said.
    if not any(name.endswith("ForSequenceClassification") for name in config.architectures or []):
        raise ValueError(f"it is a {', '.join(config.architectures or ['model of no kind'])}")
    model: Any = CrossEncoder(folder, local_files_only=True, trust_remote_code=False, max_length=MAX_TOKENS)
    labels = [str(config.id2label[number]).lower() for number in range(model.num_labels)]
    if sorted(labels) != list(LABELS):
        raise UsageError(
            f"{SETTING}: the model in {folder!r} says {', '.join(labels)}: take one that says {', '.join(LABELS)}"
        )

    def predict(pairs: Sequence[Pair]) -> list[Entailment]:
        scores = model.predict(list(pairs), batch_size=BATCH_PAIRS)
        return [cast(Entailment, labels[int(best)]) for best in scores.argmax(axis=1)]

    return predict
