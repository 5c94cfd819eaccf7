"""`bidfolio replay`, `trace`, `purge` and `gc` on the command line: use and delete records."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from flows.cli.options import Add, day
from flows.cli.output.printing import report

if TYPE_CHECKING:
    from configs.settings import Settings


def add_commands(add: Add) -> None:
    """Add the commands with their options."""
    replay = add("replay", _replay, "answer a recorded run once more, without a model server, and say what differs")
    replay.add_argument("run", metavar="RUN", help="its run_id, as --json and the table runs have it")

    trace = add("trace", _trace, "everything behind one answer: hits, attempts, checks, citations")
    trace.add_argument("answer", metavar="ANSWER_ID", help="its id, or as many of the first digits as tell it apart")

    purge = add("purge", _purge, "remove what is kept of runs, of a deleted document, or of a corpus")
    purge.add_argument("--run", action="append", dest="runs", metavar="RUN", help="this run; several add up")
    purge.add_argument("--before", type=day, metavar="YYYY-MM-DD", help="runs that began before this day, UTC")
    purge.add_argument("--asked-by", metavar="NAME", help="runs of this person")
    purge.add_argument(
        "--questionnaire",
        "--source",
        dest="source",
        metavar="FILE",
        help="runs over this questionnaire or gold set, by path or name",
    )
    purge.add_argument("--session", metavar="ID", help="this conversation, with the runs that answered in it")
    purge.add_argument(
        "--document",
        metavar="FILE",
        help="what is kept of this deleted document, by its path below the corpus; with --corpus, in that corpus alone",
    )
    purge.add_argument("--corpus", metavar="NAME", help="this corpus with its documents, indexes and runs")
    purge.add_argument("--dry-run", action="store_true", help="only say what would be removed")
    purge.add_argument("--yes", action="store_true", help="remove what is published, or says what is, as well")

    gc = add("gc", _gc, "remove what no version that is kept and no plan of today needs")
    gc.add_argument("--dry-run", action="store_true", help="only say what would be removed")
    gc.add_argument(
        "--days",
        type=int,
        default=30,
        help="a plan file that is gone counts while a run of so many days names it (default: 30)",
    )


def _replay(options: argparse.Namespace, settings: Settings) -> int:
    from flows.home.replay import replay, replay_lines

    summary = replay(options.run, settings)
    return report(options, summary, replay_lines(summary), int(bool(summary["differing"])))


def _trace(options: argparse.Namespace, settings: Settings) -> int:
    from flows.home.trace import trace_lines
    from tasks.answering.audit.trace import trace_answer

    found = trace_answer.fn(options.answer, settings)
    return report(options, found, trace_lines(found))


def _purge(options: argparse.Namespace, settings: Settings) -> int:
    from flows.home.purge import purge, purge_deleted, purge_lines
    from tasks.tidying.purge_selection import Wanted

    runs = tuple(options.runs) if options.runs else None
    wanted = Wanted(runs, options.before, options.asked_by, options.source, options.corpus, options.session)
    if options.document is not None:
        summary = purge_deleted(options.document, wanted, settings, dry_run=options.dry_run)
    else:
        summary = purge(wanted, settings, dry_run=options.dry_run, yes=options.yes)
    return report(options, summary, purge_lines(summary))


def _gc(options: argparse.Namespace, settings: Settings) -> int:
    from flows.home.garbage_collection import collect_garbage, removed_lines

    summary = collect_garbage(settings, options.days, dry_run=options.dry_run)
    return report(options, summary, removed_lines(summary))
