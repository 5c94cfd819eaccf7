"""`bidfolio gold`: what it makes and imports is what `evaluate` takes."""

from __future__ import annotations

import json
from pathlib import Path

from tests.made.commands import Bidfolio, run_bidfolio
from tests.made.published import Published

LOGS = "Security logs are kept for 24 months.\n\nIf a laptop is lost, the security desk sends the erase command.\n"
RISKS = "Open risks are reviewed by the audit committee every quarter.\n"


def lines_of(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_what_is_made_is_measured_without_what_it_holds_out(published: Published, tmp_path: Path) -> None:
    documents, home, out = published.documents, published.home, tmp_path / "made.jsonl"
    (documents / "logs.md").write_text(LOGS, encoding="utf-8")
    (documents / "risks.md").write_text(RISKS, encoding="utf-8")
    assert run_bidfolio(home, "refresh", documents).exit_code == 0
    make = ("gold", "make", "--generator", "rules", "--held-out", 0.4, "--out", out)
    made = run_bidfolio(home, "--json", *make)
    assert made.exit_code == 0, made.err
    assert made.summary["questions"] == len(lines_of(out)) and made.summary["generator"] == "rules"
    held_out = made.summary["held_out"]
    assert len(held_out) == 2 and made.summary["unanswerable"] >= 1
    assert run_bidfolio(home, *make).exit_code == 2, "a gold set that is there is not replaced"

    faulty = tmp_path / "faulty.jsonl"
    gone = '{"id":"x","question":"Where?","answer":"","answerable":true,"evidence":[{"file":"gone.pdf","page":1}]}'
    faulty.write_text(f"{out.read_text(encoding='utf-8')}{gone}\n", encoding="utf-8")
    ran = run_bidfolio(home, "--json", "evaluate", faulty)
    assert ran.exit_code == 0, ran.err
    assert sorted(ran.summary["held_out"]) == sorted(held_out)
    last = made.summary["questions"] + 1
    assert ran.summary["gold_faults"] == [
        f"line {last}: the corpus has no file gone.pdf",
        f"line {last}: the answer is empty: it counts as not known",
    ]
    assert f"line {last}: the corpus has no file gone.pdf" in ran.err and "measured without" in ran.err
    found = run_bidfolio(
        home, "--json", "sql", f"SELECT DISTINCT file_name FROM retrievals WHERE run_id = '{ran.summary['run_id']}'"
    )
    searched = {row[0] for row in found.summary["rows"]}
    assert searched and searched.isdisjoint(held_out), "nothing is found in a document that is held out"
    live = run_bidfolio(home, "--json", "ask", "How long are security logs kept?").summary
    assert live["answer"], "the live version still has every document"
    assert run_bidfolio(home, "gold", "make", "--corpus", "none", "--out", tmp_path / "x.jsonl").exit_code == 2


def test_what_is_imported_brings_its_corpus(bidfolio: Bidfolio, prefect_server: None, tmp_path: Path) -> None:
    contexts = [
        "The lighthouse was lit in 1871 by two brothers from Cork.",
        "Its keeper rows to the harbour each noon.",
    ]
    examples = [
        {"query": "When was the lighthouse lit?", "reference_contexts": contexts[:1], "reference_answer": "In 1871."},
        {"query": "Where does the keeper row to?", "reference_contexts": contexts[1:], "reference_answer": "Harbour."},
    ]
    source = tmp_path / "rag_dataset.json"
    source.write_text(json.dumps({"examples": examples}), encoding="utf-8")
    gold, documents = tmp_path / "gold.jsonl", tmp_path / "passages"
    read = bidfolio("--json", "gold", "import", source, "--out", gold, "--corpus-out", documents)
    assert read.exit_code == 0, read.err
    assert (read.summary["layout"], read.summary["questions"], read.summary["documents"]) == ("llamaindex", 2, 2)
    assert bidfolio("gold", "import", source, "--out", tmp_path / "b.jsonl", "--corpus-out", documents).exit_code == 2
    assert bidfolio("refresh", documents).exit_code == 0
    ran = bidfolio("--json", "evaluate", gold)
    assert ran.exit_code == 0, ran.err
    assert ran.summary["gold_faults"] == [] and ran.summary["plans"]["bidfolio"]["page_recall_at_1"] == 1.0
