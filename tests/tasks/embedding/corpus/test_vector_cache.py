from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tasks.embedding.corpus.corpus_cache import CorpusCache
from tasks.embedding.corpus.vector_cache import ChunkVectors, RecalledQuestions, recalled_passages
from tasks.embedding.models.shards import text_id
from tasks.storage.lake import Lake
from tasks.storage.output_cache import OutputCache


class Counting:
    """Gives each text a vector of its own, and counts the texts."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    def __call__(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.texts += texts
        return np.array([[len(text), ord(text[0])] for text in texts], np.float32).reshape(-1, 2)


def test_each_passage_is_encoded_once_in_this_run_and_the_next(tmp_path: Path) -> None:
    encode, file = Counting(), tmp_path / "outputs.sqlite"
    outputs = OutputCache(file)
    assert recalled_passages(outputs, "space", encode, ["aa", "b", "aa"]).tolist() == [[2, 97], [1, 98], [2, 97]]
    assert recalled_passages(outputs, "space", encode, ["b", "ccc"]).tolist() == [[1, 98], [3, 99]]
    assert recalled_passages(OutputCache(file), "space", encode, ["ccc", "aa"]).tolist() == [[3, 99], [2, 97]]
    assert encode.texts == ["aa", "b", "ccc"]
    assert recalled_passages(outputs, "other", encode, ["aa"]).tolist() == [[2, 97]]
    assert encode.texts == ["aa", "b", "ccc", "aa"]
    assert recalled_passages(outputs, "space", encode, []).shape == (0, 0)


def test_each_question_is_encoded_once_with_its_tokens_or_without(tmp_path: Path) -> None:
    encode, outputs = Counting(), OutputCache(tmp_path / "outputs.sqlite")
    with_tokens = RecalledQuestions(
        outputs, "of tokens", lambda texts: (encode(texts), [np.full((len(one), 3), 7, np.float32) for one in texts])
    )
    dense, tokens = with_tokens(["aa", "b"])
    assert dense.tolist() == [[2, 97], [1, 98]] and [each.shape for each in tokens] == [(2, 3), (1, 3)]
    dense, tokens = with_tokens(["b", "cc", "b"])
    assert dense.tolist() == [[1, 98], [2, 99], [1, 98]] and [each.shape for each in tokens] == [(1, 3), (2, 3), (1, 3)]
    assert {value for each in tokens for value in each.ravel().tolist()} == {7}
    assert encode.texts == ["aa", "b", "cc"] and with_tokens.dense(["cc"]).tolist() == [[2, 99]]
    assert RecalledQuestions(outputs, "of none", lambda texts: (encode(texts), []))(["x"])[1] == []
    assert with_tokens([])[0].shape == (0, 2)


def test_the_chunks_of_a_corpus_have_its_own_vectors(tmp_path: Path) -> None:
    encode, cache = Counting(), CorpusCache(Lake(str(tmp_path)))
    cache.put_dense("space", "shard", [text_id("aa")], np.array([[5, 6]], np.float32))
    chunks = ChunkVectors(cache, "space", encode)
    assert chunks(["aa", "b", "aa"]).tolist() == [[5, 6], [1, 98], [5, 6]] and encode.texts == ["b"]
    assert chunks(["b"]).tolist() == [[1, 98]] and encode.texts == ["b"]
    assert chunks([]).shape == (0, 0)
