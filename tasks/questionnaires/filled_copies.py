"""Records of the files that bidfolio wrote for questionnaires: as it left them, and the drafts that stand in them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from tasks.records import content_id
from tasks.storage.stage_cache import StageCache


class FilledCopies(StageCache):
    """The home's records of filled copies and evidence workbooks."""

    def left_as(self, target: Path) -> Mapping[str, str] | None:
        """The values by which a file at that path was recorded when it was written; None where none was."""
        found: Mapping[str, str] | None = self.get_json(*_key(target))
        return found

    def record(self, target: Path, identity: Mapping[str, str]) -> None:
        """Record a written file, so that the same run may write it again as long as nobody has changed it."""
        self.put_json(identity, *_key(target))

    def record_drafts(self, run_id: str, drafts: Sequence[str]) -> None:
        """Record the keys of the drafts that a run wrote, in place of those recorded for it before."""
        self.put_json(sorted(drafts), "index", "drafts", f"{run_id}.json")

    def drafts(self) -> frozenset[str]:
        """The keys of the drafts of all runs (:func:`tasks.questionnaires.reading.drafts.draft_key`)."""
        names = self._lake.names("index", "drafts", suffix=".json")
        return frozenset(key for name in names for key in self.get_json("index", "drafts", name) or ())


def _key(target: Path) -> tuple[str, str, str]:
    return "index", "filled", f"{content_id('filled', str(target.resolve()))}.json"
