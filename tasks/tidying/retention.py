"""Garbage collection: what a home still needs, by index names and cache keys, and which of its files are garbage."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Literal, NamedTuple

from configs.plans import Plan
from tasks.index.names import index_name, own_name
from tasks.index.versions import Manifest, Version, wanted_versions
from tasks.storage.stored_file import Stored

SPARED = timedelta(days=1)
"""Age below which a measured trial is kept, since a grid that was killed goes on with it, and a file in ``staging/`` of
an object store, which may be being written. The age of no other file matters.
"""
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
"""Folders that are searched for garbage, and the kind of their files. Model replies, filled copies, model files and
runs are never garbage. What is in ``staging/`` belongs to a process.
"""
FOLDERS = tuple(_KINDS)


class Removed(NamedTuple):
    """Number and total size of the files of a kind that were, or would be, removed."""

    files: int
    size_bytes: int


@dataclass(frozen=True, slots=True)
class Needed:
    """Names and keys of everything a home still needs: ``indexes`` by name, and the paths of ``files``.

    The path of a file is cut at the first dot of its name.
    """

    indexes: frozenset[str]
    files: frozenset[tuple[str, ...]]


def kept_indexes(
    versions: Collection[Version], plans: Mapping[str, Plan], unread: Collection[str], published: Mapping[str, datetime]
) -> frozenset[str]:
    """The names of the indexes to keep.

    They are those of ``plans``, by their index keys; those of plans named in ``unread``, whose files cannot be read
    now; and, if a corpus would be left without a live index, its live index that was ``published`` last (by index
    name).
    """
    manifests = [version.manifest for version in versions]
    known = {_name(one) for one in manifests if one.index_key in plans or one.plan in unread}
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
    """The manifests of the versions to keep, the same that a refresh keeps.

    Of each of ``indexes``: the live version, the last ``count`` that were made, and the last that were live by
    ``histories``.
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
    """The names of the tables that belong to those versions alone."""
    return frozenset(own_name(_name(manifest), manifest.index_version) for manifest in kept)


def index_of(table: str, indexes: Collection[str]) -> str | None:
    """The index among ``indexes`` that the table belongs to by its name, or None."""
    return next((name for name in indexes if table.startswith(f"{name}.")), None)


def garbage(files: Iterable[Stored], needed: Needed, now: datetime) -> Iterator[tuple[Kind, Stored]]:
    """The files below FOLDERS that nothing needs, each with its kind; of trials, those that are older than SPARED."""
    for file in files:
        kind = _KINDS[file.parts[0], file.parts[1]]
        if kind == "indexes":
            if _index_named_by(file.parts) not in needed.indexes:
                yield kind, file
        elif stem(file.parts) not in needed.files and (file.parts[1] != "trials" or now - file.written_at > SPARED):
            yield kind, file


def deleted_documents(rows: Iterable[Mapping[str, Any]], present: Iterable[Mapping[str, Any]]) -> frozenset[str]:
    """The names of the documents in ``rows`` that are not ``present`` any more, neither by name nor by content.

    A document under a new name and one with new content are present: earlier versions of the index may hold them.
    """
    there = list(present)
    names, contents = ({one[column] for one in there} for column in ("file_name", "content_sha256"))
    return frozenset(
        row["file_name"] for row in rows if row["file_name"] not in names and row["content_sha256"] not in contents
    )


def stem(parts: tuple[str, ...]) -> tuple[str, ...]:
    """The path of a file without the part of its name after the first dot: a state's name is no part of its key."""
    return *parts[:-1], parts[-1].split(".")[0]


def _index_named_by(parts: tuple[str, ...]) -> str:
    if parts[0] == "index":
        return parts[-1].removesuffix(".json")
    named = dict(part.partition("=")[::2] for part in parts if "=" in part)
    return index_name(named.get("corpus", ""), named.get("index_key", ""))


def _name(manifest: Manifest) -> str:
    return index_name(manifest.corpus, manifest.index_key)
