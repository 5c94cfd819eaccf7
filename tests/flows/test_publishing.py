"""What is published, what the lake says of it, and what a killed refresh leaves: on a real server and a real index."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from prefect.settings import PREFECT_API_URL

from configs.plans import PLANS_DIR
from tasks.index.store import IndexStore
from tasks.storage.lake import Lake
from tests.made.commands import Bidfolio, link_models, run_bidfolio
from tests.made.faults import Killed
from tests.made.paths import ROOT
from tests.made.published import Published, write_corpus
from tests.made.run_results import artifact, runs_of

CURRENT = ("documents", "pages", "elements", "chunks", "vectors")
SIGN_ON = "Do you support single sign-on?"


def current_rows(home: Path) -> dict[str, list[dict[str, Any]]]:
    """The lake's current rows, table by table."""
    partition = {"corpus": "default"}
    lake = Lake(str(home))
    (key,) = {path.parent.name.removeprefix("index_key=") for path in home.glob("lake/chunks/*/*/*.parquet")}
    keyed = {"chunks": {**partition, "index_key": key}, "vectors": {**partition, "index_key": key}}
    return {name: lake.read(name, **keyed.get(name, partition)).to_pylist() for name in CURRENT}


def test_every_refresh_leaves_a_row_in_runs(published: Published, bidfolio: Bidfolio) -> None:
    bidfolio("refresh", published.documents)
    (published.documents / "hosting.txt").chmod(0o644)
    bidfolio("refresh", published.documents, "--corpus", "not/a/name")
    assert [row[:2] for row in runs_of(bidfolio)] == [
        ["refresh", "done"],
        ["refresh", "unchanged"],
        ["refresh", "failed"],
    ]
    assert "cannot name a corpus" in runs_of(bidfolio)[-1][2]


def test_what_changed_is_told_file_by_file(published: Published, bidfolio: Bidfolio) -> None:
    (published.documents / "past.csv").unlink()
    (published.documents / "new.txt").write_text("Visitors are escorted at all times.\n", encoding="utf-8")
    (published.documents / "cut.pdf").write_bytes(b"%PDF-1.7 cut off")
    (published.documents / "hosting.txt").write_text("Hosting has moved to Lyon.\n", encoding="utf-8")
    (published.documents / "policy.pdf").rename(published.documents / "security.pdf")
    assert bidfolio("refresh", published.documents).exit_code == 1
    told = {row["file_name"]: row for row in artifact("changes")}
    assert {name: (row["change"], row["words"]) for name, row in told.items()} == {
        "cut.pdf": ("quarantined", ""),
        "past.csv": ("deleted", "39"),
        "security.pdf": ("renamed", "62"),
        "hosting.txt": ("changed", "33 → 5"),
        "new.txt": ("added", "6"),
    }
    assert list(told) == ["cut.pdf", "past.csv", "security.pdf", "hosting.txt", "new.txt"], "what needs somebody first"
    assert told["security.pdf"]["why"] == "was policy.pdf, with the same content"
    assert told["cut.pdf"]["why"].startswith("truncated"), "its name stands beside it"
    assert artifact("documents")[0]["file_name"] == "cut.pdf", "what a person must mend stands first"


def test_the_lake_follows_the_tag_back_and_forth(published: Published, bidfolio: Bidfolio) -> None:
    first = current_rows(published.home)
    (published.documents / "past.csv").unlink()
    assert bidfolio("refresh", published.documents).exit_code == 0
    second = current_rows(published.home)
    assert len(second["documents"]) == 2 < len(first["documents"])

    back = bidfolio("--json", "index", "rollback")
    assert back.exit_code == 0 and back.summary["lake_pages_restored"]
    assert current_rows(published.home) == first

    forth = bidfolio(
        "index", "publish", str(bidfolio("--json", "index", "list").summary["versions"][-1]["index_version"])
    )
    assert forth.exit_code == 0, forth.err
    assert current_rows(published.home) == second
    assert [row[:2] for row in runs_of(bidfolio)][-2:] == [["rollback", "done"], ["publish", "done"]]
    live = bidfolio("--json", "sql", "SELECT count(*) FROM index_versions").summary["rows"]
    assert live == [[4]], "each move of the tag is told"


def test_going_back_twice_leads_two_versions_back(published: Published, bidfolio: Bidfolio) -> None:
    versions = [published.refreshed.summary["index_version"]]
    for name in ("past.csv", "hosting.txt"):
        (published.documents / name).unlink()
        versions.append(bidfolio("--json", "refresh", published.documents).summary["index_version"])
    for expected in (versions[1], versions[0]):
        assert bidfolio("--json", "index", "rollback").summary["index_version"] == expected
    assert bidfolio("index", "rollback").exit_code == 2


def test_what_an_earlier_recipe_made_is_listed_as_old_until_it_goes(
    published: Published, bidfolio: Bidfolio, tmp_path: Path
) -> None:
    """The plan is a file with the name of one that ships, which reads an index of its own."""
    shipped = (PLANS_DIR / "bidfolio.yaml").read_text(encoding="utf-8")
    mine = tmp_path / "bidfolio.yaml"
    versions = [published.refreshed.summary["index_version"]]
    for tokens, old in ((150, 0), (140, 1)):
        mine.write_text(shipped.replace("max_tokens: 160", f"max_tokens: {tokens}"), encoding="utf-8")
        refreshed = bidfolio("--json", "refresh", published.documents, "--plan", mine)
        assert refreshed.exit_code == 0, refreshed.err
        versions.append(refreshed.summary["index_version"])
        listed = bidfolio("index", "list").out
        assert (listed.count("  old  "), listed.count("* live ")) == (old, 2)
    assert f"  old  {versions[1]}" in listed and "`bidfolio gc` removes it" in listed
    assert bidfolio("gc").exit_code == 0
    left = bidfolio("index", "list").out
    assert (left.count("old"), left.count("* live ")) == (0, 2)


def test_a_rollback_that_is_killed_is_put_right_by_the_next_refresh(
    published: Published, bidfolio: Bidfolio, monkeypatch: pytest.MonkeyPatch
) -> None:
    (published.documents / "past.csv").unlink()
    bidfolio("refresh", published.documents)
    second = current_rows(published.home)
    with monkeypatch.context() as patched:
        kill_before(patched, "the tag")
        with pytest.raises(Killed):
            bidfolio("index", "rollback")
    assert current_rows(published.home) != second
    put_right = bidfolio("refresh", published.documents)
    assert put_right.out.startswith("published version") and "is damaged" not in put_right.err
    assert current_rows(published.home) == second
    assert bidfolio("refresh", published.documents).out.startswith("nothing has changed")


def test_without_its_cache_a_version_is_checked_published_and_gone_back_from(
    published: Published, bidfolio: Bidfolio
) -> None:
    (published.documents / "past.csv").unlink()
    bidfolio("refresh", published.documents)
    shutil.rmtree(published.home / "cache")
    assert bidfolio("index", "check").exit_code == 0
    assert bidfolio("--json", "index", "rollback").summary["lake_pages_restored"]
    assert len(current_rows(published.home)["pages"]) == published.refreshed.summary["pages"]


def test_after_a_rollback_the_next_refresh_publishes_again(published: Published, bidfolio: Bidfolio) -> None:
    (published.documents / "past.csv").unlink()
    second = bidfolio("--json", "refresh", published.documents).summary["index_version"]
    bidfolio("index", "rollback")
    again = bidfolio("--json", "refresh", published.documents).summary
    assert again["index_version"] == second and again["documents"]["deleted"] == 1 and again["embedded"] == 0


def test_a_plan_left_behind_does_not_answer_from_deleted_files(published: Published, bidfolio: Bidfolio) -> None:
    assert bidfolio("refresh", published.documents, "--plan", "rails").exit_code == 0
    assert bidfolio("ask", SIGN_ON, "--plan", "rails").exit_code == 0
    (published.documents / "past.csv").unlink()
    assert bidfolio("refresh", published.documents).exit_code == 0
    stale = bidfolio("ask", SIGN_ON, "--plan", "rails")
    assert stale.exit_code == 2 and "refresh SOURCE --plan rails" in stale.err
    assert bidfolio("refresh", published.documents, "--plan", "rails").exit_code == 0
    assert bidfolio("ask", SIGN_ON, "--plan", "rails").exit_code == 0


def test_a_corpus_of_broken_files_says_why_and_tells_the_lake(
    prefect_server: None, bidfolio: Bidfolio, tmp_path: Path
) -> None:
    (tmp_path / "bad").mkdir()
    (tmp_path / "bad" / "cut.pdf").write_bytes(b"%PDF-1.7 cut off")
    refused = bidfolio("refresh", tmp_path / "bad")
    assert refused.exit_code == 3 and "cut.pdf: truncated" in refused.err
    rows = bidfolio("--json", "sql", "SELECT file_name, status, reason FROM documents").summary["rows"]
    assert [row[:2] for row in rows] == [["cut.pdf", "quarantined"]] and "truncated" in rows[0][2]
    assert [status for _, status, _ in runs_of(bidfolio)] == ["refused"]


def test_another_folder_under_the_same_name_is_said(published: Published, bidfolio: Bidfolio, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "garden.txt").write_text("The gardeners start at seven.\n", encoding="utf-8")
    ran = bidfolio("refresh", other)
    assert ran.exit_code == 0
    assert ran.out.startswith("published version")
    assert "held the documents of" in ran.err and "--corpus NAME" in ran.err


@pytest.mark.parametrize("step", ["pages", "vectors", "the tag", "index_versions", "documents"])
def test_a_refresh_killed_while_it_publishes_is_finished_by_the_next(
    published: Published, bidfolio: Bidfolio, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    (published.documents / "past.csv").unlink()
    (published.documents / "broken.pdf").write_bytes(b"%PDF-1.7 cut off")
    with monkeypatch.context() as patched:
        kill_before(patched, step)
        with pytest.raises(Killed):
            bidfolio("refresh", published.documents)

    finished = bidfolio("--json", "refresh", published.documents)

    assert "is damaged" not in finished.err, "a killed publish is no damage"
    assert finished.exit_code == 1, "this run, too, is the first that tells of the broken file"
    assert finished.summary["documents"] == {"added": 0, "changed": 0, "deleted": 1, "unchanged": 2, "quarantined": 1}
    assert {row["file_name"] for row in current_rows(published.home)["documents"]} == {
        "broken.pdf",
        "hosting.txt",
        "policy.pdf",
    }
    assert {row["file_name"] for row in current_rows(published.home)["chunks"]} == {"hosting.txt", "policy.pdf"}
    assert bidfolio("refresh", published.documents).out.startswith("nothing has changed")
    assert [status for _, status, _ in runs_of(bidfolio)] == ["done", "failed", "done", "unchanged"]


def kill_before(patched: pytest.MonkeyPatch, step: str) -> None:
    """The process ends where `publish` would write that table, or move the tag."""

    def dying(of: Callable[..., None], name: str = "") -> Callable[..., None]:
        def wrapped(self: Any, *arguments: Any, **partition: Any) -> None:
            if step == (name or arguments[0]):
                raise Killed
            of(self, *arguments, **partition)

        return wrapped

    patched.setattr(Lake, "write", dying(Lake.write))
    patched.setattr(IndexStore, "publish", dying(IndexStore.publish, "the tag"))


def test_a_refresh_killed_by_the_system_is_finished_by_the_next(prefect_server: None, tmp_path: Path) -> None:
    documents, home = tmp_path / "documents", tmp_path / "home"
    link_models(home)
    write_corpus(documents)
    for number in range(60):
        (documents / f"note{number}.txt").write_text(
            f"Note {number}: the depot in district {number} is open.\n", "utf-8"
        )
    environment = os.environ | {"PREFECT_API_URL": str(PREFECT_API_URL.value()), "BIDFOLIO_HOME": str(home)}
    running = subprocess.Popen(
        [sys.executable, "-P", "-m", "flows.cli", "refresh", str(documents)],
        cwd=ROOT,
        env=environment,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert running.stderr is not None
    for line in running.stderr:
        if line.startswith("Embedding chunks"):
            break
    os.killpg(running.pid, signal.SIGKILL)
    running.stderr.close()
    assert running.wait() == -signal.SIGKILL
    assert not list(home.glob("lake/chunks/**/*.parquet")), "it was killed before it published"

    finished = run_bidfolio(home, "--json", "refresh", documents)
    assert finished.exit_code == 0, finished.err
    assert finished.summary["documents"]["added"] == 63
    whole = run_bidfolio(tmp_path / "other", "--json", "refresh", documents)
    assert finished.summary["index_version"] == whole.summary["index_version"]
    one, two = (pa.concat_tables(vectors(at)) for at in (home, tmp_path / "other"))
    assert one.sort_by("chunk_id").equals(two.sort_by("chunk_id")), "the same vectors, bit for bit"


def vectors(home: Path) -> list[pa.Table]:
    import pyarrow.parquet as pq

    return [pq.read_table(path, partitioning=None) for path in home.glob("lake/vectors/**/*.parquet")]
