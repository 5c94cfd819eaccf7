"""Office package normalization: makes templates, macro files, slide shows and strict files readable as documents.

Their parts are those of a document, but the libraries refuse them. Files with macros, templates and slide shows differ
from documents in one content type, "strict" files of ISO/IEC 29500 in the names of their namespaces. A whole Word file
that is embedded in another is declared with the content type of a document's text.
"""

from __future__ import annotations

import io
import re
import zipfile

_CONTENT_TYPES = "[Content_Types].xml"
_RELATIONS = "_rels/.rels"
_WORD = b"application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
_SLIDES = b"application/vnd.openxmlformats-officedocument.presentationml.presentation.main+xml"
_ORDINARY = (
    (re.compile(rb"application/vnd\.ms-word\.(?:document|template)\.macroEnabled(?:Template)?\.main\+xml"), _WORD),
    (re.compile(re.escape(_WORD).replace(b"document\\.main", b"template\\.main")), _WORD),
    (re.compile(rb"application/vnd\.ms-powerpoint\.(?:slideshow|template)\.macroEnabled\.main\+xml"), _SLIDES),
    (re.compile(re.escape(_SLIDES).replace(b"presentation\\.main", b"(?:slideshow|template)\\.main")), _SLIDES),
)
_WITHIN = re.compile(rb"<(?:Default|Override)\b[^>]*" + re.escape(_WORD) + rb"[^>]*>")
_NAMED = re.compile(rb"(?:PartName|Extension)=[\"']([^\"']*)")
_WHOLE_FILE = b"application/vnd.openxmlformats-officedocument.wordprocessingml.document"
_STRICT = re.compile(rb"http://purl\.oclc\.org/ooxml/(\w+)/")


def ordinary_package(data: bytes) -> bytes:
    """Rewrite an Office package as that of an ordinary document; most packages are ordinary and returned unchanged.

    Raises zipfile's errors where it is damaged.
    """
    with zipfile.ZipFile(io.BytesIO(data)) as package:
        types, relations = (_part(package, name) for name in (_CONTENT_TYPES, _RELATIONS))
        is_strict = _STRICT.search(relations) is not None
        plain = types
        for kind, ordinary in _ORDINARY:
            plain = kind.sub(ordinary, plain)
        plain = _WITHIN.sub(lambda declared: _as_whole_file(package, declared.group()), plain)
        if plain == types and not is_strict:
            return data
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as made:
            for part in package.infolist():
                raw = plain if part.filename == _CONTENT_TYPES else package.read(part)
                if is_strict and part.filename.endswith((".xml", ".rels")):
                    raw = _STRICT.sub(rb"http://schemas.openxmlformats.org/\1/2006/", raw)
                made.writestr(part.filename, raw)
        return out.getvalue()


def _as_whole_file(package: zipfile.ZipFile, declared: bytes) -> bytes:
    """Correct a content type declaration: a part or suffix that is a whole Word file gets the type of a file."""
    found = _NAMED.search(declared)
    name = found.group(1).decode("utf-8", "replace") if found else ""
    is_file = _part(package, name[1:])[:2] == b"PK" if name.startswith("/") else name.lower() in ("docx", "docm")
    return declared.replace(_WORD, _WHOLE_FILE) if is_file else declared


def _part(package: zipfile.ZipFile, name: str) -> bytes:
    return package.read(name) if name in package.namelist() else b""
