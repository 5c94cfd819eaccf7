"""Sentences and children in one index: refreshed, refreshed again, checked, and answered from."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from configs.plans import PLANS_DIR, Chunking, load_plan
from tasks.index.store import IndexStore
from tasks.storage.lake import Lake
from tests.made.commands import run_bidfolio
from tests.made.published import Published, write_corpus

QUESTION = "How soon are customers told of a breach of personal data?"
CHILDREN = {"max_tokens": 24, "overlap_tokens": 0, "parent_tokens": 60}
"""Small, so that a document has several."""
Rows = list[dict[str, Any]]


def write_plan(path: Path, substitute: bool = True, **more: Any) -> Path:
    """The plan that ships, with late interaction in its cross-encoder's place, and the default plan's vectors."""
    raw = yaml.safe_load((PLANS_DIR / "window_parent_rerank.yaml").read_text(encoding="utf-8"))
    raw["chunking"]["children"] = CHILDREN
    raw["retrieval"]["rerank"]["substitute"] = substitute
    raw["embedding"] |= {"backend": "openvino_int8", "token_dimensions": 128}
    raw["answering"] |= {"decline_below": 0.0, "review_below": 0.0}
    path.write_text(yaml.safe_dump(raw | more), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def mixed(prefect_server: None, tmp_path_factory: pytest.TempPathFactory) -> tuple[Published, Path]:
    """The tiny corpus, published for both granularities, and the plan."""
    folder = tmp_path_factory.mktemp("mixed")
    write_corpus(folder / "documents")
    plan = write_plan(folder / "mixed.yaml")
    refreshed = run_bidfolio(folder / "home", "--json", "refresh", folder / "documents", "--plan", plan)
    assert refreshed.exit_code == 0, refreshed.err
    return Published(folder / "home", folder / "documents", refreshed), plan


def chunks_of(published: Published, plan: Path) -> Rows:
    rows: Rows = (
        Lake(str(published.home)).read("chunks", corpus="default", index_key=load_plan(str(plan)).index_key).to_pylist()
    )
    return rows


def test_each_document_is_there_in_both_and_they_are_live_together(mixed: tuple[Published, Path]) -> None:
    published, plan = mixed
    counted = run_bidfolio(
        published.home,
        "--json",
        "sql",
        "SELECT granularity, count(*), count(DISTINCT file_name) FROM chunks GROUP BY 1 ORDER BY 1",
    ).summary["rows"]
    assert [(name, files) for name, _, files in counted] == [("children", 3), ("sentences", 3)]
    assert sum(count for _, count, _ in counted) == published.refreshed.summary["chunks"]
    assert {row["granularity"] for row in chunks_of(published, plan) if row["parent_index"] is not None} == {"children"}
    (version,) = IndexStore(str(published.home)).versions()
    assert version.is_live and version.manifest.chunks == published.refreshed.summary["chunks"]
    checked = run_bidfolio(published.home, "index", "check", "--plan", plan)
    assert checked.exit_code == 0, checked.err


def test_a_changed_file_is_cut_anew_in_both_and_the_others_stay(mixed: tuple[Published, Path]) -> None:
    published, plan = mixed
    before = chunks_of(published, plan)
    changed = published.documents / "hosting.txt"
    kept = changed.read_text(encoding="utf-8")
    changed.write_text(f"{kept}\nRestores\n\nA restore is rehearsed in the third week of March.\n", encoding="utf-8")
    again = run_bidfolio(published.home, "--json", "refresh", published.documents, "--plan", plan)
    assert again.exit_code == 0, again.err
    after = chunks_of(published, plan)
    others = [[row for row in rows if row["file_name"] != "hosting.txt"] for rows in (before, after)]
    assert others[0] == others[1]
    new = [row["granularity"] for row in after if "third week of March" in row["text"]]
    assert sorted(new) == ["children", "sentences"]
    assert 0 < again.summary["embedded"] < again.summary["reused"]
    asked = run_bidfolio(published.home, "--json", "ask", "When is a restore rehearsed?", "--plan", plan).summary
    assert "third week of March" in asked["answer"]
    rolled = run_bidfolio(published.home, "index", "rollback", "--plan", plan)
    assert rolled.exit_code == 0, rolled.err
    assert chunks_of(published, plan) == before
    changed.write_text(kept, encoding="utf-8")


def test_it_answers_from_disk_as_from_memory(mixed: tuple[Published, Path], tmp_path: Path) -> None:
    published, plan = mixed
    on_disk = write_plan(tmp_path / "on_disk.yaml", search={"exact_below": 1, "candidates": 10, "index": "ivf_flat"})
    assert load_plan(str(on_disk)).index_key == load_plan(str(plan)).index_key
    in_memory = run_bidfolio(published.home, "--json", "ask", QUESTION, "--plan", plan).summary
    assert in_memory["status"] == "answered" and "within 48 hours" in in_memory["answer"]
    assert {citation["page_number"] for citation in in_memory["citations"]} == {2}
    again = run_bidfolio(published.home, "--json", "refresh", published.documents, "--plan", on_disk)
    assert again.exit_code == 0 and again.summary["embedded"] == 0, again.err
    answered = run_bidfolio(published.home, "--json", "ask", QUESTION, "--plan", on_disk).summary
    of_each = dict.fromkeys(("index_version", "run_id", "answer_id"))
    assert answered | of_each == in_memory | of_each


def test_a_version_that_lacks_a_granularity_of_one_document_is_refused(
    mixed: tuple[Published, Path], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The children of the text get lost between cutting and staging; far less than the loss of 40% that is refused."""
    published, plan = mixed
    from tasks.chunking import chunker

    cut = chunker.chunk_document

    def loses(document: Any, chunking: Chunking, *rest: Any) -> Any:
        found = cut(document, chunking, *rest)
        return [] if document.file_name == "hosting.txt" and chunking.parent_tokens else found

    monkeypatch.setattr(chunker, "chunk_document", loses)
    refused = run_bidfolio(tmp_path / "home", "refresh", published.documents, "--plan", plan)
    assert refused.exit_code == 3
    assert "of each granularity, a document's chunks hold all of its text; not so in" in refused.err
    assert "hosting.txt" in refused.err


def test_it_is_measured_with_a_substitute_and_not_answered_with(mixed: tuple[Published, Path], tmp_path: Path) -> None:
    published, _ = mixed
    strict = write_plan(tmp_path / "strict.yaml", substitute=False)
    gold = tmp_path / "gold.jsonl"
    evidence = [{"file": "policy.pdf", "page": 2}]
    gold.write_text(
        json.dumps({"id": "1", "question": QUESTION, "answer": None, "answerable": True, "evidence": evidence}),
        encoding="utf-8",
    )
    ran = run_bidfolio(published.home, "--json", "evaluate", gold, "--plan", strict)
    assert ran.exit_code == 0, ran.err
    figures = ran.summary["plans"]["strict"]
    assert figures["deviations"] == ["late interaction in the place of a cross-encoder, which has no weights here"]
    assert figures["page_recall_at_1"] == figures["citation_page_precision"] == 1
    rows = Lake(str(published.home)).read("retrievals", run_id=ran.summary["run_id"], plan="strict").to_pylist()
    granularity_of = {row["chunk_id"]: row["granularity"] for row in chunks_of(published, strict)}
    assert sorted(granularity_of[row["chunk_id"]] for row in rows) == ["children"] * 3 + ["sentences"] * 3
    of_run = Lake(str(published.home)).read("audit", run_id=ran.summary["run_id"], plan="strict").to_pylist()
    assert [row["deviations"] for row in of_run] == figures["deviations"]
    refused = run_bidfolio(published.home, "ask", QUESTION, "--plan", strict)
    assert refused.exit_code == 2 and "set BIDFOLIO_RERANK_CROSS_ENCODER" in refused.err


def test_where_a_substitute_is_allowed_every_answer_says_so(mixed: tuple[Published, Path], tmp_path: Path) -> None:
    published, plan = mixed
    stood_in = "late interaction in the place of a cross-encoder, which has no weights here"
    said = run_bidfolio(published.home, "--json", "ask", QUESTION, "--plan", plan).summary
    assert said["deviations"] == [stood_in]
    assert f"Ran with {stood_in}." in run_bidfolio(published.home, "ask", QUESTION, "--plan", plan).out
    assert f"ran with {stood_in}" in " ".join(run_bidfolio(published.home, "trace", said["answer_id"]).out.split())
    sheet = tmp_path / "customer.csv"
    sheet.write_text(f"Question,Answer\n{QUESTION},\n", encoding="utf-8")
    answered = run_bidfolio(published.home, "answer", sheet, "--plan", plan)
    assert answered.exit_code == 0 and f"ran with {stood_in}" in answered.out
