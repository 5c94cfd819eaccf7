"""Options for the scope of `ask` and `answer` on the command line."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from tasks.errors import UsageError


def add_scope(parser: argparse.ArgumentParser) -> None:
    """Add the options of a scope."""
    for option, metavar, help_text in (
        ("--file", "PATTERN", "answer from documents of such names"),
        ("--folder", "FOLDER", "answer from what is in this folder, archive or mail"),
        ("--tag", "TAG", "answer from what the settings have under this tag"),
        ("--kind", "KIND", "of these, only documents of such a kind: pdf, docx, sheet, mail …"),
    ):
        name = f"{option.removeprefix('--')}s"
        parser.add_argument(option, action="append", dest=name, metavar=metavar, help=f"{help_text}; several add up")
    for option, side in (("--since", "or later"), ("--until", "or earlier")):
        parser.add_argument(option, metavar="YYYY-MM-DD", help=f"of these, only documents of that day {side}")


def scope_of(options: argparse.Namespace) -> dict[str, Any]:
    """The values of the scope options. Raises UsageError for an empty one, as an unset shell variable gives it."""
    for name in ("since", "until"):
        if getattr(options, name) == "":
            raise UsageError(f"--{name} is empty: name a day, or leave it out")
    return {name: getattr(options, name) for name in ("files", "folders", "tags", "kinds", "since", "until")}


def tell_undated(summary: dict[str, Any]) -> None:
    """Print a warning about documents that a scope by days leaves out, since their day is unknown."""
    scope = summary["scope"]
    if scope and scope["undated"]:
        print(
            f"bidfolio: warning: nobody knows the day of {scope['undated']} documents, which are left out: the next "
            "refresh that changes something asks their folder for it",
            file=sys.stderr,
        )
