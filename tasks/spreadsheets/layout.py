"""Layout of a sheet: its header row, and the role of each column: question, answer, comments, choices."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from tasks.spreadsheets.answer_column_recency import BARE, BARE_OLD, Ages, compare_ages
from tasks.spreadsheets.choice_columns import GRADE, choice_columns, is_choice, names_choice
from tasks.spreadsheets.header_words import (
    ANSWER,
    CATEGORY,
    COMMENT,
    CUSTOMERS,
    DONE,
    HEADER_WORD,
    NUMBER,
    QUESTION,
    STRONG_QUESTION,
    heads_answers,
    heads_comments,
    heads_questions,
    heads_verdicts,
    is_asked,
    reads_as_question,
    tells_scope,
    tells_whether,
)
from tasks.spreadsheets.numeric_headings import first_column, heads_figures, is_record, names_term
from tasks.spreadsheets.question_labels import bare_kind, is_label, numbers_questions
from tasks.spreadsheets.row import SheetRow, values_below
from tasks.spreadsheets.spanned_headers import answers_apart, header_of

HEADER_SEARCH_ROWS = 40
MAX_HEADER_CHARACTERS = 80
ROWS_BELOW = 5
"""Number of rows that are compared with the row above them to find out if it is their header."""


@dataclass(frozen=True, slots=True)
class Layout:
    """The roles of a sheet's columns, by index from 0. ``question`` is None where it is no questionnaire.

    ``choices`` are columns named Yes, No or N/A, or by numbers, in which a mark is the answer. ``earlier`` are columns
    of superseded answers and comments. Where there is no ``answer``, each of ``several`` is about the question, and
    none alone is the answer to it. ``groups`` are the upper headings that tell equal headings apart, or in a table
    those over several columns, "" for all others. A header of several rows begins at ``first_header`` and ends at
    ``header_index``.
    """

    header_index: int
    headers: tuple[str, ...]
    question: int | None = None
    answer: int | None = None
    comments: int | None = None
    category: int | None = None
    choices: tuple[int, ...] = ()
    earlier: tuple[int, ...] = ()
    several: tuple[int, ...] = ()
    groups: tuple[str, ...] = ()
    first_header: int = 0

    @property
    def roles(self) -> frozenset[int | None]:
        """The columns with a role, without ``several``."""
        one_each = (self.question, self.answer, self.comments, self.category)
        return frozenset((*one_each, *self.choices, *self.earlier))

    @property
    def id_column(self) -> int | None:
        """The column before the questions that numbers them; None where there is none."""
        return next((i for i in range(self.question or 0) if NUMBER.search(self.headers[i])), None)

    def heading(self, column: int) -> str:
        """The heading of a column, "" where it has none."""
        return self.headers[column] if column < len(self.headers) else ""

    def says_nothing(self, column: int) -> bool:
        """Tell if ``column`` holds no answer: it is the customer's own, an earlier answer, or the applicability of the
        question.
        """
        # Answers never stand before the question.
        is_in_front = column < (self.question or 0) < (self.answer or 0)
        is_beside = tells_scope(self.heading(column)) and column not in self.several
        return is_in_front or is_beside or column in self.earlier or is_asked(self.heading(column))

    def is_category(self, row: SheetRow) -> bool:
        """Tell if a row below the header is a title: one short cell, in front, that asks nothing.

        In a table a row that looks as the others do is a record that nobody has filled in.
        """
        filled = row.filled
        if len(filled) != 1 or row.is_partial or (row.is_plain and self.question is None):
            return False
        text = row.cells[filled[0]]
        limit = max(1, self.question or 0)
        return filled[0] <= limit and len(text) <= 100 and not reads_as_question(text) and not text.endswith(".")


def find_layout(rows: Sequence[SheetRow]) -> Layout | None:
    """Find the sheet's header row and columns; None where no row among the first forty reads as a header."""
    first = find_header(rows)
    if first is None:
        return None
    first = next((at for at in range(max(0, first - 2), first) if at + header_of(rows[at:]).rows > first), first)
    header = header_of(rows[first:])
    last, spans = first + header.rows - 1, header.spans
    lines = rows[first : last + 1]
    # The heading of a column is that of the last of them with a cell there.
    headers = tuple(
        next(filter(None, (line.cell(i) for line in reversed(lines))), "")
        for i in range(max(len(line.cells) for line in lines))
    )
    body = rows[last + 1 :]
    table = Layout(last, headers, groups=spans, first_header=first)
    question = _question_column(headers, body)
    if question is None:
        return table
    groups = _groups(rows[:last], rows[last].number, headers)
    layout = replace(table, question=question, groups=groups, several=answers_apart(spans, headers))
    layout = _with_answers(layout, body, choice_columns(headers, body, question))
    is_answered = layout.answer is not None or layout.choices or layout.earlier or layout.several
    return layout if is_answered else table


def _with_answers(layout: Layout, body: Sequence[SheetRow], marked: Sequence[int]) -> Layout:
    """Add the answer, comment and category columns to the layout; the columns ``marked`` are for marks."""
    headers, question = layout.headers, layout.question or 0
    full = [f"{group} {header}".strip() for group, header in zip(layout.groups, headers, strict=True)]
    free = [i for i in range(len(headers)) if i != question and i not in marked]
    free = [i for i in free if not (heads_answers(headers[i]) and _names_questions(body, i, question))]
    chosen = compare_ages(marked, full)
    choices = tuple(i for i in marked if i not in chosen.earlier)
    answers = _answers(layout, body, free, full) if not marked else _named_answers(free, full)
    if not answers.known and len(layout.several) == 1:
        answers = Ages(layout.several[0], ())
    is_theirs = answers.latest is not None and CUSTOMERS.search(headers[answers.latest]) is not None
    before = Ages(answers.latest, (*answers.earlier, *chosen.earlier))
    several: tuple[int, ...] = ()
    if answers.latest is None and not marked and not before.earlier:
        several = layout.several or tuple(i for i in free if heads_answers(full[i]))
        if not several:
            return layout
    behind = [i for i in free if i > question and i not in before.known]
    remarks = [i for i in behind if heads_comments(headers[i]) and (is_theirs or not CUSTOMERS.search(headers[i]))]
    comments = _comments(before, choices, remarks, full)
    if comments.latest is None and answers.latest is not None and heads_verdicts(headers[answers.latest]):
        # "Compliant (Y/N)" beside "Response": the second column has the words.
        right = (i for i in behind if i > answers.latest and heads_answers(headers[i]))
        comments = comments._replace(latest=next((i for i in right if not heads_verdicts(headers[i])), None))
    earlier = {*before.earlier, *comments.earlier, *(i for i in free if BARE_OLD.fullmatch(headers[i].strip()))}
    rest = (i for i in free if i not in {*earlier, *several, answers.latest, comments.latest})
    return replace(
        layout,
        answer=answers.latest,
        comments=comments.latest,
        category=next((i for i in rest if CATEGORY.search(headers[i])), None),
        choices=choices,
        earlier=tuple(sorted(earlier)),
        several=several,
    )


def _names_questions(body: Sequence[SheetRow], column: int, question: int) -> bool:
    """Tell if a column holds only labels or, before the questions, their numbers: these are no answers."""
    values = values_below(body, column)
    return numbers_questions(values) and (column < question or all(map(is_label, values)))


def _named_answers(free: Sequence[int], headers: Sequence[str]) -> Ages:
    """Find the latest and the superseded among those of the columns ``free`` with an answer's heading."""
    named = [i for i in free if heads_answers(headers[i]) and not tells_scope(headers[i])]
    for is_other in (CUSTOMERS.search, tells_whether):
        named = [i for i in named if not is_other(headers[i])] or named
    if len(named) > 1 and all(tells_whether(headers[i]) for i in named):
        # Of several yes/no columns the answer is the one that asks if the control is in place, or none.
        named = [i for i in named if DONE.search(headers[i])]
    return compare_ages(named, headers)


def _answers(layout: Layout, body: Sequence[SheetRow], free: Sequence[int], headers: Sequence[str]) -> Ages:
    """Find the latest and the superseded answers among the columns ``free``, in a sheet without columns for marks."""
    answers = _named_answers(free, headers)
    question = layout.question or 0
    if answers.known or layout.several:
        return answers
    # "Previous" beside "Current" is enough; "Current" alone may stand beside "Target".
    bare = [i for i in free if BARE.fullmatch(headers[i].strip())]
    ages = compare_ages(bare, headers)
    asked = values_below(body, question)
    # A column of requirements may list changes to them.
    asks = STRONG_QUESTION.search(headers[question]) or 2 * sum(map(reads_as_question, asked)) >= len(asked)
    if ages.earlier and (asks or any(map(names_choice, (value for i in bare for value in values_below(body, i))))):
        return ages
    if not STRONG_QUESTION.search(headers[question]):
        return answers
    # Beside a question, a column of comments is the answer where no other column is.
    words = [i for i in free if i > question and heads_comments(headers[i]) and not CUSTOMERS.search(headers[i])]
    return compare_ages(words, headers)


def _groups(above: Sequence[SheetRow], number: int, headers: Sequence[str]) -> tuple[str, ...]:
    """The heading in the row right above the header of each heading that repeats, as "2024" over Yes; "" for others."""
    if not above or above[-1].number != number - 1:
        return ("",) * len(headers)
    over: list[str] = []
    for cell in map(above[-1].cell, range(len(headers))):
        over.append(cell or "".join(over[-1:]))
    under: dict[str, set[str]] = defaultdict(set)
    for cell, group in zip(headers, over, strict=True):
        under[cell].add(group)
    is_told = {cell: cell != "" and 1 < headers.count(cell) == len(groups) for cell, groups in under.items()}
    return tuple(group if is_told[cell] else "" for cell, group in zip(headers, over, strict=True))


def _comments(answers: Ages, choices: Sequence[int], remarks: Sequence[int], headers: Sequence[str]) -> Ages:
    """Find the comment columns among ``remarks`` on the latest answer and on earlier ones."""
    latest = answers.latest if answers.latest is not None else min(choices, default=None)
    before = [i for i in answers.earlier if latest is None or i < latest]
    # A comment column between an earlier answer and the latest is on the earlier answer.
    ours = [i for i in remarks if not before or i < before[0] or (latest is not None and i > latest)]
    compared = compare_ages(ours, headers)
    return Ages(compared.latest, (*compared.earlier, *(i for i in remarks if i not in ours)))


def find_header(rows: Sequence[SheetRow]) -> int | None:
    """The index of the row that reads most as a header, or of the first row like it, since a sheet may repeat its
    header; None where no row does.
    """
    scores = [
        # No record stands right above the first row of a table.
        header_score(row, rows[at + 1 : at + 1 + ROWS_BELOW], above.number + 1 < row.number or len(above.texts) == 1)
        for at, (above, row) in enumerate(pairwise([SheetRow(-1, ()), *rows[:HEADER_SEARCH_ROWS]]))
    ]
    if max(scores, default=0) <= 0:
        return None
    best = scores.index(max(scores))
    return next((at for at in range(best) if repeats(rows[at], rows[best])), best)


def repeats(row: SheetRow, header: SheetRow) -> bool:
    """Tell if a row equals the header, but for one cell that may name a section."""
    same = sum(cell == other for cell, other in zip(row.texts, header.texts, strict=False))
    return row.filled == header.filled and same > 1 and same >= len(header.texts) - 1


def header_score(row: SheetRow, below: Sequence[SheetRow], is_first: bool = False) -> float:
    """Score how much a row reads as a header of the rows below; 0 where it cannot be a header.

    With ``is_first``, labels that hold digits may be headings.
    """
    cells = row.texts
    if len(cells) < 2 or not below or _is_stacked(row, below):
        return 0
    is_certain = any(map(heads_questions, cells))
    loose = _grades_and_equals(row, below) if is_certain else frozenset()
    once = [cell for i, cell in enumerate(row.cells) if cell and i not in loose]
    if len(set(once)) < len(once):
        return 0
    has_no_corner = is_first and first_column([row]) > first_column(below)
    named = [cell for at, cell in enumerate(once) if not ((at or has_no_corner) and names_term(cell, is_first))]
    if any(len(cell) > MAX_HEADER_CHARACTERS or not any(c.isalpha() or c == "#" for c in cell) for cell in named):
        return 0
    asked = [cell for cell in cells if reads_as_question(cell) and not QUESTION.search(cell)]
    # "Compliant?" and "If no, please explain" are headings of answers.
    if any(not is_certain or not (heads_comments(cell) or len(cell.split()) <= 3) for cell in asked):
        return 0
    words = header_words(row)
    # Of many grade columns a row has a mark in only one.
    columns = {*row.filled} - loose or {*row.filled}
    covered = [sum(map(bool, map(other.cell, columns))) / len(columns) for other in below]
    if (max(covered) < 0.5 and words < 2) or (not is_certain and is_record(row, below)):
        return 0
    # The further down, the less likely; a row with no header word needs rows below that differ in kind.
    plain = words == 0
    if plain and not (_differs(row, below, columns) or (is_first and heads_figures(row, below))):
        return 0
    return min(words, 6) + 0.3 * len(cells) + sum(covered) / len(covered) + (0 if plain else 1)


def _is_stacked(row: SheetRow, below: Sequence[SheetRow]) -> bool:
    """Tell if the row is a line of a stacked questionnaire, such as "Answer" and the answer's text: its label returns
    down the column, or it heads neither questions nor any other column of a table.
    """
    first = row.filled[0]
    kind = bare_kind(row.cells[first])
    if kind not in ("question", "answer"):
        return False
    values = values_below([other for other in below if other.cells != row.cells], first)
    if any(bare_kind(value) == "answer" for value in values):
        return True
    beside = row.texts[1:]
    if kind == "question" or any(map(heads_questions, beside)):
        return False
    is_in_front = not any(any(other.cells[:first]) for other in below)
    has_sentence = any(cell.endswith(".") and len(cell.split()) > 3 for cell in beside)
    return numbers_questions(values) or has_sentence or (is_in_front and header_words(row) < 2)


def _grades_and_equals(row: SheetRow, below: Sequence[SheetRow]) -> frozenset[int]:
    """The columns whose headings are choices or repeated, where the rows below hold other values."""
    values = [values_below(below, i) for i in range(len(row.cells))]
    columns = {cell: [i for i, other in enumerate(row.cells) if other == cell] for cell in row.cells if cell}
    found: set[int] = set()
    for cell, own in columns.items():
        held = {value for i in own for value in values[i]}
        is_grade = GRADE.fullmatch(cell.strip()) is not None and not any(c.isdigit() for v in held for c in v)
        if is_grade or names_choice(cell) or (len(own) > 1 and not cell.isdigit() and cell not in held):
            found.update(own)
    return frozenset(found)


def header_words(row: SheetRow) -> int:
    """Count the kinds of header words in the cells of the row."""
    words = (QUESTION, ANSWER, COMMENT, HEADER_WORD)
    return sum(bool(known.search(cell)) for cell in row.texts for known in words)


def _differs(row: SheetRow, below: Sequence[SheetRow], columns: set[int]) -> bool:
    own = sum(len(row.cells[i]) for i in columns) / len(columns)
    values = [cell for other in below for cell in map(other.cell, columns) if cell]
    if not values:
        return False
    numeric = sum(any(c.isdigit() for c in value) for value in values) / len(values)
    clean = not any(c.isdigit() for i in columns for c in row.cells[i])
    return (clean and numeric > 0.2) or sum(map(len, values)) / len(values) > 1.5 * own


def _question_column(headers: Sequence[str], body: Sequence[SheetRow]) -> int | None:
    scores: dict[int, float] = {}
    # Beside answers fewer values need to be questions: a section's name may head the column.
    is_answered = any(map(heads_answers, headers))
    enough = 0.3 if is_answered else 0.6
    for index, header in enumerate(headers):
        values = values_below(body, index)
        if not values or is_choice(header):
            continue
        asking = sum(map(reads_as_question, values)) / len(values)
        length = sum(map(len, values)) / len(values)
        named = bool(QUESTION.search(header)) and not (NUMBER.search(header) and length < 20)
        if length < 12 or (ANSWER.search(header) and not STRONG_QUESTION.search(header)):
            continue
        # "Access shall be logged" is long enough where another column has the answers.
        is_long = length > (20 if is_answered and heads_questions(header) else 40)
        if (named and (asking >= 0.2 or is_long or STRONG_QUESTION.search(header))) or asking >= enough:
            scores[index] = asking + 0.5 * named + 0.5 * bool(STRONG_QUESTION.search(header))
    return max(scores, key=scores.__getitem__, default=None)
