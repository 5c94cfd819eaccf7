"""Blocks of a sheet's rows: titles, records below a header, or the answers to a past questionnaire.

It works on cells as text, so that a workbook's sheet and a CSV file go the same way.
"""

from __future__ import annotations

from collections.abc import Sequence

from tasks.conversion.document.assembly import Block
from tasks.conversion.layout.table_columns import EMPTY_CELL
from tasks.conversion.layout.tables import CELL_SEPARATOR
from tasks.conversion.sheets.margin_notes import without_aside
from tasks.conversion.sheets.titles import CATEGORY_TITLE, SHEET_TITLE, is_signature, with_siblings
from tasks.questions.review_columns import REVIEW_TITLES, STATUS_TITLE, is_draft
from tasks.questions.wording import is_placeholder
from tasks.records import ElementKind
from tasks.spreadsheets.answer_status import drafts_in, is_status, points_elsewhere
from tasks.spreadsheets.choice_columns import choice_of, is_no_mark, marked_in
from tasks.spreadsheets.continued_rows import with_continuations
from tasks.spreadsheets.label_value_tables import find_pairs, pair_text
from tasks.spreadsheets.layout import (
    Layout,
    filled_cells,
    find_header,
    find_layout,
    heading,
    is_category_row,
    says_nothing,
)
from tasks.spreadsheets.question_labels import label_of
from tasks.spreadsheets.row import SheetRow
from tasks.spreadsheets.side_by_side_forms import halves_of
from tasks.spreadsheets.stacked_forms import find_stack
from tasks.spreadsheets.table_boundaries import tables_of

_OWN_NAMES = ("Answer", "Comments")
"""Names that a past questionnaire's row uses for the answer: text after them is read as the given answer."""


def read_rows(rows: Sequence[SheetRow]) -> list[Block]:
    """Build the blocks of a sheet: a title for each title row, a ``row`` for each other. No rows give none.

    A row below a header reads ``Header: value; Header: value``, in a questionnaire the question, then ``Answer: …`` and
    ``Comments: …`` and other columns in lines of their own; an unanswered question is a ``question``. Questions with
    their answers below them read like those with the answers beside them. Without a header, cells are separated by `` |
    ``, with ``–`` for an empty cell between two; a label and its value read ``Label: value``. Every cell's text stays
    as it is.

    Of a copy that bidfolio has filled, its review columns are left out, and an unapproved draft is no answer: of such a
    row the question alone is left, and nothing where the sheet does not read as a questionnaire.
    """
    return with_siblings(_read_rows(rows))


def _read_rows(rows: Sequence[SheetRow]) -> list[Block]:
    drafted, rows = _without_review(rows)
    stack = find_stack([_undrafted(row) if row.number in drafted else row for row in rows])
    if stack is None:
        return _read_tables(rows, drafted)
    above = [row for row in rows if row.number < stack.first]
    below = [row for row in rows if row.number > stack.last]
    is_table = find_header(above) is not None or find_pairs(above) is not None
    blocks = _read_tables(above, drafted) if is_table else [_before_header(row) for row in above]
    blocks += [_row_block(row, stack.layout) for row in stack.rows]
    return [*blocks, *(_read_rows(below) if below else ())]


def _undrafted(row: SheetRow) -> SheetRow:
    """Cut the text of a drafted answer below its question off from its label; any other row is unchanged."""
    first = next(i for i, cell in enumerate(row.cells) if cell)
    is_answer = label_of(row.cells[first], is_bare=True).kind == "answer"
    return row._replace(cells=row.cells[: first + 1]) if is_answer else row


def _read_tables(rows: Sequence[SheetRow], drafted: frozenset[int]) -> list[Block]:
    return [block for table in tables_of(rows) for block in _read_halves(table, drafted)]


def _read_halves(rows: Sequence[SheetRow], drafted: frozenset[int]) -> list[Block]:
    """The blocks of a table; questionnaires side by side come one after the other, since a row's cells belong together
    within each only.
    """
    found = find_header(rows)
    halves = [rows] if found is None else halves_of(rows, found)
    return [block for half in halves for block in _read_table(half, drafted)]


def _read_table(rows: Sequence[SheetRow], drafted: frozenset[int]) -> list[Block]:
    layout = find_layout(rows)
    pairs = find_pairs(rows) if layout is None or layout.question is None else None
    if pairs is not None:
        return [_pair_block(row, *pairs) for row in rows if row.number not in drafted]
    if layout is None:
        used = _used_columns(rows)
        rows = [row for row in rows if row.number not in drafted]
        return [Block("row", CELL_SEPARATOR.join(_apart(row, used)), row_number=row.number) for row in rows]
    rows, aside = without_aside(rows, layout)
    if aside:
        return [*_read_table(rows, drafted), *_read_table(aside, drafted)]
    header = rows[layout.header_index]
    drafted |= drafts_in(rows[layout.header_index + 1 :], layout)
    blocks = [
        block
        for row in rows[: layout.first_header]
        for block in (_question_of_draft(row, layout) if row.number in drafted else [_before_header(row)])
    ]
    # A header that is repeated for printing is left out.
    body = [row for row in rows[layout.header_index + 1 :] if row.cells != header.cells]
    sections = {row.number for row in body if _heads_section(row, layout)}
    if sections:
        body = [header, *body]
        sections.add(header.number)
    for row in with_continuations(body, layout, drafted):
        if row.number in drafted:
            blocks += _question_of_draft(row, layout)
        elif row.number in sections:
            title = row.cells[layout.question or 0].replace("\n", " ")
            blocks.append(Block("title", title, CATEGORY_TITLE, row_number=row.number))
        else:
            blocks.append(_row_block(row, layout))
    return blocks


def _heads_section(row: SheetRow, layout: Layout) -> bool:
    """Tell if a row repeats the header, but with the name of a section above the questions."""
    question = layout.question
    if question is None or question >= len(row.cells) or not row.cells[question]:
        return False
    others = [(i, cell) for i, cell in enumerate(row.cells) if cell and i != question]
    return len(others) > 1 and all(cell == heading(layout, i) for i, cell in others)


def _used_columns(rows: Sequence[SheetRow]) -> frozenset[int]:
    return frozenset(i for row in rows for i, cell in enumerate(row.cells) if cell)


def _apart(row: SheetRow, used: frozenset[int]) -> list[str]:
    """The filled cells, with EMPTY_CELL for the empty cells between them in the columns ``used``."""
    filled = [i for i, cell in enumerate(row.cells) if cell]
    if not filled or row.is_partial:
        # A formula without its value may be empty or not.
        return filled_cells(row.cells)
    return [row.cells[i] or EMPTY_CELL for i in range(filled[0], filled[-1] + 1) if i in used]


def _without_review(rows: Sequence[SheetRow]) -> tuple[frozenset[int], Sequence[SheetRow]]:
    """The numbers of the rows whose answer is bidfolio's draft, and all rows without its review columns."""
    head = next((at for at, row in enumerate(rows) if STATUS_TITLE in map(str.casefold, row.cells)), None)
    if head is None:
        return frozenset(), rows
    titles = [cell.casefold() for cell in rows[head].cells]
    status, review = titles.index(STATUS_TITLE), {i for i, title in enumerate(titles) if title in REVIEW_TITLES}
    drafted = frozenset(row.number for row in rows[head + 1 :] if is_draft("".join(row.cells[status : status + 1])))
    cleared = [
        row._replace(cells=tuple("" if i in review else cell for i, cell in enumerate(row.cells)))
        for row in rows[head:]
    ]
    return drafted, [*rows[:head], *(row for row in cleared if any(row.cells))]


def _before_header(row: SheetRow) -> Block:
    cells = filled_cells(row.cells)
    if len(cells) == 1 and not row.is_partial and len(cells[0]) <= 120 and not cells[0].endswith("."):
        return Block("title", cells[0].replace("\n", " "), SHEET_TITLE, row_number=row.number)
    return Block("row", " | ".join(cells), row_number=row.number)


def _pair_block(row: SheetRow, label: int, value: int) -> Block:
    cells = row.cells
    if len(filled_cells(cells)) < 2:
        return _before_header(row)
    return Block("row", pair_text(cells[label], cells[value]), row_number=row.number)


def _row_block(row: SheetRow, layout: Layout) -> Block:
    cells = row.cells + ("",) * (len(layout.headers) - len(row.cells))
    filled = [i for i, cell in enumerate(cells) if cell]
    if is_category_row(row, layout):
        return Block("title", cells[filled[0]].replace("\n", " "), CATEGORY_TITLE, row_number=row.number)
    if layout.question is not None and cells[layout.question]:
        if is_signature(cells[layout.question]):
            return Block("row", CELL_SEPARATOR.join(filled_cells(cells)), row_number=row.number)
        return _answered(row.number, cells, layout)
    return Block("row", "; ".join(_named(cells, layout, filled)), row_number=row.number)


def _named(cells: Sequence[str], layout: Layout, columns: Sequence[int]) -> list[str]:
    names = {i: _name(layout, i) for i in columns}
    return [f"{names[i]}: {cells[i]}" if names[i] else cells[i] for i in columns]


def _name(layout: Layout, column: int) -> str:
    """The name before a cell's text: its heading, made distinct from equal headings, and from the names of the answer
    and its comments.
    """
    header = heading(layout, column)
    if column in (layout.answer, layout.comments):
        return header
    if column < len(layout.groups) and layout.groups[column]:
        return f"{layout.groups[column]} {header}".rstrip()
    is_own = layout.question is not None and header in _OWN_NAMES
    return (
        f"{header} (column {_letters(column)})" if header and (is_own or header in layout.headers[:column]) else header
    )


def _letters(column: int) -> str:
    """The column's name in a spreadsheet: A for 0."""
    above, own = divmod(column, 26)
    return (_letters(above - 1) if above else "") + chr(ord("A") + own)


def _question_of_draft(row: SheetRow, layout: Layout) -> list[Block]:
    """The question of a row that bidfolio has filled, as a block; its other cells are dropped, since any may be a
    draft. Empty where there is no question.
    """
    cells = row.cells + ("",) * (len(layout.headers) - len(row.cells))
    if layout.question is None or not cells[layout.question]:
        return []
    return [Block("question", cells[layout.question], row_number=row.number, section=_section(cells, layout))]


def _section(cells: Sequence[str], layout: Layout) -> str:
    return cells[layout.category].replace("\n", " ") if layout.category is not None else ""


def _answered(number: int, cells: Sequence[str], layout: Layout) -> Block:
    question = layout.question or 0
    lines = [cells[question]]
    marked = marked_in(cells, layout.headers, layout.choices)
    # Two different marks contradict each other, so neither counts.
    chosen = list(dict.fromkeys(choice_of(layout.headers[i]) for i in marked))
    chosen = chosen if len(chosen) == 1 else []
    written = cells[layout.answer] if layout.answer is not None else ""
    # "See above" points to an earlier answer, or to a row that cannot be found for certain.
    is_elsewhere = points_elsewhere(written)
    answer = "" if is_elsewhere or is_placeholder(written) else written
    comments = cells[layout.comments] if layout.comments is not None else ""
    if chosen or answer:
        lines.append("Answer: " + " ".join([*chosen, *([answer] if answer else [])]))
    if comments and not is_placeholder(comments):
        lines.append(f"Comments: {comments}")
    used = {question, layout.answer, layout.comments, layout.category}
    # A choice that holds words, not a mark, is kept like any other column.
    used |= {i for i in layout.choices if chosen and (i in marked or is_no_mark(cells[i]))}
    others = [i for i, cell in enumerate(cells) if cell and i not in used]
    boxes = {i for i in layout.choices if is_no_mark(cells[i])}
    silent = [i for i in others if i in boxes or i == layout.answer or says_nothing(layout, i) or is_status(layout, i)]
    is_answered = len(lines) > 1 or len(silent) < len(others)
    if not answer and not chosen and (marked or (layout.answer is not None and any(cells[i] for i in layout.earlier))):
        # The comment may be on the earlier answer, or on either of two marks.
        is_answered = False
    lines += _named(cells, layout, others)
    if is_elsewhere and layout.answer is not None:
        lines.append(f"{heading(layout, layout.answer)} (column {_letters(layout.answer)}): {written}")
    kind: ElementKind = "row" if is_answered else "question"
    return Block(kind, "\n".join(lines), row_number=number, section=_section(cells, layout))
