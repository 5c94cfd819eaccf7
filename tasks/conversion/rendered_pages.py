"""Which page of a rendering each block of a Word file stands on: its text, folded, is looked for from page to page.

Blocks and pages are both in reading order, so the place that was found last is never gone back behind. What is not
found (a field, a text box, a drawing's words) stays on the page of the block before it. Only notes stand elsewhere: at
the foot of the page, or at the end.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import NamedTuple

from tasks.conversion.assembly import Block
from tasks.conversion.text import fold

_SHORT = 12
_LONG = 40
_LOOK_AHEAD = 3
_MIN_PIECE = 15


class _Place(NamedTuple):
    """Where the search goes on: the page's index from 0, and the offset in its folded text."""

    page: int
    at: int


def place_blocks(blocks: Sequence[Block], page_texts: Sequence[str]) -> list[list[Block]]:
    """The blocks of each page, as many lists as there are pages.

    A paragraph that goes on over a page's end is parted there, between words, and a table between rows; every word
    stays in its order. No pages give no lists.
    """
    pages = [fold(text) for text in page_texts]
    if not pages:
        return []
    wanted = _taken_apart(blocks)
    folded = [fold(block.text) for _, block in wanted]
    placed: list[tuple[int, int, Block]] = []
    cursor = _Place(0, 0)
    for index, (origin, block) in enumerate(wanted):
        if block.kind == "notes":
            placed.append((_page_of_note(folded[index], pages, cursor.page), origin, block))
            continue
        found, cursor = _place(block, folded, index, pages, cursor)
        placed += [(page, origin, piece) for page, piece in found]
    return [_put_together([entry for entry in placed if entry[0] == page]) for page in range(len(pages))]


def _taken_apart(blocks: Sequence[Block]) -> list[tuple[int, Block]]:
    """Each block with its index; tables row by row."""
    return [
        (index, block._replace(text=text))
        for index, block in enumerate(blocks)
        for text in (block.text.split("\n") if block.kind == "table" else [block.text])
        if text
    ]


def _put_together(entries: Sequence[tuple[int, int, Block]]) -> list[Block]:
    """The blocks of one page, with the rows of a table as one again."""
    done: list[Block] = []
    for _, group in groupby(entries, key=lambda entry: entry[1]):
        pieces = [block for _, _, block in group]
        done.append(pieces[0]._replace(text="\n".join(piece.text for piece in pieces)))
    return done


def _place(
    block: Block, folded: Sequence[str], index: int, pages: Sequence[str], cursor: _Place
) -> tuple[list[tuple[int, Block]], _Place]:
    """The page of the block, or of its two pieces, and where the search goes on."""
    own = folded[index]
    here = pages[cursor.page].find(own, cursor.at) if own else -1
    if here >= 0:
        return [(cursor.page, block)], _Place(cursor.page, here + len(own))
    if not own:
        return [(cursor.page, block)], cursor
    parted = _parted(block, own, pages, cursor) if block.kind != "table" else None
    if parted:
        first, second, after = parted
        return [(cursor.page, first), (cursor.page + 1, second)], after
    reach = len(pages) if len(own) >= _LONG else cursor.page + 2
    for page in range(cursor.page + 1, min(reach, len(pages))):
        at = pages[page].find(own)
        if at >= 0 and not _goes_on_here(folded, index, pages, cursor):
            return [(page, block)], _Place(page, at + len(own))
    return [(cursor.page, block)], cursor


def _goes_on_here(folded: Sequence[str], index: int, pages: Sequence[str], cursor: _Place) -> bool:
    """Whether one of the next blocks still stands on the page: then what was found further on is another's text."""
    following = [text for text in folded[index + 1 : index + 1 + _LOOK_AHEAD] if len(text) >= _SHORT]
    return any(pages[cursor.page].find(text, cursor.at) >= 0 for text in following)


def _page_of_note(own: str, pages: Sequence[str], page: int) -> int:
    """The page of a note to what ends on ``page``; what it is a note to may have begun on the page before."""
    looked_at = (page, max(0, page - 1), *range(page + 1, len(pages)))
    return next((at for at in looked_at if own and own in pages[at]), page)


def _parted(block: Block, own: str, pages: Sequence[str], cursor: _Place) -> tuple[Block, Block, _Place] | None:
    """The block's pieces on this page and the next, where it goes on over the end; None where it does not."""
    if cursor.page + 1 >= len(pages) or len(own) < 2 * _MIN_PIECE:
        return None
    low, high = 0, len(own)
    while low < high:
        middle = (low + high + 1) // 2
        if pages[cursor.page].find(own[:middle], cursor.at) >= 0:
            low = middle
        else:
            high = middle - 1
    if low < _MIN_PIECE:
        return None
    cut = _word_start(block.text, low)
    rest = fold(block.text[cut:])
    at = pages[cursor.page + 1].find(rest)
    if not rest or at < 0:
        return None
    first, second = block._replace(text=block.text[:cut].rstrip()), block._replace(text=block.text[cut:])
    return first, second, _Place(cursor.page + 1, at + len(rest))


def _word_start(text: str, letters: int) -> int:
    """The offset of the word that holds the character after the first ``letters`` folded ones."""
    seen = offset = 0
    while offset < len(text) and seen <= letters:
        seen += len(fold(text[offset]))
        offset += 1
    at = offset - 1
    while at > 0 and not text[at - 1].isspace():
        at -= 1
    return at
