"""Pages that are pictures. tesseract reads them where it is installed."""

from __future__ import annotations

import io
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tasks.conversion.document.serialization import document_row, from_json
from tasks.conversion.files.convert import convert
from tasks.conversion.files.reconversion import INSTALL_OCR
from tasks.conversion.layout.page import Line
from tasks.conversion.ocr.lines import Word, build_lines
from tasks.conversion.ocr.tesseract import find_ocr
from tasks.conversion.office import unstructured_reader
from tasks.conversion.pdf.reader import is_usable
from tasks.conversion.workers.conversion_steps import Job
from tasks.conversion.workers.sandbox import Helpers, Limits, _Worker
from tasks.errors import ConversionError, UsageError
from tasks.pages.pictures.highlight import boxes_of
from tasks.records import Box, Document, Quarantined
from tasks.text.characters import fold
from tests.made.conversions import check_offsets
from tests.made.scans import NATIVE, PICTURED, STAMP, needs_tesseract, pdf_of, picture, stamped
from tests.made.source_files import put, source_of


def pdf_of_picture(image: Any, width: int, height: int) -> bytes:
    """A page of that size in points that is a picture."""
    from reportlab.lib.utils import ImageReader
    from reportlab.pdfgen import canvas

    out = io.BytesIO()
    pdf = canvas.Canvas(out, pagesize=(width, height))
    pdf.drawImage(ImageReader(image), 0, 0, width, height)
    pdf.save()
    return out.getvalue()


@needs_tesseract
def test_one_native_page_and_one_picture() -> None:
    data = pdf_of(NATIVE, PICTURED)
    document = convert(source_of("a.pdf", data), data, unstructured_reader, find_ocr())
    check_offsets(document)
    assert [page.text_source for page in document.pages] == ["native", "ocr"]
    assert document.text == f"{NATIVE}\n\n{' '.join(PICTURED)}"
    start = document.text.index("The board")
    quote = "The board is told of the result, and it decides on the money for the year that follows."
    assert document.text[start:] == quote
    (_, first), (page, second) = boxes_of(document.lines, start, start + len(quote))
    # The second and third of lines that begin at 300 px, 38 px apart, at 150 dpi; the quote begins inside one.
    assert page == 2 and first.left > 72 + 40
    assert first.top == pytest.approx((300 + 38) * 0.48, abs=8) and second.left == pytest.approx(72, abs=2)
    assert second.top - first.top == pytest.approx(38 * 0.48, abs=3)


@needs_tesseract
def test_a_scan_that_bears_a_stamp() -> None:
    data = stamped()
    document = convert(source_of("a.pdf", data), data, unstructured_reader, find_ocr())
    check_offsets(document)
    assert [page.text_source for page in document.pages] == ["ocr"]
    assert " ".join(PICTURED) in document.text and document.text.startswith(STAMP[:11])


@pytest.mark.parametrize(
    ("page", "asked"),
    [
        ({}, True),
        ({"covered": 0.7}, True),
        ({"strips": 5}, True),
        ({"is_form": True}, True),
        ({"covered": 0.5}, True),
        ({"covered": 0.25}, True),
        ({"covered": 0.25, "is_form": True}, True),
        ({"covered": 0.15}, False),
        ({"covered": 0.15, "strips": 5}, False),
        ({"covered": 0.15, "is_form": True}, False),
    ],
)
def test_a_page_of_few_words_is_read_where_pictures_cover_a_good_part_of_it(page: dict[str, Any], asked: bool) -> None:
    """By a reader that misses the stamp, which stays."""
    data = stamped(**page)
    document = convert(
        source_of("a.pdf", data), data, unstructured_reader, lambda *_: [Line(line) for line in PICTURED]
    )
    assert document.pages[0].text_source == ("ocr" if asked else "native")
    assert (fold("".join(PICTURED)) in fold(document.text)) is asked
    assert document.text.count(STAMP) == 1


def test_a_page_of_fifty_words_on_a_picture_is_not_read() -> None:
    for stamps, source in ((16, "ocr"), (17, "native")):
        data = stamped(stamps=stamps)
        document = convert(source_of("a.pdf", data), data, unstructured_reader, lambda *_: [Line("word " * 99)])
        assert document.pages[0].text_source == source


@needs_tesseract
def test_a_language_that_is_not_there() -> None:
    data = pdf_of(PICTURED)
    with pytest.raises(UsageError, match="tlh"):
        convert(source_of("a.pdf", data), data, unstructured_reader, find_ocr("tlh"))


@needs_tesseract
@pytest.mark.parametrize("turns", [1, 2, 3])
def test_a_scan_that_lies_on_its_head_or_side(turns: int) -> None:
    from PIL import Image

    lies = (Image.Transpose.ROTATE_90, Image.Transpose.ROTATE_180, Image.Transpose.ROTATE_270)[turns - 1]
    width, height = (842, 595) if turns % 2 else (595, 842)
    data = pdf_of_picture(picture(PICTURED).transpose(lies), width, height)
    document = convert(source_of("a.pdf", data), data, unstructured_reader, find_ocr())
    assert document.text == " ".join(PICTURED)
    # Where what is drawn in the upper left corner of the page, upright, comes to lie.
    first = document.lines[0].box
    middle = (first.left + first.right) / 2 / width, (first.top + first.bottom) / 2 / height
    x, y = 0.39, 318 * 0.48 / 842
    assert middle == pytest.approx([(y, 1 - x), (1 - x, 1 - y), (1 - y, x)][turns - 1], abs=0.09)


@needs_tesseract
def test_a_picture_of_what_does_not_read_as_words() -> None:
    from PIL import ImageOps

    data = pdf_of_picture(ImageOps.mirror(picture(PICTURED * 4)), 595, 842)
    with pytest.raises(ConversionError, match=r"found nothing: p\. 1: .* does not read as words"):
        convert(source_of("a.pdf", data), data, unstructured_reader, find_ocr())


@needs_tesseract
def test_a_picture_of_nothing() -> None:
    data = pdf_of([])
    with pytest.raises(ConversionError, match="OCR found nothing"):
        convert(source_of("a.pdf", data), data, unstructured_reader, find_ocr())


def test_without_ocr_a_picture_is_an_empty_page_and_a_scan_is_quarantined() -> None:
    data = pdf_of(NATIVE, PICTURED)
    document = convert(source_of("a.pdf", data), data, unstructured_reader)
    assert [page.end > page.start for page in document.pages] == [True, False]
    assert [page.text_source for page in document.pages] == ["native", "none"]
    data = pdf_of(PICTURED)
    with pytest.raises(ConversionError, match=f"scanned .*{INSTALL_OCR}"):
        convert(source_of("a.pdf", data), data, unstructured_reader)


def test_only_pages_without_text_are_read() -> None:
    asked: list[int] = []

    def read(_data: bytes, index: int) -> list[Line]:
        asked.append(index)
        raise ConversionError("p. 2: tesseract failed")

    data = pdf_of(NATIVE, PICTURED, NATIVE)
    document = convert(source_of("a.pdf", data), data, unstructured_reader, read)
    assert asked == [1] and document.text.count(NATIVE) == 2


def test_no_tesseract_no_reader(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda _name: None)
    assert find_ocr() is None


def test_one_that_takes_too_long_or_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    """A stand-in for tesseract: the real one neither hangs nor crashes when asked to."""

    def hang(*_: object, **__: object) -> None:
        raise subprocess.TimeoutExpired("tesseract", 1)

    monkeypatch.setattr(shutil, "which", lambda _name: "tesseract")
    monkeypatch.setattr(subprocess, "run", hang)
    read = find_ocr()
    assert read is not None
    with pytest.raises(ConversionError, match="took more than"):
        read(pdf_of(PICTURED), 0)
    failed = subprocess.CompletedProcess([], 1, b"", b"no memory")
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: failed)
    with pytest.raises(ConversionError, match=r"p\. 1: tesseract failed \(no memory\)"):
        read(pdf_of(PICTURED), 0)


@pytest.mark.parametrize(
    ("text", "usable"),
    [
        ("Words as ever.", True),
        ("• a list item – with “marks”", True),
        ("\ue001\ue002\ue003 \ue004\ue005 a", False),
        ("\ufffd\ufffd\ufffd\ufffd \ufffd", False),
    ],
)
def test_garbage(text: str, usable: bool) -> None:
    assert is_usable([Line(text)]) is usable


def test_words_become_lines_with_cells_and_places() -> None:
    words = [
        Word((1, 1, 1), "Control", Box(72, 100, 110, 112)),
        Word((1, 1, 1), "Owner", Box(250, 100, 290, 112)),
        Word((1, 1, 2), "It", Box(72, 120, 80, 130)),
        Word((1, 1, 2), "ends.", Box(84, 120, 110, 130)),
        Word((1, 1, 2), "So", Box(114, 120, 126, 130)),
    ]
    first, second = build_lines(words, 842)
    assert first.text == "Control Owner" and [cell.text for cell in first.cells] == ["Control", "Owner"]
    assert [part.box for part in first.parts] == [words[0].box, words[1].box]
    assert [second.text[part.start : part.end] for part in second.parts] == ["It ends.", "So"]
    assert second.y == 842 - 130 and first.size == second.size and not second.cells
    assert build_lines([], 842) == []
    assert fold(first.text) == "controlowner"


SLOW_TESSERACT = """#!/bin/sh
cat > /dev/null
sleep 0.4
[ -e '{folder}/hang' ] && sleep 300
printf 'level\\n5\\t1\\t1\\t1\\t1\\t1\\t100\\t100\\t200\\t40\\t95\\tEncrypted\\n'
"""


def small_scan(pages: int) -> bytes:
    """Pages of two inches that hold a picture, which take no time to draw."""
    from reportlab.lib.utils import ImageReader
    from reportlab.pdfgen import canvas

    out = io.BytesIO()
    pdf = canvas.Canvas(out, pagesize=(144, 144))
    for _ in range(pages):
        pdf.drawImage(ImageReader(picture(PICTURED)), 0, 0, 144, 144)
        pdf.showPage()
    pdf.save()
    return out.getvalue()


@pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX")
def test_a_scan_may_take_long_and_a_page_may_not(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "tesseract"
    program.write_text(SLOW_TESSERACT.format(folder=tmp_path), encoding="utf-8")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    scan, note = (put(tmp_path, name, data) for name, data in (("scan.pdf", small_scan(6)), ("note.txt", b"Words.")))
    worker = _Worker(Limits(), Helpers())
    try:
        worker.convert(note, Job(note).request)
        worker._limits = Limits(seconds=2.0)  # now that it has started, which may take longer
        long = worker.convert(scan, Job(scan).request)
        (tmp_path / "hang").touch()
        hanging = worker.convert(scan, Job(scan).request)
    finally:
        worker.stop()
    document = from_json(long)
    assert isinstance(document, Document) and document.text.split() == ["Encrypted"] * 6
    stopped = from_json(hanging)
    assert isinstance(stopped, Quarantined)
    assert stopped.reason == "scan.pdf: refused: reading it takes more than 2 s (BIDFOLIO_CONVERSION_SECONDS)"


def test_a_document_says_which_of_its_pages_could_not_be_read() -> None:
    def reason(*pages: str | list[str]) -> object:
        data = pdf_of(*pages)
        return document_row("default", "a", convert(source_of("a.pdf", data), data, unstructured_reader), len(data))[
            "reason"
        ]

    assert reason(NATIVE, NATIVE) is None
    assert (
        reason(NATIVE, PICTURED, NATIVE, PICTURED)
        == "a.pdf: no text could be read on p. 2, 4: install tesseract, or where it is, scan them anew"
    )
    assert "on p. 2, 3, 4, 5, 6, 7, 8, 9 and 2 more: install tesseract" in str(reason(NATIVE, *[PICTURED] * 10))
