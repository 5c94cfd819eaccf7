"""Seals of stored files: a digest over a file's path and content at its end, by which every reader sees damage.

JSON and NPZ files end with it as white space, one space or tab a bit, which their readers pass over. Parquet keeps its
path in its metadata and a checksum for each page.
"""

from __future__ import annotations

import io
import json
import re
from collections.abc import Sequence
from hashlib import sha256
from zipfile import BadZipFile, ZipFile

PATH = b"bidfolio.path"
"""The metadata key of a Parquet file for its path below the home."""
_BITS = 128
_SEAL = re.compile(rb"\n[ \t]{%d}\Z" % _BITS)
_SUFFIXES = (".json", ".npz")


def is_sealed(parts: Sequence[str]) -> bool:
    """Tell if a file of that path has a seal at its end."""
    return parts[-1].endswith(_SUFFIXES)


def with_seal(raw: bytes, parts: Sequence[str]) -> bytes:
    """The content of the file at that path, followed by its seal."""
    return raw + _seal(raw, parts)


def without_seal(raw: bytes, parts: Sequence[str]) -> bytes:
    """The content of a sealed file.

    A file of an older bidfolio has no seal: it is taken where it is whole JSON or NPZ, with nothing behind. Raises
    ValueError, with the reason, where the bytes are not those that were written to that path.
    """
    if not raw:
        raise ValueError("it is empty")
    if _SEAL.search(raw):
        content = raw[: -_BITS - 1]
        if raw[-_BITS - 1 :] != _seal(content, parts):
            raise ValueError("its content is not what was written")
        return content
    try:
        if raw[-1:].isspace():
            raise ValueError("its end is gone")
        if parts[-1].endswith(".npz"):
            with ZipFile(io.BytesIO(raw)) as found:
                if spoilt := found.testzip():
                    raise ValueError(f"{spoilt} in it is not what was written")
        else:
            json.loads(raw)
    except (BadZipFile, ValueError) as error:
        raise ValueError(str(error).splitlines()[0] or "it cannot be read") from error
    return raw


def _seal(content: bytes, parts: Sequence[str]) -> bytes:
    digest = sha256("/".join(parts).encode() + b"\0")
    digest.update(content)
    number = int.from_bytes(digest.digest()[: _BITS // 8])
    return b"\n" + f"{number:0{_BITS}b}".encode().translate(bytes.maketrans(b"01", b" \t"))
