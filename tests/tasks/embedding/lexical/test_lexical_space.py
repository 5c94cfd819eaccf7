from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.preprocessing import normalize

from configs.plans import Lexical
from tasks.embedding.lexical.lexical_space import LexicalState
from tests.made.lexical_models import lexical_space

WORDS = (
    "access audit backup breach cipher cloud customer data encryption incident key log password policy restore".split()
)
PLAIN = Lexical()
BIDFOLIO = Lexical(sublinear_tf=True, stop_words="english")


def corpus(count: int, seed: int = 0) -> list[str]:
    draw = np.random.default_rng(seed)
    return [" ".join(draw.choice(WORDS, size=draw.integers(3, 20))) for _ in range(count)]


def reference(texts: list[str], plan: Lexical, components: int) -> np.ndarray:
    """scikit-learn's own TF-IDF and an exact SVD."""
    tfidf = TfidfVectorizer(
        sublinear_tf=plan.sublinear_tf,
        stop_words=None if plan.stop_words == "none" else plan.stop_words,
        strip_accents="unicode",
    ).fit_transform(texts)
    return np.asarray(normalize(TruncatedSVD(components, algorithm="arpack", random_state=0).fit_transform(tfidf)))


@pytest.mark.parametrize("plan", [PLAIN, BIDFOLIO], ids=["paper", "bidfolio"])
@pytest.mark.parametrize("components", [2, 5, 9])
def test_cosines_are_those_of_scikit_learn(plan: Lexical, components: int) -> None:
    """Sign and rotation of an SVD are free; what the cosines between texts are is not."""
    texts = corpus(60)
    projected = lexical_space(texts, plan.model_copy(update={"components": components}), 384).project(texts)
    expected = reference(texts, plan, components)
    assert projected.shape == (60, components) and projected.dtype == np.float32
    np.testing.assert_allclose(projected @ projected.T, expected @ expected.T, atol=2e-3)


def test_in_full_rank_nothing_is_lost() -> None:
    """With as many components as words, the cosines are those of TF-IDF itself."""
    texts = corpus(40)
    projected = lexical_space(texts, PLAIN, 384).project(texts)
    tfidf = TfidfVectorizer(strip_accents="unicode").fit_transform(texts)
    np.testing.assert_allclose(projected @ projected.T, (tfidf @ tfidf.T).toarray(), atol=1e-5)


@pytest.mark.parametrize(
    ("texts", "dense_dimensions", "components", "expected"),
    [
        (corpus(3), 384, None, 3),
        (corpus(60), 384, None, len(WORDS)),
        (corpus(60), 4, None, 4),
        (corpus(60), 4, 7, 7),
        (["alone"], 384, None, 1),
        (["same words here"] * 5, 384, None, 1),
        (["", "some words"], 384, None, 1),
    ],
    ids=["few texts", "few words", "as the dense", "as the plan", "one word", "one rank", "one empty"],
)
def test_dimensions_are_bound_by_the_rank(
    texts: list[str], dense_dimensions: int, components: int | None, expected: int
) -> None:
    """p = min(k, n), after the guards."""
    state = lexical_space(texts, Lexical(components=components), dense_dimensions)
    projected = state.project(texts)
    assert state.basis.shape[1] == expected and projected.shape == (len(texts), expected)
    assert np.isfinite(projected).all()
    for text, norm in zip(texts, np.linalg.norm(projected, axis=1), strict=True):
        assert norm == pytest.approx(1.0 if text else 0.0, abs=1e-5)


@pytest.mark.parametrize("texts", [[], [""], [" ", "\n"], ["a b c"], ["…", "—"]])
def test_without_a_word_everything_is_zero(texts: list[str]) -> None:
    state = LexicalState.from_bytes(lexical_space(texts, PLAIN, 384).to_bytes())
    assert len(state.vocabulary) == 0
    assert not state.project(["some question"]).any() and state.project(["some question"]).shape == (1, 1)


def test_stop_words_alone_are_no_words() -> None:
    assert not len(lexical_space(["the and of it"], BIDFOLIO, 384).vocabulary)


def test_a_text_without_a_known_word_is_zero_and_no_texts_are_no_rows() -> None:
    state = lexical_space(corpus(20), PLAIN, 384)
    projected = state.project(["zebra giraffe", "backup", ""])
    assert not projected[0].any() and projected[1].any() and not projected[2].any()
    assert state.project([]).shape == (0, state.basis.shape[1])


@pytest.mark.parametrize("plan", [PLAIN, BIDFOLIO])
def test_the_state_comes_back_from_bytes_as_it_was(plan: Lexical) -> None:
    texts = corpus(30)
    state = lexical_space(texts, plan, 8)
    back = LexicalState.from_bytes(state.to_bytes())
    assert back.plan == plan and back.vocabulary.tolist() == state.vocabulary.tolist()
    np.testing.assert_array_equal(back.basis, state.basis)
    np.testing.assert_array_equal(back.project(texts), state.project(texts))


def test_the_same_texts_give_the_same_bytes() -> None:
    assert lexical_space(corpus(30), PLAIN, 8).to_bytes() == lexical_space(corpus(30), PLAIN, 8).to_bytes()


def test_another_format_version_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tasks.embedding.lexical.lexical_space.STATE_VERSION", 2)
    raw = lexical_space(corpus(5), PLAIN, 8).to_bytes()
    monkeypatch.undo()
    with pytest.raises(ValueError, match="version 2, expected 1"):
        LexicalState.from_bytes(raw)


@given(st.lists(st.text(max_size=20), max_size=6), st.sampled_from([PLAIN, BIDFOLIO]))
def test_any_texts_give_unit_or_zero_vectors(texts: list[str], plan: Lexical) -> None:
    norms = np.linalg.norm(lexical_space(texts, plan, 4).project(texts), axis=1)
    # What lies outside the basis keeps the rounding of float32, and no more.
    assert all(norm == pytest.approx(1, abs=1e-4) or norm < 1e-5 for norm in norms)
