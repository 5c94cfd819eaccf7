"""Simplified Word body, with all its text in reach of a reader and one mark where each page begins.

Word leaves ``w:lastRenderedPageBreak`` where pages broke when it last laid the file out. A break that a person set (a
page break, a paragraph or section that starts on a new page) has such a mark after it only where Word rendered it; a
table's row that runs over has one in several cells, and often another right after. Counting marks alone is wrong for
both.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from copy import deepcopy
from itertools import pairwise
from typing import Any

from tasks.conversion.document.superscripts import raise_in_word
from tasks.conversion.word.form_fields import write_marks
from tasks.conversion.word.formulas import write_formulas
from tasks.conversion.word.hidden_text import drop_unseen
from tasks.conversion.word.nested_tables import open_nested_tables
from tasks.conversion.word.run_styles import RunStyles
from tasks.conversion.word.text_runs import text_run

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_MC = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
_WRAPPERS = tuple(_W + name for name in ("ins", "moveTo", "smartTag", "customXml", "fldSimple", "dir", "bdo", "sdt"))
_REMOVED = tuple(_W + name for name in ("del", "moveFrom", "sdtPr", "sdtEndPr", "customXmlPr", "smartTagPr"))
_OFF = ("0", "false", "off")
NOTE_MARK = "\ufdd0"
"""Mark at the beginning of a paragraph of a footnote or an endnote: a Unicode noncharacter, so no text has it."""
_MARK = _W + "lastRenderedPageBreak"


def make_plain(body: Any, styles: RunStyles | None = None) -> None:
    """Simplify a Word body: take off content controls, tracked insertions and other wrappers; set text boxes after
    their paragraph; write check boxes and drop-down fields as text, formulas in a line, and raised digits as raised
    characters.

    Text that a tracked change deleted is removed, and so is text that Word hides or strikes out, by the run itself or
    by the file's ``styles``. ``body`` (an lxml element) is changed in place.
    """
    styles = styles or RunStyles(None)
    drop_unseen(body, styles)
    write_marks(body)
    for element in list(body.iter(_MC + "Fallback", *_REMOVED)):
        if element.getparent() is not None:
            element.getparent().remove(element)
    for element in list(body.iter(*_WRAPPERS)):
        content = element.find(_W + "sdtContent") if element.tag == _W + "sdt" else element
        _replace(element, list(content) if content is not None else [])
    write_formulas(body)
    for paragraph in list(body.iter(_W + "p")):
        after = paragraph
        for box in list(paragraph.iter(_W + "txbxContent")):
            for block in list(box):
                after.addnext(block)
                after = block
    open_nested_tables(body)
    raise_in_word(body, styles)


def set_notes(body: Any, kind: str, notes: Any) -> None:
    """Put each note after the paragraph that refers to it, with a mark before each of its paragraphs except in a
    table's cell.

    ``kind`` is ``footnote`` or ``endnote``, ``notes`` the root of the part that holds them; ``body`` is changed.
    """
    by_id: Mapping[str, Any] = {note.get(_W + "id"): note for note in notes.iter(_W + kind)}
    after: dict[Any, Any] = {}
    for reference in list(body.iter(f"{_W}{kind}Reference")):
        note = by_id.get(reference.get(_W + "id"))
        paragraph = next(reference.iterancestors(_W + "p"), None)
        if note is None or paragraph is None:
            continue
        is_in_table = next(paragraph.iterancestors(_W + "tbl"), None) is not None
        for said in note.iter(_W + "p"):
            own = deepcopy(said)
            if not is_in_table:
                _begin_with_mark(own)
            after.get(paragraph, paragraph).addnext(own)
            after[paragraph] = own


def _begin_with_mark(paragraph: Any) -> None:
    for properties in paragraph.findall(_W + "pPr"):
        paragraph.remove(properties)
    paragraph.insert(0, text_run(paragraph, NOTE_MARK))


def plain_paragraph(beside: Any, text: str) -> Any:
    """A new paragraph of that text, for the document that ``beside`` is an element of."""
    paragraph = beside.makeelement(_W + "p")
    paragraph.append(text_run(beside, text))
    return paragraph


def mark_pages(body: Any, breaking_styles: frozenset[str] = frozenset()) -> bool:
    """Leave exactly one mark in ``body`` for each new page; True where there is any.

    ``breaking_styles`` are the ids of paragraph styles that start on a new page. Tables are split where a page begins,
    before the row that begins it; a row that runs over onto the next page stays with its first.
    """
    return _Marker(body, breaking_styles).run()


def _replace(element: Any, content: list[Any]) -> None:
    parent = element.getparent()
    if parent is None:
        return
    index = parent.index(element)
    parent.remove(element)
    for offset, child in enumerate(content):
        parent.insert(index + offset, child)


class _Marker:
    def __init__(self, body: Any, breaking_styles: frozenset[str]) -> None:
        self.body = body
        self.breaking_styles = breaking_styles
        self.asked = 0
        """Page breaks set by a person, or run over by a table's row, for which no mark has been placed yet."""
        self.has_text = False
        self.any = False
        sections = list(body.iter(_W + "sectPr"))
        self.section_starts = {id(section): self._starts_page(following) for section, following in pairwise(sections)}
        self._sections = sections

    def run(self) -> bool:
        for block in list(self.body):
            if block.tag == _W + "p":
                self._paragraph(block)
            elif block.tag == _W + "tbl":
                self._table(block)
        return self.any

    @staticmethod
    def _starts_page(section: Any) -> bool:
        kind = section.find(_W + "type")
        return kind is None or kind.get(_W + "val", "nextPage") in ("nextPage", "oddPage", "evenPage")

    def _paragraph(self, paragraph: Any) -> None:
        if self.has_text and self._breaks_before(paragraph):
            self.asked += 1
        for element in list(_content(paragraph)):
            if element.tag == _MARK:
                self._mark(element)
            elif element.tag == _W + "br":
                self.asked += 1
            elif self.asked:
                for _ in range(self.asked):
                    element.addprevious(element.makeelement(_MARK))
                self.any, self.asked = True, 0
            if element.tag == _W + "t":
                self.has_text = True
        section = paragraph.find(f"{_W}pPr/{_W}sectPr")
        if section is not None and self.section_starts.get(id(section)):
            self.asked += 1

    def _mark(self, mark: Any) -> None:
        if self.asked:
            # This mark stands for a pending break; it is put in with the text that follows.
            mark.getparent().remove(mark)
        elif not self.has_text:
            mark.getparent().remove(mark)
        else:
            self.any = True

    def _breaks_before(self, paragraph: Any) -> bool:
        own = paragraph.find(f"{_W}pPr/{_W}pageBreakBefore")
        if own is not None:
            return own.get(_W + "val", "1") not in _OFF
        style = paragraph.find(f"{_W}pPr/{_W}pStyle")
        return style is not None and style.get(_W + "val") in self.breaking_styles

    def _table(self, table: Any) -> None:
        current = table
        for row in list(table.findall(_W + "tr")):
            begins, runs_over = _row_breaks(row)
            pages = max(self.asked, int(begins and self.has_text))
            if pages:
                self.any = True
                current = _part(current, row, pages)
            self.asked = runs_over
            self.has_text = self.has_text or any((text.text or "").strip() for text in row.iter(_W + "t"))


def _content(paragraph: Any) -> Iterator[Any]:
    """Yield a paragraph's text, marks and page breaks in order, without its floating text boxes."""
    for element in paragraph.iter(_W + "t", _MARK, _W + "br"):
        if element.tag == _W + "br" and element.get(_W + "type") != "page":
            continue
        if element.tag == _W + "t" and not (element.text or "").strip():
            continue
        if next(element.iterancestors(_W + "p")) is paragraph:
            yield element


def _row_breaks(row: Any) -> tuple[bool, int]:
    """True where the row begins a page, and the number of page ends that it runs over; its marks are taken out.

    Where one cell runs over, Word marks the start of the next one too: the text goes back to the first page.
    """
    begins, runs_over = False, 0
    for cell in row.findall(_W + "tc"):
        has_text, inside = False, 0
        for element in list(cell.iter(_W + "t", _MARK, _W + "br")):
            if element.tag == _W + "t":
                has_text = has_text or bool((element.text or "").strip())
            elif element.tag == _MARK or element.get(_W + "type") == "page":
                inside += has_text
                begins = begins or not (has_text or runs_over)
                if element.tag == _MARK:
                    element.getparent().remove(element)
        runs_over = max(runs_over, inside)
    return begins, runs_over


def _part(table: Any, row: Any, pages: int) -> Any:
    """Split the table before ``row`` with ``pages`` marks; the table that holds the row afterwards."""
    paragraph = table.makeelement(_W + "p")
    run = table.makeelement(_W + "r")
    paragraph.append(run)
    for _ in range(pages):
        run.append(table.makeelement(_MARK))
    rows = table.findall(_W + "tr")
    at = rows.index(row)
    if at == 0:
        table.addprevious(paragraph)
        return table
    rest = table.makeelement(table.tag)
    for name in ("tblPr", "tblGrid"):
        part = table.find(_W + name)
        if part is not None:
            rest.append(deepcopy(part))
    for merged in list(row.iter(_W + "vMerge")):
        merged.getparent().remove(merged)
    for moved in rows[at:]:
        rest.append(moved)
    table.addnext(paragraph)
    paragraph.addnext(rest)
    return rest
