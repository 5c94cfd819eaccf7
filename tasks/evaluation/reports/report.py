"""Report as one HTML file that needs no network, no script and no other file: facts, tables, pictures."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib.resources import files
from typing import Any, NamedTuple

from jinja2 import Environment, StrictUndefined
from markupsafe import Markup

from tasks.evaluation.pictures.picture import Picture, Undrawn

NUMBERS_BEGIN = frozenset("0123456789+-\N{MINUS SIGN}\N{EN DASH}[<.") | {""}


class Table(NamedTuple):
    """A table of a report; cells are shown as they are, and every row has as many as there are ``columns``."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    note: str = ""

    @property
    def are_numbers(self) -> list[bool]:
        """Tell for each column if all its cells begin like a figure; never for the first, which names the row."""
        return [at > 0 and all(row[at][:1] in NUMBERS_BEGIN for row in self.rows) for at in range(len(self.columns))]


def table(title: str, columns: Mapping[str, Callable[[Any], str]], rows: Iterable[Any], note: str = "") -> Table:
    """Build the table whose ``columns`` give the cell of each row."""
    return Table(title, list(columns), [[cell(row) for cell in columns.values()] for row in rows], note)


class Report(NamedTuple):
    """Content of a report. ``facts`` are names with values; ``said`` the lines that matter most."""

    title: str
    subtitle: str
    facts: Sequence[tuple[str, str]]
    said: Sequence[str] = ()
    tables: Sequence[Table] = ()


def to_html(
    report: Report, pictures: Sequence[Picture], undrawn: Sequence[Undrawn], draw: Callable[[Picture], str]
) -> str:
    """Render the report as HTML with its pictures as ``draw`` gives them, ``<svg>`` elements; other text is escaped."""
    source = files("tasks.evaluation.reports").joinpath("report.html").read_text(encoding="utf-8")
    template = Environment(autoescape=True, undefined=StrictUndefined).from_string(source)
    drawn = [(picture, Markup(draw(picture))) for picture in pictures]
    return template.render(**report._asdict(), pictures=drawn, undrawn=undrawn)
