"""Tables of a Word file as grids, like sheets, with the place for an answer in each cell."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from tasks.questionnaires.formats.grid import Area, Grid, Validation, by_row
from tasks.questionnaires.word.check_boxes import Boxes, find_boxes, holds_group
from tasks.questionnaires.word.markup import attribute, name_of, paragraph_text
from tasks.questionnaires.word.numbering import BULLET, Numbering
from tasks.questionnaires.word.places import BoxesPlace, CellPlace, MarkPlace, Place, cell_paragraphs, place_in
from tasks.questions.wording import verdict_of


class Cell(NamedTuple):
    """A cell of a table: the element, the content control around it, its row, columns and vertical merge."""

    element: Any
    control: Any | None
    row: int
    left: int
    right: int
    goes_on: bool


@dataclass(frozen=True, slots=True)
class TableGrid:
    """A table as a grid, and the places of its cells by row and column."""

    grid: Grid
    places: Mapping[tuple[int, int], Place]


def cells_of(table: Any) -> list[Cell]:
    """The cells of a table, row by row; rows and columns count from 1."""
    found: list[Cell] = []
    for number, row in enumerate(_inside(table, "tr"), start=1):
        skipped = attribute(row[0].find("{*}trPr/{*}gridBefore"), "val") or "0"
        column = 1 + int(skipped)
        for cell, control in _inside(row[0], "tc"):
            span = int(attribute(cell.find("{*}tcPr/{*}gridSpan"), "val") or 1)
            merge = cell.find("{*}tcPr/{*}vMerge")
            goes_on = merge is not None and attribute(merge, "val") != "restart"
            found.append(Cell(cell, control, number, column, column + span - 1, goes_on))
            column += span
    return found


def has_columns(cells: list[Cell]) -> bool:
    """Tell if some row of the table has more than one cell; else its cells follow each other like paragraphs."""
    rows = [cell.row for cell in cells]
    return len(set(rows)) < len(rows)


def read_table(name: str, cells: list[Cell], numbering: Numbering) -> TableGrid:
    """The grid of a table. A group of check boxes is like a cell with a dropdown, whose choices are their labels."""
    texts: dict[int, dict[int, str]] = {}
    places: dict[tuple[int, int], Place] = {}
    areas: list[Area] = []
    validations: list[Validation] = []
    below = {(one.row, one.left) for one in cells if one.goes_on}
    for cell in cells:
        if cell.goes_on:
            continue
        area = Area(cell.row, cell.left, _bottom(cell, below), cell.right)
        if area.bottom > area.top or area.right > area.left:
            areas.append(area)
        paragraphs = cell_paragraphs(cell.element)
        labels = [numbering.label(one).strip(BULLET) for one in paragraphs]
        text = "\n".join(map(paragraph_text, paragraphs)).strip() or next(filter(None, labels), "")
        boxes = find_boxes(paragraphs)
        place = _place(cell, paragraphs, boxes)
        places[cell.row, cell.left] = place
        text = place.text if not isinstance(place, CellPlace) else text
        if text:
            texts.setdefault(cell.row, {})[cell.left] = text
        if place.choices or place.max_characters:
            _add_validation(validations, area, place)
    _join_boxes(cells, places, texts, validations)
    width, last_row = max(cell.right for cell in cells), max(cell.row for cell in cells)
    grid = Grid(name, texts, merges=by_row(areas, last_row), validations=tuple(validations), width=width)
    return TableGrid(grid, places)


def _add_validation(validations: list[Validation], area: Area, place: Place) -> None:
    """Add the choices of a cell; a column of equal dropdowns has them once."""
    for at, known in enumerate(validations):
        last = known.areas[-1]
        is_below = (last.bottom + 1, last.left, last.right) == (area.top, area.left, area.right)
        if is_below and (known.choices, known.max_characters) == (place.choices, place.max_characters):
            validations[at] = replace(known, areas=(last._replace(bottom=area.bottom),))
            return
    validations.append(Validation((area,), place.choices, place.max_characters))


def _place(cell: Cell, paragraphs: tuple[Any, ...], boxes: Boxes) -> Place:
    if holds_group(boxes) and not boxes.before:
        return BoxesPlace(boxes)
    if len(boxes.choices) == 1 and not boxes.before and _is_bare(boxes):
        return MarkPlace(boxes)
    # A control in the middle of a text is part of a question or of instructions.
    control = place_in(paragraphs, cell.control)
    around = "".join(map(paragraph_text, paragraphs)).strip()
    return control if control is not None and around in ("", control.text) else CellPlace(paragraphs)


def _is_bare(boxes: Boxes) -> bool:
    label = boxes.choices[0].label
    return not label or verdict_of(label, whole=True) is not None


def _join_boxes(
    cells: list[Cell],
    places: dict[tuple[int, int], Place],
    texts: dict[int, dict[int, str]],
    validations: list[Validation],
) -> None:
    """Make single boxes with labels in neighbouring cells ("☐ Yes" | "☐ No") one group, in the first of the cells."""
    rows: dict[int, list[tuple[tuple[int, int], MarkPlace]]] = {}
    for cell in cells:
        place = places.get((cell.row, cell.left))
        if isinstance(place, MarkPlace) and place.boxes.choices[0].label:
            rows.setdefault(cell.row, []).append(((cell.row, cell.left), place))
    for marks in rows.values():
        choices = tuple(choice for _, place in marks for choice in place.boxes.choices)
        joined = Boxes("", choices, "")
        if not holds_group(joined):
            continue
        first = marks[0][0]
        for at, _ in marks:
            places.pop(at)
            texts.get(at[0], {}).pop(at[1], None)
        group = BoxesPlace(joined)
        places[first] = group
        if group.text:
            texts.setdefault(first[0], {})[first[1]] = group.text
        validations.append(Validation((Area(*first, *first),), group.choices))


def _bottom(cell: Cell, below: set[tuple[int, int]]) -> int:
    """The last row of a cell that is merged downwards; ``below`` are the places that go on with the cell above."""
    bottom = cell.row
    while (bottom + 1, cell.left) in below:
        bottom += 1
    return bottom


def _inside(holder: Any, name: str, control: Any | None = None) -> Iterator[tuple[Any, Any | None]]:
    """The rows or cells in a table or row, also those in content controls, with the control around them."""
    for child in holder.iterchildren():
        kind = name_of(child)
        if kind == name:
            yield child, control
        elif kind == "sdt":
            yield from _inside(child.find("{*}sdtContent"), name, child)
        elif kind in ("customXml", "ins", "moveTo"):
            yield from _inside(child, name, control)
