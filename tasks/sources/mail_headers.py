"""Headers of a mail, by which a file is known as one."""

from __future__ import annotations

import re

from tasks.text.characters import decode_text

HEAD_BYTES = 1 << 14
"""Number of bytes at the beginning of a file in which a mail's headers are looked for."""

FEW_HEADERS, SEVERAL_HEADERS = 1, 3
_HEADER = re.compile(rb"([!-9;-~]{1,60})[ \t]*:")
_TRAVEL = frozenset({"message-id", "received", "mime-version", "return-path", "delivered-to"})
_KNOWN = _TRAVEL | {"from", "to", "cc", "date", "subject", "reply-to", "sender"}
_BLANKS = b"\xef\xbb\xbf\r\n\t "


def looks_like_mail(data: bytes, at_least: int = SEVERAL_HEADERS, travelled: bool = False) -> bool:
    """Tell if ``data`` begins with ``at_least`` different headers of a mail.

    With ``travelled``, one of them must be a header that only programs write, such as ``Message-ID``.
    """
    found: set[str] = set()
    for line in plain_start(data[:HEAD_BYTES]).splitlines():
        name = _HEADER.match(line)
        if name:
            found.add(name.group(1).decode().lower())
        elif not found or line[:1] not in (b" ", b"\t"):
            break
    return len(found & _KNOWN) >= at_least and (not travelled or bool(found & _TRAVEL))


def plain_start(data: bytes) -> bytes:
    """``data`` from its first header on, without a byte order mark, blanks or an mbox line; UTF-16/32 as UTF-8."""
    if decode_text(data[:4096]).encoding.startswith(("utf-16", "utf-32")):
        data = decode_text(data).text.encode("utf-8", "replace")
    data = data.lstrip(_BLANKS)
    return data.partition(b"\n")[2] if data.startswith(b"From ") else data
