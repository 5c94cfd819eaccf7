"""Real worker processes, with files that crash, hang, or grow beyond their limits."""

from __future__ import annotations

import hashlib
import os
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from tasks.conversion.document.serialization import CHANGED, UNREAD, from_json
from tasks.conversion.workers.sandbox import Helpers, Limits, Sandbox
from tasks.records import Document, Quarantined, SourceFile
from tasks.sources.listing import list_files
from tests.made.bad_files import pdf_that_unpacks_to
from tests.made.processes import CONVERTER, children_running
from tests.made.source_files import text_file


def outcomes(files: list[SourceFile], limits: Limits, workers: int = 2) -> dict[str, Document | Quarantined]:
    with Sandbox(workers, limits, Helpers()) as sandbox:
        return {file.file_name: from_json(raw) for file, raw in sandbox.convert(files)}


def reason(document: Document | Quarantined) -> str:
    assert isinstance(document, Quarantined)
    return document.reason


def test_each_file_comes_back_and_no_process_stays(tmp_path: Path) -> None:
    files = [text_file(tmp_path, f"{number}.txt", f"Note {number} is here.\n") for number in range(9)]
    found = outcomes(files, Limits())
    assert {name: getattr(document, "text", None) for name, document in found.items()} == {
        f"{number}.txt": f"Note {number} is here." for number in range(9)
    }
    assert not children_running(CONVERTER)
    assert outcomes([], Limits()) == {}


def test_a_worker_that_reads_mark_up_carries_no_torch(tmp_path: Path) -> None:
    with Sandbox(1, Limits(), Helpers()) as sandbox:
        for _, raw in sandbox.convert([text_file(tmp_path, "a.md", "# Backups\n\nThey are kept for a year.\n")]):
            assert isinstance(from_json(raw), Document)
            (worker,) = children_running(CONVERTER)
            mapped = {Path(region.path).name for region in worker.memory_maps()}
    assert any("lxml" in name or name.startswith("etree") for name in mapped)
    assert not [name for name in mapped if "torch" in name]


def test_a_reason_of_the_conversion_is_the_files_own(tmp_path: Path) -> None:
    found = outcomes([text_file(tmp_path, "cut.pdf", "%PDF-1.7 cut off")], Limits())
    assert "truncated" in reason(found["cut.pdf"])


@pytest.mark.parametrize(
    ("limits", "expected"),
    [
        (Limits(seconds=2.0), "reading it takes more than 2 s (BIDFOLIO_CONVERSION_SECONDS)"),
        (
            Limits(seconds=120.0, memory_mb=700),
            "reading it takes more than 700 MB of memory (BIDFOLIO_CONVERSION_MEMORY_MB)",
        ),
    ],
    ids=["time", "memory"],
)
def test_a_bomb_costs_its_file_alone(tmp_path: Path, limits: Limits, expected: str) -> None:
    bomb = tmp_path / "bomb.pdf"
    bomb.write_bytes(pdf_that_unpacks_to(400))
    source = SourceFile("bomb.pdf", f"file://{bomb}", 1, hashlib.sha256(bomb.read_bytes()).hexdigest())
    began = time.monotonic()
    found = outcomes([source, text_file(tmp_path, "a.txt"), text_file(tmp_path, "b.txt")], limits, workers=1)
    assert isinstance(found["a.txt"], Document) and isinstance(found["b.txt"], Document)
    said = reason(found["bomb.pdf"])
    assert expected in said or "crashed" in said, said
    assert said.startswith("bomb.pdf: refused")
    assert time.monotonic() - began < limits.seconds + 60


def test_what_holds_too_much_text_is_refused(tmp_path: Path) -> None:
    files = [text_file(tmp_path, "long.txt", "word " * 600_000), text_file(tmp_path, "a.txt")]
    found = outcomes(files, Limits(output_mb=1), workers=1)
    assert "more than 1 MB of text (BIDFOLIO_CONVERSION_OUTPUT_MB)" in reason(found["long.txt"]) and isinstance(
        found["a.txt"], Document
    )


def test_a_worker_that_dies_costs_its_file_alone(tmp_path: Path) -> None:
    slow = tmp_path / "slow.pdf"
    slow.write_bytes(pdf_that_unpacks_to(400))
    digest = hashlib.sha256(slow.read_bytes()).hexdigest()
    files = [
        SourceFile("slow.pdf", f"file://{slow}", slow.stat().st_size, digest),
        *(text_file(tmp_path, f"{number}.txt") for number in range(3)),
    ]

    def kill_first() -> None:
        until = time.monotonic() + 60
        while time.monotonic() < until:
            for child in children_running(CONVERTER):
                with suppress(psutil.NoSuchProcess):
                    if child.cpu_times().user > 2:
                        child.kill()
                        return
            time.sleep(0.01)

    killer = threading.Thread(target=kill_first)
    killer.start()
    found = outcomes(files, Limits(), workers=1)
    killer.join()
    assert sum(isinstance(document, Quarantined) for document in found.values()) == 1
    (lost,) = (document for document in found.values() if isinstance(document, Quarantined))
    assert "crashed (SIGKILL)" in lost.reason


def test_a_file_that_changed_or_went_since_the_scan_is_not_taken_for_it(tmp_path: Path) -> None:
    file = text_file(tmp_path, "a.txt")
    (tmp_path / "a.txt").write_text("Other words.\n", encoding="utf-8")
    other = text_file(tmp_path, "b.txt")
    for what in ("changed", "went away"):
        found = outcomes([file, other], Limits())
        lost = found["a.txt"]
        assert isinstance(lost, Quarantined) and lost.depends_on == CHANGED
        assert lost.reason.startswith(f"a.txt {what} while ") and lost.reason.endswith("run the same command again")
        assert isinstance(found["b.txt"], Document)
        (tmp_path / "a.txt").unlink(missing_ok=True)


@pytest.mark.skipif(sys.platform != "linux", reason="needs a file that cannot be read by anybody")
def test_a_file_that_cannot_be_read_any_more_costs_itself_alone(tmp_path: Path) -> None:
    lost = SourceFile("lost.txt", "file:///proc/self/mem", 1, hashlib.sha256(b"x").hexdigest())
    found = outcomes([lost, text_file(tmp_path, "a.txt")], Limits())
    assert reason(found["lost.txt"]).startswith("lost.txt: refused: it cannot be read (")
    assert getattr(found["lost.txt"], "depends_on", "") == UNREAD and isinstance(found["a.txt"], Document)


@pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX")
def test_odd_entries_of_a_folder_stop_nobody(tmp_path: Path) -> None:
    text_file(tmp_path, "a.txt")
    os.mkfifo(tmp_path / "pipe.txt")
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "nowhere.pdf").symlink_to(tmp_path / "gone.pdf")
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "loop").symlink_to(tmp_path)
    text_file(tmp_path, "sub/b.txt")
    elsewhere = tmp_path.with_name("elsewhere")
    elsewhere.mkdir()
    text_file(elsewhere, "c.txt")
    (tmp_path / "linked.txt").symlink_to(elsewhere / "c.txt")
    (tmp_path / "shared").symlink_to(elsewhere)
    odd = ["it's “quoted” ✅.txt", "x" * 251 + ".txt", "spaces  and\ttab.txt"]
    for name in odd:
        text_file(tmp_path, name)
    files = list_files(str(tmp_path)).files
    assert {file.file_name for file in files if not file.refused} == {
        "a.txt",
        "sub/b.txt",
        "linked.txt",
        "shared/c.txt",
        *odd,
    }
    refused = {file.file_name: file.refused for file in files if file.refused}
    assert refused.keys() == {"pipe.txt", "pipe", "nowhere.pdf", "sub/loop"}
    assert refused["sub/loop"] == "sub/loop: refused: it is a link to a folder that it stands in: remove it"
    found = outcomes([file for file in files if not file.refused], Limits())
    assert all(isinstance(document, Document) for document in found.values())
