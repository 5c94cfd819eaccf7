"""`bidfolio review` and `bidfolio finish` on the command line: the desk, the report, decisions taken back, the file."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, Any

from flows.cli.options import Add
from flows.cli.output.printing import counted, report, tell_warnings

if TYPE_CHECKING:
    from configs.settings import Settings

RUN = "its run_id or the first characters of it, the path of its filled copy or evidence, or latest"
SHOWN_PROBLEMS = 20
PORT = 4220


def add_commands(add: Add) -> None:
    """Add both commands with their options."""
    review = add("review", _review, "approve, edit and reject the drafts of a run in the browser, with their pages")
    review.add_argument("run", metavar="RUN", help=RUN)
    review.add_argument("--port", type=int, help=f"the desk's port (default: {PORT}, or the next that is free)")
    review.add_argument(
        "--report", metavar="FILE", nargs="?", const="", help="write an HTML report that needs no server, and stop"
    )
    review.add_argument("--import", dest="workbook", metavar="FILE", help="take back an edited evidence workbook")
    review.add_argument("--reviewer", metavar="NAME", default="", help="who decided in it (default: the login)")
    review.add_argument(
        "--overwrite",
        action="store_true",
        help="take the workbook's decision where another person decided otherwise; replace a file that is no report",
    )

    finish = add("finish", _finish, "write the customer's file from what was approved")
    finish.add_argument("run", metavar="RUN", help=RUN)
    finish.add_argument("--out", metavar="FILE", default="", help="the file (default: NAME.final, beside the copy)")
    finish.add_argument("--partial", action="store_true", help="leave the cells of open answers empty")
    finish.add_argument(
        "--with-answered", action="store_true", help="send what was answered as drafted where nobody decided on it"
    )
    finish.add_argument("--overwrite", action="store_true", help="replace a file that is there")


def _review(options: argparse.Namespace, settings: Settings) -> int:
    from tasks.errors import UsageError

    if options.workbook is not None and options.report is not None:
        raise UsageError("--import and --report are two things: give one after the other")
    if options.workbook is not None:
        from flows.review import import_decisions

        summary = import_decisions(
            options.run, options.workbook, options.reviewer, settings, overwrite=options.overwrite
        )
        for problem in summary["problems"][:SHOWN_PROBLEMS]:
            print(f"bidfolio: not taken: {problem}", file=sys.stderr)
        if len(summary["problems"]) > SHOWN_PROBLEMS:
            print(f"bidfolio: and {len(summary['problems']) - SHOWN_PROBLEMS} more", file=sys.stderr)
        return report(options, summary, imported_lines(summary), int(bool(summary["problems"])))
    if options.report is not None:
        from flows.review import report_review

        summary = report_review(options.run, options.report, settings, overwrite=options.overwrite)
        unshown = f", {counted(summary['unshown'], 'quote')} without a picture" if summary["unshown"] else ""
        line = f"{counted(summary['questions'], 'answer')} with {counted(summary['pages'], 'page')}{unshown}"
        return report(options, summary, [f"{line} → {summary['report']}"])
    from flows.web.review_server import serve_desk

    return serve_desk(options.run, settings, options.port)


def _finish(options: argparse.Namespace, settings: Settings) -> int:
    from flows.review import finish

    summary = finish(
        options.run,
        options.out,
        settings,
        partial=options.partial,
        with_answered=options.with_answered,
        overwrite=options.overwrite,
    )
    tell_warnings(summary["warnings"])
    left = f", {summary['left_empty']} left empty" if summary["left_empty"] else ""
    lines = [f"{counted(summary['written'], 'answer')} written{left} → {summary['out']}"]
    if summary["response"]:
        lines.append(f"with its response document → {summary['response']}")
    if summary["learnt"]:
        lines.append(f"{counted(summary['learnt'], 'approved answer')} in the library, used from the next refresh on")
    return report(options, summary, lines)


def imported_lines(summary: dict[str, Any]) -> list[str]:
    """The lines for people about decisions that were taken back, and what is open."""
    words = {"approve": "approved", "edit": "edited", "reject": "rejected", "assign": "assigned", "comment": "remarks"}
    taken = ", ".join(f"{count} {words.get(action, action)}" for action, count in summary["taken"].items())
    lines = [f"taken: {taken or 'nothing new'}; {counted(summary['unchanged'], 'row')} as before"]
    if summary["missing"]:
        lines.append(f"{counted(summary['missing'], 'question')} of the run not in the workbook: left as they are")
    run = summary["run_id"]
    lines.append(
        f"{summary['open']} of {summary['questions']} open: bidfolio review {run}"
        if summary["open"]
        else f"all is settled: bidfolio finish {run}"
    )
    return lines
