"""Cache of what archives and mails hold: the list of each container's members, and their bytes by content hash."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, replace
from hashlib import sha256

from tasks.records import SourceFile
from tasks.storage.stage_cache import StageCache


class MemberCache(StageCache):
    """The members of opened containers."""

    def put_members(self, key: str, files: Iterable[SourceFile]) -> None:
        """Store the list of a container's members."""
        self.put_json([asdict(file) for file in files], *_container(key))

    def members(self, key: str) -> list[SourceFile] | None:
        """The members of a container; None where the list, or a member's bytes, are missing or damaged."""
        if self.get_json(*_container(key)) is None:
            return None
        files = self.listed_members(key)
        if any(self.member(file.content_sha256) is None for file in files if file.path):
            return None
        # The home may have been moved since the list was written.
        return [
            replace(file, path=self._lake.url(*_member(file.content_sha256))) if file.path else file for file in files
        ]

    def listed_members(self, key: str) -> list[SourceFile]:
        """The members of a container, even if their bytes are missing; empty for a container that was never opened."""
        return [SourceFile(**file) for file in self.get_json(*_container(key)) or []]

    def put_member(self, data: bytes, content_sha256: str) -> str:
        """Store a member's bytes; returns the URL to read them."""
        if self.member(content_sha256) is None:
            self._lake.put(data, *_member(content_sha256))
        return self._lake.url(*_member(content_sha256))

    def member(self, content_sha256: str) -> bytes | None:
        """The bytes of a member; None where the hash is unknown, or the stored bytes are others."""
        data = self._lake.get(*_member(content_sha256))
        return data if data is not None and sha256(data).hexdigest() == content_sha256 else None


def _container(key: str) -> tuple[str, ...]:
    return "cache", "containers", f"{key}.json"


def _member(content_sha256: str) -> tuple[str, ...]:
    return "cache", "members", content_sha256
