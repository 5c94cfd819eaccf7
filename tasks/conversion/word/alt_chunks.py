"""Embedded files of a Word file (``altChunk``): Word shows their text in place, and programs that write Word from web
pages put all of the text there.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tasks.conversion.document.assembly import Block
from tasks.conversion.mail.eml_reader import read_eml
from tasks.conversion.plain_text.paragraphs import read_prose
from tasks.text.characters import decode_text

_R = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
_MAX_DEPTH = 3

ReadHtml = Callable[[str], list[Block]]
ReadDocx = Callable[[bytes, int], list[Block]]


def chunk_blocks(chunk: Any, part: Any, depth: int, read_html: ReadHtml, read_docx: ReadDocx) -> list[Block]:
    """Read the file that ``chunk``, an ``altChunk`` of the package ``part``, refers to; no blocks where it is not
    there.

    ``depth`` is the number of such files that it lies within. Web pages, by themselves or packed as mail (MHT), plain
    text and Word files are read. Raises ValueError for any other, since text that Word shows would be missing in
    silence.
    """
    relation = part.rels.get(chunk.get(_R + "id"))
    if relation is None or relation.is_external:
        return []
    kind, data = relation.target_part.content_type, relation.target_part.blob
    if "wordprocessingml" in kind and depth < _MAX_DEPTH:
        return read_docx(data, depth + 1)
    if kind == "message/rfc822":
        bodies = read_eml(data).bodies
        pages = [body.text for body in bodies if body.kind == "html"]
        return [block for page in pages for block in read_html(page)] or [
            block for body in bodies for block in read_prose(body.text)
        ]
    if kind in ("text/html", "application/xhtml+xml"):
        return read_html(decode_text(data).text)
    if kind == "text/plain":
        return list(read_prose(decode_text(data).text))
    raise ValueError(f"it holds a file of another kind ({kind})")
