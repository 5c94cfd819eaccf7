"""What `bidfolio tune` prints of what it learnt."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from flows.cli.tuning_command import adapter_lines, confidence_lines, reranker_lines, share_in_words


def tuned(p: float | None) -> dict[str, Any]:
    figure = {"without": 0.3, "difference": 0.02, "interval": [-0.03, 0.08], "p": p, "n": 42}
    pairs = {"gold": 40, "past": 0, "made": 100, "unborne": 0}
    return {"pairs": pairs, "losses": (0.4, 0.3), "out": "new", "differences": {"mrr_of_candidates": figure}}


@pytest.mark.parametrize(("p", "is_sure"), [(0.01, True), (0.4, False)])
def test_a_reranker_that_may_rank_better_by_chance_is_said_to(p: float, is_sure: bool) -> None:
    last = reranker_lines(tuned(p))[-1]
    assert last.startswith("saved: set BIDFOLIO_RERANK_CROSS_ENCODER=new") and ("may be chance" in last) != is_sure


@pytest.mark.parametrize("lines_of", [adapter_lines, reranker_lines])
def test_gold_questions_whose_evidence_has_no_chunk_are_told(lines_of: Callable[[dict[str, Any]], list[str]]) -> None:
    rest = {"wins": False, "deviations": [], "adapter": "none", "index_version": "0a1b2c3d4e5f"}
    summary = tuned(0.4) | rest
    assert lines_of(summary)[0] == "learnt from 40 gold questions, 0 past ones and 100 made ones"
    summary["pairs"]["unborne"] = 3
    assert lines_of(summary)[0].endswith("; 3 of the gold set's 43 name files, pages or rows without a chunk")


def test_a_reranker_that_ranks_worse_is_not_recommended() -> None:
    worse = tuned(0.001)
    worse["differences"]["mrr_of_candidates"] |= {"difference": -0.458, "interval": [-0.492, -0.425]}
    last = reranker_lines(worse)[-1]
    assert last == "it is in new, and ranks worse than the one that it was made of: keep that one"


@pytest.mark.parametrize("is_replaced", [False, True])
def test_an_adapter_in_the_place_of_another_plans_is_said_to_be(is_replaced: bool) -> None:
    published = {"wins": True, "deviations": [], "adapter": "published", "index_version": "0a1b2c3d4e5f"}
    lines = adapter_lines(tuned(0.01) | published | {"replaced_anothers": is_replaced})
    assert any("takes the place of one that was judged with another" in line for line in lines) == is_replaced
    assert lines[-1].startswith("it helps: published version 0a1b2c3d4e5f")


def test_thresholds_are_told_beside_those_of_the_plan() -> None:
    share = {"value": 0.25, "interval": [0.1, 0.4], "n": 40}
    nothing = {"value": None, "interval": [None, None], "n": 0}
    effect = dict.fromkeys(("declined_answerable", "declined_unanswerable", "drafted", "outright"), share)
    side = effect | {"right_of_drafted": share, "right_of_outright": nothing}
    summary: dict[str, Any] = {
        "questions": {"all": 60, "answerable": 50, "drafts": 55},
        "keep": 0.95,
        "right": 0.9,
        "calibration": {
            "taken": True,
            "loss": 0.4,
            "gain": {"mean": 0.05, "interval": [0.01, 0.09], "p": 0.01, "n": 55},
        },
        "calibration_error": 0.081,
        "curve": [{"threshold": 0.9, "coverage": 0.5, "error": 0.1, "n": 30}],
        "as_it_is": {"decline_below": 0.76, "review_below": 0.93} | side,
        "chosen": {"decline_below": 0.5, "review_below": 1.0} | side,
        "deviations": [],
        "out": "out/calibrated.yaml",
    }
    said = "\n".join(confidence_lines(summary))
    assert "log loss 0.400, less by +0.050 [+0.010, +0.090]" in said and "n = 55): taken" in said
    assert "0.760" in said and "0.500" in said and "0.250 (0.100 to 0.400)" in said and "–" in said
    assert "by 0.081 (ECE)" in said and ["0.90", "30", "0.500", "0.900"] in [line.split() for line in said.splitlines()]
    assert "no threshold makes 90% of the outright answers right" in said
    assert said.endswith("use it with --plan out/calibrated.yaml")
    assert share_in_words({"value": 0.5, "interval": [None, None], "n": 1}) == "0.500"
