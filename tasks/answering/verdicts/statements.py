"""Statements of a yes/no question: the statement that a yes makes, and those of a no and of a partly.

An encoder that was trained on entailment and contradiction puts a passage nearer to the statement that it supports.
Which of these is nearest is evidence for a verdict. English only; a question of another form keeps its words.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from tasks.text.english import AUXILIARIES

_ASKED = re.compile(
    rf"^\W*(?P<verb>{AUXILIARIES})\s+(?P<rest>.+)$",
    re.IGNORECASE | re.DOTALL,
)
_YOU = re.compile(r"^you\b\s*", re.IGNORECASE)
_YOUR = re.compile(r"\byour\b", re.IGNORECASE)


class Statements(NamedTuple):
    """The statement of each verdict: ``yes``, ``no`` and, of a partly, with exceptions or as a plan."""

    yes: str
    no: str
    excepted: str
    planned: str


def statements_of(question: str) -> Statements:
    """The statements of ``question``: "Do you encrypt backups?" gives "We encrypt backups." and its denials."""
    yes, no = _pair(question.strip().rstrip("?. "))
    plain = yes.rstrip(".")
    return Statements(yes, no, f"{plain}, with exceptions.", f"We plan to, but not yet: {yes}")


def _pair(asked: str) -> tuple[str, str]:
    found = _ASKED.match(asked)
    if found is None:
        return f"{asked}.", f"It is not so that {asked}."
    verb, rest = found["verb"].lower(), _YOUR.sub("our", found["rest"])
    ours = _YOU.match(rest)
    if ours is None:
        return f"{rest}.", f"not {rest}."
    done = rest[ours.end() :]
    return f"We {'' if verb == 'do' else f'{verb} '}{done}.", f"We {verb} not {done}."
