"""Recency of answer columns: the current one among several, by their headings.

Questionnaires keep the answers of earlier years and drafts in columns beside the final answer.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from tasks.text.english import MONTHS

_OLD = re.compile(
    r"\b(?:previous(?:ly)?|prev|prior|old|former|earlier|historic\w*|superseded|outdated|obsolete|"
    r"(?:last|past)(?! (?:\d+|\w+ (?:days|months|years))\b)|"
    r"alte[rsn]?|bisherige\w*|vorherige\w*|frühere\w*|vorjahr\w*|letzte[sn]?|(?<=antwort )alt|(?<=antwort \()alt)\b",
    re.I,
)
"""Words for an earlier answer. Not "the last 12 months": what held in these still holds."""
_NEW = re.compile(
    r"\b(?:current|newest|latest|updated?|revised|this (?:year|period|cycle|round|time)|"
    r"aktuell\w*|neue[rsn]?|(?<=antwort )neu|(?<=antwort \()neu)\b|"
    r"\bnew(?= *(?:$|\)|answer|respon[sd]|repl(?:y|ies)|comment|note|remark|explanation|evidence))",
    re.I,
)
"""Words for a current answer. "New" counts only with a word for an answer: a new requirement may have an old answer."""
_YEAR = re.compile(r"(?<![\d:])(?:19|20)\d\d(?!\d)")
"""A year; not that of a standard, such as ISO 27001:2022."""
_SHORT_YEAR = re.compile(r"\bFY ?'?(\d\d)\b", re.I)
_MONTHS = tuple(month[:3].lower() for month in MONTHS)
_PART = re.compile(
    r"\bQ(?P<quarter>[1-4])\b|\bH(?P<half>[12])\b|\b(?P<before>\d{1,2})[/.](?:19|20)\d\d\b|"
    rf"\b(?:19|20)\d\d[-/](?P<behind>\d\d)\b|\b(?P<month>{'|'.join(_MONTHS)})",
    re.I,
)
"""A part of a year (quarter, half, month), in a heading that also names the year."""

_SAID = r"(?:answers?|respon[sd]es?|repl(?:y|ies)|antwort(?:en)?|comments?|notes?|remarks?|explanations?|evidence)"
_NUMBER = r"(?P<{}>\d{{1,3}}(?:\.\d{{1,3}})*)"
_VERSION = re.compile(
    rf"(?:^|\b{_SAID}[\s(\[,:–-]+)(?:v|ver|version|rev|revision|round|runde|iteration)\b[.\s#]*{_NUMBER.format('a')}\b|"
    rf"(?:^|\b{_SAID}[\s(\[,:–-]+)v{_NUMBER.format('b')}\b|"
    rf"\b{_SAID}[\s(\[]+(?P<c>\d{{1,3}}(?:\.\d{{1,3}})+)\b|"
    rf"^(?P<d>\d{{1,2}})(?:st|nd|rd|th) (?:round )?{_SAID}$|"
    rf"(?:^|\b{_SAID}[\s(\[,:–-]+)rev(?:ision)?\b[.\s#]*(?P<letter>[a-z])\b",
    re.I,
)
"""The version of an answer. Not that of a standard, which follows its name ("PCI DSS v4.0 response"), and not "Answer
2", which may be the second part of an answer.
"""

_DRAFT = re.compile(
    r"(?<!\bfinal )\bdraft(?:s|ed)?\b|\b(?:unapproved|preliminary|provisional|tentative|wip|work in progress|entwurf|"
    r"(?:not (?:yet )?|to be |pending |awaiting )(?:approv\w+|final\w*))\b",
    re.I,
)
_GENERATED = re.compile(
    r"\b(?:ai|machine|bot|llm|gpt|automated|automatic)(?:[- ](?:generated|drafted|suggested|proposed))? "
    r"(?:answers?|respon[sd]es?|repl(?:y|ies))\b|\b(?:auto-?)?generated\b",
    re.I,
)
"""Words for a machine-made answer, which is a draft where a person's answer is beside it."""
_PROPOSED = re.compile(
    r"\b(?:final draft|proposed|suggested|recommended|initial|original|interim|"
    r"vorgeschlagene?|vorschlag)\b",
    re.I,
)
"""Words for a proposal. In a request for proposals a "proposed response" is the answer if no other column has one."""
_APPROVED = re.compile(
    r"\b(?:final(?! draft)(?:i[sz]ed)?|approved|agreed|confirmed|accepted|released|reviewed|verified|edited|amended|"
    r"corrected|signed[ -]off|endgültige?|freigegebene?)\b",
    re.I,
)

_PERIOD = r"(?: (?:year|period|cycle|round|time|version|submission|assessment|questionnaire)s?)?(?:['’]s)?"
BARE_OLD = re.compile(rf"(?:the )?(?:previous|prev\.?|prior|last|earlier|past|old|former|vorjahr){_PERIOD}", re.I)
BARE = re.compile(
    rf"{BARE_OLD.pattern}|(?:the )?(?:current|new|latest|newest|updated|revised|now|aktuell){_PERIOD}|"
    r"this (?:year|period|cycle|round|time)(?:['’]s)?|"
    r"(?:19|20)\d\d|FY ?'?(?:\d\d){1,2}|v(?:er(?:sion)?)?[.\s]*\d{1,3}(?:\.\d{1,3})*|"
    r"(?:final )?draft|final|approved|proposed",
    re.I,
)
"""Headings that are nothing but a time, a version or a state, such as "Current", "2025" and "Final"."""


class Ages(NamedTuple):
    """The column with the current answer, None where there is none, and those with earlier answers or drafts."""

    latest: int | None
    earlier: tuple[int, ...]

    @property
    def known(self) -> tuple[int, ...]:
        """All columns: the latest first, where there is one."""
        return self.earlier if self.latest is None else (self.latest, *self.earlier)


def compare_ages(columns: Sequence[int], headings: Sequence[str]) -> Ages:
    """Find the latest of ``columns`` by their headings; the others are earlier. No columns have no latest.

    Columns whose headings name an earlier answer or a draft are never the latest. Among the rest the preference is: a
    heading that says it is current, the newest year, the highest version, an approved answer, the first column. Of two
    columns of which only one names a year, the one further right is the later; likewise for versions.
    """
    drafts = _drafts([i for i in columns if not _is_earlier(headings[i])], headings)
    standing = [i for i in columns if not _is_earlier(headings[i]) and i not in drafts]
    if not standing:
        return Ages(None, tuple(columns))
    years = {i: _time(headings[i]) for i in standing}
    versions = {i: _version(headings[i]) for i in standing}
    current = [i for i in standing if _is_current(headings[i])] or standing
    latest = _newest(_newest(current, years), versions)
    latest = [i for i in latest if _APPROVED.search(headings[i])] or latest
    return Ages(latest[0], tuple(i for i in columns if i not in latest))


def _is_earlier(heading: str) -> bool:
    """Tell if the heading has a word for an earlier answer, and none for a current one."""
    return _OLD.search(heading) is not None and _NEW.search(heading) is None


def _is_current(heading: str) -> bool:
    """Tell if the heading names a current answer, or an approved one without a year or a version."""
    if _NEW.search(heading):
        return not _OLD.search(heading)
    # An answer approved in 2024 need not hold in 2025.
    return bool(_APPROVED.search(heading)) and not _time(heading) and not _version(heading)


def _drafts(columns: Sequence[int], headings: Sequence[str]) -> frozenset[int]:
    """The columns of drafts: those named so, and generated or proposed answers where a final one is beside them.

    A proposed answer is a draft where any other is approved, or where one has the same heading but for its state.
    """
    drafts = {i for i in columns if _DRAFT.search(headings[i])}
    generated = {i for i in columns if i not in drafts and _GENERATED.search(headings[i])}
    proposed = {i for i in columns if i not in drafts | generated and _PROPOSED.search(headings[i])}
    given = [headings[i] for i in columns if i not in drafts | generated | proposed]
    drafts |= generated if given else set()
    stems = {_stem(heading) for heading in given}
    if any(map(_APPROVED.search, given)):
        return frozenset(drafts | proposed)
    return frozenset(drafts | {i for i in proposed if _stem(headings[i]) in stems})


def _stem(heading: str) -> tuple[str, ...]:
    """The words of ``heading`` in lower case, for a proposal without those for its state and version."""
    bare = _VERSION.sub(" ", _PROPOSED.sub(" ", heading)) if _PROPOSED.search(heading) else heading
    return tuple(re.findall(r"\w+", bare.casefold()))


def _newest(columns: Sequence[int], told: Mapping[int, tuple[int, ...]]) -> list[int]:
    """The columns with the newest year or version in ``told``; or those right of them that name none, where any do."""
    newest = max(told[i] for i in columns)
    latest = [i for i in columns if told[i] == newest]
    # A new answer is written to the right of the earlier ones.
    return [i for i in columns if any(newest) and i > latest[-1] and not any(told[i])] or latest


def _time(heading: str) -> tuple[int, ...]:
    """The newest year in ``heading`` and the last month of its part of that year, 0 for none; () without a year."""
    years = [int(year) for year in _YEAR.findall(heading)]
    years += [2000 + int(year) for year in _SHORT_YEAR.findall(heading)]
    if not years:
        return ()
    found = _PART.search(heading)
    quarter, half, before, behind, month = found.groups("0") if found else "00000"
    named = 0 if month == "0" else 1 + _MONTHS.index(month.lower())
    return (max(years), named or 3 * int(quarter) or 6 * int(half) or int(before) or int(behind))


def _version(heading: str) -> tuple[int, ...]:
    """The parts of the version in ``heading``, such as (2, 1) for "v2.1"; a letter counts from 1. () without one."""
    found = _VERSION.search(heading.strip())
    if found is None:
        return ()
    if letter := found["letter"]:
        return (ord(letter.lower()) - ord("a") + 1,)
    number = found["a"] or found["b"] or found["c"] or found["d"]
    return tuple(map(int, number.split(".")))
