"""Fingerprints of the cross-encoders that a run used, and what ran them, so that a replay can detect others."""

from __future__ import annotations

from collections.abc import Mapping

from configs.machine import Machine
from configs.plans import Plan
from tasks.embedding.models.model_files import files_fingerprint
from tasks.errors import UsageError
from tasks.progress import tell
from tasks.retrieval.ranking.cross_encoder import backend_of, has_model

BACKEND = "retrieval.reread.backend"
"""The key of the back end that runs the cross-encoder, among those of models."""


def readers_of(plan: Plan, nli: str | None, machine: Machine) -> dict[str, str]:
    """Fingerprints (16 hex digits) of the files of each cross-encoder of a run, by the key of the plan that names it,
    and the back end that reads hits again; ``nli`` is the model of the setting ``checks.nli``.

    A model whose folder is missing has none: a run that needs it reports that itself.
    """
    rerank, reread = plan.retrieval.rerank, plan.retrieval.reread
    named = {
        "retrieval.rerank.model": rerank.model if rerank else None,
        "retrieval.reread.model": reread.model if reread else None,
        "checks.nli": nli,
    }
    files = {key: files_fingerprint(model) for key, model in named.items() if model and has_model(model)}
    return (
        files if reread is None or not has_model(reread.model) else files | {BACKEND: backend_of(reread.model, machine)}
    )


def require_same_readers(recorded: Mapping[str, str], now: Mapping[str, str], run_id: str) -> None:
    """Raise UsageError where a recorded model is gone or has other files ``now``; others are not compared.

    Another back end is told: its figures differ in their last digits, and so may the replay's.
    """
    backend = recorded.get(BACKEND)
    if backend and now.get(BACKEND, backend) != backend:
        tell(
            f"run {run_id!r} read its hits by {backend}, and this machine takes {now[BACKEND]}: figures differ a "
            f"little; --backend {backend} takes the same"
        )
    if other := [key for key, files in recorded.items() if key != BACKEND and now.get(key) != files]:
        raise UsageError(
            f"run {run_id!r} was made with other files of the model under {' and '.join(other)} than are there now: "
            "put those of then back to replay it; `bidfolio trace ANSWER_ID` shows what was recorded without them"
        )
