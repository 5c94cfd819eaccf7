"""Which of several columns of answers says what holds now: questionnaires keep those of earlier years beside it, and
the drafts of the one that was given in the end.
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
"""The last 12 months are none of them: what held in these holds."""
_NEW = re.compile(
    r"\b(?:current|newest|latest|updated?|revised|this (?:year|period|cycle|round|time)|"
    r"aktuell\w*|neue[rsn]?|(?<=antwort )neu|(?<=antwort \()neu)\b|"
    r"\bnew(?= *(?:$|\)|answer|respon[sd]|repl(?:y|ies)|comment|note|remark|explanation|evidence))",
    re.I,
)
"""An answer to a new requirement need not be a new answer."""
_YEAR = re.compile(r"(?<![\d:])(?:19|20)\d\d(?!\d)")
"""ISO 27001:2022 tells no time of an answer."""
_SHORT_YEAR = re.compile(r"\bFY ?'?(\d\d)\b", re.I)
_MONTHS = tuple(month[:3].lower() for month in MONTHS)
_PART = re.compile(
    r"\bQ(?P<quarter>[1-4])\b|\bH(?P<half>[12])\b|\b(?P<before>\d{1,2})[/.](?:19|20)\d\d\b|"
    rf"\b(?:19|20)\d\d[-/](?P<behind>\d\d)\b|\b(?P<month>{'|'.join(_MONTHS)})",
    re.I,
)
"""A part of a year, beside it."""

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
"""A version of the answer: that of a standard ("PCI DSS v4.0 response") stands behind the standard's name. "Answer 2"
may be the second part of one.
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
"""No person has said it: beside whatever a person says it is a draft."""
_PROPOSED = re.compile(
    r"\b(?:final draft|proposed|suggested|recommended|initial|original|interim|"
    r"vorgeschlagene?|vorschlag)\b",
    re.I,
)
"""To a request for proposals a "proposed response" is the answer, where no other column is."""
_APPROVED = re.compile(
    r"\b(?:final(?! draft)(?:i[sz]ed)?|approved|agreed|confirmed|accepted|released|reviewed|verified|edited|amended|"
    r"corrected|signed[ -]off|endgültige?|freigegebene?)\b",
    re.I,
)

_PERIOD = r"(?: (?:year|period|cycle|round|time|version|submission|assessment|questionnaire)s?)?(?:['’]s)?"
_BARE_OLD = re.compile(rf"(?:the )?(?:previous|prev\.?|prior|last|earlier|past|old|former|vorjahr){_PERIOD}", re.I)
_BARE = re.compile(
    rf"{_BARE_OLD.pattern}|(?:the )?(?:current|new|latest|newest|updated|revised|now|aktuell){_PERIOD}|"
    r"this (?:year|period|cycle|round|time)(?:['’]s)?|"
    r"(?:19|20)\d\d|FY ?'?(?:\d\d){1,2}|v(?:er(?:sion)?)?[.\s]*\d{1,3}(?:\.\d{1,3})*|"
    r"(?:final )?draft|final|approved|proposed",
    re.I,
)


class Ages(NamedTuple):
    """The column that says what holds now, None where none does, and those that say what held before, or a draft."""

    latest: int | None
    earlier: tuple[int, ...]

    @property
    def known(self) -> tuple[int, ...]:
        """All of them."""
        return self.earlier if self.latest is None else (self.latest, *self.earlier)


def is_superseded(heading: str) -> bool:
    """Whether what stands below ``heading`` held before, or is a draft, by its own words."""
    return _is_earlier(heading) or _DRAFT.search(heading) is not None


def is_time_before(heading: str) -> bool:
    """Whether ``heading`` names nothing but a time that is over, as "Last year" does."""
    return _BARE_OLD.fullmatch(heading.strip()) is not None


def is_bare_age(heading: str) -> bool:
    """Whether ``heading`` names nothing but a time, a version or a state, as "Current", "2025" and "Final" do."""
    return _BARE.fullmatch(heading.strip()) is not None


def compare_ages(columns: Sequence[int], headings: Sequence[str]) -> Ages:
    """The latest of ``columns``: one said to be current, else that of the newest year, then of the highest version,
    then one that is approved, else the first that is neither said to be earlier nor a draft. No columns have none.

    Of a column of a year and one of none, the one further right is the later; so it is with versions.
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
    return _OLD.search(heading) is not None and _NEW.search(heading) is None


def _is_current(heading: str) -> bool:
    if _NEW.search(heading):
        return not _OLD.search(heading)
    # What was approved in 2024 is not what holds in 2025.
    return bool(_APPROVED.search(heading)) and not _time(heading) and not _version(heading)


def _drafts(columns: Sequence[int], headings: Sequence[str]) -> frozenset[int]:
    """Those that are drafts by their own words, and those that are proposed where another is given in the end."""
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
    """The words of ``heading`` without what it says of a state or a version."""
    bare = _VERSION.sub(" ", _PROPOSED.sub(" ", heading)) if _PROPOSED.search(heading) else heading
    return tuple(re.findall(r"\w+", bare.casefold()))


def _newest(columns: Sequence[int], told: Mapping[int, tuple[int, ...]]) -> list[int]:
    newest = max(told[i] for i in columns)
    latest = [i for i in columns if told[i] == newest]
    if any(newest):
        # Whoever answers anew writes beside what is there.
        return [i for i in columns if i > latest[-1] and not any(told[i])] or latest
    return latest


def _time(heading: str) -> tuple[int, ...]:
    """The newest year that ``heading`` tells, and the month of it or 0; () where it tells none."""
    years = [int(year) for year in _YEAR.findall(heading)]
    years += [2000 + int(year) for year in _SHORT_YEAR.findall(heading)]
    if not years:
        return ()
    found = _PART.search(heading)
    if found is None:
        return (max(years), 0)
    quarter, half, month = (found[name] for name in ("quarter", "half", "month"))
    if month:
        return (max(years), 1 + _MONTHS.index(month.lower()))
    return (
        max(years),
        int(quarter) * 3 if quarter else int(half) * 6 if half else int(found["before"] or found["behind"]),
    )


def _version(heading: str) -> tuple[int, ...]:
    """The parts of the version that ``heading`` tells, () where it tells none."""
    found = _VERSION.search(heading.strip())
    if found is None:
        return ()
    if letter := found["letter"]:
        return (ord(letter.lower()) - ord("a") + 1,)
    number = next(part for part in (found["a"], found["b"], found["c"], found["d"]) if part)
    return tuple(map(int, number.split(".")))
