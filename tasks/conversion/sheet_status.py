"""Which answers of a questionnaire their own row says not to be given yet: a column of states beside them tells it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tasks.conversion.sheet_headings import is_of_an_answer
from tasks.conversion.sheet_layout import Layout, heading
from tasks.conversion.sheet_row import SheetRow

_STATUS = re.compile(r"(?:(?:answer|response|review|approval|internal|sme|workflow) )?(?:status|state)", re.I)
_REVIEW = re.compile(r"(?:answer|response|review|approval|workflow) (?:status|state)", re.I)
_APPROVAL = re.compile(
    r"(?:(?:answer|response|reply) )?(?:approv(?:ed|al)|signed[ -]off|final(?:i[sz]ed)?)\??"
    r"(?: ?\(?(?:y ?/ ?n|yes ?/ ?no)\)?)?\??",
    re.I,
)
_DRAFT = re.compile(
    r"(?:(?:in|as|first|initial|working) )?drafts?(?:ed)?|not (?:yet )?(?:approved|reviewed|final(?:i[sz]ed)?)|"
    r"unapproved|rejected|(?:pending|awaiting|in|under|needs?|for|to be|requires?|ready for) (?:\w+ )?"
    r"(?:review(?:ed)?|approv(?:al|ed)|sign[ -]?off|rework)|superseded|obsolete|withdrawn",
    re.I,
)
_UNDONE = re.compile(
    r"wip|work in progress|in progress|open|to ?do|tbd|pending|not (?:started|answered|complete(?:d)?)|incomplete", re.I
)
"""Of a control these say how far it is, of an answer that there is none yet."""
_REFUSED = re.compile(r"no|n|false|not yet|pending|open|tbd", re.I)


def is_status(layout: Layout, column: int) -> bool:
    """Whether ``column`` tells the state of the answers beside it."""
    header = heading(layout, column).strip()
    return column not in _used(layout) and any(known.fullmatch(header) for known in (_STATUS, _APPROVAL))


def drafts_in(rows: Sequence[SheetRow], layout: Layout) -> frozenset[int]:
    """The numbers of the rows whose state is that of a draft, or of what was withdrawn; none where no column tells it.

    A row without a state is none: whoever keeps such a column fills it for what is not done.
    """
    if layout.question is None or (layout.answer is None and not layout.choices):
        return frozenset()
    told = [i for i in range(len(layout.headers)) if is_status(layout, i)]
    return frozenset(
        row.number for row in rows if any(i < len(row.cells) and _is_draft(layout, i, row.cells[i]) for i in told)
    )


def _is_draft(layout: Layout, column: int, cell: str) -> bool:
    header, said = heading(layout, column).strip(), cell.strip().rstrip(".!")
    if _DRAFT.fullmatch(said):
        return True
    if _APPROVAL.fullmatch(header):
        return _REFUSED.fullmatch(said) is not None
    return (_REVIEW.fullmatch(header) is not None or is_of_an_answer(header)) and _UNDONE.fullmatch(said) is not None


def _used(layout: Layout) -> set[int | None]:
    return {layout.question, layout.answer, layout.comments, layout.category, *layout.choices, *layout.earlier}
