"""Figures with their units, and names: facts that stay the same in any wording of a sentence.

"99,9 %" and "99.9 per cent" are one figure, as are "thirty-five days" and "35-day", or "£5m" and "5 million pounds";
"30 days" and "30 minutes" are two. A name is what is written with capitals in mid-sentence, or with figures in it.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from decimal import Decimal
from functools import lru_cache
from typing import NamedTuple

from tasks.text.english import BELOW_TWENTY, MONTHS, NUMBER_WORDS, TENS
from tasks.text.search_terms import terms
from tasks.text.stemmed_words import STOP_WORDS, reducer, without_accents, without_notes
from tasks.text.word_stems import stems_of

_STEM = reducer("english")
_CACHED_TEXTS = 65_536
"""The number of texts to cache: the same passages are handed over for question after question."""
_SPELLED = re.compile(
    rf"\b(?:({'|'.join(TENS)})[- ]({'|'.join(BELOW_TWENTY[1:10])})|({'|'.join(NUMBER_WORDS)}))\b",
    re.IGNORECASE,
)
_MONTH = re.compile(rf"\b(?:{'|'.join(month for month in MONTHS if month != 'May')}|(?<=\d )May|May(?= \d))\b")
_MONTH_SHORT = re.compile(r"\b(Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)\b\.?(?=\s+\d)")
_ISO_DATE = re.compile(r"\b((?:19|20)\d\d)-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])\b")
_ORDINAL = re.compile(r"\b(\d{1,2})(?:st|nd|rd|th)\b", re.IGNORECASE)
_UNITS = {
    "percent": "%|per ?cents?|percent(?:age)?|pct",
    "workday": r"(?:working|business|work)[ -]days?|workdays?",
    "workhour": r"(?:working|business|office|support)[ -]hours?",
    "second": "seconds?|secs?|s",
    "minute": "minutes?|mins?|min",
    "hour": "hours?|hrs?|h|hourly",
    "day": "days?|daily",
    "week": "weeks?|weekly|wks?",
    "month": "months?|monthly",
    "quarter": "quarters?|quarterly",
    "year": "years?|yrs?|yearly|annual(?:ly)?",
    "kb": "kb|kib|kilobytes?",
    "mb": "mb|mib|megabytes?",
    "gb": "gb|gib|gigabytes?",
    "tb": "tb|tib|terabytes?",
    "bit": "bits?",
    "gbp": "gbp|pounds?(?: sterling)?",
    "eur": "eur|euros?",
    "usd": "usd|(?:us )?dollars?",
    "km": "km|kilomet(?:re|er)s?",
    "mile": "miles?",
    "tonne": "tonnes?|tons?",
    "kwh": "kwh|kilowatt[ -]hours?",
    "mwh": "mwh|megawatt[ -]hours?",
    "gwh": "gwh|gigawatt[ -]hours?",
    "kw": "kw|kilowatts?",
    "mw": "mw|megawatts?",
    "gw": "gw|gigawatts?",
}
_SHOWN_UNITS = {
    "workday": "working day",
    "workhour": "working hour",
    "gbp": "pound",
    "eur": "euro",
    "usd": "dollar",
    "km": "km",
}
_NEVER_MANY = frozenset("kb mb gb tb km kw mw gw kwh mwh gwh".split())
_CURRENCIES = {"£": "gbp", "€": "eur", "$": "usd"}
_SIGNS = {code.upper(): sign for sign, code in _CURRENCIES.items()}
_NUMBER = r"(?:\d{1,3}(?:[,\u00a0\u2009\u202f ]\d{3})+(?:\.\d+)?(?!\d)|\d+(?:[.,]\d+)*)"
_BILLION = "(?-i:(?<=\\d)B)"
"""The letter for billions, with nothing before it: "$3.3B", and not the "3 b" of a list."""
_AMOUNT = rf"{_NUMBER}(?:\s?(?:million|billion|thousand|bn|mn|m|k|{_BILLION})\b)?"
_CODED = re.compile(rf"\b(EUR|USD|GBP)\s?({_AMOUNT})|(?<!\w)({_AMOUNT})\s?(EUR|USD|GBP)\b", re.IGNORECASE)
_MAGNITUDES = {"k": 10**3, "thousand": 10**3, "m": 10**6, "mn": 10**6, "million": 10**6}
_MAGNITUDES |= dict.fromkeys(("b", "bn", "billion"), 10**9)
_FIGURE = re.compile(
    r"(?P<currency>[£€$]\s?)?(?<![A-UW-Za-uw-z])"
    rf"(?P<number>{_NUMBER})"
    rf"(?:\s?(?P<magnitude>million|billion|thousand|bn|mn|m(?=\b(?!\w))|k|{_BILLION})\b)?"
    r"(?:[\s-]*(?:(?:calendar|full|consecutive|clock) )?(?P<unit>"
    + "|".join(f"(?:{form})" for form in _UNITS.values())
    + r")(?![\w]))?",
    re.IGNORECASE,
)
_CLOCK = re.compile(r"(?<![\d:])([01]?\d|2[0-3]):([0-5]\d)(?![\d:])")
_UNIT_FORMS = {unit: re.compile(rf"(?<!\w)(?:{form})(?!\w)", re.IGNORECASE) for unit, form in _UNITS.items()}
_RANGE = re.compile(r"^\s*(?:–|—|-|to|and|or)\s*$")
_PERIODS = {
    _STEM(form): unit
    for unit, forms in {
        "hour": "hour hourly",
        "day": "day daily",
        "week": "week weekly",
        "month": "month monthly",
        "quarter": "quarter quarterly",
        "year": "year yearly annual annually",
        "fortnight": "fortnight fortnightly",
    }.items()
    for form in forms.split()
}
_TOKEN = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_ORDINARY_ENDING = re.compile(
    r"(?:ly|ing|ed|tion|tions|ment|ments|ers|ness|ance|ences?|ity|ities|able|ible|ees|age|als)$"
)

_PREFIXES = frozenset("non pre post anti multi sub co re un semi inter".split())
_COUNTING = frozenset(
    terms(
        f"{' '.join(NUMBER_WORDS)} hundred thousand million billion second minute percent percentage cent",
        stop_words="none",
    )
)


class Figure(NamedTuple):
    """A number and its unit; "" where no known unit stands with it."""

    value: Decimal
    unit: str

    def __str__(self) -> str:
        """The figure as a person writes it: "72 hours", "08:00", "84%"."""
        if self.unit == "clock":
            return f"{int(self.value) // 60:02}:{int(self.value) % 60:02}"
        shown = f"{self.value.normalize():f}"
        if self.unit == "percent":
            return f"{shown}%"
        unit = _SHOWN_UNITS.get(self.unit, self.unit)
        if unit in _NEVER_MANY:
            return f"{shown} {unit.upper() if unit != 'km' else unit}"
        return f"{shown} {unit}{'' if self.value == 1 or not unit else 's'}".strip()

    @property
    def told(self) -> str:
        """The figure with its kind, for a sentence."""
        return f"the time {self}" if self.unit == "clock" else str(self) if self.unit else f"the figure {self}"


_DAYS = {"second": 1 / 86_400, "minute": 1 / 1_440, "hour": 1 / 24, "day": 1, "week": 7}
_DAYS |= {"fortnight": 14, "month": 30.44, "quarter": 91.3, "year": 365.25}
SAME_SPAN = 1.05
"""The ratio within which two spans in different units are the same: 12 months, one year, 360 days."""


def span_days(figure: Figure) -> float:
    """The days that a span of time lasts; 0 for a figure of anything else, working days too."""
    return float(figure.value) * _DAYS.get(figure.unit, 0.0)


@lru_cache(maxsize=_CACHED_TEXTS)
def figures_of(text: str) -> frozenset[Figure]:
    """The figures of ``text``, days and years of dates among them; none in text without."""
    plain = _ORDINAL.sub(r"\1", _spelled_alike(unicodedata.normalize("NFKC", without_notes(text))))
    spelled = _SPELLED.sub(_as_digits, plain)
    times = {Figure(Decimal(60 * int(hours) + int(minutes)), "clock") for hours, minutes in _CLOCK.findall(spelled)}
    plain = _CLOCK.sub(" ", spelled)
    found = list(_FIGURE.finditer(plain))
    units = [_unit_of(match) for match in found]
    # "between 5 and 30 days": the unit is that of both.
    for at in range(len(found) - 2, -1, -1):
        if not units[at] and units[at + 1] and _RANGE.match(plain[found[at].end() : found[at + 1].start()]):
            units[at] = units[at + 1]
    values = (_number(match["number"]) * _MAGNITUDES.get((match["magnitude"] or "").lower(), 1) for match in found)
    return frozenset(map(Figure, values, units)) | times


def units_of(text: str) -> frozenset[str]:
    """The units that ``text`` names, with a figure or without; none where it names none."""
    return frozenset(unit for unit, form in _UNIT_FORMS.items() if form.search(text))


def periods_of(text: str) -> frozenset[str]:
    """The spans of time that ``text`` counts by, "year" for "annually"; none where it has none."""
    return frozenset(_PERIODS[stem] for word in _TOKEN.findall(text.lower()) if (stem := _STEM(word)) in _PERIODS)


def names_of(text: str, ordinary: frozenset[str] = frozenset()) -> frozenset[str]:
    """The names of ``text`` in lower case, words of months among them; text without gives none.

    The first word of a sentence has its capital from there: it is a name where it has others, and where it is neither
    among the ``ordinary`` stems nor looks like a word of every day.
    """
    plain = _spelled_alike(unicodedata.normalize("NFKC", without_notes(text)))
    return frozenset(_names(plain, ordinary)) | months_of(plain)


def months_of(text: str) -> frozenset[str]:
    """The months that ``text`` names, in lower case; none in text without a date."""
    return frozenset(found.group().lower() for found in _MONTH.finditer(_spelled_alike(text)))


@lru_cache(maxsize=_CACHED_TEXTS)
def words_of_claim(text: str) -> frozenset[str]:
    """The stems of what ``text`` says besides figures and spans of time; text of stop words gives none."""
    return frozenset(
        stem
        for stem in stems_of(_MONTH.sub(" ", _spelled_alike(text)))
        if not stem[0].isdigit() and stem not in _PERIODS and stem not in _COUNTING
    )


def _names(text: str, ordinary: frozenset[str]) -> Iterator[str]:
    for found in _TOKEN.finditer(text):
        word = found.group()
        low = word.lower()
        if word.islower() or word.isdigit() or low in NUMBER_WORDS:
            continue
        if word[0].isdigit():
            # "5m" and "35th" are figures.
            if re.fullmatch(r"\d+(?:st|nd|rd|th|[a-z]{1,2})", low):
                continue
        elif word[1:].islower() or len(word) == 1:
            if low in STOP_WORDS["english"] or low in ("yes", "no", "not"):
                continue
            # The costly question last: it reads all of the text before the word.
            is_ordinary = _STEM(low) in ordinary or _ORDINARY_ENDING.search(low)
            if is_ordinary and _begins_sentence(text[: found.start()]):
                continue
        # "Non-Latin" is written so for its second part.
        if low in _PREFIXES and text[found.end() : found.end() + 1] == "-":
            continue
        yield re.sub(r"['’]s$", "", without_accents(low))


def _begins_sentence(before: str) -> bool:
    """Tell if a word with the text ``before`` it is the first of a sentence, a line or a cell."""
    return not re.search(r"[^\s\"'“‘(\[|•–-]\s*$", before) or bool(
        re.search(r"(?:[.!?:;|\n][\"'”’)\]]*\s*|\|\s*)[\"'“‘(\[]*$", before)
    )


def _unit_of(match: re.Match[str]) -> str:
    if match["currency"]:
        return _CURRENCIES[match["currency"].strip()]
    if not match["unit"]:
        return ""
    return next(unit for unit, form in _UNITS.items() if re.fullmatch(form, match["unit"], re.IGNORECASE))


def _number(written: str) -> Decimal:
    plain = re.sub(r"[\s\u00a0\u2009\u202f]", "", written)
    if re.fullmatch(r"[1-9]\d{0,2}(?:,\d{3})+(?:\.\d+)?", plain) or plain.count(",") > 1:
        plain = plain.replace(",", "")
    plain = plain.replace(",", ".")
    if plain.count(".") > 1:
        if re.fullmatch(r"[1-9]\d{0,2}(?:\.\d{3})+", plain):
            return Decimal(plain.replace(".", ""))
        # A version: its parts as one number that no other has.
        whole, *parts = plain.split(".")
        return Decimal(f"{whole}.{''.join(part.zfill(3) for part in parts)}1")
    return Decimal(plain).normalize()


def _as_digits(match: re.Match[str]) -> str:
    if match[1]:
        return str(NUMBER_WORDS[match[1].lower()] + NUMBER_WORDS[match[2].lower()])
    word = match[3].lower()
    # "One" is as often a pronoun: it counts where it counts a unit.
    if word == "one" and not re.match(
        r"[\s-]+(?:\w+[\s-]+)?(?:hour|day|week|month|quarter|year|minute)", match.string[match.end() :]
    ):
        return match[0]
    return str(NUMBER_WORDS[word])


def _spelled_alike(text: str) -> str:
    """The text with months in full, days before them, and the signs of currencies for their codes."""

    def long(match: re.Match[str]) -> str:
        return f"{int(match[3])} {MONTHS[int(match[2]) - 1]} {match[1]}"

    def whole(match: re.Match[str]) -> str:
        return next(month for month in MONTHS if month.startswith(match[1][:3]))

    def signed(match: re.Match[str]) -> str:
        return f"{_SIGNS[(match[1] or match[4]).upper()]}{match[2] or match[3]}"

    return _CODED.sub(signed, _MONTH_SHORT.sub(whole, _ISO_DATE.sub(long, text)))
