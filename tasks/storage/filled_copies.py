"""Records of the files that bidfolio wrote for questionnaires: as it left them, and the drafts that stand in them."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path

from tasks.errors import Damaged
from tasks.records import content_id
from tasks.storage.commits import Commits, of_drafts, of_filled
from tasks.storage.stage_cache import StageCache
from tasks.storage.stored_file import Stored

_RECORDS, _DRAFTS = ("index", "filled"), ("index", "drafts")


class FilledCopies(StageCache):
    """The home's records of filled copies and evidence workbooks."""

    def left_as(self, target: Path) -> Mapping[str, str] | None:
        """The values by which a file at that path was recorded when it was written; None where none was."""
        found: Mapping[str, str] | None = self.get_json(*_RECORDS, _name(target))
        return found

    def record(self, target: Path, identity: Mapping[str, str], data: bytes) -> None:
        """Record a file that is about to be written, so that the same run may write it again as long as nobody has
        changed it, also where it was killed before or after the writing.
        """
        there, name = _sha256(target.read_bytes()) if target.exists() else "", _name(target)
        self.put_json({**identity, "filled": _sha256(data), "before": there}, *_RECORDS, name)
        of_copy = of_filled(name.removesuffix(".json"))
        Commits(self._lake).put(of_copy, [_RECORDS], lambda parts: parts[-1] == name, rewritten=("index/filled/",))

    def is_own(self, target: Path, identity: Mapping[str, str]) -> bool:
        """Tell if the file at that path is as a run of that identity left it."""
        left, there = dict(self.left_as(target) or {}), _sha256(target.read_bytes())
        written = left.pop("filled", ""), left.pop("before", "")
        return left == identity and there in written

    def written_among(self, folder: str, names: Iterable[str]) -> frozenset[str]:
        """The names below a local folder at which a file without review columns was written.

        Nothing in such a file tells a draft from an answer, so that it is no document.
        """
        recorded = frozenset(self._lake.names(*_RECORDS, suffix=".json"))
        if not recorded or "://" in folder:
            return frozenset()
        found = ((name, self.left_as(Path(folder, name))) for name in names if _name(Path(folder, name)) in recorded)
        return frozenset(name for name, record in found if record is not None and record.get("evidence") != "inline")

    def record_drafts(self, run_id: str, drafts: Sequence[str]) -> None:
        """Record the keys of the drafts that a run wrote, in place of those recorded for it before."""
        name = f"{run_id}.json"
        self.put_json(sorted(drafts), *_DRAFTS, name)
        Commits(self._lake).put(
            of_drafts(run_id), [_DRAFTS], lambda parts: parts[-1] == name, rewritten=("index/drafts/",)
        )

    def damaged_drafts(self, run_ids: Collection[str]) -> list[Stored]:
        """The files of the drafts of those runs that are not what was written."""
        found = [file for file in self._lake.below(*_DRAFTS) if file.parts[-1].removesuffix(".json") in run_ids]
        return [file for file in found if not self._is_whole(file)]

    def _is_whole(self, file: Stored) -> bool:
        try:
            self._lake.get(*file.parts)
        except Damaged:
            return False
        return True

    def drafts(self) -> frozenset[str]:
        """The keys of the drafts of all runs (:func:`tasks.questionnaires.completed.drafts.draft_key`)."""
        names = self._lake.names(*_DRAFTS, suffix=".json")
        return frozenset(key for name in names for key in self.get_json(*_DRAFTS, name) or ())


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _name(target: Path) -> str:
    return f"{content_id('filled', str(target.resolve()))}.json"
