"""Rendering of pictures as SVG and PNG with Matplotlib: the same numbers give the same bytes.

Colours are those of Okabe and Ito (2008), which the colour-blind can tell apart; series are also labelled in text. In
the SVG, ink is ``currentColor``, so that the page decides if it is dark on light or light on dark.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Sequence
from textwrap import fill
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.transforms import ScaledTranslation
from numpy.typing import NDArray

from tasks.evaluation.pictures.picture import Kind, Mark, Picture, Point

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#7F7F7F", "#8C6D31")
DASHES = ("-", "--", "-.", ":")
INK = "#1b2a38"
WIDTH_IN, PANEL_IN, ROW_IN = 7.2, 2.35, 0.3
PNG_DOTS_AN_INCH = 144
COLUMNS = 2
LEGEND_CHARACTERS = 30
FEW_POINTS = 20
"""Number of points below which a curve shows each of them."""
BAR_STEP_IN = 0.04
"""Distance in inches between the interval bars of two curves at one place."""
TITLE_CHARACTERS, WIDE_TITLE_CHARACTERS = 34, 90
MOST_LABELS = 14
"""Number of points of a scatter up to which they are labelled; more would hide each other."""
_SETTINGS: Any = {
    "svg.hashsalt": "bidfolio",
    "svg.fonttype": "none",
    "font.family": "DejaVu Sans",
    "font.size": 9,
    "axes.titlesize": 9,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.alpha": 0.16,
    "grid.linewidth": 0.8,
    "legend.frameon": False,
    "text.color": INK,
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "axes.titlecolor": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "grid.color": INK,
    "figure.facecolor": "white",
    "text.parse_math": False,
}


def to_svg(picture: Picture) -> str:
    """Render the picture as an ``<svg>`` without a background, in the page's own ink; it references no other file."""
    out = io.StringIO()
    with mpl.rc_context(_SETTINGS):
        _figure(picture).savefig(out, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
    text = out.getvalue()
    # The XML head refers to the DTD, which no picture needs.
    return text[text.index("<svg") :].replace(INK, "currentColor")


def to_png(picture: Picture) -> bytes:
    """Render the picture as a PNG on white."""
    out = io.BytesIO()
    with mpl.rc_context(_SETTINGS):
        _figure(picture).savefig(out, format="png", dpi=PNG_DOTS_AN_INCH, metadata={"Software": None})
    return out.getvalue()


def _figure(picture: Picture) -> Figure:
    panels = picture.panels
    columns = 1 if len(panels) == 1 else COLUMNS
    lines = -(-len(panels) // columns)
    by_panel = [[point for point in picture.points if point.panel == panel] for panel in panels]
    rows = max(len(_in_order(point.series for point in points)) for points in by_panel)
    curve = PANEL_IN + (0.9 if len(panels) == 1 else 0.1)
    height = {"dots": 0.85 + ROW_IN * rows, "matrix": 1.2 + 0.42 * rows}.get(picture.kind, curve)
    figure = Figure(figsize=(WIDTH_IN, height * lines + 0.25), layout="constrained")
    every = figure.subplots(lines, columns, squeeze=False).ravel()
    for axes, panel, points in zip(every, panels, by_panel, strict=False):
        _DRAWN[picture.kind](axes, points, picture)
        if panel:
            axes.set_title(fill(panel, TITLE_CHARACTERS if columns > 1 else WIDE_TITLE_CHARACTERS))
    for axes in every[len(panels) :]:
        axes.set_axis_off()
    return figure


def _in_order(names: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(names))


def _colour(series: str, picture: Picture) -> str:
    return COLOURS[picture.series.index(series) % len(COLOURS)]


def _array(numbers: Iterable[float | None]) -> NDArray[np.float64]:
    return np.array([np.nan if number is None else number for number in numbers], np.float64)


def _known(points: Sequence[Point]) -> list[Point]:
    return [point for point in points if point.x is not None and point.y is not None]


def _finish(axes: Axes, picture: Picture) -> None:
    axes.set_xlabel(picture.x_label)
    axes.set_ylabel(picture.y_label)
    for mark in picture.marks:
        _mark(axes, mark)


def _mark(axes: Axes, mark: Mark) -> None:
    style: dict[str, Any] = {"color": INK, "linewidth": 0.9, "linestyle": (0, (4, 3)), "alpha": 0.65}
    if mark.x is not None and mark.y is not None:
        axes.plot([mark.x], [mark.y], "D", color=INK, markersize=7, clip_on=False, zorder=5, label=mark.label)
    elif mark.slope is not None:
        axes.axline((0, 0), slope=mark.slope, **style)
    elif mark.y is not None:
        axes.axhline(mark.y, **style)
        axes.annotate(
            mark.label, (1, mark.y), (-2, 3), xycoords=("axes fraction", "data"), textcoords="offset points", ha="right"
        )


def _curves(axes: Axes, points: Sequence[Point], picture: Picture) -> None:
    every = _in_order(point.series for point in points)
    for series in every:
        own = sorted((point for point in _known(points) if point.series == series), key=lambda point: point.x or 0.0)
        if not own:
            continue
        at, colour = picture.series.index(series), _colour(series, picture)
        axes.plot(
            _array(point.x for point in own),
            _array(point.y for point in own),
            color=colour,
            linestyle=DASHES[at // len(COLOURS) % len(DASHES)],
            linewidth=1.8,
            marker="o" if len(own) < FEW_POINTS else None,
            markersize=4,
            label=fill(series, LEGEND_CHARACTERS),
        )
        banded = [point for point in own if point.low is not None and point.high is not None]
        x, low, high = (_array(getattr(point, part) for point in banded) for part in ("x", "low", "high"))
        if len(every) <= 3 and banded:
            axes.fill_between(x, low, high, color=colour, alpha=0.15, linewidth=0)
        elif banded and len(own) < FEW_POINTS:
            # More bands than three hide each other; bars at one place stand side by side.
            at_in = (every.index(series) - (len(every) - 1) / 2) * BAR_STEP_IN
            beside = axes.transData + ScaledTranslation(at_in, 0, axes.figure.dpi_scale_trans)
            axes.vlines(x, low, high, colour, linewidth=1.1, alpha=0.5, transform=beside)
            axes.update_datalim(np.concatenate([np.column_stack([x, low]), np.column_stack([x, high])]))
            axes.autoscale_view()
    if picture.spans:
        axes.set_ylim(*picture.spans)
    _finish(axes, picture)
    if len(axes.get_legend_handles_labels()[1]) > 1:
        axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))


def _dots(axes: Axes, points: Sequence[Point], picture: Picture) -> None:
    names = _in_order(point.series for point in points)
    for point in points:
        row = names.index(point.series)
        if point.x is None:
            continue
        colour = _colour(point.series, picture)
        if point.low is not None and point.high is not None:
            axes.plot([point.low, point.high], [row, row], color=colour, linewidth=1.6, alpha=0.55)
        axes.plot([point.x], [row], "o", color=colour, markersize=5)
    axes.set_yticks(range(len(names)), names)
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.grid(visible=False, axis="y")
    if picture.spans:
        axes.set_xlim(*picture.spans)
    _finish(axes, picture)


def _bars(axes: Axes, points: Sequence[Point], picture: Picture) -> None:
    groups = _in_order(point.series for point in points)
    labels = _in_order(point.label for point in points)
    thick = 0.8 / len(labels)
    for at, label in enumerate(labels):
        own = [point for point in points if point.label == label and point.x is not None]
        rows = [groups.index(point.series) - 0.4 + thick * (at + 0.5) for point in own]
        bars = axes.barh(
            rows, _array(point.x for point in own), thick * 0.92, color=COLOURS[at % len(COLOURS)], label=label
        )
        said = [f"{point.x:,.0f}" if point.x >= 100 else f"{point.x:.3g}" for point in own if point.x is not None]
        axes.bar_label(bars, said, padding=2, fontsize=7)
    axes.margins(x=0.2)  # room for the label of the longest bar
    axes.set_yticks(range(len(groups)), groups)
    axes.invert_yaxis()
    axes.grid(visible=False, axis="y")
    if len(labels) > 1 and points[-1].panel == picture.panels[-1]:
        axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))
    _finish(axes, picture)


def _histograms(axes: Axes, points: Sequence[Point], picture: Picture) -> None:
    """Draw a row for each series, one above the other, so that none hides another."""
    levels = _in_order(point.series for point in points)
    highest = max((point.y or 0.0 for point in points), default=0.0) or 1.0
    floors = [1.15 * highest * (len(levels) - 1 - at) for at in range(len(levels))]
    for at, (series, floor) in enumerate(zip(levels, floors, strict=True)):
        own = [point for point in points if point.series == series and point.low is not None and point.high is not None]
        edges = [*(point.low or 0.0 for point in own), own[-1].high or 0.0]
        tops = [floor + (point.y or 0.0) for point in own]
        axes.stairs(tops, edges, baseline=floor, color=COLOURS[at % len(COLOURS)], alpha=0.75, fill=True)
        axes.axhline(floor, color=INK, linewidth=0.5)
    axes.set_yticks(floors, [series.partition(": ")[2] for series in levels])
    axes.grid(visible=False, axis="y")
    _finish(axes, picture)
    axes.set_ylabel(f"{picture.y_label}, at most {highest:.0f}")


def _scatter(axes: Axes, points: Sequence[Point], picture: Picture) -> None:
    known = _known(points)
    named = [point for point in known if point.label]
    for point in known:
        size, colour = 5 if len(known) < 60 else 3.5, _colour(point.series, picture)
        axes.plot([point.x or 0.0], [point.y or 0.0], "o", color=colour, markersize=size, alpha=0.75, markeredgewidth=0)
    for point in named if len(named) <= MOST_LABELS else []:
        axes.annotate(point.label, (point.x or 0.0, point.y or 0.0), (5, 3), textcoords="offset points", fontsize=8)
    if picture.spans:
        axes.set(xlim=picture.spans, ylim=picture.spans)
    _finish(axes, picture)


def _matrix(axes: Axes, points: Sequence[Point], picture: Picture) -> None:
    rows = _in_order(point.series for point in points)
    columns = _in_order(point.label for point in points)
    values = np.full((len(rows), len(columns)), np.nan)
    for point in points:
        values[rows.index(point.series), columns.index(point.label)] = np.nan if point.y is None else point.y
    shown = mpl.colors.LinearSegmentedColormap.from_list("signed", [COLOURS[1], "#f4f1ea", COLOURS[0]])
    axes.imshow(np.ma.masked_invalid(values), cmap=shown, vmin=-1, vmax=1, aspect="auto")
    for row, column in np.ndindex(values.shape):
        value = values[row, column]
        said = "–" if np.isnan(value) else f"{value:+.2f}"
        dark = not np.isnan(value) and abs(value) > 0.65
        axes.text(column, row, said, ha="center", va="center", color="white" if dark else "#111111")
    axes.set_xticks(range(len(columns)), columns, rotation=20, ha="right")
    axes.set_yticks(range(len(rows)), rows)
    axes.grid(visible=False)
    axes.spines[:].set_visible(False)
    axes.tick_params(length=0)


_DRAWN: dict[Kind, Callable[[Axes, Sequence[Point], Picture], None]] = {
    "curves": _curves,
    "dots": _dots,
    "bars": _bars,
    "histograms": _histograms,
    "scatter": _scatter,
    "matrix": _matrix,
}
