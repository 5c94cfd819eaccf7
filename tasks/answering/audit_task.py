"""Storage of the audit log: a run's answers under a plan, with all that a replay needs."""

from __future__ import annotations

from collections.abc import Sequence

from configs.plans import Plan
from configs.settings import Settings
from tasks.answering.audit.log import Basis, Settled, Times, audit_rows, step_rows
from tasks.answering.audit.model_fingerprints import readers_of
from tasks.references import Staged
from tasks.retrieval.queries.scope import Scope
from tasks.runtime.runs import Run
from tasks.storage.commits import Commits, of_run
from tasks.storage.lake import Lake


def append_audit(
    settled: Sequence[tuple[Settled, Times]],
    version: Staged,
    plan: Plan,
    run: Run,
    settings: Settings,
    deviations: Sequence[str] = (),
) -> None:
    """Append a run's answers under a plan to the audit log: the tables ``audit_steps`` and then ``audit``."""
    named = {tag: settings.tags[tag] for tag in Scope.said(run.scope).tags if tag in settings.tags}
    checks, readers = settings.checks.model_dump_json(), readers_of(plan, settings.checks.nli)
    basis = Basis(run.identity, run.kind, run.asked_by, plan, version, run.scope, named, checks, readers, deviations)
    lake = Lake(settings.home)
    lake.write("audit_steps", step_rows(basis, (one for one, _ in settled)), run_id=run.run_id, plan=plan.name)
    lake.write("audit", audit_rows(basis, settled), run_id=run.run_id, plan=plan.name)
    if run.kind == "ask":  # it has no row in ``runs`` with which its files are recorded
        folders = [("lake", table, f"run_id={run.run_id}") for table in ("audit_steps", "audit", "expansions")]
        Commits(lake).put(of_run(run.run_id), folders)
