"""`bidfolio gc`: delete files that no kept version, no current plan and no run needs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from configs.settings import Settings
from flows.prefect_server.own_database import forget_old_runs
from tasks.errors import UsageError
from tasks.tidying.retention import Removed
from tasks.tidying.task import find_held, tidy_home

MOST_DAYS = 36_500
KEPT_DAYS = 30
"""Days for which a plan file that is gone counts, where nothing else is said."""

WHAT = {
    "indexes": "indexes of plans that are gone",
    "versions": "versions beyond those that are kept",
    "states": "fitted states",
    "documents": "converted documents",
    "members": "contents of archives and mails",
    "chunks": "chunks and counts",
    "vectors": "vectors",
    "tuning": "pairs and trials of tuning that has ended",
    "rows": "rows of documents and pages",
    "staging": "left by runs that were killed",
    "prefect": "of Prefect's own database: runs that ended long ago",
    "tables": "tables of runs",
    "replies": "replies of model servers",
    "requirements": "requirements of tenders",
    "turns": "turns of conversations",
}
"""The kinds of what this command or `bidfolio purge` removes, in words."""


def collect_garbage(settings: Settings, days: int, *, dry_run: bool) -> dict[str, Any]:
    """Delete unneeded files, or only count them; returns the number and bytes by kind.

    Prefect's database is made smaller.

    Raises UsageError for an invalid number of days, and as :func:`tidy_home`.
    """
    if not 0 <= days <= MOST_DAYS:
        raise UsageError(f"--days {days}: say how many days back, from 0 to {MOST_DAYS}")
    removed = {str(kind): found for kind, found in tidy_home.fn(settings, days, dry_run=dry_run).items()}
    if of_runs := forget_old_runs(settings.home, dry_run=dry_run):
        removed["prefect"] = Removed(0, of_runs)
    return summed(removed, dry_run=dry_run) | {"held": find_held.fn(settings)}


def summed(removed: Mapping[str, Removed], *, dry_run: bool) -> dict[str, Any]:
    """The summary of what was removed, or would be: by kind, and altogether."""
    return {
        "dry_run": dry_run,
        "removed": {kind: found._asdict() for kind, found in removed.items()},
        "files": sum(found.files for found in removed.values()),
        "size_bytes": sum(found.size_bytes for found in removed.values()),
    }


def removed_lines(summary: dict[str, Any]) -> list[str]:
    """The lines for people: one for each kind, the sum, and the deleted documents that a live version still holds."""
    done = "would be removed" if summary["dry_run"] else "removed"
    counts = [*((found, WHAT[kind]) for kind, found in summary["removed"].items()), (summary, done)]
    lines = [f"{found['size_bytes'] / 1e6:10.1f} MB  {found['files']:7} files  {what}" for found, what in counts]
    return lines + [
        f"{', '.join(names)}: deleted, and still in the live index of the plan {plan}; run `bidfolio refresh FOLDER "
        f"--plan {plan}`, then this again"
        for plan, names in summary.get("held", {}).items()
    ]
