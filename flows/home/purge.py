"""`bidfolio purge`: delete the records of runs, or a whole corpus, from the home."""

from __future__ import annotations

import shlex
from typing import Any

from configs.settings import Settings
from flows.home.garbage_collection import removed_lines, summed
from tasks.errors import UsageError
from tasks.runtime.artifacts import open_run, record_run
from tasks.tidying.purge import find_runs, purge_runs
from tasks.tidying.purge_selection import KnownRun, Wanted
from tasks.tidying.retention import Removed
from tasks.tidying.task import purge_corpus


def purge(wanted: Wanted, settings: Settings, *, dry_run: bool, yes: bool) -> dict[str, Any]:
    """Delete runs, or only count them; returns the deleted and remaining runs, and files and bytes by kind.

    Without ``yes``, runs that published an index or have not ended remain. With a corpus, its documents, its indexes,
    and all its runs are deleted. A purge writes a row in ``runs``, without the name of a person. Raises UsageError
    where nothing is named, or a corpus and more; for a named run that is unknown or would remain; and as
    :func:`purge_corpus`.
    """
    if wanted == Wanted():
        raise UsageError("say what is to be purged: --run, --before, --asked-by, --source or --corpus")
    if wanted.corpus is not None and wanted != Wanted(corpus=wanted.corpus):
        raise UsageError("--corpus removes a corpus with all its runs: leave the other options out, or --corpus")
    found = find_runs.fn(wanted, settings)
    left = [] if yes else [run for run in found if run.is_left]
    if left and wanted.run_ids is not None and not dry_run:
        raise UsageError(f"{', '.join(map(_in_words, left))}: give --yes to remove it all the same")
    removed: dict[str, Removed] = {}
    if wanted.corpus is not None:
        of_corpus = purge_corpus.fn(wanted.corpus, settings, dry_run=dry_run, published_too=yes)
        removed |= {str(kind): found for kind, found in of_corpus.items()}
    going = [run for run in found if run not in left]
    removed |= purge_runs.fn(going, settings, dry_run=dry_run)
    left_runs = [run.run_id for run in left]
    summary = {"dry_run": dry_run, "runs": len(going), "left_runs": left_runs, **summed(removed, dry_run=dry_run)}
    if not dry_run and (going or removed):
        record_run(open_run.fn("purge", "", _selection(wanted), wanted.corpus, settings), settings, status="done")
    return summary


def purge_lines(summary: dict[str, Any]) -> list[str]:
    """The lines for people: one for each kind, the sum, and the runs and files that remain."""
    *lines, total = removed_lines(summary)
    lines.append(f"{total}, {summary['runs']} runs")
    if summary["left_runs"]:
        lines.append(
            f"{len(summary['left_runs'])} runs are left: they published an index, or have not ended; --yes removes them"
        )
    lines.append("filled copies, and what Prefect's own database shows of a run, are not touched")
    return lines


def _in_words(run: KnownRun) -> str:
    why = "has not ended" if run.is_open else f"is of the kind {run.kind}, and says what is published"
    return f"the run {run.run_id} {why}"


def _selection(wanted: Wanted) -> str:
    """The selection as options of the command line, without a person's name."""
    given = {
        "--run": ",".join(wanted.run_ids or ()),
        "--before": wanted.before.isoformat() if wanted.before else "",
        "--asked-by": "…" if wanted.asked_by is not None else "",
        "--source": shlex.quote(wanted.source) if wanted.source else "",
        "--corpus": wanted.corpus or "",
    }
    return " ".join(f"{option} {value}" for option, value in given.items() if value)
