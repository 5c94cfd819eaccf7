"""Serialization of documents: to JSON for the cache and back, to rows of the lake's tables and back."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from itertools import chain
from typing import Any

import orjson

from tasks.conversion.document.assembly import PAGE_SEPARATOR, Assembly, PageBlocks
from tasks.conversion.document.page_labels import printed_labels
from tasks.conversion.document.spooled_bytes import Spool
from tasks.library_names import is_approved
from tasks.records import Box, Document, DocumentKind, Element, LineBox, Page, Quarantined, SourceFile

ROWS_VERSION = "1"
"""Version of the rows: raise it when a document would give other rows of ``pages``, ``elements`` or ``lines``."""
DATES = ("document_date", "file_date")
"""The date columns of the table ``documents``."""
_PAGE_COLUMNS = (
    "page_number",
    "sheet_name",
    "text_source",
    "label",
    "width_pt",
    "height_pt",
    "language",
    "uncomputed",
)
_ELEMENT_COLUMNS = ("kind", "text", "page_number", "section_path", "sheet_name", "row_number", "html")
_MOST_NAMED = 8
CHANGED = "its bytes while it was read"
CRASH = "a crash"
UNREAD = "whether it can be read"
"""Values of ``Quarantined.depends_on`` besides the limits of conversion."""


def to_json(document: Document | Quarantined) -> bytes:
    """Serialize a document or a quarantined file to JSON."""
    # Boxes and lines are named tuples, which orjson leaves to the caller.
    return orjson.dumps(document, default=tuple)


def assemble(
    source: SourceFile,
    kind: DocumentKind,
    pages: Iterable[PageBlocks],
    metadata_title: str | None = None,
    own_date: date | None = None,
) -> Iterator[bytes]:
    """Assemble a document from ``pages`` to JSON, in pieces: one page's records are freed before the next are made.

    Blocks without text are left out; no pages give a document with no text. All pages are consumed when it returns; the
    pieces are spooled until they are read. Raises Terminal where the disk has no room for a long document's spool.
    """
    assembly = Assembly(source, kind)
    text, records, elements, lines = Spool(), Spool(), Spool(), Spool()
    for page in pages:
        own = assembly.add(page)
        text.put(orjson.dumps(own.text)[1:-1])
        for field, told in ((records, [own.page]), (elements, own.elements), (lines, own.lines)):
            if told:
                field.put(b"," * (field.size_bytes > 0) + orjson.dumps(told)[1:-1])
    for spool in (text, records, elements, lines):
        # A full disk must raise here, where the caller can still report it.
        spool.flush()
    named = to_json(assembly.document(metadata_title, own_date)).removesuffix(
        b'"","pages":[],"elements":[],"lines":[]}'
    )
    heads = (named + b'"', b'","pages":[', b'],"elements":[', b'],"lines":[')
    spools = (text, records, elements, lines)
    return chain(*(chain((head,), spool.blocks()) for head, spool in zip(heads, spools, strict=True)), (b"]}",))


def from_json(raw: bytes) -> Document | Quarantined:
    """Read a document or a quarantined file from the JSON of :func:`to_json`."""
    fields: dict[str, Any] = orjson.loads(raw)
    if "reason" in fields:
        return Quarantined(**fields)
    told = fields.pop("document_date", None)
    pages = tuple(Page(**page) for page in fields.pop("pages"))
    elements = tuple(Element(**element | {"box": _box(element["box"])}) for element in fields.pop("elements"))
    lines = tuple(LineBox(page, start, end, Box(*box)) for page, start, end, box in fields.pop("lines"))
    document_date = date.fromisoformat(told) if told else None
    return Document(**fields, pages=pages, elements=elements, lines=lines, document_date=document_date)


def first_page_from_json(raw: bytes) -> Document | None:
    """The record of :func:`to_json`, of any version of the conversion, without all that is not of its first page; of
    one without pages, all of its text. None for a quarantined file.
    """
    fields: dict[str, Any] = orjson.loads(raw)
    if "reason" in fields:
        return None
    pages = [Page(one["page_number"], 0, one["end"] - one["start"], one["text_source"]) for one in fields["pages"][:1]]
    start = fields["pages"][0]["start"] if pages else 0
    named = {name: fields[name] for name in ("document_id", "file_name", "content_sha256", "kind", "title")}
    return Document(
        **named,
        text=fields["text"][start : start + pages[0].end if pages else None],
        pages=tuple(pages),
        elements=(),
        document_date=date.fromisoformat(fields["document_date"]) if fields.get("document_date") else None,
    )


def _box(raw: Sequence[float] | None) -> Box | None:
    return None if raw is None else Box(*raw)


def is_rendered(document: Document) -> bool:
    """Tell if the document's pages come from LibreOffice's layout."""
    return any(page.text_source == "rendered" for page in document.pages)


def day_of(row: Mapping[str, Any]) -> date | None:
    """The date of a document by its row of the table ``documents``: of its own metadata, else that of its file.

    For approved answers it is the file's date first: that of their import. None where both are unknown.
    """
    told, written = (row[name] for name in DATES)
    day: date | None = (written or told) if is_approved(row["file_name"]) else (told or written)
    return day


def document_row(
    corpus: str, source: str, document: Document | Quarantined, size_bytes: int, file_date: date | None = None
) -> dict[str, Any]:
    """The row of the table ``documents`` for a document or a quarantined file."""
    row: dict[str, Any] = {
        "corpus": corpus,
        "source": source,
        "document_id": document.document_id,
        "file_name": document.file_name,
        "content_sha256": document.content_sha256,
        "size_bytes": size_bytes,
        "file_date": file_date,
    }
    if isinstance(document, Quarantined):
        return row | {"status": "quarantined", "reason": document.reason}
    return row | {
        "status": "indexed",
        "reason": _unread(document) or None,
        "kind": document.kind,
        "title": document.title,
        "document_date": document.document_date,
        "page_count": len(document.pages),
        "word_count": len(document.text.split()),
        "page_labels": orjson.dumps(labels).decode() if (labels := printed_labels(document)) else None,
        "is_rendered": is_rendered(document),
    }


def _unread(document: Document) -> str:
    """The message on pages, pictures and formulas that could not be read, with the remedy; "" where all was read."""
    if document.kind not in ("pdf", "pptx"):
        return _uncomputed(document)
    unread = [page for page in document.pages if page.text_source == "none"]
    if not unread:
        return ""
    if document.kind == "pptx":
        remedy = "save it as .pdf, whose pages tesseract reads"
        return f"{document.file_name}: no text could be read on slide {_numbers(unread)}, of pictures: {remedy}"
    without = _numbers(page for page in unread if page.start == page.end)
    pictured = _numbers(page for page in unread if page.start < page.end)
    where = " and ".join([f"on p. {without}"] * bool(without) + [f"in the pictures on p. {pictured}"] * bool(pictured))
    remedy = "install tesseract, or where it is, scan them anew"
    return f"{document.file_name}: no text could be read {where}: {remedy}"


def _numbers(pages: Iterable[Page]) -> str:
    numbers = [str(page.page_number) for page in pages]
    return ", ".join(numbers[:_MOST_NAMED]) + f" and {len(numbers) - _MOST_NAMED} more" * (len(numbers) > _MOST_NAMED)


def _uncomputed(document: Document) -> str:
    counts = [(page.uncomputed, page.sheet_name) for page in document.pages if page.uncomputed]
    if not counts:
        return ""
    named = ", ".join(f"{count} of sheet {name!r}" for count, name in counts[:_MOST_NAMED])
    named += f" and those of {len(counts) - _MOST_NAMED} more sheets" * (len(counts) > _MOST_NAMED)
    return (
        f"{document.file_name}: formulas have no saved value ({named}), and are read as empty: open it in Excel or "
        "LibreOffice and save it"
    )


def page_rows(corpus: str, document: Document) -> Iterator[dict[str, Any]]:
    """The rows of the table ``pages``, in order."""
    for index, page in enumerate(document.pages):
        yield {
            **_of_part(corpus, document, page),
            "page_index": index,
            "text": document.text[page.start : page.end],
            **{name: getattr(page, name) for name in _PAGE_COLUMNS},
        }


def line_rows(corpus: str, document: Document) -> Iterator[dict[str, Any]]:
    """The rows of the table ``lines``, in order."""
    for line in document.lines:
        yield {**_of_part(corpus, document, line), "page_number": line.page_number, **_sides(line.box)}


def element_rows(corpus: str, document: Document) -> Iterator[dict[str, Any]]:
    """The rows of the table ``elements``, in order."""
    for index, element in enumerate(document.elements):
        yield {
            **_of_part(corpus, document, element),
            "element_index": index,
            **{name: getattr(element, name) for name in _ELEMENT_COLUMNS},
            **_sides(element.box),
        }


def _of_part(corpus: str, document: Document, part: Page | LineBox | Element) -> dict[str, Any]:
    return {
        "corpus": corpus,
        "document_id": document.document_id,
        "file_name": document.file_name,
        "start_offset": part.start,
        "end_offset": part.end,
    }


def _sides(box: Box | None) -> dict[str, float | None]:
    values = box or (None,) * 4
    return {f"{side}_pt": value for side, value in zip(Box._fields, values, strict=True)}


def documents_from_rows(
    documents: Sequence[Mapping[str, Any]],
    pages: Sequence[Mapping[str, Any]],
    elements: Sequence[Mapping[str, Any]],
    lines: Sequence[Mapping[str, Any]],
) -> Iterator[Document]:
    """Rebuild documents from their rows of the lake, except quarantined ones; no rows give no documents.

    They equal the converted documents to the character, so chunks cut from them are the same as those of a refresh.
    """
    pages_of, elements_of, lines_of = _by_document(pages), _by_document(elements), _by_document(lines)
    for row in documents:
        if row["status"] != "indexed":
            continue
        own_pages = pages_of[row["document_id"]]
        yield Document(
            document_id=row["document_id"],
            file_name=row["file_name"],
            content_sha256=row["content_sha256"],
            kind=row["kind"],
            title=row["title"],
            document_date=row["document_date"],
            text=PAGE_SEPARATOR.join(page["text"] for page in own_pages),
            pages=tuple(
                Page(
                    start=page["start_offset"],
                    end=page["end_offset"],
                    **{name: page[name] for name in _PAGE_COLUMNS},
                )
                for page in own_pages
            ),
            elements=tuple(
                Element(
                    start=element["start_offset"],
                    end=element["end_offset"],
                    box=_box_of(element),
                    **{name: element[name] for name in _ELEMENT_COLUMNS}
                    | {"section_path": element["section_path"] or ""},
                )
                for element in elements_of[row["document_id"]]
            ),
            lines=tuple(
                LineBox(line["page_number"], line["start_offset"], line["end_offset"], box)
                for line in lines_of[row["document_id"]]
                if (box := _box_of(line))
            ),
        )


def _box_of(row: Mapping[str, Any]) -> Box | None:
    return None if row["left_pt"] is None else Box(*(row[f"{side}_pt"] for side in Box._fields))


def _by_document(rows: Sequence[Mapping[str, Any]]) -> dict[str, list[Mapping[str, Any]]]:
    found: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
    for row in rows:
        found[row["document_id"]].append(row)
    return found
