"""Files within a Word file (``altChunk``): Word shows what they say in their place, and a program that writes Word from
web pages puts all of its text there.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tasks.conversion.assembly import Block
from tasks.conversion.eml_reader import read_eml
from tasks.conversion.prose import read_prose
from tasks.conversion.text import decode_text

_R = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
_MAX_DEPTH = 3

ReadHtml = Callable[[str], list[Block]]
ReadDocx = Callable[[bytes, int], list[Block]]


def chunk_blocks(chunk: Any, part: Any, depth: int, read_html: ReadHtml, read_docx: ReadDocx) -> list[Block]:
    """The blocks of the file that ``chunk``, an ``altChunk`` of the package ``part``, stands for; none where it is not
    there. ``depth`` is in how many other such files it lies.

    Web pages, by themselves or packed as mail (MHT), plain text and Word files are read. Raises ValueError for any
    other, since what Word shows would be missing without a word.
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
