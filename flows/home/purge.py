"""`bidfolio purge`: delete the records of runs, what is kept of a deleted document, or a whole corpus."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from configs.settings import Settings
from flows.home.garbage_collection import KEPT_DAYS, removed_lines, summed
from flows.prefect_server.own_database import forget_runs
from tasks.errors import UsageError
from tasks.runtime.artifacts import open_run, record_run, runs_in_progress
from tasks.tidying.document_purge import Purged, find_naming, purge_document, require_deleted
from tasks.tidying.purge import find_runs, purge_runs, sweep_home
from tasks.tidying.purge_selection import KnownRun, Wanted
from tasks.tidying.retention import Removed
from tasks.tidying.task import find_held, purge_corpus, tidy_home


def purge(wanted: Wanted, settings: Settings, *, dry_run: bool, yes: bool) -> dict[str, Any]:
    """Delete runs, or only count them; returns the deleted and remaining runs, and files and bytes by kind.

    Without ``yes``, runs that published an index or have not ended remain; those in progress always do. With a corpus,
    its documents, its indexes, and all its runs are deleted. A purge writes a row in ``runs``, without a name. Raises
    UsageError where nothing is named, or a corpus and more; for a named run, conversation, file or person that is
    unknown, or a run that would remain; and as :func:`purge_corpus`.
    """
    if wanted == Wanted():
        raise UsageError(
            "say what is to be purged: --run, --before, --asked-by, --questionnaire, --session, --document or --corpus"
        )
    if wanted.corpus is not None and wanted != Wanted(corpus=wanted.corpus):
        raise UsageError("--corpus removes a corpus with all its runs: leave the other options out, or --corpus")
    removed = _swept(settings, dry_run=dry_run)
    found = find_runs.fn(wanted, settings)
    in_progress = runs_in_progress.fn(settings)
    writing = [run for run in found if run.run_id in in_progress]
    left = writing if yes else [run for run in found if run.is_left or run in writing]
    if writing and wanted.run_ids is not None and not dry_run:
        raise _in_progress(writing[0].run_id)
    if left and wanted.run_ids is not None and not dry_run:
        raise UsageError(f"{', '.join(map(_in_words, left))}: give --yes to remove it all the same")
    if wanted.corpus is not None:
        of_corpus = purge_corpus.fn(wanted.corpus, settings, dry_run=dry_run, published_too=yes)
        removed |= {str(kind): found for kind, found in of_corpus.items()}
    going = [run for run in found if run not in left]
    # The rows that make a run known go last, so that the same command completes a purge that was killed.
    flows = forget_runs(settings.home, [run.flow_run_id for run in going], dry_run=dry_run)
    removed |= purge_runs.fn(going, wanted, settings, dry_run=dry_run)
    told = [[run.run_id for run in some] for some in (left, writing)]
    summary = _summary(removed, len(going), flows, *told, dry_run=dry_run)
    if not dry_run and (going or removed):
        _record(_selection(wanted), wanted.corpus, settings)
    return summary


def purge_deleted(name: str, wanted: Wanted, settings: Settings, *, dry_run: bool) -> dict[str, Any]:
    """Delete what is kept of a document that was deleted from its corpus, or only count it; returns as :func:`purge`.

    That is what :func:`tidy_home` removes, and what runs have recorded of it. ``wanted`` may name the corpus, and
    nothing else. Raises UsageError where it does, where the corpus still has the document or a live index holds it,
    where nothing names it, and where a run is in progress; and as :func:`tidy_home`.
    """
    if wanted != Wanted(corpus=wanted.corpus):
        raise UsageError("--document goes with --corpus alone: leave the other options out")
    named = forget_runs(settings.home, (), naming=name, dry_run=True)
    require_deleted.fn(name, wanted.corpus, settings, is_known=bool(named))
    held = [plan for plan, names in find_held.fn(settings).items() if any(map(Purged(name).is_it, names))]
    if held:
        raise UsageError(
            f"the live index of the plan {held[0]} still holds {name}: run `bidfolio refresh FOLDER --plan {held[0]}`, "
            "then this again"
        )
    if not dry_run and (writing := sorted(runs_in_progress.fn(settings))):  # it may have read the document before
        raise _in_progress(writing[0])
    runs = find_naming.fn(name, wanted.corpus, settings)
    flows = forget_runs(settings.home, runs.values(), naming=name, dry_run=dry_run)
    purged = purge_document.fn(name, runs, settings, dry_run=dry_run)
    tidied = {str(kind): found for kind, found in tidy_home.fn(settings, KEPT_DAYS, dry_run=dry_run).items()}
    removed = {
        kind: Removed(*map(sum, zip(*(of[kind] for of in (tidied, purged) if kind in of), strict=True)))
        for kind in (*tidied, *purged)
    }
    if not dry_run:
        _record("--document …", wanted.corpus, settings)
    return _summary(removed, len(runs), flows, [], [], dry_run=dry_run)


def _record(selection: str, corpus: str | None, settings: Settings) -> None:
    """Record the purge without a person: who purges may be who is to be forgotten."""
    nobody = open_run.fn("purge", "", selection, corpus, settings.model_copy(update={"user": ""}))._replace(asked_by="")
    record_run(nobody, settings, status="done")


def _swept(settings: Settings, *, dry_run: bool) -> dict[str, Removed]:
    swept = sweep_home.fn(settings, dry_run=dry_run)
    return {"staging": swept} if swept.files else {}


def _summary(
    removed: Mapping[str, Removed], runs: int, flows: int, left: list[str], writing: list[str], *, dry_run: bool
) -> dict[str, Any]:
    told = {"dry_run": dry_run, "runs": runs, "flow_runs": flows, "left_runs": left}
    told |= {"runs_in_progress": writing}
    return told | summed(removed, dry_run=dry_run)


def purge_lines(summary: dict[str, Any]) -> list[str]:
    """The lines for people: one for each kind, the sum, and the runs and files that remain."""
    *lines, total = removed_lines(summary)
    shown = f", {summary['flow_runs']} flow runs of Prefect's own database" if summary["flow_runs"] else ""
    lines.append(f"{total}, {summary['runs']} runs{shown}")
    writing = summary["runs_in_progress"]
    if left := len(summary["left_runs"]) - len(writing):
        lines.append(f"{left} runs are left: they published an index, or have not ended; --yes removes them")
    if writing:
        lines.append(f"{', '.join(writing)} is in progress and is left: when it has ended, the same command removes it")
    lines.append("files that were written for you, and approved answers in the library, are not touched")
    return lines


def _in_progress(run_id: str) -> UsageError:
    return UsageError(f"the run {run_id} is in progress: stop it, or wait for its end, then this again")


def _in_words(run: KnownRun) -> str:
    why = "has not ended" if run.is_open else f"is of the kind {run.kind}, and says what is published"
    return f"the run {run.run_id} {why}"


def _selection(wanted: Wanted) -> str:
    """The selection as options of the command line, without names of persons, files and conversations."""
    given = {
        "--run": ",".join(wanted.run_ids or ()),
        "--before": wanted.before.isoformat() if wanted.before else "",
        "--asked-by": "…" if wanted.asked_by is not None else "",
        "--questionnaire": "…" if wanted.source is not None else "",
        "--session": "…" if wanted.session is not None else "",
        "--corpus": wanted.corpus or "",
    }
    return " ".join(f"{option} {value}" for option, value in given.items() if value)
