"""WordprocessingML: opening the package, the visible text of paragraphs, and new runs of text.

Elements are matched by local name, so that strict and transitional files read alike. Deleted text, hidden text, text
boxes and the prompts of empty content controls are not visible text.
"""

from __future__ import annotations

import copy
import io
import zipfile
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from lxml import etree

from tasks.errors import UsageError
from tasks.questionnaires.formats.package import parse_xml, read_parts, relations
from tasks.questionnaires.formats.safe_cell_text import clean_text

_XML_SPACE = "{http://www.w3.org/XML/1998/namespace}space"
_AROUND_RUNS = frozenset(
    ("hyperlink", "ins", "moveTo", "smartTag", "fldSimple", "customXml", "dir", "bdo", "sdt", "sdtContent")
)
LEAST_HALF_POINTS = 12
"""The smallest size of type, in half points, that is taken over from an empty place."""
_EMPHASIS = frozenset(("b", "bCs", "caps", "smallCaps", "u"))
_TRACKED = frozenset(("ins", "del", "moveFrom", "moveTo", "rPrChange"))


class WordPackage(NamedTuple):
    """An opened Word file: its parts by name, the name of its main part, and that part's root."""

    parts: Mapping[str, bytes]
    main: str
    root: Any

    def related(self, kind: str) -> Any | None:
        """The root of the first part that the main part relates to with this file name; None where it has none."""
        targets = relations(self.parts, self.main).values()
        found = next((one for one in targets if one in self.parts and one.endswith(f"/{kind}.xml")), None)
        return parse_xml(self.parts[found]) if found else None


def open_word(data: bytes, file_name: str) -> WordPackage:
    """Open a Word file. Raises UsageError, with the remedy, for an encrypted file and for another kind of package."""
    parts = read_parts(data, file_name)
    for target in (*relations(parts, "").values(), "word/document.xml"):
        if target in parts and name_of(root := parse_xml(parts[target])) == "document":
            return WordPackage(parts, target, root)
    raise UsageError(f"{file_name}: this is not a Word document. Save it as .docx and try again.")


def is_word(data: bytes) -> bool:
    """Tell if a package is a Word file, by the name of its main part; False for a damaged package."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return "word/document.xml" in archive.namelist()
    except zipfile.BadZipFile:
        return False


def name_of(element: Any) -> str:
    """The local name of an element; '' for a comment or processing instruction."""
    tag = element.tag
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""


def attribute(element: Any | None, name: str) -> str | None:
    """The attribute with this local name in any namespace; None where the element is None or lacks it."""
    if element is None:
        return None
    return next((value for key, value in element.attrib.items() if key.rpartition("}")[2] == name), None)


def is_on(element: Any | None) -> bool:
    """Tell if a switch such as ``w:b`` or ``w14:checked`` is there and not set to off."""
    return element is not None and (attribute(element, "val") or "1") in ("1", "true", "on")


def tagged(like: Any, name: str) -> str:
    """The tag ``name`` in the namespace of ``like``."""
    return f"{{{etree.QName(like).namespace}}}{name}"


def set_attribute(element: Any, name: str, value: str) -> None:
    """Set an attribute in the element's own namespace."""
    element.set(tagged(element, name), value)


def is_prompting(control: Any) -> bool:
    """Tell if a content control shows its prompt in place of a value."""
    return is_on(control.find("{*}sdtPr/{*}showingPlcHdr"))


def runs_of(element: Any, *, prompts: bool = False) -> Iterator[Any]:
    """The visible runs of a paragraph or another holder of runs, in order; with ``prompts`` also those of prompts."""
    for child in element.iterchildren():
        name = name_of(child)
        if name == "r":
            if not is_on(child.find("{*}rPr/{*}vanish")):
                yield child
        elif name in _AROUND_RUNS and (prompts or name != "sdt" or not is_prompting(child)):
            yield from runs_of(child, prompts=prompts)


def run_text(run: Any) -> str:
    """The text of a run; a tab and a line break as characters."""
    return "".join(map(_piece, run.iterchildren()))


def _piece(child: Any) -> str:
    name = name_of(child)
    if name == "t":
        return child.text or ""
    return {"tab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "-"}.get(name, "")


def paragraph_text(paragraph: Any) -> str:
    """The visible text of a paragraph."""
    return "".join(map(run_text, runs_of(paragraph)))


def paragraphs_of(holder: Any) -> Iterator[Any]:
    """The paragraphs of a cell or body, also those in content controls; not those of tables in it."""
    for child in holder.iterchildren():
        name = name_of(child)
        if name == "p":
            yield child
        elif name in ("sdt", "sdtContent", "customXml", "ins", "moveTo"):
            yield from paragraphs_of(child)


def controls_of(holder: Any) -> Iterator[Any]:
    """The content controls in a paragraph, cell or body, outermost first, not those of tables or drawings in it."""
    for child in holder.iterchildren():
        name = name_of(child)
        if name == "sdt":
            yield child
        if name in ("p", *_AROUND_RUNS):
            yield from controls_of(child)


def plain_properties(properties: Any | None) -> Any | None:
    """A copy of run properties without emphasis, prompt style and tracked changes: for text that a label precedes."""
    return _without(properties, _EMPHASIS | _TRACKED)


def place_properties(paragraph: Any) -> Any | None:
    """The run properties for new text in an empty paragraph: of its first run, else of its paragraph mark."""
    run = next(runs_of(paragraph, prompts=True), None)
    own = _without(run.find("{*}rPr") if run is not None else paragraph.find("{*}pPr/{*}rPr"), _TRACKED)
    if own is not None:
        # Programs shrink the mark of an empty cell so that its row stays low; nobody can read a text of that size.
        for size in own.xpath("*[local-name()='sz' or local-name()='szCs']"):
            if (value := attribute(size, "val") or "").isdigit() and int(value) < LEAST_HALF_POINTS:
                own.remove(size)
    return own


def _without(properties: Any | None, names: frozenset[str]) -> Any | None:
    if properties is None:
        return None
    kept = copy.deepcopy(properties)
    for child in list(kept):
        is_prompt = name_of(child) == "rStyle" and (attribute(child, "val") or "").casefold().startswith("placeholder")
        if name_of(child) in names or is_prompt:
            kept.remove(child)
    return kept if len(kept) else None


def new_run(like: Any, text: str, properties: Any | None) -> Any:
    """A run with the text in the namespace of ``like``; line ends become line breaks."""
    run = etree.Element(tagged(like, "r"))
    if properties is not None:
        run.append(copy.deepcopy(properties))
    run.extend(text_pieces(like, text))
    return run


def text_pieces(like: Any, text: str) -> list[Any]:
    """The elements for a text in a run: texts, and breaks between its lines."""
    pieces: list[Any] = []
    for number, line in enumerate(clean_text(text).split("\n")):
        if number:
            pieces.append(etree.Element(tagged(like, "br")))
        holder = etree.Element(tagged(like, "t"))
        holder.set(_XML_SPACE, "preserve")
        holder.text = line
        pieces.append(holder)
    return pieces


def replace_text(holder: Any, text: str) -> None:
    """Put the text in the place of a text element (``w:t``), with breaks between its lines; '' removes it."""
    for piece in text_pieces(holder, text) if text else ():
        holder.addprevious(piece)
    holder.getparent().remove(holder)
