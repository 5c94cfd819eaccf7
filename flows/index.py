"""`bidfolio index`: list, check, publish and roll back index versions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from configs.plans import load_plan
from configs.settings import Settings
from flows.prefect_server.own_database import damage_of_database
from tasks.errors import UsageError
from tasks.publishing.current_task import writing_index
from tasks.publishing.mending_task import check_home
from tasks.publishing.task import find_previous, find_staged, index_versions, make_live
from tasks.quality.gold_task import judge_version, require_no_worse
from tasks.quality.task import check_version, require_passed
from tasks.references import Staged
from tasks.retrieval.task import find_live
from tasks.runtime.artifacts import failure_recorded, open_run, record_run
from tasks.tidying.task import keys_in_use

if TYPE_CHECKING:
    from tasks.runtime.runs import Run


def list_versions(settings: Settings) -> list[dict[str, Any]]:
    """Every version, oldest first; no index gives none.

    A version ``is_old`` where no plan in use makes such an index any more: the next tidying removes it.
    """
    versions = index_versions(settings)
    keys = {name: _key_today(name) for name in {row["plan"] for row in versions}}
    if any(keys[row["plan"]] != row["index_key"] for row in versions):
        used, unread = keys_in_use(settings)
        old = {row["index_key"] for row in versions if row["plan"] not in unread} - used
    else:
        old = set()
    return [
        {name: value for name, value in row.items() if name != "index_key"} | {"is_old": row["index_key"] in old}
        for row in versions
    ]


def _key_today(plan: str) -> str | None:
    """The key of the index that the plan of that name makes today; None where there is no such plan any more."""
    try:
        return load_plan(plan).index_key
    except UsageError:
        return None


def check_live(plan: str, corpus: str | None, settings: Settings) -> dict[str, Any]:
    """Check all files of the home, and the live version; returns its identity, and its figures on the gate's gold set,
    if there is one.

    Raises UsageError where files are damaged, and GateRefused where the version does not pass, or is below the gate's
    floor.
    """
    recipe = load_plan(plan)
    damaged = check_home.fn(settings)
    if why := damage_of_database(settings.home, wholly=True):
        damaged.append(
            f"prefect/prefect.db is damaged ({why}): the next command that runs a flow begins a new one; the lake has "
            "the records of all runs"
        )
    if damaged:
        raise UsageError("\nbidfolio: ".join(damaged))
    live = find_live.fn(recipe, corpus, settings)
    require_passed(check_version(live, recipe, settings, before=None), live, settings, plan)
    if not settings.gate.gold_of(live.corpus):
        return live._asdict()
    verdict = judge_version(live, None, recipe, settings)
    require_no_worse(verdict, live, settings, plan)
    return live._asdict() | {"gold": dict(verdict.figures)}


def publish_version(version: str, plan: str, corpus: str | None, settings: Settings) -> dict[str, Any]:
    """Check a version and publish it. It may hold less than the live version: a person chose it.

    Raises GateRefused, or UsageError where it is missing.
    """
    run = open_run.fn("publish", plan, version, corpus, settings)
    with failure_recorded(run, settings):
        recipe = load_plan(plan)
        wanted = find_staged(version, recipe, corpus, settings)
        require_passed(check_version(wanted, recipe, settings, before=None), wanted, settings, plan)
        return _made_live(wanted, run, settings)


def roll_back(plan: str, corpus: str | None, settings: Settings) -> dict[str, Any]:
    """Publish the previously live version again. Raises UsageError where nothing was published before."""
    run = open_run.fn("rollback", plan, "index", corpus, settings)
    with failure_recorded(run, settings):
        return _made_live(find_previous(load_plan(plan), corpus, settings), run, settings)


def _made_live(version: Staged, run: Run, settings: Settings) -> dict[str, Any]:
    with writing_index(version.corpus, settings):
        has_pages = make_live(version, run, settings)
        record_run(run, settings, corpus=version.corpus, status="done", index_version=version.index_version)
    return version._asdict() | {"lake_pages_restored": has_pages}
