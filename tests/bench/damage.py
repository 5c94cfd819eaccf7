"""Damage to each kind of file of a home, and the commands that notice, name and mend it.

Run: .venv/bin/python -m tests.bench.damage HOME [--only PATTERN] [--sample] [--check] [--work FOLDER]

One file of each kind is truncated, emptied, swapped for another of its kind, and deleted, each in a copy of HOME of its
own. `index check` is run on it; then, on another copy, `ask`, `refresh` and `index check` again; or, with --check,
which takes a second, the part of `index check` that reads files, twice.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import re
import shutil
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

os.environ.setdefault("PREFECT_HOME", tempfile.mkdtemp(prefix="prefect-"))

import pytest
from prefect.testing.utilities import prefect_test_harness

from configs.settings import load_settings
from flows.cli.main import main as run_command
from flows.cli.output.progress import for_this_terminal
from flows.prefect_server.own_database import damage_of_database
from tasks.progress import show
from tasks.publishing.mending_task import check_home
from tests.made.damage import DAMAGES, damage, kind_of

FORGOTTEN = ("cache/", "index/scanned/")
"""Folders whose files may be deleted, or be those of another home, at any time: the next refresh makes them anew."""
LEFT_OUT = ("demo/", "data_docs/", "staging/", "prefect/memo_store.toml")
"""Paths that no command relies on: the sample's own documents, reports that each check writes anew, and what Prefect
passes over where it cannot read it."""
QUESTION = "Do you encrypt backups?"


class Ran(NamedTuple):
    """The result of a command: its exit code, and all that it printed."""

    code: int
    told: str


class Case(NamedTuple):
    """A damaged file with the results of `index check`, `ask`, `refresh`, and `index check` after it."""

    kind: str
    how: str
    path: str
    check: Ran
    ask: Ran
    refresh: Ran
    again: Ran

    @property
    def verdict(self) -> str:
        """The command that noticed the damage, or the fault in capitals."""
        ran = (self.check, self.ask, self.refresh, self.again)
        if any("Traceback" in one.told or one.code == 70 for one in ran):
            return "TRACEBACK"
        name = self.path.split("/")[2] if self.path.startswith("cache/models/") else self.path.rsplit("/", 1)[-1]
        if ".lance/" in self.path and name not in self.check.told + self.refresh.told:
            name = self.path.split("/")[1]
        by = [word for word, one in zip(("check", "ask", "refresh"), ran, strict=False) if name in one.told]
        if self.check.code == 0 and not by:
            is_own = self.how in ("truncate", "empty")
            return "harmless" if self.path.startswith(FORGOTTEN) and not is_own else "UNNOTICED"
        if "nothing has changed" in self.refresh.told and "bidfolio refresh" in self.again.told:
            return "NOTHING HAS CHANGED"
        return f"by {', '.join(by) or 'check'}; {'mended' if not self.again.code else 'told how'}"


def bidfolio(home: Path, *arguments: str) -> Ran:
    """The result of `bidfolio ARGUMENTS… --home HOME`, in this process."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
        code = run_command([*arguments, "--home", str(home)])
    return Ran(code, out.getvalue())


def read(home: Path) -> Ran:
    """The result of the part of `index check` that reads the files of the home."""
    out = io.StringIO()
    with contextlib.redirect_stderr(out):
        show(for_this_terminal())
        lines = check_home.fn(load_settings(home=str(home)))
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("PREFECT_HOME", str(home / "prefect"))
        if why := damage_of_database(str(home), wholly=True):
            lines.append(f"prefect/prefect.db is damaged ({why})")
    return Ran(2 if lines else 0, "\n".join([out.getvalue(), *lines]))


def prepared(home: Path, work: Path) -> tuple[Path, Path, str]:
    """A copy of the home with its manifests and a conversation, another home to swap files with, and the documents."""
    base, other = work / "base", work / "other"
    if base.exists():
        return base, other, "\n".join(source_of(base))
    shutil.copytree(home, base, symlinks=True)
    shutil.rmtree(base / "cache" / "models")  # an older bidfolio may have made it
    source, corpus = source_of(base)
    print(bidfolio(base, "refresh", source, "--corpus", corpus).told.splitlines()[-1])
    for question in (QUESTION, "How often are they tested?"):
        bidfolio(base, "ask", question, "--session", "tender")
    few = work / "few"
    few.mkdir(parents=True)
    smallest = sorted(Path(source).iterdir(), key=lambda one: one.stat().st_size)
    for paths in (smallest[:3], smallest[3:6]):  # two versions, so that each kind of file is there more than once
        for path in paths:
            shutil.copy(path, few)
        print(bidfolio(other, "refresh", str(few), "--corpus", corpus).told.splitlines()[-1])
    bidfolio(other, "ask", QUESTION, "--session", "other")
    return base, other, f"{source}\n{corpus}"


def source_of(home: Path) -> tuple[str, str]:
    """The folder and the corpus that the home was refreshed from."""
    from flows.home.sql import run_query

    ((source, corpus),) = run_query("SELECT DISTINCT source, corpus FROM documents", load_settings(home=str(home))).rows
    return source, corpus


def samples(base: Path) -> Iterator[tuple[str, Path]]:
    """One file of each kind, the largest, relative to the home."""
    found: dict[str, list[Path]] = defaultdict(list)
    for path in base.rglob("*"):
        name = str(path.relative_to(base))
        if path.is_file() and not name.startswith(LEFT_OUT) and not name.endswith((".lock", "-shm", "-wal")):
            found[kind_of(name)].append(path)
    for kind, paths in sorted(found.items()):
        yield kind, max(paths, key=lambda path: path.stat().st_size).relative_to(base)


def tried(
    base: Path, other: Path, path: Path, how: str, kind: str, told: str, work: Path, *, is_check: bool
) -> Case | None:
    """The case of that damage to that file; None where there is no other file of its kind to swap it with."""
    source, corpus = told.split("\n")
    made: list[Path] = []

    def copy() -> Path:
        home = work / f"case-{len(made)}-{os.urandom(3).hex()}"
        shutil.copytree(base, home, symlinks=True, copy_function=os.link)
        made.append(home)
        return home

    try:
        first = copy()
        if not damage(first / path, how, [first, other], kind):
            return None
        if is_check:
            left_out = Ran(0, "")
            return Case(kind, how, str(path), read(first), left_out, left_out, read(first))
        check = bidfolio(first, "index", "check", "--corpus", corpus)
        second = copy()
        damage(second / path, how, [second, other], kind)
        ask = bidfolio(second, "ask", QUESTION, "--session", "tender")
        refresh = bidfolio(second, "refresh", source, "--corpus", corpus)
        again = bidfolio(second, "index", "check", "--corpus", corpus)
        return Case(kind, how, str(path), check, ask, refresh, again)
    finally:
        for home in made:
            shutil.rmtree(home, ignore_errors=True)


def main() -> None:
    """Prints a line for each case, and the counts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("home", type=Path)
    parser.add_argument("--only", default="", help="kinds whose name this regular expression finds")
    parser.add_argument("--sample", action="store_true", help="one damage of each kind, each in its turn")
    parser.add_argument("--check", action="store_true", help="run `index check` alone, twice")
    parser.add_argument("--work", type=Path, help="the folder to work in, whose prepared homes are used again")
    parser.add_argument("--show", action="store_true", help="print what each command said")
    options = parser.parse_args()
    counts: Counter[str] = Counter()
    server = prefect_test_harness(server_startup_timeout=180)
    with tempfile.TemporaryDirectory(prefix="damage-") as passing, server:
        folder = options.work or Path(passing)
        base, other, told = prepared(options.home, folder)
        kinds = [(kind, path) for kind, path in samples(base) if re.search(options.only, kind)]
        for number, (kind, path) in enumerate(kinds):
            for how in [DAMAGES[number % len(DAMAGES)]] if options.sample else DAMAGES:
                case = tried(base, other, path, how, kind, told, folder, is_check=options.check)
                if case is None:
                    print(f"{how:9} {kind:70} empty, or no other of its kind", flush=True)
                    continue
                counts[case.verdict.split(";")[0].split(",")[0]] += 1
                print(f"{how:9} {kind:70} {case.verdict}", flush=True)
                if options.show or case.verdict.isupper():
                    for name in ("check", "ask", "refresh", "again"):
                        ran: Ran = getattr(case, name)
                        print(f"    {name} ({ran.code}): " + "\n        ".join(ran.told.strip().splitlines()[-4:]))
    print(dict(counts))


if __name__ == "__main__":
    main()
