"""Report stages: pictures and a report of an evaluation, grid or experiment, as table, artifact and folder."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow.parquet as pq

from configs.settings import Settings
from tasks.evaluation.gold.outcomes import DRAFTED
from tasks.evaluation.out_folder import out_folder
from tasks.evaluation.pictures.evaluation_pictures import pictures_of_evaluation
from tasks.evaluation.pictures.experiment_pictures import pictures_of_experiment
from tasks.evaluation.pictures.grid_pictures import WORDS, pictures_of_grid
from tasks.evaluation.pictures.picture import Picture, Undrawn
from tasks.evaluation.reports.evaluation_report import report_of_evaluation
from tasks.evaluation.reports.experiment_report import report_of_experiment
from tasks.evaluation.reports.grid_report import report_of_grid
from tasks.evaluation.reports.report import Report, to_html
from tasks.runtime.flow_run import add_markdown
from tasks.runtime.runs import Run
from tasks.runtime.stage import stage
from tasks.storage.lake import Lake

KEY = "report"


@stage("report the evaluation")
def report_evaluation(run: Run, summary: Mapping[str, Any], out: str | None, settings: Settings) -> None:
    """Draw the plans' figures into the table ``pictures`` and an artifact, and write a report to ``out`` if given.

    The folder gets ``report.html``, ``pictures.parquet`` and ``pictures/*.png``. Raises UsageError if it cannot be
    written.
    """
    lake = Lake(settings.home)

    def rows(table: str) -> list[dict[str, Any]]:
        return [row for plan in summary["plans"] for row in lake.read(table, run_id=run.run_id, plan=plan).to_pylist()]

    pictures, undrawn = pictures_of_evaluation(rows("scores"), rows("coverage"), rows("verdict_coverage"))
    _write(run, report_of_evaluation(summary, _day(run)), pictures, undrawn, out, settings)


@stage("report the grid")
def report_grid(run: Run, summary: Mapping[str, Any], out: str | None, settings: Settings) -> None:
    """Draw and report the grid's configurations, as :func:`report_evaluation` does."""
    table = Lake(settings.home).read("grid", run_id=run.run_id).to_pandas()
    tried = table[table["configuration"] > 0]
    tried = tried.assign(draft_rate=tried["status"].isin(DRAFTED).astype(float))
    if summary["objective"] == "rouge1_recall":  # Unanswerable questions count as right if declined.
        is_unanswerable = tried["answerable"].eq(False)
        tried["rouge1_recall"] = tried["rouge1_recall"].mask(is_unanswerable, tried["correctness"])
    by_configuration = tried.groupby("configuration", sort=True)
    # A question with an unknown figure is left out for all configurations.
    means = {
        name: tried.pivot(index="question_id", columns="configuration", values=name)
        .dropna()
        .mean()
        .to_numpy(dtype=np.float64)
        for name in WORDS
    }
    each = [json.loads(text) for text in by_configuration["levels"].first()]
    levels = {factor: [one[factor] for one in each] for factor in each[0]}
    pictures, undrawn = pictures_of_grid(means, levels, summary["objective"], summary["questions"])
    _write(run, report_of_grid(summary, _day(run)), pictures, undrawn, out, settings)


@stage("report the experiment")
def report_experiment(run: Run, summary: Mapping[str, Any], out: str | None, settings: Settings) -> None:
    """Draw and report the experiment's settings, as :func:`report_evaluation` does."""
    rows = Lake(settings.home).read("experiments", run_id=run.run_id).to_pylist()
    pictures, undrawn = pictures_of_experiment(rows, summary["varies"])
    _write(run, report_of_experiment(summary, rows, _day(run)), pictures, undrawn, out, settings)


def _day(run: Run) -> str:
    return f"{run.identity['run_date']:%d %B %Y}".lstrip("0")


def _write(
    run: Run,
    report: Report,
    pictures: Sequence[Picture],
    undrawn: Sequence[Undrawn],
    out: str | None,
    settings: Settings,
) -> None:
    # Matplotlib takes a second to import, and only drawing needs it.
    from tasks.evaluation.pictures.draw import to_png, to_svg

    lake = Lake(settings.home)
    lake.write("pictures", [run.identity | row for one in pictures for row in one.rows()], run_id=run.run_id)
    drawn = {picture.name: to_png(picture) for picture in pictures}
    add_markdown(KEY, _as_markdown(report, pictures, drawn), report.title)
    if not out:
        return
    with out_folder(out) as folder:
        (folder / "pictures").mkdir(exist_ok=True)
        for name, png in drawn.items():
            (folder / "pictures" / f"{name}.png").write_bytes(png)
        pq.write_table(lake.read("pictures", run_id=run.run_id), folder / "pictures.parquet")
        (folder / "report.html").write_text(to_html(report, pictures, undrawn, to_svg), encoding="utf-8")


def _as_markdown(report: Report, pictures: Sequence[Picture], drawn: Mapping[str, bytes]) -> str:
    """The report's lines and pictures, which are embedded, since no address would lead to them."""
    parts = [f"# {report.title}", *report.said]
    for picture in pictures:
        data = base64.b64encode(drawn[picture.name]).decode()
        parts += [f"## {picture.title}", f"![{picture.title}](data:image/png;base64,{data})", picture.caption]
    return "\n\n".join(parts)
