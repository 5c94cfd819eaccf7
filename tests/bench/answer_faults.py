"""Replies as a language model might give them, made from a passage by rule, and the same with a fault planted."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from tasks.text.characters import fold

SYNONYMS = {
    "kept": "retained",
    "held": "stored",
    "each": "every",
    "customers": "clients",
    "customer": "client",
    "staff": "employees",
    "employees": "staff",
    "must": "has to",
    "within": "in no more than",
    "carried out": "performed",
    "reviewed": "looked at again",
    "shown": "displayed",
    "yearly": "every year",
    "begins": "starts",
    "sent": "forwarded",
    "deleted": "erased",
    "given": "granted",
    "written": "drafted",
    "told": "informed",
    "asked": "requested",
    "provides": "offers",
    "ensure": "make sure",
    "help": "assist",
    "coverage": "cover",
    "require": "call for",
    "additional": "further",
    "receive": "get",
    "responsible": "in charge",
}
"""In the words of no list that the checks have: they know no synonyms."""
OTHER_UNITS = {
    "second": "minute",
    "minute": "hour",
    "hour": "day",
    "day": "week",
    "week": "month",
    "month": "year",
    "quarter": "month",
    "year": "month",
    "%": " points",
    "£": "$",
    "$": "£",
    "€": "£",
    "MB": "GB",
    "GB": "TB",
}
NAMES = ("Halberd", "Okta", "Lisbon", "Vantage", "Meridian", "Tokyo", "Kestrel", "Azure", "Toronto", "Quillon")
INVENTED = (
    "An independent laboratory confirms this every spring.",
    "The board signed this off at its last meeting.",
    "Exceptions are granted by the regional manager alone.",
    "Customers may inspect the records at any office.",
    "The same holds for all partners and resellers.",
    "This exceeds what the law requires.",
    "A separate team watches over it around the clock.",
    "Every employee is trained in it before the first working day.",
    "Records of it are archived on tape in a vault.",
    "It has never failed since the service was launched.",
    "Refunds are paid where it is not met.",
    "An external auditor found no fault with it.",
)
_AUXILIARY = re.compile(r"\b(is|are|was|were|will|can|must|may|has|have|should|does|do)\b(?! (?:not|no)\b)")
_NOT = re.compile(r"\b(?:not|never) ")
_NUMBER = re.compile(r"(?<![\w.,])\d+(?:[.,]\d+)*(?![\w]|[.,]\d)")
_NAME = re.compile(r"(?<=[a-z,;] )[A-Z][A-Za-z]{2,}\b")
_UNIT = re.compile(
    r"(?<=[\d\w][ -])(second|minute|hour|day|week|month|quarter|year)(?=s?\b)|(?<=\d)%|[£$€](?=\d)|\b[MG]B\b"
)
_WRITTEN_NUMBER = re.compile(r"\b(?:\d+|two|three|four|five|six|seven|eight|nine|ten|each|every|a|per)[ -]$")


@dataclass(frozen=True, slots=True)
class Source:
    """What a reply is made from: a sentence of the passage ``number`` (1-based) of ``count``, ``others`` those which do
    not hold it, and ``elsewhere`` a sentence of another document.
    """

    sentence: str
    number: int
    count: int
    others: tuple[int, ...]
    elsewhere: str | None


@dataclass(frozen=True, slots=True)
class Made:
    """A reply, and the part of it that is faulty; None where none is."""

    text: str
    cited: tuple[int, ...]
    fault: str | None = None


def plain(sentence: str) -> str:
    """A sentence or a row of a table as one would write it into an answer."""
    text = " ".join(re.sub(r"\s*\|\s*", ", ", re.sub(r"^(?:[-•*–]|\d+\.)\s+", "", sentence)).split())
    return text if text.endswith((".", "!")) else f"{text.rstrip(' ,;:')}."


def as_it_stands(text: str, chance: random.Random) -> str:
    """Word for word."""
    return text


def shortened(text: str, chance: random.Random) -> str:
    """Its first clauses, or all where there is but one that says anything."""
    parts = re.split(r"(?:, | and |; )(?=[^,;]{12,})", text.rstrip("."))
    cut = text[: len(", ".join(parts[:-1]))] if len(parts) > 1 else text
    first = text[: text.index(parts[-1])].rstrip(" ,;") if len(parts) > 1 else cut
    first = re.sub(r"\s+(?:and|or|but)$", "", first)
    return f"{first}." if len(first.split()) >= 5 and first.count("(") == first.count(")") else text


def reordered(text: str, chance: random.Random) -> str:
    """Its clauses the other way round."""
    found = re.match(r"^(?P<one>[^;]{15,}?)(?P<joint>, and |; | and , |, )(?P<other>[^;]{15,})\.$", text)
    if not found:
        return text
    one, other = found["one"], found["other"]
    return f"{other[0].upper()}{other[1:]}{found['joint']}{one[0].lower() if one[1:2].islower() else one[0]}{one[1:]}."


def reworded(text: str, chance: random.Random) -> str:
    """Up to two words exchanged for others of the same meaning."""
    found = [word for word in SYNONYMS if re.search(rf"\b{word}\b", text)]
    for word in chance.sample(found, min(2, len(found))):
        text = re.sub(rf"\b{word}\b", SYNONYMS[word], text, count=1)
    return text


WAYS: Mapping[str, Callable[[str, random.Random], str]] = {
    "word for word": as_it_stands,
    "shortened": shortened,
    "reordered": reordered,
    "reworded": reworded,
}


def faulty(kind: str, text: str, source: Source, chance: random.Random) -> Made | None:
    """The reply ``text`` with a fault of that kind; None where it has nothing that the fault could be about."""
    if kind == "wrong passage cited":
        return Made(text, (chance.choice(source.others),), text) if source.others else None
    if kind == "sentence of another document":
        added = source.elsewhere
    elif kind == "invented sentence":
        added = chance.choice(INVENTED)
    else:
        changed = CHANGES[kind](text, chance)
        is_other = changed is not None and fold(changed) not in fold(source.sentence)
        return Made(changed, (source.number,), changed) if changed is not None and is_other else None
    return Made(f"{text} {added}", (source.number,), added) if added else None


def _other_number(text: str, chance: random.Random) -> str | None:
    found = list(_NUMBER.finditer(text))
    if not found:
        return None
    match = chance.choice(found)
    whole = re.match(r"\d+", match.group())
    assert whole is not None
    value = int(whole.group())
    other = chance.choice([value + 1, value * 2 + 1, max(value - 1, 0) if value > 1 else value + 5, value + 10])
    return f"{text[: match.start()]}{other}{match.group()[whole.end() :]}{text[match.end() :]}"


def _other_name(text: str, chance: random.Random) -> str | None:
    found = list(_NAME.finditer(text))
    if not found:
        return None
    match = chance.choice(found)
    other = chance.choice([name for name in NAMES if name not in text])
    return f"{text[: match.start()]}{other}{text[match.end() :]}"


def _other_unit(text: str, chance: random.Random) -> str | None:
    found = [
        match
        for match in _UNIT.finditer(text)
        if not match.group().isalpha()
        or match.group().isupper()
        or (match.group() != "second" and _WRITTEN_NUMBER.search(text[: match.start()]))
    ]
    if not found:
        return None
    match = chance.choice(found)
    return f"{text[: match.start()]}{OTHER_UNITS[match.group()]}{text[match.end() :]}"


def _denied(text: str, chance: random.Random) -> str | None:
    if denial := _NOT.search(text):
        return f"{text[: denial.start()]}{text[denial.end() :]}"
    found = _AUXILIARY.search(text)
    return f"{text[: found.end()]} not{text[found.end() :]}" if found else None


CHANGES: Mapping[str, Callable[[str, random.Random], str | None]] = {
    "another number": _other_number,
    "another name": _other_name,
    "another unit": _other_unit,
    "denied": _denied,
}
FAULTS = ("wrong passage cited", *CHANGES, "sentence of another document", "invented sentence")


def sources_of(sentences: Sequence[str]) -> list[str]:
    """Those long enough to be answers, and no headings or questions."""
    return [text for text in sentences if 40 <= len(text) <= 400 and len(text.split()) >= 7 and not text.endswith("?")]
