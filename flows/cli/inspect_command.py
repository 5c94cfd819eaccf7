"""`bidfolio inspect` on the command line: what is understood of a questionnaire, before it is answered."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from flows.cli.options import Add
from flows.cli.output.printing import counted, report, tell_warnings

if TYPE_CHECKING:
    from configs.settings import Settings

SHOWN = 8
VIEW_WIDTH = 116
SECTION, TEXT = 30, 72
"""The most characters of a tender's section and requirement that a line shows."""
CELL_WIDTHS = (8, 60)
"""The least and the greatest width of a cell in the view of a sheet."""
MARKS = {
    "title": "T",
    "id": "#",
    "section": "§",
    "question": "Q",
    "answer": "A",
    "comment": "C",
    "yes": "Y",
    "no": "N",
    "partial": "P",
    "not_applicable": "-",
}
"""The mark of each role in the view of a sheet."""


def add_commands(add: Add) -> None:
    """Add the command with its options."""
    inspect = add("inspect", _inspect, "what is understood of a questionnaire: sheets, columns, questions")
    inspect.add_argument("file", metavar="FILE")
    add_reading(inspect)
    inspect.add_argument("--write-map", metavar="MAP.yaml", default="", help="write what was understood, to edit it")


def add_reading(parser: argparse.ArgumentParser) -> None:
    """Add the options by which a person says how a file is read."""
    parser.add_argument(
        "--map",
        metavar="MAP.yaml",
        default="",
        help="the sheets' columns by your word; `inspect --write-map` makes one",
    )
    parser.add_argument(
        "--question-column", metavar="B", default="", help="letter or title of the column that has the questions"
    )


def _inspect(options: argparse.Namespace, settings: Settings) -> int:
    from flows.cli.preflight import check_file
    from flows.inspect import inspect

    check_file(options.file, "bidfolio")
    found = inspect(options.file, settings, options.map, options.question_column, options.write_map)
    tell_warnings(found.report["warnings"])
    summary = found.report | ({"map": found.written} if found.written else {})
    return report(options, summary, list(inspection_lines(found.report, found.views, found.written)))


def inspection_lines(said: dict[str, Any], views: dict[str, Any], written: str) -> Iterator[str]:
    """The lines of a report: a table of columns, the skipped sheets, and a view of each sheet's first rows; of a tender
    its requirements.
    """
    from flows.cli.output.tables import table_lines

    if "requirements" in said:
        yield from _requirements(said)
        return
    tables = said["tables"]
    names = len({table["sheet"] for table in tables})
    yield f"{said['file']}: {counted(said['questions'], 'question')} in {counted(len(tables), 'table')} of " + counted(
        names, "sheet"
    )
    yield ""
    yield from table_lines(("sheet", "row", "questions", "role", "column", "title", "confidence"), _rows(tables))
    for name in dict.fromkeys(table["sheet"] for table in tables):
        own = [table for table in tables if table["sheet"] == name]
        sections = list(dict.fromkeys(section for table in own for section in table["sections"]))
        facts = [fact for table in own for fact in table["facts"]]
        if sections:
            yield f"sections of {_name(name)}: {_shown(sections)}"
        if facts:
            yield f"about your company in {_name(name)}, from the settings or left to a person: {_shown(facts)}"
    yield from (f"skipped: {_name(one['sheet'])}: {one['reason']}" for one in said["skipped"])
    for name, rows in views.items():
        yield ""
        yield from _view(name, rows)
    yield ""
    yield "marks: " + ", ".join(f"{mark} {role.replace('_', ' ')}" for role, mark in MARKS.items())
    if written:
        yield f"the map is in {written}: edit it, and give it with --map"


def _requirements(said: dict[str, Any]) -> Iterator[str]:
    """The requirements of a tender in free text as a table; long texts are cut."""
    from flows.cli.output.tables import table_lines

    found = said["requirements"]
    pages = {one["page"] for one in found} - {None}
    where = f" on {counted(len(pages), 'page')}" if pages else ""
    yield f"{said['file']}: a tender in free text with {counted(len(found), 'requirement')}{where}"
    yield ""
    rows = [
        (one["number"], one["page"], _cut(one["section"].rsplit(" > ", 1)[-1], SECTION), _cut(one["text"], TEXT))
        for one in found
    ]
    yield from table_lines(("number", "page", "section", "requirement"), rows)
    yield ""
    yield "`bidfolio answer` writes a compliance matrix and a response document for them; --json has whole texts"


def _cut(text: str, most: int) -> str:
    plain = " ".join(text.split())
    return plain if len(plain) <= most else f"{plain[: most - 1]}…"


def _rows(tables: Sequence[dict[str, Any]]) -> list[tuple[Any, ...]]:
    rows = []
    for table in tables:
        place: tuple[Any, ...] = (table["sheet"] or "(file)", table["header_row"], table["questions"])
        for column in table["columns"]:
            title = column["title"][:40] or None
            rows.append((*place, column["role"], column["column"], title, f"{column['confidence']:.2f}"))
            place = ("", "", "")
    return rows


def _view(name: str, rows: Sequence[tuple[int, Sequence[tuple[str, str]]]]) -> Iterator[str]:
    """A picture of a sheet in characters: each cell with the mark of its role before its text."""
    from tasks.spreadsheets.row import column_letters

    width = max((len(cells) for _, cells in rows), default=0)
    used = [at for at in range(width) if any(text or role for _, cells in rows for text, role in cells[at : at + 1])]
    rooms = _rooms([max(len(text) for _, cells in rows for text, _ in cells[at : at + 1]) + 2 for at in used])
    yield f"{_name(name)}:"
    yield "     " + " ".join(f"│ {column_letters(at + 1):<{room}}" for at, room in zip(used, rooms, strict=True))
    yield "─────" + "─".join("┼" + "─" * (room + 1) for room in rooms)
    for number, cells in rows:
        shown = (_cell(*cells[at], room) for at, room in zip(used, rooms, strict=True))
        yield f"{number:>4} " + " ".join(f"│ {cell}" for cell in shown)


def _rooms(needed: Sequence[int]) -> list[int]:
    """The width of each column in the view: as needed, or less of the widest where the line would be too long."""
    least, most = CELL_WIDTHS
    rooms = [max(least, min(most, need)) for need in needed]
    while sum(rooms) + 3 * len(rooms) > VIEW_WIDTH and max(rooms) > least:
        rooms[rooms.index(max(rooms))] -= 1
    return rooms


def _cell(text: str, role: str, room: int) -> str:
    rest = room - 2
    mark = MARKS.get(role, " ")
    return f"{mark} " + (text if len(text) <= rest else text[: rest - 1] + "…").ljust(rest)


def _shown(names: Sequence[str]) -> str:
    more = f"; and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return "; ".join(names[:SHOWN]) + more


def _name(sheet: str | None) -> str:
    return f"sheet '{sheet}'" if sheet else "the file"
