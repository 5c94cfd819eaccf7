"""What is told of a model server's faults: all of it to who runs bidfolio, and to a customer neither address nor
setting.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from tasks.answering.drafting import Attempt

_ADDRESS = r"https?://\S+?(?=[:;,]?(?:\s|$))"
_PLACE = re.compile(f" at {_ADDRESS}")
_SERVER = re.compile(_ADDRESS)
_OWN_WORDS = re.compile(r", saying “.*”")
_REMEDY = re.compile(r": (?:[^:;]*\b(?:set|take)\b|look into its log)[^;]*$")
"""What there is to do stands at the end."""


def shown_fault(failure: str) -> str:
    """Why a server gave no draft, without its address, its own words and what to set, none of which is for a customer;
    what is no fault of a server stays as it is.
    """
    if "://" not in failure:
        return failure
    told = _REMEDY.sub("", _OWN_WORDS.sub("", failure))
    return _SERVER.sub("the model server", _PLACE.sub("", told))


def warnings_of(attempts: Sequence[Iterable[Attempt]]) -> tuple[str, ...]:
    """What was the matter with the servers that some questions of a run were drafted without, each once, with all that
    is known: ``attempts`` are those at each question's draft. None where nothing was.
    """
    counts: dict[tuple[str, str], int] = {}
    for of_question in attempts:
        faults = [(one.generator, one.failure) for one in of_question if one.failure and "://" in one.failure]
        for generator, failure in dict.fromkeys(faults):
            # That a server is left alone for a while ends with why.
            known = (one for one in counts if one[0] == generator and failure.endswith(one[1]))
            key = next(known, (generator, failure))
            counts[key] = counts.get(key, 0) + 1
    total = len(attempts)
    return tuple(f"{name} did not draft {n} of {total} questions: {failure}" for (name, failure), n in counts.items())
