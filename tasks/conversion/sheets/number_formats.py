"""Number formats of a workbook: a cell's value as text, as the sheet displays it.

The usual formats are supported: digits, thousands, decimals, percent, scientific notation, currencies and other words
beside the number, separate forms for negative numbers and zero. For others (fractions, conditions) the cell's plain
value is used. A date displayed in figures alone is written in ISO 8601, because 02/03/2026 is in March or in February
by the country of whoever opens the sheet.
"""

from __future__ import annotations

import datetime as dt
import re
from decimal import ROUND_HALF_UP, Decimal
from functools import lru_cache
from typing import Any, NamedTuple

from tasks.text.characters import clean_block
from tasks.text.english import MONTHS

_LITERAL = r'"[^"]*"|\\.|\[\$[^\]]*\]|_.|\*.|[$€£¥%+\-() :!^&\'~{}<>=]'
_POWER = r"0(?:\.0*)?E[+-]0+"
_DIGITS = rf"{_POWER}|[#0?][#0?,]*(?:\.[#0?]*,*)?|\.[#0?]+,*"
_COLOUR = re.compile(r"\[(?:black|blue|cyan|green|magenta|red|white|yellow|color ?\d+)\]", re.IGNORECASE)
_SECTION = re.compile(rf"((?:{_LITERAL})*)({_DIGITS}|General)?((?:{_LITERAL})*)", re.IGNORECASE)
_TOKEN = re.compile(r'"[^"]*"|\\.|\[[^\]]*\]|[^"\\\[]', re.DOTALL)
_LITERALS = re.compile(_LITERAL)
_DATE = re.compile(r'"[^"]*"|\\.|\[\$[^\]]*\]|_.|\*.|y+|m+|d+|[hs]|.', re.IGNORECASE | re.DOTALL)
_LOCALE = re.compile(r"\[\$[^\]-]*-([0-9a-f]+)\]", re.IGNORECASE)
_ELAPSED = re.compile(r'\[(h+)\](:mm)?(:ss)?((?:"[^"]*"|\\.| )*)(?:;@)?', re.IGNORECASE)
_CLOCK = re.compile(r'(?:\[\$[^\]]*\])?(h{1,2}):mm((?:"[^"]*"|\\.| )*)(?:;@)?', re.IGNORECASE)
_AROUND_TEXT = re.compile(rf"((?:{_LITERAL}|@)*)")
_IN_TEXT = re.compile(rf"@|{_LITERAL}")
_ENGLISH, _SYSTEM = 0x09, 0xF000
_LANGUAGE_BITS = 0x3FF
_MOST = 1e15
"""Numbers from here on are not formatted: a float does not have all of their digits."""
_MOST_DIGITS = 30
_DAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()


class _Form(NamedTuple):
    """A section of a number format: the text before and after the number, and the digits' format, "" for no number."""

    before: str
    digits: str
    after: str


def cell_text(value: Any, number_format: str | None = "") -> str:
    """Format a cell's value as the sheet displays it; the plain value where its format is not supported.

    None gives "".
    """
    form = number_format or ""
    match value:
        case None:
            return ""
        case str():
            return clean_block(_shown_text(value, form) if form else value)
        case bool():
            return "TRUE" if value else "FALSE"
        case dt.date():
            if (said := _shown_date(value, form)) is not None:
                return said
            if not isinstance(value, dt.datetime):
                return value.isoformat()
            return value.isoformat(sep=" ", timespec="minutes").removesuffix(" 00:00")
        case dt.time():
            return _shown_time(value, form)
        case int() | float():
            if (said := _shown_number(value, form)) is not None:
                return clean_block(said)
            return f"{value:.15g}" if isinstance(value, float) else str(value)
        case dt.timedelta() if (said := _shown_duration(value, form)) is not None:
            return said
        case _:
            return clean_block(str(value))


def _shown_number(value: float, number_format: str) -> str | None:
    """The number as displayed; None where the format is a general one or is not supported."""
    forms = _forms(number_format)
    if forms is None or not abs(value) < _MOST:
        return None
    number = Decimal(repr(value))
    at = 2 if value == 0 and len(forms) > 2 else 1 if value < 0 and len(forms) > 1 else 0
    form = forms[at]
    if form.digits.lower() == "general":
        digits = f"{abs(value):.15g}"
    else:
        digits = _written(abs(number), form) if form.digits else ""
    sign = "-" if value < 0 and at == 0 and re.search("[1-9]", digits) else ""
    return " ".join(f"{sign}{form.before}{digits}{form.after}".split())


def shapes_text(number_format: str) -> bool:
    """Tell if a number format may change how a text is displayed; most do not."""
    return number_format != "@" and ("@" in number_format or number_format.count(";") > 2)


def _shown_text(value: str, number_format: str) -> str:
    """The text as displayed by the format's section for texts: its fourth, or its last if that has an ``@``."""
    sections = _sections(_COLOUR.sub("", number_format))
    at = 3 if len(sections) == 4 else len(sections) - 1
    if at < 0 or (at < 3 and "@" not in sections[at]) or _AROUND_TEXT.fullmatch(sections[at]) is None:
        return value
    return "".join(value if part == "@" else _said(part) for part in _IN_TEXT.findall(sections[at]))


def _shown_date(value: dt.date, number_format: str) -> str | None:
    """The date as displayed, without a time; None for other formats and for month names that are not English."""
    tokens = _DATE.findall(re.sub(r";@$", "", _COLOUR.sub("", number_format)))
    kinds = {token[0].lower() for token in tokens if token[0].isalpha()}
    has_name = any(token[0] in "mM" and len(token) > 2 for token in tokens)
    if not kinds or not kinds <= set("ymd") or (not has_name and kinds == set("ymd")):
        return None
    locale = _LOCALE.search(number_format)
    code = int(locale[1][-4:], 16) if locale else _ENGLISH
    if has_name and code < _SYSTEM and code & _LANGUAGE_BITS != _ENGLISH:
        return None
    return " ".join("".join(_date_part(value, token) for token in tokens).split())


def _shown_duration(value: dt.timedelta, number_format: str) -> str | None:
    """A duration as displayed by an elapsed-time format, such as ``36:00``; None for other formats."""
    found = _ELAPSED.fullmatch(number_format)
    if found is None or value < dt.timedelta(0):
        return None
    minutes, seconds = divmod(round(value.total_seconds()), 60)
    hours, minutes = divmod(minutes, 60)
    parts = (f"{hours:0{len(found[1])}}", f"{minutes:02}" if found[2] else "", f"{seconds:02}" if found[3] else "")
    return ":".join(filter(None, parts)) + _literal(found[4])


def _shown_time(value: dt.time, number_format: str) -> str:
    """The time as displayed by a format of hours and minutes; in ISO 8601 for other formats.

    "00:15" in a format of minutes and seconds would be read as hours and minutes.
    """
    found = _CLOCK.fullmatch(number_format)
    if found is None:
        return value.isoformat()
    return f"{value.hour:0{len(found[1])}}:{value.minute:02}{_literal(found[2])}"


@lru_cache(maxsize=1024)
def _forms(number_format: str) -> tuple[_Form, ...] | None:
    """The format's sections for positive and negative numbers and zero; None where it is general or unsupported."""
    bare = _COLOUR.sub("", number_format)
    if bare.lower() in ("general", "@", ""):
        return None
    forms: list[_Form] = []
    for section in _sections(bare)[:3]:
        found = _SECTION.fullmatch(section)
        if found is not None:
            percents = _LITERALS.findall(found[1] + found[3]).count("%")
            forms.append(_Form(_literal(found[1]), (found[2] or "") + "%" * percents, _literal(found[3])))
        if section != "@" and (found is None or len(forms[-1].digits) > _MOST_DIGITS):
            return None
    return tuple(forms) or None


def _sections(number_format: str) -> list[str]:
    """The sections of a number format, split at unquoted semicolons; none where a quotation is not closed."""
    tokens = _TOKEN.findall(number_format)
    if "".join(tokens) != number_format:
        return []
    return "".join("\0" if token == ";" else token for token in tokens).split("\0")


def _literal(literals: str) -> str:
    return "".join(_said(literal) for literal in _LITERALS.findall(literals))


def _said(literal: str) -> str:
    """The displayed text of a literal: without its quotation marks or backslash; of ``[$€-407]`` the currency."""
    match literal[0]:
        case '"':
            return literal[1:-1]
        case "\\":
            return literal[1:]
        case "[":
            return literal[2:-1].partition("-")[0]
        case "_" | "*":
            return ""
        case _:
            return literal


def _written(number: Decimal, form: _Form) -> str:
    """The digits of a number as its section displays them: percent, thousands and decimals applied."""
    unscaled = form.digits.rstrip("%")
    number *= 100 ** form.digits.count("%")
    if "E" in unscaled.upper():
        return _with_power(number, *re.split("E", unscaled, flags=re.IGNORECASE))
    whole, _, decimals = unscaled.rstrip(",").partition(".")
    number /= 1000 ** (len(unscaled) - len(unscaled.rstrip(",")))
    number = number.quantize(Decimal(1).scaleb(-len(decimals)), ROUND_HALF_UP)
    digits, _, fraction = f"{number:{',' if ',' in whole else ''}f}".partition(".")
    digits = digits.lstrip("0").rjust(whole.count("0"), "0")
    kept = max(decimals.rfind("0") + 1, len(fraction.rstrip("0")))
    return f"{digits}.{fraction[:kept]}" if kept else digits


def _with_power(number: Decimal, mantissa: str, power: str) -> str:
    """The number in scientific notation: a digit with its decimals, and a power of ten."""
    decimals = len(mantissa.partition(".")[2])
    exponent = number.adjusted() if number else 0
    shown = number.scaleb(-exponent).quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP)
    if shown == 10:
        shown, exponent = Decimal(1).quantize(shown), exponent + 1
    sign = "-" if exponent < 0 else power[0].replace("-", "")
    return f"{shown:f}E{sign}{abs(exponent):0{len(power) - 1}}"


def _date_part(value: dt.date, token: str) -> str:
    match token[0].lower(), len(token):
        case "y", _:
            # "Mar-26" would be read as a day of March.
            return str(value.year)
        case "m", 1 | 2:
            return f"{value.month:0{len(token)}}"
        case "m", length:
            return MONTHS[value.month - 1][: {3: 3, 5: 1}.get(length)]
        case "d", 1 | 2:
            return f"{value.day:0{len(token)}}"
        case "d", length:
            return _DAYS[value.weekday()][: 3 if length == 3 else None]
        case _:
            return _said(token)
