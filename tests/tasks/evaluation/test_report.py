"""The report: one file that asks for no other, with everything that comes from outside escaped."""

from __future__ import annotations

import re
from typing import Any

from tasks.evaluation.pictures.picture import Picture, Point, Undrawn
from tasks.evaluation.report import (
    MOST_DIFFERENCES,
    Report,
    Table,
    report_of_evaluation,
    report_of_experiment,
    to_html,
)

PICTURE = Picture("p", "curves", "A <title>", "caption & more", "x", "y", (Point("s", 1.0, 1.0),))


def html_of(report: Report) -> str:
    return to_html(report, [PICTURE], [Undrawn("Other", "nothing <there>")], lambda _: "<svg><path/></svg>")


def figures(**changed: Any) -> dict[str, Any]:
    names = ("page_recall_at_1", "page_recall_at_5", "page_mrr_at_10", "ndcg_at_10", "citation_page_precision")
    rates = ("decline_rate_answerable", "decline_rate_unanswerable", "retrieval_ms_p50")
    return {"n": 10, **dict.fromkeys((*names, *rates), 0.5), "page_mrr_at_10_interval": (0.25, 0.75)} | changed


def difference(p: float, metric: str = "page_mrr_at_10") -> dict[str, Any]:
    return {
        "plans": ["a", "b"],
        "metric": metric,
        "difference": -0.1,
        "interval": [-0.2, 0.1],
        "p": p,
        "p_holm": p,
        "n": 10,
    }


def summary(**changed: Any) -> dict[str, Any]:
    plans = {"a": figures(), "b": figures(page_mrr_at_10=0.75, deviations=["late interaction"], ndcg_at_10=None)}
    return {"run_id": "r", "gold": "g.jsonl", "corpus": "c", "plans": plans, "differences": []} | changed


def test_what_comes_from_outside_is_escaped_and_nothing_is_fetched() -> None:
    hostile = '<script>alert("x")</script>'
    html = html_of(Report(hostile, hostile, [(hostile, hostile)], [hostile], [Table(hostile, [hostile], [[hostile]])]))
    assert "<script" not in html and html.count("&lt;script&gt;") == 9
    assert "A &lt;title&gt;" in html and "nothing &lt;there&gt;" in html
    assert "<svg><path/></svg>" in html
    assert not re.search(r"https?://|(?:src|href)=|@import|url\(", html)


def test_an_evaluation_tells_the_best_its_deviations_and_what_is_undefined() -> None:
    report = report_of_evaluation(summary(differences=[difference(0.01)]), "1 May 2026")
    assert report.said == ["Best by MRR@10: b, 0.750 [0.25, 0.75].", "b ran with late interaction."]
    rows = {row[0]: row for row in report.tables[0].rows}
    assert rows["b"][5] == "–" and rows["a"][4] == "0.500\n[0.25,\N{NO-BREAK SPACE}0.75]"
    assert report.tables[1].rows == [
        ["a − b", "MRR@10", "-0.100", "[-0.20,\N{NO-BREAK SPACE}0.10]", "0.010", "0.010", "yes", "10"]
    ]


def test_of_very_many_differences_those_are_shown_that_are_more_than_chance() -> None:
    many = [difference(0.5)] * MOST_DIFFERENCES + [difference(0.0001)]
    table = report_of_evaluation(summary(differences=many), "1 May 2026").tables[1]
    assert [row[4] for row in table.rows] == ["< .001"]
    assert f"Of {MOST_DIFFERENCES + 1} differences the 1" in table.note


def test_one_plan_alone_is_compared_with_nothing() -> None:
    report = report_of_evaluation(summary(plans={"a": figures()}), "1 May 2026")
    assert [table.title for table in report.tables] == ["Figures"] and report.said == []


def test_an_experiment_names_its_base_and_what_is_unscored() -> None:
    row = {
        "setting": "0.5",
        "is_base": True,
        "metric": "page_recall_at_5",
        "value": None,
        "interval_low": None,
        "interval_high": None,
        "difference": None,
        "p_holm": None,
        "n": 0,
        "unscored": 4,
    }
    told = {"experiment": "alpha", "run_id": "r", "gold": "g", "corpus": "c"}
    report = report_of_experiment(told, [row], "1 May 2026")
    assert report.tables[0].rows == [["0.5 (base)", "page_recall_at_5", "–", "", "–", "–", "0", "4"]]
