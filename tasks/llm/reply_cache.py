"""Cache of model servers' replies, by the key of the request and the run that got them."""

from __future__ import annotations

from typing import Any

from tasks.runtime.runs import acting_run, start_run
from tasks.storage.stage_cache import StageCache

FOLDER = ("cache", "replies")


class ReplyCache(StageCache):
    """The replies that a home keeps.

    Each run that gets a reply has a file of its own, ``<key>/<run_id>.json``, which also says of what kind, corpus,
    source and user the run is: so a purge finds the replies of a run that was killed before it recorded anything.
    """

    def put_reply(self, key: str, reply: str) -> None:
        """Store a model server's reply for the run that this thread acts for, or for a run of its own."""
        run = acting_run() or start_run("request", "", "")
        whose = {name: getattr(run, name) for name in ("kind", "corpus", "source", "asked_by")}
        self.put_json({"reply": reply, **whose}, *FOLDER, key, f"{run.run_id}.json")

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
