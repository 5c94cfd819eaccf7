"""Nested tables of a web page, and other content of cells that unstructured runs together.

A table that only arranges blocks (a layout table) is dissolved. Otherwise the rows of an inner table become text in
their cell, with separators other than those of the outer table's cells.
"""

from __future__ import annotations

from typing import Any

BETWEEN_INNER_CELLS, BETWEEN_INNER_ROWS = ", ", "; "
"""Separators of the cells and of the rows of a table nested in another's cell."""
_CELLS = ("td", "th")
_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_PARTS = ("tr", "thead", "tbody", "tfoot", *_CELLS)
_ENDS = frozenset(".:;,!?…")


def open_nested_tables(root: Any) -> None:
    """Dissolve nested tables in place: layout tables into blocks, tables in cells into text.

    ``root`` is an lxml element of HTML. Headings and list items within a cell get a mark at their end (":" and ";").
    """
    for table in list(root.iter("table")):
        if not _is_nested(table) and _is_layout(table):
            for part in (table, *_own_parts(table)):
                part.tag = "div"
    # Innermost tables first: they come last in the document's order.
    for table in reversed(list(root.iter("table"))):
        if _is_nested(table):
            said = BETWEEN_INNER_ROWS.join(filter(None, map(_said, [*table.iterchildren("caption"), *_rows(table)])))
            for part in list(table):
                table.remove(part)
            table.tag, table.text = "div", said
    for cell in root.iter(*_CELLS):
        for heading in cell.iter(*_HEADINGS):
            _end_with(heading, ":")
        for point in cell.iter("li"):
            if point.getnext() is not None:
                _end_with(point, ";")


def _is_nested(table: Any) -> bool:
    return next(table.iterancestors(*_CELLS), None) is not None


def _is_layout(table: Any) -> bool:
    """Tell if a table is used for layout: it holds tables or headings, and fewer than two rows of several cells, which
    would give its columns a meaning.
    """
    has_blocks = next(table.iterdescendants("table", *_HEADINGS), None) is not None
    return has_blocks and sum(len(_filled(row)) > 1 for row in _rows(table)) < 2


def _own_parts(table: Any) -> list[Any]:
    return [part for part in table.iter(*_PARTS) if next(part.iterancestors("table"), None) is table]


def _rows(table: Any) -> list[Any]:
    return [part for part in _own_parts(table) if part.tag == "tr"]


def _filled(row: Any) -> list[Any]:
    return [cell for cell in row.iterchildren(*_CELLS) if str(cell.text_content()).strip()]


def _said(part: Any) -> str:
    """The text of a row, its cells joined, or of a caption."""
    cells = _filled(part) if part.tag == "tr" else [part]
    return BETWEEN_INNER_CELLS.join(" ".join(" ".join(cell.itertext()).split()) for cell in cells)


def _end_with(element: Any, mark: str) -> None:
    """Append the mark to the text of ``element`` unless it is empty or ends in a punctuation mark."""
    said = str(element.text_content()).strip()
    if not said or said[-1] in _ENDS:
        return
    while len(element) and not (element[-1].tail or "").strip() and str(element[-1].text_content()).strip():
        element = element[-1]
    if len(element):
        element[-1].tail = f"{(element[-1].tail or '').rstrip()}{mark}"
    else:
        element.text = f"{(element.text or '').rstrip()}{mark}"
