"""Offsets between the languages of a multilingual model, learned from a few parallel sentences.

Such a model puts translations near each other, but each language as a whole to a side of its own, and a question then
finds the texts that look most foreign. Without the offset between the means of two languages most of that is gone
(Libovický et al. 2020, "On the Language Neutrality of Pre-trained Multilingual Representations"). Texts in other
languages are moved to where English is, so that one corpus may hold several languages.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from configs.languages import languages
from configs.slices import digest
from tasks.embedding.models.batches import Vectors
from tasks.embedding.models.unit_vectors import unit
from tasks.text.language_detection import ENGLISH, text_language

LOGIC_VERSION = "1"
"""Version of the logic: raised whenever the same sentences would give other offsets."""
_FILE = "offsets.npz"
EncodeTokens = Callable[[Sequence[str]], tuple[Vectors, list[Vectors]]]
"""Function from texts to their unit vectors, and to those of the tokens of each, where token vectors are kept."""


@dataclass(frozen=True, slots=True)
class Offsets:
    """The offset from each language to English: ``dense`` (n,) of a text's vector, ``tokens`` (d,) of a token's."""

    dense: Mapping[str, Vectors]
    tokens: Mapping[str, Vectors]

    def moved(self, vectors: Vectors, texts: Sequence[str]) -> Vectors:
        """The unit ``vectors`` (m, n) of the m texts, those in another language moved."""
        found = vectors.copy()
        for row, code in enumerate(map(text_language, texts)):
            if code in self.dense:
                found[row] = unit(found[row : row + 1] + self.dense[code])[0]
        return found

    def moved_tokens(self, tokens: Sequence[Vectors], texts: Sequence[str]) -> list[Vectors]:
        """The unit token vectors (t, d) of each text, those in another language moved."""
        codes = map(text_language, texts)
        return [
            unit(some + self.tokens[code]) if code in self.tokens else some
            for some, code in zip(tokens, codes, strict=True)
        ]


def write(folder: Path, encode: EncodeTokens) -> None:
    """Learn the offsets of all languages with parallel sentences, and write them to ``folder``."""
    known = {code: spoken.parallel for code, spoken in languages().items() if spoken.parallel}
    dense, tokens = encode([sentence for some in known.values() for sentence in some])
    ends = np.cumsum([len(some) for some in known.values()])
    places = {code: slice(end - len(known[code]), end) for code, end in zip(known, ends, strict=True)}
    means = {f"dense-{code}": dense[place].mean(axis=0) for code, place in places.items()}
    if tokens:
        means |= {f"tokens-{code}": np.concatenate(tokens[place]).mean(axis=0) for code, place in places.items()}
    np.savez(folder / _FILE, **means)


def read(folder: Path) -> Offsets:
    """The offsets that :func:`write` has put into ``folder``."""
    with np.load(folder / _FILE, allow_pickle=False) as arrays:
        means = {name: arrays[name] for name in arrays.files}
    codes = [name.removeprefix("dense-") for name in means if name.startswith("dense-")]
    others = [code for code in codes if code != ENGLISH]
    dense, tokens = (
        {code: means[f"{kind}-{ENGLISH}"] - means[f"{kind}-{code}"] for code in others if f"{kind}-{code}" in means}
        for kind in ("dense", "tokens")
    )
    return Offsets(dense, tokens)


@cache
def sentences_id() -> str:
    """A hash, 16 hex digits, of the sentences that the offsets are learned from."""
    return digest({code: spoken.parallel for code, spoken in languages().items()})[:16]
