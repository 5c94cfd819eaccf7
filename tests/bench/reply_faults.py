"""Faults planted by rule into a right reply, one function a kind; each gives the faulty text, None where it has nothing
that the fault could be about. Chance is given, so that the same reply gets the same fault.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping, Sequence

from tests.bench.answer_faults import CHANGES, INVENTED

Plant = Callable[[str, str, random.Random], str | None]
"""Gives the faulty text of a reply, from it and the passages that it cites."""

_SIBLINGS = (
    ("Core", "Plus", "Enterprise"),
    ("Leeds", "Gdańsk", "Halifax"),
    ("London", "Dublin", "Montréal"),
    ("SOC 2 Type II", "SOC 2 Type I"),
    ("ISO/IEC 27001", "ISO/IEC 27701"),
    ("ISO 22301", "ISO 9001"),
    ("TLS 1.2", "TLS 1.1"),
    ("AES-256-GCM", "AES-128-CBC"),
    ("English", "French", "Polish", "Welsh"),
    ("development", "staging", "production"),
    ("S1", "S2", "S3"),
    ("CycloneDX", "SPDX"),
    ("Smart Sort", "Borough One"),
    ("retention", "redaction"),
    ("backups", "logs"),
    ("backup", "log"),
    ("January", "February", "April", "May", "June", "October"),
    ("critical", "high", "medium"),
    ("by e-mail", "by post", "by telephone"),
    ("the status page", "the customer portal"),
    ("API", "SFTP"),
    ("turnover", "profit"),
    ("laptops", "servers"),
)
"""Names and things of which a careless reader takes one for another."""
_PARTIES = (
    ("customers", "sub-processors"),
    ("Customers", "Sub-processors"),
    ("the customer", "Corvane"),
    ("The customer", "Corvane"),
    ("customer", "supplier"),
    ("the CISO", "the Chief Executive"),
    ("The CISO", "The Chief Executive"),
    ("CISO", "Chief Executive"),
    ("Chief Executive", "CISO"),
    ("Tenant Administrator", "Queue Manager"),
    ("Records Officer", "Tenant Administrator"),
    ("Security Administrators", "Auditors"),
    ("the board", "the auditor"),
    ("The board", "The auditor"),
    ("security team", "support team"),
    ("an outside firm", "our own team"),
    ("An outside firm", "Our own team"),
    ("outside", "in-house"),
    ("regulators", "insurers"),
    ("administrators", "customers"),
    ("support engineer", "sub-contractor"),
    ("cloud provider", "customer"),
    ("auditor", "insurer"),
    ("we", "customers"),
    ("We", "Customers"),
    ("Corvane", "the customer"),
)
_DONE = (
    (r"\bplans? to (\w+)", r"\1s"),
    (r"\b(?:is|are) planned to be\b", "is"),
    (r"\b(?:is|are) planned\b", "is in place"),
    (r"\bplanned\b", "finished"),
    (r"\b(?:aims?|intends?|hopes?|expects?) to (\w+)", r"\1s"),
    (r"\bis due by\b", "was completed by"),
    (r"\bis due\b", "was completed"),
    (r"\bno date\b", "a date"),
    (r"\bnot so far\b", "again"),
    (r"\bThe aim for\b", "The result of"),
    (r"\btarget\b", "guarantee"),
    (r"\bobjective\b", "guarantee"),
    (r"\bshould\b", "does"),
    (r"\bmay\b(?! 20)", "must"),
    (r"\bcan\b(?! ?not)", "must"),
    (r"\bestimated\b", "measured"),
    (r"\bestimate\b", "measurement"),
)
"""Plans, aims and options told as done or as duties."""
_SCOPES = (
    (r"\bonly\b", "also"),
    (r"\bOnly\b", "Not only"),
    (r"\ball\b", "some"),
    (r"\b[Ee]ach\b", "some"),
    (r"\bat most\b", "at least"),
    (r"\bat least\b", "at most"),
    (r"\bup to\b", "at least"),
    (r"\bwithin\b", "after"),
    (r"\bbefore\b", "after"),
    (r"\bafter\b", "before"),
    (r"\balways\b", "sometimes"),
    (r"\bsome\b", "all"),
    (r"\bexcept\b", "even"),
    (r"\bhigher\b", "lower"),
    (r"\bautomatically\b", "manually"),
    (r"\bon request\b", "without request"),
    (r"\bunder NDA\b", "without NDA"),
    (r"\bat no charge\b", "for a fee"),
    (r"\bfree\b", "charged"),
)


def _sibling(text: str, passages: str, chance: random.Random) -> str | None:
    found = [
        (one, other)
        for group in _SIBLINGS
        for one in group
        for other in group
        if one != other and re.search(rf"(?<!\w){re.escape(one)}(?!\w)", text) and other not in text
    ]
    known = [(one, other) for one, other in found if other in passages]
    if not found:
        return None
    one, other = chance.choice(known or found)
    return re.sub(rf"(?<!\w){re.escape(one)}(?!\w)", other, text, count=1)


def _party(text: str, passages: str, chance: random.Random) -> str | None:
    found = [
        (one, other)
        for one, other in _PARTIES
        if re.search(rf"(?<![\w-]){one}(?![\w'’-])", text) and other.lower() not in text.lower()
    ]
    if not found:
        return None
    one, other = chance.choice(found)
    return re.sub(rf"(?<![\w-]){one}(?![\w'’-])", other, text, count=1)


def _by(rules: Sequence[tuple[str, str]]) -> Plant:
    def plant(text: str, passages: str, chance: random.Random) -> str | None:
        found = [(one, other) for one, other in rules if re.search(one, text)]
        if not found:
            return None
        one, other = chance.choice(found)
        return re.sub(one, other, text, count=1)

    return plant


def _figure_of_the_passages(text: str, passages: str, chance: random.Random) -> str | None:
    """Another figure that stands in what is cited: whoever only looks whether it stands there finds it."""
    number = re.compile(r"(?<![\w.,:/-])\d+(?:[.,]\d+)*(?![\w:/-]|[.,]\d)")
    said = list(number.finditer(text))
    others = sorted({found.group() for found in number.finditer(passages)} - {found.group() for found in said})
    if not said or not others:
        return None
    match = chance.choice(said)
    return f"{text[: match.start()]}{chance.choice(others)}{text[match.end() :]}"


def _without_passages(change: Callable[[str, random.Random], str | None]) -> Plant:
    return lambda text, passages, chance: change(text, chance)


def _invented(text: str, passages: str, chance: random.Random) -> str | None:
    return f"{text} {chance.choice(INVENTED)}"


FAULTS: Mapping[str, Plant] = {
    "changed figure": _without_passages(CHANGES["another number"]),
    "figure of the passages": _figure_of_the_passages,
    "changed unit": _without_passages(CHANGES["another unit"]),
    "negation": _without_passages(CHANGES["denied"]),
    "swapped party": _party,
    "other name": _without_passages(CHANGES["another name"]),
    "other entity": _sibling,
    "plan told as done": _by(_DONE),
    "scope": _by(_SCOPES),
    "invented fact": _invented,
}
