"""Cache of model servers' replies, by the key of the request."""

from __future__ import annotations

from tasks.storage.stage_cache import StageCache


class ReplyCache(StageCache):
    """The replies that a home keeps."""

    def put_reply(self, key: str, reply: str) -> None:
        """Store a model server's reply."""
        self.put_json(reply, "cache", "replies", f"{key}.json")

    def reply(self, key: str) -> str | None:
        """The stored reply of a model server."""
        found: str | None = self.get_json("cache", "replies", f"{key}.json")
        return found
