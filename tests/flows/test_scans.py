"""Scanned files and pages, before there is OCR on the machine and after."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.made.commands import Bidfolio
from tests.made.scans import NATIVE, PICTURED, pdf_of


@pytest.mark.skipif(shutil.which("tesseract") is None, reason="tesseract is not installed")
def test_a_scan_is_read_once_there_is_ocr(
    prefect_server: None, bidfolio: Bidfolio, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "documents"
    folder.mkdir()
    (folder / "scan.pdf").write_bytes(pdf_of(PICTURED))
    (folder / "note.txt").write_text("The office in Oslo has closed.\n", encoding="utf-8")
    with monkeypatch.context() as without:
        without.setenv("PATH", str(tmp_path))
        turned_away = bidfolio("--json", "refresh", folder)
        assert turned_away.exit_code == 1 and turned_away.summary["documents"]["quarantined"] == 1
        ((reason,),) = bidfolio("--json", "sql", "SELECT reason FROM documents WHERE status = 'quarantined'").summary[
            "rows"
        ]
        assert "install tesseract" in reason
        assert bidfolio("refresh", folder).out.startswith("nothing has changed")

    read = bidfolio("--json", "refresh", folder)
    assert read.exit_code == 0, read.err
    assert read.summary["documents"]["quarantined"] == 0
    rows = bidfolio("--json", "sql", "SELECT file_name, text_source FROM pages ORDER BY 1").summary["rows"]
    assert rows == [["note.txt", "none"], ["scan.pdf", "ocr"]]
    assert bidfolio("refresh", folder).out.startswith("nothing has changed")


@pytest.mark.skipif(shutil.which("tesseract") is None, reason="tesseract is not installed")
def test_scanned_pages_among_others_are_read_once_there_is_ocr(
    prefect_server: None, bidfolio: Bidfolio, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "documents"
    folder.mkdir()
    (folder / "mixed.pdf").write_bytes(pdf_of(NATIVE, PICTURED))
    (folder / "renamed later.pdf").write_bytes(pdf_of(NATIVE, [*PICTURED, "And more."]))
    (folder / "native.pdf").write_bytes(pdf_of(NATIVE))
    sources = "SELECT text_source FROM pages ORDER BY file_name, page_number"
    with monkeypatch.context() as without:
        without.setenv("PATH", str(tmp_path))
        assert bidfolio("refresh", folder).exit_code == 0
        (folder / "renamed later.pdf").rename(folder / "renamed.pdf")
        assert bidfolio("refresh", folder).exit_code == 0
        rows = bidfolio("--json", "sql", sources).summary["rows"]
        assert rows == [["native"], ["none"], ["native"], ["native"], ["none"]]
        assert bidfolio("refresh", folder).out.startswith("nothing has changed")

    read = bidfolio("--json", "refresh", folder)
    assert read.exit_code == 0 and read.summary["documents"]["unchanged"] == 3, read.err
    rows = bidfolio("--json", "sql", sources).summary["rows"]
    assert rows == [["native"], ["ocr"], ["native"], ["native"], ["ocr"]]
    assert bidfolio("refresh", folder).out.startswith("nothing has changed")
