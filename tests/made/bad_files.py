"""Broken, hostile and enormous files, and the reasons for which they are quarantined."""

from __future__ import annotations

import io
import zipfile
import zlib
from collections.abc import Callable, Iterable, Sequence

import docx
import openpyxl

WORDS = "All customer data are encrypted at rest."
_FONT = b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"


def pdf_of_objects(objects: Sequence[bytes]) -> bytes:
    """A PDF of those objects, numbered from 1; the first is its catalogue."""
    out = io.BytesIO()
    out.write(b"%PDF-1.4\n")
    offsets: list[int] = []
    for number, body in enumerate(objects, start=1):
        offsets.append(out.tell())
        out.write(b"%d 0 obj\n" % number + body + b"\nendobj\n")
    end = out.tell()
    count = len(objects) + 1
    out.write(b"xref\n0 %d\n0000000000 65535 f \n" % count)
    out.write(b"".join(b"%010d 00000 n \n" % offset for offset in offsets))
    out.write(b"trailer<</Size %d/Root 1 0 R>>startxref\n%d\n%%%%EOF" % (count, end))
    return out.getvalue()


def stream(data: bytes, entries: bytes = b"", pack: bool = True) -> bytes:
    """A stream object."""
    if pack:
        data, entries = zlib.compress(data, 9), entries + b"/Filter/FlateDecode"
    return b"<</Length %d" % len(data) + entries + b">>stream\n" + data + b"\nendstream"


def one_page_pdf(content: bytes, *, page: bytes = b"", font: bytes = _FONT, rest: Sequence[bytes] = ()) -> bytes:
    """A PDF of one page that draws ``content``, with its font as F1; ``rest`` are objects 6 and on."""
    return pdf_of_objects(
        [
            b"<</Type/Catalog/Pages 2 0 R>>",
            b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
            b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>"
            + page
            + b">>",
            stream(content),
            font,
            *rest,
        ]
    )


def says(text: str, y: int = 700) -> bytes:
    """The operators that draw ``text``."""
    return b"BT /F1 11 Tf 72 %d Td (%s) Tj ET\n" % (y, text.encode())


def many_pages_pdf(count: int, words_on: dict[int, str] | None = None) -> bytes:
    """A PDF of ``count`` pages, empty but those of ``words_on``, which are counted from 1."""
    texts = words_on or {}
    first = 4
    objects = [b"<</Type/Catalog/Pages 2 0 R>>", b"", _FONT]
    contents = {page: first + count + index for index, page in enumerate(texts)}
    for number in range(1, count + 1):
        drawn = b"/Contents %d 0 R/Resources<</Font<</F1 3 0 R>>>>" % contents[number] if number in contents else b""
        objects.append(b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]" + drawn + b">>")
    objects[1] = b"<</Type/Pages/Count %d/Kids[" % count
    objects[1] += b" ".join(b"%d 0 R" % (first + index) for index in range(count)) + b"]>>"
    objects += [stream(says(text)) for text in texts.values()]
    return pdf_of_objects(objects)


def long_page_pdf(characters: int) -> bytes:
    """A PDF whose one page holds that many characters, in lines one below the other over a tall page."""
    line = "Every backup is kept for thirty-five days in a second region and is restored each quarter. "
    count = characters // len(line)
    drawn = [b"BT /F1 1 Tf 10 13990 Td 0.24 TL\n"]
    drawn += [b"(%d %s) Tj T*\n" % (number, line.encode()) for number in range(count)]
    content = b"".join([*drawn, b"ET"])
    return one_page_pdf(content, page=b"/MediaBox[0 0 600 14000]")


def looping_pdf() -> bytes:
    """A PDF whose page tree holds itself, beside one page."""
    return pdf_of_objects(
        [
            b"<</Type/Catalog/Pages 2 0 R>>",
            b"<</Type/Pages/Kids[3 0 R 2 0 R]/Count 2/Parent 2 0 R>>",
            b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>",
            stream(says(WORDS)),
            _FONT,
        ]
    )


def declaring_pdf(count: int) -> bytes:
    """A PDF of one page that says it has ``count``."""
    return one_page_pdf(says(WORDS)).replace(b"/Count 1>>", b"/Count %d>>" % count)


def scan_pdf(width: int, height: int, packed: bytes, entries: bytes) -> bytes:
    """A PDF whose one page is a picture of that stated size."""
    picture = b"/Type/XObject/Subtype/Image/Width %d/Height %d" % (width, height) + entries
    return pdf_of_objects(
        [
            b"<</Type/Catalog/Pages 2 0 R>>",
            b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
            b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R/Resources<</XObject<</I 5 0 R>>>>>>",
            stream(b"595 0 0 842 0 0 cm /I Do"),
            stream(packed, picture, pack=False),
        ]
    )


def jpeg_bomb() -> bytes:
    """A scan whose JPEG states 65,500 by 65,500 pixels and holds next to nothing."""
    from PIL import Image

    out = io.BytesIO()
    Image.new("L", (16, 16), 255).save(out, "JPEG")
    raw = bytearray(out.getvalue())
    at = raw.index(b"\xff\xc0")
    raw[at + 5 : at + 9] = (65500).to_bytes(2, "big") * 2
    entries = b"/ColorSpace/DeviceGray/BitsPerComponent 8/Filter/DCTDecode"
    return scan_pdf(65500, 65500, bytes(raw), entries)


def jbig2_bomb() -> bytes:
    """A scan whose JBIG2 states 65,000 by 65,000 pixels in one segment."""
    size = (65000).to_bytes(4, "big")
    page = b"\x00\x00\x00\x00\x30\x00\x01" + (19).to_bytes(4, "big") + size * 2 + bytes(8) + b"\x00\x00\x00"
    entries = b"/ColorSpace/DeviceGray/BitsPerComponent 1/Filter/JBIG2Decode"
    return scan_pdf(65000, 65000, page, entries)


def flate_picture_bomb() -> bytes:
    """A scan of 12,000 by 12,000 white pixels, which are there, packed to a thousandth."""
    packed = zlib.compress(b"\xff" * 12_000 * 12_000, 1)
    entries = b"/ColorSpace/DeviceGray/BitsPerComponent 8/Filter/FlateDecode"
    return scan_pdf(12_000, 12_000, packed, entries)


def zip_of(entries: Iterable[tuple[str, bytes]]) -> bytes:
    """An archive of those members."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in entries:
            archive.writestr(name, data)
    return out.getvalue()


def with_part(package: bytes, name: str, change: tuple[bytes, bytes], head: bytes = b"") -> bytes:
    """An Office package with ``change`` made in one part, and ``head`` put before its root."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(package)) as old, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new:
        for item in old.infolist():
            part = old.read(item)
            if item.filename == name:
                assert change[0] in part
                declaration, mark, root = part.replace(change[0], change[1], 1).rpartition(b"?>")
                part = declaration + mark + head + root
            new.writestr(item.filename, part)
    return out.getvalue()


def word_file(*paragraphs: str) -> bytes:
    """A Word file of those paragraphs."""
    document = docx.Document()
    for text in paragraphs:
        document.add_paragraph(text)
    out = io.BytesIO()
    document.save(out)
    return out.getvalue()


def docx_with_entity(declared: str) -> bytes:
    """A Word file that says WORDS, and then an entity that is declared so."""
    head = f"<!DOCTYPE w:document [<!ENTITY x {declared}>]>".encode()
    return with_part(word_file(WORDS, "PLACE"), "word/document.xml", (b"PLACE", b"&x;"), head)


def laughing_docx() -> bytes:
    """A Word file with an entity of a billion words."""
    levels = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))
    head = f'<!DOCTYPE w:document [<!ENTITY l0 "laugh ">{levels}]>'.encode()
    return with_part(word_file(WORDS, "PLACE"), "word/document.xml", (b"PLACE", b"&l9;"), head)


def formatted_workbook(rows: int) -> bytes:
    """A workbook of a header, an answer in row 2 and one in row ``rows``; all between are formatted and empty."""
    book = openpyxl.Workbook()
    book.active.append(["Question", "Answer"])
    book.active.append(["Do you encrypt backups?", "Yes"])
    out = io.BytesIO()
    book.save(out)
    empty = "".join(f'<row r="{n}"><c r="A{n}" s="0"/><c r="B{n}" s="0"/></row>' for n in range(3, rows))
    said = ("Do you test restores?", "Yes")
    cells = "".join(f'<c r="{c}{rows}" t="inlineStr"><is><t>{t}</t></is></c>' for c, t in zip("AB", said, strict=True))
    last = f'{empty}<row r="{rows}">{cells}</row></sheetData>'.encode()
    return with_part(out.getvalue(), "xl/worksheets/sheet1.xml", (b"</sheetData>", last))


def nested_mail(depth: int) -> bytes:
    """A mail in a mail in a mail, that many, by hand: the library's writer is itself at its end after some hundred."""
    mail = f"Subject: The innermost\r\n\r\n{WORDS}\r\n"
    for level in range(depth - 1, 0, -1):
        mail = (
            f"From: ann@vendor.example\r\nSubject: Mail {level}\r\nMIME-Version: 1.0\r\n"
            f'Content-Type: multipart/mixed; boundary="b{level}"\r\n\r\n'
            f"--b{level}\r\n\r\nSee the mail below, number {level}.\r\n"
            f"--b{level}\r\nContent-Type: message/rfc822\r\n\r\n{mail}\r\n--b{level}--\r\n"
        )
    return mail.encode()


def nested_html(depth: int) -> bytes:
    """A page whose words stand below that many elements."""
    return f"<html><body>{'<div>' * depth}<p>{WORDS}</p>{'</div>' * depth}</body></html>".encode()


def pdf_that_unpacks_to(megabytes: int, blank_pages: int = 0, pages: int = 1) -> bytes:
    """A PDF whose last ``pages``, after blank ones, draw ``megabytes`` of text operators each, packed to some kB."""
    line = b"BT /F1 9 Tf 10 10 Td (All customer data is encrypted.) Tj ET\n"
    packed = zlib.compress(line * (megabytes * (1 << 20) // len(line)), 9)
    full = (
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 4 0 R"
        b"/Resources<</Font<</F1<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>>>>>"
    )
    others = 5 + blank_pages
    kids = [b"%d 0 R" % number for number in (*range(5, others), 3, *range(others, others + pages - 1))]
    parts = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[%s]/Count %d>>" % (b" ".join(kids), len(kids)),
        full,
        b"<</Length %d/Filter/FlateDecode>>stream\n" % len(packed) + packed + b"\nendstream",
        *[b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]>>"] * blank_pages,
        *[full] * (pages - 1),
    ]
    out = b"%PDF-1.4\n"
    offsets = []
    for number, part in enumerate(parts, start=1):
        offsets.append(len(out))
        out += b"%d 0 obj\n" % number + part + b"\nendobj\n"
    table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    end = len(out)
    size = len(parts) + 1
    head = b"xref\n0 %d\n0000000000 65535 f \n" % size
    return out + head + table + b"trailer<</Size %d/Root 1 0 R>>startxref\n%d\n%%%%EOF" % (size, end)


QUARANTINED: dict[str, tuple[Callable[[], bytes], str]] = {
    "empty.pdf": (lambda: b"", "the file is empty (0 bytes)"),
    "empty.txt": (lambda: b"", "the file is empty (0 bytes)"),
    "cut.pdf": (lambda: many_pages_pdf(50)[:2000], "truncated"),
    "blank-10000-pages.pdf": (lambda: many_pages_pdf(10_000), "no text found (its pages are blank or drawn)"),
    "entity-file.docx": (lambda: docx_with_entity('SYSTEM "file:///etc/hostname"'), "declares a document type"),
    "laughs.docx": (laughing_docx, "declares a document type"),
    "abyss.html": (lambda: nested_html(100_000), "nested too deeply"),
    "abyss.eml": (lambda: nested_mail(400), "nested too deeply"),
    "jpeg-bomb.pdf": (jpeg_bomb, "scanned (1 page of images)"),
    "jbig2-bomb.pdf": (jbig2_bomb, "scanned (1 page of images)"),
    "is-text.docx": (lambda: WORDS.encode(), "plain text, not that of a .docx file"),
}
"""The files that give no text, each with a part of its reason."""
