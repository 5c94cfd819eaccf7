"""Files that somebody writes to while they are refreshed, and files that fail in the same way each time."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.made.bad_files import pdf_that_unpacks_to
from tests.made.commands import Bidfolio
from tests.made.containers import make_zip
from tests.made.run_results import artifact, counts, newest_artifact, rows_of, runs_of

HOSTING = "Where is the service hosted?"


@contextmanager
def written_to(path: Path) -> Iterator[None]:
    """A line is added to the file again and again, as to a log."""
    done = threading.Event()

    def write() -> None:
        with path.open("a", encoding="utf-8") as file:
            while not done.is_set():
                file.write("Another line of it.\n")
                file.flush()
                done.wait(0.002)

    writer = threading.Thread(target=write)
    writer.start()
    try:
        yield
    finally:
        done.set()
        writer.join()


def row_of(bidfolio: Bidfolio, name: str) -> tuple[str, str]:
    ((status, digest),) = rows_of(bidfolio, f"SELECT status, content_sha256 FROM documents WHERE file_name = '{name}'")
    return status, digest


def test_a_file_that_is_written_to_goes_on_answering_as_it_was(
    prefect_server: None, bidfolio: Bidfolio, corpus: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hosting, fresh = corpus / "hosting.txt", corpus / "fresh.txt"
    before = hashlib.sha256(hosting.read_bytes()).hexdigest()
    live = bidfolio("--json", "refresh", corpus).summary["index_version"]
    with written_to(hosting):
        alone = bidfolio("refresh", corpus)
        assert (alone.exit_code, alone.out) == (1, f"nothing has changed: version {live} stays live (4 chunks)\n")
        assert "hosting.txt: changed while it was read: its earlier version stays; refresh again" in alone.err
        assert [row["change"] for row in artifact("changes")] == ["kept"]

        with written_to(fresh):
            among = bidfolio("--json", "refresh", corpus)
        assert (among.exit_code, among.summary["documents"]) == (1, counts(unchanged=3, quarantined=1))
    told = {row["file_name"]: (row["change"], row["why"]) for row in artifact("changes")}
    assert told["hosting.txt"] == ("kept", "changed while it was read: its earlier version stays")
    assert told["fresh.txt"] == ("quarantined", "fresh.txt changed while it was being read: run the same command again")
    assert row_of(bidfolio, "hosting.txt") == ("indexed", before), "the row says of which bytes it is"
    assert row_of(bidfolio, "fresh.txt")[0] == "quarantined"
    cited = bidfolio("--json", "ask", HOSTING).summary["citations"]
    assert "hosting.txt" in {one["file_name"] for one in cited}

    after = bidfolio("--json", "refresh", corpus)
    assert (after.exit_code, after.summary["documents"]) == (0, counts(changed=2, unchanged=2))
    now = hashlib.sha256(hosting.read_bytes()).hexdigest()
    assert row_of(bidfolio, "hosting.txt") == ("indexed", now) and now != before

    monkeypatch.setattr(
        "flows.prefect_server.configured.may_be_configured", lambda: True
    )  # somebody may watch its server
    again = bidfolio("--json", "refresh", corpus)
    assert (again.exit_code, artifact("changes")) == (0, [])
    said = f"Nothing has changed in default: version {again.summary['index_version']} stays live"
    assert newest_artifact("changes").description == said
    statuses = ("done", "unchanged", "done", "done", "unchanged")
    assert [row[:2] for row in runs_of(bidfolio)] == [["refresh", status] for status in statuses]


def test_an_archive_that_is_written_to_goes_on_answering_as_it_was(
    prefect_server: None, bidfolio: Bidfolio, corpus: Path
) -> None:
    archive = corpus / "offers.zip"
    archive.write_bytes(make_zip(("backups.txt", b"Backups are kept in Bergen for ninety days.")))
    live = bidfolio("--json", "refresh", corpus).summary["index_version"]
    with written_to(archive), written_to(corpus / "new.zip"):
        alone = bidfolio("--json", "refresh", corpus)
    assert (alone.exit_code, alone.summary["documents"]) == (1, counts(unchanged=4, quarantined=1))
    assert "offers.zip: changed while it was read: its earlier version stays; refresh again" in alone.err
    told = {row["file_name"]: (row["change"], row["why"]) for row in artifact("changes")}
    assert told["offers.zip"] == ("kept", "changed while it was read: its earlier version stays")
    assert told["new.zip"] == ("quarantined", "new.zip changed while it was being read: run the same command again")
    cited = bidfolio("--json", "ask", "Where are backups kept?").summary["citations"]
    assert cited[0]["file_name"] == "offers.zip/backups.txt"

    (corpus / "new.zip").unlink()
    archive.write_bytes(make_zip(("backups.txt", b"Backups are kept in Oslo for ninety days.")))
    after = bidfolio("--json", "refresh", corpus)
    assert (after.exit_code, after.summary["documents"]) == (0, counts(changed=1, unchanged=3, deleted=1))
    assert after.summary["index_version"] != live


def test_a_file_that_crashes_its_converter_each_time_changes_nothing(
    prefect_server: None, bidfolio: Bidfolio, corpus: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BIDFOLIO_CONVERSION_MEMORY_MB", "700")
    (corpus / "bomb.pdf").write_bytes(pdf_that_unpacks_to(400))
    for name in ("README", "logo.png", ".hidden", "~$policy.docx"):
        (corpus / name).write_bytes(b"x")
    first = bidfolio("--json", "refresh", corpus)
    assert (first.exit_code, first.summary["documents"]) == (1, counts(added=3, quarantined=1))
    ((reason,),) = rows_of(bidfolio, "SELECT reason FROM documents WHERE file_name = 'bomb.pdf'")
    assert "crashed" in reason
    again = bidfolio("refresh", corpus)
    assert "Converting documents" in again.err, "it is tried again"
    live = first.summary["index_version"]
    unchanged = f"nothing has changed: version {live} stays live (4 chunks)"
    assert (again.exit_code, again.out) == (
        0,
        f"{unchanged}; 1 still quarantined; 2 of other kinds passed over (1 without a suffix, 1 .png)\n",
    )
