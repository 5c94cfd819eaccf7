"""The models that read two texts together, by what their files say: with others a replay would tell of them alone."""

from __future__ import annotations

from collections.abc import Mapping

from configs.plans import Plan
from tasks.embedding.models.model_files import files_fingerprint
from tasks.errors import UsageError
from tasks.retrieval.ranking.cross_encoder import has_model


def readers_of(plan: Plan, nli: str | None) -> dict[str, str]:
    """16 hex digits of the files of each such model that a run has, by the key of the plan that names it; ``nli`` is
    that of the setting ``checks.nli``.

    One whose folder is not there has none: a run that comes to need it says so.
    """
    rerank, reread = plan.retrieval.rerank, plan.retrieval.reread
    named = {
        "retrieval.rerank.model": rerank.model if rerank else None,
        "retrieval.reread.model": reread.model if reread else None,
        "checks.nli": nli,
    }
    return {key: files_fingerprint(model) for key, model in named.items() if model and has_model(model)}


def require_same_readers(recorded: Mapping[str, str], now: Mapping[str, str], run_id: str) -> None:
    """Raises UsageError where a model that the run read with is gone or has other files by ``now``: the name under
    which a plan knows it says nothing of its weights. What the run has not ``recorded`` is not known to differ.
    """
    if other := [key for key, files in recorded.items() if now.get(key) != files]:
        raise UsageError(
            f"run {run_id!r} was made with other files of the model under {' and '.join(other)} than are there now: "
            "put those of then back to replay it; `bidfolio trace ANSWER_ID` shows what was recorded without them"
        )
