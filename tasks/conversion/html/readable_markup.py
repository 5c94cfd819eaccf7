"""HTML preprocessing: simplifies a web page so that unstructured reads all of its visible text.

unstructured reads ``<main>`` or ``<article>`` alone where there is one, leaves out captions, forms, figures and folded
details with all of their content, and fails on deep nesting.
"""

from __future__ import annotations

import re
from typing import Any

from tasks.conversion.document.superscripts import raise_in_markup
from tasks.conversion.html.definition_lists import tabulate_terms
from tasks.conversion.html.nested_tables import open_nested_tables
from tasks.text.characters import CHECKED, EMPTY

_AS_BLOCK = ("main", "article", "header", "footer", "form", "fieldset", "figure", "details")
_AS_PARAGRAPH = ("summary", "figcaption", "legend")
_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6", "dt", "summary")
_UNTYPED = ("hidden", "password", "submit", "button", "reset", "image", "file")
_HIDING = re.compile(
    r"(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden|mso-hide\s*:\s*all"
    r"|text-decoration(?:-line)?\s*:[^;]*line-through)\b",
    re.IGNORECASE,
)
_UNSAID = ("template", "del", "s", "strike")
_UNFOLDS = ("aria-controls", "data-target", "data-bs-target", "href")
_MAX_DEPTH = 200
_MOST_DIGITS = 9
_MAX_SPAN = 100
"""Maximum number of columns or rows that a cell spans; tables made for people have no larger spans."""
COVERED = "\ufdd2"
"""Placeholder cell for a column that the cell before it spans; a noncharacter, which occurs in no text."""
ABOVE = "\ufdd3"
"""Placeholder cell like COVERED, for a cell that is spanned by a cell above it."""
_BLOCK_TAGS = ("p", "div", "li", "tr", "td", "th", "table", "br", "pre", "blockquote", *_HEADINGS)


def make_readable(root: Any) -> None:
    """Simplify a web page in place, so that unstructured reads all of its visible text.

    ``root`` is an lxml element of HTML. Hidden elements are removed; filled form fields become text, and so does the
    label of a picture that is alone in a table's cell.
    """
    _drop_hidden(root)
    _write_controls(root)
    _write_icons(root)
    raise_in_markup(root)
    tabulate_terms(root)
    open_nested_tables(root)
    for element in root.iter(*_AS_BLOCK):
        element.tag = "div"
    for element in root.iter(*_AS_PARAGRAPH):
        element.tag = "p"
    for caption in list(root.iter("caption")):
        table = caption.getparent()
        table.addprevious(_element(table, "p", caption.text_content()))
        caption.drop_tree()
    for table in root.iter("table"):
        fill_spans(table)
    _make_shallow(root)


def _drop_hidden(root: Any) -> None:
    """Remove hidden and struck-out elements, by their name, attribute or own style.

    An element that another element unfolds stays: what one click of a reader shows counts as shown.
    """
    elements = [element for element in root.iter() if isinstance(element.tag, str)]
    hidden = [
        element
        for element in elements
        if element.tag in _UNSAID or "hidden" in element.attrib or _HIDING.search(element.get("style", ""))
    ]
    names = (element.get(attribute, "") for element in elements for attribute in _UNFOLDS) if hidden else ()
    unfolded = {name.removeprefix("#") for several in names for name in several.split()}
    for element in hidden:
        if element.getparent() is not None and element.get("id") not in unfolded:
            element.drop_tree()


def fill_spans(table: Any) -> None:
    """Replace the spans of a table's cells by placeholder cells, in place, so that all cells stand in their columns.

    ``table`` is an lxml element. A cell :data:`COVERED` is inserted for each further column that a cell spans, and
    :data:`ABOVE` for each cell that it spans in the rows below; the span attributes are removed.
    """
    open_spans: dict[int, int] = {}
    for row in [row for row in table.iter("tr") if next(row.iterancestors("table")) is table]:
        column = 0
        for cell in [*row.iterchildren("td", "th")]:
            column = _cover(row, cell, column, open_spans)
            span, below = _span_of(cell, "colspan"), _span_of(cell, "rowspan")
            for _ in range(1, span):
                cell.addnext(_element(row, "td", COVERED))
            if below > 1:
                open_spans |= dict.fromkeys(range(column, column + span), below - 1)
            column += span
        _cover(row, None, column, open_spans)


def _cover(row: Any, cell: Any, column: int, open_spans: dict[int, int]) -> int:
    """Insert a placeholder before ``cell``, or at the row's end for None, for each cell spanned from above.

    Returns the column after them. ``open_spans`` maps a column to the number of rows that its span still covers.
    """
    while open_spans.get(column, 0) > 0:
        open_spans[column] -= 1
        reached = _element(row, "td", ABOVE)
        row.append(reached) if cell is None else cell.addprevious(reached)
        column += 1
    return column


def _element(beside: Any, tag: str, text: str) -> Any:
    made = beside.makeelement(tag)
    made.text = text
    return made


def _span_of(cell: Any, name: str) -> int:
    """Remove a cell's span attribute and return its value, at most 100; 1 where it is missing or no positive number."""
    said = cell.attrib.pop(name, "1").strip()
    # Python refuses to read a number of thousands of digits.
    return min(int(said[:_MOST_DIGITS]), _MAX_SPAN) or 1 if said.isdecimal() else 1


def _write_icons(root: Any) -> None:
    """Write the label of its pictures, such as "Yes" for a tick, into each table cell that has no text."""
    for cell in root.iter("td", "th"):
        if cell.text_content().strip():
            continue
        told = (one.get("alt") or one.get("aria-label") or one.get("title") or "" for one in cell.iterdescendants())
        said = " ".join(filter(None, map(str.strip, told)))
        if said:
            cell.text = said


def _write_controls(root: Any) -> None:
    """Turn labels, buttons that are headings, and the values of form fields into spans."""
    for label in root.iter("label"):
        label.tag = "span"
    for button in root.iter("button"):
        # Other buttons are commands to the page, not content.
        if next(button.iterancestors(*_HEADINGS), None) is not None or button.get("aria-controls"):
            button.tag = "span"
    for control in list(root.iter("input", "select", "textarea")):
        if text := _shown(control):
            span = _element(control, "span", f" {text} ")
            span.tail, control.tail = control.tail, None
            control.getparent().replace(control, span)


def _shown(control: Any) -> str:
    """The value that a form field shows, a check box as a mark; "" where it is empty or shows none."""
    if control.tag == "textarea":
        return str(control.text or "").strip()
    if control.tag == "select":
        # A list without a choice shows its first option, which is no answer.
        chosen = [option for option in control.iter("option") if "selected" in option.attrib]
        return ", ".join(" ".join(option.text_content().split()) for option in chosen)
    kind = control.get("type", "text").lower()
    if kind in ("checkbox", "radio"):
        return CHECKED if "checked" in control.attrib else EMPTY
    return "" if kind in _UNTYPED else str(control.get("value", "")).strip()


def _make_shallow(root: Any) -> None:
    """Replace elements nested deeper than unstructured can parse by plain text, a line for each block."""
    from lxml import etree

    depth = 0
    deep: list[Any] = []
    for event, element in etree.iterwalk(root, events=("start", "end")):
        depth += 1 if event == "start" else -1
        if event == "start" and depth == _MAX_DEPTH and len(element):
            deep.append(element)
    for element in deep:
        for inner in element.iter(*_BLOCK_TAGS):
            inner.text = f"\n{inner.text or ''}"
            inner.tail = f"\n{inner.tail or ''}"
        text = element.text_content()
        for child in list(element):
            element.remove(child)
        element.text = text
