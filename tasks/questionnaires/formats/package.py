"""Zip package of an XLSX workbook: reading its sheets, shared strings and names, and replacing single parts."""

from __future__ import annotations

import io
import posixpath
import re
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote

from lxml import etree

from tasks.errors import UsageError

MAX_UNPACKED_BYTES = 256 * 1024 * 1024
_DAMAGE = (
    zipfile.BadZipFile,
    zlib.error,
    etree.XMLSyntaxError,
    LookupError,
    ValueError,
    TypeError,  # raised by lxml for a missing attribute
    EOFError,
    NotImplementedError,
)
_ESCAPE = re.compile(r"_x([0-9A-Fa-f]{4})_")


@dataclass(frozen=True, slots=True)
class SheetPart:
    """A sheet: its name, the part that holds it, and if the customer hid it."""

    name: str
    part: str
    hidden: bool


@dataclass(frozen=True, slots=True)
class Workbook:
    """An opened package.

    ``defined_names`` has ``name`` or ``sheet!name``, in lower case, to formula; ``wrapping``, ``bold`` and
    ``unlocked`` have the style indices (``s``) whose cells wrap their text, are bold, and may be written to in a
    protected sheet. ``links`` are the names of the other workbooks that formulas read, in the order of their numbers:
    ``[1]`` is the first.
    """

    parts: Mapping[str, bytes]
    sheets: tuple[SheetPart, ...]
    shared_strings: tuple[str, ...]
    defined_names: Mapping[str, str]
    wrapping: frozenset[int]
    bold: frozenset[int] = frozenset()
    unlocked: frozenset[int] = frozenset()
    links: tuple[str, ...] = ()


def parse_xml(data: bytes) -> Any:
    """Parse XML safely to its root element: no entity is resolved, no file or network is touched,
    no huge tree is accepted.
    """
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)
    return etree.fromstring(data, parser)


def open_workbook(data: bytes, file_name: str) -> Workbook:
    """Open the workbook in ``data``. Raises UsageError, with the remedy, for other formats and encrypted files.

    Errors of a damaged package, here or later, are for :func:`refusing_damage`.
    """
    parts = read_parts(data, file_name)
    workbook_part = _workbook_part(parts, file_name)
    root = parse_xml(parts[workbook_part])
    targets = relations(parts, workbook_part)
    elements = root.findall(".//{*}sheets/{*}sheet")
    sheets = tuple(
        SheetPart(element.get("name", ""), targets[rid], element.get("state", "visible") != "visible")
        for element in elements
        for rid in (value for name, value in element.attrib.items() if name.endswith("relationships}id"))
        if targets.get(rid) in parts
    )
    names = {}
    for element in root.iterfind(".//{*}definedNames/{*}definedName"):
        local = element.get("localSheetId")
        prefix = f"{elements[int(local)].get('name')}!" if local else ""
        names[f"{prefix}{element.get('name', '')}".casefold()] = element.text or ""
    by_name = {posixpath.basename(part).casefold(): parts[part] for part in targets.values() if part in parts}
    strings = by_name.get("sharedstrings.xml")
    shared = tuple(map(string_text, parse_xml(strings).iterfind("{*}si"))) if strings else ()
    styles = by_name.get("styles.xml")
    rids = (
        value
        for element in root.iterfind("{*}externalReferences/{*}externalReference")
        for name, value in element.attrib.items()
        if name.endswith("relationships}id")
    )
    links = tuple(_linked_name(parts, targets.get(rid, "")) for rid in rids)
    return Workbook(parts, sheets, shared, names, *_styles(styles), links)


@contextmanager
def refusing_damage(
    file_name: str, kind: str = "workbook", program: str = "Excel", suffix: str = ".xlsx"
) -> Iterator[None]:
    """Turn errors from reading a damaged package into a UsageError with the remedy."""
    try:
        yield
    except _DAMAGE as error:
        raise UsageError(
            f"{file_name}: the {kind} is damaged ({error}). Open it in {program} or LibreOffice, "
            f"let it repair the file, save it as {suffix} and try again."
        ) from error


def replace_parts(data: bytes, changed: Mapping[str, bytes]) -> bytes:
    """The package with the ``changed`` parts replaced; every other part keeps its bytes, name and place."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as source, zipfile.ZipFile(out, "w") as target:
        for old in source.infolist():
            # A fresh record: the old one carries sizes, flags and zip64 fields of the old bytes.
            new = zipfile.ZipInfo(old.filename, old.date_time)
            stored = old.compress_type == zipfile.ZIP_STORED
            new.compress_type = zipfile.ZIP_STORED if stored else zipfile.ZIP_DEFLATED
            new.external_attr = old.external_attr
            new.create_system = old.create_system
            target.writestr(new, changed.get(old.filename, source.read(old)))
    return out.getvalue()


def string_text(element: Any) -> str:
    """The text of a string item, its rich runs joined; phonetic hints are left out."""
    runs = (node.text or "" for node in element.iter("{*}t") if etree.QName(node.getparent()).localname != "rPh")
    text = _ESCAPE.sub(lambda found: chr(int(found[1], 16)), "".join(runs))
    # Two escapes may be the halves of one character.
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def read_parts(data: bytes, file_name: str) -> dict[str, bytes]:
    """The parts of a package by name. Raises UsageError for an encrypted package and one that unpacks too large."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        if any(info.flag_bits & 1 for info in archive.infolist()):
            raise UsageError(f"{file_name}: the file is encrypted. Remove its password and save it again.")
        size_bytes = sum(info.file_size for info in archive.infolist())
        if size_bytes > MAX_UNPACKED_BYTES:
            raise UsageError(
                f"{file_name}: it unpacks to {size_bytes} bytes, and at most {MAX_UNPACKED_BYTES} are read. "
                "Delete pictures and sheets that are not part of the questionnaire."
            )
        return {info.filename: archive.read(info) for info in archive.infolist()}


def _workbook_part(parts: Mapping[str, bytes], file_name: str) -> str:
    for target in (*relations(parts, "").values(), "xl/workbook.xml"):
        if target in parts and etree.QName(parse_xml(parts[target])).localname == "workbook":
            return target
    if "xl/workbook.bin" in parts:
        raise UsageError(f"{file_name}: this is a binary workbook (.xlsb). Save it as .xlsx and try again.")
    if "word/document.xml" in parts:
        raise UsageError(f"{file_name}: this is a Word document. Copy its question table to an .xlsx or .csv file.")
    if "content.xml" in parts:
        raise UsageError(
            f"{file_name}: this is an OpenDocument file. Save it as .xlsx and try again; where LibreOffice is "
            "installed, a file whose name ends in .ods is converted."
        )
    raise UsageError(f"{file_name}: this is not an Excel workbook. Save it as .xlsx or .csv and try again.")


def relations(parts: Mapping[str, bytes], part: str) -> dict[str, str]:
    """The XML parts that a part relates to, by relation id; of the package itself for the part ''."""
    folder, name = posixpath.split(part)
    xml = parts.get(posixpath.join(folder, "_rels", f"{name}.rels"))
    if xml is None:
        return {}
    return {
        element.get("Id", ""): posixpath.normpath(posixpath.join("/", folder, element.get("Target", ""))).lstrip("/")
        for element in parse_xml(xml)
        if isinstance(element.tag, str)
        and element.get("TargetMode") != "External"
        and element.get("Target", "").casefold().endswith(".xml")
    }


def _linked_name(parts: Mapping[str, bytes], link: str) -> str:
    """The name of the file that an external link's part leads to, without its folder; "" where none is stated."""
    folder, name = posixpath.split(link)
    xml = parts.get(posixpath.join(folder, "_rels", f"{name}.rels"))
    targets = (element.get("Target", "") for element in parse_xml(xml).iterfind("{*}Relationship")) if xml else ()
    return unquote(re.split(r"[/\\]", next(iter(targets), ""))[-1])


def _styles(xml: bytes | None) -> tuple[frozenset[int], frozenset[int], frozenset[int]]:
    """The style indices whose cells wrap, are bold, and are unlocked."""
    root = parse_xml(xml) if xml else None
    formats = root.findall("{*}cellXfs/{*}xf") if root is not None else []
    fonts = root.findall("{*}fonts/{*}font") if root is not None else []
    heavy = {str(at) for at, font in enumerate(fonts) if _is_on(font.find("{*}b"), "val", default=True)}
    wrapping, bold, unlocked = set(), set(), set()
    for number, style in enumerate(formats):
        if _is_on(style.find("{*}alignment"), "wrapText"):
            wrapping.add(number)
        if style.get("fontId") in heavy:
            bold.add(number)
        protection = style.find("{*}protection")
        if protection is not None and not _is_on(protection, "locked", default=True):
            unlocked.add(number)
    return frozenset(wrapping), frozenset(bold), frozenset(unlocked)


def _is_on(element: Any, name: str, *, default: bool = False) -> bool:
    """Tell if an element has an attribute that says true; ``default`` for an element without it."""
    if element is None:
        return False
    value = element.get(name)
    return default if value is None else value in ("1", "true", "on")
