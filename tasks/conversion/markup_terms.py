"""Lists of terms in a web page (``<dl>``): a term with what is said of it in a few words is a row of a table.

As paragraphs of their own, "RPO" and "15 minutes" would be two passages that say nothing. Where whole blocks stand
below a term, as the answers of a page of questions do, it stays a paragraph before them.
"""

from __future__ import annotations

from typing import Any

_MOST_CHARACTERS = 300
_BLOCKS = ("p", "div", "ul", "ol", "dl", "table", "pre", "blockquote", "h1", "h2", "h3", "h4", "h5", "h6")
_ASKING = "?"


def tabulate_terms(root: Any) -> None:
    """Makes tables of the lists of terms in ``root``, an lxml element of HTML that is changed in place."""
    # The innermost come last.
    for terms in reversed(list(root.iter("dl"))):
        rows = _rows(terms)
        if rows and all(map(_is_short, rows)):
            for part in list(terms):
                terms.remove(part)
            terms.tag, terms.text = "table", None
            terms.extend(_row(terms, *row) for row in rows)


def _rows(terms: Any) -> list[tuple[list[Any], list[Any]]]:
    """The terms with what is said of them; none where something else stands among them, or a term is bare."""
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
    """Its terms and what is said of them, those that pages wrap in a ``<div>`` a pair, too."""
    from lxml import etree

    return [
        inner
        for part in terms.iterchildren(tag=etree.Element)
        for inner in (part.iterchildren(tag=etree.Element) if part.tag == "div" else [part])
    ]


def _is_short(row: tuple[list[Any], list[Any]]) -> bool:
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
