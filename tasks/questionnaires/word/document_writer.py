"""Writer of answers into a Word file: only their places change, and the values that these are bound to."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable
from typing import Any

from lxml import etree

from tasks.questionnaires.formats.package import parse_xml
from tasks.questionnaires.word.check_boxes import Box
from tasks.questionnaires.word.form import WordForm
from tasks.questionnaires.word.markup import attribute, name_of
from tasks.questionnaires.word.places import BoxesPlace, ControlPlace, MarkPlace, Place

_MAPPING = re.compile(r"xmlns:([\w.-]+)\s*=\s*([\"'])(.*?)\2")


def write_answers(form: WordForm, texts: Iterable[tuple[tuple[str, int, int], str]]) -> dict[str, bytes]:
    """Write the texts to their places, by grid, row and column; returns the changed parts, none for no texts.

    A text without a place is left out. Each place can be written to once.
    """
    changed: dict[str, bytes] = {}
    stores: dict[str, Any] = {}
    for at, text in texts:
        place = form.places.get(at)
        if place is None or not text:
            continue
        place.write(text)
        for control, value in _bound(place):
            _bind(form, control, value, stores)
        changed[form.package.main] = b""
    if changed:
        changed[form.package.main] = _serialized(form.package.root)
    return changed | {part: _serialized(root) for part, root in stores.items()}


def _bound(place: Place) -> list[tuple[Any, str]]:
    """The content controls of a place whose values are bound to a part of custom XML, with their new values."""
    if isinstance(place, ControlPlace):
        return [(place.control, place.value)]
    if isinstance(place, BoxesPlace | MarkPlace):
        boxes: list[Box] = [one.box for one in place.boxes.choices if one.box.kind == "control"]
        return [(box.element, "true") for box in boxes if box.is_ticked]
    return []


def _bind(form: WordForm, control: Any, value: str, stores: dict[str, Any]) -> None:
    """Set the value in the custom XML that a control is bound to: Word shows that, and not the control's content."""
    binding = next((one for one in control.find("{*}sdtPr") if name_of(one) == "dataBinding"), None)
    if binding is None:
        return
    part = _store_of(form, attribute(binding, "storeItemID") or "")
    if part is None:
        return
    root = stores.get(part)
    if root is None:
        root = parse_xml(form.package.parts[part])
    namespaces = {prefix: uri for prefix, _, uri in _MAPPING.findall(attribute(binding, "prefixMappings") or "")}
    try:
        found = root.xpath(attribute(binding, "xpath") or "/*", namespaces=namespaces or None)
    except etree.XPathError:
        return
    node = found[0] if isinstance(found, list) and found else None
    if isinstance(node, etree._Element):
        node.text = value
    elif isinstance(node, str) and getattr(node, "is_attribute", False):
        node.getparent().set(node.attrname, value)  # type: ignore[attr-defined]
    else:
        return
    stores[part] = root


def _store_of(form: WordForm, store_id: str) -> str | None:
    """The part of custom XML with this id; None without one."""
    for name, data in form.package.parts.items():
        if re.fullmatch(r"customXml/itemProps\d*\.xml", name) is None:
            continue
        if (attribute(parse_xml(data), "itemID") or "").casefold() != store_id.casefold():
            continue
        for rels, xml in form.package.parts.items():
            if posixpath.dirname(rels) == "customXml/_rels" and posixpath.basename(name).encode() in xml:
                part = f"customXml/{posixpath.basename(rels).removesuffix('.rels')}"
                return part if part in form.package.parts else None
    return None


def _serialized(root: Any) -> bytes:
    tree = root.getroottree()
    return bytes(etree.tostring(tree, xml_declaration=True, encoding="UTF-8", standalone=tree.docinfo.standalone))
