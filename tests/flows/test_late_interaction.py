"""The plan bidfolio from documents to hits, beside late interaction text by text, and what is read again."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import yaml

from configs.plans import PLANS_DIR, load_plan
from configs.settings import load_settings
from tasks.embedding.corpus.corpus_cache import CorpusCache
from tasks.embedding.models.dense import embed_texts, encode_with_tokens
from tasks.embedding.models.shards import Encoder
from tasks.index.store import IndexStore
from tasks.retrieval.ranking.cross_encoder import read_pairs
from tasks.retrieval.version_loading import live_version, load_index
from tasks.storage.lake import Lake
from tests.made.commands import Bidfolio
from tests.made.published import Published

PLAN = load_plan("bidfolio")
QUESTIONS = {
    "How soon are customers told of a breach?": ("policy.pdf", 2),
    "Where do you host the service?": ("hosting.txt", None),
    "Is data at rest encrypted?": ("policy.pdf", 1),
}


def test_hits_are_in_the_order_of_late_interaction(published: Published, bidfolio: Bidfolio, tmp_path: Path) -> None:
    """Without the cosines and what is read again, whose scores would be mixed with these."""
    recipe = yaml.safe_load((PLANS_DIR / "bidfolio.yaml").read_text(encoding="utf-8"))
    recipe["retrieval"].pop("reread")
    recipe["retrieval"]["rerank"].pop("cosines")
    recipe["answering"].pop("confidence")
    recipe["answering"].pop("selection")
    recipe["answering"].pop("verdicts")
    plan = tmp_path / "alone.yaml"
    plan.write_text(yaml.safe_dump(recipe), encoding="utf-8")
    gold = tmp_path / "gold.jsonl"
    lines = [
        {"id": text, "question": text, "answer": None, "answerable": True, "evidence": [{"file": file, "page": page}]}
        for text, (file, page) in QUESTIONS.items()
    ]
    gold.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    ran = bidfolio("--json", "evaluate", gold, "--plan", plan)
    assert ran.exit_code == 0, ran.err
    home = str(published.home)
    hits = Lake(home).read("retrievals", run_id=ran.summary["run_id"], plan="alone").to_pylist()
    store = IndexStore(home)
    index = load_index(store, CorpusCache(Lake(home)), live_version(store, PLAN, None), PLAN)
    for question in QUESTIONS:
        found = sorted((hit for hit in hits if hit["question_id"] == question), key=lambda hit: hit["rank"])
        assert len(found) > 2
        assert found[0]["file_name"] == QUESTIONS[question][0]
        scores = [hit["score"] for hit in found]
        assert scores == sorted(scores, reverse=True)
        alone = {each.chunk_id: similarity(question, each.searched_text, home) for each in index.named([], [])}
        wanted = [alone[hit["chunk_id"]] for hit in found]
        # A text that is run among others has other zeros beside it, and 8 bits may fall to the other side.
        np.testing.assert_allclose(scores, wanted, atol=0.005)
        assert max(alone.values()) == alone[found[0]["chunk_id"]]


def test_what_is_read_again_says_its_relevance_and_counts_beside_the_score(
    published: Published, bidfolio: Bidfolio, tmp_path: Path
) -> None:
    gold = tmp_path / "gold.jsonl"
    (question, (file, page)), *_ = QUESTIONS.items()
    line = {"id": "q", "question": question, "answerable": True, "evidence": [{"file": file, "page": page}]}
    gold.write_text(json.dumps(line), encoding="utf-8")
    ran = bidfolio("--json", "evaluate", gold)
    assert ran.exit_code == 0, ran.err
    home, reread = str(published.home), PLAN.retrieval.reread
    assert reread is not None
    hits = Lake(home).read("retrievals", run_id=ran.summary["run_id"], plan="bidfolio").sort_by("rank").to_pylist()
    store = IndexStore(home)
    index = load_index(store, CorpusCache(Lake(home)), live_version(store, PLAN, None), PLAN)
    texts = {each.chunk_id: each.searched_text for each in index.named([], [])}
    read = [hit for hit in hits if hit["relevance"] is not None]
    assert read and hits[: len(read)] == read, "those that were read stand before the others"
    wanted = read_pairs(
        [(question, texts[hit["chunk_id"]]) for hit in read], reread.model, load_settings(home=home).machine
    )
    assert [hit["relevance"] for hit in read] == wanted.tolist()
    assert read[0]["file_name"] == file
    scores = [hit["score"] for hit in read]
    assert scores == sorted(scores, reverse=True)


def similarity(question: str, text: str, home: str) -> float:
    """What a chunk of that text scores, token by token."""
    encoder = Encoder(PLAN.embedding, *load_settings(home=home).machine)
    _, (asked,) = encode_with_tokens([question], encoder)
    ((raw,),) = [embed_texts([text], encoder).tokens or []]
    rows = np.frombuffer(raw, np.int8).reshape(-1, PLAN.embedding.token_dimensions or 0).astype(float)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    best = [max(float(row @ vector) for row in rows) for vector in asked]
    return float(np.mean(best))
