"""What a home still needs, by names and keys, and which of its files are therefore garbage."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Literal, NamedTuple

from configs.plans import Plan
from tasks.index.names import index_name, own_name
from tasks.index.versions import Manifest, Version, wanted_versions
from tasks.stored import ASIDE, Stored

SPARED = timedelta(days=1)
"""What is younger is spared: a refresh, or a grid, that was killed has left it for the next."""
Kind = Literal[
    "indexes", "versions", "states", "documents", "members", "chunks", "vectors", "tuning", "rows", "staging"
]
_KINDS: Mapping[tuple[str, str], Kind] = {
    ("index", "history"): "indexes",
    ("lake", "chunks"): "indexes",
    ("lake", "vectors"): "indexes",
    ("cache", "checked"): "indexes",
    ("index", "states"): "states",
    ("index", "converted"): "documents",
    ("index", "documents"): "documents",
    ("cache", "pages"): "documents",
    ("cache", "unrendered"): "documents",
    ("cache", "unread"): "documents",
    ("cache", "scans"): "documents",
    ("cache", "seen"): "documents",
    ("cache", "changes"): "documents",
    ("cache", "containers"): "members",
    ("cache", "members"): "members",
    ("cache", "chunks"): "chunks",
    ("cache", "chunk_lists"): "chunks",
    ("cache", "counts"): "chunks",
    ("cache", "dense"): "vectors",
    ("cache", "lexical"): "vectors",
    ("cache", "pairs"): "tuning",
    ("cache", "trials"): "tuning",
}
"""What is looked through. Replies, copies that were filled, what is made of models, and runs are nobody's garbage."""
FOLDERS = (*_KINDS, ("staging",))


class Removed(NamedTuple):
    """How many files of a kind went, or would go, and what they weigh."""

    files: int
    size_bytes: int


@dataclass(frozen=True, slots=True)
class Needed:
    """What is needed: ``indexes`` by their names, and the paths of ``files``, without what follows the first dot."""

    indexes: frozenset[str]
    files: frozenset[tuple[str, ...]]


def kept_indexes(
    versions: Collection[Version], plans: Mapping[str, Plan], unread: Collection[str], published: Mapping[str, datetime]
) -> frozenset[str]:
    """The names of the indexes to keep: of ``plans``, by their index keys; of plans called as those in ``unread``,
    whose files cannot be read now; and, where that would leave a corpus without anything live, of its live ones the
    one that was ``published`` last, by the names of indexes.
    """
    known = {_name(one.manifest) for one in versions if _is_known(one.manifest, plans, unread)}
    live: dict[str, set[str]] = {}
    for version in versions:
        if version.is_live:
            live.setdefault(version.manifest.corpus, set()).add(_name(version.manifest))
    never = datetime.min.replace(tzinfo=UTC)
    for names in live.values():
        if names.isdisjoint(known):
            known.add(max(sorted(names), key=lambda name: published.get(name, never)))
    return frozenset(known)


def kept_versions(
    versions: Collection[Version], indexes: Collection[str], histories: Mapping[str, list[str]], count: int
) -> list[Manifest]:
    """The manifests of the versions that stay: of those ``indexes``, the live one, the last ``count`` that were made,
    and the last that were live by their ``histories``. They are what a refresh keeps.
    """
    made: dict[str, list[str]] = {}
    for version in versions:
        made.setdefault(_name(version.manifest), []).append(version.manifest.index_version)
    return [
        version.manifest
        for version in versions
        if (name := _name(version.manifest)) in indexes
        and (
            version.is_live
            or version.manifest.index_version in wanted_versions(made[name], histories.get(name, []), count)
        )
    ]


def own_tables(kept: Iterable[Manifest]) -> frozenset[str]:
    """The names of the tables that those versions have for themselves."""
    return frozenset(own_name(_name(manifest), manifest.index_version) for manifest in kept)


def index_of(table: str, indexes: Collection[str]) -> str | None:
    """The index among ``indexes`` whose table has that name, or None."""
    return next((name for name in indexes if table.startswith(f"{name}.")), None)


def garbage(
    files: Iterable[Stored], needed: Needed, now: datetime, *, young_too: bool = False
) -> Iterator[tuple[Kind, Stored]]:
    """Those of ``files`` below FOLDERS that nothing needs, each with what kind it is of.

    Of the lake, and of what was live, an index takes its own with it; all else has to be old enough, too, unless
    ``young_too``: then only what was left in ``staging`` has.
    """
    for file in files:
        top, below, *_ = (*file.parts, "")
        if top == "staging":
            if below.startswith(ASIDE) or now - file.written_at > SPARED:
                yield "staging", file
            continue
        kind = _KINDS[top, below]
        if kind == "indexes":
            if _index_named_by(file.parts) not in needed.indexes:
                yield kind, file
        elif (young_too or now - file.written_at > SPARED) and stem(file.parts) not in needed.files:
            yield kind, file


def stem(parts: tuple[str, ...]) -> tuple[str, ...]:
    """The path of a file without what follows the first dot of its name: a state's name is no part of its key."""
    return *parts[:-1], parts[-1].split(".")[0]


def _index_named_by(parts: tuple[str, ...]) -> str:
    if parts[0] == "index":
        return parts[-1].removesuffix(".json")
    named = dict(part.partition("=")[::2] for part in parts if "=" in part)
    return index_name(named.get("corpus", ""), named.get("index_key", ""))


def _is_known(manifest: Manifest, plans: Mapping[str, Plan], unread: Collection[str]) -> bool:
    return manifest.index_key in plans or manifest.plan in unread


def _name(manifest: Manifest) -> str:
    return index_name(manifest.corpus, manifest.index_key)
