"""Stages against damage: a refresh removes what it relies on and finds damaged, and a check reads the whole home."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from shlex import quote
from typing import NamedTuple

from configs.plans import Plan
from configs.settings import Settings
from tasks.conversion.files.member_cache import MemberCache
from tasks.embedding.models.graph_folders import damaged_folders
from tasks.errors import BidfolioError, Damaged, ReadOnly, UsageError
from tasks.index.locks import writing_lock
from tasks.index.names import index_name
from tasks.index.store import IndexStore
from tasks.progress import tell
from tasks.publishing.commit import is_as_left, tables_of_corpus, tables_of_index
from tasks.runtime.stage import stage
from tasks.runtime.store_marks import in_progress
from tasks.storage.commits import Commits, Fault, Parts, of_corpus, of_index, remedy_of
from tasks.storage.document_rows import DocumentRows
from tasks.storage.home_format import FORMAT, PLACE
from tasks.storage.lake import Lake
from tasks.storage.leases import writing_lease
from tasks.storage.stored_file import Stored

SHOWN_FAULTS = 5
_FOLDERS = ("lake", "index", "library", "cache", "sessions")
_GRAPHS = ("cache", "models")
_READ_ELSEWHERE = (_GRAPHS, ("index", "commits"))


@stage("is {corpus} as it was left")
def mend_corpus(corpus: str, plan: Plan, settings: Settings) -> tuple[str, ...]:
    """Remove what is damaged of a corpus and of the plan's index; returns a line for each file, or for many together.

    The refresh that follows makes it anew. The rows of ``documents``, by which it counts what has changed, are restored
    at once from their copy beside the index. A corpus that was never published gives no lines.
    """
    lake, commits, told = Lake(settings.home), Commits(Lake(settings.home)), list[str]()
    if is_as_left(lake, corpus, plan.index_key):
        return ()
    for name in (of_corpus(corpus), of_index(corpus, plan.index_key)):
        faults = commits.faults(name, wholly=False)
        if faults is None:
            faults = list(_found_by_reading(lake, corpus, plan, is_index=name != of_corpus(corpus)))
        if not faults:
            continue
        tables = {one.parts[1] for one in faults if one.parts[1].endswith(".lance")}
        if any(".rows-" in table for table in tables):  # with its rows, all versions of an index are gone
            tables |= set(_tables(lake, corpus, plan))
        for table in sorted(tables):
            lake.drop_folder("index", table)
        for one in faults:
            lake.drop(*one.parts)
        commits.forget([*(one.parts for one in faults), *(("index", table) for table in tables)])
        commits.begin(name)
        told += fault_lines(lake, faults, "it is made anew")
    if not lake.has("lake", "documents", f"corpus={corpus}", "documents.parquet"):
        key = commits.told(of_corpus(corpus)).get("documents_key", "")
        if rows := DocumentRows(lake).document_rows(corpus, key):
            lake.write("documents", rows, corpus=corpus)
    return tuple(told)


def _found_by_reading(lake: Lake, corpus: str, plan: Plan, *, is_index: bool) -> Iterator[Fault]:
    """Damage of a corpus, or of an index, of which an older bidfolio, or a hand, has left no manifest."""
    folders: list[Parts] = [*tables_of_corpus(corpus), ("index", "documents", corpus), ("index", "converted")]
    if is_index:
        folders = [("index", "states"), ("index", "history"), *tables_of_index(corpus, plan.index_key)]
        store = IndexStore(lake.url().removeprefix("file://"))
        try:
            if live := store.live(corpus, plan.index_key):
                store.rows(corpus, plan.index_key, live.index_version)
        except (Damaged, OSError, RuntimeError, ValueError) as error:
            yield from (Fault(("index", table), str(error).splitlines()[0]) for table in _tables(lake, corpus, plan))
    for file in (file for folder in folders for file in lake.below(*folder)):
        try:
            read_any(lake, file.parts)
        except Damaged as damaged:
            yield Fault(file.parts, str(damaged))


def _tables(lake: Lake, corpus: str, plan: Plan) -> list[str]:
    own = f"{index_name(corpus, plan.index_key)}."
    return [table for table in lake.names("index", suffix=".lance") if table.startswith(own)]


def read_any(lake: Lake, parts: Parts) -> None:
    """Read a file as what it is. Raises Damaged where it is not what was written; one of the cache is removed."""
    if parts[-1].endswith((".parquet", ".index")):
        lake.get_table(*parts)
    elif parts[:2] == ("cache", "members"):
        if MemberCache(lake).member(parts[-1]) is None and lake.has(*parts):
            lake.drop(*parts)
            tell(f"{lake.shown(*parts)} is damaged: it is made anew")
    else:
        lake.get(*parts)


def fault_lines(lake: Lake, faults: Sequence[Fault], remedy: str) -> list[str]:
    """A line for each of the first faults, and one for the number of the others."""
    lines = [f"{lake.shown(*one.parts)} is damaged ({one.why}): {remedy}" for one in faults[:SHOWN_FAULTS]]
    if len(faults) > SHOWN_FAULTS:
        lines.append(f"and {len(faults) - SHOWN_FAULTS} more files: {remedy}")
    return lines


@stage("is the home as it was left")
def check_home(settings: Settings) -> list[str]:
    """Read every file of the home that anything relies on; returns a line for each that is damaged or gone.

    A line names the command that mends it. A damaged file of the cache is removed, with a word about it, since it is
    made anew. Raises IndexLocked where another process is writing what seems to be damaged.
    """
    return list(_HomeCheck(Lake(settings.home)).lines(settings.home))


@stage("what is damaged")
def find_damage(home: str) -> list[Damaged]:
    """An error for each file of the published corpora and indexes that is gone or changed, by size and time alone.

    There is none for a home in an object store, whose errors name their files.
    """
    lake = Lake(home)
    return list(_HomeCheck(lake).published_damage()) if lake.is_local else []


@contextmanager
def damage_named(home: str) -> Iterator[None]:
    """Raise Damaged with the file and the command that mends it, where a file of the home is damaged, in place of an
    unforeseen error of the block, or of one about an index as a whole.
    """
    try:
        yield
    except Exception as error:
        if isinstance(error, Damaged) or not isinstance(error, BidfolioError):
            for damaged in find_damage.fn(home):
                raise damaged from error
        raise


class _Look(NamedTuple):
    """A reading of the whole home.

    ``faults`` are the recorded files that are gone or changed, and ``lost`` the whole ones that are not recorded, both
    by manifest; ``damaged`` has a message for each damaged file of no manifest.
    """

    faults: dict[str, list[Fault]]
    damaged: list[str]
    lost: dict[str, list[Stored]]

    @property
    def corpora(self) -> set[str]:
        """The corpora of manifests that are not as they should be."""
        names = (name for name in (*self.faults, *self.lost) if name.startswith("corpus="))
        return {_value_of(name) for name in names}


class _HomeCheck:
    def __init__(self, lake: Lake) -> None:
        self._lake, self._commits = lake, Commits(lake)

    def lines(self, home: str) -> Iterator[str]:
        """The lines of :func:`check_home`."""
        look = self._look()
        with ExitStack() as held:
            with suppress(ReadOnly, UsageError):  # this user may only read
                for corpus in sorted(look.corpora):  # it may be being written
                    held.enter_context(writing_lock(home, corpus))
                    held.enter_context(writing_lease(self._lake, corpus))
            yield from self._told(self._look() if look.corpora else look)

    def _look(self) -> _Look:
        names = self._commits.names()
        found = {name: self._commits.faults(name, wholly=True) for name in names}
        lost = {name: list[Stored]() for name, faults in found.items() if faults is None}
        recorded = {parts for name in names if name not in lost for parts in self._commits.paths(name)}
        damaged = []
        for file in (file for folder in _FOLDERS for file in self._lake.below(folder)):
            parts = file.parts
            if parts in recorded or parts[1].endswith(".lance") or parts[:2] in _READ_ELSEWHERE:
                continue
            try:
                read_any(self._lake, parts)
                if name := self._commits.owner(parts):
                    lost.setdefault(name, []).append(file)
            except Damaged as error:
                damaged.append(str(error))
        # A run in progress, or one that has ended meanwhile, records its files at its end.
        running = in_progress(self._lake)
        lost = {name: files for name, files in lost.items() if _value_of(name) not in running}
        return _Look(
            {name: faults for name, faults in found.items() if faults},
            damaged,
            {name: left for name, files in lost.items() if (left := self._unrecorded(name, files)) is not None},
        )

    def _unrecorded(self, name: str, files: Sequence[Stored]) -> list[Stored] | None:
        """The files that are there, and are not in that manifest as it is now, or in one of what was saved for it
        later; None where it has nothing to record.
        """
        own = self._commits.paths(name)
        saved = (self._commits.paths(one) for one in self._commits.names() if one.startswith(f"{name},"))
        recorded = own.union(*saved)
        left = [file for file in files if file.parts not in recorded and self._lake.has(*file.parts)]
        return left if left or not own else None

    def _told(self, look: _Look) -> Iterator[str]:
        for name, faults in look.faults.items():
            if not name.startswith("corpus="):  # a purge may have written a table of a run anew
                faults = [one for one in faults if not self._is_whole(one.parts)]
            for one in faults:
                self._lake.doubt(*one.parts)
            if faults:
                remedy = self._refresh(name) if name.startswith("corpus=") else remedy_of(faults[0].parts)
                yield from fault_lines(self._lake, faults, remedy)
        yield from look.damaged
        lost = look.lost
        for name in [name for name in lost if name.startswith("corpus=")]:
            path, there = self._manifest(name), len(lost.pop(name))
            yield f"{path} does not record {there} files of what was published: {self._refresh(name)}"
        self._drop_graphs()
        with suppress(ReadOnly):
            self._record(lost)

    def published_damage(self) -> Iterator[Damaged]:
        """The errors of :func:`find_damage`."""
        for name in self._commits.names():
            if name.startswith("corpus="):
                for fault in self._commits.faults(name, wholly=False) or ():
                    yield Damaged(self._lake.shown(*fault.parts), fault.why, self._refresh(name))

    def _drop_graphs(self) -> None:
        for path, why in damaged_folders(Path(self._lake.path(*_GRAPHS))) if self._lake.is_local else ():
            with suppress(OSError):
                self._lake.drop_folder(*_GRAPHS, path.name)
            removed = "not removed" if path.exists() else "removed"
            tell(f"{path} is damaged ({why}) and {removed}: what needs it makes it anew")

    def _is_whole(self, parts: Parts) -> bool:
        try:
            read_any(self._lake, parts)
        except Damaged:
            return False
        return self._lake.has(*parts)

    def _record(self, lost: Mapping[str, list[Stored]]) -> None:
        """Record files as they are, with a word about it: a manifest is damaged or gone, or is of an older bidfolio.

        Those of runs that are in progress are left out. A manifest without files is removed.
        """
        told = [name for name, files in sorted(lost.items()) if not self._is_running(name)]
        for number, name in enumerate(told):
            if not lost[name]:
                self._lake.drop("index", "commits", f"{name}.json")
                continue
            if number < SHOWN_FAULTS:
                tell(f"{self._manifest(name)} does not record {len(lost[name])} files, which it should: they are added")
            with suppress(FileNotFoundError):  # a purge was faster
                self._commits.add(name, lost[name])
        if self._lake.get(*PLACE) != str(FORMAT).encode():
            tell(f"{self._lake.shown(*PLACE)} does not name the format of the home: it is written anew")
            self._lake.put(str(FORMAT).encode(), *PLACE)

    def _is_running(self, name: str) -> bool:
        try:
            return "running" in self._lake.read("runs", run_id=_value_of(name))["status"].to_pylist()
        except Damaged:  # its line is there already
            return True

    def _manifest(self, name: str) -> str:
        return self._lake.shown("index", "commits", f"{name}.json")

    def _refresh(self, name: str) -> str:
        corpus = _value_of(name)
        key = self._commits.told(of_corpus(corpus)).get("documents_key", "")
        try:
            rows = DocumentRows(self._lake).document_rows(corpus, key) or [{}]
        except Damaged:
            rows = [{}]
        source = quote(rows[0].get("source", "SOURCE"))
        return f"run `bidfolio refresh {source} --corpus {quote(corpus)}`, which makes it anew"


def _value_of(name: str) -> str:
    """The run, the corpus, or the like of a manifest's name."""
    return name.partition("=")[2].partition(",")[0]
