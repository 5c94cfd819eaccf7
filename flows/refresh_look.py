"""A look before a refresh: where nothing has changed, no flow runs, and nothing is imported that only a flow needs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from configs.plans import load_plan
from configs.settings import Settings, load_settings
from flows.cli.output.refresh_summary import RefreshSummary
from tasks.conversion.task import scan_corpus
from tasks.publishing.current_task import find_current, is_whole, writing_index
from tasks.quality.gate_questions import gate_questions
from tasks.runtime.artifacts import is_tidy, new_run, record_unchanged
from tasks.storage.urls import require_no_secret

if TYPE_CHECKING:
    from tasks.runtime.runs import Run


def look_for_changes(
    source: str, plan: str, corpus: str, include: Sequence[str] | None = None, exclude: Sequence[str] | None = None
) -> RefreshSummary | None:
    """Look if a refresh has anything to do; returns its result, recorded in ``runs``, where it has not, else None.

    Not for those who may have a server of Prefect's (:func:`may_be_configured`), and watch every refresh there. The
    steps are those that ``refresh_corpus`` begins with. Whatever fails in them fails there again, and is recorded and
    told there.
    """
    try:
        require_no_secret(source)
        settings = load_settings(include=include, exclude=exclude)
        return _unchanged(new_run("refresh", plan, source, corpus, settings), settings)
    except Exception:
        return None


def _unchanged(run: Run, settings: Settings) -> RefreshSummary | None:
    corpus, recipe = str(run.corpus), load_plan(run.plan)
    with writing_index(corpus, settings):
        gate_questions(settings.gate, corpus)
        if not (is_tidy(settings) and is_whole(corpus, recipe, settings)):
            return None
        scan = scan_corpus.fn(run.source, corpus, settings)
        current = find_current.fn(scan, recipe, settings)
        if current is None:
            return None
        summary = RefreshSummary.unchanged(run, scan, None, current)
        record_unchanged.fn(run, scan, None, summary.to_json(), settings)
    return summary
