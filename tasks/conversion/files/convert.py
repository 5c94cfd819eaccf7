"""Conversion of a file's bytes to a :class:`~tasks.records.Document`: detect its kind, read it, assemble its text."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple, Protocol

from tasks.conversion.document.assembly import Block, PageBlocks
from tasks.conversion.document.serialization import assemble, from_json
from tasks.conversion.files.file_dates import own_date
from tasks.conversion.files.reconversion import INSTALL_OCR
from tasks.conversion.html.table_rows import as_printed, as_read, unmarked
from tasks.conversion.layout.headers_and_footers import find_bodies, is_in_upper_half
from tasks.conversion.layout.page import PageReader, PdfContent, PrintedPage
from tasks.conversion.layout.page_serialization import opened
from tasks.conversion.layout.paragraphs import build_blocks
from tasks.conversion.mail.eml_reader import read_eml
from tasks.conversion.mail.mail import Mail, mail_pages
from tasks.conversion.office.package_types import ordinary_package
from tasks.conversion.plain_text.paragraphs import loosen_markdown, part_front_matter, read_prose
from tasks.conversion.sheets.reader import Sheet
from tasks.conversion.sheets.row_blocks import read_rows
from tasks.conversion.word.rendered_pages import place_blocks
from tasks.errors import BidfolioError, ConversionError
from tasks.records import Document, DocumentKind, SourceFile
from tasks.sources.file_types import detect_kind
from tasks.spreadsheets.evidence_workbooks import is_evidence
from tasks.text.characters import clean_block, decode_text

_STANDING_IN = {
    "If this message is not eventually replaced by the proper contents": "a form that Adobe's programs alone show; "
    "print it to a PDF there",
    "open this PDF portfolio": "a portfolio, whose files are in it; save each of them on its own",
}
"""Placeholder texts to reasons: the only page that most viewers show of a dynamic form (XFA) or a portfolio."""
_MOST_STANDING_IN = 1000
_HIDDEN_SHEETS = " on a sheet that is shown; what is hidden is not read, nor are pictures"
_WHERE: dict[DocumentKind, str] = {
    "xlsx": _HIDDEN_SHEETS,
    "xls": _HIDDEN_SHEETS,
    "pptx": " on a slide that is shown; what is hidden is not read",
    "docx": "; where it holds pictures of text, save it as .pdf, whose pages tesseract reads",
}


class OfficeReader(Protocol):
    """Protocol of a reader of office files and mark-up, to pages and a title;
    ``tasks.conversion.office.unstructured_reader`` implements it.
    """

    def read_docx(self, data: bytes, /) -> tuple[list[PageBlocks], str]:
        """The pages of a Word file. Repeated cells of its tables are marked as in ``table_rows``."""
        ...

    def read_pptx(self, data: bytes, /) -> tuple[list[PageBlocks], str]:
        """A page for each slide."""
        ...

    def read_html(self, text: str, /) -> tuple[list[PageBlocks], str]:
        """A single page with no number."""
        ...

    def read_markdown(self, text: str, /) -> list[PageBlocks]:
        """A single page with no number."""
        ...


Renderer = Callable[[bytes], bytes | None]
"""Function that lays out a Word file: the PDF of its bytes, or None where that fails."""


class Readers(NamedTuple):
    """The readers that conversion uses; OCR and the renderer are None where they are not installed.

    ``printed`` are the pages of a PDF that other processes have read already.
    """

    office: OfficeReader
    ocr: PageReader | None = None
    render: Renderer | None = None
    printed: PdfContent | None = None


def convert(
    source: SourceFile,
    data: bytes,
    office: OfficeReader,
    ocr: PageReader | None = None,
    render: Renderer | None = None,
) -> Document:
    """Convert the bytes of a file to a document: its text, pages and elements. Raises as :func:`convert_to_json`."""
    document = from_json(b"".join(convert_to_json(source, data, Readers(office, ocr, render))))
    assert isinstance(document, Document)
    return document


def convert_to_json(source: SourceFile, data: bytes, readers: Readers) -> Iterator[bytes]:
    """Convert the bytes of a file to its document as JSON, in pieces that are never in memory as a whole.

    ``text[e.start:e.end] == e.text`` for each element; a header or footer has no offsets and is not in the text.
    With OCR, pages of a PDF that are pictures are read too; without it they are empty. With a renderer, a Word file's
    pages are those of its rendering; without it, or where it fails, those of the page breaks that Word saved. A PDF
    whose pages are given as ``readers.printed`` is not read again, and that list is emptied.

    Raises ConversionError, with a reason to show, where ``data`` is empty, encrypted, damaged, of a kind that is not
    read, or without text; and UsageError where a package that reading needs is missing.
    """
    kind = detect_kind(source.file_name, data)
    try:
        pages, title = _read(kind, source.file_name, data, readers)
        return assemble(source, kind, _with_text(source, kind, pages), title, own_date(kind, source.file_name, data))
    except (BidfolioError, MemoryError):
        # Errors with a message for the user, and lack of memory, are passed on unchanged.
        raise
    except RecursionError as error:
        raise ConversionError(f"{source.file_name}: refused: it is nested too deeply to read") from error
    except Exception as error:
        # Parsers raise errors of any kind on damaged input; one bad file must not stop the rest of a corpus,
        # and the reason is stored as data.
        what = " ".join(str(error).split())[:200] or "no details"
        raise ConversionError(
            f"{source.file_name}: damaged or not readable as {kind} ({type(error).__name__}: {what}); open it in the "
            "program that it is from and save it anew, or get it again"
        ) from error


def _with_text(source: SourceFile, kind: DocumentKind, pages: Iterable[PageBlocks]) -> Iterator[PageBlocks]:
    """Yield the pages; raises ConversionError after the last where no page has text."""
    found = False
    for page in pages:
        found = found or any(block.text.strip() for block in page.blocks)
        yield page
    if not found:
        raise ConversionError(f"{source.file_name}: no text found{_WHERE.get(kind, '')}")


def _read(kind: DocumentKind, file_name: str, data: bytes, readers: Readers) -> tuple[Iterable[PageBlocks], str]:
    office = readers.office
    match kind:
        case "pdf":
            return _read_pdf(file_name, data, readers)
        case "docx":
            return _read_docx(ordinary_package(data), office, readers.render)
        case "pptx":
            return office.read_pptx(ordinary_package(data))
        case "xlsx":
            from tasks.conversion.sheets.reader import read_workbook

            if is_evidence(data):
                raise ConversionError(
                    f"{file_name}: an evidence workbook of bidfolio's own, whose drafts are no evidence"
                )
            return _sheet_pages(*read_workbook(file_name, ordinary_package(data)))
        case "xls":
            from tasks.conversion.sheets.xls_reader import read_xls

            return _sheet_pages(*read_xls(file_name, data))
        case "csv":
            from tasks.conversion.sheets.reader import read_csv

            return [PageBlocks(None, "none", tuple(read_rows(read_csv(decode_text(data).text))))], ""
        case "html":
            return office.read_html(decode_text(data).text)
        case "md":
            return _read_markdown(decode_text(data).text, office)
        case "txt":
            return [PageBlocks(None, "none", tuple(read_prose(decode_text(data).text)))], ""
        case "eml":
            return _read_mail(file_name, read_eml(data), office)
        case "msg":
            from tasks.conversion.mail.msg_reader import read_msg

            return _read_mail(file_name, read_msg(file_name, data), office)


def _read_mail(file_name: str, mail: Mail, office: OfficeReader) -> tuple[list[PageBlocks], str]:
    if mail.unread:
        raise ConversionError(f"{file_name}: {mail.unread}")
    return mail_pages(mail, office.read_html)


def _sheet_pages(sheets: Sequence[Sheet], title: str) -> tuple[list[PageBlocks], str]:
    pages: list[PageBlocks] = []
    for sheet in sheets:
        # A text box that lies over the cells belongs to the row where it begins.
        boxes = (Block("row", box.text, row_number=box.row) for box in sheet.boxes)
        blocks = (*read_rows(sheet.rows), *boxes)
        pages.append(PageBlocks(None, "none", blocks, sheet_name=sheet.name, uncomputed=sheet.uncomputed))
    return pages, title


def _read_markdown(text: str, office: OfficeReader) -> tuple[list[PageBlocks], str]:
    body, front, title = part_front_matter(text)
    # Front matter for a site generator describes the page and is not content: it is kept as a header.
    fields = (Block("header", clean_block(front)),) if front.strip() else ()
    blocks = [block for page in office.read_markdown(loosen_markdown(body)) for block in page.blocks]
    return [PageBlocks(None, "none", tuple(blocks), fields)], title


def _read_docx(data: bytes, office: OfficeReader, render: Renderer | None) -> tuple[list[PageBlocks], str]:
    marked, title = office.read_docx(data)
    pages = [replace(page, blocks=tuple(map(unmarked, page.blocks))) for page in marked]
    rendered = render(data) if render else None
    if rendered is None:
        return pages, title
    from tasks.conversion.pdf.reader import read_sheets

    sheets = read_sheets(rendered)
    blocks = [block for page in marked for block in page.blocks]
    asides = [aside for page in pages for aside in page.asides]
    if not sheets or not blocks:
        return pages, title
    placed = as_read(place_blocks([*map(as_printed, blocks)], [sheet.text for sheet in sheets]), blocks)
    return [
        PageBlocks(
            number,
            "rendered",
            tuple(own),
            tuple(asides) if number == 1 else (),
            width_pt=sheet.width,
            height_pt=sheet.height,
        )
        for number, (own, sheet) in enumerate(zip(placed, sheets, strict=True), start=1)
    ], title


def _read_pdf(file_name: str, data: bytes, readers: Readers) -> tuple[Iterator[PageBlocks], str]:
    from tasks.conversion.pdf.reader import read_pdf

    content = readers.printed or read_pdf(file_name, data, readers.ocr)
    if not any(page.lines for page in content.pages):
        if any(page.has_images for page in content.pages):
            count = f"{len(content.pages)} page{'s' * (len(content.pages) > 1)}"
            failed = next((page.failed for page in content.pages if page.failed), "no text in them")
            remedy = INSTALL_OCR if readers.ocr is None else f"OCR found nothing: {failed}"
            raise ConversionError(f"{file_name}: no text found: scanned ({count} of images); {remedy}")
        raise ConversionError(f"{file_name}: no text found (its pages are blank or drawn)")
    said = " ".join(line.text for line in content.pages[0].lines) if len(content.pages) == 1 else ""
    stead = next((reason for words, reason in _STANDING_IN.items() if words in said), "")
    if stead and len(said) <= _MOST_STANDING_IN:
        raise ConversionError(f"{file_name}: no text found: {stead}")
    return _printed_pages(content.pages), content.title


def _printed_pages(printed: list[PrintedPage]) -> Iterator[PageBlocks]:
    """Yield the blocks of each page. ``printed`` is emptied meanwhile, so that lines and blocks share the memory."""
    bodies, type_ = find_bodies(printed)
    printed.reverse()
    left = (printed.pop() for _ in bodies)
    for page, body in zip(opened(left), bodies, strict=True):
        asides = tuple(
            Block("header" if is_in_upper_half(page, index, body) else "footer", line.text, parts=line.parts)
            for index in (*range(body.start), *range(body.end, len(page.lines)))
            if (line := page.lines[index])
        )
        blocks = build_blocks(page.lines[body.start : body.end], type_)
        size = (page.width or None, page.height or None)
        yield PageBlocks(page.page_number, page.text_source, tuple(blocks), asides, None, page.label, *size)
