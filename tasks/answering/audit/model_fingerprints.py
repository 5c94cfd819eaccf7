"""Fingerprints of the cross-encoders that a run used, so that a replay can detect other models."""

from __future__ import annotations

from collections.abc import Mapping

from configs.plans import Plan
from tasks.embedding.models.model_files import files_fingerprint
from tasks.errors import UsageError
from tasks.retrieval.ranking.cross_encoder import has_model


def readers_of(plan: Plan, nli: str | None) -> dict[str, str]:
    """Fingerprints (16 hex digits) of the files of each cross-encoder of a run, by the key of the plan that names it;
    ``nli`` is the model of the setting ``checks.nli``.

    A model whose folder is missing has none: a run that needs it reports that itself.
    """
    rerank, reread = plan.retrieval.rerank, plan.retrieval.reread
    named = {
        "retrieval.rerank.model": rerank.model if rerank else None,
        "retrieval.reread.model": reread.model if reread else None,
        "checks.nli": nli,
    }
    return {key: files_fingerprint(model) for key, model in named.items() if model and has_model(model)}


def require_same_readers(recorded: Mapping[str, str], now: Mapping[str, str], run_id: str) -> None:
    """Raise UsageError where a recorded model is gone or has other files ``now``; others are not compared."""
    if other := [key for key, files in recorded.items() if now.get(key) != files]:
        raise UsageError(
            f"run {run_id!r} was made with other files of the model under {' and '.join(other)} than are there now: "
            "put those of then back to replay it; `bidfolio trace ANSWER_ID` shows what was recorded without them"
        )
