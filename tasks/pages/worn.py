"""Texts as other programs hand them over: what a page finder must bear, and what it is measured with."""

from __future__ import annotations

import random
import re

from tasks.records import content_id

_HYPHENATED = re.compile(r"(?<=[a-z])-(?=[a-z])")


def reflowed(text: str, *, line_characters: int = 61, lost_spaces: float = 0.05) -> str:
    """``text`` with its lines broken elsewhere, words parted by hyphens at their ends, hyphens of its own undone, and
    some spaces lost. The same text gives the same; an empty one stays empty.
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
    return "\n".join([*lines, line]).strip()
