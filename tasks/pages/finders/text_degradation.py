"""Synthetic text damage (other line breaks, lost spaces, misread letters), to measure how robust page finders are."""

from __future__ import annotations

import random
import re

from tasks.records import content_id

_HYPHENATED = re.compile(r"(?<=[a-z])-(?=[a-z])")


_LOOKS_LIKE = str.maketrans("aceilnorstuvO0158B", "oeciIhuc5fvuQO7SB8")
"""Letters and figures as OCR misreads them."""


def reflowed(text: str, *, line_characters: int = 61, lost_spaces: float = 0.05, misread_letters: float = 0.01) -> str:
    """Damage ``text`` as OCR and other programs do: other line breaks and hyphens, lost spaces, misread letters.

    Words are hyphenated at line ends, and the text's own hyphens are removed. The same text always gives the same
    result; an empty text stays empty.
    """
    draw = random.Random(content_id("worn", text))
    words = _HYPHENATED.sub("", text).split()
    lines: list[str] = []
    line = ""
    for word in words:
        if len(line) + len(word) >= line_characters:
            half = len(word) // 2
            if half > 2 and word.isalpha():
                lines.append(f"{line} {word[:half]}-")
                line = word[half:]
            else:
                lines.append(line)
                line = word
        else:
            line += ("" if not line or draw.random() < lost_spaces else " ") + word
    letters = "\n".join([*lines, line]).strip()
    return "".join(one.translate(_LOOKS_LIKE) if draw.random() < misread_letters else one for one in letters)
