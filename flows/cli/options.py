"""Options that several commands share: the scope of `ask` and `answer`, and days."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from datetime import date
from typing import TYPE_CHECKING, Any

from tasks.errors import UsageError

if TYPE_CHECKING:
    from configs.settings import Settings

Command = Callable[[argparse.Namespace, "Settings"], int]
Add = Callable[[str, Command, str], argparse.ArgumentParser]
"""Function that adds a command: its name, the function that runs it, and its line in the help."""


def adder(commands: argparse._SubParsersAction[argparse.ArgumentParser], common: argparse.ArgumentParser) -> Add:
    """The function that adds commands, or the actions of one, each with the options in ``common``."""

    def add(name: str, command: Command, help_text: str) -> argparse.ArgumentParser:
        added = commands.add_parser(name, parents=[common], help=help_text, description=help_text)
        added.set_defaults(command=command)
        return added

    return add


def day(text: str) -> date:
    """Parse the date of an option. Raises ArgumentTypeError for another form."""
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{text!r} is no day: write it as YYYY-MM-DD") from error


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
