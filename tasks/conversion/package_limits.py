"""How much the parts of an Office package may unpack to, by what it states of them: it is told before any is read."""

from __future__ import annotations

import zipfile
from collections.abc import Iterable
from typing import NamedTuple

from tasks.records import DocumentKind

MAX_UNPACKED_BYTES = 1 << 30
RATIO_FREE_BYTES = 1 << 24
_MARKUP = (".xml", ".rels", ".vml")


class _Limits(NamedTuple):
    """Of one part of XML: its bytes, and its unpacked over its packed bytes where it has more than ``free_bytes``."""

    size_bytes: int
    ratio: int
    free_bytes: int


_TREE = _Limits(1 << 27, 200, RATIO_FREE_BYTES)
"""Word and slide files are read as a tree, which takes some ten times its bytes. What people write gives 10 to 50, one
paragraph over and over 1,000, and costs all of the time that a file may take."""
_ROWS = _Limits(MAX_UNPACKED_BYTES, 500, 1 << 25)
"""A workbook is read row by row, and a million formatted rows are 70 MB at 25 to 1, or 250 to 1 where they say no
numbers. Blanks give 1,000, and the parser takes as long as it may for as many in a comment or an attribute."""


def is_too_much(kind: DocumentKind, parts: Iterable[zipfile.ZipInfo], package_bytes: int) -> bool:
    """Whether the parts of a package of that kind and size are more than a document can hold; False for none.

    What they state is not all believed: none is packed to more than the package, and one that states to unpack to less
    than it does is read so far by zipfile, and then found damaged.
    """
    limits = _ROWS if kind == "xlsx" else _TREE
    unpacked_bytes = 0
    for part in parts:
        unpacked_bytes += part.file_size
        if part.filename.lower().endswith(_MARKUP) and _is_bomb(part, limits, package_bytes):
            return True
    return unpacked_bytes > MAX_UNPACKED_BYTES


def _is_bomb(part: zipfile.ZipInfo, limits: _Limits, package_bytes: int) -> bool:
    if part.file_size > limits.size_bytes:
        return True
    return part.file_size > max(limits.free_bytes, limits.ratio * min(part.compress_size, package_bytes))
