"""Page of each word of a Word file, found by aligning its words with those of the rendered pages.

Words and pages are both in reading order. Words that are not found (a field, a text box, a drawing's words) stay on the
page of the word before them. Notes stand elsewhere: at the foot of the page, or at the end. The long cells of a row
that continues over a page's end do so side by side, each by itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from statistics import mode
from typing import NamedTuple

from tasks.conversion.document.assembly import Block
from tasks.conversion.layout.tables import CELL_SEPARATOR
from tasks.text.characters import LINE_END_HYPHEN, fold
from tasks.text.word_alignment import NOWHERE, aligned

_MIN_PIECE = 15
"""Letters and digits; a smaller rest of a paragraph is not cut off from it."""
_LONG_CELL = 600
"""A row of shorter cells that continues over a page's end stays whole, on the page with most of it: to cut it would cut
a sentence in each of its cells."""
_WORD = re.compile(r"[\u2e80-\u9fff\uac00-\ud7af]|(?:(?![\u2e80-\u9fff\uac00-\ud7af])[^\W_])+")
"""A word, or a character of a script that puts no blanks between words."""
_PARTED_BY_HYPHEN = re.compile(rf"[\ufffe{LINE_END_HYPHEN}]\s*")


class _Part(NamedTuple):
    """A block, or a row of a table, of the block ``origin``; its words are ``begin`` to before ``end``."""

    origin: int
    block: Block
    begin: int
    end: int


class _Rendered(NamedTuple):
    """The words of all pages, and the page index of each word."""

    words: list[str]
    pages: list[int]


def place_blocks(blocks: Sequence[Block], page_texts: Sequence[str]) -> list[list[Block]]:
    """Place the blocks on the rendered pages: one list of blocks per page.

    A paragraph, or a long cell, that continues over a page's end is cut there, between words, and a table between rows;
    every word of a paragraph stays in its order. No pages give no lists.
    """
    if not page_texts:
        return []
    of_pages = [(_PARTED_BY_HYPHEN.sub("", text), page) for page, text in enumerate(page_texts)]
    found = [(word, page) for text, page in of_pages for word in _words(text)]
    rendered = _Rendered([word for word, _ in found], [page for _, page in found])
    parts, words = _taken_apart(blocks)
    places = aligned(words, rendered.words)
    folded = [fold(text) for text in page_texts]
    placed: list[tuple[int, int, Block]] = []
    page = 0
    for part in parts:
        if part.block.kind == "notes":
            own = fold(part.block.text)
            # Its reference may be in the text that ends on this page, or on the page before.
            looked_at = (page, max(0, page - 1), *range(page + 1, len(folded)))
            at = next((at for at in looked_at if own and own in folded[at]), page)
            placed.append((at, part.origin, part.block))
            continue
        pieces = _pieces(part, places, rendered, page)
        placed += [(at, part.origin, part.block._replace(text=text)) for at, text in pieces]
        page = pieces[-1][0] if pieces else page
    return [_put_together([entry for entry in placed if entry[0] == at]) for at in range(len(page_texts))]


def _words(text: str) -> list[str]:
    return [fold(word) for word in _WORD.findall(text)]


def _taken_apart(blocks: Sequence[Block]) -> tuple[list[_Part], list[str]]:
    """Split the blocks into parts, tables row by row, and collect the words of all parts but notes."""
    parts: list[_Part] = []
    words: list[str] = []
    for origin, block in enumerate(blocks):
        for text in block.text.split("\n") if block.kind == "table" else [block.text]:
            if text:
                begin = len(words)
                words += _words(text) if block.kind != "notes" else []
                parts.append(_Part(origin, block._replace(text=text), begin, len(words)))
    return parts, words


def _put_together(entries: Sequence[tuple[int, int, Block]]) -> list[Block]:
    """The blocks of one page, with the rows of each table joined again."""
    done: list[Block] = []
    for _, group in groupby(entries, key=lambda entry: entry[1]):
        pieces = [block for _, _, block in group]
        done.append(pieces[0]._replace(text="\n".join(piece.text for piece in pieces)))
    return done


def _pieces(part: _Part, places: Sequence[int], rendered: _Rendered, page: int) -> list[tuple[int, str]]:
    """The pages of a part, ascending from ``page`` on, each with the part's text on it."""
    text = part.block.text
    cells = text.split(CELL_SEPARATOR) if part.block.kind == "table" else [text]
    if len(cells) == 1:
        found = [rendered.pages[at] if at != NOWHERE else NOWHERE for at in places[part.begin : part.end]]
        return list(_parted(text, found, page))
    if all(len(fold(cell)) < _LONG_CELL for cell in cells):
        found = [rendered.pages[at] for at in places[part.begin : part.end] if at != NOWHERE]
        return [(max(page, mode(found)) if found else page, text)]
    first, last = _window(part, places, len(rendered.words))
    pages = rendered.pages[first:last]
    if not pages or pages[0] == pages[-1]:
        return [(max(page, pages[0]) if pages else page, text)]
    by_page: dict[int, list[str]] = {}
    for cell in cells:
        in_cell = aligned(_words(cell), rendered.words[first:last])
        for at, piece in _parted(cell, [pages[one] if one != NOWHERE else NOWHERE for one in in_cell], page):
            if piece:
                by_page.setdefault(at, []).append(piece)
    return [(at, CELL_SEPARATOR.join(by_page[at])) for at in sorted(by_page)]


def _window(part: _Part, places: Sequence[int], end: int) -> tuple[int, int]:
    """The range of rendered words in which the part's words may stand, between the found words around it."""
    before = next((places[at] + 1 for at in range(part.begin - 1, -1, -1) if places[at] != NOWHERE), 0)
    after = next((places[at] for at in range(part.end, len(places)) if places[at] != NOWHERE), end)
    own = [at for at in places[part.begin : part.end] if at != NOWHERE]
    return (own[0] if own else before), after


def _parted(text: str, pages: Sequence[int], page: int) -> Iterator[tuple[int, str]]:
    """Yield the pages of ``text``, each with the text on it, from the page of each of its words.

    NOWHERE where a word's page is not known: then it is that of the word before, at first ``page``. A text without
    words stands on ``page``.
    """
    begin, at = 0, next((one for one in pages if one != NOWHERE), page)
    at = max(at, page)
    for found, own in zip(_WORD.finditer(text), pages, strict=True):
        if own <= at:
            continue
        cut = _word_start(text, found.start())
        if len(fold(text[begin:cut])) < _MIN_PIECE:
            at = own
        elif len(fold(text[cut:])) >= _MIN_PIECE:
            yield at, text[begin:cut].rstrip()
            begin, at = cut, own
    yield at, text[begin:]


def _word_start(text: str, at: int) -> int:
    """The offset where the run of non-blank characters around ``at`` begins."""
    while at > 0 and not text[at - 1].isspace():
        at -= 1
    return at
