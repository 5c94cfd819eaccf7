"""Outlook messages (.msg) by a small writer: MS-CFB with 512-byte sectors, MS-OXMSG on top."""

from __future__ import annotations

import datetime as dt
import io
import struct
from collections.abc import Sequence
from typing import Any

SECTOR, MINI = 512, 64
MINI_LIMIT = 4096
FREE, END, FAT = 0xFFFFFFFF, 0xFFFFFFFE, 0xFFFFFFFD
Tree = dict[str, Any]
"""Streams are bytes, storages are trees."""


def make_msg(
    subject: str,
    body: str = "",
    html: bytes = b"",
    rtf: bytes = b"",
    sender: tuple[str, str] = ("", ""),
    to: Sequence[tuple[str, str]] = (),
    cc: Sequence[tuple[str, str]] = (),
    attachments: Sequence[tuple[str, bytes]] = (),
    inner: Sequence[bytes] = (),
) -> bytes:
    """The bytes of an MSG file sent on 2 March 2026 at 08:30 UTC; ``inner`` are other such files, attached to it."""
    tree = message_tree(subject, body, html, rtf, sender, to, cc, attachments, inner)
    return compound_file(tree)


def message_tree(
    subject: str,
    body: str,
    html: bytes,
    rtf: bytes,
    sender: tuple[str, str],
    to: Sequence[tuple[str, str]],
    cc: Sequence[tuple[str, str]],
    attachments: Sequence[tuple[str, bytes]],
    inner: Sequence[bytes],
) -> Tree:
    sent = dt.datetime(2026, 3, 2, 8, 30) - dt.datetime(1601, 1, 1)
    texts = {0x0037: subject, 0x1000: body, 0x0C1A: sender[0], 0x0C1F: sender[1]}
    blobs = {0x1013: html, 0x1009: rtf}
    tree = properties(32, texts, blobs, {0x3FDE: 1252}, {0x0039: int(sent.total_seconds()) * 10_000_000})
    people = [(1, one) for one in to] + [(2, one) for one in cc]
    for index, (kind, (name, address)) in enumerate(people):
        tree[f"__recip_version1.0_#{index:08X}"] = properties(8, {0x3001: name, 0x3003: address}, {}, {0x0C15: kind})
    for index, (name, data) in enumerate(attachments):
        tree[f"__attach_version1.0_#{index:08X}"] = properties(8, {0x3707: name}, {0x3701: data}, {0x3705: 1})
    for index, other in enumerate(inner, start=len(attachments)):
        storage = properties(8, {0x3707: ""}, {}, {0x3705: 5})
        within = tree_of(other)
        # An inner message's header is 8 bytes shorter.
        within["__properties_version1.0"] = within["__properties_version1.0"][8:]
        storage["__substg1.0_3701000D"] = within
        tree[f"__attach_version1.0_#{index:08X}"] = storage
    return tree


def properties(
    header_bytes: int,
    texts: dict[int, str],
    blobs: dict[int, bytes],
    numbers: dict[int, int],
    times: dict[int, int] | None = None,
) -> Tree:
    tree: Tree = {}
    entries = [struct.pack("<HHIQ", 0x0003, pid, 6, value) for pid, value in numbers.items()]
    entries += [struct.pack("<HHIQ", 0x0040, pid, 6, value) for pid, value in (times or {}).items()]
    streams = {(pid, 0x001F): text.encode("utf-16-le") for pid, text in texts.items() if text}
    streams |= {(pid, 0x0102): blob for pid, blob in blobs.items() if blob}
    for (pid, kind), raw in streams.items():
        tree[f"__substg1.0_{pid:04X}{kind:04X}"] = raw
        entries.append(struct.pack("<HHIQ", kind, pid, 6, len(raw)))
    tree["__properties_version1.0"] = bytes(header_bytes) + b"".join(entries)
    return tree


def tree_of(data: bytes) -> Tree:
    import olefile

    tree: Tree = {}
    with olefile.OleFileIO(io.BytesIO(data)) as package:
        for path in package.listdir():
            branch = tree
            for folder in path[:-1]:
                branch = branch.setdefault(folder, {})
            branch[path[-1]] = package.openstream(path).read()
    return tree


def compound_file(tree: Tree) -> bytes:
    """The tree as a compound file. Siblings form a list by their right-hand links, which readers accept."""
    entries: list[dict[str, Any]] = [{"name": "Root Entry", "type": 5, "data": b"", "child": FREE, "right": FREE}]

    def add(branch: Tree, parent: int) -> None:
        before: int | None = None
        for name in sorted(branch, key=lambda n: (len(n), n.upper())):
            value, at = branch[name], len(entries)
            is_storage = isinstance(value, dict)
            data = b"" if is_storage else value
            entries.append({"name": name, "type": 1 if is_storage else 2, "data": data, "child": FREE, "right": FREE})
            if before is None:
                entries[parent]["child"] = at
            else:
                entries[before]["right"] = at
            before = at
            if is_storage:
                add(value, at)

    add(tree, 0)
    sectors: list[bytes] = []
    fat: list[int] = []

    def chain(raw: bytes) -> int:
        if not raw:
            return END
        first = len(sectors)
        blocks = [raw[i : i + SECTOR].ljust(SECTOR, b"\x00") for i in range(0, len(raw), SECTOR)]
        sectors.extend(blocks)
        fat.extend([*range(first + 1, first + len(blocks)), END])
        return first

    mini = bytearray()
    mini_fat: list[int] = []
    for entry in entries[1:]:
        raw = entry["data"]
        if 0 < len(raw) < MINI_LIMIT:
            entry["start"] = len(mini_fat)
            count = -(-len(raw) // MINI)
            mini_fat += [*range(entry["start"] + 1, entry["start"] + count), END]
            mini += raw.ljust(count * MINI, b"\x00")
        else:
            entry["start"] = chain(raw) if entry["type"] == 2 else 0
    entries[0]["data"], entries[0]["start"] = bytes(mini), chain(bytes(mini))
    mini_start = chain(struct.pack(f"<{len(mini_fat)}I", *mini_fat).ljust(-(-len(mini_fat) // 128) * SECTOR, b"\xff"))
    directory = b"".join(
        (e["name"].encode("utf-16-le") + b"\x00\x00").ljust(64, b"\x00")
        + struct.pack("<HBBIII", 2 * len(e["name"]) + 2, e["type"], 1, FREE, e["right"], e["child"])
        + bytes(36)
        + struct.pack("<IQ", e["start"], len(e["data"]))
        for e in entries
    )
    directory_start = chain(directory)
    fat_count = 1
    while (len(fat) + fat_count) > fat_count * 128:
        fat_count += 1
    assert fat_count <= 109, "too large for this writer"
    fat_start = len(sectors)
    fat += [FAT] * fat_count
    table = struct.pack(f"<{len(fat)}I", *fat).ljust(fat_count * SECTOR, b"\xff")
    sectors += [table[i : i + SECTOR] for i in range(0, len(table), SECTOR)]
    header = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(16) + struct.pack("<HHHHH", 0x3E, 3, 0xFFFE, 9, 6) + bytes(6)
    header += struct.pack(
        "<IIIIIIIII", 0, fat_count, directory_start, 0, MINI_LIMIT, mini_start, -(-len(mini_fat) // 128), END, 0
    )
    header += struct.pack("<109I", *range(fat_start, fat_start + fat_count), *[FREE] * (109 - fat_count))
    assert len(header) == SECTOR
    return header + b"".join(sectors)
