"""Record of the versions that were live, and of the version whose publishing has begun."""

from __future__ import annotations

from collections.abc import Sequence

from tasks.storage.stage_cache import StageCache


class VersionHistory(StageCache):
    """The history of each index, and the mark of a publishing in progress."""

    def put_history(self, corpus: str, index_key: str, versions: Sequence[str]) -> None:
        """Store the versions that were live, the oldest first, without those that were rolled back."""
        self.put_json(list(versions), "index", "history", f"{corpus}-{index_key}.json")

    def history(self, corpus: str, index_key: str) -> list[str]:
        """The versions that were live, the oldest first."""
        return self.get_json("index", "history", f"{corpus}-{index_key}.json") or []

    def put_publishing(self, corpus: str, index_version: str) -> None:
        """Mark a version as being published; an empty string clears the mark."""
        self._lake.put(index_version.encode(), "index", "publishing", corpus)

    def publishing(self, corpus: str) -> str:
        """The version whose publishing has begun and not ended; empty where there is none."""
        return (self._lake.get("index", "publishing", corpus) or b"").decode()
