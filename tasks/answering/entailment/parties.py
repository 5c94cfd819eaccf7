"""The parties that a text names: customer, staff, auditor and their like, one name for those that may stand for each
other.
"""

from __future__ import annotations

import re

from tasks.answering.entailment.facts import without_accents

_ROLE = re.compile(
    r"(?:customer|client|tenant|vendor|supplier|provider|processor|controller|sub-?processor|contractor|subcontractor"
    r"|auditor|assessor|regulator|authority|authorities|user|employee|staff|personnel|worker|colleague|manager|owner|officer|board|committee|team"
    r"|department|administrator|engineer|buyer|seller|licensor|licensee|lessor|lessee|insurer|partner|party|parties"
    r"|cliente|fornecedor|utilizador|titular|autoridade)(?:e?s)?",
)
_SPEAKER = frozenset(("we", "us"))
_OURSELVES = frozenset(("we", "vendor", "supplier", "provider", "processor", "fornecedor"))
_STAFF = frozenset(("staff", "employee", "engineer", "team", "personnel", "worker", "colleague"))
_CUSTOMERS = frozenset(("customer", "client", "tenant", "user", "cliente", "utilizador"))
_OUTSIDE = {"outside": "outside", "external": "outside", "in-house": "inside", "internal": "inside", "own": "inside"}
_OUTSIDE |= {word: word for word in ("third", "director", "executive", "ciso", "insurer", "prospects", "police")}
_WORD = re.compile(r"[^\W_]+(?:[-’'][^\W_]+)*")


def roles_of(text: str, speakers: frozenset[str] = frozenset()) -> frozenset[str]:
    """The parties other than who says "we" that ``text`` names, one name for those that may stand for each other."""
    words = (re.sub(r"['’]s?$", "", without_accents(word.lower())) for word in _WORD.findall(text))
    named = (word for word in words if word not in speakers | _SPEAKER)
    singular = (re.sub(r"ies$", "y", word).removesuffix("s") for word in named if _ROLE.fullmatch(word))
    outside = frozenset(_OUTSIDE[word] for word in re.findall(r"[\w-]+", text.lower()) if word in _OUTSIDE)
    return (frozenset(map(_kin, singular)) | outside) - {"we"}


def _kin(party: str) -> str:
    """One name for those that may stand for each other: who answers, whom they answer, and who works for them."""
    if party in _CUSTOMERS:
        return "customer"
    if party in _STAFF:
        return "staff"
    return "we" if party in _OURSELVES or not _ROLE.fullmatch(party) else party
