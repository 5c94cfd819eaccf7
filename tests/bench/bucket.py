"""A home in a bucket beside one on the local disk: seconds, requests, and what is left when things are killed.

Run: .venv/bin/python -m tests.bench.bucket DOCUMENTS QUESTIONNAIRE [time] [writes] [kills] [writers] [server] [keys]

The store is moto in this process, over plain HTTP on this machine. Each command is a process of its own.

time     a refresh and an answer run, here and there by turns, each on a new home
writes   a store that carries out the first writes of a refresh and none of the others; the next must give the same
kills    a refresh killed at KILLS instants; the next must give the same version, tables and answers as one that was not
writers  two refreshes of one corpus at once, and of two corpora; and a holder that stood still while another took over
server   the store dies at KILLS instants of a refresh: it must be named within seconds, and the next refresh completes
keys     keys that expire, and a bucket that may not be written, at KILLS instants
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from threading import Timer
from typing import Any

import pyarrow as pa
import pytest

from tasks.index.store import IndexStore
from tasks.schemas import TABLES
from tasks.storage.lake import Lake
from tests.made.commands import run_bidfolio
from tests.made.object_store import KEY, SECRET, ObjectStore

KILLS = 6
WRITES_TRIED = 12
ROUNDS = 2
TABLE_KEYS = ("documents", "pages", "elements", "lines", "chunks", "vectors")
"""The tables that hold a corpus' current rows, and nothing of a run."""


@dataclass(frozen=True)
class Ended:
    """A command that has ended."""

    code: int
    out: str
    err: str
    seconds: float
    cpu_seconds: float


def last(text: str) -> str:
    """The last line of a text."""
    return (text.strip().splitlines() or [""])[-1][:300]


class Bench:
    """A store, two inputs, and a scratch folder."""

    def __init__(self, documents: str, questionnaire: str, scratch: Path) -> None:
        self.documents, self.questionnaire, self.scratch = documents, questionnaire, scratch
        self.store = ObjectStore()
        self.bucket = self.store.make_bucket()
        self.homes = 0
        self.environment = os.environ | {
            "AWS_ENDPOINT_URL": self.store.url,
            "AWS_ACCESS_KEY_ID": KEY,
            "AWS_SECRET_ACCESS_KEY": SECRET,
            "AWS_REGION": "us-east-1",
            "AWS_EC2_METADATA_DISABLED": "true",
            "NO_PROXY": "127.0.0.1",
            "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
            "PREFECT_LOGGING_LEVEL": "CRITICAL",
            "PREFECT_SERVER_LOGGING_LEVEL": "CRITICAL",
            "HOME": str(scratch),  # for what is made of the model's files
            "PREFECT_HOME": str(scratch / "prefect"),
        }
        os.environ |= self.environment

    def new_home(self, *, there: bool = True) -> str:
        """A new home, there in the bucket, or here on the disk."""
        self.homes += 1
        return f"s3://{self.bucket}/home-{self.homes}" if there else str(self.scratch / f"home-{self.homes}")

    def start(self, home: str, *arguments: object) -> subprocess.Popen[str]:
        """Starts a command in a group of its own."""
        return subprocess.Popen(
            [sys.executable, "-P", "-m", "flows.cli", "--home", home, "--json", *map(str, arguments)],
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def run(self, home: str, *arguments: object) -> Ended:
        """Runs a command to its end."""
        before = os.times()
        begun = time.perf_counter()
        running = self.start(home, *arguments)
        out, err = running.communicate()
        after = os.times()
        cpu = after.children_user + after.children_system - before.children_user - before.children_system
        return Ended(running.returncode, out, err, time.perf_counter() - begun, cpu)

    def refresh(self, home: str) -> Ended:
        """Refreshes the documents."""
        return self.run(home, "refresh", self.documents)

    def answer(self, home: str) -> Ended:
        """Answers the questionnaire."""
        out = self.scratch / f"answered-{self.homes}{Path(self.questionnaire).suffix}"
        return self.run(home, "answer", self.questionnaire, "--out", out, "--overwrite")

    def content(self, home: str) -> dict[str, Any]:
        """The current rows of a home in an order of their own, and its live versions."""
        lake = Lake(home)
        found: dict[str, Any] = {}
        for name in TABLE_KEYS:
            files = [file for file in lake.below("lake", name) if file.parts[-1].endswith(".parquet")]
            tables = [table for file in files if (table := lake.get_table(*file.parts)) is not None]
            whole = pa.concat_tables(tables) if tables else TABLES[name].empty_table()
            found[name] = sorted(json.dumps(row, default=str, sort_keys=True) for row in whole.to_pylist())
        versions = IndexStore(home).versions()
        found["live"] = [one.manifest.index_version for one in versions if one.is_live]
        for one in versions:
            of = one.manifest
            rows = IndexStore(home).rows(of.corpus, of.index_key, of.index_version).to_pylist()
            found[f"rows of {of.index_version}"] = json.dumps(rows, default=str)
        return found


def differences(one: dict[str, Any], other: dict[str, Any]) -> list[str]:
    """The names under which the content of two homes differs."""
    return sorted(name for name in one.keys() | other.keys() if one.get(name) != other.get(name))


def of_time(bench: Bench) -> None:
    """Prints what a refresh and an answer run take, here and there."""
    first = bench.new_home(there=False)
    bench.refresh(first)
    models = Path(first, "cache", "models")
    (bench.scratch / ".cache" / "bidfolio").mkdir(parents=True)
    (bench.scratch / ".cache" / "bidfolio" / "models").symlink_to(models)
    for turn in range(ROUNDS):
        for there in (False, True):
            home = bench.new_home(there=there)
            if not there:
                Path(home, "cache").mkdir(parents=True)
                Path(home, "cache", "models").symlink_to(models)
            bench.store.requests.clear()
            refreshed = bench.refresh(home)
            requests = len(bench.store.requests)
            answered = bench.answer(home)
            more = len(bench.store.requests) - requests
            print(
                f"{turn + 1}. {'there' if there else 'here':5} refresh {refreshed.seconds:6.1f} s "
                f"({refreshed.cpu_seconds:5.1f} s of CPU, {requests} requests), answer {answered.seconds:5.1f} s "
                f"({answered.cpu_seconds:5.1f} s of CPU, {more} requests); codes {refreshed.code}, {answered.code}",
                flush=True,
            )


def of_writes(bench: Bench) -> None:
    """Prints what is left of refreshes of which the store carried out the first writes alone, after the next one."""
    from prefect.testing.utilities import prefect_test_harness

    with prefect_test_harness(server_startup_timeout=180), pytest.MonkeyPatch.context() as patched:
        # The refresh that fails does not end its lease, and this process, which tries again, lives.
        patched.setattr("tasks.storage.leases.LEASE_S", -1.0)
        whole = bench.new_home()
        bench.store.requests.clear()
        undisturbed = run_bidfolio(whole, "--json", "refresh", bench.documents)
        writes = sum(method not in ("GET", "HEAD") for method, _ in bench.store.requests)
        expected = bench.content(whole)
        print(f"a refresh of {writes} writes (code {undisturbed.exit_code})", flush=True)
        for number in range(WRITES_TRIED):
            home, after = bench.new_home(), round(writes * (number + 0.5) / WRITES_TRIED)
            begun = time.perf_counter()
            with bench.store.failing_after(after):
                failed = run_bidfolio(home, "refresh", bench.documents)
            took = time.perf_counter() - begun
            again = run_bidfolio(home, "--json", "refresh", bench.documents)
            found = differences(bench.content(home), expected)
            print(
                f"{after:4} writes: code {failed.exit_code} in {took:.0f} s: {last(failed.err)[:150]}\n"
                f"     the next: code {again.exit_code}; differs in {found or 'nothing'} {last(again.err)[:150]}",
                flush=True,
            )


def of_kills(bench: Bench) -> None:
    """Prints what is left of refreshes that were killed, after the next one."""
    whole = bench.new_home()
    undisturbed = bench.refresh(whole)
    expected = bench.content(whole)
    for number in range(KILLS):
        home = bench.new_home()
        after = undisturbed.seconds * (number + 1) / (KILLS + 0.5)
        running = bench.start(home, "refresh", bench.documents)
        timer = Timer(after, lambda group=running.pid: os.killpg(group, signal.SIGKILL))
        timer.start()
        running.communicate()
        timer.cancel()
        again = bench.refresh(home)
        found = differences(bench.content(home), expected)
        print(
            f"killed after {after:5.1f} s (code {running.returncode}): the next took {again.seconds:5.1f} s, code "
            f"{again.code}; differs in {found or 'nothing'} {last(again.err) if again.code else ''}",
            flush=True,
        )


def of_writers(bench: Bench) -> None:
    """Prints what becomes of two that write at once."""
    home = bench.new_home()
    both = [bench.start(home, "refresh", bench.documents) for _ in range(2)]
    ended = [(one.communicate(), one.returncode) for one in both]
    print("of one corpus:", sorted(code for _, code in ended), "(0 done, 4 refused)", flush=True)
    print(*(last(err) for (_, err), code in ended if code), sep="\n", flush=True)
    other = [bench.start(home, "refresh", bench.documents, "--corpus", name) for name in ("one", "two")]
    for one in other:
        one.communicate()
    versions = [one for one in IndexStore(home).versions() if one.is_live]
    corpora = sorted(one.manifest.corpus for one in versions)
    print("of two corpora:", [one.returncode for one in other], f"live: {corpora}", flush=True)

    home = bench.new_home()
    slow = bench.start(home, "refresh", bench.documents)
    while not Lake(home).below("index", "locks"):
        time.sleep(0.2)
    time.sleep(3)
    os.killpg(slow.pid, signal.SIGSTOP)
    refused = bench.refresh(home)
    print(f"while the holder stands still: code {refused.code}: {last(refused.err)}", flush=True)
    time.sleep(62)
    takes_over = bench.refresh(home)
    os.killpg(slow.pid, signal.SIGCONT)
    _, err = slow.communicate()
    print(f"a minute later: code {takes_over.code}; the one that stood still: code {slow.returncode}:")
    print(last(err), flush=True)
    print("afterwards", bench.refresh(home).code, [one.manifest.index_version for one in IndexStore(home).versions()])


def of_server(bench: Bench) -> None:
    """Prints how a refresh ends whose store dies, and if the next one completes it."""
    whole = bench.new_home()
    undisturbed = bench.refresh(whole)
    expected = bench.content(whole)
    for number in range(KILLS):
        home = bench.new_home()
        after = undisturbed.seconds * (number + 0.5) / KILLS
        running = bench.start(home, "refresh", bench.documents)
        timer = Timer(after, bench.store.die)
        timer.start()
        _, err = running.communicate()
        timer.join()
        died = time.perf_counter()
        bench.store.rise()
        again = bench.refresh(home)
        found = differences(bench.content(home), expected)
        print(
            f"the store died after {after:5.1f} s: code {running.returncode}: {last(err)}\n"
            f"    the next: code {again.code}; differs in {found or 'nothing'} ({time.perf_counter() - died:.0f} s)",
            flush=True,
        )


def of_keys(bench: Bench) -> None:
    """Prints how a refresh ends that loses its rights in the middle."""
    undisturbed = bench.refresh(bench.new_home())
    refusals = {
        "expired": ("400 Bad Request", "ExpiredToken", "The provided token has expired.", ""),
        "not writable": ("403 Forbidden", "AccessDenied", "Access Denied", "PUT POST DELETE"),
    }
    for name, refusal in refusals.items():
        for number in range(KILLS // 2):
            home = bench.new_home()
            after = undisturbed.seconds * number / (KILLS // 2)
            running = bench.start(home, "refresh", bench.documents)
            time.sleep(after)
            with bench.store.refusing(*refusal):
                _, err = running.communicate()
            again = bench.refresh(home)
            print(
                f"{name} after {after:5.1f} s: code {running.returncode}: {last(err)}\n    the next: code {again.code}",
                flush=True,
            )


PARTS = {
    "time": of_time,
    "writes": of_writes,
    "kills": of_kills,
    "writers": of_writers,
    "server": of_server,
    "keys": of_keys,
}


def main(documents: str, questionnaire: str, *parts: str) -> None:
    """Prints the figures of those parts; of all where none is named."""
    with tempfile.TemporaryDirectory() as scratch:
        bench = Bench(documents, questionnaire, Path(scratch))
        for name in parts or PARTS:
            print(f"== {name}", flush=True)
            PARTS[name](bench)


if __name__ == "__main__":
    main(*sys.argv[1:])
