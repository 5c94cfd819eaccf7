"""Documents as data: to JSON for the cache, to rows for the lake, and back from the lake."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from itertools import chain
from typing import Any

import orjson

from tasks.conversion.assembly import PAGE_SEPARATOR, Assembly, PageBlocks
from tasks.conversion.spool import Spool
from tasks.library.names import is_approved
from tasks.records import Box, Document, DocumentKind, Element, LineBox, Page, Quarantined, SourceFile

ROWS_VERSION = "1"
"""Changes whenever the same document would give other rows of ``pages``, ``elements`` or ``lines``."""
DATES = ("document_date", "file_date")
"""The columns of the table ``documents`` that hold a day."""
_ELEMENT_COLUMNS = ("kind", "text", "page_number", "section_path", "sheet_name", "row_number", "html")
_MOST_NAMED = 8
CHANGED = "its bytes while it was read"
CRASH = "a crash"
UNREAD = "whether it can be read"
"""What a quarantined file may depend on besides the limits of its conversion."""


def to_json(document: Document | Quarantined) -> bytes:
    """The record as JSON."""
    # Boxes and lines are named tuples, which orjson leaves to the caller.
    return orjson.dumps(document, default=tuple)


def assemble_to_json(
    source: SourceFile,
    kind: DocumentKind,
    pages: Iterable[PageBlocks],
    metadata_title: str | None = None,
    own_date: date | None = None,
) -> Iterator[bytes]:
    """The JSON of the document of ``pages``, in pieces: a page's records are gone before the next one's are made.

    All pages are done with when it returns; what they came to waits to be read. Raises Terminal where a long document
    finds no room to wait.
    """
    assembly = Assembly(source, kind, metadata_title, own_date)
    text, records, elements, lines = Spool(), Spool(), Spool(), Spool()
    for page in pages:
        own = assembly.add(page)
        text.put(orjson.dumps(own.text)[1:-1])
        for field, told in ((records, [own.page]), (elements, own.elements), (lines, own.lines)):
            if told:
                field.put(b"," * (field.size_bytes > 0) + orjson.dumps(told)[1:-1])
    for spool in (text, records, elements, lines):
        # Here there is someone to tell that there is no room for it.
        spool.flush()
    named = to_json(assembly.document("", (), (), ())).removesuffix(b'"","pages":[],"elements":[],"lines":[]}')
    return chain(
        (named, b'"'),
        text.blocks(),
        (b'","pages":[',),
        records.blocks(),
        (b'],"elements":[',),
        elements.blocks(),
        (b'],"lines":[',),
        lines.blocks(),
        (b"]}",),
    )


def from_json(raw: bytes) -> Document | Quarantined:
    """The record of :func:`to_json`."""
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
    """Whether its pages are those of LibreOffice's layout."""
    return any(page.text_source == "rendered" for page in document.pages)


def day_of(row: Mapping[str, Any]) -> date | None:
    """The day of a document by its row of the table ``documents``: the one that it tells itself, else that of its file;
    of approved answers, the one under which they were imported. None where nobody knows.
    """
    told, written = (row[name] for name in DATES)
    day: date | None = (written or told) if is_approved(row["file_name"]) else (told or written)
    return day


def document_row(
    corpus: str, source: str, document: Document | Quarantined, size_bytes: int, file_date: date | None = None
) -> dict[str, Any]:
    """The document's row of the table ``documents``."""
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
        "is_rendered": is_rendered(document),
    }


def _unread(document: Document) -> str:
    """Which pages of a PDF could not be read: pictures, for want of OCR or by it, or damaged; which of few words have
    pictures that were not; which slides are pictures; and which sheets have formulas without a value. "" where all was
    read.
    """
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
            "corpus": corpus,
            "document_id": document.document_id,
            "file_name": document.file_name,
            "page_index": index,
            "page_number": page.page_number,
            "sheet_name": page.sheet_name,
            "start_offset": page.start,
            "end_offset": page.end,
            "text": document.text[page.start : page.end],
            "text_source": page.text_source,
            "label": page.label,
            "width_pt": page.width_pt,
            "height_pt": page.height_pt,
            "language": page.language,
            "uncomputed": page.uncomputed,
        }


def line_rows(corpus: str, document: Document) -> Iterator[dict[str, Any]]:
    """The rows of the table ``lines``, in order."""
    for line in document.lines:
        yield {
            "corpus": corpus,
            "document_id": document.document_id,
            "file_name": document.file_name,
            "page_number": line.page_number,
            "start_offset": line.start,
            "end_offset": line.end,
            **_sides(line.box),
        }


def _sides(box: Box | None) -> dict[str, float | None]:
    values = box or (None,) * 4
    return {f"{side}_pt": value for side, value in zip(Box._fields, values, strict=True)}


def element_rows(corpus: str, document: Document) -> Iterator[dict[str, Any]]:
    """The rows of the table ``elements``, in order."""
    for index, element in enumerate(document.elements):
        yield {
            "corpus": corpus,
            "document_id": document.document_id,
            "file_name": document.file_name,
            "element_index": index,
            "start_offset": element.start,
            "end_offset": element.end,
            **{name: getattr(element, name) for name in _ELEMENT_COLUMNS},
            **_sides(element.box),
        }


def documents_from_rows(
    documents: Sequence[Mapping[str, Any]],
    pages: Sequence[Mapping[str, Any]],
    elements: Sequence[Mapping[str, Any]],
    lines: Sequence[Mapping[str, Any]],
) -> Iterator[Document]:
    """The documents that those rows of the lake describe, quarantined ones left out; no rows give none.

    They are what was converted, to the character: a chunk that is cut from them is the one that a refresh cuts.
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
                    p["page_number"],
                    p["start_offset"],
                    p["end_offset"],
                    p["text_source"],
                    p["sheet_name"],
                    p["label"],
                    p["width_pt"],
                    p["height_pt"],
                    p["language"],
                    p["uncomputed"],
                )
                for p in own_pages
            ),
            elements=tuple(
                Element(
                    kind=element["kind"],
                    text=element["text"],
                    start=element["start_offset"],
                    end=element["end_offset"],
                    page_number=element["page_number"],
                    section_path=element["section_path"] or "",
                    sheet_name=element["sheet_name"],
                    row_number=element["row_number"],
                    html=element["html"],
                    box=_box_of(element),
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
