"""Messages about a model server's faults: in full for who runs bidfolio, without addresses for a customer."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from tasks.answering.drafts.draft import Attempt

_ADDRESS = r"https?://\S+?(?=[:;,]?(?:\s|$))"
_PLACE = re.compile(f" at {_ADDRESS}")
_SERVER = re.compile(_ADDRESS)
_OWN_WORDS = re.compile(r", saying “.*”")
_REMEDY = re.compile(r": (?:[^:;]*\b(?:set|take)\b|look into its log)[^;]*$")
"""The remedy at the end of a message."""


def shown_fault(failure: str) -> str:
    """The reason why a server gave no draft, without its address, its own words and the settings to change."""
    if "://" not in failure:
        return failure
    told = _REMEDY.sub("", _OWN_WORDS.sub("", failure))
    return _SERVER.sub("the model server", _PLACE.sub("", told))


def warnings_of(attempts: Sequence[Iterable[Attempt]]) -> tuple[str, ...]:
    """Warnings about servers that failed for some questions, each once; ``attempts`` are those at each question."""
    counts: Counter[tuple[str, str]] = Counter()
    unasked: Counter[tuple[str, str]] = Counter()
    for of_question in attempts:
        faults = [(one.generator, one.failure) for one in of_question if one.failure and "://" in one.failure]
        for generator, failure in dict.fromkeys(faults):
            # That a server is left alone for a while ends with why.
            known = (one for one in counts if one[0] == generator and failure.endswith(one[1]))
            key = next(known, (generator, failure))
            counts[key] += 1
            unasked[key] += failure != key[1]
    return tuple(_warning(*key, count, unasked[key], len(attempts)) for key, count in counts.items())


def _warning(generator: str, failure: str, count: int, unasked: int, total: int) -> str:
    left_alone = f", {unasked} of which it was not asked" if unasked else ""
    return f"{generator} did not draft {count} of {total} questions{left_alone}: {failure}"
