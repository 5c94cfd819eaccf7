"""What the stage converts with."""

from __future__ import annotations

import hashlib
from pathlib import Path

from tasks.cache import StageCache
from tasks.conversion import unstructured_reader
from tasks.conversion.convert import INSTALL_OCR, Readers
from tasks.conversion.layout import Line
from tasks.conversion.task import _converted
from tasks.lake import Lake
from tasks.records import Document, Quarantined, SourceFile
from tests.tasks.conversion.test_ocr import PICTURED, pdf_of


def test_a_scan_is_read_once_there_is_ocr(tmp_path: Path) -> None:
    data = pdf_of(PICTURED)
    path = tmp_path / "scan.pdf"
    path.write_bytes(data)
    file = SourceFile("scan.pdf", str(path), len(data), hashlib.sha256(data).hexdigest())
    cache = StageCache(Lake(str(tmp_path / "home")))
    asked: list[int] = []

    def read(_data: bytes, index: int) -> list[Line]:
        asked.append(index)
        return [Line(line) for line in PICTURED]

    without, with_ocr = Readers(unstructured_reader), Readers(unstructured_reader, read)
    turned_away = _converted(cache, file, without)
    assert isinstance(turned_away, Quarantined) and turned_away.reason.endswith(INSTALL_OCR)
    assert _converted(cache, file, without) == turned_away
    document = _converted(cache, file, with_ocr)
    assert isinstance(document, Document) and document.pages[0].text_source == "ocr"
    assert _converted(cache, file, with_ocr) == document and asked == [0]
