"""Outputs of models that are kept by content: right or not at all, whatever becomes of the file."""

from __future__ import annotations

import sqlite3
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from subprocess import run
from tempfile import TemporaryDirectory

import pytest

from tasks.storage.output_cache import FILE, OutputCache, forget
from tests.made.paths import ROOT


class Computing:
    """Gives a text's output, and counts the texts."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    def __call__(self, texts: Sequence[str]) -> list[bytes]:
        self.texts += texts
        return [f"output of {text}".encode() for text in texts]


def recalled(path: Path, *texts: str) -> list[str]:
    """The texts that have to be computed; all outputs must be right."""
    compute = Computing()
    found = OutputCache(path).recalled("space", texts, compute)
    assert found == [f"output of {text}".encode() for text in texts]
    return compute.texts


def test_what_was_computed_once_is_not_computed_again(tmp_path: Path) -> None:
    file = tmp_path / "not" / "there" / FILE
    assert recalled(file, "a", "b", "a") == ["a", "b"]
    assert recalled(file, "b", "c") == ["c"] and recalled(file) == []
    compute = Computing()
    assert OutputCache(file).recalled("other", ["a"], compute) == [b"output of a"] and compute.texts == ["a"]
    pairs = OutputCache(file).recalled("space", [("x", "yz"), ("xy", "z")], lambda new: [a.encode() for a, _ in new])
    assert pairs == [b"x", b"xy"]
    assert b"output of" in file.read_bytes() and b"space" not in file.read_bytes()


def test_a_cache_that_is_set_aside_neither_knows_nor_keeps(tmp_path: Path) -> None:
    compute, cache = Computing(), OutputCache(tmp_path / FILE)
    cache.recalled("space", ["a"], compute)
    with cache.set_aside():
        assert cache.recalled("space", ["a", "b"], compute) == [b"output of a", b"output of b"]
    assert cache.recalled("space", ["b", "a"], compute)[0] == b"output of b"
    assert compute.texts == ["a", "a", "b", "b"]


@pytest.mark.parametrize("damage", ["cut", "noise", "empty", "another file", "schema", "a text", "no blob", "a folder"])
def test_a_damaged_file_is_made_anew(damage: str, tmp_path: Path) -> None:
    file = tmp_path / FILE
    texts = [str(number) for number in range(2000)]
    assert recalled(file, *texts) == texts
    raw = file.read_bytes()
    if damage == "cut":
        file.write_bytes(raw[: len(raw) // 2])
    elif damage == "noise":
        file.write_bytes(raw[:4096] + bytes(255 - one for one in raw[4096:]))
    elif damage == "empty":
        file.write_bytes(b"")
    elif damage == "another file":
        file.write_text("a text, and no database\n" * 999)
    elif damage == "schema":
        at = raw.index(b"CREATE INDEX by_use ON outputs")
        file.write_bytes(raw[: at + 24] + b"\xf3" + raw[at + 25 :])
    elif damage in ("a text", "no blob"):
        value = "CAST(X'FFFE' AS TEXT)" if damage == "a text" else "7"
        with sqlite3.connect(file) as opened:
            opened.execute(f"UPDATE outputs SET value = {value}")
    else:
        file.unlink()
        file.mkdir()
    assert recalled(file, "0", "1", "1999") != []
    if damage != "a folder":
        assert recalled(file, "0", "1", "1999") == []


def test_a_changed_output_is_computed_again(tmp_path: Path) -> None:
    file = tmp_path / FILE
    recalled(file, "a", "b")
    with sqlite3.connect(file) as opened:
        for key, value in opened.execute("SELECT key, value FROM outputs").fetchall():
            changed = value.replace(b"t of a", b"t of x")
            opened.execute("UPDATE outputs SET value = ? WHERE key = ?", (changed, key))
    assert recalled(file, "a", "b") == ["a"]
    with sqlite3.connect(file) as opened:
        keys = [key for (key,) in opened.execute("SELECT key FROM outputs ORDER BY key")]
        values = [value for (value,) in opened.execute("SELECT value FROM outputs ORDER BY key")]
        for key, value in zip(keys, values[::-1], strict=True):
            opened.execute("UPDATE outputs SET value = ? WHERE key = ?", (value, key))
    assert recalled(file, "a", "b") == ["a", "b"]


def test_what_was_used_least_lately_leaves_first(tmp_path: Path) -> None:
    file, most = tmp_path / FILE, 0
    outputs = OutputCache(file, most_bytes=300_000)

    def compute(texts: Sequence[str]) -> list[bytes]:
        return [text.encode() * 100 for text in texts]

    for hour in range(60):
        with closing(sqlite3.connect(file)) as opened, opened:
            opened.execute("UPDATE outputs SET used = used - 1")  # as if an hour had passed
        outputs.recalled("s", ["always", *(f"{hour:03} {number:02}" for number in range(50))], compute)
        most = max(most, file.stat().st_size)
    assert most < 450_000
    last = [f"{hour:03} 00" for hour in range(60)]
    computing = Computing()
    outputs.recalled("s", ["always", *last], computing)
    assert computing.texts and computing.texts == last[: len(computing.texts)] and len(computing.texts) < 59


def test_threads_and_processes_share_it(tmp_path: Path) -> None:
    file, texts = tmp_path / FILE, [str(number) for number in range(300)]
    outputs = OutputCache(file)
    with ThreadPoolExecutor(4) as pool:
        for found in pool.map(
            lambda at: outputs.recalled("space", texts[at : at + 50], Computing()), range(0, 300, 25)
        ):
            assert found[0].startswith(b"output of ")
    assert recalled(file, *texts) == []
    code = (
        "import sys\nfrom pathlib import Path\nfrom tasks.storage.output_cache import OutputCache\n"
        "OutputCache(Path(sys.argv[1])).recalled('space', ['new'], lambda new: [b'output of new'])"
    )
    assert run([sys.executable, "-c", code, file], timeout=60).returncode == 0
    assert recalled(file, "new") == []


READER = """
import os, sys
from pathlib import Path
from tests.tasks.storage.test_output_cache import Computing, OutputCache
if os.geteuid() == 0:
    os.seteuid(65534)  # root may write everything
file = Path(sys.argv[1])
for outputs in (OutputCache(file), OutputCache(file.parent / "none" / file.name)):
    for texts in (["a", "b"], ["a"]):
        compute = Computing()
        outputs.recalled("space", texts, compute)
        print(*compute.texts, end=";")
"""


def test_where_nothing_can_be_written_what_is_known_is_read() -> None:
    """A process of its own, as another user; and a folder outside pytest's, which that user could not enter."""
    with TemporaryDirectory() as folder:
        file = Path(folder) / FILE
        recalled(file, "a")
        with sqlite3.connect(file) as opened:
            opened.execute("UPDATE outputs SET used = used - 9")
        before = file.read_bytes()
        file.chmod(0o444)
        Path(folder).chmod(0o555)
        done = run([sys.executable, "-c", READER, file], cwd=ROOT, capture_output=True, text=True, timeout=120)
        assert (done.stdout.strip(), done.stderr) == ("b;;a b;;", "")
        assert file.read_bytes() == before
        Path(folder).chmod(0o755)


def test_a_file_that_is_forgotten_while_it_is_open_does_no_harm(tmp_path: Path) -> None:
    file = tmp_path / FILE
    outputs = OutputCache(file)
    outputs.recalled("space", ["a"], Computing())
    for _ in range(2):
        forget(file)
    assert not file.exists()
    assert outputs.recalled("space", ["a", "b"], Computing()) == [b"output of a", b"output of b"]
    assert recalled(file, "a") == ["a"]
