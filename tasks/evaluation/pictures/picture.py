"""Data model of a picture: its numbers, labels and caption, and its rows of the table ``pictures``.

The rows have everything that is drawn, so the picture can be drawn again from them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

Kind = Literal["curves", "dots", "bars", "histograms", "scatter", "matrix"]


class Point(NamedTuple):
    """A data point of a picture, with its series and label.

    ``low`` and ``high`` are the ends of its interval, or the edges of its bin; ``n`` is the number of cases it is over.
    ``panel`` is the small picture that it belongs to if there are several. A matrix has its row as ``series`` and its
    column as ``label``.
    """

    series: str
    x: float | None
    y: float | None
    low: float | None = None
    high: float | None = None
    label: str = ""
    n: int | None = None
    panel: str = ""


def measured(series: str, x: float | None, y: float | None, row: Mapping[str, Any], **more: str) -> Point:
    """A data point with the interval of a figure's ``row`` and the number of cases that it is over."""
    return Point(series, x, y, row["interval_low"], row["interval_high"], n=row["n"], **more)


class Mark(NamedTuple):
    """A reference line or point of a picture, with its label.

    A line is at ``y`` or through the origin with a ``slope``; with ``x`` and ``y`` it is a point, named in the legend.
    """

    label: str
    x: float | None = None
    y: float | None = None
    slope: float | None = None


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture. ``caption`` describes in plain words what it shows and what it is over.

    ``curves`` are lines of a number, with their intervals as bands; ``dots`` numbers with their intervals, a row a
    series; ``bars`` numbers side by side, a group a series; ``histograms`` counts by bin; ``scatter`` points; a
    ``matrix`` numbers from -1 to 1. ``spans`` is the range of the numbers' axis, None to derive it from the numbers.
    """

    name: str
    kind: Kind
    title: str
    caption: str
    x_label: str
    y_label: str
    points: tuple[Point, ...]
    marks: tuple[Mark, ...] = ()
    spans: tuple[float, float] | None = None

    @property
    def panels(self) -> list[str]:
        """The names of the small pictures, in order; an empty name if there is only one."""
        return list(dict.fromkeys(point.panel for point in self.points))

    @property
    def series(self) -> list[str]:
        """The names of the series, in order."""
        return list(dict.fromkeys(point.series for point in self.points))

    def rows(self) -> Iterable[dict[str, Any]]:
        """The rows of the picture in the table ``pictures``, without the run."""
        low, high = self.spans or (None, None)
        head = {name: getattr(self, name) for name in ("kind", "title", "caption", "x_label", "y_label")}
        head |= {"picture": self.name, "axis_low": low, "axis_high": high}
        for index, point in enumerate(self.points):
            yield head | {"point_index": index, "is_mark": False} | point._asdict()
        for index, mark in enumerate(self.marks, len(self.points)):
            yield head | {"point_index": index, "is_mark": True, "series": "", "panel": ""} | mark._asdict()


class Undrawn(NamedTuple):
    """A picture without data, and the reason."""

    title: str
    reason: str


def parted(made: Iterable[Picture | Undrawn]) -> tuple[list[Picture], list[Undrawn]]:
    """Part the pictures from those without data."""
    every = list(made)
    return [one for one in every if isinstance(one, Picture)], [one for one in every if isinstance(one, Undrawn)]
