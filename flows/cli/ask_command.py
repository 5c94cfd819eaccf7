"""`bidfolio ask` on the command line: its options, and its output for people."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from flows.cli.options import scope_of, tell_undated

if TYPE_CHECKING:
    from configs.settings import Settings

UNCHECKED = "A draft, not checked yet:"
CHECKED = "Checked: that draft is the answer."
WITHDRAWN = "Checked: that draft does not stand. Do not use it; what is said instead:"


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options for the question and its conversation."""
    parser.add_argument("question", metavar="QUESTION", nargs="?")
    parser.add_argument(
        "--session",
        metavar="ID",
        help="go on with the conversation of that name, or begin it; without a QUESTION: show it",
    )


def ask(options: argparse.Namespace, settings: Settings) -> tuple[dict[str, Any], Sequence[str]]:
    """Answer the question; returns the answer and the lines that are left to print.

    On a terminal, streamed text is printed already. Without a question, the conversation so far.
    """
    from flows.ask import Asking, Desk
    from tasks.chat.task import read_session
    from tasks.errors import UsageError
    from tasks.retrieval.queries.scope import Scope

    if options.question is None:
        if options.session is None:
            raise UsageError('no question: bidfolio ask "QUESTION"')
        turns = read_session.fn(options.session, settings)
        shown = {"session": options.session, "turns": [turn._asdict() for turn in turns]}
        lines = [line for turn in turns for line in (f"> {turn.question}", turn.answer or "No answer.")]
        return shown, lines or [f"Nothing has been asked in the conversation {options.session!r} yet."]
    terminal = Terminal()
    try:
        asking = Asking(
            options.question,
            options.plan,
            options.generator or "as the plan says",
            options.corpus,
            Scope.of(**scope_of(options)),
            options.session,
        )
        # Unchecked text is for people only: a script would take it for the answer.
        is_shown = sys.stdout.isatty() and not getattr(options, "json", False)
        said = Desk(settings).ask(asking, terminal.write if is_shown else None)
    finally:
        written = terminal.close()  # an error's message begins a line of its own
    tell_undated(said)
    return said, lines_of(said, written)


class Terminal:
    """Shows a draft on the terminal while it is streamed."""

    def __init__(self) -> None:
        self._written = ""

    def write(self, text: str) -> None:
        """Show the next piece."""
        if not self._written:
            sys.stdout.write(UNCHECKED + "\n")
        self._written += text
        sys.stdout.write(text)
        sys.stdout.flush()

    def close(self) -> str:
        """End the line and return all text that was shown; "" without any."""
        if self._written:
            print(flush=True)
        return self._written


def lines_of(said: dict[str, Any], shown: str = "") -> list[str]:
    """The lines for people about an answer; after a draft that was ``shown`` already,
    the first tells if it is withdrawn.
    """
    from tasks.answering.decision.decline_advice import no_answer
    from tasks.chat.messages import NEAREST_QUOTE, ended, standing

    stands = bool(said["answer"]) and shown.strip() == said["answer"].strip()
    lines = [CHECKED if stands else WITHDRAWN] * bool(shown.strip())
    if not stands:
        lines += [said["answer"]] if said["answer"] else no_answer(said["detail"])
    if said["citations"] and not said["answer"]:
        lines.append(NEAREST_QUOTE)
    lines += [f"  “{cited['quote']}” [{cited['place']}]" for cited in said["citations"]]
    if said["answer"]:
        lines.append(standing(said))
    if said["status"] == "needs_review":
        lines.append(f"For a person to review: {ended(said['detail'])}")
    elif said["answer"] and said["detail"]:
        lines.append(f"Note: {ended(said['detail'])}")
    lines += [f"Ran with {deviation}." for deviation in said["deviations"]]
    if said["asked_as"] != said["question"]:
        lines.append(f"Understood as: {said['asked_as']}")
    return lines
