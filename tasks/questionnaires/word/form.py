"""A Word file as a form: its tables and running text as grids, with the place of every answer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from tasks.questionnaires.formats.grid import Area, Grid, Validation
from tasks.questionnaires.word.check_boxes import has_controls
from tasks.questionnaires.word.markup import WordPackage, attribute, is_prompting, name_of, open_word, paragraph_text
from tasks.questionnaires.word.numbering import BULLET, Numbering, Styles
from tasks.questionnaires.word.paragraphs import Asked, Block, read_running_text
from tasks.questionnaires.word.places import Place, cell_paragraphs, takes_text
from tasks.questionnaires.word.tables import cells_of, has_columns, read_table

PARAGRAPHS = "paragraphs"
"""The name of the grid of the running text, whose rows are the paragraphs by number."""
_BULLETS = tuple(f"{sign}{space}" for sign in "•▪◦‣·–-" for space in " \t")
QUESTION, ANSWER, COMMENT = 1, 2, 3
"""The columns of the grid of the running text."""


@dataclass(frozen=True, slots=True)
class WordForm:
    """An opened form: its package, a grid for each table, the questions of the running text with their grid.

    ``places`` are by grid, row and column; ``order`` counts them in reading order.
    ``sections`` are the headings above each table.
    """

    package: WordPackage
    tables: tuple[Grid, ...]
    asked: tuple[Asked, ...]
    running_text: Grid
    places: Mapping[tuple[str, int, int], Place]
    order: Mapping[tuple[str, int], int]
    sections: Mapping[str, str]


class _Walk:
    """A walk over the body in reading order."""

    def __init__(self, numbering: Numbering, styles: Styles) -> None:
        self.numbering, self.styles = numbering, styles
        self.blocks: list[Block] = []
        self.tables: list[Grid] = []
        self.places: dict[tuple[str, int, int], Place] = {}
        self.order: dict[tuple[str, int], int] = {}
        self._numbers = 0

    def go(self, holder: Any, control: Any | None = None) -> None:
        for child in holder.iterchildren():
            name = name_of(child)
            if name == "p":
                self._paragraph(child, control=control)
            elif name == "tbl":
                self._table(child)
            elif name == "sdt" and not _is_contents(child):
                self.go(child.find("{*}sdtContent"), child if takes_text(child) else None)
            elif name in ("customXml", "ins", "moveTo", "smartTag"):
                self.go(child, control)

    def _paragraph(self, paragraph: Any, cell: tuple[Any, ...] = (), control: Any | None = None) -> None:
        self._numbers += 1
        self.order[PARAGRAPHS, self._numbers] = len(self.order)
        level = self.styles.heading_level(paragraph)
        label = self.numbering.label(paragraph)
        text = "" if control is not None and is_prompting(control) else paragraph_text(paragraph).strip()
        is_item = label == BULLET or text.startswith(_BULLETS)
        self.blocks.append(
            Block(
                self._numbers,
                paragraph,
                text,
                has_controls(paragraph, text),
                label.strip(BULLET),
                level,
                cell,
                control,
                is_item,
            )
        )

    def _table(self, table: Any) -> None:
        cells = cells_of(table)
        if not cells:
            return
        if not has_columns(cells):
            for cell in cells:
                paragraphs = cell_paragraphs(cell.element)
                control = cell.control if cell.control is not None and takes_text(cell.control) else None
                for paragraph in paragraphs:
                    self._paragraph(paragraph, paragraphs, control)
                for nested in cell.element.iterchildren("{*}tbl"):
                    self._table(nested)
            return
        name = f"table {len(self.tables) + 1}"
        self.blocks.append(Block(0, table, wall=name))
        read = read_table(name, cells, self.numbering)
        self.tables.append(read.grid)
        for (row, column), place in read.places.items():
            self.places[name, row, column] = place
            self.order.setdefault((name, row), len(self.order))
        for cell in cells:
            for nested in cell.element.iterchildren("{*}tbl"):
                self._table(nested)


def read_form(data: bytes, file_name: str) -> WordForm:
    """Read a Word file as a form. Raises UsageError for an encrypted file and for another kind of package.

    Errors of a damaged package are for :func:`tasks.questionnaires.formats.package.refusing_damage`.
    """
    package = open_word(data, file_name)
    styles = Styles(package.related("styles"))
    walk = _Walk(Numbering(package.related("numbering"), styles), styles)
    for body in package.root.iterchildren("{*}body"):
        walk.go(body)
    asked, sections = read_running_text(walk.blocks)
    for one in asked:
        walk.places[PARAGRAPHS, one.number, ANSWER] = one.answer
        if one.comment:
            walk.places[PARAGRAPHS, one.number, COMMENT] = one.comment
    return WordForm(package, tuple(walk.tables), asked, _running_text(asked), walk.places, walk.order, sections)


def _running_text(asked: tuple[Asked, ...]) -> Grid:
    texts: dict[int, dict[int, str]] = {}
    for one in asked:
        cells = {QUESTION: one.text, ANSWER: one.answer.text, COMMENT: one.comment.text if one.comment else ""}
        texts[one.number] = {column: text for column, text in cells.items() if text}
    return Grid(PARAGRAPHS, texts, validations=tuple(_validations(asked)), width=COMMENT)


def _validations(asked: tuple[Asked, ...]) -> Iterator[Validation]:
    for one in asked:
        for column, place in ((ANSWER, one.answer), (COMMENT, one.comment)):
            if place and (place.choices or place.max_characters):
                yield Validation((Area(one.number, column, one.number, column),), place.choices, place.max_characters)


def _is_contents(control: Any) -> bool:
    """Tell if a content control holds a table of contents or another building block of Word's."""
    gallery = attribute(control.find("{*}sdtPr/{*}docPartObj/{*}docPartGallery"), "val") or ""
    return "contents" in gallery.casefold() or "bibliograph" in gallery.casefold()
