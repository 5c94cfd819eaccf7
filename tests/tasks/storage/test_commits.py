from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tasks.storage.commits import Commits, of_corpus, of_run
from tasks.storage.lake import Lake
from tasks.storage.stored_file import Stored

FOLDER = ("index", "states")


@pytest.fixture
def commits(tmp_path: Path) -> Commits:
    lake = Lake(str(tmp_path))
    for name in ("a.npz", "b.npz"):
        lake.put(name.encode() * 10, *FOLDER, name)
    made = Commits(lake)
    made.put(of_corpus("default"), [FOLDER], told={"live": "one"})
    return made


def exchange(path: Path) -> None:
    """The same number of other bytes, written now."""
    path.write_bytes(path.read_bytes()[::-1])


def exchange_unseen(path: Path) -> None:
    """The same number of other bytes, with the time of those that were there."""
    before = path.stat()
    exchange(path)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


@pytest.mark.parametrize(
    ("harm", "why", "wholly"),
    [
        (Path.unlink, "it is gone", False),
        (lambda path: path.write_bytes(b""), "it has 0 bytes in place of 179", False),
        (exchange, "its content is not what was written", False),
        (exchange_unseen, "its content is not what was written", True),
    ],
)
def test_what_is_not_as_it_was_left_is_named(
    commits: Commits, tmp_path: Path, harm: Callable[[Path], object], why: str, wholly: bool
) -> None:
    assert commits.faults(of_corpus("default"), wholly=True) == []
    harm(tmp_path / "index" / "states" / "a.npz")
    found = commits.faults(of_corpus("default"), wholly=wholly)
    assert found == [((*FOLDER, "a.npz"), why)]
    assert commits.faults(of_corpus("default"), wholly=True) == found


def test_a_file_that_was_only_copied_is_as_it_was(commits: Commits, tmp_path: Path) -> None:
    os.utime(tmp_path / "index" / "states" / "a.npz", (1, 1))
    assert commits.faults(of_corpus("default"), wholly=False) == []


def test_damage_stays_recorded_until_the_file_is_written_anew(commits: Commits, tmp_path: Path) -> None:
    exchange(tmp_path / "index" / "states" / "a.npz")
    commits.put(of_corpus("default"), [FOLDER])
    assert len(commits.faults(of_corpus("default"), wholly=False) or ()) == 1
    commits.put(of_corpus("default"), [FOLDER], rewritten=("index/states/",))
    assert commits.faults(of_corpus("default"), wholly=True) == []


@pytest.mark.parametrize("going", [(*FOLDER, "a.npz"), FOLDER])
def test_a_deletion_that_was_asked_for_is_no_damage(commits: Commits, tmp_path: Path, going: tuple[str, ...]) -> None:
    commits.forget([going])
    path = tmp_path.joinpath(*going)
    path.unlink() if path.is_file() else shutil.rmtree(path)
    assert not commits.faults(of_corpus("default"), wholly=True)
    assert commits.told(of_corpus("default")) == {"live": "one"}


@pytest.mark.parametrize(
    "place",
    [("lake", "answers", "run_id=1", "answers.parquet"), ("sessions", "chat", "1.json")],
)
def test_what_a_run_left_is_forgotten_wherever_it_lies(
    commits: Commits, tmp_path: Path, place: tuple[str, ...]
) -> None:
    lake = Lake(str(tmp_path))
    for run_id in ("1", "12"):
        lake.put(b"{}", "lake", "runs", f"run_id={run_id}", "runs.json")
        lake.put(b"{}", *place)
        commits.put(of_run(run_id, "turn"), [("lake", "runs", f"run_id={run_id}"), place[:2]])
    commits.forget([place[:3]])
    lake.drop(*place)
    assert commits.faults(of_run("1", "turn"), wholly=True) == []
    assert commits.paths(of_run("1", "turn")) == {("lake", "runs", "run_id=1", "runs.json")}
    assert commits.faults(of_corpus("default"), wholly=True) == []


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("lake/answers/run_id=1/plan=a/answers.parquet", "run_id=1"),
        ("lake/review_events/run_id=1/save_id=2/review_events.parquet", "run_id=1"),
        ("lake/chunks/corpus=a/index_key=b/chunks.parquet", "corpus=a,index_key=b"),
        ("lake/pages/corpus=a/pages.parquet", "corpus=a"),
        ("lake/documents/corpus=a/documents.parquet", ""),
        ("lake/library/corpus=a/library.parquet", "library=a"),
        ("library/corpus=a/past.csv", "library=a"),
        ("index/filled/1.json", "filled=1"),
        ("index/drafts/1.json", "drafts=1"),
        ("sessions/chat/1.json", "run_id=7,turn"),
        ("index/converted/1.json", ""),
        ("cache/chunks/1.parquet", ""),
    ],
)
def test_each_file_that_is_to_be_on_record_has_a_manifest(
    commits: Commits, tmp_path: Path, path: str, name: str
) -> None:
    Lake(str(tmp_path)).put(b'{"run_id": "7"}', "sessions", "chat", "1.json")
    assert commits.owner(tuple(path.split("/"))) == name


def test_what_is_added_stands_beside_what_is_recorded(commits: Commits, tmp_path: Path) -> None:
    (tmp_path / "index" / "states" / "a.npz").unlink()
    files: list[Stored] = [file for file in Lake(str(tmp_path)).below("index") if file.parts[1] == "commits"]
    commits.add(of_corpus("default"), files)
    assert ((*FOLDER, "a.npz"), "it is gone") in (commits.faults(of_corpus("default"), wholly=True) or ())
    assert files[0].parts in commits.paths(of_corpus("default"))
    assert commits.told(of_corpus("default")) == {"live": "one"}


def test_a_manifest_that_is_damaged_records_nothing(commits: Commits, tmp_path: Path) -> None:
    path = tmp_path / "index" / "commits" / "corpus=default.json"
    path.write_bytes(path.read_bytes()[:-200])
    assert commits.faults(of_corpus("default"), wholly=True) is None and not commits.paths(of_corpus("default"))
    assert commits.faults(of_corpus("other"), wholly=True) is None


def test_what_is_told_outlives_the_files_and_a_run_takes_its_parts_with_it(commits: Commits) -> None:
    commits.begin(of_corpus("default"))
    assert not commits.paths(of_corpus("default")) and commits.told(of_corpus("default")) == {"live": "one"}
    assert commits.faults(of_corpus("default"), wholly=True) is None
    commits.put(of_corpus("default"), [FOLDER])
    assert commits.faults(of_corpus("default"), wholly=True) == []
    for name in (of_run("1"), of_run("1", "turn"), of_run("12")):
        commits.put(name, [FOLDER])
    commits.drop(of_run("1"))
    assert commits.names() == ["corpus=default", "run_id=12"]


WRITING = """
import sys
from tasks.storage.commits import Commits
from tasks.storage.lake import Lake

lake = Lake(sys.argv[1])
for number in range(200):
    lake.put(b"x" * 10_000, "index", "filled", f"{number}.json")
for number in range(10_000):
    Commits(lake).begin("run")
    lake.put(b"%d" % number, "index", "filled", "a.json")
    Commits(lake).put("run", [("index", "filled")], rewritten=("index/",))
    if number == 0:
        print("begun", flush=True)
"""


def test_what_another_process_writes_anew_is_never_damaged(tmp_path: Path) -> None:
    commits = Commits(Lake(str(tmp_path)))
    command = [sys.executable, "-c", WRITING, str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None and process.stdout.readline() == "begun\n"
        found = [commits.faults("run", wholly=True) for _ in range(100)]
        process.kill()
    assert [faults for faults in found if faults] == []
