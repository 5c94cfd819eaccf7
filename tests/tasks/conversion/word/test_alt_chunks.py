"""Files that stand within a Word file, as programs put web pages there."""

from __future__ import annotations

import io

import docx
import pytest
from docx.opc.packuri import PackURI
from docx.opc.part import Part

from tasks.conversion.layout.table_columns import EMPTY_CELL
from tasks.errors import ConversionError
from tests.made.conversions import convert_bytes

REL = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/aFChunk"
PAGE = "<html><body><h1>Backups</h1><p>Backups run daily.</p><ul><li>They are encrypted.</li></ul></body></html>"
MHT = (
    "MIME-Version: 1.0\r\nContent-Type: multipart/related; boundary=x\r\n\r\n--x\r\nContent-Type: text/html; "
    f"charset=utf-8\r\nContent-Location: file:///a.htm\r\n\r\n{PAGE}\r\n--x--\r\n"
)


def word_with(kind: str, data: bytes, *, in_cell: bool = False) -> bytes:
    """A Word file of a sentence, the file, and a sentence."""
    document = docx.Document()
    before = document.add_paragraph("Before it.")
    part = Part(PackURI("/word/afchunk.dat"), kind, data, document.part.package)
    chunk = before._p.makeelement(before._p.nsmap["w"].join("{}") + "altChunk")
    chunk.set(f"{{{before._p.nsmap['r']}}}id", document.part.relate_to(part, REL))
    if in_cell:
        cell = document.add_table(1, 2).rows[0].cells[1]._tc
        cell.insert(1, chunk)
    else:
        before._p.addnext(chunk)
    document.add_paragraph("After it.")
    out = io.BytesIO()
    document.save(out)
    return out.getvalue()


def read(data: bytes) -> list[tuple[str, str]]:
    found = convert_bytes("a.docx", data)
    return [(element.kind, element.text) for element in found.elements]


WHOLE = [
    ("paragraph", "Before it."),
    ("title", "Backups"),
    ("paragraph", "Backups run daily."),
    ("list_item", "They are encrypted."),
    ("paragraph", "After it."),
]


@pytest.mark.parametrize(
    ("kind", "data"), [("text/html", PAGE), ("application/xhtml+xml", PAGE), ("message/rfc822", MHT)]
)
def test_a_web_page_is_read_in_its_place(kind: str, data: str) -> None:
    assert read(word_with(kind, data.encode())) == WHOLE


def test_plain_text_and_word_files_are_read_too_and_words_within_words() -> None:
    assert read(word_with("text/plain", b"Keys rotate yearly."))[1] == ("paragraph", "Keys rotate yearly.")
    kind = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
    assert read(word_with(kind, word_with("text/html", PAGE.encode()))) == [WHOLE[0], *WHOLE, WHOLE[-1]]


def test_in_a_cell_its_words_are_the_cells() -> None:
    found = read(word_with("text/html", b"<p>Backups run daily.</p>", in_cell=True))
    assert [text for kind, text in found if kind == "table"] == [f"{EMPTY_CELL} | Backups run daily."]


def test_a_file_that_cannot_be_read_is_not_left_out_without_a_word() -> None:
    with pytest.raises(ConversionError, match=r"a\.docx: .* it holds a file of another kind \(application/rtf\)"):
        read(word_with("application/rtf", rb"{\rtf1 hidden}"))
