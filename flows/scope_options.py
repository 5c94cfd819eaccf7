"""What `ask` and `answer` may be limited to, on the command line."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from tasks.errors import UsageError


def add_scope(parser: argparse.ArgumentParser) -> None:
    """The options of a scope."""
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
    """What the options limit. Raises UsageError for an empty one, as an unset variable of a shell gives it."""
    for name in ("since", "until"):
        if getattr(options, name) == "":
            raise UsageError(f"--{name} is empty: name a day, or leave it out")
    return {name: getattr(options, name) for name in ("files", "folders", "tags", "kinds", "since", "until")}


def tell_undated(summary: dict[str, Any]) -> None:
    """Warns of documents that a scope by days leaves out, since nobody knows theirs."""
    scope = summary["scope"]
    if scope and scope["undated"]:
        print(
            f"bidfolio: warning: nobody knows the day of {scope['undated']} documents, which are left out: the next "
            "refresh that changes something asks their folder for it",
            file=sys.stderr,
        )
