"""How many follow-ups of a conversation are answered as the questions that they stand for, and how many others suffer.

Run: .venv/bin/python -m tests.bench.conversations HOME [--set NAME …] [--show]

NAME is ``demo``, which is for measuring only, or a company of ``tests/data/companies`` that has
``conversations.jsonl``. Each turn is put to the desk that serves ``ask --session``, and its stand-alone form to the
same desk without a session. A follow-up is answered as that form where both quote overlapping places, with the same
status and the same verdict. A question that leans on nothing is made worse where it loses its place or falls to a lower
status. Intervals are Wilson's at 95%. The sessions are deleted in the end; the audit log below HOME grows.
"""

from __future__ import annotations

import argparse
import json
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any, NamedTuple
from uuid import uuid4

from configs.settings import load_settings
from flows.ask import Asking, Desk
from tasks.chat.sessions import FOLDER
from tasks.statistics.estimates import mean
from tests.bench.fit_verdicts import is_quoted
from tests.bench.verdict_sets import DATA
from tests.bench.verdicts import share

STATUSES = ("failed", "declined", "needs_review", "answered")
Said = Mapping[str, Any]


class Compared(NamedTuple):
    """A turn of a set, what was said to it in its conversation and to its stand-alone form; ``seconds`` of the first.

    ``by_itself`` is what is said to the turn's own words without a conversation, where it leans on nothing.
    """

    turn: Mapping[str, Any]
    in_conversation: Said
    alone: Said
    by_itself: Said | None
    seconds: float
    seconds_alone: float

    @property
    def is_same_place(self) -> bool:
        """The follow-up quotes a place that its stand-alone form quotes, too."""
        return overlap(self.in_conversation, self.alone)

    @property
    def is_same(self) -> bool:
        """Place, status and verdict are those of the stand-alone form."""
        fields = ("status", "verdict", "proposed_verdict")
        return self.is_same_place and all(self.in_conversation[one] == self.alone[one] for one in fields)

    @property
    def is_worse(self) -> bool:
        """A question that leans on nothing lost its place, or has a lower status than by itself."""
        if self.by_itself is None:
            return False
        falls = STATUSES.index(self.in_conversation["status"]) < STATUSES.index(self.by_itself["status"])
        return falls or (is_right(self.turn, self.by_itself) and not is_right(self.turn, self.in_conversation))


def overlap(one: Said, other: Said) -> bool:
    """Both answer, and a quote of each lies over one of the other."""
    return bool(one["answer"] and other["answer"]) and any(
        a["document_id"] == b["document_id"] and a["start"] < b["end"] and b["start"] < a["end"]
        for a in one["citations"]
        for b in other["citations"]
    )


def is_right(turn: Mapping[str, Any], said: Said) -> bool:
    """An answer that quotes the turn's own place."""
    quoted = (cited["quote"] for cited in said["citations"] if cited["file_name"] == turn["file"])
    return bool(said["answer"]) and any(is_quoted(quote, [turn["quote"]]) for quote in quoted)


def is_of_document(turn: Mapping[str, Any], said: Said) -> bool:
    """An answer that quotes the turn's own document."""
    return bool(said["answer"]) and any(cited["file_name"] == turn["file"] for cited in said["citations"])


def conversations_of(name: str) -> list[dict[str, Any]]:
    """The conversations of that set."""
    folder = DATA / "demo" if name == "demo" else DATA / "companies" / name
    return [json.loads(line) for line in (folder / "conversations.jsonl").read_text(encoding="utf-8").splitlines()]


def compared(name: str, home: str) -> Iterator[Compared]:
    """Each turn of the set but those that begin a conversation."""
    desk = Desk(load_settings(home=home))
    session = f"bench-{uuid4().hex}"

    def timed(question: str, session: str | None = None) -> tuple[Said, float]:
        begin = perf_counter()
        return desk.ask(Asking(question, corpus=name, session=session)), perf_counter() - begin

    timed("Is anybody there?")
    for at, one in enumerate(conversations_of(name)):
        for number, turn in enumerate(one["turns"]):
            said, seconds = timed(turn["question"], f"{session}-{at}")
            if number:
                alone, seconds_alone = timed(turn["stand_alone"])
                by_itself = None if turn["leans"] else timed(turn["question"])[0]
                yield Compared(turn, said, alone, by_itself, seconds, seconds_alone)
        shutil.rmtree(Path(home, FOLDER, f"{session}-{at}"), ignore_errors=True)


def report(name: str, home: str, *, shows: bool) -> None:
    """Prints the figures of one set, and with ``shows`` what is not as its stand-alone form."""
    turns = list(compared(name, home))
    leaning, others = ([one for one in turns if one.turn["leans"] is leans] for leans in (True, False))
    print(f"{name}: {len(leaning)} follow-ups that lean, {len(others)} that do not")
    kinds: Sequence[tuple[str, Callable[[Compared], bool]]] = (
        ("answered from the right place", lambda one: is_right(one.turn, one.alone)),
        ("answered from the right document", lambda one: is_of_document(one.turn, one.alone)),
        ("answered at all", lambda one: bool(one.alone["answer"])),
    )
    for title, counts in kinds:
        for kind, some in (("leaning", leaning), ("all", turns)):
            of = [one for one in some if counts(one)]
            print(
                f"  {kind}, stand-alone form {title}: same place {share(mean([one.is_same_place for one in of]))}; "
                f"same place, status and verdict {share(mean([one.is_same for one in of]))}"
            )
    print(
        f"  right place, all: stand-alone {share(mean([is_right(one.turn, one.alone) for one in turns]))}, "
        f"in conversation {share(mean([is_right(one.turn, one.in_conversation) for one in turns]))}"
    )
    changed = sum(
        one.by_itself is not None and one.in_conversation["asked_as"] != one.turn["question"] for one in turns
    )
    print(f"  stand-alone questions made worse: {sum(one.is_worse for one in others)}, asked otherwise: {changed}")
    took, took_alone = median(one.seconds for one in turns), median(one.seconds_alone for one in turns)
    print(f"  median seconds: {took:.2f} in conversation, {took_alone:.2f} alone")
    for one in turns if shows else ():
        if one.is_worse or (one.turn["leans"] and not one.is_same):
            print(f"    {one.turn['question']} | {one.turn['stand_alone']} | {one.in_conversation['asked_as']}")
            for kind, said in (("in conversation", one.in_conversation), ("alone", one.alone)):
                quote = next((cited["quote"] for cited in said["citations"]), "")[:90]
                print(f"      {kind}: {said['status']} {said['proposed_verdict']} {is_right(one.turn, said)} {quote!r}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("home")
    parser.add_argument("--set", nargs="+", dest="sets", default=["demo"])
    parser.add_argument("--show", action="store_true")
    options = parser.parse_args()
    for each in options.sets:
        report(each, options.home, shows=options.show)
