"""Record of filled copies: the run that made each, so that the same run may write it again."""

from __future__ import annotations

from collections.abc import Mapping

from tasks.storage.stage_cache import StageCache


class FilledCopies(StageCache):
    """The identities of the runs that made filled copies, by the key of the copy's path."""

    def put_filled(self, key: str, identity: Mapping[str, str]) -> None:
        """Store the identity of the run that made a filled copy."""
        self.put_json(dict(identity), "index", "filled", f"{key}.json")

    def filled(self, key: str) -> dict[str, str] | None:
        """The identity of the run that made a filled copy."""
        found: dict[str, str] | None = self.get_json("index", "filled", f"{key}.json")
        return found
