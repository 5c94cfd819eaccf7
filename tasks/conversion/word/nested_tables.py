"""Nested tables within the cells of a Word file's tables: unstructured runs all their text into one line of words.

A table that only sets blocks beside or below each other is taken off. Elsewhere the rows of an inner table stand in
their cell, with marks between them that tell them apart from the cells of the outer table.
"""

from __future__ import annotations

from typing import Any

from tasks.conversion.html.nested_tables import BETWEEN_INNER_CELLS, BETWEEN_INNER_ROWS
from tasks.conversion.word.markup import W, has_text, is_within, remove, text_run

_TEXTS = (W + "r", W + "hyperlink")


def open_nested_tables(body: Any) -> None:
    """Remove all nesting of tables from ``body``, an lxml element that is changed in place."""
    for table in list(body.iter(W + "tbl")):
        if not is_within(table, "tc") and _is_layout(table):
            for block in [block for cell in _cells(table) for block in cell.iterchildren(W + "p", W + "tbl")]:
                table.addprevious(block)
            remove(table)
    # The innermost come last.
    for table in reversed(list(body.iter(W + "tbl"))):
        if is_within(table, "tc"):
            table.getparent().replace(table, _in_a_line(table))


def _is_layout(table: Any) -> bool:
    """Tell if a table is for layout: a box around several blocks, or a table around others without two rows of several
    cells, which would give its columns a meaning.
    """
    has_inner = next(table.iterdescendants(W + "tbl"), None) is not None
    is_box = len(_cells(table)) == 1 and sum(map(has_text, table.iter(W + "p"))) > 1
    filled = (sum(map(has_text, row.iterchildren(W + "tc"))) for row in table.iterchildren(W + "tr"))
    return is_box or (has_inner and sum(cells > 1 for cells in filled) < 2)


def _in_a_line(table: Any) -> Any:
    """A paragraph with the texts of the table, and the marks of pages among them."""
    line = table.makeelement(W + "p")
    has_said = False
    for row in table.iterchildren(W + "tr"):
        between = BETWEEN_INNER_ROWS
        for cell in row.iterchildren(W + "tc"):
            for paragraph in cell.iter(W + "p"):
                is_said = has_text(paragraph)
                if is_said and has_said:
                    line.append(text_run(table, between))
                line.extend(list(paragraph.iterchildren(*_TEXTS)))
                has_said, between = has_said or is_said, " " if is_said else between
            between = BETWEEN_INNER_CELLS if between == " " else between
    return line


def _cells(table: Any) -> list[Any]:
    return list(table.findall(f"{W}tr/{W}tc"))
