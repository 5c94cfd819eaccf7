"""Words counted as scikit-learn counts them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.feature_extraction.text import CountVectorizer

from tasks.embedding.lexical.word_counts import count_words

texts = st.lists(st.text(alphabet="abé漢 ", max_size=20), min_size=1, max_size=6)


@given(texts)
def test_words_are_counted_as_scikit_learn_does(texts: list[str]) -> None:
    counts = count_words(texts, str.split)
    if not any(text.split() for text in texts):
        assert counts.words.tolist() == [] and counts.rows.shape == (len(texts), 0)
        return
    peer = CountVectorizer(analyzer=str.split)
    rows = peer.fit_transform(texts)
    assert counts.words.tolist() == peer.get_feature_names_out().tolist()
    np.testing.assert_array_equal(counts.rows.toarray(), rows.toarray())
    assert counts.rows.has_canonical_format and counts.rows.dtype == np.int32


@pytest.mark.parametrize("texts", [[], [""], ["", " "]])
def test_texts_without_a_word_have_no_words(texts: list[str]) -> None:
    counts = count_words(texts, str.split)
    assert counts.words.size == 0 and counts.rows.shape == (len(texts), 0)
