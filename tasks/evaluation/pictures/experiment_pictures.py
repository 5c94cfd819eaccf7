"""Pictures of an experiment: a curve of each figure if the settings are numbers, else a row for each setting."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tasks.evaluation.experiments.figures import SPANS
from tasks.evaluation.metrics.figure_names import EXPERIMENT_FIGURES
from tasks.evaluation.pictures.evaluation_pictures import told_count
from tasks.evaluation.pictures.picture import Picture, Undrawn, measured

Row = Mapping[str, Any]
LEAST_NUMBERS = 3


def pictures_of_experiment(rows: Sequence[Row], varies: str = "setting") -> tuple[list[Picture], list[Undrawn]]:
    """Make the pictures from the rows of the table ``experiments`` of one run.

    ``varies`` names what the settings are. Figures between 0 and 1 share one picture, all others have their own. No
    rows give no picture.
    """
    known = [row for row in rows if row["value"] is not None]
    title = f"Experiment {rows[0]['experiment'] if rows else ''}".strip()
    if not known:
        return [], [Undrawn(title, "no figure of it is defined")]
    shares = [row for row in known if row["metric"] not in SPANS]
    others = list(dict.fromkeys(row["metric"] for row in known if row not in shares))
    groups = [("shares", shares), *((metric, [row for row in known if row["metric"] == metric]) for metric in others)]
    return [_picture(title, name, some, varies) for name, some in groups if some], []


def _picture(title: str, name: str, rows: Sequence[Row], varies: str) -> Picture:
    settings = {row["setting"]: row["setting_value"] for row in rows}
    numbers = set(settings.values())
    # If several settings have the same number, as several finders do, a line would join different series.
    is_curve = None not in numbers and len(numbers) == len(settings) >= LEAST_NUMBERS
    caption = (
        f"Each figure with its 95% interval, over {told_count([row['n'] for row in rows], 'cases')} a setting. "
        "The settings share their cases, so that intervals may overlap where the difference is real: the table has "
        "each difference to the base, with its p."
    )
    figure = "mean, from 0 to 1" if name == "shares" else _said(name)
    if is_curve:
        points = [
            measured(_said(row["metric"]), row["setting_value"], row["value"], row, label=row["setting"])
            for row in rows
        ]
        return Picture(f"experiment_{name}", "curves", title, caption, varies, figure, tuple(points))
    if varies != "setting":
        caption = f"A row is a setting: {varies}. {caption}"
    points = [measured(row["setting"], row["value"], None, row, panel=_said(row["metric"])) for row in rows]
    return Picture(f"experiment_{name}", "dots", title, caption, figure, "", tuple(points))


def _said(metric: str) -> str:
    return EXPERIMENT_FIGURES.get(metric, metric)
