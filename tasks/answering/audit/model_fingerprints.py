"""Fingerprints of the cross-encoders that a run used, and what ran its models, so that a replay can detect others."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from configs.machine import Machine
from configs.plans import Plan
from tasks.embedding.models.model_files import files_fingerprint
from tasks.embedding.models.shards import Encoder
from tasks.errors import UsageError
from tasks.progress import tell
from tasks.retrieval.ranking.cross_encoder import backend_of, has_model

BACKENDS = {"embedding.backend": "to embed", "retrieval.reread.backend": "to read hits again"}
"""The keys of the back ends among those of models, with what a run uses each for."""


def readers_of(plan: Plan, nli: str | None, machine: Machine, embeds: Callable[[Encoder], str]) -> dict[str, str]:
    """Fingerprints (16 hex digits) of the files of each cross-encoder of a run, by the key of the plan that names it,
    and the back ends that read hits again and that embed, as ``embeds`` gives it; ``nli`` is the model of the setting
    ``checks.nli``.

    A model whose folder is missing has none: a run that needs it reports that itself.
    """
    rerank, reread, embedding = plan.retrieval.rerank, plan.retrieval.reread, plan.embedding
    named = {
        "retrieval.rerank.model": rerank.model if rerank else None,
        "retrieval.reread.model": reread.model if reread else None,
        "checks.nli": nli,
    }
    found = {key: files_fingerprint(model) for key, model in named.items() if model and has_model(model)}
    if has_model(embedding.model):
        found["embedding.backend"] = embeds(Encoder(embedding, *machine))
    if reread is not None and has_model(reread.model):
        found["retrieval.reread.backend"] = backend_of(reread.model, machine)
    return found


def require_same_readers(recorded: Mapping[str, str], now: Mapping[str, str], run_id: str) -> None:
    """Raise UsageError where a recorded model is gone or has other files ``now``; others are not compared.

    Another back end is told: its figures differ in their last digits, and so may the replay's.
    """
    before = {key: recorded[key] for key in BACKENDS if key in recorded}
    if others := [key for key, backend in before.items() if now.get(key, backend) != backend]:
        did = " and ".join(f"{before[key]} {BACKENDS[key]} (now {now[key]})" for key in others)
        names = set(before.values())
        remedy = f"; --backend {names.pop()} takes the same" if len(before) == len(BACKENDS) and len(names) == 1 else ""
        tell(f"run {run_id!r} used {did}: figures differ a little{remedy}")
    if other := [key for key, files in recorded.items() if key not in BACKENDS and now.get(key) != files]:
        raise UsageError(
            f"run {run_id!r} was made with other files of the model under {' and '.join(other)} than are there now: "
            "put those of then back to replay it; `bidfolio trace ANSWER_ID` shows what was recorded without them"
        )
