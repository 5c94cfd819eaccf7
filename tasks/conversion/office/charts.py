"""Reader of charts and diagrams (SmartArt) in slides and Word files.

Their figures and words are in separate parts of the package, which the readers of slides and paragraphs do not open. A
chart is read as the table of its values: its title and the names of its series, then a row for each category.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from tasks.conversion.document.assembly import Block
from tasks.conversion.layout.table_columns import EMPTY_CELL
from tasks.conversion.layout.tables import CELL_SEPARATOR, table_html
from tasks.conversion.sheets.number_formats import cell_text
from tasks.text.characters import clean_block, clean_line

_A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_C = "{http://schemas.openxmlformats.org/drawingml/2006/chart}"
_DIAGRAM = "{http://schemas.openxmlformats.org/drawingml/2006/diagram}"
R = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
_MOST_POINTS = 200
"""Maximum number of a series' points that are read: of a chart with more, only the title and the series' names."""


class _Series(NamedTuple):
    """A series of a chart: its name, and its points as pairs of category (or value on the other axis) and value."""

    name: str
    points: list[tuple[str, str]]


def drawn_blocks(drawing: Any, part: Any) -> list[Block]:
    """The blocks of the charts and diagrams in ``drawing``, an lxml element of the package part ``part``.

    None for any other drawing. A chart or diagram that is missing or of an unknown structure is left out.
    """
    blocks: list[Block] = []
    for chart in drawing.iter(_C + "chart"):
        blocks += _chart(_related(part, chart.get(R + "id")))
    for diagram in drawing.iter(_DIAGRAM + "relIds"):
        blocks += _diagram(_related(part, diagram.get(R + "dm")))
    return blocks


def _related(part: Any, relation: str | None) -> Any:
    """The parsed part that ``part`` relates to by that id; None where it is missing, external or broken."""
    from lxml import etree
    from pptx.oxml import parse_xml

    found = part.rels.get(relation)
    if found is None or found.is_external:
        return None
    try:
        return parse_xml(found.target_part.blob)
    except etree.XMLSyntaxError:
        # A broken drawing must not make the words around it unreadable.
        return None


def _chart(space: Any) -> Iterator[Block]:
    """Yield a chart as a block with a table; nothing where the chart is missing or has no values."""
    if space is None or space.find(_C + "chart") is None:
        return
    titles = space.iterfind(f"{_C}chart/{_C}title")
    title = clean_line(" ".join(text.text or "" for title in titles for text in title.iter(_A + "t", _C + "v")))
    series = [_series(one) for one in space.iter(_C + "ser")]
    if not series:
        return
    rows: list[list[str]] = []
    first = [category for category, _ in series[0].points]
    if all([category for category, _ in one.points] == first for one in series):
        rows.append([title, *(one.name for one in series)])
        rows += [[category, *(one.points[at][1] for one in series)] for at, category in enumerate(first)]
    else:
        for one in series:
            rows += [[title, one.name], *map(list, one.points)]
    lines = [CELL_SEPARATOR.join(filter(None, row)) for row in rows]
    if any(lines):
        yield Block("table", "\n".join(filter(None, lines)), html=table_html(rows))


def _series(series: Any) -> _Series:
    name = clean_line(" ".join(value.text or "" for value in series.iterfind(f"{_C}tx//{_C}v")))
    values = _values(series.find(_C + "val"), series.find(_C + "yVal"))
    names = _values(series.find(_C + "cat"), series.find(_C + "xVal"))
    at = sorted({*values, *names})
    if len(at) > _MOST_POINTS:
        return _Series(name, [])
    return _Series(name, [(names.get(i, str(i + 1)), values.get(i, EMPTY_CELL)) for i in at])


def _values(*found: Any) -> dict[int, str]:
    """The values that a chart caches of the first axis that is there, by index; labels on levels are joined."""
    axis = next((one for one in found if one is not None), None)
    if axis is None:
        return {}
    levels = [*axis.iter(_C + "lvl")][::-1] or [axis]
    format_code = axis.findtext(f".//{_C}formatCode") or ""
    is_number = next(axis.iter(_C + "numCache", _C + "numLit"), None) is not None
    said: dict[int, str] = {}
    points = [{int(point.get("idx", 0)): point for point in level.iter(_C + "pt")} for level in levels]
    for at in sorted(points[-1]):
        # An outer label is stored once, at the first of the inner labels that it covers.
        own = [point[max(i for i in point if i <= at)] for point in points if any(i <= at for i in point)]
        values = [(one.findtext(_C + "v") or "", one.get("formatCode") or format_code) for one in own]
        said[at] = " / ".join(_shown(*value) if is_number else clean_line(value[0]) for value in values)
    return said


def _shown(value: str, format_code: str) -> str:
    """A chart's value as its number format shows it; the cleaned text where it is no number."""
    from openpyxl.styles.numbers import is_date_format
    from openpyxl.utils.datetime import from_excel

    try:
        number = float(value)
        return cell_text(from_excel(number) if is_date_format(format_code) else number, format_code)
    except (ValueError, OverflowError):
        return clean_line(value)


def _diagram(model: Any) -> Iterator[Block]:
    """Yield the texts of a diagram, a list item for each node, in outline order: children after their parent."""
    if model is None:
        return
    points = {point.get("modelId"): point for point in model.iter(_DIAGRAM + "pt")}
    for name in _in_order(model, points):
        point = points[name]
        if point.get("type", "node") == "node":
            paragraphs = ("".join(text.text or "" for text in one.iter(_A + "t")) for one in point.iter(_A + "p"))
            if said := clean_block("\n".join(paragraphs)):
                yield Block("list_item", said)


def _in_order(model: Any, points: Mapping[str | None, Any]) -> Iterator[str | None]:
    """Yield the ids of the diagram's points from the top down, each once; unconnected points come last."""
    below: dict[str | None, list[tuple[int, str | None]]] = defaultdict(list)
    for link in model.iter(_DIAGRAM + "cxn"):
        if link.get("type", "parOf") == "parOf":
            order = link.get("srcOrd", "0")
            below[link.get("srcId")].append((int(order) if order.isdecimal() else 0, link.get("destId")))
    seen: set[str | None] = set()
    tops = [name for name, point in points.items() if point.get("type") == "doc"]
    waiting = [*reversed(list(points)), *reversed(tops)]
    while waiting:
        name = waiting.pop()
        if name in points and name not in seen:
            seen.add(name)
            yield name
            waiting += [other for _, other in sorted(below[name], key=lambda one: one[0], reverse=True)]
