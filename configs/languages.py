"""Words of each language that bidfolio knows, from ``configs/languages.yaml``, the only table of them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal

import yaml
from pydantic import BeforeValidator

from configs.slices import Slice

TABLE = Path(__file__).with_suffix(".yaml")
Words = Annotated[frozenset[str], BeforeValidator(lambda given: given.split() if isinstance(given, str) else given)]
"""Words as a line of words, or as a list of phrases."""
VerdictWord = Literal["yes", "no", "partial", "not_applicable"]
HeaderWord = Literal["question", "answer", "comment", "section", "id", "customer", "fact"]


class Spoken(Slice):
    """The words of a language; see the head of the table.

    ``stemming`` is its stemmer's name, None where there is none. Without ``asking`` words, its questions are not told
    apart; without ``verdicts``, its answers are not read.
    """

    name: str
    stemming: str | None = None
    function_words: Words
    denials: Words = frozenset()
    asking: Words = frozenset()
    asks: Words = frozenset()
    letters: Words = frozenset()
    prepositions: Words = frozenset()
    requests: Words = frozenset()
    verdicts: Mapping[VerdictWord, tuple[str, ...]] = {}
    graded: Mapping[VerdictWord, tuple[str, ...]] = {}
    headers: Mapping[HeaderWord, Words] = {}
    parallel: tuple[str, ...] = ()


@cache
def languages() -> Mapping[str, Spoken]:
    """The languages of the table, by ISO 639-1 code."""
    raw: Mapping[str, Any] = yaml.safe_load(TABLE.read_text(encoding="utf-8"))
    return {code: Spoken.model_validate(given) for code, given in raw.items()}
