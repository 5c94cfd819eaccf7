"""Names of an index' tables: its tables of rows, numbered by renewal, and a table for each version's own columns."""

from __future__ import annotations

import re
from collections.abc import Iterable

from tasks.errors import UsageError

_CORPUS_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*")
"""The corpus names that both LanceDB and a Hive partition accept."""
_ROWS_NAME = re.compile(r"(?P<index>.+-[0-9a-f]{12})\.rows-(?P<number>\d+)")


def require_corpus_name(corpus: str) -> None:
    """Check that ``corpus`` is a valid name. Raises UsageError otherwise."""
    if not _CORPUS_NAME.fullmatch(corpus):
        raise UsageError(f"{corpus!r} cannot name a corpus: take letters, digits, '-', '_' and '.'")


def index_name(corpus: str, index_key: str) -> str:
    """The name of an index, which is the prefix of its tables' names."""
    return f"{corpus}-{index_key}"


def own_name(index: str, index_version: str) -> str:
    """The name of the table with a version's own columns."""
    return f"{index}.v-{index_version}"


def rows_name(index: str, number: int) -> str:
    """The name of a table of rows; each renewal takes the next number."""
    return f"{index}.rows-{number}"


def number_of(rows: str) -> int:
    """The number of a table of rows. Raises ValueError for another table's name."""
    match = _ROWS_NAME.fullmatch(rows)
    if match is None:
        raise ValueError(f"{rows!r} names no table of rows")
    return int(match["number"])


def indexes_among(names: Iterable[str]) -> list[str]:
    """The indexes that have a table of rows among ``names``, each once, sorted."""
    return sorted({match["index"] for name in names if (match := _ROWS_NAME.fullmatch(name))})


def newest_rows_first(names: Iterable[str], index: str) -> list[str]:
    """The tables of rows of that index among ``names``, the newest first."""
    matches = [match for name in names if (match := _ROWS_NAME.fullmatch(name)) and match["index"] == index]
    return sorted((match[0] for match in matches), key=number_of, reverse=True)
