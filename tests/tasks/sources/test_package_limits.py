"""Office packages that unpack to more than a document can hold."""

from __future__ import annotations

import io
import struct
import zipfile

import pytest
from openpyxl import Workbook

from tasks.errors import ConversionError
from tasks.records import DocumentKind
from tasks.sources.file_types import detect_kind
from tasks.sources.package_limits import RATIO_FREE_BYTES, is_too_much
from tests.made.conversions import convert_bytes

SHEET = "xl/worksheets/sheet1.xml"
MB = 1 << 20


def part(name: str, size_bytes: int, packed_bytes: int) -> zipfile.ZipInfo:
    made = zipfile.ZipInfo(name)
    made.file_size, made.compress_size = size_bytes, packed_bytes
    return made


@pytest.mark.parametrize(
    ("kind", "name", "size_bytes", "packed_bytes", "expected"),
    [
        ("docx", "word/document.xml", 120 * MB, 3 * MB, False),
        ("docx", "word/document.xml", 129 * MB, 3 * MB, True),
        ("docx", "word/document.xml", 120 * MB, MB // 2, True),
        ("pptx", "ppt/_rels/presentation.xml.rels", 120 * MB, MB // 2, True),
        ("docx", "word/media/blank.bmp", 120 * MB, MB // 8, False),
        ("docx", "word/media/film.mp4", 1025 * MB, 1025 * MB, True),
        ("xlsx", SHEET, 600 * MB, MB // 2, True),
        ("xlsx", SHEET, 600 * MB, 24 * MB, False),
        ("xlsx", SHEET, 267 * MB, MB + MB // 4, False),
        ("xlsx", SHEET, 32 * MB, 1, False),
    ],
    ids=[
        "a long document",
        "too long a tree",
        "one paragraph over and over",
        "one relation over and over",
        "a blank picture",
        "too much as a whole",
        "a sheet of blanks",
        "a sheet of formatted cells",
        "formatted cells that say no numbers",
        "few blanks",
    ],
)
def test_what_is_too_much(kind: DocumentKind, name: str, size_bytes: int, packed_bytes: int, expected: bool) -> None:
    assert is_too_much(kind, [part(name, size_bytes, packed_bytes)], 1200 * MB) is expected
    assert not is_too_much(kind, [], 0)


def workbook_with(beside: bytes) -> bytes:
    """A workbook of one row, with that before the first row of its sheet's XML."""
    usual, out = io.BytesIO(), io.BytesIO()
    workbook = Workbook()
    assert workbook.active is not None
    workbook.active["A1"] = "Backups are kept."
    workbook.save(usual)
    with zipfile.ZipFile(usual) as old, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            raw = old.read(name)
            new.writestr(name, raw.replace(b"<sheetData>", b"<sheetData>" + beside) if name == SHEET else raw)
    return out.getvalue()


def stating(package: bytes, name: str, **sizes: int) -> bytes:
    """The package, whose directory and header say of a part that it packs or unpacks to so many bytes."""
    data = bytearray(package)
    for magic, name_at, first in ((b"PK\x01\x02", 46, 20), (b"PK\x03\x04", 30, 18)):
        at = data.find(magic)
        while at >= 0:
            if data[at + name_at :].startswith(name.encode()):
                for field, size in sizes.items():
                    struct.pack_into("<I", data, at + first + 4 * (field == "unpacked"), size)
            at = data.find(magic, at + 4)
    return bytes(data)


def test_a_sheet_of_blanks_is_refused_before_it_is_read() -> None:
    bomb = workbook_with(b"<!--" + b" " * (48 * MB) + b"-->")
    for data in (bomb, stating(bomb, SHEET, packed=40 * MB)):
        with pytest.raises(ConversionError, match="refused: it unpacks to more than a document can hold; where it is"):
            detect_kind("a.xlsx", data)
    with pytest.raises(ConversionError, match="damaged"):
        convert_bytes("a.xlsx", stating(bomb, SHEET, unpacked=5000))


def test_a_column_that_is_formatted_down_to_its_end_is_read() -> None:
    rows = b"".join(b'<row r="%d"><c r="A%d" s="0"/></row>' % (number, number) for number in range(2, 1_048_577))
    assert len(rows) > 2 * RATIO_FREE_BYTES
    usual = workbook_with(b"")
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(usual)) as old, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            raw = old.read(name)
            new.writestr(name, raw.replace(b"</sheetData>", rows + b"</sheetData>") if name == SHEET else raw)
    assert convert_bytes("a.xlsx", out.getvalue()).text == "Backups are kept."
