"""`bidfolio gc` on a real index: what nobody needs goes, and what answers or can be gone back to stays."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import numpy as np
import pytest

from configs.plans import PLANS_DIR, load_plan
from configs.settings import Settings
from tasks.embedding.corpus.corpus_cache import CorpusCache
from tasks.embedding.models.shards import text_id
from tasks.index.locks import writing_lock
from tasks.index.store import IndexStore
from tasks.publishing.task import make_live
from tasks.records import searched_text
from tasks.references import Staged
from tasks.runtime.artifacts import record_run
from tasks.runtime.runs import now, start_run
from tasks.storage.lake import Lake
from tasks.storage.leases import writing_lease
from tasks.tidying.task import plans_of_today
from tests.made.commands import Bidfolio, run_bidfolio
from tests.made.faults import Killed
from tests.made.file_steps import steps
from tests.made.object_store import ObjectStore
from tests.made.planted_words import places_of
from tests.made.published import Published

SIGN_ON = "Do you support single sign-on?"
TWO_DAYS_S = 2 * 86_400


def age(home: Path) -> None:
    """Makes all that is kept in the home two days older."""
    for folder in ("cache", "index", "staging"):
        for path in (home / folder).rglob("*"):
            if path.is_file() and not path.is_symlink():
                then = path.stat().st_mtime - TWO_DAYS_S
                os.utime(path, (then, then))


def kept_files(home: Path) -> dict[str, int]:
    """The files of the home with their sizes, without the lock, which the first writer makes, and commit manifests."""
    found = (path for folder in ("cache", "index", "staging", "lake") for path in (home / folder).rglob("*"))
    sizes = {str(path.relative_to(home)): path.stat().st_size for path in found if path.is_file()}
    return {path: size for path, size in sizes.items() if not path.startswith("index/commits/") and ".lock" not in path}


GONE = "0" * 12
"""The index key of a plan that is no more."""


@pytest.fixture
def home_with_garbage(published: Published) -> Iterator[Published]:
    """Two versions of the plan bidfolio; an index of a plan whose file is gone, and what was kept for it; and what
    killed runs left.
    """
    settings = Settings(home=str(published.home))
    lake, store = Lake(settings.home), IndexStore(settings.home)
    cache = CorpusCache(lake)
    (first,) = (version.manifest for version in store.versions())
    rows = store.rows(first.corpus, first.index_key, first.index_version)
    second = replace(first, content_key="another")
    gone = replace(first, index_key=GONE, plan="gone", state_key="gone", lexical_key="", model_fingerprint="gone")
    cache.put_state("gone", "bm25", b"weights")
    text = searched_text(
        **store.columns(first.corpus, first.index_key, first.index_version, ["context", "text"]).to_pylist()[0]
    )
    cache.put_dense("gone", "shard", [text_id(text)], np.eye(1, 4, dtype=np.float32))
    for each, plan in ((gone, "plans/gone.yaml"), (second, "bidfolio")):
        store.stage(each, rows)
        run = start_run("refresh", plan, "documents", each.corpus)
        staged = Staged(each.corpus, each.index_key, each.index_version, each.documents, each.chunks)
        assert make_live(staged, run, settings)
        record_run(run, settings, status="done")
    lake.put(b"half of a file", "staging", "half")
    lake.put(b"{}", "index", "converted", "0123456789abcdef-1.json")
    age(published.home)
    lake.put(b"half of a file", "staging", "of a run that is under way")
    with open(published.home / "staging" / "of a run that is under way", "rb") as written:
        fcntl.flock(written, fcntl.LOCK_EX)  # as a process holds it that writes
        yield published


def tables(home: Path) -> set[str]:
    return {path.name.split(".")[0] for path in (home / "index").glob("*.lance")}


def answers_and_goes_back(published: Published, bidfolio: Bidfolio) -> None:
    """What is live answers, and what was can be gone back to."""
    for _ in range(2):
        asked = bidfolio("--json", "ask", SIGN_ON)
        assert asked.exit_code == 0 and asked.summary["citations"][0]["file_name"] == "past.csv", asked.err
        back = bidfolio("--json", "index", "rollback")
    assert back.exit_code == 2, "there are no more than two"
    first = published.refreshed.summary["index_version"]
    live = [row for row in bidfolio("--json", "index", "list").summary["versions"] if row["live"]]
    assert [row["index_version"] for row in live if row["plan"] == "bidfolio"] == [first]


def test_what_nobody_needs_goes_and_all_else_works(home_with_garbage: Published, bidfolio: Bidfolio) -> None:
    home, before = home_with_garbage.home, kept_files(home_with_garbage.home)
    assert len(tables(home)) == 2

    told = bidfolio("--json", "gc", "--dry-run").summary
    assert told["dry_run"] and "indexes" not in told["removed"], "a run of these days names its plan"
    assert told["removed"].keys() == {"documents", "staging"}
    told = bidfolio("--json", "gc", "--dry-run", "--days", 0).summary
    assert told["removed"].keys() == {"indexes", "states", "documents", "vectors", "staging"}
    assert kept_files(home) == before

    done = bidfolio("--json", "gc", "--days", 0).summary
    after = kept_files(home)
    assert done == told | {"dry_run": False}
    gone = before.keys() - after.keys()
    assert (len(gone), sum(before[path] for path in gone)) == (done["files"], done["size_bytes"])
    assert len(tables(home)) == 1
    assert "staging/of a run that is under way" in after
    assert bidfolio("--json", "sql", "SELECT count(DISTINCT index_key) FROM chunks").summary["rows"] == [[1]]

    again = bidfolio("gc", "--days", 0)
    assert again.out == "       0.0 MB        0 files  removed\n"
    answers_and_goes_back(home_with_garbage, bidfolio)
    (home_with_garbage.documents / "hosting.txt").unlink()
    again = bidfolio("--json", "refresh", home_with_garbage.documents)
    assert again.exit_code == 0 and (again.summary["embedded"], again.summary["reused"]) == (0, 3), again.err


def test_what_a_killed_refresh_goes_on_with_stays_while_its_files_are_there(
    published: Published, bidfolio: Bidfolio, monkeypatch: pytest.MonkeyPatch
) -> None:
    (published.documents / "new.txt").write_text("Ospreys\n\nThe osprey protocol is public.\n", encoding="utf-8")

    def die(*_: object) -> None:
        raise Killed

    with monkeypatch.context() as patched:
        patched.setattr("tasks.publishing.task.with_vectors", die)
        with pytest.raises(Killed):
            bidfolio("refresh", published.documents)
    age(published.home)
    left = kept_files(published.home)
    assert bidfolio("gc", "--days", 0).exit_code == 0
    gone = {name.rpartition("/")[0] for name in left.keys() - kept_files(published.home).keys()}
    assert all(name.startswith(("index/states", "cache/counts", "cache/lexical", "cache/chunk_lists")) for name in gone)
    again = bidfolio("--json", "refresh", published.documents)
    assert again.exit_code == 0 and again.summary["embedded"] == 0, "documents, chunks and vectors were there"

    (published.documents / "new.txt").unlink()
    assert bidfolio("refresh", published.documents).exit_code == 0
    assert places_of(["osprey"], published.home), "the version of before could be gone back to"
    assert bidfolio("gc", "--days", 0).exit_code == 0
    assert places_of(["osprey"], published.home) == []


def test_the_only_index_of_a_corpus_stays_whatever_its_plan(
    home_with_garbage: Published, bidfolio: Bidfolio, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tasks.tidying.task.plan_names", lambda: [])
    live = {row["index_version"] for row in bidfolio("--json", "index", "list").summary["versions"] if row["live"]}
    assert len(live) == 2
    assert bidfolio("gc", "--days", 0).exit_code == 0
    left = {row["index_version"] for row in bidfolio("--json", "index", "list").summary["versions"] if row["live"]}
    assert len(left) == 1 and left < live
    asked = bidfolio("ask", SIGN_ON)
    assert asked.exit_code == 0 and "past.csv" in asked.out, "the one that was published last"


def test_fewer_versions_are_kept_where_that_is_set(
    home_with_garbage: Published, bidfolio: Bidfolio, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BIDFOLIO_INDEX_KEEP_VERSIONS", "1")
    told = bidfolio("--json", "gc", "--dry-run").summary
    assert told["removed"]["versions"]["files"]
    assert bidfolio("--json", "gc").summary == told | {"dry_run": False}
    versions = bidfolio("--json", "index", "list").summary["versions"]
    assert len(versions) == 2 and all(row["live"] for row in versions), "one of each plan"
    assert bidfolio("--json", "gc").summary["files"] == 0
    assert bidfolio("index", "rollback").exit_code == 2
    assert bidfolio("ask", SIGN_ON).exit_code == 0


def killed_in_turn(bidfolio: Bidfolio, monkeypatch: pytest.MonkeyPatch, stride: int) -> Iterator[int]:
    """Runs gc until it comes to its end, each time killed ``stride`` steps later than before; after how many."""
    for die_at in range(0, 10_000, stride):
        with monkeypatch.context() as patched:
            begun = steps(patched, die_at)
            try:
                assert bidfolio("gc", "--days", 0).exit_code == 0
            except Killed:
                yield begun()
                continue
        return


def test_one_that_is_killed_is_ended_by_the_next(
    home_with_garbage: Published, bidfolio: Bidfolio, monkeypatch: pytest.MonkeyPatch
) -> None:
    live = {row["plan"]: row["index_version"] for row in bidfolio("--json", "index", "list").summary["versions"]}
    rounds = 0
    for _ in killed_in_turn(bidfolio, monkeypatch, stride=3):
        rounds += 1
        listed = bidfolio("--json", "index", "list")
        assert listed.exit_code == 0, listed.err
        shown = {row["plan"]: row["index_version"] for row in listed.summary["versions"] if row["live"]}
        assert shown["bidfolio"] == live["bidfolio"]
    assert rounds > 3, "it was killed in the middle of things"
    assert not [path for path in (home_with_garbage.home / "staging").iterdir() if path.is_dir()]
    assert bidfolio("--json", "gc", "--days", 0).summary["files"] == 0
    answers_and_goes_back(home_with_garbage, bidfolio)


def test_it_waits_for_no_run_and_hurts_none(published_once: Published) -> None:
    store = IndexStore(str(published_once.home))
    with writing_lock(str(published_once.home), "another"):
        busy = run_bidfolio(published_once.home, "gc")
        assert busy.exit_code == 4 and "a run is writing an index of this home: wait for it to end" in busy.err
    with store.alone():
        refused = run_bidfolio(
            published_once.home, "index", "publish", published_once.refreshed.summary["index_version"]
        )
        assert refused.exit_code == 4 and "`bidfolio gc` is at work in this home" in refused.err


def test_in_an_object_store_it_works_as_on_a_disk(
    object_store: ObjectStore, bidfolio: Bidfolio, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tasks.tidying.erasing.SPARED", timedelta(0))
    home = f"s3://{object_store.make_bucket()}/home"
    lake = Lake(home)
    lake.put(b"half of a file", "staging", "half")
    removed = {"staging": {"files": 1, "size_bytes": 14}}
    told = bidfolio("--home", home, "--json", "gc", "--dry-run")
    assert (told.exit_code, told.summary["removed"]) == (0, removed), told.err
    with writing_lease(lake, "default"):
        busy = bidfolio("--home", home, "gc")
    assert busy.exit_code == 4 and "a run is writing an index of this home" in busy.err
    assert lake.has("staging", "half")
    done = bidfolio("--home", home, "--json", "gc")
    assert (done.exit_code, done.summary["removed"]) == (0, removed), done.err
    assert not lake.has("staging", "half")


def test_a_plan_whose_file_is_there_counts_however_long_no_run_named_it(tmp_path: Path) -> None:
    """A question that is asked leaves no run behind."""
    settings = Settings(home=str(tmp_path / "home"))
    named = [tmp_path / "ours.yaml", tmp_path / "gone.yaml"]
    for file in named:
        file.write_text((PLANS_DIR / "bidfolio.yaml").read_text().replace("160", "170"), encoding="utf-8")
        record_run(start_run("refresh", str(file), "documents", "default"), settings, status="done")
    key = load_plan(str(named[0])).index_key
    named[1].unlink()
    for days, lately in ((-1, frozenset({"gone"})), (1, frozenset())):
        plans, unread = plans_of_today(Lake(settings.home), settings, now() + timedelta(days=days))
        assert key in plans and unread == lately
