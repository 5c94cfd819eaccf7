"""A questionnaire in the making: each cell is written together with what it means to whoever must answer."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping, Sequence
from datetime import date
from typing import NamedTuple

from lxml import etree
from openpyxl import Workbook
from openpyxl.cell.cell import MergedCell
from openpyxl.styles import Alignment, Font, PatternFill
from openpyxl.worksheet.datavalidation import DataValidation

Value = str | int | float | date | None
_MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
_HEAD, _SECTION = PatternFill("solid", fgColor="1F3864"), PatternFill("solid", fgColor="D9E2F3")
_WRAP = Alignment(wrap_text=True, vertical="top")


class Asked(NamedTuple):
    """A question that a proposal writer would answer, and where the answer goes.

    ``row`` counts from 1, as a spreadsheet does; in a CSV it counts records, however many lines they take. A reader
    that puts something before ``text``, such as the number or the lead-in above it, still has the question.
    """

    sheet: str
    """Empty in a CSV."""
    row: int
    text: str
    """As it stands in its cell."""
    answer: str | None
    """Where the answer is written; None where no cell, or more than one, would do, so that a person must choose.

    Beside a cell for the verdict and another for words, this is the verdict's, and ``comment`` the other; beside
    columns to tick, it is that for words.
    """
    verdicts: Mapping[str, str]
    """Cells to tick for "yes", "partial", "no" and "na"; empty where nothing is ticked."""
    comment: str | None = None
    """A cell for explanations or evidence beside the answer: words may as well go there."""
    given: str = ""
    """What the answer's cell says already."""
    ticked: str = ""
    """The verdict that is ticked already."""
    variants: tuple[str, ...] = ()
    """Other texts of the question that are as right: without its number, or in the other language."""
    parts: tuple[str, ...] = ()
    """The questions in a cell that holds several: it is as right to ask each, all with the same answer cell."""


class Layout(NamedTuple):
    """A questionnaire with all that it asks."""

    name: str
    file_name: str
    data: bytes
    questions: tuple[Asked, ...]
    """All of them, by sheet and row: what is neither here nor in ``either`` is no question."""
    not_questions: tuple[str, ...]
    """Texts that must not be asked: none of them is all that a question says."""
    either: tuple[str, ...] = ()
    """Labels of facts about the company, and lead-ins: they may be asked or left."""


class Page:
    """A sheet of a form."""

    def __init__(self, form: Form, title: str) -> None:
        self.form = form
        self.sheet = form.book.create_sheet(title)
        self.cached: dict[str, str | int | float] = {}
        self.placeholders: dict[str, str] = {}

    def say(self, row: int, **cells: Value) -> None:
        """Write cells of which nothing more is told."""
        for column, value in cells.items():
            cell = self.sheet[f"{column}{row}"]
            cell.value = value
            cell.alignment = _WRAP

    def refuse(self, row: int, over: str = "", **cells: Value) -> None:
        """Write cells whose texts must not be asked, merged ``over`` a range where one is named."""
        self.say(row, **cells)
        self.form.refused += [value for value in cells.values() if isinstance(value, str)]
        if over:
            self.merge(over)

    def head(self, row: int, is_plain: bool = False, **cells: Value) -> None:
        """Write the heads of columns."""
        self.refuse(row, "", **cells)
        if not is_plain:
            self._set_off(row, cells, Font(bold=True, color="FFFFFF"), _HEAD)

    def section(self, row: int, over: str = "", **cells: Value) -> None:
        """Write the title of a part, which is no question."""
        self.refuse(row, over, **cells)
        self._set_off(row, cells, Font(bold=True), _SECTION)

    def lead(self, row: int, **cells: Value) -> None:
        """Write cells that may be asked or left: labels of facts, and lead-ins to questions."""
        self.say(row, **cells)
        self.form.either += [value for value in cells.values() if isinstance(value, str)]

    def ask(
        self,
        row: int,
        column: str,
        text: str,
        answer: str | None = None,
        *,
        comment: str | None = None,
        verdicts: Mapping[str, str] | None = None,
        given: str = "",
        ticked: str = "",
        placeholder: str = "",
        variants: Sequence[str] = (),
        parts: Sequence[str] = (),
        **cells: Value,
    ) -> None:
        """Write a question, and the other cells of its row.

        Where the answer goes is told by a column of the same row or by a whole cell. A ``placeholder`` stands in the
        answer's cell without being an answer.
        """
        self.say(row, **{column: text}, **cells)
        ticks = {verdict: _cell(at, row) for verdict, at in (verdicts or {}).items()}
        place = _cell(answer, row) if answer else None
        if place and (given or placeholder):
            self.sheet[place].value = given or placeholder
        if ticked:
            self.sheet[ticks[ticked]].value = "x"
        self.form.asked.append(
            Asked(
                self.sheet.title,
                row,
                text,
                place,
                ticks,
                _cell(comment, row) if comment else None,
                given,
                ticked,
                tuple(variants),
                tuple(parts),
            )
        )
        if placeholder and place:
            self.placeholders[place] = placeholder

    def formula(self, row: int, column: str, formula: str, value: str | int | float, refuse: bool = False) -> None:
        """Write a formula together with the value that a spreadsheet would have kept of it."""
        if refuse:
            self.form.refused.append(str(value))
        self.sheet[f"{column}{row}"].value = formula
        self.cached[f"{column}{row}"] = value

    def merge(self, *ranges: str) -> None:
        """Merge each range into one cell."""
        for one in ranges:
            self.sheet.merge_cells(one)

    def widths(self, **widths: int) -> None:
        """Set columns' widths."""
        for column, width in widths.items():
            self.sheet.column_dimensions[column].width = width

    def choose(self, cells: str, *choices: str) -> None:
        """Let those cells be chosen from a list."""
        rule = DataValidation(type="list", formula1=f'"{",".join(choices)}"', allow_blank=True)
        for one in cells.split():
            rule.add(one)
        self.sheet.add_data_validation(rule)

    def _set_off(self, row: int, cells: Mapping[str, Value], font: Font, fill: PatternFill) -> None:
        for column in cells:
            cell = self.sheet[f"{column}{row}"]
            cell.font, cell.fill = font, fill

    def check(self, asked: Asked) -> None:
        """See that the cells to fill are cells of their own, which say what they should."""
        placeholder = self.placeholders.get(asked.answer or "", "")
        for place in (asked.answer, asked.comment, *asked.verdicts.values()):
            if place:
                cell = self.sheet[place]
                assert not isinstance(cell, MergedCell), place
                assert place == asked.answer or not cell.value or asked.ticked, place
                assert place != asked.answer or (cell.value or "") == (asked.given or placeholder), place


class Form:
    """A workbook in the making, and what it asks so far."""

    def __init__(self, name: str, file_name: str) -> None:
        self.name, self.file_name = name, file_name
        self.book = Workbook()
        self.book.remove(self.book.active)
        self.asked: list[Asked] = []
        self.refused: list[str] = []
        self.either: list[str] = []
        self.pages: list[Page] = []

    def page(self, title: str) -> Page:
        """Add a sheet."""
        self.pages.append(Page(self, title))
        return self.pages[-1]

    def layout(self) -> Layout:
        """The workbook, with all that it asks by sheet and row."""
        out = io.BytesIO()
        self.book.save(out)
        order = [page.sheet.title for page in self.pages]
        for one in self.asked:
            self.pages[order.index(one.sheet)].check(one)
        asked = sorted(self.asked, key=lambda one: (order.index(one.sheet), one.row))
        return told(self.name, self.file_name, self._with_values(out.getvalue()), asked, self.refused, self.either)

    def _with_values(self, data: bytes) -> bytes:
        """The workbook with the values of its formulas, which openpyxl leaves out."""
        names = {
            f"xl/worksheets/sheet{number}.xml": page.cached
            for number, page in enumerate(self.pages, start=1)
            if page.cached
        }
        if not names:
            return data
        out = io.BytesIO()
        with zipfile.ZipFile(io.BytesIO(data)) as package, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as changed:
            for entry in package.namelist():
                raw = package.read(entry)
                changed.writestr(entry, _keep(raw, names[entry]) if entry in names else raw)
        return out.getvalue()


def told(
    name: str,
    file_name: str,
    data: bytes,
    asked: Sequence[Asked],
    refused: Sequence[str],
    either: Sequence[str] = (),
) -> Layout:
    """The layout, once it is sure that it does not contradict itself."""
    said = {text for one in asked for text in (one.text, *one.variants, *one.parts)}
    assert said.isdisjoint(refused) and said.isdisjoint(either), said.intersection((*refused, *either))
    assert set(refused).isdisjoint(either), set(refused).intersection(either)
    places = [(one.sheet, one.row, one.text) for one in asked]
    assert len(set(places)) == len(places)
    filled = [(one.sheet, one.answer) for one in asked if one.answer]
    assert len(set(filled)) == len(filled)
    return Layout(name, file_name, data, tuple(asked), tuple(dict.fromkeys(refused)), tuple(dict.fromkeys(either)))


def _cell(place: str, row: int) -> str:
    return place if place[-1].isdigit() else f"{place}{row}"


def _keep(raw: bytes, cached: Mapping[str, str | int | float]) -> bytes:
    root = etree.fromstring(raw)
    left = dict(cached)
    for cell in root.iter(f"{_MAIN}c"):
        value = left.pop(str(cell.get("r")), None)
        if value is None:
            continue
        kept = cell.find(f"{_MAIN}v")
        if kept is None:
            kept = etree.SubElement(cell, f"{_MAIN}v")
        kept.text = str(value)
        if isinstance(value, str):
            cell.set("t", "str")
        else:
            cell.attrib.update({"t": "n"})
    assert not left, left
    return etree.tostring(root, xml_declaration=True, encoding="UTF-8", standalone=True)
