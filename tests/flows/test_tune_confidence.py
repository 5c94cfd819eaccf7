"""`bidfolio tune --confidence`: thresholds by a gold set, in a plan that answers by them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

from configs.plans import PLANS_DIR, Answering, load_plan
from tasks.storage.lake import Lake
from tests.made.commands import Bidfolio
from tests.made.published import Published
from tests.made.questionnaires import GOLD_PAGES

UNANSWERABLE = (
    "Which football club does the company sponsor?",
    "Is the canteen vegetarian?",
    "How many helicopters are there?",
)


def line(number: int, question: str, page: int | None) -> dict[str, Any]:
    evidence = [{"file": "policy.pdf", "page": page}] if page else []
    asked = {"id": f"q{number}", "question": question, "answer": None}
    return asked | {"answerable": page is not None, "evidence": evidence}


@pytest.fixture
def gold(tmp_path: Path) -> Path:
    path = tmp_path / "gold.jsonl"
    asked = [*GOLD_PAGES.items()] * 3 + [(question, None) for question in UNANSWERABLE] * 4
    lines = [line(number, question, page) for number, (question, page) in enumerate(asked)]
    path.write_text("".join(json.dumps(one) + "\n" for one in lines), encoding="utf-8")
    return path


def test_a_plan_answers_by_the_thresholds_that_a_gold_set_chose(
    published: Published, bidfolio: Bidfolio, gold: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    ran = bidfolio("--json", "tune", gold, "--confidence", "--keep", "0.6", "--right", "0.8", "--out", out)
    assert ran.exit_code == 0, ran.err
    said = ran.summary
    assert said["questions"]["all"] == 36 and said["questions"]["answerable"] == 24
    own = load_plan("bidfolio").answering
    assert (said["as_it_is"]["decline_below"], said["as_it_is"]["review_below"]) == (
        own.decline_below,
        own.review_below,
    )

    plan = load_plan(str(out / "calibrated.yaml"))
    assert plan.index_key == load_plan("bidfolio").index_key and "gold.jsonl" in plan.after
    assert plan.answering.model_dump() == own.model_dump() | said["answering"]
    assert plan.answering.decline_below != own.decline_below

    answered = bidfolio("--json", "evaluate", gold, "--plan", out / "calibrated.yaml")
    assert answered.exit_code == 0, answered.err
    lake = Lake(str(published.home))
    seen = lake.read("answers", run_id=said["run_id"], plan="bidfolio").to_pylist()
    became = lake.read("answers", run_id=answered.summary["run_id"], plan="calibrated").to_pylist()
    # A sigmoid may have moved the confidences, and then moves no two past each other.
    moved = [was | {"confidence": now["confidence"]} for was, now in zip(seen, became, strict=True)]
    assert [row["status"] for row in became] == [_by(plan.answering, row) for row in moved]
    assert said["calibration"]["taken"] or moved == seen
    assert np.argsort([row["confidence"] for row in moved], kind="stable").tolist() == (
        np.argsort([row["confidence"] for row in seen], kind="stable").tolist()
    )
    kept = [row["status"] != "declined" for row in became[:24]]
    assert 0.6 * 24 <= sum(kept) < 24


def _by(answering: Answering, row: dict[str, Any]) -> str:
    """What the thresholds make of what a question got with both at 0."""
    if row["status"] == "declined" or row["confidence"] < answering.decline_below:
        return "declined"
    return str(row["status"]) if row["confidence"] >= answering.review_below else "needs_review"


def test_a_set_without_unanswerable_questions_moves_thresholds_alone(
    published: Published, bidfolio: Bidfolio, gold: Path
) -> None:
    lines = gold.read_text(encoding="utf-8").splitlines(keepends=True)
    gold.write_text("".join(lines[:24]), encoding="utf-8")
    ran = bidfolio("tune", gold, "--confidence")
    assert ran.exit_code == 0, ran.err
    assert "stays as it is: it wants 10 drafts for questions that nothing answers" in ran.out
    assert "name a folder with --out" in ran.out

    gold.write_text("".join(lines[:12]), encoding="utf-8")
    few = bidfolio("tune", gold, "--confidence")
    assert few.exit_code == 2 and "gold.jsonl: 12 of its answerable questions have a draft" in few.err
    assert "`bidfolio gold make`" in few.err


def test_nothing_is_written_for_a_reranker_that_took_anothers_place(
    published: Published, bidfolio: Bidfolio, gold: Path, tmp_path: Path
) -> None:
    recipe = yaml.safe_load((PLANS_DIR / "bidfolio.yaml").read_text("utf-8"))
    recipe["retrieval"]["rerank"] = {"by": "cross_encoder"}
    recipe["answering"] = {"generator": "extractive", "decline_below": 0.3, "review_below": 0.4}
    plan = tmp_path / "weighed.yaml"
    plan.write_text(yaml.safe_dump(recipe), encoding="utf-8")
    ran = bidfolio("tune", gold, "--confidence", "--plan", plan, "--out", tmp_path / "out")
    assert ran.exit_code == 0, ran.err
    assert "nothing is written" in ran.out and not (tmp_path / "out").exists()
    assert "stays as it is: the plan's score is no probability" in ran.out


def test_who_wants_right_drafts_alone_gets_them(
    published: Published, bidfolio: Bidfolio, gold: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    ran = bidfolio("--json", "tune", gold, "--confidence", "--drafts-right", "0.6", "--out", out)
    assert ran.exit_code == 0, ran.err
    assert (ran.summary["drafts_right"], ran.summary["out"]) == (0.6, str(out / "calibrated.yaml"))
    chosen = ran.summary["chosen"]["decline_below"]
    assert 0 < chosen < 1 and load_plan(str(out / "calibrated.yaml")).answering.decline_below > 0

    strict = bidfolio("tune", gold, "--confidence", "--drafts-right", "0.999", "--out", tmp_path / "strict")
    assert "no threshold makes 99.9% of the drafts right: nothing is written" in strict.out
    assert not (tmp_path / "strict" / "calibrated.yaml").exists()


def test_what_is_wrong_is_named(bidfolio: Bidfolio, gold: Path, tmp_path: Path) -> None:
    def refused(*given: object) -> str:
        ran = bidfolio("tune", *given)
        assert ran.exit_code == 2, ran.out
        return ran.err

    assert "tune GOLD.jsonl --confidence" in refused("--confidence")
    assert "there is no file" in refused(tmp_path / "none.jsonl", "--confidence")
    assert "--keep is a share between 0 and 1" in refused(gold, "--confidence", "--keep", "95")
    assert "--right is a share between 0 and 1" in refused(gold, "--confidence", "--right", "1")
    assert "they go with --confidence" in refused(gold, "--adapter", "--keep", "0.9")
    assert "--drafts-right is a share between" in refused(gold, "--confidence", "--drafts-right", "1.5")
    both = refused(gold, "--confidence", "--keep", "0.9", "--drafts-right", "0.9")
    assert "both say how much is declined: give one of them" in both
    assert "is a file: name a folder" in refused(gold, "--confidence", "--out", gold)
