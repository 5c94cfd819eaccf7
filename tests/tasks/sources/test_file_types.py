from __future__ import annotations

import io
import zipfile

import pytest

from tasks.errors import ConversionError
from tasks.sources.file_types import SUPPORTED_SUFFIXES, detect_kind, looks_like_csv, own_suffix
from tasks.sources.package_limits import RATIO_FREE_BYTES
from tests.made.outlook_messages import make_msg


def package(*names: str) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name in names:
            archive.writestr(name, "x")
    return out.getvalue()


HTML = b"<!DOCTYPE html><html><body><p>Hello</p></body></html>"
CSV = b"Question,Answer\nDo you encrypt?,Yes\nDo you log?,Yes\n"
MARKDOWN = b"# Title\n\n- one\n- two\n"


@pytest.mark.parametrize(
    ("name", "data", "kind"),
    [
        ("a.pdf", b"%PDF-1.7\n...", "pdf"),
        ("a.docx", b"\n\n%PDF-1.7\n...", "pdf"),
        ("a.docx", package("[Content_Types].xml", "word/document.xml"), "docx"),
        ("a.pdf", package("word/document.xml"), "docx"),
        ("a.zip", package("ppt/presentation.xml"), "pptx"),
        ("a.xlsx", package("xl/workbook.xml"), "xlsx"),
        ("a.html", HTML, "html"),
        ("a.txt", HTML, "html"),
        ("a.pdf", HTML, "html"),
        ("a.html", b"<p>a fragment</p>", "html"),
        ("a.md", b"Just a line", "md"),
        ("a.txt", b"# not a heading here", "txt"),
        ("a.csv", b"one column\nonly\n", "csv"),
        ("a", CSV, "csv"),
        ("a", MARKDOWN, "md"),
        ("a.txt", "Grüße".encode("utf-16"), "txt"),
        ("a.txt", "Größe – 5 €".encode("cp1252"), "txt"),
        ("A.TSV", b"a\tb\n1\t2\n", "csv"),
        ("export.xls", b"Asset\tOwner\nLaptop\tIT\nPhone\tHR\n", "csv"),
    ],
)
def test_content_decides_and_the_name_is_the_second_witness(name: str, data: bytes, kind: str) -> None:
    assert detect_kind(name, data) == kind


@pytest.mark.parametrize(
    ("name", "data", "reason"),
    [
        ("a.pdf", b"", "empty (0 bytes); get it again"),
        ("a.docx", bytes(30_000), "still in a cloud); open it once"),
        ("a.tif", b"II*\x00" + bytes(40), "save it as .pdf"),
        ("a.tar", b"policy.txt".ljust(257, b"\x00") + b"ustar\x0000" + bytes(200), "unpack it"),
        ("a.rar", b"Rar!\x1a\x07", "unpack it"),
        ("a.7z", b"7z\xbc\xaf'\x1c", "unpack it"),
        ("a.pst", b"!BDN" + bytes(40), "save its mails as .msg"),
        ("a.pages", package("Index/Document.iwa"), "save it as .pdf"),
        ("a.mbox", b"From a@b.example\nFrom: a@b.example\nSubject: Offer\n\nYes.\n", "save its mails as .eml"),
        ("a.mht", b"From: <Saved>\nSubject: Offer\nMIME-Version: 1.0\n\nYes.\n", "save it as .html or .pdf"),
        ("a.txt", b" \r\n\t ", "only blanks"),
        ("a.docx", b"PK\x03\x04" + b"rubbish" * 50, "damaged or truncated"),
        ("a.docx", package("word/document.xml")[:-30], "damaged or truncated"),
        ("a.odt", package("mimetype", "content.xml"), "OpenDocument"),
        ("a.zip", package("readme.txt"), "a zip archive"),
        ("a.xlsb", package("xl/workbook.bin"), "binary workbook"),
        ("a.doc", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600), "before 2007"),
        ("a.msg", make_msg("Offer", "Yes.")[:700], "damaged or truncated"),
        ("a.xls", b"A line\nof\ttext\n", "plain text"),
        ("a.docx", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "EncryptedPackage".encode("utf-16-le"), "encrypted"),
        ("a.png", b"\x89PNG\r\n\x1a\n" + bytes(50), "PNG image"),
        ("a.rtf", b"{\\rtf1 hello}", "Rich Text"),
        ("a.pdf", CSV, "damaged: the content is plain text, not that of a .pdf file"),
        ("a.docx", b"Plain words that someone named a Word file.", "name it .txt or .csv"),
        ("a.pdf", bytes(range(256)) * 20, "damaged: the content is not that of a .pdf file"),
        ("a.bin", bytes(range(256)) * 20, "unsupported type (binary content, .bin)"),
    ],
)
def test_what_cannot_be_read_says_why(name: str, data: bytes, reason: str) -> None:
    with pytest.raises(ConversionError) as error:
        detect_kind(name, data)
    assert str(error.value).startswith(name) and reason in str(error.value)


def test_a_package_that_unpacks_to_too_much_is_refused() -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("word/document.xml", bytes((1 << 27) + 1))
    with pytest.raises(ConversionError, match="unpacks to more"):
        detect_kind("bomb.docx", out.getvalue())


def test_a_package_of_one_paragraph_over_and_over_is_refused() -> None:
    def repeated(kind: str, said: bytes) -> bytes:
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr(kind, said)
        return out.getvalue()

    paragraph = b"<w:p><w:r><w:t>Backups are kept.</w:t></w:r></w:p>"
    for kind, times, refused in (
        ("word/document.xml", RATIO_FREE_BYTES, True),
        ("ppt/presentation.xml", RATIO_FREE_BYTES, True),
        ("word/document.xml", RATIO_FREE_BYTES // 2, False),
        # A workbook is read row by row, and formatted rows without a value are all alike.
        ("xl/workbook.xml", RATIO_FREE_BYTES, False),
    ):
        data = repeated(kind, paragraph * (times // len(paragraph) + 1))
        if refused:
            with pytest.raises(ConversionError, match="unpacks to more"):
                detect_kind("a.docx", data)
        else:
            detect_kind("a.docx", data)


@pytest.mark.parametrize(
    ("name", "data", "expected"),
    [
        ("Our policy", b"%PDF-1.7\n...", ".pdf"),
        ("Policy v1.2", b"%PDF-1.7\n...", ".pdf"),
        ("Concept", package("[Content_Types].xml", "word/document.xml"), ".docx"),
        ("Mail", make_msg("Offer", "Yes."), ".msg"),
        ("policy.docx", b"%PDF-1.7\n...", ""),
        ("bundle", package("readme.txt"), ""),
        ("bundle", b"PK\x03\x04 and no archive", ""),
        ("signature.asc", b"-----BEGIN PGP SIGNATURE-----", ""),
    ],
)
def test_a_suffix_that_is_wanting_is_that_of_the_content(name: str, data: bytes, expected: str) -> None:
    assert own_suffix(name, data) == expected


def test_supported_suffixes() -> None:
    assert {".pdf", ".docx", ".pptx", ".xlsx", ".csv", ".html", ".md", ".txt"} <= SUPPORTED_SUFFIXES


@pytest.mark.parametrize(
    ("text", "expected"), [("a,b\n1,2\n3,4\n", True), ("a,b\n1\n3,4\n", False), ("a\nb\nc\n", False)]
)
def test_looks_like_csv(text: str, expected: bool) -> None:
    assert looks_like_csv(text) is expected
