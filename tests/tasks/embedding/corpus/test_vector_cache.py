from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tasks.embedding.corpus.corpus_cache import CorpusCache
from tasks.embedding.corpus.vector_cache import KeptVectors, KnownQuestions
from tasks.storage.lake import Lake


class Counting:
    """Gives each text a vector of its own, and counts the texts."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    def __call__(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.texts += texts
        return np.array([[len(text), ord(text[0])] for text in texts], np.float32).reshape(-1, 2)


def test_each_text_is_encoded_once_in_this_run_and_the_next(tmp_path: Path) -> None:
    encode, cache = Counting(), CorpusCache(Lake(str(tmp_path)))
    kept = KeptVectors(cache, "space", encode, keeps=True)
    assert kept(["aa", "b", "aa"]).tolist() == [[2, 97], [1, 98], [2, 97]]
    assert kept(["b", "ccc"]).tolist() == [[1, 98], [3, 99]] and encode.texts == ["aa", "b", "ccc"]
    assert KeptVectors(cache, "space", encode, keeps=True)(["ccc", "aa"]).tolist() == [[3, 99], [2, 97]]
    assert encode.texts == ["aa", "b", "ccc"]
    assert KeptVectors(cache, "other", encode, keeps=False)(["aa"]).tolist() == [[2, 97]]
    assert encode.texts == ["aa", "b", "ccc", "aa"] and not cache.dense("other", frozenset(("aa",)))
    assert kept([]).shape == (0, 0)


def test_each_question_is_encoded_once_with_its_tokens_or_without() -> None:
    encode = Counting()
    with_tokens = KnownQuestions(lambda texts: (encode(texts), [np.full((len(text), 1), 7) for text in texts]))
    dense, tokens = with_tokens(["aa", "b"])
    assert dense.tolist() == [[2, 97], [1, 98]] and [len(each) for each in tokens] == [2, 1]
    dense, tokens = with_tokens(["b", "cc", "b"])
    assert dense.tolist() == [[1, 98], [2, 99], [1, 98]] and [len(each) for each in tokens] == [1, 2, 1]
    assert encode.texts == ["aa", "b", "cc"] and with_tokens.dense(["cc"]).tolist() == [[2, 99]]
    assert KnownQuestions(lambda texts: (encode(texts), []))(["x"])[1] == []
    assert with_tokens([])[0].shape == (0, 2)
