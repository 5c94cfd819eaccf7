"""A refresh looks before it starts anything: it never says "nothing has changed" where its flow would do something."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from configs.settings import load_settings
from flows.prefect_server import configured
from flows.prefect_server.configured import may_be_configured
from flows.prefect_server.environment import prepare
from flows.refresh_look import look_for_changes
from tasks.runtime.running import FOLDER
from tasks.storage.home_format import PLACE
from tests.made.commands import Bidfolio, kept_environment
from tests.made.paths import ROOT
from tests.made.published import Published
from tests.made.run_results import rows_of, runs_of


def looked(published: Published, plan: str = "bidfolio", **patterns: list[str]) -> bool:
    """If a look finds nothing to do."""
    with kept_environment():
        prepare(load_settings(home=str(published.home)))
        return look_for_changes(str(published.documents), plan, "default", **patterns) is not None


def test_it_says_what_the_flow_would_say(
    published: Published, bidfolio: Bidfolio, monkeypatch: pytest.MonkeyPatch
) -> None:
    (published.documents / "cut.pdf").write_bytes(b"%PDF-1.7 cut off")
    (published.documents / "picture.png").write_bytes(b"\x89PNG")
    bidfolio("refresh", published.documents)
    looked_at = bidfolio("--json", "refresh", published.documents)
    with monkeypatch.context() as patched:
        patched.setattr(configured, "may_be_configured", lambda: True)
        run = bidfolio("--json", "refresh", published.documents)
    assert "starting" in run.err and "starting" not in looked_at.err
    own = ("run_id", "seconds")
    assert {k: v for k, v in looked_at.summary.items() if k not in own} == {
        k: v for k, v in run.summary.items() if k not in own
    }
    assert looked_at.summary["documents"]["quarantined"] == 1 and looked_at.summary["passed_over"] == {".png": 1}
    columns = "flow_run_id IS NULL, kind, status, plan, source, corpus, asked_by, index_version"
    (look,), (with_flow,) = (
        rows_of(bidfolio, f"SELECT {columns} FROM runs WHERE run_id = '{ran.summary['run_id']}'")
        for ran in (looked_at, run)
    )
    assert look[1:] == with_flow[1:] and look[1:3] == ["refresh", "unchanged"]
    assert look[0] and not with_flow[0]


def add(published: Published) -> None:
    (published.documents / "new.txt").write_text("Visitors are escorted at all times.\n", encoding="utf-8")


def change(published: Published) -> None:
    """One letter of the same length, at the same time."""
    path = published.documents / "hosting.txt"
    before = path.stat()
    path.write_text(path.read_text(encoding="utf-8").replace("99.95", "99.96"), encoding="utf-8")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def delete(published: Published) -> None:
    (published.documents / "past.csv").unlink()


def rename(published: Published) -> None:
    (published.documents / "past.csv").rename(published.documents / "former.csv")


def damage_index(published: Published) -> None:
    largest = max(published.home.glob("index/*.lance/data/*"), key=lambda path: path.stat().st_size)
    largest.write_bytes(largest.read_bytes()[:-1] + b"?")


def lose_a_table(published: Published) -> None:
    next(published.home.glob("lake/pages/*/pages.parquet")).unlink()


def lose_the_manifest(published: Published) -> None:
    for path in published.home.glob("index/commits/corpus=*"):
        path.unlink()


def leave_the_manifest_open(published: Published) -> None:
    """As a publish that is killed leaves it."""
    path = next(published.home.glob("index/commits/corpus=*,*"))
    path.write_text(json.dumps(json.loads(path.read_text(encoding="utf-8")) | {"is_open": True}), encoding="utf-8")


def leave_a_killed_run(published: Published) -> None:
    mark = Path(published.home, *FOLDER, "20260101T000000-abcdef.crashed")
    mark.write_text("3b241101-e2bb-4255-8caf-4136c566a962", encoding="utf-8")


def lose_the_format(published: Published) -> None:
    Path(published.home, *PLACE).unlink()


@pytest.mark.parametrize(
    "do",
    [
        add,
        change,
        delete,
        rename,
        damage_index,
        lose_a_table,
        lose_the_manifest,
        leave_the_manifest_open,
        leave_a_killed_run,
        lose_the_format,
    ],
    ids=lambda do: do.__name__,
)
def test_it_leaves_to_the_flow_whatever_has_to_be_done(published: Published, do: Callable[[Published], None]) -> None:
    assert looked(published)
    do(published)
    assert not looked(published)


def test_another_plan_other_patterns_and_another_folder_are_the_flow_s(published: Published) -> None:
    assert not looked(published, "rails") and not looked(published, exclude=["past.*"])
    assert looked(published)
    write = published.documents.with_name("others")
    write.mkdir()
    (write / "past.csv").write_bytes((published.documents / "past.csv").read_bytes())
    assert not looked(Published(published.home, write, published.refreshed))


def test_what_is_wrong_is_told_and_recorded_by_the_flow(
    published: Published, bidfolio: Bidfolio, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BIDFOLIO_GATE_GOLD", str(published.home / "gone.jsonl"))
    assert not looked(published)
    refused = bidfolio("refresh", published.documents)
    assert refused.exit_code == 2 and "the gate's gold set" in refused.err
    assert [row[1] for row in runs_of(bidfolio)] == ["done", "failed"]


@pytest.mark.parametrize(
    ("name", "text", "is_one"),
    [
        ("prefect.toml", "", True),
        ("pyproject.toml", "[tool.prefect]\n", True),
        ("pyproject.toml", "[ tool . prefect.api ]\nurl = 'http://127.0.0.1:4200/api'\n", True),
        ("pyproject.toml", "[tool]\nprefect.api.url = 'http://127.0.0.1:4200/api'\n", True),
        ("pyproject.toml", "[tool\n", True),
        ("pyproject.toml", "[tool.ruff]\n", False),
        ("pyproject.toml", 'dependencies = ["prefect>=3"]\n', False),
        (".env", "PREFECT_API_URL=http://127.0.0.1:4200/api\n", True),
        (".env", "BIDFOLIO_USER=ann\n", False),
        ("home/profiles.toml", "", True),
    ],
)
def test_a_server_may_be_configured_by_each_file_that_prefect_reads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, text: str, is_one: bool
) -> None:
    (tmp_path / "home").mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PREFECT_HOME", str(tmp_path / "home"))
    assert not may_be_configured()
    (tmp_path / name).write_text(text, encoding="utf-8")
    assert may_be_configured() == is_one


def test_those_who_watch_a_server_see_every_refresh(
    published: Published, bidfolio: Bidfolio, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PREFECT_API_URL", "http://127.0.0.1:9/api")
    away = bidfolio("refresh", published.documents)
    assert away.exit_code == 4 and "http://127.0.0.1:9/api" in away.err


def test_a_look_starts_no_server_and_imports_neither_prefect_nor_lancedb(published: Published) -> None:
    code = """
import sys
from flows.cli.main import main
assert main(sys.argv[1:]) == 0
print(*sorted({"prefect", "lancedb", "great_expectations", "pandas", "sklearn", "openvino"} & set(sys.modules)))
"""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PREFECT_")}
    command = [sys.executable, "-c", code, "--home", str(published.home), "refresh", str(published.documents)]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=120)
    live = published.refreshed.summary["index_version"]
    assert done.stdout.splitlines() == [f"nothing has changed: version {live} stays live (4 chunks)", ""], done.stderr
