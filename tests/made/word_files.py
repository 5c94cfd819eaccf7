"""Word files with footnotes, and paragraphs of given runs as conversion reads them."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping

import docx
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls

from tests.made.conversions import convert_bytes

_TYPE = "application/vnd.openxmlformats-officedocument.wordprocessingml.footnotes+xml"
_RELATION = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/footnotes"


def with_footnotes(data: bytes, notes: Mapping[str, str]) -> bytes:
    """The Word file with a note after each of those texts, each of which is a run of its own."""
    with zipfile.ZipFile(io.BytesIO(data)) as package:
        parts = {name: package.read(name) for name in package.namelist()}
    said = ""
    for number, (text, note) in enumerate(notes.items(), start=2):
        run = f"<w:t>{text}</w:t></w:r>".encode()
        assert run in parts["word/document.xml"]
        referred = run + f'<w:r><w:footnoteReference w:id="{number}"/></w:r>'.encode()
        parts["word/document.xml"] = parts["word/document.xml"].replace(run, referred, 1)
        runs = f"<w:r><w:footnoteRef/></w:r><w:r><w:t>{note}</w:t></w:r>"
        said += f'<w:footnote w:id="{number}"><w:p>{runs}</w:p></w:footnote>'
    parts["word/footnotes.xml"] = f'<?xml version="1.0"?><w:footnotes {nsdecls("w")}>{said}</w:footnotes>'.encode()
    for name, closing, added in (
        ("[Content_Types].xml", b"</Types>", f'<Override PartName="/word/footnotes.xml" ContentType="{_TYPE}"/>'),
        (
            "word/_rels/document.xml.rels",
            b"</Relationships>",
            f'<Relationship Id="rIdNotes" Type="{_RELATION}" Target="footnotes.xml"/>',
        ),
    ):
        parts[name] = parts[name].replace(closing, added.encode() + closing)
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as package:
        for name, raw in parts.items():
            package.writestr(name, raw)
    return out.getvalue()


NAMES = (
    'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" '
    'xmlns:w14="http://schemas.microsoft.com/office/word/2010/wordml"'
)


def read_paragraph(*parts: str) -> str:
    """The text read from a paragraph of these runs; a run that is no XML is text."""
    runs = "".join(one if one.startswith("<") else f'<w:r><w:t xml:space="preserve">{one}</w:t></w:r>' for one in parts)
    document = docx.Document()
    document.element.body.insert(0, parse_xml(f"<w:p {NAMES}>{runs}</w:p>"))
    out = io.BytesIO()
    document.save(out)
    return convert_bytes("form.docx", out.getvalue()).text
