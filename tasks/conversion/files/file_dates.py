"""Date in a file's own metadata: of its last change, else of its creation; for a mail, the day it was sent.

Unlike the file system's times, it survives a copy, a checkout or an upload.
"""

from __future__ import annotations

import io
import re
import zipfile
from contextlib import suppress
from datetime import date
from email.utils import parsedate_to_datetime

from tasks.conversion.mail.eml_reader import read_eml
from tasks.records import DocumentKind
from tasks.sources.mail_headers import HEAD_BYTES

_CORE = "docProps/core.xml"
_MAX_CORE_BYTES = 1 << 20
_IN_CORE = tuple(re.compile(rf"<dcterms:{name}\b[^>]*>\s*(\d{{4}}-\d\d-\d\d)") for name in ("modified", "created"))
_IN_PDF = re.compile(r"(?:D:)?\s*(\d{4})(\d\d)?(\d\d)?")


def own_date(kind: DocumentKind, file_name: str, data: bytes) -> date | None:
    """Return the date in the metadata of ``data``, a file of that kind; None where there is none, or it is unreadable.

    CSV, HTML, Markdown and plain text files have no such metadata.
    """
    # The metadata are not part of the text: where they are broken, the document can still be read.
    with suppress(Exception):
        match kind:
            case "pdf":
                return _of_pdf(data)
            case "docx" | "pptx" | "xlsx":
                return _of_office(data)
            case "xls":
                import olefile

                with olefile.OleFileIO(io.BytesIO(data)) as package:
                    metadata = package.get_metadata()
                saved = metadata.last_saved_time or metadata.create_time
                return saved.date() if saved else None
            case "eml":
                sent = read_eml(data[:HEAD_BYTES]).date
                return parsedate_to_datetime(sent).date() if sent else None
            case "msg":
                from tasks.conversion.mail.msg_reader import read_msg

                sent = read_msg(file_name, data).date
                return parsedate_to_datetime(sent).date() if sent else None
    return None


def _of_office(data: bytes) -> date | None:
    with zipfile.ZipFile(io.BytesIO(data)) as package:
        if package.getinfo(_CORE).file_size > _MAX_CORE_BYTES:
            return None
        core = package.read(_CORE).decode("utf-8", "replace")
    found = next((match for pattern in _IN_CORE if (match := pattern.search(core))), None)
    return date.fromisoformat(found[1]) if found else None


def _of_pdf(data: bytes) -> date | None:
    from tasks.conversion.pdf.reader import read_dates

    found = next((match for told in read_dates(data) if (match := _IN_PDF.match(told))), None)
    return date(int(found[1]), int(found[2] or 1), int(found[3] or 1)) if found else None
