"""Delimiters of CSV files: the one that a file states, or the one that parts most of its rows alike."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from contextlib import suppress

DELIMITERS = ",;\t|^~"
_STATED = re.compile(r'"?sep=([^\w\s"]|\t)"?\r?\n', re.I)
_SAMPLE_CHARACTERS = 200_000


def stated_delimiter(text: str) -> str | None:
    """The delimiter that a first line tells Excel; None without such a line."""
    found = _STATED.match(text)
    return found[1] if found else None


def find_delimiter(text: str) -> str:
    """Find the delimiter: the stated one, else the one that gives most rows the same number of fields, at least two.

    Without any it is a comma, and where sentences have commas a semicolon.
    """
    if stated := stated_delimiter(text):
        return stated
    sample = text[:_SAMPLE_CHARACTERS]
    commas, spaced = sample.count(","), len(re.findall(r",\s", sample))
    # The commas are those of sentences: the first row has none, and nearly all have a space behind them.
    is_prose = commas > 0 and "," not in sample.lstrip().split("\n", 1)[0] and spaced >= 0.9 * commas
    usable = DELIMITERS[1:] if is_prose else DELIMITERS
    scores = {usable[0]: (0.0, 1)}
    for delimiter in usable:
        with suppress(csv.Error):
            records = csv.reader(io.StringIO(sample, newline=""), delimiter=delimiter)
            widths = [len(record) for record in records if any(record)]
            width, count = max(Counter(w for w in widths if w > 1).items(), key=lambda one: one[::-1], default=(1, 0))
            scores[delimiter] = (count / max(1, len(widths)), width)
    return max(scores, key=scores.__getitem__)
