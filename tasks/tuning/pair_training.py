"""Fine-tuning of a cross-encoder on questions and chunks, with torch.

After RFP Intelligence Chat, whose reranker is fine-tuned on 8,000 pairs of questions and answers.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tasks.errors import UsageError

MAX_TOKENS = 512
BATCH_PAIRS = 16
LEARNING_RATE = 2e-5
MOST_EPOCHS = 6
PATIENCE_EPOCHS = 2
SEED = 0


@dataclass(frozen=True, slots=True)
class Labelled:
    """Training pairs: questions, texts, and labels that tell if the text answers the question, all equally long."""

    questions: Sequence[str]
    texts: Sequence[str]
    answers: Sequence[bool]


@dataclass(frozen=True, slots=True)
class FineTuned:
    """Result of fine-tuning: the ``losses`` on held-out pairs, and the ``epochs`` after which the model was saved.

    The first loss is the original model's, then one for each epoch. ``epochs`` is 0 if none lowered the loss; then
    nothing is saved.
    """

    losses: tuple[float, ...]
    epochs: int


def fine_tune(
    folder: str,
    learnt: Labelled,
    stopping: Labelled,
    out: str,
    threads: int,
    learning_rate: float = LEARNING_RATE,
    most_epochs: int = MOST_EPOCHS,
) -> FineTuned:
    """Fine-tune the cross-encoder in ``folder`` on ``learnt`` by binary cross-entropy, and save the best epoch.

    The best epoch has the lowest loss on ``stopping``; it is saved to the folder ``out``, which is made, or not at all
    if no epoch lowers the loss. Both hold at least one pair. The same pairs give the same model on the same machine.
    Raises UsageError if ``folder`` has no cross-encoder with one output.
    """
    os.environ["HF_HUB_OFFLINE"] = "1"  # read at import: no hub is ever asked
    import torch
    from transformers import AutoTokenizer

    torch.set_num_threads(threads)
    torch.manual_seed(SEED)
    model = _model(folder)
    tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True, trust_remote_code=False)
    window = min(MAX_TOKENS, getattr(model.config, "max_position_embeddings", MAX_TOKENS))
    optimizer = torch.optim.AdamW(model.parameters(), lr=learning_rate)

    def loss_of(pairs: Labelled, numbers: Sequence[int]) -> Any:
        """The loss of the pairs with those numbers."""
        given = tokenizer(
            [pairs.questions[at] for at in numbers],
            [pairs.texts[at] for at in numbers],
            padding=True,
            truncation="longest_first",
            max_length=window,
            return_tensors="pt",
        )
        wanted = torch.tensor([float(pairs.answers[at]) for at in numbers])
        return torch.nn.functional.binary_cross_entropy_with_logits(model(**given).logits[:, 0], wanted)

    def loss_on(pairs: Labelled) -> float:
        model.eval()
        with torch.inference_mode():
            summed = [float(loss_of(pairs, some)) * len(some) for some in _batches(range(len(pairs.questions)))]
        return sum(summed) / len(pairs.questions)

    losses, best = [loss_on(stopping)], 0
    for epoch in range(1, most_epochs + 1):
        model.train()
        for some in _batches(torch.randperm(len(learnt.questions)).tolist()):
            optimizer.zero_grad()
            loss_of(learnt, some).backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
        losses.append(loss_on(stopping))
        if losses[-1] < losses[best]:
            best = epoch
            model.save_pretrained(out)
            tokenizer.save_pretrained(out)
        elif epoch - best >= PATIENCE_EPOCHS:
            break
    return FineTuned(tuple(losses), best)


def _batches(numbers: Sequence[int]) -> list[list[int]]:
    return [list(numbers[begin : begin + BATCH_PAIRS]) for begin in range(0, len(numbers), BATCH_PAIRS)]


def _model(folder: str) -> Any:
    from transformers import AutoConfig, AutoModelForSequenceClassification

    if not Path(folder).is_dir():
        raise UsageError(f"the reranker's folder {folder!r} is not there: name one that has the model's files")
    try:
        config = AutoConfig.from_pretrained(folder, local_files_only=True, trust_remote_code=False)
        if not any(name.endswith("ForSequenceClassification") for name in config.architectures or []):
            raise ValueError("it is no …ForSequenceClassification")
        model = AutoModelForSequenceClassification.from_pretrained(
            folder, local_files_only=True, trust_remote_code=False
        )
    except (OSError, ValueError, KeyError, RuntimeError) as error:
        raise UsageError(f"{folder!r} has no cross-encoder that can be loaded: {error}") from error
    if model.num_labels != 1:
        raise UsageError(f"the cross-encoder {folder!r} has {model.num_labels} outputs: take one that gives one score")
    return model
