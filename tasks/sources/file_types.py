"""File type detection: by a file's content first, then by its name."""

from __future__ import annotations

import csv
import io
import mimetypes
import re
import zipfile
import zlib
from contextlib import suppress
from pathlib import PurePosixPath
from typing import Literal

from tasks.errors import ConversionError
from tasks.records import DocumentKind
from tasks.sources.mail_headers import FEW_HEADERS, HEAD_BYTES, looks_like_mail
from tasks.sources.package_limits import is_too_much
from tasks.text.characters import Decoded, decode_text

_SUFFIXES: dict[DocumentKind, str] = {
    "pdf": ".pdf",
    "docx": ".docx .docm .dotx .dotm",
    "pptx": ".pptx .pptm .ppsx .ppsm .potx .potm",
    "xlsx": ".xlsx .xlsm .xltx .xltm",
    "xls": ".xls",
    "csv": ".csv .tsv",
    "html": ".html .htm .xhtml",
    "md": ".md .markdown",
    "txt": ".txt .text",
    "eml": ".eml",
    "msg": ".msg",
}
SUFFIX_KINDS = {suffix: kind for kind, suffixes in _SUFFIXES.items() for suffix in suffixes.split()}
CONTAINER_SUFFIXES = frozenset({".zip", ".eml", ".msg"})
"""Suffixes of containers: archives and mails, which may hold further documents."""
SUPPORTED_SUFFIXES = frozenset(SUFFIX_KINDS) | CONTAINER_SUFFIXES
_SAVED_AS_PDF = frozenset({".pages", ".numbers", ".xps", ".vsdx"})
_WEB_PAGE = "a web page with all that belongs to it; save it as .html or .pdf"
_TEXT_UNREAD = {".mbox": "a mailbox; save its mails as .eml", ".mht": _WEB_PAGE, ".mhtml": _WEB_PAGE}
KNOWN_UNREAD_SUFFIXES = _SAVED_AS_PDF | {
    *_TEXT_UNREAD,
    *(".doc", ".ppt", ".rtf", ".odt", ".ods", ".odp", ".xlsb", ".tif", ".tiff"),
    *(".rar", ".7z", ".tar", ".tgz", ".pst"),
}
"""Suffixes of documents that bidfolio does not read: they are not skipped, but quarantined with a remedy."""

ContainerKind = Literal["zip", "eml", "msg"]

_SUFFIX = re.compile(r"\.[^\W\d_][\w-]*")
_TYPES = frozenset(mimetypes.MimeTypes(filenames=()).types_map[True])
"""Suffixes of known media types: those of Python's own list, whatever this machine's files add."""
_PUT_ASIDE = frozenset({".bak", ".old", ".orig", ".tmp", ".temp", ".part", ".crdownload", ".download", ".swp"})
"""Suffixes of backup copies, temporary files and unfinished downloads."""
_HEAD_OF_PART = 4096
_HEAD_OF_TEXT = 1 << 16
_OFFICE_PARTS: tuple[tuple[str, str, DocumentKind], ...] = (
    ("word/", "document.xml", "docx"),
    ("ppt/", "presentation.xml", "pptx"),
    ("xl/", "workbook.xml", "xlsx"),
)
_CONTENT_TYPES = "[Content_Types].xml"
_FIRST_PARTS = (_CONTENT_TYPES.encode(), b"_rels/.rels")
"""Parts of an Office package, of which every program writes one first."""
_BINARY_KINDS = ("pdf", "docx", "pptx", "xlsx", "xls", "msg")
_TEXT_KINDS: tuple[DocumentKind, ...] = ("csv", "html", "md", "txt")
_ZIP = (b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08")
_PDF, _OLE = b"%PDF-", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_REPACK = "unpack it, or pack its files as .zip"
_TIFF = "a TIFF image; save it as .pdf, where its text is read by tesseract"
_OTHER: tuple[tuple[int, bytes, str], ...] = (
    (0, b"{\\rtf", "a Rich Text file; save it as .docx"),
    (0, b"\x89PNG", "a PNG image"),
    (0, b"\xff\xd8\xff", "a JPEG image"),
    (0, b"GIF8", "a GIF image"),
    (0, b"II*\x00", _TIFF),
    (0, b"MM\x00*", _TIFF),
    (0, b"\x1f\x8b", f"a gzip archive; {_REPACK}"),
    (0, b"Rar!", f"a RAR archive; {_REPACK}"),
    (0, b"7z\xbc\xaf", f"a 7-Zip archive; {_REPACK}"),
    (257, b"ustar", f"a tar archive; {_REPACK}"),
    (0, b"!BDN", "a mailbox of Outlook; save its mails as .msg"),
    (0, b"%!PS", "a PostScript file; save it as .pdf"),
    (0, b"\x7fELF", "a program"),
    (0, b"MZ\x90", "a program"),
    (0, b"SQLite format 3", "a database"),
    (0, b"PAR1", "a Parquet table"),
)
"""Content of other types: the offset of the bytes that tell it, these bytes, and the type with its remedy."""
# Possessive: with many comments on a page, backtracking would try every later comment's end as the end of each.
_HTML_START = re.compile(
    r"\s*(?:<\?xml[^>]*>\s*)?(?><!--.*?-->\s*)*+<(?:!doctype\s+html|html|head|body)\b", re.I | re.S
)
_HTML_TAG = re.compile(r"</?(?:p|div|span|table|tr|td|ul|ol|li|h[1-6]|br|body|a|strong|em)\b[^>]*>", re.I)
_MARKDOWN = re.compile(r"^(?:#{1,6} \S|```|\|.+\|\s*$|[*-] \S|>\s\S)|\]\(https?://|\*\*\S", re.M)


def detect_kind(file_name: str, data: bytes) -> DocumentKind:
    """Detect the kind of a file. Where the content decides (PDF, Office, HTML), a wrong suffix is ignored.

    Plain text has the kind of its suffix where that is a text kind, else the kind it resembles. Raises ConversionError
    for an empty file, for a damaged one (also plain text with the suffix of a PDF or an Office file, except for a table
    with tabs that is named .xls), and for a kind that bidfolio does not read.
    """
    suffix = PurePosixPath(file_name).suffix.lower()
    named = SUFFIX_KINDS.get(suffix)
    if not data:
        raise ConversionError(
            f"{file_name}: the file is empty (0 bytes); get it again from where it is from, or delete it"
        )
    if data.startswith(_ZIP):
        return _zip_kind(file_name, data)
    if data.startswith(_OLE):
        return _ole_kind(file_name, data)
    if suffix in _TEXT_UNREAD:
        raise ConversionError(f"{file_name}: unsupported type ({_TEXT_UNREAD[suffix]})")
    if not data.startswith(_PDF) and _is_mail(file_name, data):  # the check for a mail takes as long as three pages
        return "eml"
    if _PDF in data[:1024]:
        return "pdf"
    for offset, magic, what in _OTHER:
        if data.startswith(magic, offset):
            raise ConversionError(f"{file_name}: unsupported type ({what})")
    if not data.strip(b"\x00"):
        raise ConversionError(
            f"{file_name}: no text found (only zeros, as of a file that was not copied whole, or is still in a cloud); "
            "open it once, or copy it anew"
        )
    if not data.strip(b"\x00\t\r\n "):
        raise ConversionError(f"{file_name}: no text found (only blanks)")
    if _is_binary(data):
        if named in _BINARY_KINDS:
            raise ConversionError(f"{file_name}: damaged: the content is not that of a {suffix} file")
        raise ConversionError(f"{file_name}: unsupported type (binary content{f', {suffix}' if suffix else ''})")
    text = _beginning(data).text
    if named == "xls" and "\t" in text and looks_like_csv(text):
        # Many programs write text tables under this suffix, since Excel opens them.
        return "csv"
    kind = _text_kind(text, named)
    if (named in _BINARY_KINDS or suffix in CONTAINER_SUFFIXES) and kind != "html":
        raise ConversionError(
            f"{file_name}: damaged: the content is plain text, not that of a {suffix} file; "
            "where it is meant to be text, name it .txt or .csv"
        )
    return kind


def container_kind(file_name: str, data: bytes) -> ContainerKind | None:
    """Return the kind of container that ``data`` is; None for any other file, an Office file for example.

    A damaged archive counts as a container: the attempt to open it reports what is wrong.
    """
    if not may_hold_members(file_name, data[:HEAD_BYTES]):
        return None
    if data.startswith(_ZIP):
        try:
            names = [part.filename for part in _zip_parts(file_name, data)]
        except ConversionError:
            return "zip"
        is_document = _office_kind(names) or _is_binary_workbook(names) or "mimetype" in names
        return None if is_document else "zip"
    if data.startswith(_OLE):
        return "msg" if "__properties_version1.0" in _ole_names(data) else None
    return "eml" if _is_mail(file_name, data) else None


def begins_as_document(head: bytes) -> bool:
    """Tell if ``head``, a file's first :data:`HEAD_BYTES`, begins as a PDF, an Office file or a saved Outlook mail."""
    is_package = head.startswith(_ZIP) and any(part in head for part in _FIRST_PARTS)
    return is_package or head.startswith((_PDF, _OLE))


def own_suffix(name: str, data: bytes) -> str:
    """The suffix to add to a file's name, by its content: that of a PDF, an Office file or a saved Outlook mail.

    "" where the name has a document's suffix already, and for all other content: as text, signatures and calendars
    would count as documents too.
    """
    if _has_known_suffix(name):
        return ""
    if data.startswith(_PDF):
        return ".pdf"
    if data.startswith(_ZIP):
        try:
            kind = _office_kind([part.filename for part in _zip_parts(name, data)])
        except ConversionError:
            kind = None
        return f".{kind}" if kind else ""
    names = _ole_names(data) if data.startswith(_OLE) else frozenset()
    return ".msg" if "__properties_version1.0" in names else ".xls" if names & {"workbook", "book"} else ""


def may_hold_members(file_name: str, head: bytes) -> bool:
    """Tell if a file may be a container by its name or its first :data:`HEAD_BYTES`; :func:`container_kind` decides."""
    return may_hold_documents(file_name) or (not head.startswith(_PDF) and _is_mail(file_name, head))


def may_hold_documents(name: str) -> bool:
    """Tell if a file is an archive or a mail by the suffix of its name."""
    return PurePosixPath(name).suffix.lower() in CONTAINER_SUFFIXES


def is_document(name: str) -> bool:
    """Tell if a file belongs to a corpus by its name (with folders, by ``/``); hidden and lock files do not."""
    return _has_known_suffix(name) and not _is_hidden(name)


def is_passed_over(name: str) -> bool:
    """Tell if a file is skipped because its suffix is unknown or missing; hidden files are not counted here."""
    return not _has_known_suffix(name) and not _is_hidden(name)


def suffix_of(name: str) -> str:
    """The suffix of a file's name in lower case; "" where it has none.

    Numbers ("Policy v2.1") and words with blanks ("Terms of Acme Inc. final") after the last point are no suffix.
    """
    suffix = PurePosixPath(name).suffix.lower()
    return suffix if _SUFFIX.fullmatch(suffix) else ""


def says_what_it_is(name: str) -> bool:
    """Tell if a file's suffix identifies its type: a known media type, a backup copy or a temporary file.

    Those of "Offer.signed" and "Policy.final" do not.
    """
    suffix = suffix_of(name)
    return suffix in _TYPES or suffix in _PUT_ASIDE


def _has_known_suffix(name: str) -> bool:
    return PurePosixPath(name).suffix.lower() in SUPPORTED_SUFFIXES | KNOWN_UNREAD_SUFFIXES


def _is_hidden(name: str) -> bool:
    return any(part.startswith((".", "~$")) or part == "__MACOSX" for part in PurePosixPath(name).parts)


def _is_mail(file_name: str, data: bytes) -> bool:
    """Tell if a file is a mail in text form (EML), by its headers; the suffix decides how many are needed.

    A text file may begin like a mail: under the suffix of a text it also needs a header that only programs write.
    """
    suffix = PurePosixPath(file_name).suffix.lower()
    if suffix == ".eml":
        return looks_like_mail(data, at_least=FEW_HEADERS)
    return looks_like_mail(data, travelled=SUFFIX_KINDS.get(suffix) in _TEXT_KINDS)


def _ole_names(data: bytes) -> frozenset[str]:
    """The names of the top streams and storages of an OLE file, in lower case; none where it cannot be opened."""
    import olefile

    try:
        with olefile.OleFileIO(io.BytesIO(data)) as package:
            return frozenset(path[0].lower() for path in package.listdir(streams=True, storages=True))
    except Exception:
        # olefile does not document the errors that it raises for a damaged file.
        return frozenset()


def _ole_kind(file_name: str, data: bytes) -> DocumentKind:
    names = _ole_names(data)
    if "encryptedpackage" in names or (not names and "EncryptedPackage".encode("utf-16-le") in data):
        raise ConversionError(f"{file_name}: encrypted; save it without its password")
    if "__properties_version1.0" in names:
        return "msg"
    if names & {"workbook", "book"}:
        return "xls"
    if not names and PurePosixPath(file_name).suffix.lower() not in KNOWN_UNREAD_SUFFIXES:
        raise ConversionError(f"{file_name}: damaged or truncated (what it holds cannot be listed)")
    raise ConversionError(
        f"{file_name}: unsupported type (an Office file of before 2007); save it as .docx, .pptx or .xlsx"
    )


def _zip_parts(file_name: str, data: bytes) -> list[zipfile.ZipInfo]:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as package:
            return package.infolist()
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
        raise ConversionError(f"{file_name}: damaged or truncated (its package cannot be opened: {error})") from error


def _office_kind(names: list[str]) -> DocumentKind | None:
    """The kind of an Office package by its parts' names; None for an archive that merely has a folder ``word``."""
    for folder, main, kind in _OFFICE_PARTS:
        if any(name.startswith(folder) for name in names) and {_CONTENT_TYPES, folder + main} & set(names):
            return kind
    return None


def _is_binary_workbook(names: list[str]) -> bool:
    return any(name.endswith("xl/workbook.bin") for name in names)


def _zip_kind(file_name: str, data: bytes) -> DocumentKind:
    parts = _zip_parts(file_name, data)
    if any(part.flag_bits & 1 for part in parts):
        raise ConversionError(f"{file_name}: encrypted; save it without its password")
    names = [part.filename for part in parts]
    if _is_binary_workbook(names):
        raise ConversionError(f"{file_name}: unsupported type (a binary workbook); save it as .xlsx")
    kind = _office_kind(names)
    if kind is None:
        is_parts = PurePosixPath(file_name).suffix.lower() in _SAVED_AS_PDF
        what = "a package of parts; save it as .pdf" if is_parts else "a zip archive; name it .zip"
        what = "an OpenDocument file; save it as .docx, .pptx or .xlsx" if "mimetype" in names else what
        raise ConversionError(f"{file_name}: unsupported type ({what})")
    if _declares_entities(data, parts):
        raise ConversionError(
            f"{file_name}: refused: it declares a document type, by which it may ask for other files; "
            "no Office program does, so open it in one and save it anew"
        )
    if is_too_much(kind, parts, len(data)):
        raise ConversionError(
            f"{file_name}: refused: it unpacks to more than a document can hold; where it is one, save it anew in the "
            "program that it is from"
        )
    return kind


def _declares_entities(data: bytes, parts: list[zipfile.ZipInfo]) -> bool:
    """Tell if a part of an Office package, custom XML aside, begins with a document type declaration."""
    with zipfile.ZipFile(io.BytesIO(data)) as package:
        for part in parts:
            if not part.filename.endswith((".xml", ".rels")) or part.filename.startswith("customXml/"):
                continue
            # The reader of this kind reports what is wrong with a part.
            broken = (zipfile.BadZipFile, zlib.error, OSError, ValueError, NotImplementedError, EOFError)
            with suppress(*broken), package.open(part) as stream:
                if b"<!DOCTYPE" in stream.read(_HEAD_OF_PART).replace(b"\x00", b""):
                    return True
    return False


def _beginning(data: bytes) -> Decoded:
    return decode_text(data[:_HEAD_OF_TEXT], is_cut=len(data) > _HEAD_OF_TEXT)


def _is_binary(data: bytes) -> bool:
    text, encoding = _beginning(data)
    if encoding.startswith(("utf-16", "utf-32")):
        return text.count("\ufffd") > len(text) // 10
    odd = sum(1 for c in text if (c < " " and c not in "\t\n\r\f\x1a") or c == "\ufffd")
    # Real text files (exports of old systems) may have a few NULs and control characters; a program has many.
    return odd > max(2, len(text) // 50)


def _text_kind(text: str, named: DocumentKind | None) -> DocumentKind:
    if _HTML_START.match(text):
        return "html"
    if named in _TEXT_KINDS:
        return named
    if len(_HTML_TAG.findall(text)) >= 6 and text.lstrip().startswith("<"):
        return "html"
    if looks_like_csv(text):
        return "csv"
    return "md" if len(_MARKDOWN.findall(text)) >= 3 else "txt"


def looks_like_csv(text: str) -> bool:
    """Tell if the first lines of ``text``, at least three, all split into the same number of cells, two or more."""
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
