"""Cache of converted files: documents and quarantined files as JSON, by id and version of the conversion."""

from __future__ import annotations

from collections.abc import Collection

import orjson

from tasks.conversion.document.serialization import from_json, to_json
from tasks.conversion.files.reconversion import Note
from tasks.conversion.files.version import LOGIC_VERSION
from tasks.records import Document, Quarantined
from tasks.storage.stage_cache import StageCache


class ConvertedCache(StageCache):
    """The converted files of a home, and notes about them."""

    def put_document(self, document: Document | Quarantined) -> None:
        """Store a converted file."""
        self.put_document_json(document.document_id, to_json(document))

    def put_document_json(self, document_id: str, raw: bytes) -> None:
        """Store a converted file that is JSON already: to parse a long one only to write it again takes seconds."""
        self._lake.put(raw, *_document(document_id))

    def document(self, document_id: str) -> Document | Quarantined | None:
        """The converted file, if this version of the conversion made it."""
        raw = self.document_json(document_id)
        return None if raw is None else from_json(raw)

    def document_json(self, document_id: str, version: str = LOGIC_VERSION) -> bytes | None:
        """The JSON of :meth:`document`; of another ``version`` where one is given."""
        return self._lake.get(*_document(document_id, version))

    def has_document(self, document_id: str) -> bool:
        """Tell if a file converted by this version of the conversion is stored."""
        return self._lake.has(*_document(document_id))

    def conversions(self) -> dict[str, str]:
        """The newest version of the conversion by which each converted file is kept, by its id."""
        names = (name.removesuffix(".json") for name in self._lake.names("index", "converted", suffix=".json"))
        found = [(int(version), document_id) for document_id, _, version in (name.rpartition("-") for name in names)]
        return {document_id: str(version) for version, document_id in sorted(found)}

    def section_paths(self, document_id: str) -> list[tuple[int | None, str]] | None:
        """The start and section path of each element in a converted file; None where it is missing."""
        raw = self.document_json(document_id)
        found = [] if raw is None else orjson.loads(raw).get("elements", [])
        return None if raw is None else [(element["start"], element["section_path"]) for element in found]

    def drop_pages(self, document_ids: Collection[str]) -> None:
        """Delete what the page finders computed from these files, of any version; files without any are no error."""
        for name in self._lake.names("cache", "pages", suffix=".npz"):
            if name.partition("-")[0] in document_ids:
                self._lake.drop("cache", "pages", name)

    def note(self, what: Note, document_id: str, holds: bool = True) -> None:
        """Set or, without ``holds``, delete a note about a converted file."""
        where = "cache", what, f"{document_id}-{LOGIC_VERSION}.json"
        if not holds:
            return self._lake.drop(*where)
        return self._lake.put(b"true", *where)

    def noted(self, what: Note) -> frozenset[str]:
        """The ids of the files with that note."""
        end = f"-{LOGIC_VERSION}.json"
        return frozenset(name.removesuffix(end) for name in self._lake.names("cache", what, suffix=end))


def _document(document_id: str, version: str = LOGIC_VERSION) -> tuple[str, ...]:
    # With the index, not the cache: a rollback to a version restores its pages.
    return "index", "converted", f"{document_id}-{version}.json"
