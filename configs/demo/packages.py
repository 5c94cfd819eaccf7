"""Office files whose bytes depend on their contents alone.

A DOCX, PPTX or XLSX is a zip of parts, and its writers put the time of writing on each part and into the
properties.
"""

import io
import re
import zipfile
from datetime import date

_WRITTEN = re.compile(rb"(<dcterms:(?:created|modified)[^>]*>)[^<]*")


def seal(package: bytes, modified: date) -> bytes:
    """The package, its parts in the same order, each part and the properties dated `modified`, 9 o'clock."""
    stamp = f"{modified.isoformat()}T09:00:00Z".encode()
    sealed = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(package)) as old,
        zipfile.ZipFile(sealed, "w", zipfile.ZIP_DEFLATED) as new,
    ):
        for name in old.namelist():
            part = old.read(name)
            if name == "docProps/core.xml":
                part = _WRITTEN.sub(rb"\g<1>" + stamp, part)
            entry = zipfile.ZipInfo(name, (modified.year, modified.month, modified.day, 9, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            new.writestr(entry, part)
    return sealed.getvalue()
