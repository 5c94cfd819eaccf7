"""ROUGE-1 recall: how much of a known answer's words an answer has."""

from __future__ import annotations

import re
from collections import Counter

_WORD = re.compile(r"[^\W_]+")


def rouge1_recall(reference: str, candidate: str) -> float | None:
    """The share of the words of ``reference``, each as often as it stands there, that ``candidate`` has, in [0, 1].

    After Lin (2004), without stemming: letters and digits of any script, in any case. None for a reference without a
    word.
    """
    wanted, had = (Counter(_WORD.findall(text.lower())) for text in (reference, candidate))
    return (wanted & had).total() / wanted.total() if wanted else None
