"""Differences between two Word files: the parts that changed, and what went from and came into one of them."""

from __future__ import annotations

import io
import zipfile
from difflib import SequenceMatcher
from typing import Any

from lxml import etree


def changed_parts(before: bytes, after: bytes) -> list[str]:
    """The parts whose bytes differ; fails where parts were added, lost, renamed or reordered."""
    with zipfile.ZipFile(io.BytesIO(before)) as old, zipfile.ZipFile(io.BytesIO(after)) as new:
        assert old.namelist() == new.namelist()
        return [name for name in old.namelist() if old.read(name) != new.read(name)]


def part_of(data: bytes, name: str = "word/document.xml") -> bytes:
    """The bytes of a part."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return archive.read(name)


def differences(before: bytes, after: bytes, name: str = "word/document.xml") -> tuple[list[str], list[str]]:
    """What went from a part and what came into it: start tags with attributes and texts, in document order."""
    old, new = (list(_flat(etree.fromstring(part_of(data, name)))) for data in (before, after))
    gone: list[str] = []
    came: list[str] = []
    for kind, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind != "equal":
            gone += old[a:b]
            came += new[c:d]
    return gone, came


def _flat(element: Any) -> list[str]:
    name = etree.QName(element).localname
    found = " ".join(f"{etree.QName(key).localname}={value}" for key, value in sorted(element.attrib.items()))
    flat = [f"<{name} {found}".strip()]
    if element.text:
        flat.append(element.text)
    for child in element:
        flat += _flat(child)
        if child.tail:
            flat.append(child.tail)
    return [*flat, f"</{name}"]
