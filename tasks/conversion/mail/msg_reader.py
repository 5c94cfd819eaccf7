"""Reader of Outlook's MSG files, with oxmsg.

Only oxmsg's storages and streams are used: its properties raise on a wrong character or code page.
"""

from __future__ import annotations

import datetime as dt
import io
import struct
from collections.abc import Iterator, Sequence
from email.utils import format_datetime
from typing import Any

from tasks.conversion.mail.mail import Attachment, Body, Mail, file_name_of, write_eml
from tasks.errors import ConversionError
from tasks.text.characters import clean_line, decode_text

_ROOT_HEADER_BYTES, _INNER_HEADER_BYTES, _PART_HEADER_BYTES = 32, 24, 8
_UNICODE, _STRING8, _BINARY = 0x001F, 0x001E, 0x0102
_SUBJECT, _BODY, _HTML, _RTF = 0x0037, 0x1000, 0x1013, 0x1009
_SENDER_NAME, _SENDER_EMAIL, _SENDER_SMTP, _SENT_FOR = 0x0C1A, 0x0C1F, 0x5D01, 0x0042
_SUBMITTED, _DELIVERED = 0x0039, 0x0E06
_DISPLAY_TO, _DISPLAY_CC = 0x0E04, 0x0E03
_NAME, _ADDRESS, _SMTP_ADDRESS, _RECIPIENT_TYPE = 0x3001, 0x3003, 0x39FE, 0x0C15
_LONG_FILE_NAME, _FILE_NAME, _EXTENSION, _DATA = 0x3707, 0x3704, 0x3703, 0x3701
_BODY_CODE_PAGE, _CODE_PAGE = 0x3FDE, 0x3FFD
_INNER_MESSAGE = f"__substg1.0_{_DATA:04X}000D"
_EPOCH = dt.datetime(1601, 1, 1, tzinfo=dt.UTC)


def read_msg(file_name: str, data: bytes) -> Mail:
    """Read an MSG file to a mail. A mail that is attached to it becomes an EML file.

    Raises ConversionError where it is damaged.
    """
    from olefile import OleFileIO
    from oxmsg.storage import Storage

    try:
        with OleFileIO(io.BytesIO(data)) as package:
            root: Any = Storage.from_ole(package)
        mail = _mail(root, _ROOT_HEADER_BYTES)
    except (RecursionError, MemoryError):
        raise
    except Exception as error:
        # Neither library documents its errors for a damaged file: OSError, KeyError, struct.error and others.
        raise ConversionError(f"{file_name}: damaged or not readable as msg ({type(error).__name__})") from error
    rich = not mail.bodies and _stream(root, _RTF, _BINARY)
    return mail._replace(unread="its text is Rich Text alone; save it as .eml or .html") if rich else mail


def _mail(storage: Any, header_bytes: int) -> Mail:
    numbers = _numbers(storage, header_bytes)
    page = _codec(numbers.get(_CODE_PAGE))
    to, cc = (
        ", ".join(_recipients(storage, kind, page)) or _text(storage, display, page)
        for kind, display in ((1, _DISPLAY_TO), (2, _DISPLAY_CC))
    )
    return Mail(
        subject=clean_line(_text(storage, _SUBJECT, page)),
        sender=_person(storage, (_SENDER_NAME, _SENT_FOR), (_SENDER_SMTP, _SENDER_EMAIL), page),
        to=clean_line(to),
        cc=clean_line(cc),
        date=_date(numbers.get(_SUBMITTED) or numbers.get(_DELIVERED)),
        bodies=tuple(_bodies(storage, page, _codec(numbers.get(_BODY_CODE_PAGE)) or page)),
        attachments=tuple(_attachments(storage, page)),
    )


def _bodies(storage: Any, page: str, body_page: str) -> Iterator[Body]:
    """Yield the mail's body: the plain text, else the HTML; nothing where both are empty."""
    plain = _text(storage, _BODY, body_page)
    html = _stream(storage, _HTML, _BINARY)
    markup = _decoded(html, body_page) if html else _text(storage, _HTML, page)
    if plain.strip():
        yield Body("plain", plain)
    elif markup.strip():
        yield Body("html", markup)


def _recipients(storage: Any, kind: int, page: str) -> Iterator[str]:
    """Yield the recipients of a kind: 1 for To, 2 for Cc."""
    for recipient in storage.iter_recipient_storages():
        if _numbers(recipient, _PART_HEADER_BYTES).get(_RECIPIENT_TYPE, 1) & 0xF == kind:
            yield _person(recipient, (_NAME,), (_SMTP_ADDRESS, _ADDRESS), page)


def _attachments(storage: Any, page: str) -> Iterator[Attachment]:
    for attached in storage.iter_attachment_storages():
        name = clean_line(_text(attached, _LONG_FILE_NAME, page) or _text(attached, _FILE_NAME, page))
        inner = next((one for one in attached.storages if one.name == _INNER_MESSAGE), None)
        if inner is not None:
            mail = _mail(inner, _INNER_HEADER_BYTES)
            yield Attachment(file_name_of(mail.subject or name), write_eml(mail))
        elif (data := _stream(attached, _DATA, _BINARY)) or name:
            yield Attachment(name or f"attachment{_text(attached, _EXTENSION, page)}", data)


def _person(storage: Any, names: Sequence[int], addresses: Sequence[int], page: str) -> str:
    """A person as ``name <address>``, or either of them where the other is missing or the same."""
    name = next(filter(None, (clean_line(_text(storage, pid, page)) for pid in names)), "")
    stated = (clean_line(_text(storage, pid, page)) for pid in addresses)
    # An internal address of Exchange (/O=…/CN=…) means nothing to a reader.
    address = next((said for said in stated if "@" in said), "")
    return f"{name} <{address}>" if address and name and name != address else address or name


def _date(ticks: int | None) -> str:
    """A FILETIME (units of 100 ns since 1601) in the format of a mail's header; "" for none or one out of range."""
    try:
        return format_datetime(_EPOCH + dt.timedelta(microseconds=ticks // 10)) if ticks else ""
    except OverflowError:
        return ""


def _numbers(storage: Any, header_bytes: int) -> dict[int, int]:
    """The properties of fixed size by their id; each takes 16 bytes after the header."""
    raw: bytes = storage.properties_stream_bytes[header_bytes:]
    entries = struct.iter_unpack("<HHIQ", raw[: len(raw) // 16 * 16])
    return {pid: value if kind in (0x0040, 0x0014) else value & 0xFFFFFFFF for kind, pid, _, value in entries}


def _stream(storage: Any, pid: int, kind: int) -> bytes:
    try:
        return bytes(storage.property_stream_bytes(pid, kind))
    except KeyError:
        return b""


def _text(storage: Any, pid: int, page: str) -> str:
    """The text of a property, from its Unicode stream, else from its 8-bit one; "" where it is missing."""
    wide = _stream(storage, pid, _UNICODE)
    if wide:
        return wide.decode("utf-16-le", errors="replace").rstrip("\x00")
    return _decoded(_stream(storage, pid, _STRING8), page).rstrip("\x00")


def _decoded(data: bytes, page: str) -> str:
    return data.decode(page, errors="replace") if page and page != "utf-8" else decode_text(data).text


def _codec(code_page: int | None) -> str:
    """Python's name for a Windows code page; "" where it is unknown, and the encoding is then detected."""
    from oxmsg.domain.encodings import encoding_from_codepage

    if code_page is None:
        return ""
    try:
        name = encoding_from_codepage(code_page)
        "".encode(name)
    except Exception:
        # oxmsg's own errors for a page that it does not know, and LookupError for a page that Python does not.
        return ""
    return str(name)
