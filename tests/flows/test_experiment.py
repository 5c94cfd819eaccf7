"""`bidfolio evaluate --experiment`: what it measures and says, and that it goes on where it was interrupted."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
import yaml

from tasks.errors import UsageError
from tasks.storage.lake import Lake
from tasks.tuning import grid_task
from tasks.tuning.trial_measurement import measured
from tests.made.commands import Bidfolio, run_bidfolio
from tests.made.published import Published
from tests.made.scripted_server import Reply, scripted_url

QUESTIONS = {
    "Is customer data at rest encrypted?": 1,
    "How long are backups of the production database kept?": 1,
    "How soon are customers told about a confirmed breach of personal data?": 2,
    "Who tends the garden of the head office?": None,
}
DEPTHS = {
    "after": "mine",
    "question": "Does the depth matter?",
    "by": "context",
    "base": "bidfolio",
    "changed": {"answering": {"confidence": None, "decline_below": 0.0, "review_below": 0.0}},
    "settings": {
        "0%": {"given": "right_passage", "distractors": 2, "depth": 0.0},
        "100%": {"given": "right_passage", "distractors": 2, "depth": 1.0},
        "searched": {"given": "retrieved"},
    },
    "against": "0%",
    "measures": ["correctness", "rouge1_recall"],
}


@pytest.fixture
def gold(tmp_path: Path) -> Path:
    path = tmp_path / "gold.jsonl"
    lines = [
        {
            "id": f"q{number}",
            "question": question,
            "answer": "customers are told within 48 hours" if page == 2 else None,
            "answerable": page is not None,
            "evidence": [{"file": "policy.pdf", "page": page}] if page else [],
        }
        for number, (question, page) in enumerate(QUESTIONS.items())
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def test_depths_are_measured_and_an_interrupted_experiment_goes_on(
    published: Published, bidfolio: Bidfolio, gold: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    design, out = tmp_path / "depths.yaml", tmp_path / "out"
    design.write_text(yaml.safe_dump(DEPTHS, sort_keys=False), encoding="utf-8")
    asked = list[int]()

    def stops_at_the_second(gold: Any, *rest: Any) -> list[dict[str, Any]]:
        asked.append(len(gold))
        if len(asked) == 2:
            raise UsageError("the power is gone")
        return measured(gold, *rest)

    monkeypatch.setattr(grid_task, "measured", stops_at_the_second)
    stopped = bidfolio("evaluate", gold, "--experiment", design)
    assert stopped.exit_code == 2 and "the power is gone" in stopped.err
    ran = bidfolio("--json", "evaluate", gold, "--experiment", design, "--out", out)
    assert ran.exit_code == 0, ran.err
    assert sorted(asked[2:] + asked[:1]) == [3, 3, 4], "what was measured before is not measured again"
    said = ran.summary
    assert (said["experiment"], said["against"], said["questions"], said["kept"]) == ("depths", "0%", 4, 1)
    assert said["interrupted"] and said["interrupted"] != said["run_id"]
    figures = {(one["setting"], one["metric"]): one for one in said["figures"]}
    assert len(figures) == 6
    first, searched = figures["0%", "correctness"], figures["searched", "correctness"]
    assert (first["n"], first["unscored"], first["is_base"]) == (3, 1, True), "what has no right passage is left out"
    assert first["value"] >= 2 / 3 and (searched["n"], searched["unscored"]) == (4, 0)
    assert figures["100%", "correctness"]["setting_value"] == 1.0 and searched["setting_value"] is None
    assert figures["100%", "correctness"]["p"] is not None
    assert (figures["0%", "rouge1_recall"]["n"], figures["0%", "rouge1_recall"]["unscored"]) == (1, 3)

    table = pq.read_table(out / "experiments.parquet")
    assert table.equals(Lake(str(published.home)).read("experiments", run_id=said["run_id"]))
    columns = set(figures["0%", "correctness"])
    kept = [{name: value for name, value in row.items() if name in columns} for row in table.to_pylist()]
    assert kept == json.loads((out / "experiment.json").read_text(encoding="utf-8"))["figures"] == said["figures"]

    again = bidfolio("evaluate", gold, "--experiment", design)
    assert "experiment depths, on bidfolio: Does the depth matter?" in again.out
    assert "3 settings were measured by earlier runs" in again.out
    assert "answered right, or rightly declined: no setting differs from 0% by more than chance" in again.out


def test_a_scripted_server_stands_for_language_models(
    published_once: Published, gold: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The shipped experiments that need a model, whose server is scripted: what is sent and counted, and no more."""
    home, bodies, broken = published_once.home, list[dict[str, Any]](), list[str]()

    def script(body: dict[str, Any]) -> Reply:
        bodies.append(body)
        if broken:
            return 200, "I would rather talk about something else."
        with_passages = "citations" in body["response_format"]["json_schema"]["schema"]["properties"]
        told = body["messages"][1]["content"]
        if not with_passages:
            return 200, {"answer": "customers are told at once" if "breach" in told else None}
        passage = " ".join(told.split("\n\n")[1].split("\n", 1)[1].split())
        return 200, {"answer": passage[:300].rpartition(".")[0] + ".", "citations": [1], "verdict": None}

    refused = run_bidfolio(home, "evaluate", gold, "--experiment", "no_context")
    assert refused.exit_code == 2 and "BIDFOLIO_OPENAI_BASE_URL" in refused.err
    with scripted_url(script) as url:
        monkeypatch.setenv("BIDFOLIO_OPENAI_BASE_URL", url)
        monkeypatch.setenv("BIDFOLIO_OPENAI_MODEL", "m")
        ran = run_bidfolio(home, "--json", "evaluate", gold, "--experiment", "no_context")
        assert ran.exit_code == 0, ran.err
        alone = [b for b in bodies if "citations" not in b["response_format"]["json_schema"]["schema"]["properties"]]
        assert sorted(b["messages"][1]["content"] for b in alone) == sorted(f"Question: {q}" for q in QUESTIONS)
        figures = {(one["setting"], one["metric"]): one for one in ran.summary["figures"]}
        assert figures["nothing", "draft_rate"]["value"] == 1 / 4, "it knows of breaches alone"
        assert figures["nothing", "rouge1_recall"]["value"] == 3 / 6, "customers are told, of six words"
        assert figures["right passage", "draft_rate"]["n"] == 3
        best, alone_points = figures["right passage", "points_lexical"], figures["nothing", "points_lexical"]
        assert (best["n"], alone_points["n"]) == (1, 1), "one question has a known answer"
        assert alone_points["degradation"] == 1 - alone_points["value"] / best["value"]
        assert best["degradation"] is None and ran.summary["relative_maximum"] == "right passage"
        told = run_bidfolio(home, "evaluate", gold, "--experiment", "no_context").out
        assert "degradation" in told and "relative maximum" in told

        sent = len(bodies)
        monkeypatch.setenv("BIDFOLIO_SERVERS", json.dumps({"backup": {"base_url": url, "model": "small"}}))
        ran = run_bidfolio(home, "--json", "evaluate", gold, "--experiment", "generators")
        assert ran.exit_code == 0, ran.err
        assert {body["model"] for body in bodies[sent:]} == {"small"}, "the other server's replies are kept"
        settings = [one["setting"] for one in ran.summary["figures"] if one["metric"] == "draft_rate"]
        assert settings == ["extractive", "openai", "backup"]

        broken.append("now")
        monkeypatch.setenv("BIDFOLIO_SERVERS", "{}")
        monkeypatch.setenv("BIDFOLIO_OPENAI_MODEL", "broken")
        ran = run_bidfolio(home, "--json", "evaluate", gold, "--experiment", "generators")
        assert ran.exit_code == 1 and ran.summary["failed"] == {"openai": 4}
        assert "bidfolio: openai: 4 answers failed, and are scored nowhere: run it again (the first: " in ran.err
        assert ran.summary["first_failures"]["openai"] in ran.err
        figures = {(one["setting"], one["metric"]): one for one in ran.summary["figures"]}
        unscored = figures["openai", "correctness"]
        assert (unscored["value"], unscored["n"], unscored["unscored"]) == (None, 0, 4), "what failed is not wrong"
        broken.clear()
        ran = run_bidfolio(home, "--json", "evaluate", gold, "--experiment", "generators")
        assert ran.exit_code == 0 and not ran.summary["failed"], "what failed is asked again"
        assert ran.summary["kept"] == 1, "the other setting is not measured again"
