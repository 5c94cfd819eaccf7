"""Files with macros, templates, slide shows and strict files are read as the documents that they are."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Callable
from typing import Any

import docx
import openpyxl
import pptx
import pytest

from tasks.conversion.office.package_types import ordinary_package
from tasks.sources.file_types import is_document
from tests.made.conversions import convert_bytes

WORD = b"application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
SLIDES = b"application/vnd.openxmlformats-officedocument.presentationml.presentation.main+xml"
SHEETS = b"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"
SAID = "Passwords have fourteen characters."


def saved(book: Any) -> bytes:
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def word() -> bytes:
    document = docx.Document()
    document.add_paragraph(SAID)
    return saved(document)


def slides() -> bytes:
    deck = pptx.Presentation()
    deck.slides.add_slide(deck.slide_layouts[5]).shapes.title.text = SAID
    return saved(deck)


def workbook() -> bytes:
    book = openpyxl.Workbook()
    book.active.append([SAID, 3])
    return saved(book)


def changed(data: bytes, change: Callable[[str, bytes], bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(out, "w") as new:
        for name in old.namelist():
            new.writestr(name, change(name, old.read(name)))
    return out.getvalue()


@pytest.mark.parametrize(
    ("name", "made", "kind", "other"),
    [
        ("a.docm", word, WORD, b"application/vnd.ms-word.document.macroEnabled.main+xml"),
        ("a.dotx", word, WORD, WORD.replace(b"document.main", b"template.main")),
        ("a.dotm", word, WORD, b"application/vnd.ms-word.template.macroEnabledTemplate.main+xml"),
        ("a.pptm", slides, SLIDES, b"application/vnd.ms-powerpoint.presentation.macroEnabled.main+xml"),
        ("a.ppsx", slides, SLIDES, SLIDES.replace(b"presentation.main", b"slideshow.main")),
        ("a.ppsm", slides, SLIDES, b"application/vnd.ms-powerpoint.slideshow.macroEnabled.main+xml"),
        ("a.potx", slides, SLIDES, SLIDES.replace(b"presentation.main", b"template.main")),
        ("a.potm", slides, SLIDES, b"application/vnd.ms-powerpoint.template.macroEnabled.main+xml"),
        ("a.xlsm", workbook, SHEETS, b"application/vnd.ms-excel.sheet.macroEnabled.main+xml"),
        ("a.xltx", workbook, SHEETS, SHEETS.replace(b"sheet.main", b"template.main")),
        ("a.xltm", workbook, SHEETS, b"application/vnd.ms-excel.template.macroEnabled.main+xml"),
    ],
)
def test_of_another_sort(name: str, made: Callable[[], bytes], kind: bytes, other: bytes) -> None:
    data = changed(made(), lambda part, raw: raw.replace(kind, other) if part.startswith("[Content") else raw)
    assert other in zipfile.ZipFile(io.BytesIO(data)).read("[Content_Types].xml")
    assert SAID in convert_bytes(name, data).text
    assert is_document(name)


@pytest.mark.parametrize(("name", "made"), [("a.docx", word), ("a.pptx", slides), ("a.xlsx", workbook)])
def test_strict(name: str, made: Callable[[], bytes]) -> None:
    transitional = re.compile(rb"http://schemas\.openxmlformats\.org/(\w+ml|officeDocument)/2006/")
    data = changed(made(), lambda part, raw: transitional.sub(rb"http://purl.oclc.org/ooxml/\1/", raw))
    assert SAID in convert_bytes(name, data).text


def test_an_ordinary_document_stays_as_it_is() -> None:
    data = word()
    assert ordinary_package(data) is data
