"""The report: one file that asks for no other, with everything that comes from outside escaped."""

from __future__ import annotations

import re
from typing import Any

from tasks.evaluation.metrics.figure_names import MOST_DIFFERENCES, RANKS, TIMES
from tasks.evaluation.pictures.picture import Picture, Point, Undrawn
from tasks.evaluation.reports.evaluation_report import ANSWERS, report_of_evaluation
from tasks.evaluation.reports.experiment_report import report_of_experiment
from tasks.evaluation.reports.grid_report import report_of_grid
from tasks.evaluation.reports.report import Report, Table, to_html

PICTURE = Picture("p", "curves", "A <title>", "caption & more", "x", "y", (Point("s", 1.0, 1.0),))


def html_of(report: Report) -> str:
    return to_html(report, [PICTURE], [Undrawn("Other", "nothing <there>")], lambda _: "<svg><path/></svg>")


def figures(**changed: Any) -> dict[str, Any]:
    names = (*RANKS, *TIMES, *ANSWERS)
    return {
        "headline": "of 10 questions 6 can be sent",
        "n": 10,
        "n_timed": 3,
        **dict.fromkeys(names, 0.5),
        "page_mrr_at_10_interval": (0.25, 0.75),
    } | {
        "page_mrr_at_10_bootstrap": (0.375, 0.625),
        "retrieval_ms_p95": 12.25,
        "retrieval_ms_p95_interval": (9.0, 130.0),
        "figures": {"page_mrr_at_10": {"n": 8, "standard_error": 0.04, "unscored": 2}},
        "confusion": {"no": {"yes": 1, "no": 3}},
        **changed,
    }


def difference(p: float, metric: str = "page_mrr_at_10") -> dict[str, Any]:
    return {
        "plans": ["a", "b"],
        "metric": metric,
        "difference": -0.1,
        "interval": [-0.2, 0.1],
        "p": p,
        "p_holm": p,
        "p_clustered": 0.0625,
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


def test_a_column_of_figures_stands_to_the_right_and_one_of_words_to_the_left() -> None:
    rows = [["1", "0.5\nunscored 2", "alpha 0.3", "[−0.1, 0.2]"], ["2", "–", "in use", ""]]
    table = Table("t", ["n", "figure", "levels", "interval"], rows)
    assert table.are_numbers == [False, True, False, True]
    html = html_of(Report("t", "", [], tables=[table, Table("none", ["a", "b"], [])]))
    assert re.findall(r"<th(?: class=\"(\w+)\")?>", html)[:4] == ["", "number", "", "number"]


def test_an_evaluation_tells_the_best_its_deviations_and_what_is_undefined() -> None:
    report = report_of_evaluation(summary(differences=[difference(0.01)]), "1 May 2026")
    assert report.said == [
        "a: of 10 questions 6 can be sent.",
        "b: of 10 questions 6 can be sent.",
        "Best by MRR@10: b, 0.750 [0.250,\N{NO-BREAK SPACE}0.750] by t "
        "and [0.375,\N{NO-BREAK SPACE}0.625] by bootstrap; ahead of all others by more than chance.",
        "b ran with late interaction.",
    ]
    ranks = report.tables[0]
    recalls = [f"R@{k}" for k in (1, 3, 5, 7, 9)]
    assert ranks.columns == ["plan", "n", *recalls, "MRR@10", "nDCG@10", "p50 ms", "p95 ms"]
    rows = {row[0]: row[1:] for row in ranks.rows}
    beside = ["0.5", "12.2\n[9.0,\N{NO-BREAK SPACE}130.0]"]
    mrr = "0.500\n[0.250,\N{NO-BREAK SPACE}0.750]\n[0.375,\N{NO-BREAK SPACE}0.625]"
    assert rows["a"] == ["8\ntimed 3", *["0.500"] * 5, mrr, "0.500", *beside]
    assert rows["b"][7] == "–"
    tables = {table.title: table for table in report.tables}
    every = {row[0]: row[1:] for row in tables["All figures"].rows}
    assert every["1 / rank of the first right page (MRR@10)"] == [
        "0.500 ±\N{NO-BREAK SPACE}0.040\nunscored 2",
        "0.750 ±\N{NO-BREAK SPACE}0.040\nunscored 2",
    ]
    assert tables["What a said to yes/no questions"].rows == [["truly no", "1", "3"]]
    assert tables["Differences of plans, question by question"].rows == [
        ["a − b", "MRR@10", "-0.100", "[-0.200,\N{NO-BREAK SPACE}0.100]", "0.010", "0.010", "yes", "0.062", "10"]
    ]


def test_of_very_many_differences_those_are_shown_that_are_more_than_chance() -> None:
    many = [difference(0.5)] * MOST_DIFFERENCES + [difference(0.0001)]
    report = report_of_evaluation(summary(differences=many), "1 May 2026")
    (table,) = (table for table in report.tables if table.title.startswith("Differences"))
    assert [row[4] for row in table.rows] == ["<\N{NO-BREAK SPACE}.001"]
    assert f"Of {MOST_DIFFERENCES + 1} differences the 1" in table.note


def test_one_plan_alone_is_compared_with_nothing() -> None:
    report = report_of_evaluation(summary(plans={"a": figures()}), "1 May 2026")
    assert report.said == ["a: of 10 questions 6 can be sent."]
    assert not any("Differences" in table.title for table in report.tables)


def test_the_best_may_be_no_more_than_chance_ahead_and_without_pages_there_is_none() -> None:
    report = report_of_evaluation(summary(differences=[difference(0.3)]), "1 May 2026")
    assert report.said[2].endswith("0.625] by bootstrap; no more than chance ahead of a.")
    alike = figures(page_mrr_at_10_interval=(None, None), page_mrr_at_10_bootstrap=(None, None))
    report = report_of_evaluation(summary(plans=dict.fromkeys(("a", "b"), alike)), "1 May 2026")
    assert report.said[2].startswith("Best by MRR@10: a, 0.500; ")
    plans = dict.fromkeys(("a", "b"), figures(page_mrr_at_10=None, headline=""))
    assert report_of_evaluation(summary(plans=plans), "1 May 2026").said == []


def test_what_was_judged_is_told_with_its_scale_and_who_may_judge() -> None:
    told = {"mean": 2.5, "standard_error": 0.1, "n": 8, "unscored": 2}
    plans = {
        "a": figures(judged={"figures": {"correctness[lexical]": told, "triad_max[lexical]": told | {"mean": None}}})
    }
    agreed = {"n": 84, "accuracy": 0.6, "kappa": 0.9, "rho": None, "p_holm": 0.0001, "refused": None}
    judges = {"lexical": {"agreement": {"correctness": agreed, "relevancy": agreed | {"refused": "by chance"}}}}
    report = report_of_evaluation(summary(plans=plans, judges=judges), "1 May 2026")
    tables = {table.title: table.rows for table in report.tables}
    assert tables["Judged"] == [
        ["correctness[lexical] (1-5)", "2.500 ± 0.100\nn 8, unscored 2"],
        ["triad_max[lexical] (share)", "–"],
    ]
    agreement = tables["How far the judges agree with people"]
    assert [row[-1] for row in agreement] == ["yes", "no"] and agreement[0][3:5] == ["0.900", "–"]


def test_what_is_left_out_is_told() -> None:
    report = report_of_evaluation(summary(held_out=["x.pdf"], gold_faults=["line 1: …"]), "1 May 2026")
    assert (
        dict(report.facts)["measured without"] == "x.pdf"
        and "1 places" in dict(report.facts)["left out of the gold set"]
    )


def test_an_experiment_names_its_base_and_what_is_unscored() -> None:
    row = {
        "setting": "0.5",
        "is_base": True,
        "metric": "page_recall_at_5",
        "value": None,
        "interval_low": None,
        "interval_high": None,
        "bootstrap_low": None,
        "bootstrap_high": None,
        "difference": None,
        "p_holm": None,
        "n": 0,
        "unscored": 4,
    }
    told = {"experiment": "alpha", "run_id": "r", "gold": "g", "corpus": "c", "question": "Which?", "against": "0.5"}
    report = report_of_experiment(told, [{**row, "p": None}], "1 May 2026")
    assert report.said[0] == "Which?" and report.said[1].startswith("a right page among the first 5: no setting has")
    assert report.tables[0].rows == [["0.5 (base)", "–", "", "–", "–", "0", "4"]]
    assert report.tables[0].title == "A right page among the first 5", "no figure is called by its column"
    others = [{**row, "metric": metric, "is_base": False, "p": None} for metric in ("accuracy", "draft_rate")]
    of_finders = report_of_experiment({**told, "against": None}, others, "1 May 2026").tables
    assert [table.title for table in of_finders] == ["Right page found", "Share of questions drafted"]
    assert of_finders[0].columns == ["setting", "value", "95% interval", "n", "unscored"], "nothing to compare with"
    drawn = {**row, "p": None, "interval_low": 0.25, "interval_high": 0.75, "bootstrap_low": 0.5, "bootstrap_high": 0.7}
    (table,) = report_of_experiment(told, [drawn], "1 May 2026").tables
    assert table.columns[2:4] == ["95% by t", "by bootstrap"]
    assert table.rows[0][2:4] == ["[0.250,\N{NO-BREAK SPACE}0.750]", "[0.500,\N{NO-BREAK SPACE}0.700]"]


def test_a_grid_s_verdict_says_what_is_left_of_it_by_whole_documents() -> None:
    figures: dict[str, float | None] = dict.fromkeys(
        ("correctness", "rouge1_recall", "embedding_triad", "page_recall_at_5"), 0.5
    )
    figures |= {"page_mrr_at_10": None, "draft_rate": 0.9}
    held_out = {"difference": 0.1, "interval": [0.02, 0.18], "p": 0.01, "n": 40, "standard_error": 0.08}
    told: dict[str, Any] = {
        **{"grid": "g", "run_id": "r", "gold": "q.jsonl", "corpus": "c", "objective": "correctness", "questions": 40},
        **{"unscored": 2, "configurations": 6, "deviations": [], "anova": [], "levels": [], "pairs": [], "top": []},
        "to_beat": {"plan": "bidfolio", "objective": {"value": 0.4}, **figures},
        "best": {"levels": {"rerank": "on"}, "beats": True, "held_out": held_out | {"p_clustered": 0.125}},
        "triad": None,
    }
    said = report_of_grid(told, "1 May 2026").said[0]
    assert said.endswith("p = 0.010, n = 40 (± 0.080 and p = 0.125 clustered by document).")
    told["best"]["held_out"] = held_out | {"standard_error": None, "p_clustered": 1.0}
    assert "clustered" not in report_of_grid(told, "1 May 2026").said[0], "of one document nothing is told"
