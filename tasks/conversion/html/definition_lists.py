"""Definition lists of a web page (``<dl>``): a list of terms with short definitions becomes a table.

As separate paragraphs, a term ("RPO") and its definition ("15 minutes") would mean nothing by themselves. A list with
whole blocks below a term, such as the answers on an FAQ page, keeps its terms as paragraphs before them.
"""

from __future__ import annotations

from typing import Any

_MOST_CHARACTERS = 300
_BLOCKS = ("p", "div", "ul", "ol", "dl", "table", "pre", "blockquote", "h1", "h2", "h3", "h4", "h5", "h6")
_ASKING = "?"


def tabulate_terms(root: Any) -> None:
    """Turn definition lists with short entries into tables, in place; ``root`` is an lxml element of HTML."""
    # Innermost lists first: they come last in the document's order.
    for terms in reversed(list(root.iter("dl"))):
        rows = _rows(terms)
        if rows and all(map(_is_short, rows)):
            for part in list(terms):
                terms.remove(part)
            terms.tag, terms.text = "table", None
            terms.extend(_row(terms, *row) for row in rows)


def _rows(terms: Any) -> list[tuple[list[Any], list[Any]]]:
    """The entries of a definition list, as terms and definitions; none where it has other content or a bare term."""
    rows: list[tuple[list[Any], list[Any]]] = []
    for part in _parts(terms):
        if part.tag == "dt":
            if not rows or rows[-1][1]:
                rows.append(([], []))
            rows[-1][0].append(part)
        elif part.tag == "dd" and rows:
            rows[-1][1].append(part)
        else:
            return []
    return rows if all(said for _, said in rows) else []


def _parts(terms: Any) -> list[Any]:
    """The terms and definitions of a list, in order, also those that a page wraps in a ``<div>`` for each pair."""
    from lxml import etree

    return [
        inner
        for part in terms.iterchildren(tag=etree.Element)
        for inner in (part.iterchildren(tag=etree.Element) if part.tag == "div" else [part])
    ]


def _is_short(row: tuple[list[Any], list[Any]]) -> bool:
    """Tell if an entry fits a row of a table: short texts without blocks, and a term that is no question."""
    parts = [*row[0], *row[1]]
    has_blocks = any(next(part.iterdescendants(*_BLOCKS), None) is not None for part in parts)
    texts = ["".join(part.itertext()).strip() for part in parts]
    return not has_blocks and max(map(len, texts)) <= _MOST_CHARACTERS and not texts[0].endswith(_ASKING)


def _row(terms: Any, names: list[Any], said: list[Any]) -> Any:
    row = terms.makeelement("tr")
    for parts in (names, said):
        cell = terms.makeelement("td")
        for part in parts:
            part.tag, part.tail = "div" if len(parts) > 1 else "span", None
            cell.append(part)
        row.append(cell)
    return row
