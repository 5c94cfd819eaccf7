"""Leases in a store that is asked by several processes, machines and threads."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import pytest

from tasks.errors import IndexLocked, ServiceAway, UsageError
from tasks.storage.lake import Lake
from tasks.storage.leases import lone_lease, require_lease, writing_lease
from tests.made.object_store import ObjectStore
from tests.made.paths import ROOT

LOCKS = ("index", "locks")
HOLD = """
import sys, time
from tasks.storage.lake import Lake
from tasks.storage.leases import writing_lease
with writing_lease(Lake(sys.argv[1]), "default"):
    print("held", flush=True)
    time.sleep(600)
"""


@pytest.fixture
def lake(object_store: ObjectStore) -> Lake:
    return Lake(f"s3://{object_store.make_bucket()}/home")


def test_one_writer_of_a_corpus_at_a_time_and_none_beside_one_of_the_home(lake: Lake) -> None:
    for _ in range(3):
        with writing_lease(lake, "default"), writing_lease(lake, "other"):
            require_lease(lake, "default")
            told = pytest.raises(IndexLocked, match=rf"writing the corpus 'default' \(process {os.getpid()} of")
            with told, writing_lease(lake, "default"):
                pass
            with pytest.raises(IndexLocked, match="a run is writing an index"), lone_lease(lake):
                pass
    told = pytest.raises(IndexLocked, match="`bidfolio gc` is at work")
    with lone_lease(lake), told, writing_lease(lake, "default"):
        pass
    with pytest.raises(RuntimeError), writing_lease(lake, "default"):
        raise RuntimeError
    with writing_lease(lake, "default"):
        pass
    assert len(lake.below(*LOCKS, "default")) <= 4, "numbers that are over are removed"


def test_of_many_at_once_one_gets_it(lake: Lake) -> None:
    def take(_: int) -> ExitStack | None:
        stack = ExitStack()
        try:
            stack.enter_context(writing_lease(lake, "default"))
        except IndexLocked:
            return None
        return stack

    with ThreadPoolExecutor(8) as threads:
        got = [stack for stack in threads.map(take, range(8)) if stack]
    assert len(got) == 1
    got[0].close()


def test_a_killed_one_of_this_machine_holds_nothing(object_store: ObjectStore, lake: Lake) -> None:
    command = [sys.executable, "-c", HOLD, lake.url()]
    holder = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, env=os.environ)
    try:
        assert holder.stdout is not None and holder.stdout.readline() == "held\n"
        with pytest.raises(IndexLocked, match=f"process {holder.pid}"), writing_lease(lake, "default"):
            pass
        os.kill(holder.pid, signal.SIGKILL)
        holder.wait(timeout=60)
        with writing_lease(lake, "default"):
            require_lease(lake, "default")
    finally:
        holder.kill()
        holder.communicate(timeout=60)


def test_one_of_another_machine_holds_it_a_minute_by_the_stores_clock(
    lake: Lake, monkeypatch: pytest.MonkeyPatch
) -> None:
    with writing_lease(lake, "default"):
        (held,) = (file.parts for file in lake.below(*LOCKS))
        elsewhere = json.loads(lake.get(*held) or b"") | {"machine": "another", "host": "elsewhere", "pid": 1}
        lake.put(json.dumps(elsewhere).encode(), *held)
        with pytest.raises(IndexLocked, match="process 1 of elsewhere"), writing_lease(lake, "default"):
            pass
        require_lease(lake, "default")
        monkeypatch.setattr("tasks.storage.leases.LEASE_S", -1.0)
        with writing_lease(lake, "default"):
            pass


def test_who_was_taken_over_from_sees_it_whatever_it_writes(lake: Lake) -> None:
    with writing_lease(lake, "default"):
        (held,) = lake.below(*LOCKS)
        assert lake.create(b"{}", *held.parts[:-1], f"{2:012}.held")
        lake.put(b"{}", *held.parts)
        with pytest.raises(IndexLocked, match="this run stood still"):
            require_lease(lake, "default")


def test_a_store_that_takes_no_conditions_is_refused(lake: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    def overwrite(self: Lake, raw: bytes, *parts: str) -> bool:
        self.put(raw, *parts)
        return True

    monkeypatch.setattr(Lake, "create", overwrite)
    with pytest.raises(UsageError, match="If-None-Match"), writing_lease(lake, "default"):
        pass


def test_a_local_home_has_locks_instead(tmp_path: Path) -> None:
    lake = Lake(str(tmp_path))
    with writing_lease(lake, "default"), lone_lease(lake):
        require_lease(lake, "default")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("status", "code", "message", "expected", "words"),
    [
        ("403 Forbidden", "AccessDenied", "Access Denied", UsageError, "no permission to write s3://"),
        ("400 Bad Request", "ExpiredToken", "The provided token has expired.", UsageError, "have expired.*renew them"),
        ("503 Service Unavailable", "SlowDown", "Reduce your request rate", ServiceAway, "does not answer"),
    ],
)
def test_what_a_store_refuses_has_a_remedy(
    object_store: ObjectStore,
    lake: Lake,
    status: str,
    code: str,
    message: str,
    expected: type[Exception],
    words: str,
) -> None:
    with object_store.refusing(status, code, message, "PUT"), pytest.raises(expected, match=words):
        lake.put(b"1", "cache", "a.json")
    assert not lake.has("cache", "a.json")


def test_an_object_is_put_once_and_its_folder_goes_whole(object_store: ObjectStore, lake: Lake) -> None:
    object_store.requests.clear()
    lake.put(b"1", "cache", "a.json")
    assert [method for method, _ in object_store.requests] == ["PUT"]
    assert lake.create(b"2", "cache", "b.json") and not lake.create(b"3", "cache", "b.json")
    assert lake.get("cache", "b.json") == b"2"
    with lake.folder("docs") as folder:
        (folder / "pages").mkdir()
        (folder / "pages" / "new.html").write_text("new", encoding="utf-8")
    with lake.folder("docs") as folder:
        (folder / "index.html").write_text("newer", encoding="utf-8")
    assert [file.parts for file in lake.below("docs")] == [("docs", "index.html")]
    lake.drop_folder("cache")
    lake.drop_folder("cache")
    assert lake.below("cache") == []
