"""`bidfolio evaluate --judge`: who may judge, what judges say, and what becomes of replies that are none."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tasks.evaluation.judges.labels import read_labels
from tasks.storage.lake import Lake
from tests.made.commands import Bidfolio
from tests.made.published import Published
from tests.made.scripted_server import Reply, scripted_url

ASKED = {
    "good": "Do you support single sign-on?",
    "prose": "Do you carry out penetration tests?",
    "off": "What is the monthly uptime target?",
}
JUDGED = ("--judge", "server", "--criterion", "correctness", "--criterion", "faithfulness", "--repeats", "2")


class Marker:
    """Marks the labelled examples as people did by correctness, and says 1 to all by faithfulness; of the gold set it
    marks one answer, says prose to another, and goes off the scale with the third.
    """

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.known = {(one.case.answer, one.case.question): one.labels.get("correctness") for one in read_labels()}

    def __call__(self, body: dict[str, Any]) -> Reply:
        system, told = (message["content"] for message in body["messages"])
        self.asked.append(told)
        if "keeps to its sources" in system:
            return 200, {"reason": "fine", "score": 1}
        question = told.split("Question:\n")[1].split("\n")[0]
        which = next((key for key, text in ASKED.items() if text == question), None)
        if which is None:
            answer = told.split("Answer:\n")[1].split("\n\nYour last reply")[0]
            return 200, {"reason": "as people say", "score": int(self.known[answer, question] or 1)}
        return 200, {"prose": "Rather good.", "off": {"reason": "so", "score": 7}}.get(
            which, {"reason": "it says so", "score": 4}
        )


@pytest.fixture
def marker(monkeypatch: pytest.MonkeyPatch) -> Iterator[Marker]:
    script = Marker()
    with scripted_url(script) as url:
        monkeypatch.setenv("BIDFOLIO_OPENAI_BASE_URL", url)
        monkeypatch.setenv("BIDFOLIO_OPENAI_MODEL", "m")
        yield script


@pytest.fixture
def gold(tmp_path: Path) -> Path:
    path = tmp_path / "gold.jsonl"
    file = {"good": "past.csv", "prose": "past.csv", "off": "hosting.txt"}
    lines = [
        {"id": key, "question": text, "answer": "Yes", "answerable": True, "evidence": [{"file": file[key]}]}
        for key, text in ASKED.items()
    ]
    path.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    return path


def test_a_server_that_judges_is_asked_again_and_what_is_no_mark_is_unscored(
    published: Published, bidfolio: Bidfolio, gold: Path, marker: Marker
) -> None:
    ran = bidfolio("--json", "evaluate", gold, *JUDGED, "--judge", "lexical")
    assert ran.exit_code == 0, ran.err
    judges, judged = ran.summary["judges"], ran.summary["plans"]["bidfolio"]["judged"]

    correctness = judges["server"]["agreement"]["correctness"]
    assert correctness["kappa"] == correctness["accuracy"] == 1.0 and correctness["refused"] is None
    assert "no better than chance" in judges["server"]["agreement"]["faithfulness"]["refused"]
    assert not judges["server"]["deterministic"] and judges["lexical"]["deterministic"]

    assert "faithfulness[server]" not in judged["figures"] and "faithfulness[lexical]" in judged["figures"]
    figure = judged["figures"]["correctness[server]"]
    assert (figure["mean"], figure["n"], figure["unscored"], figure["repeats"]) == (4.0, 1, 2, 2)
    assert figure["sd_of_repeats"] == 0.0 and sum(figure["why_unscored"].values()) == 4
    assert any("the score 7 is none of" in why for why in figure["why_unscored"])
    assert judged["figures"]["correctness[lexical]"]["repeats"] == 1

    rows = Lake(str(published.home)).read("judgements", run_id=ran.summary["run_id"], plan="bidfolio").to_pylist()
    by_server = [row for row in rows if row["judge"] == "server"]
    assert {(row["question_id"], row["repeat"], row["score"]) for row in by_server} == {
        (key, repeat, 4.0 if key == "good" else None) for key in ASKED for repeat in (1, 2)
    }
    assert all(row["unscored_reason"] for row in by_server if row["score"] is None)
    scores = Lake(str(published.home)).read("scores", run_id=ran.summary["run_id"], plan="bidfolio").to_pylist()
    assert {row["metric"]: row["value"] for row in scores}.items() >= {"correctness[server]": 4.0}.items()
    assert any(row["metric"] == "page_recall_at_5" for row in scores)

    # Only the replies that were none are asked for again: each twice, in each of two repeats.
    marker.asked.clear()
    again = bidfolio("evaluate", gold, *JUDGED)
    assert again.exit_code == 0, again.err
    assert len(marker.asked) == 8 and not any(ASKED["good"] in told for told in marker.asked)
    assert "correctness[server] (1-5)  4.000" in again.out and "server does not judge faithfulness" in again.out
    assert "bidfolio, correctness[server]: 2 × the score 7 is none of" in again.out


def test_wrong_wishes_are_named_before_anything_is_done(
    published_once: Published, gold: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tests.made.commands import run_bidfolio

    for wish, told in (
        (("--judge", "server"), "set BIDFOLIO_OPENAI_BASE_URL and BIDFOLIO_OPENAI_MODEL"),
        (("--judge", "lexical", "--criterion", "beauty"), "no criterion is called 'beauty'"),
        (("--judge", "lexical", "--labels", tmp_path / "none.jsonl"), "cannot read the labelled examples"),
        (("--judge", "lexical", "--repeats", "0"), "--repeats is at least 1"),
        (("--repeats", "3"), "say who judges"),
    ):
        ran = run_bidfolio(published_once.home, "evaluate", gold, *wish)
        assert ran.exit_code == 2 and told in ran.err, (wish, ran.err)
