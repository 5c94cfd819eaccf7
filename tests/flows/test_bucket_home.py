"""A home in a bucket does what one on a disk does, and what goes wrong with its store is named."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tasks.index.store import IndexStore
from tasks.storage.lake import Lake
from tasks.storage.leases import writing_lease
from tests.made.commands import MODELS, Ran, run_bidfolio
from tests.made.faults import Killed
from tests.made.object_store import ObjectStore
from tests.made.paths import ROOT
from tests.made.published import Published
from tests.made.questionnaires import ENCRYPTED
from tests.made.run_results import counts

KILLED = """
import os, sys
from configs.settings import Settings
from tasks.runtime.artifacts import open_run
open_run.fn("answer", "bidfolio", "form.xlsx", "default", Settings(home=sys.argv[1]))
os._exit(9)
"""


def test_a_home_in_a_bucket_is_one_like_any_other(
    published_once: Published, object_store: ObjectStore, corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / ".cache" / "bidfolio").mkdir(parents=True)
    (tmp_path / ".cache" / "bidfolio" / "models").symlink_to(os.environ[MODELS])
    home = f"s3://{object_store.make_bucket()}/homes/one"
    monkeypatch.setenv("BIDFOLIO_HOME", home)

    def bidfolio(*arguments: object) -> Ran:
        return run_bidfolio(home, "--json", *arguments)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(IndexStore, "publish", killed)
        with pytest.raises(Killed):
            bidfolio("refresh", corpus)
    first = bidfolio("refresh", corpus)
    assert first.exit_code == 0, first.err
    local = published_once.refreshed.summary
    assert {key: first.summary[key] for key in ("index_version", "documents", "chunks")} == {
        key: local[key] for key in ("index_version", "documents", "chunks")
    }
    assert bidfolio("ask", ENCRYPTED).summary["citations"][0]["file_name"] == "policy.pdf"

    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    assert subprocess.run([sys.executable, "-P", "-c", KILLED, home], env=environment, check=False).returncode == 9
    of_answers = "SELECT status FROM runs WHERE kind = 'answer'"
    assert bidfolio("sql", of_answers).summary["rows"] == [["running"]]

    with writing_lease(Lake(home), "default"):
        refused = bidfolio("refresh", corpus)
    assert refused.exit_code == 4 and "another refresh is writing the corpus 'default'" in refused.err

    (corpus / "past.csv").unlink()
    with object_store.refusing("400 Bad Request", "ExpiredToken", "The provided token has expired.", "PUT POST"):
        expired = bidfolio("refresh", corpus)
    assert expired.exit_code == 2 and "have expired" in expired.err and "run the same command again" in expired.err

    object_store.die()
    begun = time.monotonic()
    away = bidfolio("index", "list")
    assert time.monotonic() - begun < 30
    object_store.rise()
    assert away.exit_code == 4 and f"the store of {home} does not answer" in away.err

    second = bidfolio("refresh", corpus).summary
    assert second["documents"] == counts(deleted=1, unchanged=2) and second["embedded"] == 0
    assert bidfolio("index", "check").exit_code == 0
    assert bidfolio("sql", of_answers).summary["rows"] == [["crashed"]]
    assert bidfolio("index", "rollback").summary["index_version"] == local["index_version"]
    assert bidfolio("sql", "SELECT count(*) FROM documents").summary["rows"] == [[3]]

    assert bidfolio("gc", "--days", 0).exit_code == 0
    assert bidfolio("purge", "--run", first.summary["run_id"], "--yes").summary["runs"] == 1
    assert bidfolio("purge", "--corpus", "default", "--yes").exit_code == 0
    assert bidfolio("index", "list").summary == {"versions": []}
    assert not [file.parts for file in Lake(home).below() if "corpus=default" in file.parts]


def killed(*_: object) -> None:
    raise Killed
