"""Blocks of a printed page, built from its lines: titles, paragraphs, list items and tables.

Lines are joined, never reordered or dropped: a page's blocks hold its lines' words in the same order.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cached_property
from itertools import pairwise
from statistics import median

from tasks.conversion.document.assembly import Block
from tasks.conversion.document.placed_text import PlacedText, join, mend, shift, with_short_leader
from tasks.conversion.layout.page import Line
from tasks.conversion.layout.tables import CELL_SEPARATOR, WIDE_GAP, find_tables, table_html
from tasks.text.characters import (
    CHECKED,
    EMPTY,
    LINE_END_HYPHEN,
    count_words,
    is_bullet,
    is_contents_entry,
    is_numbered,
    tokens_of,
)

MAX_TITLE_CHARACTERS = 150
_COLUMN_STEP = 12.0
_COLUMN_REACH = 5
_STOPS = (".", "!", "?", ":", ";", "…", '."', ".”", ".)", "?)")
_MARKED = (EMPTY, CHECKED)
"""Ends of a line that closes its block: after a mark that follows its label, the next line's words would seem to be
marked."""
_HEADING = re.compile(
    r"(?:(?:section|article|appendix|annex|part|chapter)\s+)?(\d{1,2}(?:\.\d{1,3}){0,5})\.?\s+(?=\D)", re.I
)
_SMALL_WORDS = 4
_MIN_ROW_CELLS = 3
"""A bold line of this many cells or more is a table's header, not a title; a line of two may be a title and its
date."""
UNSIZED_RANK = 90
_PAGES_OF_TEXT = 100
_STAMPS = frozenset({"DRAFT", "CONFIDENTIAL", "COPY", "SAMPLE", "SPECIMEN", "VOID", "STRICTLY CONFIDENTIAL", "ENTWURF"})
"""Stamps printed across a page in large type, which are no titles of the text that follows."""

_Beside = tuple[Sequence[Line] | None, Sequence[Line] | None]
"""The lines of the block before and of the block after, None at the page's ends."""


class Typography:
    """The usual type of a document: the body's type size, its line pitch over its size, and the sizes of titles.

    Lines are added page by page and not kept; read the properties only after the last page is added.
    """

    def __init__(self, lines: Sequence[Line] = ()) -> None:
        self._sizes: Counter[float] = Counter()
        self._pitches: Counter[float] = Counter()
        self._texts: list[str] = []
        self._tokens: Counter[str] = Counter()
        self._last = Line("")
        self.add(lines)

    def add(self, lines: Sequence[Line]) -> None:
        """Count the lines of the next page's body."""
        if not lines:
            return
        count_sizes(lines, self._sizes)
        _, x, _, _, above, size_above, *_ = self._last
        for text, x0, _, y, y_end, size, _, _, _ in lines:
            if size_above == size > 0 and text[:1].islower() and abs(x - x0) < 3:
                pitch = round((above - y) / size, 2)
                if 0.8 < pitch < 2.6:
                    self._pitches[pitch] += 1
            x, above, size_above = x0, y_end, size
        self._last = lines[-1]
        self._texts.append("\n".join([line.text for line in lines]))
        # A word may be parted by a page's end, and most documents are too short for their text to matter.
        if len(self._texts) >= _PAGES_OF_TEXT and not self._texts[-1].endswith("-"):
            self._count_tokens()

    @cached_property
    def body_size(self) -> float:
        """The type size of most characters; 0 where no line has a place."""
        return most_used_size(self._sizes)

    @cached_property
    def pitch(self) -> float:
        """The usual distance between a paragraph's lines, over the type size (1.2 where nothing shows it)."""
        return median(self._pitches.elements()) if self._pitches.total() >= 3 else 1.2

    @cached_property
    def title_ranks(self) -> dict[float, int]:
        """The rank from 0 of each type size above the body's, the largest first."""
        sizes = sorted({half for size in self._sizes if (half := _half(size)) > self.body_size}, reverse=True)
        return {size: rank for rank, size in enumerate(sizes)}

    @cached_property
    def words(self) -> Counter[str]:
        """Counts of the document's words, to decide on hyphens at line ends."""
        self._count_tokens()
        return count_words(self._tokens)

    def _count_tokens(self) -> None:
        self._tokens.update(tokens_of("\n".join(self._texts)))
        self._texts.clear()


def count_sizes(lines: Sequence[Line], into: Counter[float]) -> None:
    """Add the characters of the lines to ``into`` by type size; lines without a place are left out."""
    count, last = 0, 0.0
    for text, _, _, _, _, size, _, _, _ in lines:
        if size != last:
            if last > 0:
                into[last] += count
            count, last = 0, size
        count += len(text)
    if last > 0:
        into[last] += count


def most_used_size(counts: Counter[float]) -> float:
    """The type size, to half a point, of most characters that :func:`count_sizes` counted; 0 for none."""
    halves: Counter[float] = Counter()
    for size, count in counts.items():
        halves[_half(size)] += count
    return halves.most_common(1)[0][0] if halves else 0.0


def _half(size: float) -> float:
    return round(size * 2) / 2


def build_blocks(lines: Sequence[Line], type_: Typography) -> list[Block]:
    """Build the blocks of one page's body. No lines give no blocks."""
    lines = [line for line in lines if line.text]
    groups: list[tuple[Sequence[Line], Block | None]] = []
    index = 0
    for table in find_tables(lines):
        groups += [(group, None) for group in _group(lines[index : table.start], type_)]
        mended = [mend(row, lambda: type_.words) for row in table.rows]
        rows = join(mended, "\n")
        html = table_html([row.text.split(CELL_SEPARATOR) for row in mended])
        groups.append((lines[table.start : table.end], Block("table", rows.text, html=html, parts=rows.parts)))
        index = table.end
    groups += [(group, None) for group in _group(lines[index:], type_)]
    blocks: list[Block] = []
    for at, (group, block) in enumerate(groups):
        above = groups[at - 1][0] if at else None
        below = groups[at + 1][0] if at + 1 < len(groups) else None
        opens = above is None or _opens(above[-1], group[0], blocks[-1], type_)
        blocks.append(block or _classify(group, (above, below), opens, type_))
    return blocks


def _opens(last: Line, first: Line, before: Block, type_: Typography) -> bool:
    """Tell if ``first`` is set off from the text before it, as a title is."""
    if before.kind == "title":
        return True
    if not before.text.endswith(_STOPS) and before.kind == "paragraph":
        return False
    return not (last.size > 0 and first.size > 0) or last.y_end - first.y > 1.1 * type_.pitch * first.size


def join_lines(lines: Sequence[Line], words: Callable[[], Counter[str]]) -> PlacedText:
    """Join the lines of one paragraph to one text, and mend the hyphens at their ends."""
    if len(lines) == 1:
        return mend(lines[0].placed_text, words)
    texts = [lines[0].text]
    parts = list(lines[0].parts)
    at = len(texts[0])
    for before, line in pairwise(lines):
        text = line.text
        if before.text.endswith("-") and before.text[-2:-1].isalnum() and text[:1].isalnum():
            texts[-1] = texts[-1][:-1] + LINE_END_HYPHEN
        else:
            texts.append(" ")
            at += 1
        texts.append(text)
        parts += shift(line.parts, at)
        at += len(text)
    return mend(PlacedText("".join(texts), tuple(parts)), words)


def _group(lines: Sequence[Line], type_: Typography) -> list[list[Line]]:
    groups: list[list[Line]] = []
    rights = _column_ends(lines)
    for index, line in enumerate(lines):
        if index and not _begins(groups[-1], line, rights[index - 1], type_):
            groups[-1].append(line)
        else:
            groups.append([line])
    return groups


def _column_ends(lines: Sequence[Line]) -> list[float]:
    """The right edge of each line's column: the furthest of the lines that begin at about the same place."""
    slots = [int(line.x0 // _COLUMN_STEP) for line in lines]
    reach = dict.fromkeys(slots, 0.0)
    for slot, line in zip(slots, lines, strict=True):
        if line.x1 > reach[slot]:
            reach[slot] = line.x1
    wide = {
        slot: max([right for other, right in reach.items() if -_COLUMN_REACH <= other - slot <= _COLUMN_REACH])
        for slot in reach
    }
    return [wide[slot] for slot in slots]


def _begins(group: Sequence[Line], line: Line, right: float, type_: Typography) -> bool:
    """Tell if ``line`` begins a new block after ``group``, whose column ends at ``right``."""
    last = group[-1]
    text, x0, _, y, _, size, bold, _, _ = line
    text_above, x_above, end_above, _, y_above, size_above, bold_above, _, _ = last
    if is_bullet(text) or is_contents_entry(text_above) or text_above.endswith(_MARKED):
        return True
    has_stop = text_above.endswith(_STOPS)
    mid_sentence = not has_stop and text[:1].islower()
    if is_numbered(text) and not (mid_sentence and end_above > 0.85 * right):
        return True
    if not (size_above > 0 and size > 0):
        return has_stop and len(text_above) < 60
    if abs(size - size_above) > 0.75 or (bold != bold_above and not mid_sentence):
        return True
    drop = y_above - y
    if drop < 1 or x0 > end_above:
        return not mid_sentence
    is_title = size > 1.1 * type_.body_size
    if drop > (1.6 if is_title else 1.28 * type_.pitch) * size:
        return True
    if is_title or mid_sentence:
        return False
    if _fits_on(last, line, right):
        return True
    if not has_stop or x0 <= x_above + 8:
        return False
    return len(group) > 1 or not (is_bullet(text_above) or is_numbered(text_above))


def _fits_on(last: Line, line: Line, right: float) -> bool:
    """Tell if the first word of ``line`` would have fitted after ``last``, so that the paragraph ended there."""
    width = (line.x1 - line.x0) / max(len(line.text), 1)
    if width <= 0 or LINE_END_HYPHEN in line.text:
        width = 0.5 * line.size
    word = line.text.split(" ", 1)[0]
    return last.x1 + width * (len(word) + 2.5) < right


def _classify(group: Sequence[Line], beside: _Beside, opens: bool, type_: Typography) -> Block:
    joined = join_lines(group, lambda: type_.words)
    level = _title_level(joined.text, group, beside, opens, type_)
    text, parts = with_short_leader(joined)
    if level is not None:
        return Block("title", text, level, parts=parts)
    if is_bullet(text) or is_numbered(text):
        return Block("list_item", text, parts=parts)
    return Block("paragraph", text, parts=parts)


def _title_level(
    text: str, group: Sequence[Line], beside: _Beside, opens: bool, type_: Typography
) -> tuple[int, int] | None:
    first = group[0]
    if len(text) > MAX_TITLE_CHARACTERS or len(group) > 3 or not any(map(str.isalpha, text)) or text in _STAMPS:
        return None
    if text.endswith((".", ";", ",")) or is_bullet(text) or is_contents_entry(text) or CELL_SEPARATOR in text:
        return None
    number = _HEADING.match(text)
    # A number without dots adds no depth: a numbered chapter ranks with unnumbered titles of its size.
    depth = number.group(1).count(".") if number else 0
    size = first.size
    rank = type_.title_ranks.get(_half(size)) if size > 0 else None
    if rank is not None and size >= 1.1 * type_.body_size:
        return rank, depth
    if 0 < size < 0.95 * type_.body_size:
        # Notes, labels and tables are set smaller than the text; titles are not.
        return None
    if size > 0 and all(line.bold for line in group) and len(first.cells) < _MIN_ROW_CELLS:
        return UNSIZED_RANK, depth
    if any(cell.gap >= WIDE_GAP for cell in first.cells):
        return None
    if number and len(group) == 1 and len(text) <= 90 and text[number.end() :][:1].isupper():
        return (UNSIZED_RANK, depth) if depth > 0 or not _is_in_list(int(number.group(1)), beside) else None
    _, following = beside
    if not opens or is_numbered(text) or following is None or len(group) > 1:
        return None
    return (UNSIZED_RANK + 1, 0) if _reads_as_title(text) and _leads(following) else None


def _is_in_list(number: int, beside: _Beside) -> bool:
    """Tell if the item of that number stands directly above or below another item of the same list."""
    above, below = beside
    before = _HEADING.match(above[0].text) if above else None
    follows = before is not None and is_numbered(before.string) and before.group(1) == str(number - 1)
    return follows or (below is not None and is_numbered(below[0].text))


def _reads_as_title(text: str) -> bool:
    words = [word for word in re.findall(r"[^\W\d_][\w'’-]*", text) if len(word) >= _SMALL_WORDS]
    if not text[0].isupper() or len(text) > 70 or len(text.split()) > 9 or text.endswith("!"):
        return False
    if text.endswith("?"):
        return True
    return bool(words) and sum(word[0].isupper() for word in words) >= 0.7 * len(words)


def _leads(following: Sequence[Line]) -> bool:
    """Tell if a title may stand before ``following``: running text or a list, not another short line."""
    first = following[0].text
    return len(following) > 1 or len(first) >= 60 or is_bullet(first) or first.endswith(_STOPS) or first.isupper()
