"""What in a sheet is no record: titles, of which some are named alike, and who signed it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tasks.conversion.assembly import Block

SHEET_TITLE, CATEGORY_TITLE = (0, 0), (1, 0)

_NAMED = re.compile(
    r"(?P<word>[^\W\d_]{3,20} )?(?:(?P<letter>[A-Z])|(?P<number>\d{1,2})|(?P<roman>[IVX]{2,4}))"
    r"(?P<end>[.:)]|\s*[-–—]|\s|$)",
    re.I,
)
"""What tells one section from the next: "Section B:", "Part 2", "C."."""
_SIGNATURE = re.compile(
    r"(?:signed|signature|signatory|(?:completed|prepared|filled in|submitted) by|unterschrift|unterzeichnet)"
    r"(?: by)?(?: (?:by|for|von|für) [^:?]{1,40}(?=:))?\s*(?::.*)?",
    re.I | re.DOTALL,
)


def with_siblings(blocks: Sequence[Block]) -> list[Block]:
    """The blocks, each title above a header beside those of sections that are named like it: "Section A" holds no
    "Section B".
    """
    below = {name for block in blocks if block.level == CATEGORY_TITLE and (name := _name(block))}
    return [
        block._replace(level=CATEGORY_TITLE) if block.level == SHEET_TITLE and _name(block) in below else block
        for block in blocks
    ]


def is_signature(text: str) -> bool:
    """Whether the cell of a question says who signed the questionnaire, which nobody answers."""
    return _SIGNATURE.fullmatch(text.strip()) is not None


def _name(block: Block) -> tuple[str, ...]:
    """What a title has in common with others that are named like it; nothing where it is named by nothing."""
    found = _NAMED.match(block.text) if block.kind == "title" else None
    if found is None or not (found["word"] or found["end"].strip()):
        return ()
    kind = next(kind for kind in ("letter", "number", "roman") if found[kind])
    return ((found["word"] or "").casefold(), kind, found["end"].strip())
