"""The day that a file itself tells: when it was last changed, else when it was made; of a mail, when it was sent.

A copy, a checkout or an upload leaves it as it is, which the times of a folder do not outlive.
"""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Callable
from contextlib import suppress
from datetime import date
from email.utils import parsedate_to_datetime

from tasks.conversion.eml_reader import HEAD_BYTES, read_eml
from tasks.records import DocumentKind

_CORE = "docProps/core.xml"
_MAX_CORE_BYTES = 1 << 20
_IN_CORE = tuple(re.compile(rf"<dcterms:{name}\b[^>]*>\s*(\d{{4}}-\d\d-\d\d)") for name in ("modified", "created"))
_IN_PDF = re.compile(r"(?:D:)?\s*(\d{4})(\d\d)?(\d\d)?")


def own_date(kind: DocumentKind, file_name: str, data: bytes) -> date | None:
    """The day in the metadata of ``data``, a file of that kind; None where it tells none, or none that can be read.

    Sheets as text, web pages, Markdown and plain text have no such place.
    """
    read: dict[str, Callable[[], date | None]] = {
        "pdf": lambda: _of_pdf(data),
        "xls": lambda: _of_xls(data),
        "eml": lambda: _of_mail(read_eml(data[:HEAD_BYTES]).date),
        "msg": lambda: _of_msg(file_name, data),
        **dict.fromkeys(("docx", "pptx", "xlsx"), lambda: _of_office(data)),
    }
    # The properties are no part of the text: broken ones leave the document readable.
    with suppress(Exception):
        return read[kind]() if kind in read else None
    return None


def _of_office(data: bytes) -> date | None:
    with zipfile.ZipFile(io.BytesIO(data)) as package:
        if package.getinfo(_CORE).file_size > _MAX_CORE_BYTES:
            return None
        core = package.read(_CORE).decode("utf-8", "replace")
    found = next((match for pattern in _IN_CORE if (match := pattern.search(core))), None)
    return date.fromisoformat(found[1]) if found else None


def _of_pdf(data: bytes) -> date | None:
    from tasks.conversion.pdf_reader import read_dates

    found = next((match for told in read_dates(data) if (match := _IN_PDF.match(told))), None)
    return date(int(found[1]), int(found[2] or 1), int(found[3] or 1)) if found else None


def _of_xls(data: bytes) -> date | None:
    import olefile

    with olefile.OleFileIO(io.BytesIO(data)) as package:
        told = package.get_metadata()
    found = told.last_saved_time or told.create_time
    return found.date() if found else None


def _of_msg(file_name: str, data: bytes) -> date | None:
    from tasks.conversion.msg_reader import read_msg

    return _of_mail(read_msg(file_name, data).date)


def _of_mail(told: str) -> date | None:
    return parsedate_to_datetime(told).date() if told else None
