"""Label-value tables: two columns without a header, a label and its value, as on the company or the document."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tasks.spreadsheets.header_words import reads_as_question
from tasks.spreadsheets.layout import header_words
from tasks.spreadsheets.row import SheetRow

_MAX_LABEL_CHARACTERS = 60
_LABEL = re.compile(
    r"\b(?:name|address|street|city|country|postal code|zip|contact|phone|telephone|mobile|fax|e-?mail|website|"
    r"homepage|url|employees|headcount|founded|established|incorporated|headquarters|legal form|registration|vat|tax|"
    r"duns|iban|bank|currency|industry|sector|revenue|turnover|parent|subsidiar(?:y|ies)|ceo|cfo|cto|cio|ciso|dpo|"
    r"officer|owner|author|assessor|approver|date|version|status|classification|department|role|job title|vendor|"
    r"supplier|company|customer|client|project|contract|language|number of)\b|:$",
    re.I,
)
"""Words of labels of company and document data; the names of things that a table lists match none of these."""
_HEADING_OF_VALUES = re.compile(
    r"(?:[\w/]+ )?(?:contents?|data|details?|explanations?|info|information|inputs?|locations?|meanings?|persons?|"
    r"texts?|values?)",
    re.I,
)


def find_pairs(rows: Sequence[SheetRow]) -> tuple[int, int] | None:
    """Find the columns of the labels and of the values; None where the rows are no such table, or have a header.

    A row with one cell, such as a title, may stand anywhere.
    """
    used = sorted({column for row in rows for column in row.filled})
    pairs = [row for row in rows if row.filled == used]
    if len(used) != 2 or len(pairs) < 2:
        return None
    label, value = used
    labels = [row.cells[label].strip() for row in pairs]
    if len({text.casefold() for text in labels}) < len(labels) or not all(map(_may_be_label, labels)):
        return None
    known = sum(_LABEL.search(text) is not None for text in labels)
    if _LABEL.search(labels[0]) is None or 2 * known < len(labels) or known < 2:
        return None
    return None if _heads_values(pairs[0].cells[value]) else (label, value)


def _may_be_label(text: str) -> bool:
    is_asked = reads_as_question(text) and not text.endswith(":")
    return len(text) <= _MAX_LABEL_CHARACTERS and text[:1].isalpha() and text[-1] not in ".;" and not is_asked


def _heads_values(text: str) -> bool:
    """Tell if ``text`` is the heading of a column of values, not a value."""
    is_short = len(text.split()) <= 3 and not any(c.isdigit() for c in text)
    is_heading = any(known.fullmatch(text.strip()) for known in (_HEADING_OF_VALUES, _LABEL))
    return is_heading or (is_short and header_words(SheetRow(1, (text,))) > 0)
