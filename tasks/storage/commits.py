"""Commit manifests: the size, time and digest of every file that a publish or a run has left in the home.

A manifest is written when its files are, so that a file that is gone, cut short or exchanged later is seen: quickly, by
size and time, where something relies on it, and wholly, by digest, in a check of the home. The cache is in
none: it may be deleted at any time.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import chain
from typing import Any, NamedTuple

from tasks.errors import Damaged
from tasks.storage.stage_cache import StageCache
from tasks.storage.stored_file import Stored

Parts = tuple[str, ...]
_FOLDER = ("index", "commits")
_AT_ONCE = 8
_READS = 12
"""The number of attempts to hold files against a record that another process may write anew meanwhile."""
_REWRITTEN = ("/_refs/", "/_versions/latest_version_hint.json")
"""Parts of the paths in a Lance table that are written again under the same name."""
_RUN = "run_id="
_OF_ANY_RUN = "sessions"
"""The folder whose files a run's manifest names though their paths do not name the run."""


class Fault(NamedTuple):
    """A committed file that is not as it was left: its path below the home, and what is wrong with it."""

    parts: Parts
    why: str


class _Entry(NamedTuple):
    size_bytes: int
    written_at: str
    sha256: str


class Commits(StageCache):
    """The commit manifests of a home."""

    def put(
        self,
        name: str,
        folders: Iterable[Parts],
        names: Callable[[Parts], bool] = lambda _: True,
        told: Mapping[str, Any] | None = None,
        rewritten: Collection[str] = (),
    ) -> None:
        """Record the files below those folders whose paths pass ``names``, in place of what was recorded as ``name``.

        ``told`` is kept with them. A file that is as it was recorded is not read again. A file that is recorded with
        other bytes stays recorded so, as a damaged one, unless its path has one of ``rewritten`` in it.
        """
        places = list(folders)
        before = self._entries(self._read(name))
        found = {"/".join(file.parts): file for file in self._below(places) if names(file.parts)}
        known = {path: before[path] for path, file in found.items() if path in before and _is_like(file, before[path])}
        new = [path for path in found if path not in known]
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            digests = dict(zip(new, pool.map(lambda path: self._lake.digest(*path.split("/")), new), strict=True))
        entries = {path: known.get(path) or _entry(file, digests[path]) for path, file in found.items()}
        for path, entry in before.items():
            is_fixed = not any(part in path for part in (*_REWRITTEN, *rewritten))
            if is_fixed and path in entries and entries[path].sha256 != entry.sha256:
                entries[path] = entry
        value = {"folders": places, "files": entries, "told": dict(told or {})}
        self.put_json(value, *_FOLDER, f"{name}.json")

    def add(self, name: str, files: Iterable[Stored]) -> None:
        """Record files as they are now, beside what is recorded as ``name``."""
        record = self._read(name)
        new = {"/".join(file.parts): _entry(file, self._lake.digest(*file.parts)) for file in files}
        folders = {tuple(folder) for folder in record.get("folders", ())} | {
            tuple(path.split("/")[:-1]) for path in new
        }
        value = {"folders": sorted(folders), "files": record.get("files", {}) | new, "told": record.get("told", {})}
        self.put_json(value, *_FOLDER, f"{name}.json")

    def owner(self, parts: Parts) -> str:
        """The name of the manifest that has a file on record, as :func:`owner_of`; that of a turn is its run's."""
        if parts[0] != "sessions":
            return owner_of(parts)
        run_id = (self.get_json(*parts) or {}).get("run_id")  # an earlier bidfolio wrote none
        return of_run(run_id, "turn") if run_id else ""

    def faults(self, name: str, *, wholly: bool) -> list[Fault] | None:
        """The recorded files that are gone or changed; None where nothing, or nothing readable, is recorded.

        A file of the same size and time is taken as it was, unless it is to be read ``wholly``; any other of the same
        size is read. All are held against the record again where another process has written that meanwhile.
        """
        record = self._read(name)
        for _ in range(_READS):
            found, before = self._faults(record, wholly=wholly), record
            if not found or (record := self._read(name)) == before:
                break
        return found

    def _faults(self, record: Mapping[str, Any], *, wholly: bool) -> list[Fault] | None:
        entries = {} if record.get("is_open") else self._entries(record)
        if not entries:
            return None
        there = {"/".join(file.parts): file for file in self._below([tuple(one) for one in record["folders"]])}
        judge = partial(self._fault, wholly=wholly)
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            why = pool.map(judge, entries, entries.values(), (there.get(path) for path in entries))
            return [Fault(tuple(path.split("/")), one) for path, one in zip(entries, why, strict=True) if one]

    def paths(self, name: str) -> set[Parts]:
        """The paths of the files that are recorded under that name."""
        record = self._read(name)
        return set() if record.get("is_open") else {tuple(path.split("/")) for path in record.get("files", {})}

    def told(self, name: str) -> dict[str, Any]:
        """The values that are kept with a manifest; empty where there is none."""
        return dict(self._read(name).get("told", {}))

    def begin(self, name: str) -> None:
        """Record nothing as ``name`` until the files, which are about to be written anew, are put again.

        So a run that is killed while it writes them leaves no damage, but files that are to be looked at.
        """
        if record := self._read(name):
            self.put_json(record | {"is_open": True}, *_FOLDER, f"{name}.json")

    def forget(self, going: Iterable[Parts]) -> None:
        """Take files and folders that are about to be deleted, or written anew, out of all manifests.

        So a deletion that was asked for is no damage, even where it is killed before its end.
        """
        paths = {"/".join(parts) for parts in going if parts[0] != "cache"}
        for name in self._naming(paths) if paths else ():
            record = self._read(name)
            files = record.get("files", {})
            left = {path: entry for path, entry in files.items() if not _is_below(path, paths)}
            if len(left) < len(files):
                self.put_json({**record, "files": left}, *_FOLDER, f"{name}.json")

    def _naming(self, paths: Collection[str]) -> list[str]:
        """The names of the manifests that may name one of the paths: of runs, only those whose rows or files they are.

        A home may have thousands of runs, and a purge forgets each table of each run by itself.
        """
        if any(path.startswith(_OF_ANY_RUN) for path in paths):
            return self.names()
        runs = {folder for path in paths for folder in path.split("/") if folder.startswith(_RUN)}
        is_other = any(_RUN not in path for path in paths)
        return [one for one in self.names() if one.split(",")[0] in runs or (is_other and not one.startswith(_RUN))]

    def names(self) -> list[str]:
        """The names of all manifests, sorted."""
        return [name.removesuffix(".json") for name in self._lake.names(*_FOLDER, suffix=".json")]

    def drop(self, name: str) -> None:
        """Delete that manifest, and those of parts of it; none is no error."""
        for one in self.names():
            if one == name or one.startswith(f"{name},"):
                self._lake.drop(*_FOLDER, f"{one}.json")

    def _read(self, name: str) -> dict[str, Any]:
        try:
            found: dict[str, Any] = self.get_json(*_FOLDER, f"{name}.json") or {}
        except Damaged:  # as good as none: what it named is looked at anew
            return {}
        return found

    def _entries(self, record: Mapping[str, Any]) -> dict[str, _Entry]:
        return {path: _Entry(*entry) for path, entry in record.get("files", {}).items()}

    def _below(self, folders: Collection[Parts]) -> list[Stored]:
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            return list(chain.from_iterable(pool.map(lambda folder: self._lake.below(*folder), folders)))

    def _fault(self, path: str, entry: _Entry, file: Stored | None, *, wholly: bool) -> str:
        if file is None:
            return "it is gone"
        if file.size_bytes != entry.size_bytes:
            return f"it has {file.size_bytes:,} bytes in place of {entry.size_bytes:,}"
        if not wholly and _is_like(file, entry):
            return ""
        try:
            digest = self._lake.digest(*file.parts)
        except FileNotFoundError:
            return "it is gone"
        return "" if digest == entry.sha256 else "its content is not what was written"


def of_corpus(corpus: str) -> str:
    """The name of the manifest of a corpus' documents."""
    return f"corpus={corpus}"


def of_index(corpus: str, index_key: str) -> str:
    """The name of the manifest of an index."""
    return f"corpus={corpus},index_key={index_key}"


def of_library(corpus: str) -> str:
    """The name of the manifest of a corpus' approved answers."""
    return f"library={corpus}"


def of_drafts(run_id: str) -> str:
    """The name of the manifest of the record of a run's drafts, which outlives the run's."""
    return f"drafts={run_id}"


def of_filled(copy_id: str) -> str:
    """The name of the manifest of the record of a filled copy."""
    return f"filled={copy_id}"


def of_run(run_id: str, save_id: str = "") -> str:
    """The name of the manifest of a run's tables, or of something that was saved for the run later."""
    return f"run_id={run_id},{save_id}" if save_id else f"run_id={run_id}"


def owner_of(parts: Sequence[str]) -> str:
    """The name of the manifest that has a file on record; "" for a file that may be in none.

    Those are the cache, and files of a corpus without text, of old versions, or of an older bidfolio.
    """
    keys = [part for part in parts[1:-1] if part.startswith((_RUN, "corpus=", "index_key="))]
    stem = parts[-1].removesuffix(".json")
    if keys and "library" in parts[:2]:
        return of_library(keys[0].removeprefix("corpus="))
    if keys and parts[0] == "lake" and parts[1] != "documents":
        return keys[0] if keys[0].startswith(_RUN) else ",".join(keys)
    return {"index/drafts": of_drafts(stem), "index/filled": of_filled(stem)}.get("/".join(parts[:2]), "")


def remedy_of(parts: Sequence[str]) -> str:
    """The remedy for a damaged file, by its path: the command that makes it anew, or removes what is left."""
    if parts[0] == "sessions":
        return f"nothing makes a conversation again: remove it with `bidfolio purge --session {parts[1]}`"
    kind, _, value = owner_of(parts).partition("=")
    if kind == "library":
        return f"import the answers again, `bidfolio library import FILE --corpus {value}`"
    if kind == "filled":
        return "write the filled copy anew, `bidfolio answer FILE --overwrite`"
    if kind in ("run_id", "drafts"):
        return (
            "nothing makes the record of a run again: restore it from a copy of the home, or remove what is left with "
            f"`bidfolio purge --run {value}` and run it anew"
        )
    return "run `bidfolio refresh SOURCE`, which makes it anew"


def _is_below(path: str, paths: Collection[str]) -> bool:
    parts = path.split("/")
    return any("/".join(parts[:length]) in paths for length in range(1, len(parts) + 1))


def _entry(file: Stored, digest: str) -> _Entry:
    return _Entry(file.size_bytes, file.written_at.isoformat(), digest)


def _is_like(file: Stored, entry: _Entry) -> bool:
    return file.size_bytes == entry.size_bytes and file.written_at.isoformat() == entry.written_at
