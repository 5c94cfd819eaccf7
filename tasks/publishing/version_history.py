"""Record of the versions that were live."""

from __future__ import annotations

from collections.abc import Sequence

from tasks.storage.stage_cache import StageCache


class VersionHistory(StageCache):
    """The history of each index."""

    def put_history(self, corpus: str, index_key: str, versions: Sequence[str]) -> None:
        """Store the versions that were live, the oldest first, without those that were rolled back."""
        self.put_json(list(versions), "index", "history", f"{corpus}-{index_key}.json")

    def history(self, corpus: str, index_key: str) -> list[str]:
        """The versions that were live, the oldest first."""
        return self.get_json("index", "history", f"{corpus}-{index_key}.json") or []
