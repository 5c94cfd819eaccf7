"""Plans that rerank with a model of their own: measured, answered with, and what is said where it is not there."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tasks.storage.lake import Lake
from tests.made.commands import Bidfolio
from tests.made.published import Published
from tests.made.rerankers import save_cross_encoder

QUESTION = "How soon are customers told of a breach?"


@pytest.fixture
def gold(tmp_path: Path) -> Path:
    path = tmp_path / "gold.jsonl"
    evidence = [{"file": "policy.pdf", "page": 2}]
    path.write_text(
        json.dumps({"id": "1", "question": QUESTION, "answer": None, "answerable": True, "evidence": evidence}) + "\n",
        encoding="utf-8",
    )
    return path


def test_without_weights_plans_are_measured_with_a_substitute(
    published: Published, bidfolio: Bidfolio, gold: Path
) -> None:
    ran = bidfolio("--json", "evaluate", gold, "--plan", "rfp_chat", "--plan", "rails")
    assert ran.exit_code == 0, ran.err
    plans = ran.summary["plans"]
    assert plans["rfp_chat"]["deviations"] == [
        "late interaction in the place of a cross-encoder, which has no weights here, and no least relevance of 0.35"
    ]
    assert "deviations" not in plans["rails"]
    told = bidfolio("evaluate", gold, "--plan", "rfp_chat")
    assert "rfp_chat ran with late interaction in the place of a cross-encoder" in told.out
    for command in (("ask", QUESTION), ("answer", published.documents / "past.csv")):
        refused = bidfolio(*command, "--plan", "rfp_chat")
        assert refused.exit_code == 2 and "set BIDFOLIO_RERANK_CROSS_ENCODER to the folder of a model" in refused.err


def test_with_weights_they_rank(
    published: Published, bidfolio: Bidfolio, gold: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BIDFOLIO_RERANK_CROSS_ENCODER", save_cross_encoder(tmp_path / "model"))
    ran = bidfolio("--json", "evaluate", gold, "--plan", "rfp_chat")
    assert ran.exit_code == 0, ran.err
    assert "deviations" not in ran.summary["plans"]["rfp_chat"]
    hits = Lake(str(published.home)).read("retrievals", run_id=ran.summary["run_id"], plan="rfp_chat").to_pylist()
    scores = [hit["score"] for hit in sorted(hits, key=lambda hit: hit["rank"])]
    assert scores == sorted(scores, reverse=True) and 0 < scores[-1] < scores[0] < 1
    assert bidfolio("refresh", published.documents, "--plan", "rfp_chat").exit_code == 0
    asked = bidfolio("--json", "ask", QUESTION, "--plan", "rfp_chat")
    assert asked.exit_code == 0, asked.err
    assert asked.summary["question"] == QUESTION
