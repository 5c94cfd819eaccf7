"""`bidfolio library` on the command line: its options and its output."""

from __future__ import annotations

import argparse
import shlex
from typing import TYPE_CHECKING, Any

from flows.cli.options import Add, adder, day
from flows.cli.output.printing import report

if TYPE_CHECKING:
    from configs.settings import Settings

SHOWN_CHARACTERS = 60


def add_commands(add: Add, common: argparse.ArgumentParser) -> None:
    """Add `library` with its actions and their options."""
    library = add("library", _list, "past answers that the company stands behind: take them over, list them")
    action = adder(library.add_subparsers(title="actions", metavar="ACTION"), common)

    words = "take over the answers of a completed questionnaire; drafts that nobody has approved stay out"
    read = action("import", _import, words)
    read.add_argument("file", metavar="FILE")
    read.add_argument("--overwrite", action="store_true", help="take it in the place of another of that name")
    read.add_argument(
        "--date",
        type=day,
        metavar="YYYY-MM-DD",
        help="the day that its answers are of, where the workbook's own or its file's is another",
    )

    shown = action("list", _list, "every approved answer, with its place")
    shown.add_argument("--corpus", help="of this corpus (default: of all)")

    stale = action(
        "stale", _stale, "approved answers whose page changed, whose document is gone, or whose term is over"
    )
    stale.add_argument("--corpus", help="of this corpus (default: of all)")

    removed = action("remove", _remove, "withdraw the answers of a file")
    removed.add_argument("file", metavar="NAME", help="the file's name, as `library list` shows it")
    for one in (read, removed):
        one.add_argument("--corpus", help="the corpus that they answer for (default: the only one)")


def imported_lines(summary: dict[str, Any]) -> list[str]:
    """The lines for people about an import: the answers that were imported and left out, and the next command."""
    again = ", in the place of those before" if summary["replaced"] else ""
    return [
        f"{summary['answers']} approved answers of {summary['file_name']} are in the library of "
        f"{summary['corpus']}{again}, of {summary['answered_on']}",
        *(f"left out: {count} {reason}" for reason, count in summary["left_out"].items()),
        _next(summary),
    ]


def listed_lines(rows: list[dict[str, Any]]) -> list[str]:
    """A line for each answer: its place, the question, and the answer."""
    if not rows:
        return ["no approved answers yet: bidfolio library import FILE"]
    return [
        f"{row['corpus']}  {_place(row)}  {_short(row['question'])} → "
        f"{_short(' '.join(filter(None, (row['verdict'], row['answer']))))}"
        for row in rows
    ]


def stale_lines(rows: list[dict[str, Any]]) -> list[str]:
    """The lines for people about stale answers: the place and the question of each, and below it what is wrong."""
    if not rows:
        return ["every approved answer still stands"]
    lines = []
    for row in rows:
        owner = f" (owner: {row['owner']})" if row["owner"] else ""
        lines.append(f"{row['corpus']}  {_place(row)}  {_short(row['question'])}{owner}")
        lines += [f"  {fault['told']}" for fault in row["faults"]]
    return lines


def _place(row: dict[str, Any]) -> str:
    sheet = f", sheet {row['sheet_name']}" if row["sheet_name"] else ""
    return f"{row['file_name']}{sheet}, row {row['row_number']}"


def _short(text: str) -> str:
    plain = " ".join(text.split())
    return plain if len(plain) <= SHOWN_CHARACTERS else f"{plain[: SHOWN_CHARACTERS - 1]}…"


def _next(summary: dict[str, Any]) -> str:
    corpus = "" if summary["corpus"] == "default" else f" --corpus {shlex.quote(summary['corpus'])}"
    source = shlex.quote(summary["source"]) if summary["source"] else "FOLDER"
    return f"the next refresh takes it in: bidfolio refresh {source}{corpus}"


def _import(options: argparse.Namespace, settings: Settings) -> int:
    from flows.library import import_library

    summary = import_library(options.file, options.corpus, settings, overwrite=options.overwrite, day=options.date)
    return report(options, summary, imported_lines(summary))


def _remove(options: argparse.Namespace, settings: Settings) -> int:
    from flows.library import remove_from_library

    summary = remove_from_library(options.file, options.corpus, settings)
    return report(options, summary, [f"{summary['removed']} answers are approved no more", _next(summary)])


def _list(options: argparse.Namespace, settings: Settings) -> int:
    from flows.library import list_library

    rows = list_library(getattr(options, "corpus", None), settings)
    return report(options, {"answers": rows}, listed_lines(rows))


def _stale(options: argparse.Namespace, settings: Settings) -> int:
    from flows.library import list_stale

    rows = list_stale(getattr(options, "corpus", None), settings)
    return report(options, {"stale": rows}, stale_lines(rows))
