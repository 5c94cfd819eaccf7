"""Text of a table's markup, one line per row, with the text of merged cells in each row and column that they cover."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise, zip_longest

from tasks.conversion.document.assembly import Block
from tasks.conversion.html.readable_markup import ABOVE, COVERED, fill_spans
from tasks.conversion.layout.table_columns import EMPTY_CELL
from tasks.conversion.layout.tables import CELL_SEPARATOR
from tasks.text.characters import clean_line, fold, is_mark

_MOST_REPEATED = 300
"""Most characters of a merged cell that is repeated: a longer cell would make the table many times as long."""
_REPEATED = "\ufdd4"
"""Mark before a repeated cell until the table has its page, where the cell is printed once; it occurs in no text."""


def marked_rows_of(html: str | None) -> str:
    """The text of the table ``html``, one line per row; "" for no markup.

    A choice mark has its column's heading before it, and a merged cell is repeated in each of its rows, and below each
    of the headings that it spans. In a row of two cells or more the empty ones show. Repeated cells have a mark, which
    :func:`unmarked` takes off.
    """
    if not html:
        return ""
    import lxml.html

    table = lxml.html.fromstring(html)
    fill_spans(table)
    grid = [[clean_line(cell.text_content()) for cell in row.iterchildren("td", "th")] for row in table.iter("tr")]
    return "\n".join(line for line in _lines(grid) if line)


def rows_of(html: str | None) -> str:
    """The text of the table ``html`` as by :func:`marked_rows_of`, without the marks of repeated cells."""
    return marked_rows_of(html).replace(_REPEATED, "")


def unmarked(block: Block) -> Block:
    """The block without the marks of repeated cells."""
    return block._replace(text=block.text.replace(_REPEATED, "")) if block.kind == "table" else block


def as_printed(block: Block) -> Block:
    """The block with each merged cell only once, as it is printed."""
    if block.kind != "table" or _REPEATED not in block.text:
        return block
    rows = (row.split(CELL_SEPARATOR) for row in block.text.split("\n"))
    once = (CELL_SEPARATOR.join(cell for cell in row if not cell.startswith(_REPEATED)) for row in rows)
    return block._replace(text="\n".join(once))


def as_read(placed: Sequence[Sequence[Block]], marked: Sequence[Block]) -> list[list[Block]]:
    """Restore the repeated cells of tables in the blocks of each page, ``placed`` as they are printed, from the
    ``marked`` blocks in the same order.

    The pieces of a row that continues over a page's end stay as they are printed.
    """
    tables = [block for block in marked if block.kind == "table"]
    printed, read = (
        [row for table in map(form, tables) for row in table.text.split("\n") if row] for form in (as_printed, unmarked)
    )
    rows = zip(printed, read, strict=True)
    whole, whole_read, left = "", "", 0
    pages: list[list[Block]] = []
    for page in placed:
        pages.append([])
        for block in page:
            lines = []
            for line in block.text.split("\n") if block.kind == "table" else ():
                if left <= 0:
                    whole, whole_read = next(rows)
                    left = len(fold(whole))
                left -= len(fold(line))
                lines.append(whole_read if line == whole else line)
            pages[-1].append(block._replace(text="\n".join(lines)) if block.kind == "table" else block)
    return pages


def _lines(grid: Sequence[Sequence[str]]) -> Iterator[str]:
    names: list[str] = []
    starts: set[int] = set()
    above: list[str] = []
    of_head: set[int] = set()
    below = _columns_below_a_head(grid)
    for row in grid:
        own = [at for at in _filled(row) if row[at] != ABOVE]
        reaching = zip_longest(row, above[: len(row)], fillvalue="")
        cells = above = [_again(over) if cell == ABOVE else cell for cell, over in reaching]
        # The header is the first row with several cells: a title may stand above it.
        is_first = not names and len(own) > 1
        of_head = set(range(len(row))) if is_first else {at for at in of_head if row[at : at + 1] == [ABOVE]}
        if of_head:
            starts |= {at for at, cell in enumerate(cells) if cell != COVERED}
            names = _names([cell.removeprefix(_REPEATED) for cell in cells], names)
            cells = _said_in_each(cells, below)
        elif _filled(cells) != [0]:
            cells = _spread(cells, starts)
        if own:
            yield _line(cells, names)


def _again(cell: str) -> str:
    """The cell with the mark of a repeated one; "" for a long one."""
    if len(cell) > _MOST_REPEATED:
        return ""
    return cell if not cell or cell == COVERED or cell.startswith(_REPEATED) else _REPEATED + cell


def _spread(cells: Sequence[str], starts: set[int]) -> list[str]:
    """Repeat the text of each cell below each heading that it spans; ``starts`` are the columns in which a heading
    begins.

    A cell that ends within a heading belongs to a form, whose rows are independent of each other.
    """
    spread = list(cells)
    begins = [at for at, cell in enumerate(cells) if cell != COVERED]
    for begin, end in pairwise([*begins, len(cells)]):
        is_below = begin in starts and (end in starts or end == len(cells))
        for at in range(begin + 1, end):
            if is_below and at in starts and len(cells[begin]) <= _MOST_REPEATED:
                spread[at] = _again(cells[begin])
    return spread


def _line(cells: Sequence[str], names: Sequence[str]) -> str:
    filled = _filled(cells)
    # Without its heading, an X below "Yes" could not be told from an X below "No".
    said = [
        f"{cell.removesuffix(bare)}{name}: {bare}" if name and not is_mark(name) and is_mark(bare) else cell
        for name, cell in zip_longest(names[: len(cells)], cells, fillvalue="")
        for bare in [cell.removeprefix(_REPEATED)]
    ]
    if len(filled) > 1 or (filled and filled[0] > 0):
        said = [cell or EMPTY_CELL for cell in said]
    return CELL_SEPARATOR.join(cell for cell in said if cell and cell != COVERED)


def _filled(cells: Sequence[str]) -> list[int]:
    return [at for at, cell in enumerate(cells) if cell and cell != COVERED]


def _names(head: Sequence[str], above: Sequence[str]) -> list[str]:
    """The name of each column below a header's cells: of all headings over it, also those in the row ``above``."""
    names: list[str] = []
    last = ""
    for cell, over in zip_longest(head, above[: len(head)], fillvalue=""):
        last = last if cell == COVERED else cell
        names.append(f"{over} {last}".strip() if last != over else last)
    return names


def _columns_below_a_head(grid: Sequence[Sequence[str]]) -> set[int]:
    """The filled columns below the header, which is the first row with several cells.

    Empty where a cell of a later row, titles aside, spans columns that have no headings of their own: then the first
    row is no header, but a row of a form.
    """
    rows = [row for row in grid if len(_filled(row)) > 1]
    heads = 1
    while 0 < heads < len(rows) and ABOVE in rows[heads] and heads <= _reach(rows, rows[heads].index(ABOVE)):
        heads += 1
    starts = {at for row in rows[:heads] for at, cell in enumerate(row) if cell != COVERED}
    covered = {at for row in rows[1:] for at, cell in enumerate(row) if cell == COVERED}
    return {at for row in rows[1:] for at in _filled(row)} if covered <= starts else set()


def _reach(rows: Sequence[Sequence[str]], column: int) -> int:
    """The index of the last row down to which the first row's cell in that column spans."""
    return next((at for at, row in enumerate(rows[1:]) if row[column : column + 1] != [ABOVE]), len(rows) - 1)


def _said_in_each(head: Sequence[str], below: set[int]) -> list[str]:
    """The header row with each heading repeated in all columns ``below`` that it spans."""
    said: list[str] = []
    last = ""
    for at, cell in enumerate(head):
        last = last if cell == COVERED else cell
        is_again = cell == COVERED and at in below and len(last) <= _MOST_REPEATED
        said.append(_again(last) if is_again else cell)
    return said
