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
from tasks.conversion.word.markup import W, has_text, is_on, is_within, remove, text_run, value_of
from tasks.conversion.word.nested_tables import open_nested_tables
from tasks.conversion.word.run_styles import RunStyles

_MC = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
_WRAPPERS = tuple(W + name for name in ("ins", "moveTo", "smartTag", "customXml", "fldSimple", "dir", "bdo", "sdt"))
_REMOVED = tuple(W + name for name in ("del", "moveFrom", "sdtPr", "sdtEndPr", "customXmlPr", "smartTagPr"))
NOTE_MARK = "\ufdd0"
"""Mark at the beginning of a paragraph of a footnote or an endnote: a Unicode noncharacter, so no text has it."""
_MARK = W + "lastRenderedPageBreak"
_NEXT_PAGE = (None, "", "nextPage", "oddPage", "evenPage")
"""Types of sections that start on a new page."""
_BREAK_BEFORE = f"{W}pPr/{W}pageBreakBefore"


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
        remove(element)
    for element in list(body.iter(*_WRAPPERS)):
        content = element.find(W + "sdtContent") if element.tag == W + "sdt" else element
        for child in () if content is None else list(content):
            element.addprevious(child)
        remove(element)
    write_formulas(body)
    for paragraph in list(body.iter(W + "p")):
        after = paragraph
        for box in list(paragraph.iter(W + "txbxContent")):
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
    by_id: Mapping[str, Any] = {note.get(W + "id"): note for note in notes.iter(W + kind)}
    after: dict[Any, Any] = {}
    for reference in list(body.iter(f"{W}{kind}Reference")):
        note = by_id.get(reference.get(W + "id"))
        paragraph = next(reference.iterancestors(W + "p"), None)
        if note is None or paragraph is None:
            continue
        for said in note.iter(W + "p"):
            own = deepcopy(said)
            if not is_within(paragraph, "tbl"):
                for properties in own.findall(W + "pPr"):
                    own.remove(properties)
                own.insert(0, text_run(own, NOTE_MARK))
            after.get(paragraph, paragraph).addnext(own)
            after[paragraph] = own


def mark_pages(body: Any, styles: RunStyles | None = None) -> bool:
    """Leave exactly one mark in ``body`` for each new page; True where there is any.

    Tables are split where a page begins, before the row that begins it; a row that runs over onto the next page stays
    with its first.
    """
    marker = _Marker(body, styles or RunStyles(None))
    for block in list(body):
        if block.tag == W + "p":
            marker.paragraph(block)
        elif block.tag == W + "tbl":
            marker.table(block)
    return next(body.iter(_MARK), None) is not None


class _Marker:
    def __init__(self, body: Any, styles: RunStyles) -> None:
        self.styles = styles
        self.asked = 0
        """Page breaks set by a person, or run over by a table's row, for which no mark has been placed yet."""
        self.has_text = False
        sections = list(body.iter(W + "sectPr"))
        self.ends_page = {section: value_of(after, "type") in _NEXT_PAGE for section, after in pairwise(sections)}

    def paragraph(self, paragraph: Any) -> None:
        if self.has_text and self._breaks_before(paragraph):
            self.asked += 1
        for element in list(_content(paragraph)):
            if element.tag == _MARK:
                if self.asked or not self.has_text:
                    # It stands for a pending break, which is put in with the text that follows, or for none.
                    remove(element)
            elif element.tag == W + "br":
                self.asked += 1
            elif self.asked:
                for _ in range(self.asked):
                    element.addprevious(element.makeelement(_MARK))
                self.asked = 0
            if element.tag == W + "t":
                self.has_text = True
        section = paragraph.find(f"{W}pPr/{W}sectPr")
        if section is not None and self.ends_page.get(section):
            self.asked += 1

    def _breaks_before(self, paragraph: Any) -> bool:
        own = paragraph.find(_BREAK_BEFORE)
        style = self.styles.by_id.get(value_of(paragraph, "pPr/pStyle"))
        return is_on(style.find(_BREAK_BEFORE) if own is None and style is not None else own)

    def table(self, table: Any) -> None:
        current = table
        for row in list(table.findall(W + "tr")):
            begins, runs_over = _row_breaks(row)
            pages = max(self.asked, int(begins and self.has_text))
            current = _part(current, row, pages) if pages else current
            self.asked = runs_over
            self.has_text = self.has_text or has_text(row)


def _content(paragraph: Any) -> Iterator[Any]:
    """Yield a paragraph's text, marks and page breaks in order, without its floating text boxes."""
    for element in paragraph.iter(W + "t", _MARK, W + "br"):
        if element.tag == W + "br" and element.get(W + "type") != "page":
            continue
        if element.tag == W + "t" and not (element.text or "").strip():
            continue
        if next(element.iterancestors(W + "p")) is paragraph:
            yield element


def _row_breaks(row: Any) -> tuple[bool, int]:
    """True where the row begins a page, and the number of page ends that it runs over; its marks are taken out.

    Where one cell runs over, Word marks the start of the next one too: the text goes back to the first page.
    """
    begins, runs_over = False, 0
    for cell in row.findall(W + "tc"):
        has_text, inside = False, 0
        for element in list(cell.iter(W + "t", _MARK, W + "br")):
            if element.tag == W + "t":
                has_text = has_text or bool((element.text or "").strip())
            elif element.tag == _MARK or element.get(W + "type") == "page":
                inside += has_text
                begins = begins or not (has_text or runs_over)
                if element.tag == _MARK:
                    element.getparent().remove(element)
        runs_over = max(runs_over, inside)
    return begins, runs_over


def _part(table: Any, row: Any, pages: int) -> Any:
    """Split the table before ``row`` with ``pages`` marks; the table that holds the row afterwards."""
    paragraph = table.makeelement(W + "p")
    run = paragraph.makeelement(W + "r")
    paragraph.append(run)
    run.extend([run.makeelement(_MARK) for _ in range(pages)])
    rows = table.findall(W + "tr")
    at = rows.index(row)
    if at == 0:
        table.addprevious(paragraph)
        return table
    rest = table.makeelement(table.tag)
    rest.extend([deepcopy(part) for part in table.iterchildren(W + "tblPr", W + "tblGrid")])
    for merged in list(row.iter(W + "vMerge")):
        remove(merged)
    rest.extend(rows[at:])
    table.addnext(paragraph)
    paragraph.addnext(rest)
    return rest
