"""Blocks of a sheet's rows: titles, records below a header, or the answers to a past questionnaire.

It works on cells as text, so that a workbook's sheet and a CSV file go the same way.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from tasks.conversion.document.assembly import Block
from tasks.conversion.layout.table_columns import EMPTY_CELL
from tasks.conversion.layout.tables import CELL_SEPARATOR
from tasks.conversion.sheets.margin_notes import without_aside
from tasks.questions.review_columns import REVIEW_TITLES, STATUS_TITLE, is_draft
from tasks.questions.wording import is_placeholder
from tasks.records import ElementKind
from tasks.spreadsheets.answer_status import drafts_in, is_status, points_elsewhere
from tasks.spreadsheets.choice_columns import choice_of, is_no_mark, marked_in
from tasks.spreadsheets.continued_rows import with_continuations
from tasks.spreadsheets.label_value_tables import find_pairs
from tasks.spreadsheets.layout import Layout, find_header, find_layout
from tasks.spreadsheets.question_labels import bare_kind
from tasks.spreadsheets.row import SheetRow, column_letters
from tasks.spreadsheets.side_by_side_forms import halves_of
from tasks.spreadsheets.stacked_forms import find_stack
from tasks.spreadsheets.table_boundaries import tables_of

SHEET_TITLE, CATEGORY_TITLE = (0, 0), (1, 0)
_NAMED = re.compile(
    r"(?P<word>[^\W\d_]{3,20} )?(?:(?P<letter>[A-Z])|(?P<number>\d{1,2})|(?P<roman>[IVX]{2,4}))"
    r"(?P<end>[.:)]|\s*[-–—]|\s|$)",
    re.I,
)
"""Pattern of a section's name that differs from the next in its letter or number: "Section B:", "Part 2", "C."."""
_SIGNATURE = re.compile(
    r"(?:signed|signature|signatory|(?:completed|prepared|filled in|submitted) by|unterschrift|unterzeichnet)"
    r"(?: by)?(?: (?:by|for|von|für) [^:?]{1,40}(?=:))?\s*(?::.*)?",
    re.I | re.DOTALL,
)
"""A signature field of the questionnaire, which is no question to answer."""
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
    blocks = _read_rows(rows)
    # "Section A" above a header holds no "Section B" below it.
    below = {_series(block) for block in blocks if block.level == CATEGORY_TITLE} - {()}
    return [
        block._replace(level=CATEGORY_TITLE) if block.level == SHEET_TITLE and _series(block) in below else block
        for block in blocks
    ]


def _series(title: Block) -> tuple[str, ...]:
    """The part of a title's name that it shares with sibling sections; empty where it has no such name."""
    found = _NAMED.match(title.text) if title.kind == "title" else None
    if found is None or not (found["word"] or found["end"].strip()):
        return ()
    kind = next(kind for kind in ("letter", "number", "roman") if found[kind])
    return ((found["word"] or "").casefold(), kind, found["end"].strip())


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
    return row.without(row.filled[1:]) if bare_kind(row.texts[0]) == "answer" else row


def _read_tables(rows: Sequence[SheetRow], drafted: frozenset[int]) -> list[Block]:
    """The blocks of each table; questionnaires side by side come one after the other."""
    blocks: list[Block] = []
    for table in tables_of(rows):
        header = find_header(table)
        for half in [table] if header is None else halves_of(table, header):
            blocks += _read_table(half, drafted)
    return blocks


def _read_table(rows: Sequence[SheetRow], drafted: frozenset[int]) -> list[Block]:
    layout = find_layout(rows)
    pairs = find_pairs(rows) if layout is None or layout.question is None else None
    if pairs is not None:
        return [_pair_block(row, *pairs) for row in rows if row.number not in drafted]
    if layout is None:
        used = frozenset(column for row in rows for column in row.filled)
        return [
            Block("row", CELL_SEPARATOR.join(_apart(row, used)), row_number=row.number)
            for row in rows
            if row.number not in drafted
        ]
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
            blocks.append(_title(row, row.cell(layout.question), CATEGORY_TITLE))
        else:
            blocks.append(_row_block(row, layout))
    return blocks


def _heads_section(row: SheetRow, layout: Layout) -> bool:
    """Tell if a row repeats the header, but with the name of a section above the questions."""
    others = [i for i in row.filled if i != layout.question]
    is_asked = row.cell(layout.question) != "" and len(others) > 1
    return is_asked and all(row.cells[i] == layout.heading(i) for i in others)


def _apart(row: SheetRow, used: frozenset[int]) -> list[str]:
    """The filled cells, with EMPTY_CELL for the empty cells between them in the columns ``used``."""
    if row.is_partial or not row.cells:
        # A formula without its value may be empty or not.
        return row.texts
    return [row.cells[i] or EMPTY_CELL for i in range(row.filled[0], row.filled[-1] + 1) if i in used]


def _without_review(rows: Sequence[SheetRow]) -> tuple[frozenset[int], Sequence[SheetRow]]:
    """The numbers of the rows whose answer is bidfolio's draft, and all rows without its review columns."""
    head = next((at for at, row in enumerate(rows) if STATUS_TITLE in map(str.casefold, row.cells)), None)
    if head is None:
        return frozenset(), rows
    titles = [cell.casefold() for cell in rows[head].cells]
    status, review = titles.index(STATUS_TITLE), {i for i, title in enumerate(titles) if title in REVIEW_TITLES}
    drafted = frozenset(row.number for row in rows[head + 1 :] if is_draft(row.cell(status)))
    cleared = (row.without(review) for row in rows[head:])
    return drafted, [*rows[:head], *(row for row in cleared if row.cells)]


def _title(row: SheetRow, text: str, level: tuple[int, int]) -> Block:
    return Block("title", text.replace("\n", " "), level, row_number=row.number)


def _before_header(row: SheetRow) -> Block:
    cells = row.texts
    if len(cells) == 1 and not row.is_partial and len(cells[0]) <= 120 and not cells[0].endswith("."):
        return _title(row, cells[0], SHEET_TITLE)
    return Block("row", CELL_SEPARATOR.join(cells), row_number=row.number)


def _pair_block(row: SheetRow, label: int, value: int) -> Block:
    if len(row.texts) < 2:
        return _before_header(row)
    name = row.cells[label].rstrip().removesuffix(":")
    return Block("row", f"{name}: {row.cells[value]}", row_number=row.number)


def _row_block(row: SheetRow, layout: Layout) -> Block:
    if layout.is_category(row):
        return _title(row, row.texts[0], CATEGORY_TITLE)
    if asked := row.cell(layout.question):
        if _SIGNATURE.fullmatch(asked.strip()):
            return Block("row", CELL_SEPARATOR.join(row.texts), row_number=row.number)
        return _answered(row, layout)
    return Block("row", "; ".join(_named(row, layout, row.filled)), row_number=row.number)


def _named(row: SheetRow, layout: Layout, columns: Sequence[int]) -> list[str]:
    names = {i: _name(layout, i) for i in columns}
    return [f"{names[i]}: {row.cells[i]}" if names[i] else row.cells[i] for i in columns]


def _name(layout: Layout, column: int) -> str:
    """The name before a cell's text: its heading, made distinct from equal ones and from those of the answer."""
    header = layout.heading(column)
    if column in (layout.answer, layout.comments):
        return header
    if column < len(layout.groups) and layout.groups[column]:
        return f"{layout.groups[column]} {header}".rstrip()
    is_own = layout.question is not None and header in _OWN_NAMES
    is_repeated = is_own or header in layout.headers[:column]
    return f"{header} (column {column_letters(column + 1)})" if header and is_repeated else header


def _question_of_draft(row: SheetRow, layout: Layout) -> list[Block]:
    """The question alone of a row that bidfolio has filled, since any other cell may be a draft."""
    asked = row.cell(layout.question)
    return [Block("question", asked, row_number=row.number, section=_section(row, layout))] if asked else []


def _section(row: SheetRow, layout: Layout) -> str:
    return row.cell(layout.category).replace("\n", " ")


def _answered(row: SheetRow, layout: Layout) -> Block:
    cells = row.padded(len(layout.headers))
    lines = [row.cell(layout.question)]
    marked = marked_in(cells, layout.headers, layout.choices)
    # Two different marks contradict each other, so neither counts.
    chosen = list(dict.fromkeys(choice_of(layout.headers[i]) for i in marked))
    chosen = chosen if len(chosen) == 1 else []
    written, comments = row.cell(layout.answer), row.cell(layout.comments)
    # "See above" points to an earlier answer, or to a row that cannot be found for certain.
    is_elsewhere = points_elsewhere(written)
    answer = "" if is_elsewhere or is_placeholder(written) else written
    if chosen or answer:
        lines.append("Answer: " + " ".join(filter(None, (*chosen, answer))))
    if comments and not is_placeholder(comments):
        lines.append(f"Comments: {comments}")
    used = {layout.question, layout.answer, layout.comments, layout.category}
    # A choice that holds words, not a mark, is kept like any other column.
    used |= {i for i in layout.choices if chosen and (i in marked or is_no_mark(cells[i]))}
    others = [i for i in row.filled if i not in used]
    silent = {i for i in layout.choices if is_no_mark(cells[i])} | {layout.answer}
    is_answered = len(lines) > 1 or not all(
        i in silent or layout.says_nothing(i) or is_status(layout, i) for i in others
    )
    if not answer and not chosen and (marked or (layout.answer is not None and any(cells[i] for i in layout.earlier))):
        # The comment may be on the earlier answer, or on either of two marks.
        is_answered = False
    lines += _named(row, layout, others)
    if is_elsewhere and layout.answer is not None:
        lines.append(f"{layout.heading(layout.answer)} (column {column_letters(layout.answer + 1)}): {written}")
    kind: ElementKind = "row" if is_answered else "question"
    return Block(kind, "\n".join(lines), row_number=row.number, section=_section(row, layout))
