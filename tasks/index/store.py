"""The LanceDB index: versions are staged, then one tag, ``live``, is moved to publish.

One Lance table a corpus and index key. A staged version is a Lance version under its own tag ``v-<id>``, so that
clean-up keeps it; readers open the version under ``live`` and never see another. The manifest travels in the
version's schema, so that rows and manifest cannot come apart.
"""

from __future__ import annotations

import fcntl
import json
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from datetime import timedelta
from pathlib import Path

import lancedb
import pyarrow as pa
from lancedb.table import Table

from tasks.errors import IndexLocked, UsageError
from tasks.index.versions import LIVE, Manifest, Version

_MANIFEST = b"bidfolio.manifest"
_CORPUS_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*")
"""What LanceDB and a Hive partition both take for a name."""
KEEP_UNTAGGED = timedelta(days=1)
"""How long a version that no tag names is kept for those who still read it."""


class IndexStore:
    """The indexes below ``home``, a local folder or an object store's URL."""

    def __init__(self, home: str) -> None:
        self.uri = f"{home.rstrip('/')}/index"
        self._local = "://" not in home

    @contextmanager
    def writing(self, corpus: str) -> Iterator[None]:
        """Holds the right to write a corpus' indexes; the lock goes with the process, even by ``kill -9``.

        Raises IndexLocked where another process has it, UsageError where ``corpus`` cannot be a name. An object store
        has no such lock: one writer is the scheduler's duty there.
        """
        if not _CORPUS_NAME.fullmatch(corpus):
            raise UsageError(f"{corpus!r} cannot name a corpus: take letters, digits, '-', '_' and '.'")
        if not self._local:
            yield
            return
        try:
            Path(self.uri).mkdir(parents=True, exist_ok=True)
            lock = os.open(f"{self.uri}/{corpus}.lock", os.O_CREAT | os.O_RDWR)
        except PermissionError as error:
            raise UsageError(
                f"no permission to write {self.uri}: choose another --home, or give this user the right to write there"
            ) from error
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            yield
        except BlockingIOError as error:
            raise IndexLocked(
                f"another refresh is writing the corpus {corpus!r}: wait for it to end, then run this one again"
            ) from error
        finally:
            os.close(lock)

    def stage(self, manifest: Manifest, rows: pa.Table) -> None:
        """Writes ``rows`` as a version of its own, tagged ``v-<id>``; what is live stays as it is."""
        named = rows.replace_schema_metadata({_MANIFEST: json.dumps(asdict(manifest)).encode()})
        table = lancedb.connect(self.uri).create_table(
            _table_name(manifest.corpus, manifest.index_key), named, mode="overwrite"
        )
        self._tag(table, f"v-{manifest.index_version}", table.version)

    def publish(self, corpus: str, index_key: str, index_version: str) -> None:
        """Moves ``live`` to that version, in one step. Raises UsageError where there is no such version."""
        table, number = self._version(corpus, index_key, index_version)
        self._tag(table, LIVE, number)
        table.checkout_latest()
        table.optimize(cleanup_older_than=KEEP_UNTAGGED)

    def live(self, corpus: str, index_key: str) -> Manifest | None:
        """The manifest of the live version, or None where nothing is published."""
        found = self._find(corpus, index_key)
        if found is None or LIVE not in (tags := _tags(found)):
            return None
        return self._manifest(found, tags[LIVE])

    def rows(self, corpus: str, index_key: str, index_version: str) -> pa.Table:
        """All rows of that version, in the order in which they were staged. Raises UsageError where it is gone."""
        table, number = self._version(corpus, index_key, index_version)
        table.checkout(number)
        return table.to_arrow().sort_by("position")

    def manifest(self, corpus: str, index_key: str, index_version: str) -> Manifest:
        """That version's manifest. Raises UsageError where it is gone."""
        return self._manifest(*self._version(corpus, index_key, index_version))

    def versions(self) -> list[Version]:
        """Every staged or published version of every index, oldest first; none where there is no index."""
        found: list[Version] = []
        database = lancedb.connect(self.uri)
        for name in sorted(database.list_tables().tables):
            table = database.open_table(name)
            tags = _tags(table)
            for number in sorted(set(tags.values())):
                names = tuple(sorted(tag for tag, at in tags.items() if at == number))
                found.append(Version(self._manifest(table, number), number, names))
        return found

    def _version(self, corpus: str, index_key: str, index_version: str) -> tuple[Table, int]:
        table = self._open(corpus, index_key)
        tags = _tags(table)
        number = tags.get(f"v-{index_version}")
        if number is None:
            known = sorted(tag.removeprefix("v-") for tag in tags if tag.startswith("v-"))
            raise UsageError(f"there is no index version {index_version!r}; there are {', '.join(known) or 'none'}")
        return table, number

    def _find(self, corpus: str, index_key: str) -> Table | None:
        database = lancedb.connect(self.uri)
        name = _table_name(corpus, index_key)
        return database.open_table(name) if name in database.list_tables().tables else None

    def _open(self, corpus: str, index_key: str) -> Table:
        table = self._find(corpus, index_key)
        if table is None:
            raise UsageError(f"there is no index of {corpus!r} for this plan: run `bidfolio refresh` with it first")
        return table

    @staticmethod
    def _manifest(table: Table, number: int) -> Manifest:
        table.checkout(number)
        raw = json.loads(table.schema.metadata[_MANIFEST])
        table.checkout_latest()
        # A version made before manifests had the key fits no documents: it is refreshed before it answers again.
        return Manifest(**{"documents_key": ""} | raw)

    @staticmethod
    def _tag(table: Table, tag: str, number: int) -> None:
        (table.tags.update if tag in table.tags.list() else table.tags.create)(tag, number)


def _tags(table: Table) -> dict[str, int]:
    return {tag: int(at["version"]) for tag, at in table.tags.list().items()}


def _table_name(corpus: str, index_key: str) -> str:
    return f"{corpus}-{index_key}"
