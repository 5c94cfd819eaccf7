"""Cache of scans: the files of a corpus, and the fingerprints of a store's objects."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict

from tasks.records import SourceFile, content_id
from tasks.sources.object_fingerprints import LOGIC_VERSION, Seen
from tasks.storage.stage_cache import StageCache

_SCANNED = ("index", "scanned")


class ScanCache(StageCache):
    """The results of scans, by the key of the corpus' documents or by corpus and source."""

    def put_files(self, key: str, files: Iterable[SourceFile]) -> None:
        """Store the list of a corpus' files."""
        self.put_json([asdict(file) for file in files], "cache", "scans", f"{key}.json")

    def files(self, key: str) -> list[SourceFile] | None:
        """The list of a corpus' files."""
        found = self.get_json("cache", "scans", f"{key}.json")
        return None if found is None else [SourceFile(**file) for file in found]

    def put_last_scan(self, corpus: str, key: str) -> None:
        """Record the scan of that corpus that was made last: a refresh that was killed goes on with its files."""
        self.put_json(key, *_last_scan(corpus))

    def last_scan(self, corpus: str) -> str | None:
        """The key of the scan of that corpus that was made last; None where an earlier bidfolio made it."""
        found: str | None = self.get_json(*_last_scan(corpus))
        return found

    def scanned(self) -> frozenset[str]:
        """The corpora whose last scan is recorded, published or not."""
        return frozenset(name.removesuffix(".json") for name in self._lake.names(*_SCANNED, suffix=".json"))

    def drop_last_scan(self, corpus: str) -> None:
        """Forget the last scan of that corpus."""
        self._lake.drop(*_last_scan(corpus))

    def put_seen(self, corpus: str, source: str, seen: Mapping[str, Seen]) -> None:
        """Store the fingerprints of a store's objects as of that corpus' scan, by name."""
        self.put_json(dict(seen), *_seen(corpus, source))

    def seen(self, corpus: str, source: str) -> dict[str, Seen]:
        """The fingerprints of a store's objects as of the last scan, by name;
        empty for a source that was never scanned.
        """
        found = self.get_json(*_seen(corpus, source)) or {}
        return {name: Seen(*one) for name, one in found.items()}


def _last_scan(corpus: str) -> tuple[str, ...]:
    return *_SCANNED, f"{corpus}.json"


def _seen(corpus: str, source: str) -> tuple[str, ...]:
    return "cache", "seen", f"{content_id(corpus, source, LOGIC_VERSION)}.json"
