"""Answers that are not given in their row: a status column marks them as drafts, or they point to another answer."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tasks.spreadsheets.header_words import OF_AN_ANSWER
from tasks.spreadsheets.layout import Layout
from tasks.spreadsheets.row import SheetRow

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
"""States of unfinished work: for a control they tell its progress, for an answer that there is none yet."""
_REFUSED = re.compile(r"no|n|false|not yet|pending|open|tbd", re.I)
_PLACE = (
    r"(?:above|below|before|previous(?:ly)?|(?:19|20)\d\d|last (?:year|time)|"
    r"(?:(?:the |our |my )?(?:answer|response|reply|comment|question|item|row|line|section|no|q)s?\.? ?)?"
    r"(?:(?:to|in|of|for|from|no\.?|#) ?)?(?:(?:the )?(?:above|below|previous|prior|earlier|last)(?: \w+)?|"
    r"(?:question |item |row |q |no\.? |#)?(?!soc|iso|pci|nist|cis)(?:[a-z]{1,4}[-.]?)?\d{1,3}(?:[.-]\d{1,3})*[a-z]?))"
)
_ELSEWHERE = re.compile(
    rf"(?:please )?(?:see|refer to|cf\.?|(?:the )?same(?: (?:answer|response))? as|as(?: (?:stated|answered|in|per))?|"
    rf"siehe|wie|vgl\.?) {_PLACE}|(?:siehe|wie) (?:oben|unten|vorher|zuvor|im vorjahr)|s\. ?[ou]|"
    r"same(?: again)?|ditto|dto|idem|no changes?(?: (?:since|from) .{1,20})?|unchanged(?: (?:since|from) .{1,20})?|"
    r"unverändert|[\"″〃]",
    re.I,
)


def is_status(layout: Layout, column: int) -> bool:
    """Tell if ``column`` holds the status of the answers beside it."""
    header = layout.heading(column).strip()
    return column not in layout.roles and any(known.fullmatch(header) for known in (_STATUS, _APPROVAL))


def drafts_in(rows: Sequence[SheetRow], layout: Layout) -> frozenset[int]:
    """The numbers of the rows whose status is that of a draft, or of a withdrawn answer; none where there is no status
    column.

    A row without a status is no draft: those who keep such a column fill it for unfinished rows.
    """
    if layout.question is None or (layout.answer is None and not layout.choices):
        return frozenset()
    told = [i for i in range(len(layout.headers)) if is_status(layout, i)]
    return frozenset(row.number for row in rows if any(_is_draft(layout, i, row.cell(i)) for i in told))


def points_elsewhere(cell: str) -> bool:
    """Tell if an answer only points to another answer: "Same as 2023", "see above", "ditto"."""
    return _ELSEWHERE.fullmatch(" ".join(cell.split()).rstrip(" .!")) is not None


def _is_draft(layout: Layout, column: int, cell: str) -> bool:
    header, said = layout.heading(column).strip(), cell.strip().rstrip(".!")
    if _DRAFT.fullmatch(said):
        return True
    if _APPROVAL.fullmatch(header):
        return _REFUSED.fullmatch(said) is not None
    is_of_review = _REVIEW.fullmatch(header) or OF_AN_ANSWER.search(header)
    return is_of_review is not None and _UNDONE.fullmatch(said) is not None
