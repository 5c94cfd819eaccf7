"""Data model of a picture: its numbers, labels and caption, and its rows of the table ``pictures``.

The rows have everything that is drawn, so the picture can be drawn again from them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, cast

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


class Mark(NamedTuple):
    """A reference line or point of a picture, with its label.

    A line is at ``x``, at ``y`` or through the origin with a ``slope``; with both ``x`` and ``y`` it is a point, whose
    label is in the legend.
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
        head = {
            "picture": self.name,
            "kind": self.kind,
            "title": self.title,
            "caption": self.caption,
            "x_label": self.x_label,
            "y_label": self.y_label,
            "axis_low": low,
            "axis_high": high,
        }
        for index, point in enumerate(self.points):
            yield head | {"point_index": index, "is_mark": False} | point._asdict()
        for index, mark in enumerate(self.marks, len(self.points)):
            yield head | {"point_index": index, "is_mark": True, "series": "", "panel": ""} | mark._asdict()


class Undrawn(NamedTuple):
    """A picture without data, and the reason."""

    title: str
    reason: str


def pictures_of(rows: Iterable[Mapping[str, Any]]) -> list[Picture]:
    """Rebuild the pictures from the rows of one run, in their order; no rows give none."""
    grouped: dict[str, list[Mapping[str, Any]]] = {}
    for row in rows:
        grouped.setdefault(row["picture"], []).append(row)
    found = []
    for name, own in grouped.items():
        ordered = sorted(own, key=lambda row: row["point_index"])
        first = ordered[0]
        spans = (first["axis_low"], first["axis_high"])
        found.append(
            Picture(
                name,
                cast(Kind, first["kind"]),
                first["title"],
                first["caption"],
                first["x_label"],
                first["y_label"],
                tuple(Point(**{key: row[key] for key in Point._fields}) for row in ordered if not row["is_mark"]),
                tuple(Mark(row["label"], row["x"], row["y"], row["slope"]) for row in ordered if row["is_mark"]),
                None if None in spans else spans,
            )
        )
    return found
