from __future__ import annotations

from typing import Any

import pytest

from configs.plans import Plan, load_plan
from tasks.chunking.keys import chunks_key
from tasks.publishing.version_key import content_key
from tasks.storage.document_rows import documents_key

PLAN = load_plan("bidfolio")
IDS = ["one", "two", "three"]


def changed(part: str, **values: Any) -> Plan:
    piece = getattr(PLAN, part)
    return PLAN.model_copy(update={part: piece.model_copy(update=values)})


def cut(granularity: str, **values: Any) -> Plan:
    return PLAN.model_copy(update={"chunking": {granularity: PLAN.chunking[""].model_copy(update=values)}})


def test_the_order_of_the_files_is_no_part_of_a_key() -> None:
    assert documents_key(IDS) == documents_key(reversed(IDS)) != documents_key(IDS[:2])


@pytest.mark.parametrize(
    ("plan", "model", "same_content", "same_chunks"),
    [
        (PLAN, "model", True, True),
        (changed("retrieval", alpha=0.1, top_k=9), "model", True, True),
        (changed("answering", max_sentences=1), "model", True, True),
        (PLAN.model_copy(update={"name": "other"}), "model", True, True),
        (PLAN, "another model", False, True),
        (changed("embedding", bm25=PLAN.embedding.bm25.model_copy(update={"k1": 2.0})), "model", False, True),
        (changed("embedding", max_length=256), "model", False, False),
        (changed("embedding", backend="torch"), "model", False, True),
        (changed("embedding", passage_prompt="passage: "), "model", False, False),
        (changed("embedding", long_texts="mean"), "model", False, False),
        (cut("", max_tokens=100), "model", False, False),
        (cut("words"), "model", False, False),
        (changed("search", m=8), "model", False, True),
        (changed("search", ef=8, nprobes=1, refine=1, candidates=10), "model", True, True),
    ],
    ids=(
        "same retrieval answering name model-files BM25 window back-end prompt long-texts chunks granularity graph "
        "probes"
    ).split(),
)
def test_a_changed_plan_redoes_what_reads_the_change(
    plan: Plan, model: str, same_content: bool, same_chunks: bool
) -> None:
    assert (
        content_key(documents_key(IDS), plan, model) == content_key(documents_key(IDS), PLAN, "model")
    ) == same_content
    assert (chunks_key("one", "Name", plan) == chunks_key("one", "Name", PLAN)) == same_chunks
    assert chunks_key("one", "Name", plan) != chunks_key("one", "Other name", plan)


@pytest.mark.parametrize(
    "module",
    [
        "chunking.chunker",
        "conversion.files.version",
        "embedding.models.shards",
        "embedding.lexical.bm25",
        "embedding.lexical.abbreviations",
    ],
)
def test_new_logic_makes_a_new_version(monkeypatch: pytest.MonkeyPatch, module: str) -> None:
    before = content_key(documents_key(IDS), PLAN, "model")
    monkeypatch.setattr(f"tasks.{module}.LOGIC_VERSION", "next")
    assert content_key(documents_key(IDS), PLAN, "model") != before


def test_the_way_to_search_is_no_part_of_the_index_key() -> None:
    assert changed("search", exact_below=1, index="ivf_pq").index_key == PLAN.index_key
