"""A sentence as another document may say it: with another figure, date, span of time, name, denial or duty, which
contradicts it, and in other words, in other letters or of something else, which does not.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping

from tests.bench.answer_faults import CHANGES, WAYS

Change = Callable[[str, random.Random], str | None]
"""Gives the sentence changed; None where it has nothing that the change could be about."""
_MONTHS = "January February March April May June July August September October November December".split()
_DATE = re.compile(rf"(?<=\d )(?:{'|'.join(_MONTHS)})\b|\b(?:{'|'.join(_MONTHS)})(?= \d)")
_PERIODS = {
    "daily": "weekly",
    "weekly": "monthly",
    "monthly": "quarterly",
    "quarterly": "yearly",
    "yearly": "monthly",
    "annually": "quarterly",
    "annual": "quarterly",
    "each year": "each month",
    "every year": "every month",
    "every quarter": "every week",
    "each month": "each quarter",
}
_DUTIES = {"must": "may", "shall": "may", "may": "must", "should": "must", "has to": "may", "are required to": "may"}
_SPELLED = "zero one two three four five six seven eight nine ten eleven twelve".split()
_SMALL_NUMBER = re.compile(r"(?<![\w.,£$€])(?:[2-9]|1[0-2])(?= [a-z])")
SCOPES = (
    "For contractors",
    "In the test environment",
    "For part-time staff",
    "At weekends",
    "For documents on paper",
    "Until the end of the trial",
)
PLANS = ("Bronze", "Harbour", "Zenith", "Norwich")


def another_date(text: str, chance: random.Random) -> str | None:
    """Another month of a date."""
    found = _DATE.search(text)
    if not found:
        return None
    other = chance.choice([month for month in _MONTHS if month != found.group()])
    return f"{text[: found.start()]}{other}{text[found.end() :]}"


def another_period(text: str, chance: random.Random) -> str | None:
    """Another span between two times: "quarterly" for "annually"."""
    return _exchanged(text, _PERIODS)


def another_duty(text: str, chance: random.Random) -> str | None:
    """ "may" for "must", and the other way round."""
    return _exchanged(text, _DUTIES)


def _exchanged(text: str, others: Mapping[str, str]) -> str | None:
    found = re.search(rf"\b(?:{'|'.join(others)})\b", text)
    return f"{text[: found.start()]}{others[found.group()]}{text[found.end() :]}" if found else None


CONTRADICTIONS: Mapping[str, Change] = {
    **CHANGES,
    "another date": another_date,
    "another period": another_period,
    "another duty": another_duty,
}


def spelled_out(text: str, chance: random.Random) -> str | None:
    """A small number in letters."""
    found = _SMALL_NUMBER.search(text)
    return f"{text[: found.start()]}{_SPELLED[int(found.group())]}{text[found.end() :]}" if found else None


def of_another_scope(text: str, chance: random.Random) -> str | None:
    """With another number or denial, and of something else, which is said in words of every day."""
    return _of(chance.choice(SCOPES), text, chance)


def of_another_plan(text: str, chance: random.Random) -> str | None:
    """With another number or denial, and of something else, which has a name."""
    return _of(f"In the plan {chance.choice(PLANS)}", text, chance)


def _of(scope: str, text: str, chance: random.Random) -> str | None:
    changed = CHANGES["another number"](text, chance) or CHANGES["denied"](text, chance)
    if changed is None:
        return None
    begins = changed[0].lower() if changed[1:2].islower() else changed[0]
    return f"{scope}, {begins}{changed[1:]}"


def of_another_scope_at_its_end(text: str, chance: random.Random) -> str | None:
    """The same with what it is said of at its end."""
    scope = chance.choice(SCOPES)
    changed = CHANGES["another number"](text, chance) or CHANGES["denied"](text, chance)
    return f"{changed.rstrip('. ')} {scope[0].lower()}{scope[1:]}." if changed else None


HARMLESS: Mapping[str, Change] = {
    **WAYS,
    "a number in letters": spelled_out,
    "of another scope": of_another_scope,
    "of another scope, at its end": of_another_scope_at_its_end,
    "of another plan": of_another_plan,
}
