from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from configs.languages import languages
from tasks.embedding.models import language_offsets
from tasks.embedding.models.batches import Vectors
from tasks.embedding.models.unit_vectors import unit
from tasks.text.language_detection import text_language

SIDES = {code: np.eye(12, dtype=np.float32)[6 + at] for at, code in enumerate(("en", "de", "fr", "es", "pt"))}
GERMAN, ENGLISH = "Wo liegen die Daten?", "Where is the data?"


def biased(texts: Sequence[str]) -> tuple[Vectors, list[Vectors]]:
    """Vectors that say by half what a text means, here the number of its sentence, and by half its language."""
    meant = {sentence: at for one in languages().values() for at, sentence in enumerate(one.parallel)}
    codes = {sentence: code for code, one in languages().items() for sentence in one.parallel}
    rows = np.stack(
        [np.eye(12)[meant.get(text, 2) % 6] + SIDES[codes.get(text) or text_language(text)] for text in texts]
    )
    found = unit(rows.astype(np.float32))
    return found, [row[None] for row in found]


def test_a_translation_is_moved_to_where_english_is(tmp_path: Path) -> None:
    language_offsets.write(tmp_path, biased)
    offsets = language_offsets.read(tmp_path)
    texts = [GERMAN, ENGLISH]
    before, tokens = biased(texts)
    after, moved = offsets.moved(before, texts), offsets.moved_tokens(tokens, texts)
    assert before[0] @ before[1] < 0.6 and after[0] @ after[1] > 0.99
    np.testing.assert_allclose(moved[0], after[:1], atol=1e-6)
    np.testing.assert_array_equal(after[1], before[1])
    np.testing.assert_allclose(np.linalg.norm(after, axis=1), 1, atol=1e-6)


def test_without_token_vectors_none_are_moved(tmp_path: Path) -> None:
    language_offsets.write(tmp_path, lambda texts: (biased(texts)[0], []))
    assert language_offsets.read(tmp_path).tokens == {}
