"""Limits on the unpacked size of an Office package.

The sizes that the package states are checked before any part is read."""

from __future__ import annotations

import zipfile
from collections.abc import Iterable
from typing import NamedTuple

from tasks.records import DocumentKind

MAX_UNPACKED_BYTES = 1 << 30
RATIO_FREE_BYTES = 1 << 24
_MARKUP = (".xml", ".rels", ".vml")


class _Limits(NamedTuple):
    """Limits for one XML part: its bytes, and the ratio of its unpacked to its packed bytes where it has more than
    ``free_bytes``.
    """

    size_bytes: int
    ratio: int
    free_bytes: int


_TREE = _Limits(1 << 27, 200, RATIO_FREE_BYTES)
"""Word and slide files are read as a tree, which takes some ten times their bytes. What people write unpacks at 10 to
50 to 1; one paragraph repeated over and over unpacks at more than 1,000 to 1 and uses up all the time that a file may
take."""
_ROWS = _Limits(MAX_UNPACKED_BYTES, 500, 1 << 25)
"""A workbook is read row by row. A million formatted rows are 70 MB at 25 to 1, or 250 to 1 where they hold no numbers.
Blanks give 1,000 to 1, and that many in a comment or an attribute take the parser as long as a file may take."""


def is_too_much(kind: DocumentKind, parts: Iterable[zipfile.ZipInfo], package_bytes: int) -> bool:
    """Tell if the parts of a package of that kind and size unpack to more than a document can hold; False for no parts.

    The stated sizes are not trusted in full: no part's packed size counts as more than the package, and a part that
    unpacks to more than it states is read up to the stated size by zipfile and then found damaged.
    """
    limits = _ROWS if kind == "xlsx" else _TREE
    unpacked_bytes = 0
    for part in parts:
        unpacked_bytes += part.file_size
        usual = max(limits.free_bytes, limits.ratio * min(part.compress_size, package_bytes))
        if part.filename.lower().endswith(_MARKUP) and part.file_size > min(limits.size_bytes, usual):
            return True
    return unpacked_bytes > MAX_UNPACKED_BYTES
