"""A refresh that makes answers worse does not go live, and answers that do not hold fill no questionnaire."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tasks.answering.task import draft_answers
from tasks.references import Answered
from tasks.storage.lake import Lake
from tests.made.commands import Bidfolio
from tests.made.faults import write_pdf
from tests.made.published import Published
from tests.made.questionnaires import ENCRYPTED, GARDENER
from tests.made.run_results import newest_artifact, rows_of

POLICY = {"enc": ENCRYPTED, "how": "How is customer data at rest encrypted in every region?"}
BY_GOLD = "SELECT expectation, column_name, severity FROM quality WHERE suite = 'gold' AND NOT passed ORDER BY ALL"
LIVE = "SELECT index_version FROM index_versions ORDER BY published_at DESC LIMIT 1"


def write_gold(path: Path, file: str = "policy.pdf") -> Path:
    lines: list[dict[str, Any]] = [
        {"id": name, "question": asked, "answerable": True, "evidence": [{"file": file, "page": 1}]}
        for name, asked in POLICY.items()
    ]
    lines.append({"id": "gardener", "question": GARDENER, "answerable": False})
    path.write_text("\n".join(json.dumps(line) for line in lines), encoding="utf-8")
    return path


def test_a_version_that_answers_worse_is_not_published(
    published: Published, bidfolio: Bidfolio, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = published.refreshed.summary["index_version"]
    added = published.documents / "added.txt"
    added.write_text("The office in Oslo has closed.\n", encoding="utf-8")
    monkeypatch.setenv("BIDFOLIO_GATE_GOLD", json.dumps({"default": str(tmp_path / "gold.jsonl")}))

    missing = bidfolio("refresh", published.documents)
    assert missing.exit_code == 2 and "BIDFOLIO_GATE_GOLD" in missing.err and "gold.jsonl" in missing.err
    assert rows_of(bidfolio, LIVE) == [[first]] and "Staging" not in missing.err

    write_gold(tmp_path / "gold.jsonl")
    good = bidfolio("--json", "refresh", published.documents)
    assert good.exit_code == 0, good.err
    gold = good.summary["gold"]
    assert (gold["questions"], gold["now"], gold["seconds"] > 0) == (3, gold["before"], True)
    assert gold["now"]["page_recall_at_5"] == gold["now"]["page_mrr_at_10"] == 1.0
    assert rows_of(bidfolio, BY_GOLD) == []
    unchanged = bidfolio("--json", "refresh", published.documents)
    assert unchanged.exit_code == 0 and "gold" not in unchanged.summary

    (published.documents / "policy.pdf").write_bytes(b"%PDF-1.7 and nothing that can be read")
    refused = bidfolio("--json", "refresh", published.documents)
    assert refused.exit_code == 3, refused.err
    assert rows_of(bidfolio, LIVE) == [[good.summary["index_version"]]]
    assert f"enc ({ENCRYPTED!r}): policy.pdf, p. 1 at rank 1; now none of its pages" in refused.err
    assert "1.000 before, 0.000 now, difference -1.000" in refused.err
    assert rows_of(bidfolio, BY_GOLD) == [
        ["expect_found", "questions", "warning"],
        ["expect_no_drop", "page_mrr_at_10", "critical"],
        ["expect_no_drop", "page_recall_at_5", "critical"],
        ["expect_question", "enc", "warning"],
        ["expect_question", "how", "warning"],
    ]
    last = "SELECT DISTINCT suite FROM quality WHERE run_id = (SELECT max(run_id) FROM quality) ORDER BY 1"
    assert rows_of(bidfolio, last) == [["chunks"], ["counts"], ["gold"], ["pages"], ["vectors"]]
    assert "enc" in str(newest_artifact("gold-gate").data)
    asked = "SELECT (SELECT count(*) FROM questions), (SELECT count(*) FROM answers), (SELECT count(*) FROM audit)"
    assert rows_of(bidfolio, asked) == [[0, 0, 0]]

    command = refused.err.partition("publish this version by hand: bidfolio ")[2].split()
    by_hand = bidfolio("--json", *command)
    assert by_hand.exit_code == 0, by_hand.err
    assert rows_of(bidfolio, LIVE) == [[command[2]]]
    assert bidfolio("--json", "index", "check").summary["gold"]["page_recall_at_5"] == 0.0
    monkeypatch.setenv("BIDFOLIO_GATE_FLOOR", "0.5")
    below = bidfolio("index", "check")
    assert below.exit_code == 3 and "it is at least 0.5; it is 0.000" in below.err
    monkeypatch.setenv("BIDFOLIO_GATE_GOLD", str(write_gold(tmp_path / "other.jsonl", "other.pdf")))
    elsewhere = bidfolio("index", "check")
    assert elsewhere.exit_code == 2 and "is about other documents" in elsewhere.err and "other.pdf" in elsewhere.err


@pytest.mark.parametrize("is_deleted", [True, False], ids=["deleted", "rewritten"])
def test_evidence_that_somebody_took_away_is_told_and_needs_no_force(
    published: Published, bidfolio: Bidfolio, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_deleted: bool
) -> None:
    monkeypatch.setenv("BIDFOLIO_GATE_GOLD", str(write_gold(tmp_path / "gold.jsonl")))
    policy = published.documents / "policy.pdf"
    policy.unlink() if is_deleted else write_pdf(policy, 2)

    done = bidfolio("--json", "refresh", published.documents)

    assert done.exit_code == 0, done.err
    lost = "policy.pdf, which is gone" if is_deleted else "policy.pdf, p. 1, whose text is gone from it"
    assert f"2 gold questions rested on {lost}: enc, how" in done.err
    assert rows_of(bidfolio, LIVE) == [[done.summary["index_version"]]]


def test_answers_that_do_not_hold_fill_no_questionnaire(
    published: Published, bidfolio: Bidfolio, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def draft_and_spoil(*arguments: Any) -> Answered:
        answered = draft_answers(*arguments)
        lake, partition = Lake(str(published.home)), {"run_id": answered.run_id, "plan": answered.plan}
        rows = lake.read("citations", **partition).to_pylist()
        lake.write("citations", [row | {"quote": f"{row['quote']} And more."} for row in rows], **partition)
        return answered

    monkeypatch.setattr("flows.answer.draft_answers", draft_and_spoil)
    questionnaire = tmp_path / "customer.csv"
    questionnaire.write_text(f'Ref,Question,Answer\n1,"{ENCRYPTED}",\n', encoding="utf-8")

    refused = bidfolio("answer", questionnaire)

    assert refused.exit_code == 3, refused.err
    assert "citations.is_verbatim" in refused.err and "question 1, policy.pdf, p. 1" in refused.err
    assert not (tmp_path / "customer.answered.csv").exists()
    failed = "SELECT suite, column_name FROM quality WHERE NOT passed"
    assert rows_of(bidfolio, failed) == [["citations", "is_verbatim"]]
    assert rows_of(bidfolio, "SELECT status FROM runs WHERE kind = 'answer'") == [["refused"]]

    monkeypatch.undo()
    monkeypatch.setenv("BIDFOLIO_HOME", str(published.home))
    again = bidfolio("--json", "answer", questionnaire)
    assert again.exit_code == 0, again.err
    assert again.summary["warnings"] == [] and (tmp_path / "customer.answered.csv").exists()
    unjudged = "SELECT column_name, observed FROM quality WHERE suite = 'drift' AND passed IS NULL ORDER BY 1"
    assert [row[0] for row in rows_of(bidfolio, unjudged)] == ["no_context_rate", "topics"]
    kept = published.home / "cache" / "outputs.sqlite"
    assert kept.exists()
    purged = bidfolio("--json", "purge", "--run", again.summary["run_id"])
    assert purged.exit_code == 0, purged.err
    assert not kept.exists()
