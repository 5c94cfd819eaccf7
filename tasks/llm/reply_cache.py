"""Cache of model servers' replies, by the key of the request and the run that got them."""

from __future__ import annotations

from typing import Any

from tasks.runtime.acting import acting_run
from tasks.storage.stage_cache import StageCache

FOLDER = ("cache", "replies")
NOBODYS = "19700101T000000-000000"
"""The run whose replies those are that a program asks for outside any run."""
_WHOSE = ("kind", "corpus", "source", "asked_by")


class ReplyCache(StageCache):
    """The replies that a home keeps.

    Each run that gets a reply has a file of its own, ``<key>/<run_id>.json``, which also says of what kind, corpus,
    source and user the run is: so a purge finds the replies of a run that was killed before it recorded anything.
    """

    def put_reply(self, key: str, reply: str) -> None:
        """Store a model server's reply for the run that this thread acts for, or as NOBODYS."""
        run = acting_run()
        whose = {name: getattr(run, name, "request" if name == "kind" else None) for name in _WHOSE}
        self.put_json({"reply": reply, **whose}, *FOLDER, key, f"{run.run_id if run else NOBODYS}.json")

    def reply(self, key: str) -> str | None:
        """The stored reply of a model server, whichever run got it; it is stored for the acting run as well."""
        names = self._lake.names(*FOLDER, key, suffix=".json")
        run = acting_run()
        own = f"{run.run_id}.json" if run else ""
        for name in [own] if own in names else names:
            kept: dict[str, Any] | None = self.get_json(*FOLDER, key, name)
            if kept is not None:  # else it is being purged
                if run and own not in names:
                    self.put_reply(key, kept["reply"])
                return str(kept["reply"])
        return None
