"""What a file is: by its content first, with its name as the second witness."""

from __future__ import annotations

import csv
import io
import re
import zipfile
from pathlib import PurePosixPath

from tasks.conversion.text import decode_text
from tasks.errors import ConversionError
from tasks.records import DocumentKind

SUFFIX_KINDS: dict[str, DocumentKind] = {
    ".pdf": "pdf",
    ".docx": "docx",
    ".docm": "docx",
    ".pptx": "pptx",
    ".pptm": "pptx",
    ".xlsx": "xlsx",
    ".xlsm": "xlsx",
    ".csv": "csv",
    ".tsv": "csv",
    ".html": "html",
    ".htm": "html",
    ".xhtml": "html",
    ".md": "md",
    ".markdown": "md",
    ".txt": "txt",
    ".text": "txt",
}
SUPPORTED_SUFFIXES = frozenset(SUFFIX_KINDS)

MAX_UNPACKED_BYTES = 1 << 30
MAX_MARKUP_BYTES = 1 << 27
"""One XML part of a Word or slide file: these are read as a tree, which takes some ten times its bytes."""

_OFFICE_PARTS: tuple[tuple[str, DocumentKind], ...] = (("word/", "docx"), ("ppt/", "pptx"), ("xl/", "xlsx"))
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_OTHER: tuple[tuple[bytes, str], ...] = (
    (b"{\\rtf", "a Rich Text file; save it as .docx"),
    (b"\x89PNG", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"GIF8", "a GIF image"),
    (b"II*\x00", "a TIFF image"),
    (b"MM\x00*", "a TIFF image"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"Rar!", "a RAR archive"),
    (b"7z\xbc\xaf", "a 7-Zip archive"),
    (b"%!PS", "a PostScript file; save it as .pdf"),
    (b"\x7fELF", "a program"),
    (b"MZ\x90", "a program"),
    (b"SQLite format 3", "a database"),
    (b"PAR1", "a Parquet table"),
)
_HTML_START = re.compile(r"\s*(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*)*<(?:!doctype\s+html|html|head|body)\b", re.I | re.S)
_HTML_TAG = re.compile(r"</?(?:p|div|span|table|tr|td|ul|ol|li|h[1-6]|br|body|a|strong|em)\b[^>]*>", re.I)
_MARKDOWN = re.compile(r"^(?:#{1,6} \S|```|\|.+\|\s*$|[*-] \S|>\s\S)|\]\(https?://|\*\*\S", re.M)


def detect_kind(file_name: str, data: bytes) -> DocumentKind:
    """The kind of ``data``. Where content decides (PDF, Office, HTML), a name that lies is not followed.

    Plain text goes by its name where that names a text kind, else by what it looks like. Raises
    ConversionError for nothing, for what is damaged (plain text under the name of a PDF or an Office file is), and
    for what bidfolio does not read.
    """
    suffix = PurePosixPath(file_name).suffix.lower()
    if not data:
        raise ConversionError(f"{file_name}: the file is empty (0 bytes)")
    if b"%PDF-" in data[:1024]:
        return "pdf"
    if data[:2] == b"PK" and data[2:4] in (b"\x03\x04", b"\x05\x06", b"\x07\x08"):
        return _zip_kind(file_name, data)
    if data.startswith(_OLE):
        if "EncryptedPackage".encode("utf-16-le") in data:
            raise ConversionError(f"{file_name}: encrypted; save it without its password")
        raise ConversionError(
            f"{file_name}: unsupported type (an Office file of before 2007); save it as .docx, .pptx or .xlsx"
        )
    for magic, what in _OTHER:
        if data.startswith(magic):
            raise ConversionError(f"{file_name}: unsupported type ({what})")
    if not data.strip(b"\x00\t\r\n "):
        raise ConversionError(f"{file_name}: no text found (only blanks)")
    named = SUFFIX_KINDS.get(suffix)
    if _is_binary(data):
        if named in ("pdf", "docx", "pptx", "xlsx"):
            raise ConversionError(f"{file_name}: damaged: the content is not that of a {suffix} file")
        raise ConversionError(f"{file_name}: unsupported type (binary content{f', {suffix}' if suffix else ''})")
    kind = _text_kind(decode_text(data[: 1 << 16]).text, named)
    if named in ("pdf", "docx", "pptx", "xlsx") and kind != "html":
        raise ConversionError(
            f"{file_name}: damaged: the content is plain text, not that of a {suffix} file; "
            "where it is meant to be text, name it .txt or .csv"
        )
    return kind


def _zip_kind(file_name: str, data: bytes) -> DocumentKind:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as package:
            parts = package.infolist()
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
        raise ConversionError(f"{file_name}: damaged or truncated (its package cannot be opened: {error})") from error
    if any(part.flag_bits & 1 for part in parts):
        raise ConversionError(f"{file_name}: encrypted; save it without its password")
    names = [part.filename for part in parts]
    if any(name.endswith("xl/workbook.bin") for name in names):
        raise ConversionError(f"{file_name}: unsupported type (a binary workbook); save it as .xlsx")
    kind = next((kind for prefix, kind in _OFFICE_PARTS if any(n.startswith(prefix) for n in names)), None)
    if kind is None:
        what = "an OpenDocument file; save it as .docx, .pptx or .xlsx" if "mimetype" in names else "a zip archive"
        raise ConversionError(f"{file_name}: unsupported type ({what})")
    biggest = max((part.file_size for part in parts if part.filename.endswith(".xml")), default=0)
    if sum(part.file_size for part in parts) > MAX_UNPACKED_BYTES or (kind != "xlsx" and biggest > MAX_MARKUP_BYTES):
        raise ConversionError(f"{file_name}: refused: it unpacks to more than a document can hold")
    return kind


def _is_binary(data: bytes) -> bool:
    text, encoding = decode_text(data[: 1 << 16])
    if encoding.startswith("utf-16") or encoding.startswith("utf-32"):
        return text.count("\ufffd") > len(text) // 10
    odd = sum(1 for c in text if (c < " " and c not in "\t\n\r\f\x1a") or c == "\ufffd")
    # A few NULs and controls do stand in real text files (exports of old systems); a program has many.
    return odd > max(2, len(text) // 50)


def _text_kind(text: str, named: DocumentKind | None) -> DocumentKind:
    if _HTML_START.match(text):
        return "html"
    if named in ("html", "md", "txt"):
        return named
    if named == "csv":
        return "csv"
    if len(_HTML_TAG.findall(text)) >= 6 and text.lstrip().startswith("<"):
        return "html"
    if looks_like_csv(text):
        return "csv"
    return "md" if len(_MARKDOWN.findall(text)) >= 3 else "txt"


def looks_like_csv(text: str) -> bool:
    """Whether the first lines of ``text`` all split into the same number of cells, two or more."""
    lines = [line for line in text.splitlines()[:40] if line.strip()][:20]
    if len(lines) < 3:
        return False
    for delimiter in (",", ";", "\t", "|"):
        try:
            widths = {len(row) for row in csv.reader(lines, delimiter=delimiter) if row}
        except csv.Error:
            continue
        if len(widths) == 1 and min(widths) >= 2:
            return True
    return False
