"""Folders of graphs: what is damaged or was left half made, beside what a process is filling."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from tasks.embedding.models.graph_folders import damaged_folders, kept
from tests.made.commands import Bidfolio
from tests.made.published import Published

UNKNOWN = 54_321
"""The id of no user."""
FILL = """
import sys
from tasks.embedding.models.graph_folders import kept

def write(folder):
    (folder / "graph.bin").write_text("half") if sys.argv[2] == "half" else None
    print("filling", flush=True)
    sys.stdin.readline()
    (folder / "graph.bin").write_text("whole")

with kept(sys.argv[1], "key", write) as folder:
    print(folder.name, flush=True)
"""


@contextmanager
def filling(home: Path, what: str) -> Iterator[subprocess.Popen[str]]:
    """A process that is making a graph, of which it has written ``half`` or ``nothing``; it ends at a line of input."""
    command = [sys.executable, "-c", FILL, str(home), what]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None and process.stdout.readline() == "filling\n"
        yield process
        process.kill()


@pytest.mark.parametrize("what", ["half", "nothing"])
def test_what_a_process_is_making_is_not_damaged(tmp_path: Path, what: str) -> None:
    models = tmp_path / "cache" / "models"
    with filling(tmp_path, what) as process:
        assert [folder.suffix for folder in models.iterdir()] == [".staged"]
        assert list(damaged_folders(models)) == []
        out, _ = process.communicate("\n", timeout=60)
        assert out == "key\n"
    assert list(damaged_folders(models)) == []
    (models / "key" / "graph.bin").write_text("wrong")
    ((folder, why),) = damaged_folders(models)
    assert (folder.name, why) == ("key", "graph.bin in it is not what was written")


@pytest.mark.parametrize("what", ["half", "nothing"])
def test_what_a_killed_process_has_left_is_told(tmp_path: Path, what: str) -> None:
    with filling(tmp_path, what) as process:
        process.kill()
    ((folder, why),) = damaged_folders(tmp_path / "cache" / "models")
    assert (folder.suffix, why) == (".staged", "the process that made it was killed")
    with kept(str(tmp_path), "key", lambda made: None):
        assert len(list(damaged_folders(tmp_path / "cache" / "models"))) == 1


def test_what_an_earlier_bidfolio_left_is_told(tmp_path: Path) -> None:
    (tmp_path / "empty.staged").mkdir()
    (tmp_path / "half.staged").mkdir()
    (tmp_path / "half.staged" / "graph.bin").touch()
    assert [folder.name for folder, _ in damaged_folders(tmp_path)] == ["half.staged"]


@pytest.mark.skipif(os.getuid() != 0, reason="only root may become another user")
def test_an_account_that_the_system_does_not_know_keeps_graphs_in_the_home(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in containers: neither HOME nor an entry in passwd says where the user's own cache is."""
    monkeypatch.delenv("HOME")
    with TemporaryDirectory() as home:
        Path(home).chmod(0o777)
        os.setresuid(UNKNOWN, UNKNOWN, 0)
        try:
            with pytest.raises(RuntimeError, match="home directory"):
                Path("~").expanduser()
            with kept(home, "key", lambda made: None) as folder:
                assert folder == Path(home, "cache", "models", "key")
            with pytest.raises(PermissionError, match="model"), kept(home, "other", unreadable):
                pass
        finally:
            os.setresuid(0, 0, 0)


def unreadable(_folder: Path) -> None:
    raise PermissionError(13, "Permission denied", "model.bin")


def test_without_a_folder_nothing_is_damaged(tmp_path: Path) -> None:
    assert list(damaged_folders(tmp_path / "cache" / "models")) == []


def test_a_check_leaves_what_is_being_made(published: Published, bidfolio: Bidfolio) -> None:
    models = published.home / "cache" / "models"
    models.unlink()  # a link to what all tests share
    with filling(published.home, "half") as killed:
        killed.kill()
    (left,) = (folder.name for folder in models.iterdir())
    with filling(published.home, "nothing") as process:
        checked = bidfolio("index", "check")
        assert checked.exit_code == 0
        assert f"{left} is damaged (the process that made it was killed) and removed" in checked.err
        assert checked.err.count(".staged is damaged") == 1
        out, _ = process.communicate("\n", timeout=60)
        assert out == "key\n"
    assert {folder.name for folder in models.iterdir()} == {"key"}
