"""Plans that ask more than the question: what is measured, answered and kept, with a model server and without."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from configs.plans import PLANS_DIR
from tasks.storage.lake import Lake
from tests.made.commands import Bidfolio
from tests.made.published import Published
from tests.made.scripted_server import Reply, scripted_url

BREACH = "How soon are customers told of a breach?"
MAYOR = "Who is the mayor?"
WORDINGS = ["breach notification to customers", "incident notice period"]


@pytest.fixture
def gold(tmp_path: Path) -> Path:
    path = tmp_path / "gold.jsonl"
    evidence = [{"file": "policy.pdf", "page": 2}]
    lines: list[dict[str, Any]] = [
        {"id": "breach", "question": BREACH, "answer": None, "answerable": True, "evidence": evidence},
        {"id": "mayor", "question": MAYOR, "answer": None, "answerable": False, "evidence": []},
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def plan_with(expand: str, folder: Path) -> Path:
    """The default plan, expanding: its index is the one that is published."""
    recipe = (PLANS_DIR / "bidfolio.yaml").read_text(encoding="utf-8")
    path = folder / "mine.yaml"
    path.write_text(recipe.replace("  top_k:", f"  expand: {expand}\n  top_k:"), encoding="utf-8")
    return path


def test_without_a_server_feedback_is_measured_and_nothing_is_answered(
    published: Published, bidfolio: Bidfolio, gold: Path, tmp_path: Path
) -> None:
    plan = plan_with("{by: generator}", tmp_path)
    ran = bidfolio("--json", "evaluate", gold, "--plan", plan)
    assert ran.exit_code == 0, ran.err
    assert ran.summary["plans"]["mine"]["deviations"] == [
        "feedback in the place of a model server's wordings, as none is configured here"
    ]
    assert ran.summary["plans"]["mine"]["unexpanded"] == 0
    for row in Lake(str(published.home)).read("expansions", run_id=ran.summary["run_id"], plan="mine").to_pylist():
        assert (row["expanded_by"], row["reason"]) == ("feedback", None) and "^0." in row["query"]
    for command in (("ask", BREACH), ("answer", published.documents / "past.csv")):
        refused = bidfolio(*command, "--plan", plan)
        assert refused.exit_code == 2 and "none is configured: set BIDFOLIO_OPENAI_BASE_URL" in refused.err
    asked = bidfolio("--json", "ask", BREACH, "--plan", plan_with("{by: generator, substitute: true}", tmp_path))
    assert asked.exit_code == 0, asked.err
    assert asked.summary["asked_beside"] and asked.summary["asked_as_it_stands"] is None


def test_with_a_server_its_wordings_are_searched_and_kept(
    published: Published, bidfolio: Bidfolio, gold: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def script(body: dict[str, Any]) -> Reply:
        return (400, {}) if MAYOR in body["messages"][1]["content"] else (200, {"queries": WORDINGS})

    plan, out = plan_with("{by: generator, count: 2}", tmp_path), tmp_path / "filled.csv"
    with scripted_url(script) as url:
        monkeypatch.setenv("BIDFOLIO_OPENAI_BASE_URL", url)
        monkeypatch.setenv("BIDFOLIO_OPENAI_MODEL", "m")
        ran = bidfolio("--json", "evaluate", gold, "--plan", plan)
        sheet = tmp_path / "customer.csv"
        sheet.write_text(f"Question,Answer\n{BREACH},\n{MAYOR},\n", encoding="utf-8")
        filled = bidfolio("answer", sheet, "--plan", plan, "--out", out)
    assert ran.exit_code == 0 and filled.exit_code == 0, ran.err + filled.err
    assert "deviations" not in ran.summary["plans"]["mine"] and ran.summary["plans"]["mine"]["unexpanded"] == 1
    kept = Lake(str(published.home)).read("expansions", run_id=ran.summary["run_id"], plan="mine").to_pylist()
    assert [(row["query_index"], row["query"]) for row in kept if row["question_id"] == "breach"] == [
        (0, WORDINGS[0]),
        (1, WORDINGS[1]),
    ]
    (mayor,) = (row for row in kept if row["question_id"] == "mayor")
    assert mayor["query"] is None and "status 400" in mayor["reason"]
    assert "0 failed, 1 asked as they stand, in" in filled.out and out.is_file()
