"""Commit manifests of a corpus and of an index: what a publish has left, and what a refresh relies on."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from tasks.conversion.files.converted_cache import ConvertedCache
from tasks.index.names import index_name
from tasks.index.versions import Manifest
from tasks.storage.commits import Commits, Parts, of_corpus, of_index
from tasks.storage.document_rows import DocumentRows

if TYPE_CHECKING:
    from tasks.index.store import IndexStore
    from tasks.storage.lake import Lake

TABLES_OF_CORPUS = ("documents", "pages", "elements", "lines")
TABLES_OF_INDEX = ("chunks", "vectors")
_OF_PUBLISH = ("lake/", "index/history/")


def tables_of_corpus(corpus: str) -> list[Parts]:
    """The folders of the tables of a corpus."""
    return [("lake", table, f"corpus={corpus}") for table in TABLES_OF_CORPUS]


def tables_of_index(corpus: str, index_key: str) -> list[Parts]:
    """The folders of the tables of an index."""
    return [("lake", table, f"corpus={corpus}", f"index_key={index_key}") for table in TABLES_OF_INDEX]


def is_recorded(lake: Lake, corpus: str, index_key: str) -> bool:
    """Tell if an index and its corpus were published to the end, and nothing of them was found damaged since."""
    return all(Commits(lake).paths(name) for name in (of_corpus(corpus), of_index(corpus, index_key)))


def is_as_left(lake: Lake, corpus: str, index_key: str) -> bool:
    """Tell if an index and its corpus were published to the end, and none of their files is gone or changed since.

    By sizes and times: only a file of another time is read.
    """
    commits = Commits(lake)
    names = (of_corpus(corpus), of_index(corpus, index_key))
    return all(commits.faults(name, wholly=False) == [] for name in names)


def recorded_live(lake: Lake, corpus: str, index_key: str) -> Manifest | None:
    """The live version's manifest as it was recorded when the index was last written, without opening the index.

    None where none is on record: nothing is published, or the record was lost.
    """
    live = Commits(lake).told(of_index(corpus, index_key)).get("live")
    return Manifest.of(live) if live else None


def commit_corpus(lake: Lake, corpus: str, documents_key: str) -> None:
    """Record the tables of a corpus, and the converted documents that they were made of."""
    rows = DocumentRows(lake).document_rows(corpus, documents_key) or []
    conversions = ConvertedCache(lake).conversions()
    ids = (row["document_id"] for row in rows)
    wanted = {f"{one}-{conversions[one]}.json" for one in ids if one in conversions} | {f"{documents_key}.json"}
    Commits(lake).put(
        of_corpus(corpus),
        [*tables_of_corpus(corpus), ("index", "documents", corpus), ("index", "converted")],
        lambda parts: parts[0] == "lake" or parts[-1] in wanted,
        {"documents_key": documents_key},
        ("lake/", "index/documents/", "index/converted/"),
    )


def commit_index(lake: Lake, store: IndexStore, corpus: str, index_key: str, *, is_published: bool = False) -> None:
    """Record the versions of an index with their fitted states, and the live one's rows in the lake.

    ``is_published`` where these rows have just been written.
    """
    versions = [one for one in store.versions() if (one.manifest.corpus, one.manifest.index_key) == (corpus, index_key)]
    live = next((asdict(one.manifest) for one in versions if one.is_live), None)
    name = index_name(corpus, index_key)
    keys = {key for one in versions for key in one.manifest.state_keys}
    tables = [table for table in lake.names("index", suffix=".lance") if table.startswith(f"{name}.")]

    def is_own(parts: tuple[str, ...]) -> bool:
        if parts[:2] == ("index", "states"):
            return parts[-1].partition(".")[0] in keys
        return parts[:2] != ("index", "history") or parts[-1] == f"{name}.json"

    Commits(lake).put(
        of_index(corpus, index_key),
        [
            *tables_of_index(corpus, index_key),
            *(("index", table) for table in tables),
            ("index", "states"),
            ("index", "history"),
        ],
        is_own,
        {"live": live},
        _OF_PUBLISH if is_published else (),
    )
