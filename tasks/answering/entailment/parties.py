"""Who does it to whom: whether a claim has two parties exchanged that its source names, or another in the place of one.

"The customer tells Acme" has the words of "Acme tells the customer". Who acts is read off their order: the first of two
parties with a verb between, or the second behind "by" or "from".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import NamedTuple

from tasks.answering.entailment.facts import names_of, without_accents, words_of_claim
from tasks.answering.entailment.negation import pieces_of

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
_ACTS_BEHIND = re.compile(r"\b(?:by|from|por|pel[oa]s?)\s+(?:\w+\s+){0,2}$", re.IGNORECASE)
_ASIDE = re.compile(
    r"\b(?:in|at|for|of|with|within|on|under|through|via|between|among|about|per|upon|without|de|d[oa]s?|para|com|em)"
    r"\s+(?:\w+\s+){0,2}$",
    re.IGNORECASE,
)
"""What stands behind these neither does it nor has it done to them."""
MOST_WORDS_BETWEEN = 8
"""Two parties with more between them need not be those of one verb."""


class _Mention(NamedTuple):
    party: str
    start: int
    end: int


class _Deed(NamedTuple):
    """Who acts, on whom or towards whom, and the stems of the words between."""

    by: str
    to: str
    words: frozenset[str]


def exchanged(claim: str, source: Iterable[str], speakers: frozenset[str] = frozenset()) -> str:
    """What ``claim`` says of a party and each clause of its ``source`` with the same word says of another, in words;
    "" where there is no such thing, and of no source. ``speakers`` are the names, in lower case, of who says "we".
    """
    claimed = [deed for _, piece in pieces_of(claim) for deed in _deeds(piece, speakers)]
    if not claimed:
        return ""
    told = [deed for text in source for deed in _deeds(text, speakers)]
    named = {_kin(party) for deed in told for party in (deed.by, deed.to)}
    for deed in claimed:
        same = [other for other in told if other.words & deed.words]
        turned = [other for other in same if {other.by, other.to} == {deed.by, deed.to} or _is_reverse(other, deed)]
        if turned and all(other.by != deed.by for other in turned):
            return f"that “{deed.by}” is who does it"
        if _kin(deed.by) not in named and any(_kin(other.to) == _kin(deed.to) for other in same):
            return f"that “{deed.by}” is who does it"
        if _kin(deed.to) not in named and any(_kin(other.by) == _kin(deed.by) for other in same):
            return f"that it is done to “{deed.to}”"
    return ""


def roles_of(text: str, speakers: frozenset[str] = frozenset()) -> frozenset[str]:
    """The parties other than who says "we" that ``text`` names, one name for those that may stand for each other."""
    words = (re.sub(r"['’]s?$", "", without_accents(word.lower())) for word in _WORD.findall(text))
    named = (word for word in words if word not in speakers | _SPEAKER)
    singular = (re.sub(r"ies$", "y", word).removesuffix("s") for word in named if _ROLE.fullmatch(word))
    outside = frozenset(_OUTSIDE[word] for word in re.findall(r"[\w-]+", text.lower()) if word in _OUTSIDE)
    return (frozenset(map(_kin, singular)) | outside) - {"we"}


def _is_reverse(one: _Deed, other: _Deed) -> bool:
    return (_kin(one.by), _kin(one.to)) == (_kin(other.to), _kin(other.by)) and _kin(one.by) != _kin(one.to)


def _kin(party: str) -> str:
    """One name for those that may stand for each other: who answers, whom they answer, and who works for them."""
    if party in _CUSTOMERS:
        return "customer"
    if party in _STAFF:
        return "staff"
    return "we" if party in _OURSELVES or not _ROLE.fullmatch(party) else party


def _deeds(text: str, speakers: frozenset[str]) -> Iterator[_Deed]:
    for one, other in pairwise(_mentions(text, speakers)):
        between = text[one.end : other.start]
        words = words_of_claim(between)
        is_far = len(between.split()) > MOST_WORDS_BETWEEN
        if one.party == other.party or not words or is_far or _ASIDE.search(text[: one.start]):
            continue
        if _ACTS_BEHIND.search(between):
            yield _Deed(other.party, one.party, words)
        elif not _ASIDE.search(between):
            yield _Deed(one.party, other.party, words)


def _mentions(text: str, speakers: frozenset[str]) -> Iterator[_Mention]:
    names = names_of(f"x {text}")
    for found in _WORD.finditer(text):
        word = without_accents(found.group().lower())
        if re.search(r"['’]s?$", word) or text[found.end() : found.end() + 1] in ("'", "’"):
            continue  # "the customer's auditor" is no customer
        role = _ROLE.fullmatch(word)
        if word in _SPEAKER or word in speakers:
            yield _Mention("we", *found.span())
        elif role:
            yield _Mention(re.sub(r"ies$", "y", word).removesuffix("s"), *found.span())
        elif word in names and not found.group().islower() and len(word) > 1:
            yield _Mention(word, *found.span())
