"""Running headers and footers: lines that return at the same height on page after page.

Only lines at the beginning and the end of a page's text, in reading order, are taken off, so the body stays one
stretch.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import chain, pairwise
from statistics import median
from typing import NamedTuple

from tasks.conversion.layout.page import Line, PrintedPage
from tasks.conversion.layout.page_serialization import outlined
from tasks.conversion.layout.paragraphs import Typography, count_sizes, most_used_size
from tasks.conversion.layout.two_page_headers import MAX_LINES, returning_on_two

MIN_PAGES = 3
_LEAST_CHAPTER_PAGES = 6
_NEARLY_ALL = 0.8
_MIN_TITLE_SIZE = 1.15
_SMALL = 0.92
"""Running text is often set smaller than this, over the body's size."""
_MOST_DIGITS = 9
_FOOT = 0.25
_DIGITS = re.compile(r"\d+")
_ASCII_DIGITS = re.compile(r"[0-9]+")
"""Faster pattern for ASCII text, which it searches in half of the time."""
_AT_AN_END = re.compile(r"^\d{1,4}(?=\s|$)|(?<=\s)\d{1,4}$")
_STOP = (".", "!", "?", ";")

Key = tuple[str, int]


class BodyRange(NamedTuple):
    """The body of a page, ``lines[start:end]``; lines before and after it are running text."""

    start: int
    end: int


class Bodies(NamedTuple):
    """The body range of each page, and the typography of all bodies."""

    ranges: list[BodyRange]
    typography: Typography


class _Printed(NamedTuple):
    """A line near a page's end, which may return on other pages."""

    page: int
    text: str
    size: float
    is_at_foot: bool


_make_printed = partial(tuple.__new__, _Printed)


def find_bodies(pages: Sequence[PrintedPage]) -> Bodies:
    """Find the body of each page, without running headers and footers. Where no line would be left on any page, the
    body is the whole page.

    A line is running text where it stands (digits aside) within the first or last six lines of three pages or more, of
    at least every third page in its span, at the same height, and set off from the body by more than a line's pitch. So
    is a line with the page's own number, and a line at a height and size at which half of the pages have a line and
    nearly all of these lines return: the name of the chapter. A sentence whose digits change from page to page is never
    running text, nor is a title of larger type that is numbered anew.
    """
    returning = _returning_lines(pages) if len(pages) >= MIN_PAGES else [set() for _ in pages]
    if 2 <= len(pages) <= MIN_PAGES:
        # The first of three pages may be a cover.
        found = returning_on_two((pages[-2], pages[-1]), len(pages), _body_size(pages))
        returning[-2] |= found[0]
        returning[-1] |= found[1]
    bodies = _bodies(pages, returning)
    if any(body.start < body.end for body in bodies.ranges):
        return bodies
    return _bodies(pages, [set() for _ in pages])


def is_in_upper_half(page: PrintedPage, index: int, body: BodyRange) -> bool:
    """Tell if line ``index`` is a header: by its height, or by its order where the height is unknown."""
    line = page.lines[index]
    return line.y > page.height / 2 if line.placed and page.height else index < body.start


def _bodies(pages: Sequence[PrintedPage], returning: Sequence[set[int]]) -> Bodies:
    found = Bodies([], Typography())
    for page, own in zip(outlined(pages), returning, strict=True):
        body = _body(page, own)
        found.ranges.append(body)
        found.typography.add(page.lines[body.start : body.end])
    return found


def _body_size(pages: Sequence[PrintedPage]) -> float:
    sizes: Counter[float] = Counter()
    for page in pages:
        count_sizes(page.lines, sizes)
    return most_used_size(sizes)


def _ends(lines: Sequence[Line]) -> Iterator[int]:
    count = len(lines)
    head = min(MAX_LINES, count)
    return chain(range(head), range(max(head, count - MAX_LINES), count))


def _key(text: str, y: float) -> Key:
    digits = _ASCII_DIGITS if text.isascii() else _DIGITS
    return digits.sub("#", text).casefold(), round(y / 6)


def _returning_lines(pages: Sequence[PrintedPage]) -> list[set[int]]:
    """The indices, for each page, of those of its first and last lines that return on other pages."""
    keys: list[dict[int, Key]] = []
    printed: dict[Key, list[_Printed]] = defaultdict(list)
    sizes: Counter[float] = Counter()
    for number, page in enumerate(outlined(pages)):
        lines, foot = page.lines, _FOOT * page.height
        own: dict[int, Key] = {}
        for index in _ends(lines):
            text, _, _, y, _, size, _, _, _ = lines[index]
            key = own[index] = _key(text, y)
            printed[key].append(_make_printed((number, text, size, y < foot)))
        keys.append(own)
        count_sizes(lines, sizes)
    repeated = _repeated_keys(printed, sizes, len(pages))
    return [{index for index, key in own.items() if key in repeated} for own in keys]


def _repeated_keys(printed: Mapping[Key, Sequence[_Printed]], sizes: Counter[float], count: int) -> frozenset[Key]:
    repeated = {key for key, lines in printed.items() if _is_repeated(key, lines)}
    places = _places(printed)
    counting = _counting(places)
    named = _chapter_names(places, count) | counting
    anew = {key for key in repeated if _is_numbered_anew(printed[key])}
    if not anew and named <= repeated:
        return frozenset(repeated)
    sizes_of = {key: min(one.size for one in printed[key]) for key in anew | named}
    body = most_used_size(sizes)
    # Slides, for example, may have the same title twice, and data sheets a price each at the same place.
    titles = {key for key in named - repeated | anew if sizes_of[key] >= _MIN_TITLE_SIZE * body > 0}
    figures = {key for key in anew - counting if sizes_of[key] >= _SMALL * body > 0 and not _counts_pages(printed[key])}
    at_foot = {key for key in anew if any(one.is_at_foot for one in printed[key])}
    return frozenset((repeated | named) - figures - (titles - at_foot))


def _counts_pages(printed: Sequence[_Printed]) -> bool:
    """Tell if a number in lines that are alike but for digits rises as the pages do, as in "Page 3 of 20"."""
    numbers = [(one.page, [int(digits[:_MOST_DIGITS]) for digits in _DIGITS.findall(one.text)]) for one in printed]
    steps = Counter(
        at
        for (page, before), (following, after) in pairwise(numbers)
        for at, (one, other) in enumerate(zip(before, after, strict=False))
        if other - one == following - page > 0
    )
    return any(2 * count >= len(numbers) - 1 for count in steps.values())


def _is_repeated(key: Key, printed: Sequence[_Printed]) -> bool:
    # ``printed`` is in the order of the pages.
    if len(printed) < MIN_PAGES or len(pages := {one.page for one in printed}) < MIN_PAGES:
        return False
    if 3 * len(pages) < printed[-1].page - printed[0].page + 1:
        return False
    return not (key[0].endswith(_STOP) and len({one.text for one in printed}) > 1)


def _places(printed: Mapping[Key, Sequence[_Printed]]) -> list[list[tuple[Key, _Printed]]]:
    at_place: dict[tuple[int, float], list[tuple[Key, _Printed]]] = defaultdict(list)
    for key, lines in printed.items():
        for one in lines:
            at_place[key[1], round(one.size, 1)].append((key, one))
    return list(at_place.values())


def _counting(places: Sequence[Sequence[tuple[Key, _Printed]]]) -> set[Key]:
    """The keys of lines that begin or end with a number that is the page's own on most pages."""
    found: set[Key] = set()
    for lines in places:
        numbers = [
            (int(number) - one.page, one.page, key)
            for key, one in lines
            if one.text[:1].isdecimal() or one.text[-1:].isdecimal()
            for number in dict.fromkeys(_AT_AN_END.findall(one.text))
        ]
        shifts = Counter(shift for shift, _, _ in numbers)
        if not shifts:
            continue
        ((shift, _),) = shifts.most_common(1)
        pages = {page for own, page, _ in numbers if own == shift}
        if len(pages) >= MIN_PAGES and 2 * len(pages) > len({one.page for _, one in lines}):
            found |= {key for own, _, key in numbers if own == shift}
    return found


def _chapter_names(places: Sequence[Sequence[tuple[Key, _Printed]]], count: int) -> set[Key]:
    """The keys of chapter names: at a place that half of the pages use, where nearly all lines return."""
    found: set[Key] = set()
    for lines in places:
        keys: dict[Key, set[int]] = defaultdict(set)
        for key, one in lines:
            keys[key].add(one.page)
        pages = set().union(*keys.values())
        back = {key: own for key, own in keys.items() if len(own) > 1 and not key[0].endswith(_STOP)}
        on_back = set().union(*back.values()) if back else set()
        if len(pages) >= max(_LEAST_CHAPTER_PAGES, count / 2) and len(on_back) >= _NEARLY_ALL * len(pages):
            found |= back.keys()
    return found


def _is_numbered_anew(printed: Sequence[_Printed]) -> bool:
    """Tell if lines that are alike but for digits have words, and mostly differ."""
    return 2 * len({one.text for one in printed}) > len(printed) and any(c.isalpha() for c in printed[0].text)


def _body(page: PrintedPage, candidates: set[int]) -> BodyRange:
    """The body of a page whose lines ``candidates`` return on other pages."""
    lines = page.lines
    start, end = _stretch(len(lines), candidates)
    while (start, end) != (0, len(lines)):
        body = lines[start:end]
        close = {i for i in (*range(start), *range(end, len(lines))) if _touches(page, i, body)}
        if not close:
            break
        candidates -= close
        start, end = _stretch(len(lines), candidates)
    return BodyRange(start, end)


def _stretch(count: int, removed: set[int]) -> BodyRange:
    start = 0
    while start in removed:
        start += 1
    end = count
    while end > start and end - 1 in removed:
        end -= 1
    return BodyRange(start, end)


def _touches(page: PrintedPage, index: int, body: Sequence[Line]) -> bool:
    """Tell if a line stands as near to the body as the body's own lines do to one another."""
    line = page.lines[index]
    placed = [other for other in body if other.size > 0]
    if not placed or not line.placed:
        return False
    if line.size <= _SMALL * median([other.size for other in placed]):
        # Small print that returns is running text, however near the body it stands.
        return False
    drops = [drop for a, b in pairwise(placed) if (drop := a.y_end - b.y) > 1]
    pitch = median(drops) if len(drops) > 1 else 1.2 * max(line.size, placed[0].size)
    # Three cells or more may be a table's headings, which a long table repeats at the top of each page.
    near = (3.0 if len(line.cells) >= 3 else 1.2) * pitch
    if line.y > page.height / 2:
        return line.y - max([other.y for other in placed]) < near
    return min([other.y_end for other in placed]) - line.y < near
