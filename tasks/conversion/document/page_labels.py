"""Printed labels of pages: those that a file names, else the numbers in its running headers and footers."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping
from itertools import pairwise

from tasks.records import Document

MOST_REPEATED = 3
REPEATED_SHARE = 0.1
"""A number in the headers or footers of more pages than that, and of this share of all, is no page's."""
_NUMBER = re.compile(r"(?:^|(?<=\s))\d{1,3}(?=\s|$)")
_OF_ALL = re.compile(r"(?<=\d)\s*(?:/|of|von|de|sur|di)\s*\d+", re.IGNORECASE)


def printed_labels(document: Document) -> list[str] | None:
    """The label of each page as it is printed, in order, "" where it is its number or unknown; None where all are.

    A number in a header or footer is a page's label where the next page that has one counts on from it. Between two
    such pages, those without a number are counted, too.
    """
    counted = _counted(document)
    own = {at: page.label or str(counted.get(at, "")) for at, page in enumerate(document.pages)}
    labels = ["" if own[at] == str(page.page_number) else own[at] for at, page in enumerate(document.pages)]
    return labels if any(labels) else None


def _counted(document: Document) -> Mapping[int, int]:
    """The number printed on each page, by its index."""
    printed: dict[int, set[int]] = defaultdict(set)
    most = max(MOST_REPEATED, len(document.pages) * REPEATED_SHARE)
    for element in document.elements:
        if element.kind in ("header", "footer") and element.page_number is not None:
            printed[element.page_number - 1].update(map(int, _NUMBER.findall(_OF_ALL.sub("", element.text))))
    having = Counter(number for numbers in printed.values() for number in numbers)
    for numbers in printed.values():
        numbers -= {number for number in numbers if having[number] > most}
    found: dict[int, int] = {}
    numbered = sorted(at for at, numbers in printed.items() if numbers)
    for one, other in pairwise(numbered):
        starts = {number - one for number in printed[one]} & {number - other for number in printed[other]}
        if starts:
            # Of several, that of the page is likely closer to its place in the file than a figure of another kind.
            start = min(starts, key=abs)
            found |= {at: at + start for at in range(one, other + 1)}
    return found
