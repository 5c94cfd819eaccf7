"""`bidfolio gold`: import or make gold sets, from published data sets, past answers, or a corpus."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from configs.plans import load_plan
from configs.settings import Settings
from tasks.errors import UsageError
from tasks.evaluation.gold_task import import_set, make_set
from tasks.retrieval.task import find_live


def import_gold_set(
    path: str,
    layout: str | None,
    passages: str | None,
    out: str,
    documents: str | None,
    settings: Settings,
    *,
    overwrite: bool,
) -> dict[str, Any]:
    """Import a gold set from another layout; returns counts, and the paths of the gold set and its documents.

    Raises UsageError for a file that cannot be read, and for an ``out`` that exists.
    """
    _require_free(out, overwrite=overwrite)
    if documents and Path(documents).exists() and not overwrite:
        raise UsageError(f"{documents} is there already: name a new folder with --corpus-out, or give --overwrite")
    return import_set(path, layout, passages, out, documents, settings)


def make_gold_set(
    plan: str,
    corpus: str | None,
    generator: str | None,
    count: int,
    held_out: float,
    seed: int,
    out: str,
    settings: Settings,
    *,
    overwrite: bool,
) -> dict[str, Any]:
    """Make a gold set of the live version's chunks, by the model server if it is configured, else by rules;
    returns counts.

    Raises UsageError for an ``out`` that exists, invalid figures, a required server that is not configured, and where
    nothing is live.
    """
    _require_free(out, overwrite=overwrite)
    if count < 1 or not 0 <= held_out < 1:
        raise UsageError("--count is at least 1, and --held-out a share from 0 up to, but not, 1")
    if generator == "openai" and not settings.openai.is_configured:
        raise UsageError(
            "no model server is configured: set BIDFOLIO_OPENAI_BASE_URL and BIDFOLIO_OPENAI_MODEL, or give "
            "--generator rules"
        )
    chosen = generator or ("openai" if settings.openai.is_configured else "rules")
    live = find_live.fn(load_plan(plan), corpus, settings)
    return make_set(live, chosen, count, held_out, seed, out, settings)


def _require_free(out: str, *, overwrite: bool) -> None:
    if Path(out).exists() and not overwrite:
        raise UsageError(f"{out} is there already: name another file with --out, or give --overwrite")
