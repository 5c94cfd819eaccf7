"""What `evaluate` prints, of figures by hand."""

from __future__ import annotations

from typing import Any

import pytest

from flows.cli.output.tables import ANSWERS, WIDTH, evaluation_lines, p_said
from tasks.evaluation.metrics.figure_names import FIGURES, MOST_DIFFERENCES, RANKS, TIMES

UNDEFINED = {"verdict_balanced_accuracy": "all that were given a verdict (3) are truly no"}
COVERED = {f"{what}_where_{percent}_right": None for what in ("threshold", "coverage") for percent in (95, 90)}


def plan(n: int, clusters: int | None, error: float | None, **more: Any) -> dict[str, Any]:
    names = dict.fromkeys([*FIGURES, *RANKS, *TIMES, *ANSWERS])
    values = {name: None if name in UNDEFINED else 0.5 for name in names}
    ends, drawn = ([None, None], [None, None]) if error is None else ([0.25, 0.75], [0.375, 0.625])
    return {
        "headline": f"of {n} questions 6 can be sent, 5 want a look, 1 is not found in your documents",
        "n": n,
        "n_answerable": n - 1,
        "n_timed": 3,
        "unexpanded": 0,
        **values,
        **{f"{name}_interval": ends for name in names},
        **{f"{name}_bootstrap": drawn for name in names},
        "figures": {name: {"n": n - 1, "unscored": 2, "standard_error": error, "clusters": clusters} for name in names},
        "undefined": UNDEFINED,
        "confusion": {"no": {"yes": 2, "no": 1, "no_verdict": 4}},
        "free_text": {"correct": 5, "incorrect": 1, "no_context": 2, "unscored": 3},
        **COVERED,
        **more,
    }


def cells(lines: list[str], start: str) -> list[str]:
    (line,) = (line for line in lines if line.startswith(start))
    return line.removeprefix(start).split()


def test_each_figure_stands_with_its_error_and_what_it_is_over() -> None:
    lines = evaluation_lines({"plans": {"bidfolio": plan(12, 4, 0.1)}, "differences": []})
    assert cells(lines, "… among the first 5") == ["0.500", "0.100", "0.250–0.750", "0.375–0.625", "11", "2"]
    assert cells(lines, "ms to find, mean") == ["0.5", "0.1", "–", "0.4–0.6", "11", "2"], "of a time none by t"
    assert lines[0].startswith("bidfolio: of 12 questions 6 can be sent, 5 want a look, 1 is not found in your")
    assert lines[1] == "" and "12 questions, 1 of them without an answer" in lines[2]
    assert lines[3].startswith("  documents") and lines[2].endswith("about 4")
    assert "undefined, since all that were given a verdict (3) are truly no: verdict_balanced_accuracy" in lines
    assert not any(line.startswith("yes/no: balanced accuracy") for line in lines)
    assert "in free text 5 cite a right page, 1 another or none, 2 found nothing, 3 unscored" in lines
    assert max(map(len, lines)) <= WIDTH


def test_yes_no_answers_stand_beside_the_truth() -> None:
    lines = evaluation_lines({"plans": {"bidfolio": plan(12, 4, 0.1)}, "differences": []})
    assert ["yes", "no", "left", "open", "not", "found", "questions"] in [line.split() for line in lines]
    assert cells(lines, "truly no") == ["2", "1", "4", "0", "7"]
    assert "2 of 7 that are truly no were answered yes" in lines
    without = evaluation_lines({"plans": {"bidfolio": plan(12, 4, 0.1, confusion={})}, "differences": []})
    assert not any("said to the yes/no questions" in line for line in without)
    assert "answered_from at 0.500, which answers 6 of 11 yes/no questions" in " ".join(map(str.strip, lines))
    unknown = {f"verdict_{what}_where_95_right": None for what in ("threshold", "coverage")}
    lines = evaluation_lines({"plans": {"bidfolio": plan(12, 4, 0.1, **unknown)}, "differences": []})
    assert not any("answered_from" in line for line in lines)


@pytest.mark.parametrize(
    ("thresholds", "told"),
    [
        ((0.6, 0.6), ["95% of the drafts cite a right page with answering.decline_below at 0.600"]),
        ((0.6, 0.4), ["95% of the drafts cite a right page", "90% of the drafts cite a right page"]),
        ((None, 0.4), ["no threshold gives drafts of which 95%", "90% of the drafts cite a right page"]),
        ((None, None), ["no threshold gives drafts of which 95%", "no threshold gives drafts of which 90%"]),
    ],
)
def test_a_threshold_is_told_once(thresholds: tuple[float | None, float | None], told: list[str]) -> None:
    at = {f"threshold_where_{percent}_right": one for percent, one in zip((95, 90), thresholds, strict=True)}
    at |= {f"coverage_where_{percent}_right": 0.5 for percent in (95, 90)}
    lines = evaluation_lines({"plans": {"bidfolio": plan(12, 4, 0.1, **at)}, "differences": []})
    said = " ".join(map(str.strip, lines))
    assert all(one in said for one in told)
    assert said.count("cite a right page with") + said.count("no threshold gives") == len(told)


def test_of_one_document_no_error_is_told_and_that_is_said() -> None:
    lines = evaluation_lines({"plans": {"bidfolio": plan(12, 1, None)}, "differences": []})
    assert "no error can be told" in " ".join(" ".join(lines[:4]).split())
    assert cells(lines, "… among the first 5") == ["0.500", "–", "–", "–", "11", "2"]


def test_several_plans_stand_side_by_side_first() -> None:
    difference = {
        "plans": ["bidfolio", "rails"],
        "metric": "page_recall_at_5",
        "difference": 0.25,
        "interval": [0.125, 0.5],
        "standard_error": 0.0625,
        "p": 0.0001,
        "p_holm": 0.03,
        "p_clustered": 0.0625,
        "n": 11,
    }
    odd = {"page_mrr_at_10": 1.0, "page_mrr_at_10_interval": [None, None], "retrieval_ms_p95_bootstrap": [99.96, 250.4]}
    plans = {"bidfolio": plan(12, 4, 0.1), "rails": plan(12, 4, 0.1, deviations=["late interaction"], **odd)}
    lines = evaluation_lines({"plans": plans, "differences": [difference]})
    assert [line.split()[0] for line in lines[:2]] == ["bidfolio:", "rails:"] and lines[2] == ""
    lines = lines[3:]
    recalls = [f"R@{k}" for k in (1, 3, 5, 7, 9)]
    assert lines[0].split() == ["plan", "n", *recalls, "MRR@10", "nDCG@10", "p50", "ms", "p95", "ms"]
    assert lines[2].split() == ["bidfolio", "11", *[".500"] * 7, "0.5", "0.5"]
    assert lines[3].split() == ["by", "t", *[".25–.75"] * 7]
    assert lines[4].split() == ["by", "bootstrap", *[".38–.62"] * 7, "0.4–0.6", "0.4–0.6"]
    assert lines[5].split() == ["rails", "11", *[".500"] * 5, "1.000", ".500", "0.5", "0.5"]
    assert lines[6].split() == ["by", "t", *[".25–.75"] * 5, "–", ".25–.75"]
    assert lines[7].split() == ["by", "bootstrap", *[".38–.62"] * 7, "0.4–0.6", "100.0–250"]
    below = " ".join(line.strip() for line in lines[8:11])
    assert "by bootstrap, both over whole documents" in below and "by bootstrap over 3 questions" in below
    assert lines[11] == "" and lines[12].split() == ["plan", "n", "cited", "declined", "…", "rightly", "ROUGE-1"]
    assert lines[14].split() == ["bidfolio", "12", *["0.500"] * 4]
    assert "rails ran with late interaction" in lines
    assert " ".join(line.strip() for line in lines[-2:]) == (
        "bidfolio − rails, R@5: 0.250 [0.125, 0.500], p < .001 (0.030 by Holm), n = 11, clustered ± 0.062, p = 0.062"
    )
    many = [difference | {"p_holm": 0.05}] * MOST_DIFFERENCES + [difference]
    lines = evaluation_lines({"plans": plans, "differences": many})
    assert sum(line.startswith("bidfolio − rails") for line in lines) == 1
    assert (
        f"1 of {MOST_DIFFERENCES + 1} differences are more than chance by Holm's correction; all are in --json" in lines
    )
    assert p_said(0.012) == "p = 0.012" and p_said(None) == "p = –"
