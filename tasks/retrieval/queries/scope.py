"""Scope of a question: the documents to answer from, limited by file, folder, tag, kind and day.

A scope is resolved against the rows of the table ``documents`` when a run begins, so a tag or a pattern has its meaning
of that moment, and nothing is indexed anew for it.
"""

from __future__ import annotations

import shlex
import unicodedata
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from difflib import get_close_matches
from typing import Any, NamedTuple

from tasks.conversion.document.serialization import day_of
from tasks.errors import UsageError
from tasks.sources.patterns import Patterns

GROUPS: Mapping[str, tuple[str, ...]] = {"sheet": ("xlsx", "xls", "csv"), "mail": ("eml", "msg")}
"""Words that stand for several kinds."""
SHOWN = 5
COLUMNS = ["file_name", "status", "kind", "document_date", "file_date"]
"""The columns of the table ``documents`` that a scope is resolved against."""


@dataclass(frozen=True, slots=True)
class Scope:
    """The limits on the documents that a question is answered from; an empty scope is no limit.

    ``files`` are patterns as a refresh takes them, ``folders`` names of folders, archives or mails, ``tags`` names of
    patterns in the settings; a document that any of these three names is within. ``kinds``, ``since`` and ``until``
    (both days within) narrow that.
    """

    files: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    since: date | None = None
    until: date | None = None

    @classmethod
    def of(
        cls,
        files: Sequence[str] | None = None,
        folders: Sequence[str] | None = None,
        tags: Sequence[str] | None = None,
        kinds: Sequence[str] | None = None,
        since: str | None = None,
        until: str | None = None,
    ) -> Scope:
        """The scope from the values of a form or a command line.

        Raises UsageError for an invalid day and for an empty value: it would be no limit, and somebody meant one.
        """
        for option, given in (("file", files), ("folder", folders), ("tag", tags), ("kind", kinds)):
            if any(not one.strip() for one in given or ()):
                raise UsageError(f"--{option} is empty: name what to answer from, or leave it out")
        scope = cls(
            files=tuple(files or ()),
            folders=tuple(folders or ()),
            tags=tuple(tags or ()),
            kinds=tuple(kind.lower().lstrip(".") for kind in kinds or ()),
            since=_day("--since", since),
            until=_day("--until", until),
        )
        if scope.since and scope.until and scope.since > scope.until:
            raise UsageError(f"--since {scope.since} is after --until {scope.until}: no day is within")
        return scope

    @classmethod
    def said(cls, words: str) -> Scope:
        """Parse the scope that ``str`` has written."""
        given: dict[str, list[str]] = {}
        parts = shlex.split(words)
        for option, value in zip(parts[::2], parts[1::2], strict=True):
            given.setdefault(option.removeprefix("--"), []).append(value)
        (since,), (until,) = given.get("since", [""]), given.get("until", [""])
        return cls.of(given.get("file"), given.get("folder"), given.get("tag"), given.get("kind"), since, until)

    def __bool__(self) -> bool:
        return self != Scope()

    def __str__(self) -> str:
        """The scope as options of the command line."""
        return shlex.join(
            part
            for option, values in self._options()
            for value in (values if isinstance(values, tuple) else (values,))
            for part in (option, str(value))
        )

    def to_json(self) -> dict[str, Any]:
        """The given limits, by option; an empty scope gives an empty dict."""
        return {
            option.removeprefix("--"): [*values] if isinstance(values, tuple) else str(values)
            for option, values in self._options()
        }

    def _options(self) -> list[tuple[str, tuple[str, ...] | date]]:
        named = {"--file": self.files, "--folder": self.folders, "--tag": self.tags, "--kind": self.kinds}
        days = {"--since": self.since, "--until": self.until}
        return [(option, values) for option, values in (named | days).items() if values]


EVERYTHING = Scope()


class InScope(NamedTuple):
    """The file names of the documents in a scope, and of all others.

    ``undated`` is how many of the others are outside only because their day is unknown.
    """

    file_names: frozenset[str]
    others: frozenset[str]
    undated: int


def resolved(scope: Scope, documents: Iterable[Mapping[str, Any]], tags: Mapping[str, Sequence[str]]) -> InScope:
    """The documents within the scope, among rows of the table ``documents``;
    files that gave no text are in neither set.

    A document's day is as :func:`tasks.conversion.document.serialization.day_of` has it. Raises UsageError where a part
    of the scope names no document, or all of it together lets none in.
    """
    rows = {row["file_name"]: row for row in documents if row["status"] == "indexed"}
    named = _named(scope, rows, tags)
    kinds = {kind for word in scope.kinds for kind in _kinds_of(word, rows.values())}
    fitting = [name for name in named if not kinds or rows[name]["kind"] in kinds]
    days = {name: day_of(rows[name]) for name in fitting}
    undated = [name for name in fitting if days[name] is None] if scope.since or scope.until else []
    inside = frozenset(
        name
        for name, day in days.items()
        if name not in undated
        and (scope.since is None or (day is not None and day >= scope.since))
        and (scope.until is None or (day is not None and day <= scope.until))
    )
    if not inside:
        raise UsageError(f"no document passes {scope}: {_why_none(named, fitting, days)}")
    return InScope(inside, frozenset(rows.keys() - inside), len(undated))


def _named(scope: Scope, rows: Collection[str], tags: Mapping[str, Sequence[str]]) -> list[str]:
    """The file names that files, folders and tags let in; all where none of these is given."""
    tests: list[Callable[[str], bool]] = []
    for pattern in scope.files:
        tests.append(_required(_is_or_matches(pattern), f"--file {pattern!r}", pattern, rows, rows))
    for folder in scope.folders:
        above = {folder for name in rows for folder in _folders(name)}
        tests.append(_required(_is_below(folder), f"--folder {folder!r}", folder.strip("/"), rows, above))
    for tag in scope.tags:
        if tag not in tags:
            known = _offer(tag, tags)
            raise UsageError(
                f"there is no tag {tag!r}; there are {known}: the settings name them, tags: {{{tag}: […]}}"
            )
        tests.append(_required(Patterns(tuple(tags[tag])).lets_in, f"--tag {tag!r} ({tags[tag]})", tag, rows, rows))
    return [name for name in rows if not tests or any(test(name) for test in tests)]


def _required(
    test: Callable[[str], bool], said: str, wanted: str, rows: Iterable[str], offered: Iterable[str]
) -> Callable[[str], bool]:
    if not any(map(test, rows)):
        there = list(offered)
        nearest = f"; the nearest of what there is: {_offer(wanted, there)}" if there else ", nor would any other"
        raise UsageError(f"{said} names no document{nearest}")
    return test


def _is_or_matches(pattern: str) -> Callable[[str], bool]:
    """A test for file names: equal to ``pattern``, brackets and all, or matched by it.

    With a ``/`` both start at the top.
    """
    lets_in, wanted, is_from_top = Patterns((pattern,)).lets_in, _folded(pattern), "/" in pattern
    return lambda name: (_folded(name) if is_from_top else _folded(name).rpartition("/")[2]) == wanted or lets_in(name)


def _is_below(folder: str) -> Callable[[str], bool]:
    wanted = _folded(folder)
    return lambda name: f"{_folded(name)}/".startswith(f"{wanted}/") if wanted else True


def _folders(name: str) -> Iterable[str]:
    """The folders, archives and mails that contain a file, the innermost first."""
    while "/" in name:
        name = name.rpartition("/")[0]
        yield name


def _folded(name: str) -> str:
    return "/".join(filter(None, unicodedata.normalize("NFC", name).casefold().split("/")))


def _kinds_of(word: str, rows: Collection[Mapping[str, Any]]) -> tuple[str, ...]:
    there = {str(row["kind"]) for row in rows}
    kinds = GROUPS.get(word, (word,))
    if there.isdisjoint(kinds):
        words = {*there, *(group for group, members in GROUPS.items() if not there.isdisjoint(members))}
        raise UsageError(f"--kind {word!r} names no document; there are {', '.join(sorted(words))}")
    return kinds


def _offer(wanted: str, there: Iterable[str]) -> str:
    """A list for an error message: the names nearest to the wanted name, else the first few, else "none"."""
    names = sorted(set(there))
    near = get_close_matches(_folded(wanted), [_folded(name) for name in names], SHOWN, cutoff=0.4)
    shown = sorted({name for name in names if _folded(name) in near}) or names[:SHOWN]
    return ", ".join(shown) or "none"


def _why_none(named: Collection[str], fitting: Collection[str], days: Mapping[str, date | None]) -> str:
    known = sorted(day for day in days.values() if day is not None)
    if not fitting:
        return f"none of the {len(named)} documents of those names is of that kind"
    if not known:
        return f"nobody knows the day of any of {len(fitting)}: refresh the corpus, which asks their folder for it"
    return f"the {len(known)} that else fit and have a day are of {known[0]} to {known[-1]}"


def _day(option: str, given: str | None) -> date | None:
    try:
        return date.fromisoformat(given) if given else None
    except ValueError as error:
        raise UsageError(f"{option} {given!r} is no day: write it as YYYY-MM-DD") from error
