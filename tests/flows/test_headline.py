"""`bidfolio evaluate` of the tiny corpus: its headline and its curve, held against the answers that are in the lake."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from configs.plans import load_plan
from tasks.storage.lake import Lake
from tests.made.commands import Bidfolio, Ran
from tests.made.published import Published
from tests.made.scripted_server import Reply, scripted_url

GOLD = [
    ("sso", "Do you support single sign-on?", "yes", "past.csv", None),
    ("tests", "Do you carry out penetration tests?", "yes", "past.csv", None),
    ("rest", "Is customer data at rest encrypted?", "yes", "policy.pdf", 1),
    ("never", "Do you tell customers nothing about a confirmed breach?", "no", "policy.pdf", 2),
    ("breach", "How soon are customers told about a confirmed breach of personal data?", None, "policy.pdf", 2),
    ("cook", "Do your zebras play chess in the orchard?", None, None, None),
]


class Opinionated:
    """A model that cites its first passage, with yes for every yes/no question."""

    def __call__(self, body: dict[str, Any]) -> Reply:
        told = body["messages"][1]["content"]
        passage = told.split("\n\n")[1].split("\n", 1)[1]
        said = " ".join(passage.split())[:300].rpartition(".")[0] + "."
        return 200, {"answer": said, "citations": [1], "verdict": "yes"}


@pytest.fixture
def gold(tmp_path: Path) -> Path:
    lines = [
        {
            **{"id": key, "question": text, "answer": None, "answerable": file is not None},
            **({"verdict": verdict} if verdict else {}),
            "evidence": [{"file": file, "page": page}] if file else [],
        }
        for key, text, verdict, file, page in GOLD
    ]
    path = tmp_path / "gold.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    return path


def recounted(
    published: Published, ran: Ran, answered_from: float
) -> tuple[dict[str, Any], Mapping[str, dict[str, Any]]]:
    """The figures of the run's plan, which say what its answers in the lake say; and these answers."""
    lake, run_id = Lake(str(published.home)), ran.summary["run_id"]
    ((plan, figures),) = ran.summary["plans"].items()
    answers = {row["question_id"]: row for row in lake.read("answers", run_id=run_id, plan=plan).to_pylist()}
    assert set(answers) == {key for key, *_ in GOLD}
    status = Counter(row["status"] for row in answers.values())
    assert figures["headline"].startswith(f"of 6 questions {status['answered']} can be sent")
    assert f", {status['needs_review']} want" in figures["headline"]
    assert f", {status['declined']} " in figures["headline"] and "failed" not in figures["headline"]

    scores = {row["metric"]: row for row in lake.read("scores", run_id=run_id, plan=plan).to_pylist()}
    assert scores["answered_rate"]["value"] == pytest.approx(status["answered"] / 6)
    truth = {key: verdict for key, text, verdict, *_ in GOLD if text.split()[0] in ("Do", "Is")}
    assert set(truth) == set(answers) - {"breach"}
    left = [key for key in truth if answers[key]["proposed_verdict"] and not answers[key]["verdict"]]
    right = sum(answers[key]["proposed_verdict"] == truth[key] for key in left)
    assert scores["verdict_proposal_precision"]["n"] == len(left) and left
    assert scores["verdict_proposal_precision"]["value"] == pytest.approx(right / len(left))
    assert f"(proposed yes or no right in {right} of {len(left)})" in figures["headline"]

    ranked = sorted((-answers[key]["verdict_probability"], key) for key in truth if answers[key]["proposed_verdict"])
    points = lake.read("verdict_coverage", run_id=run_id, plan=plan).to_pylist()
    for point in points:
        kept = [key for minus, key in ranked if -minus >= point["threshold"]]
        wrong = sum(answers[key]["proposed_verdict"] != truth[key] for key in kept)
        assert (point["n"], point["coverage"]) == (len(kept), len(kept) / 5)
        assert point["error"] == pytest.approx(wrong / len(kept))
        assert point["error_low"] <= point["error"] <= point["error_high"]
    assert {point["threshold"] for point in points} == {-minus for minus, _ in ranked}
    assert {point["answered_from"] for point in points} == {answered_from}
    drawn = [row for row in lake.read("pictures", run_id=run_id).to_pylist() if row["picture"] == "verdicts"]
    assert [row["x"] for row in drawn if not row["is_mark"]] == [point["coverage"] for point in points]
    return figures, answers


def test_the_headline_is_counted_from_the_answers_and_stands_at_the_top(
    published: Published, bidfolio: Bidfolio, gold: Path, tmp_path: Path
) -> None:
    ran = bidfolio("--json", "evaluate", gold, "--out", tmp_path / "out")
    assert ran.exit_code == 0, ran.err
    verdicts = load_plan("bidfolio").answering.verdicts
    assert verdicts is not None
    figures, answers = recounted(published, ran, verdicts.answered_from)
    assert answers["cook"]["status"] == "declined" and answers["breach"]["status"] != "declined"
    report = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert report.index(figures["headline"]) < report.index("<h2>")
    assert "share of yes/no questions answered" in report and (tmp_path / "out/pictures/verdicts.png").is_file()

    again = bidfolio("evaluate", gold)
    top = again.out.split("\n\n")[0]
    assert " ".join(top.split()) == f"bidfolio: {figures['headline']}"


def test_what_a_language_model_answers_has_the_same_headline(
    published: Published, bidfolio: Bidfolio, gold: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = tmp_path / "modelled.yaml"
    written = Path("configs/plans/bidfolio.yaml").read_text(encoding="utf-8")
    strict = re.sub(r"answered_from: [\d.]+, proposed_from", "answered_from: 0.99, proposed_from", written)
    plan.write_text(strict.replace("generator: extractive", "generator: openai"), encoding="utf-8")
    with scripted_url(Opinionated()) as url:
        monkeypatch.setenv("BIDFOLIO_OPENAI_BASE_URL", url)
        monkeypatch.setenv("BIDFOLIO_OPENAI_MODEL", "m")
        ran = bidfolio("--json", "evaluate", gold, "--plan", plan)
    assert ran.exit_code == 0, ran.err
    _, answers = recounted(published, ran, 0.99)
    assert {row["generator"] for row in answers.values()} == {"openai"}
