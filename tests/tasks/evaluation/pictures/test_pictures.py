"""Pictures from worked numbers: what is drawn is in the rows, and the rows draw the same."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, cast, get_args

import numpy as np
import pytest

from configs.experiments import Measure
from tasks.evaluation.metrics.figure_names import EXPERIMENT_FIGURES
from tasks.evaluation.pictures.draw import to_png, to_svg
from tasks.evaluation.pictures.evaluation_pictures import pictures_of_evaluation, told_count
from tasks.evaluation.pictures.experiment_pictures import pictures_of_experiment
from tasks.evaluation.pictures.grid_pictures import pictures_of_grid
from tasks.evaluation.pictures.picture import Kind, Mark, Picture, Point
from tasks.schemas import to_table

RUN = {"run_id": "20260101T000000-abcdef"}


def score(metric: str, value: float | None, plan: str = "bidfolio", n: int = 94) -> dict[str, Any]:
    ends = (None, None) if value is None else (value - 0.1, value + 0.1)
    return {"plan": plan, "metric": metric, "value": value, "n": n, "interval_low": ends[0], "interval_high": ends[1]}


SCORES = [
    *(score(f"page_recall_at_{k}", 0.5 + k / 30, plan) for plan in ("bidfolio", "rails") for k in (1, 3, 5, 7, 9)),
    score("page_mrr_at_10", 0.74),
    score("verdict_balanced_accuracy", None),
    score("retrieval_ms_p50", 12.0, n=30),
    score("retrieval_ms_p95", 2615.4, n=30),
]
COVERAGE = [
    {"plan": "bidfolio", "threshold": 0.9, "coverage": 0.2, "error": 0.0, "n": 2},
    {"plan": "bidfolio", "threshold": 0.8, "coverage": 0.3, "error": 1 / 3, "n": 3},
    {"plan": "bidfolio", "threshold": 0.4, "coverage": 0.5, "error": 0.6, "n": 5},
]


VERDICTS = [
    {
        **{"plan": plan, "threshold": threshold, "coverage": coverage, "error": error, "n": n},
        **{"error_low": error / 2, "error_high": (1 + error) / 2, "answered_from": own},
    }
    for plan, own in (("bidfolio", 0.92), ("bold", 0.99), ("mute", None))
    for threshold, coverage, error, n in ((0.97, 0.1, 0.0, 1), (0.93, 0.3, 1 / 3, 3), (0.8, 0.4, 0.25, 4))
]


def pictures_of(rows: Iterable[Mapping[str, Any]]) -> list[Picture]:
    """The pictures of some rows of the table ``pictures``, as anyone could make them."""
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


def named(pictures: Sequence[Picture]) -> Mapping[str, Picture]:
    return {picture.name: picture for picture in pictures}


def evaluated() -> Mapping[str, Picture]:
    pictures, undrawn = pictures_of_evaluation(SCORES, COVERAGE, VERDICTS)
    assert undrawn == []
    return named(pictures)


def test_recall_stands_over_the_hits_looked_at() -> None:
    points = [point for point in evaluated()["recall"].points if point.series == "rails"]
    assert [point.x for point in points] == [1, 3, 5, 7, 9]
    assert [point.y for point in points] == pytest.approx([0.5 + k / 30 for k in (1, 3, 5, 7, 9)])
    assert "94 questions" in evaluated()["recall"].caption


def test_an_undefined_figure_is_not_drawn_as_nought() -> None:
    figures = evaluated()["figures"]
    assert [point.panel for point in figures.points] == [
        "a right page among the first 5",
        "a right page among the first 5",
        "1 / rank of the first right page (MRR@10)",
    ]


def test_bins_are_the_drafts_that_the_curve_of_coverage_counts() -> None:
    points = evaluated()["reliability"].points
    assert [point.x for point in points] == pytest.approx([0.4, 0.4, 0.8, 0.9, 0.9])
    assert [point.y for point in points] == pytest.approx([0.0, 0.0, 0.0, 1.0, 1.0])
    assert [point.n for point in points] == [1] * 5


def test_verdicts_are_a_curve_with_its_interval_and_a_point_at_the_threshold_of_the_plan() -> None:
    picture = evaluated()["verdicts"]
    assert [(point.x, point.y, point.low, point.high) for point in picture.points[:2]] == [
        (0.1, 0.0, 0.0, 0.5),
        (0.3, 1 / 3, 1 / 6, 2 / 3),
    ]
    assert [(mark.label, mark.x, mark.y) for mark in picture.marks] == [
        ("95% right", None, 0.05),
        ("bidfolio: threshold 0.92", 0.3, 1 / 3),  # the last of that probability; nothing is above bold's
    ]
    one = named(pictures_of_evaluation(SCORES, COVERAGE, VERDICTS[:3])[0])["verdicts"]
    assert one.marks[1].label == "threshold 0.92" and one.spans == (0.0, 0.5)
    unmarked = to_svg(replace(one, marks=one.marks[:1]))
    assert "threshold 0.92" in to_svg(one) and "threshold 0.92" not in unmarked
    assert "share of yes/no questions answered" in unmarked and "share of answers wrong" in unmarked


def test_what_there_is_nothing_for_says_why() -> None:
    pictures, undrawn = pictures_of_evaluation([], [], [])
    assert pictures == []
    assert [one.reason for one in undrawn] == [
        "no verdict was proposed to a question whose answer is known",
        "no question has a page that answers it",
        "no figure is defined on this gold set",
        "no question was timed",
        "no draft has a confidence",
        "no draft has a confidence",
    ]
    assert told_count([], "questions") == "no questions" and told_count([3, 9], "drafts") == "3 to 9 drafts"


@pytest.mark.parametrize("name", ["verdicts", "recall", "figures", "latency", "coverage", "reliability"])
def test_the_rows_of_a_picture_draw_it_again(name: str) -> None:
    picture = evaluated()[name]
    rows = to_table("pictures", (RUN | row for row in picture.rows())).to_pylist()
    (again,) = pictures_of(reversed(rows))
    assert again == picture
    assert to_svg(again) == to_svg(picture) and to_png(again) == to_png(picture)


def test_words_and_figures_are_in_the_svg_and_no_address_is() -> None:
    svg = to_svg(evaluated()["latency"])
    assert "2,615" in svg and "milliseconds" in svg and "currentColor" in svg
    # Names of XML's own vocabularies are no addresses that anything asks.
    assert set(re.findall(r"https?://[^\"<]+", svg)) <= {
        "http://www.w3.org/2000/svg",
        "http://www.w3.org/1999/xlink",
        "http://creativecommons.org/ns#",
        "http://purl.org/dc/elements/1.1/",
        "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
        "http://purl.org/dc/dcmitype/StillImage",
    }
    assert not re.search(r'(?:href|src)="(?!#)', svg)


def test_names_with_marks_of_xml_and_of_formulas_are_drawn_as_they_are() -> None:
    points = (Point("<b>&$x_1$", 1.0, 0.5), Point("<b>&$x_1$", 2.0, 0.7), Point("b", 1.0, 0.1))
    svg = to_svg(Picture("p", "curves", "t", "c", "x", "y", points))
    assert "&lt;b&gt;&amp;$x_1$" in svg


@pytest.mark.parametrize("count", [3, 4])
def test_curves_show_their_intervals_however_many_they_are(count: int) -> None:
    def drawn(low: float | None = None, high: float | None = None) -> str:
        points = [Point(f"s{at}", x, 0.5, low, high) for at in range(count) for x in (1.0, 2.0)]
        return to_svg(Picture("p", "curves", "t", "c", "x", "y", tuple(points)))

    assert len({drawn(), drawn(0.4, 0.6), drawn(0.1, 0.9)}) == 3


@pytest.mark.parametrize("kind", ["curves", "dots", "bars", "scatter", "matrix"])
def test_a_single_point_and_an_unknown_one_can_be_drawn(kind: Any) -> None:
    points = (Point("a", 1.0, 0.5, label="l"), Point("b", None, None, label="l"))
    assert to_svg(Picture("p", kind, "t", "c", "x", "y", points)).startswith("<svg")


def test_a_grid_is_drawn_by_factor_and_beside_what_is_right() -> None:
    means = {
        "correctness": np.array([0.1, 0.2, 0.3, 0.4]),
        "embedding_triad": np.array([0.4, 0.3, 0.2, 0.1]),
        "page_mrr_at_10": np.array([0.5, 0.5, 0.5, 0.5]),
        "rouge1_recall": np.array([np.nan] * 4),
    }
    levels = {"rerank": ["off", "off", "on", "on"], "sources": ["1", "2", "1", "2"]}
    pictures, undrawn = pictures_of_grid(means, levels, "correctness", 30)
    found = named(pictures)
    assert undrawn == []
    by_level = {
        series: sum(point.y or 0 for point in found["factors"].points if point.series == series)
        for series in found["factors"].series
    }
    assert by_level == {"rerank: off": 2, "rerank: on": 2, "sources: 1": 2, "sources: 2": 2}
    assert found["triad"].panels == ["embedding triad (ρ = -1.00)"]
    matrix = {(point.series, point.label): point.y for point in found["correlations"].points}
    assert matrix["correctness", "embedding triad"] == pytest.approx(-1)
    assert matrix["correctness", "MRR@10 of pages"] is None
    assert "ROUGE-1 recall" not in {row for row, _ in matrix}
    assert [to_svg(picture)[:4] for picture in pictures] == ["<svg"] * len(pictures)


def test_without_known_answers_the_triad_is_held_against_nothing() -> None:
    means = {"embedding_triad": np.array([0.1, 0.2]), "correctness": np.array([np.nan, np.nan])}
    pictures, undrawn = pictures_of_grid(means, {"a": ["1", "2"]}, "embedding_triad", 3)
    assert [picture.name for picture in pictures] == ["factors"]
    assert "no answers are known that it could be held against" in [one.reason for one in undrawn]


def experiment(
    setting: str, value: float | None, figure: float | None, metric: str = "page_recall_at_5"
) -> dict[str, Any]:
    return {
        "experiment": "alpha",
        "setting": setting,
        "setting_value": value,
        "metric": metric,
        "value": figure,
        "interval_low": None,
        "interval_high": None,
        "n": 94,
    }


def test_settings_that_are_numbers_make_a_curve_and_others_do_not() -> None:
    numbers = [experiment(str(a), a, 0.5 + a / 10) for a in (0.0, 0.5, 1.0)]
    (curve,), _ = pictures_of_experiment(numbers, "weight of the dense vector")
    assert curve.kind == "curves" and curve.series == ["a right page among the first 5"]
    assert (curve.x_label, curve.y_label) == ("weight of the dense vector", "mean, from 0 to 1")
    (dots,), _ = pictures_of_experiment([*numbers, experiment("none", None, 0.2)], "weight of the dense vector")
    assert dots.kind == "dots" and dots.series == ["0.0", "0.5", "1.0", "none"]
    assert dots.caption.startswith("A row is a setting: weight of the dense vector.")
    assert pictures_of_experiment([experiment("0", 0.0, None)])[0] == []


def test_points_of_ten_stand_alone_even_where_all_that_was_said_got_one() -> None:
    numbers = [experiment(str(a), a, 0.5) for a in (0.0, 0.5, 1.0)]
    points = [experiment(str(a), a, points, "points_lexical") for a, points in ((0.0, 1.0), (0.5, 2.5), (1.0, 1.0))]
    shares, graded = pictures_of_experiment([*numbers, *points])[0]
    assert (shares.name, shares.series) == ("experiment_shares", ["a right page among the first 5"])
    assert (graded.name, graded.y_label) == ("experiment_points_lexical", "points from 1 to 10, judged by words")
    assert [point.y for point in graded.points] == [1.0, 2.5, 1.0]


def test_every_figure_of_an_experiment_has_words() -> None:
    assert set(get_args(Measure)) <= set(EXPERIMENT_FIGURES)
