from __future__ import annotations

import bm25s
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.embedding.lexical.bm25 import BM25State
from tasks.text.search_terms import terms
from tests.made.lexical_models import bm25_weights

WORDS = "access audit backup breach cipher cloud customer encrypt incident key log passwords policies restored".split()
texts_ = st.lists(st.lists(st.sampled_from(WORDS), min_size=1, max_size=12).map(" ".join), min_size=2, max_size=8)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("the of and", []),
        ("Policies are restored", ["polici", "restor"]),
        ("AES-256, TLS 1.3", ["ae", "256", "tls", "1", "3"]),
        ("a_b x", []),
        ("snake_case", ["snake", "case"]),
        ("Zürich", ["zurich"]),
    ],
)
def test_terms(text: str, expected: list[str]) -> None:
    assert terms(text) == expected


def reference(texts: list[str], question: str, k1: float, b: float) -> np.ndarray:
    """The scores of the package bm25s, which leaves the constant factor k1 + 1 out as Lucene does since version 8."""
    retriever = bm25s.BM25(method="lucene", k1=k1, b=b, dtype="float64")
    retriever.index([terms(text) for text in texts], show_progress=False)
    asked = [word for word in dict.fromkeys(terms(question)) if word in retriever.vocab_dict]
    return (k1 + 1) * np.asarray(retriever.get_scores(asked)) if asked else np.zeros(len(texts))


@given(texts_, st.lists(st.sampled_from([*WORDS, "zebra"]), max_size=6).map(" ".join))
def test_scores_are_those_of_bm25s(texts: list[str], question: str) -> None:
    for k1, b in ((1.2, 0.75), (0.82, 0.68), (1.5, 0.0)):
        (scores,) = bm25_weights(texts, k1, b).score([question])
        np.testing.assert_allclose(scores, reference(texts, question, k1, b), atol=1e-4)


def test_scores_of_running_text_are_those_of_bm25s() -> None:
    draw = np.random.default_rng(1)
    texts = [" ".join(draw.choice(WORDS, size=draw.integers(5, 200))) for _ in range(300)]
    questions = ["Are backups restored?", "key policies; KEY", "the customer's cloud audit log"]
    scores = bm25_weights(texts, 1.2, 0.75).score(questions)
    for row, question in zip(scores, questions, strict=True):
        np.testing.assert_allclose(row, reference(texts, question, 1.2, 0.75), atol=1e-4)


def test_a_word_said_twice_in_a_question_counts_once() -> None:
    state = bm25_weights(["backup of data", "restore it"], 1.2, 0.75)
    np.testing.assert_array_equal(state.score(["backup backup backups"]), state.score(["backup"]))


@pytest.mark.parametrize("texts", [[], [""], ["the of"], ["", " "]])
def test_without_a_word_every_score_is_zero(texts: list[str]) -> None:
    state = BM25State.from_bytes(bm25_weights(texts, 1.2, 0.75).to_bytes())
    assert state.score(["backup", ""]).tolist() == [[0.0] * len(texts)] * 2


def test_questions_without_a_known_word() -> None:
    state = bm25_weights(["backup of data", "restore it"], 1.2, 0.75)
    assert state.score(["zebra", "", "of"]).tolist() == [[0.0, 0.0]] * 3
    assert state.score([]).shape == (0, 2)


@given(texts_, st.lists(st.sampled_from([*WORDS, "zebra"]), max_size=6).map(" ".join))
def test_no_score_exceeds_its_ceiling(texts: list[str], question: str) -> None:
    state = bm25_weights(texts, 1.2, 0.75)
    ceiling = state.ceiling(state.words_of([question]), 1.2)[0]
    assert state.score([question]).max() <= ceiling + 1e-4
    assert (ceiling == 0) == (not terms(question))


def test_an_unknown_word_raises_the_ceiling_as_the_rarest() -> None:
    state = bm25_weights(["backup data", "restore data"], 1.2, 0.75)
    unknown = 2.2 * np.log1p(2.5 / 0.5)
    known, both = state.ceiling(state.words_of(["backup", "backup zebra"]), 1.2)
    assert both - known == pytest.approx(unknown, abs=1e-5)


def test_known_words_are_weighed_by_rarity_and_not_counted() -> None:
    state = bm25_weights(["backup data", "restore data"], 1.2, 0.75)
    rare, frequent, unknown = np.log1p(1.5 / 1.5), np.log1p(0.5 / 2.5), np.log1p(2.5 / 0.5)
    asked = ["backup data zebra", "backup data zebra zebra backup", "data", "zebra", "", "of the"]
    half = (rare + frequent) / (rare + frequent + unknown)
    assert state.known_share(state.words_of(asked)) == pytest.approx([half, half, 1, 0, 0, 0], abs=1e-6)
    nothing = bm25_weights([], 1.2, 0.75)
    assert nothing.known_share(nothing.words_of(["backup"])).tolist() == [0]


def test_the_state_comes_back_from_bytes_as_it_was() -> None:
    state = bm25_weights(["backup of data", "restore it", ""], 1.2, 0.75)
    back = BM25State.from_bytes(state.to_bytes())
    questions = ["backup", "restore data"]
    np.testing.assert_array_equal(back.score(questions), state.score(questions))
    one, other = (each.ceiling(each.words_of(questions), 1.2) for each in (back, state))
    np.testing.assert_array_equal(one, other)


def test_another_format_version_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tasks.embedding.lexical.bm25.STATE_VERSION", 1)
    raw = bm25_weights(["backup"], 1.2, 0.75).to_bytes()
    monkeypatch.undo()
    with pytest.raises(ValueError, match="version 1, expected 2"):
        BM25State.from_bytes(raw)


def test_words_of_another_language_meet_by_their_stems_and_its_stop_words_say_nothing() -> None:
    texts = ["As cópias de segurança são cifradas.", "A equipe ensaia a restauração."]
    state = bm25_weights(texts, 1.2, 0.75, "portuguese")
    again = BM25State.from_bytes(state.to_bytes())
    for each in (state, again):
        found = each.score(["uma copia cifrada", "para as", "restaurações"])
        assert found[0, 0] > 0 and found[0, 1] == 0
        assert not found[1].any(), "nothing but stop words"
        assert found[2, 1] > 0 and each.known_share(each.words_of(["restaurações"]))[0] == 1
    assert not bm25_weights(texts, 1.2, 0.75).score(["restaurações"]).any(), "English knows no such plural"
