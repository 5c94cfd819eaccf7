"""The token vectors of a corpus that changes, from the model to the index."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from configs.plans import load_plan
from tasks.embedding.models.shards import Encoder, TextVectors
from tasks.index.store import IndexStore
from tasks.references import Staged
from tests.made.embedded_corpora import TEXTS_A_FILE, Corpus
from tests.made.embedding_models import save_bert

TOKENS_KEPT = 8


def by_text(home: Path, staged: Staged) -> dict[str, bytes]:
    """The token vectors of each text of the version."""
    name = (staged.corpus, staged.index_key, staged.index_version)
    store = IndexStore(str(home))
    texts = store.rows(*name)["text"].to_pylist()
    return dict(zip(texts, store.reader(*name).tokens(np.arange(len(texts))).to_pylist(), strict=True))


def test_only_what_is_new_is_embedded_and_the_rest_keeps_its_bytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tasks.embedding.models.dense import embed_texts

    plan = load_plan("rails")
    model = save_bert(tmp_path / "model")
    changes = {"model": model, "max_length": None, "token_dimensions": TOKENS_KEPT}
    plan = plan.model_copy(update={"embedding": plan.embedding.model_copy(update=changes)})
    corpus = Corpus(tmp_path / "home", plan)
    asked: list[str] = []

    def embed_and_tell(texts: list[str], encoder: Encoder) -> TextVectors:
        asked.extend(texts)
        return embed_texts(texts, encoder)

    monkeypatch.setattr("tasks.embedding.task.embed_texts", embed_and_tell)
    first = by_text(corpus.home, corpus.publish(["a", "b", "c"])[1])
    assert len(first) == len(asked) == 3 * TEXTS_A_FILE
    embedded, staged = corpus.publish(["b", "c", "d"])
    second = by_text(corpus.home, staged)
    assert embedded.embedded == TEXTS_A_FILE and len(asked) == 4 * TEXTS_A_FILE
    both = first.keys() & second.keys()
    assert len(both) == 2 * TEXTS_A_FILE
    assert all(first[text] == second[text] for text in both)
    assert all(len(raw) % TOKENS_KEPT == 0 and raw for raw in second.values())
    anew = embed_texts(["we b b0 word0"], Encoder(plan.embedding, 1, str(corpus.home))).tokens or []
    at_once, alone = (np.frombuffer(raw, np.int8).astype(int) for raw in (second["we b b0 word0"], anew[0]))
    assert np.abs(at_once - alone).max() <= 1, "the bytes are those of their own text"
