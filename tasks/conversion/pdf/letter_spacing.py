"""Letter-spaced words of a PDF page ("E N C R Y P T I O N"): pdfium parts letters that are drawn one by one.

A gap runs from the end of a letter's advance to the next letter, so that it does not vary with the letters' shapes.
Within a word all gaps of a line are alike, and between words they are clearly wider. In a table with a letter in each
cell it is the places of the letters that are evenly spaced, or the same in several lines, not the gaps.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from statistics import median_low
from typing import NamedTuple

import numpy as np

from tasks.conversion.pdf.page_text import NOTHING, Floats, PageText

_LETTER = re.compile(r" [^\W\d_AIa](?!\S)")
"""A letter alone that is no word of English: few of these have blanks on both sides that pdfium put in."""
_MOST = 0.8
"""Widest gap between letters of a word, over the type size, and so the widest between words beside their letter gaps:
cells of a table begin there."""
_NARROWER, _WIDER, _CLEARLY = 0.15, 0.08, 0.15
"""Differences to the usual letter gap, over the type size: kerned letters stand up to _NARROWER closer, others up to
_WIDER apart, and a word begins from _CLEARLY on."""
_LEAST_SHARE = 0.4
"""Least gap between two letters of a spaced word, over the usual one."""
_LEVEL = 0.1
_LEAST_LETTERS = 4
_LEAST_KINDS = 3
_MOST_CODES = 5
"""Most letters that a table has as codes of one letter, such as Y and N, R, A, C and I, or the days of the week."""
_OFF_GRID = 0.02
"""Least distance of letters from a grid, over the type size, that rounded places do not explain."""
_NEAR = 8
"""Number of lines with letters alone, before and behind a line, that may be rows of its table."""
_BELOW_EACH_OTHER = 1.0
_COLUMNS = 0.75
"""Least share of a row's letters that stand below those of another row, at most _BELOW_EACH_OTHER points beside."""
_MARKS = frozenset("&-–—/.,:;!?'’\"“”()")


class _Line(NamedTuple):
    """The glyphs of a line: their characters and offsets in the page's text, and the places of their origins, middles
    and ends along the line in points, shape (3, n); and for each but the last the gap behind it over the type size.

    A gap is NaN beside a glyph of another height. ``is_parted`` where a blank follows, ``is_fixed`` where the file
    itself has it. ``alone`` are the glyphs between blanks, and ``usual`` is the usual gap beside them, 0 without one.
    """

    characters: list[str]
    offsets: list[int]
    edges: Floats
    size: float
    gaps: list[float]
    is_parted: list[bool]
    is_fixed: list[bool]
    alone: list[int]
    usual: float

    def is_letter_gap(self, at: int) -> bool:
        """Tell if the gap behind the glyph is one between letters of a spaced word, by its width."""
        return max(_LEAST_SHARE * self.usual, self.usual - _NARROWER) <= self.gaps[at] <= self.usual + _WIDER

    def joins(self, at: int) -> bool:
        """Tell if the glyphs before and behind a gap are letters of one spaced word; not beyond the line's ends."""
        return 0 <= at < len(self.gaps) and not self.is_fixed[at] and self.is_letter_gap(at)


class _Run(NamedTuple):
    """A run of spaced words: its glyphs, those that another of their word follows, and those that a word follows."""

    glyphs: range
    letters: list[int]
    words: list[int]


def join_letters(page: PageText) -> None:
    """Take out the blanks that pdfium puts between the letters of letter-spaced words.

    Blanks that the file itself has stay, and so do the text's length and its offsets.
    """
    lines = list(_lines(page))
    taken_out: list[int] = []
    for number, line in enumerate(lines):
        for run in _spaced_runs(line, lines[max(number - _NEAR, 0) : number + _NEAR + 1]):
            ends = [(line.offsets[at] + 1, line.offsets[at + 1]) for at in run.letters]
            taken_out += [offset for begin, end in ends for offset in range(begin, end)]
            page.spaced_words.update(line.offsets[at + 1] for at in run.words)
    if taken_out:
        characters = list(page.text)
        for offset in taken_out:
            characters[offset] = NOTHING
        page.text = "".join(characters)
        page.is_rewritten = True


def _lines(page: PageText) -> Iterator[_Line]:
    """Yield the lines in which letters stand alone between blanks that pdfium put in."""
    text, past = page.text, 0
    while found := _LETTER.search(text, past):
        past = found.end()
        if not all(page.are_made_up([found.start(), past])):
            continue
        begin, end = text.rfind("\n", 0, past) + 1, text.find("\n", past)
        past = end if end >= 0 else len(text)
        offsets = [at for at in range(begin, past) if not text[at].isspace()]
        if len(offsets) >= _LEAST_LETTERS:
            yield _measure(page, offsets)


def _measure(page: PageText, offsets: list[int]) -> _Line:
    indices = page.indices(offsets)
    x, y = page.origins(offsets)
    left, low, right, high = page.advance_sides(indices)
    size = page.type_at(indices)[0]
    is_level = abs(np.nanmedian(np.diff(x))) >= abs(np.nanmedian(np.diff(y)))
    (begin, height), advance = ((x, y), right - left) if is_level else ((y, x), high - low)
    begin = begin if np.nanmedian(np.diff(begin)) >= 0 else -begin
    edges = np.stack([begin, begin + advance / 2, begin + advance])
    with np.errstate(invalid="ignore", divide="ignore"):
        gaps = (begin[1:] - edges[2, :-1]) / size[:-1]
        gaps[~(np.abs(np.diff(height)) <= _LEVEL * size[:-1])] = np.nan
    is_parted = [after - before > 1 for before, after in pairwise(offsets)]
    is_fixed = [
        parted and not all(page.are_made_up(list(range(before + 1, after))))
        for parted, (before, after) in zip(is_parted, pairwise(offsets), strict=True)
    ]
    parted = [True, *is_parted, True]
    alone = [at for at in range(len(offsets)) if parted[at] and parted[at + 1]]
    beside = {gap for at in alone for gap in (at - 1, at) if 0 <= gap < len(gaps) and not is_fixed[gap]}
    own_gaps: list[float] = gaps.tolist()
    usual = [own_gaps[at] for at in beside if 0 < own_gaps[at] < _MOST]
    characters = [page.text[offset] for offset in offsets]
    places = edges, float(np.nanmedian(size)), own_gaps, is_parted, is_fixed
    return _Line(characters, offsets, *places, alone, median_low(usual) if usual else 0.0)


def _spaced_runs(line: _Line, near: Sequence[_Line]) -> list[_Run]:
    """The runs of spaced words of a line. Where there is one, others at the same gaps need no proof of their own."""
    if not line.usual:
        return []
    runs = list(_runs(line))
    is_proven = [_is_proven(line, run, near) for run in runs]
    return [run for run, own in zip(runs, is_proven, strict=True) if own or (any(is_proven) and len(run.letters) > 1)]


def _runs(line: _Line) -> Iterator[_Run]:
    """Yield the runs of spaced words that have letters to join: they end at cells, and at words whose letters are
    closer, and have the gaps of letters and of words and no others.
    """
    begins = [0, *(at + 1 for at, parted in enumerate(line.is_parted) if parted), len(line.offsets)]
    start = 0
    for begin, end in pairwise(begins):
        is_spaced = all(map(line.is_letter_gap, range(begin, end - 1)))
        goes_on = begin > 0 and line.gaps[begin - 1] < _MOST + 2 * line.usual
        if not (is_spaced and goes_on):
            yield from _run(line, range(start, begin))
            start = begin if is_spaced else end
    yield from _run(line, range(start, len(line.offsets)))


def _run(line: _Line, glyphs: range) -> Iterator[_Run]:
    within = glyphs[:-1]
    letters = [at for at in within if line.joins(at)]
    words = [at for at in within if line.is_fixed[at] or line.gaps[at] >= line.usual + _CLEARLY]
    if letters and all(at in letters or at in words for at in within if line.is_parted[at]):
        yield _Run(glyphs, letters, words)


def _is_proven(line: _Line, run: _Run, near: Sequence[_Line]) -> bool:
    """Tell if a run is of words for sure, and not of names of one letter, codes in cells or a formula."""
    ends = [at for at in (run.glyphs.start - 1, run.glyphs.stop - 1) if 0 <= at < len(line.gaps)]
    if not run.words and any(line.gaps[at] <= line.usual + _WIDER and not line.is_fixed[at] for at in ends):
        # The line's words are no farther apart.
        return False
    kinds = _letter_kinds([line.characters[at] for at in run.glyphs])
    if len(run.letters) < _LEAST_LETTERS - 1 or kinds < _LEAST_KINDS or _is_grid(line, run, kinds):
        return False
    return kinds > _MOST_CODES or not any(_is_below(line, run, other) for other in near)


def _letter_kinds(characters: Sequence[str]) -> int:
    """Count the different letters; 0 where the characters are no words: mostly others, or a part of the alphabet."""
    letters = [character.casefold() for character in characters if character.isalpha()]
    others = [character for character in characters if not character.isalpha()]
    is_alphabet = all(len(b) == len(a) == 1 and ord(b) == ord(a) + 1 for a, b in pairwise(letters))
    is_wording = all(character.isdecimal() or character in _MARKS for character in others)
    return len(set(letters)) if is_wording and len(letters) > len(others) and not is_alphabet else 0


def _is_grid(line: _Line, run: _Run, kinds: int) -> bool:
    """Tell if the letters of so many ``kinds`` stand on a grid of cells rather than at even gaps: by their origins,
    middles or ends, all of which are whole steps apart.
    """
    uneven = np.std([line.gaps[at] for at in run.letters])
    pitches = np.diff(line.edges) / line.size
    steps = np.median(pitches[:, run.letters], axis=1, keepdims=True)
    own = pitches[:, run.glyphs.start : run.glyphs.stop - 1]
    off = np.sqrt(((own - steps * np.round(own / steps)) ** 2).mean(axis=1)).min()
    return bool(off < uneven - _OFF_GRID / 4 if kinds > _MOST_CODES else off < max(1.5 * uneven, _OFF_GRID))


def _is_below(line: _Line, run: _Run, other: _Line) -> bool:
    """Tell if the letters of a run, but for its first, stand in the columns of other letters in another line."""
    is_same = [other.characters[at] for at in other.alone] == [line.characters[at] for at in run.glyphs]
    if other is line or is_same or len(other.alone) < _LEAST_KINDS:
        return False
    own = line.edges[:, run.glyphs[1:], np.newaxis]
    beside = np.abs(own - other.edges[:, np.newaxis, other.alone]).min(axis=2)
    return bool((beside < _BELOW_EACH_OTHER).mean(axis=1).max() >= _COLUMNS)
