"""Titles and signatures of a sheet, which are no records; titles that are named alike get the same level."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tasks.conversion.document.assembly import Block

SHEET_TITLE, CATEGORY_TITLE = (0, 0), (1, 0)

_NAMED = re.compile(
    r"(?P<word>[^\W\d_]{3,20} )?(?:(?P<letter>[A-Z])|(?P<number>\d{1,2})|(?P<roman>[IVX]{2,4}))"
    r"(?P<end>[.:)]|\s*[-–—]|\s|$)",
    re.I,
)
"""Pattern of a section's name that differs from the next in its letter or number: "Section B:", "Part 2", "C."."""
_SIGNATURE = re.compile(
    r"(?:signed|signature|signatory|(?:completed|prepared|filled in|submitted) by|unterschrift|unterzeichnet)"
    r"(?: by)?(?: (?:by|for|von|für) [^:?]{1,40}(?=:))?\s*(?::.*)?",
    re.I | re.DOTALL,
)


def with_siblings(blocks: Sequence[Block]) -> list[Block]:
    """Move each title above a header to the level of sections that are named like it: "Section A" holds no "Section
    B".
    """
    below = {name for block in blocks if block.level == CATEGORY_TITLE and (name := _name(block))}
    return [
        block._replace(level=CATEGORY_TITLE) if block.level == SHEET_TITLE and _name(block) in below else block
        for block in blocks
    ]


def is_signature(text: str) -> bool:
    """Tell if the cell of a question is a signature field of the questionnaire, which is no question to answer."""
    return _SIGNATURE.fullmatch(text.strip()) is not None


def _name(block: Block) -> tuple[str, ...]:
    """The part of a title's name that it shares with sibling sections; empty where it has no such name."""
    found = _NAMED.match(block.text) if block.kind == "title" else None
    if found is None or not (found["word"] or found["end"].strip()):
        return ()
    kind = next(kind for kind in ("letter", "number", "roman") if found[kind])
    return ((found["word"] or "").casefold(), kind, found["end"].strip())
