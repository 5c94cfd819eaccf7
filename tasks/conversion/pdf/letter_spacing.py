"""Letter-spaced words of a PDF page ("E N C R Y P T I O N"): pdfium parts letters that are drawn one by one.

A gap runs from the end of a letter's advance to the next letter, so that it does not vary with the letters' shapes.
Within a word all gaps of a line are alike, and between words they are clearly wider. In a table with a letter in each
cell it is the places of the letters that are evenly spaced, not the gaps.
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
"""A letter that stands alone and is no word of English. Of these, few have blanks that pdfium put in on both sides."""
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
_MARKS = frozenset("&-–—/.,:;!?'’\"“”()")


class _Glyphs(NamedTuple):
    """The glyphs of a line: their offsets in the page's text and, for each but the last, the gap behind it and the
    distances of its origin, middle and end from those of the next, over the type size.

    A gap is NaN beside a glyph of another height. ``is_parted`` where a blank follows, ``is_fixed`` where the file
    itself has it.
    """

    offsets: list[int]
    gaps: list[float]
    pitches: Floats
    is_parted: list[bool]
    is_fixed: list[bool]


def join_letters(page: PageText) -> None:
    """Take out the blanks that pdfium puts between the letters of letter-spaced words.

    Blanks that the file itself has stay, and so do the text's length and its offsets.
    """
    text, past = page.text, 0
    taken_out: list[int] = []
    while found := _LETTER.search(text, past):
        past = found.end()
        if not all(page.are_made_up([found.start(), past])):
            continue
        begin, end = text.rfind("\n", 0, past) + 1, text.find("\n", past)
        past = end if end >= 0 else len(text)
        offsets = [at for at in range(begin, past) if not text[at].isspace()]
        if len(offsets) < _LEAST_LETTERS:
            continue
        glyphs = _measure(page, offsets)
        if usual := _usual_gap(glyphs):
            for run in _runs(glyphs, usual):
                letters, words = _spaced(text, glyphs, run, usual)
                taken_out += [at for left in letters for at in range(offsets[left] + 1, offsets[left + 1])]
                page.spaced_words.update(offsets[left + 1] for left in words)
    if taken_out:
        characters = list(text)
        for at in taken_out:
            characters[at] = NOTHING
        page.text = "".join(characters)
        page.is_rewritten = True


def _measure(page: PageText, offsets: list[int]) -> _Glyphs:
    indices = page.indices(offsets)
    x, y = page.origins(offsets)
    left, low, right, high = page.advance_sides(indices)
    size = page.type_at(indices)[0]
    dx, dy = np.diff(x), np.diff(y)
    is_level = abs(np.nanmedian(dx)) >= abs(np.nanmedian(dy))
    (along, across), advance = ((dx, dy), right - left) if is_level else ((dy, dx), high - low)
    along = along if np.nanmedian(along) >= 0 else -along
    with np.errstate(invalid="ignore", divide="ignore"):
        gaps = (along - advance[:-1]) / size[:-1]
        gaps[~(np.abs(across) <= _LEVEL * size[:-1])] = np.nan
        growth = advance[1:] - advance[:-1]
        pitches = np.stack([along, along + growth / 2, along + growth]) / size[:-1]
    is_parted = [after - before > 1 for before, after in pairwise(offsets)]
    is_fixed = [
        parted and not all(page.are_made_up(list(range(before + 1, after))))
        for parted, (before, after) in zip(is_parted, pairwise(offsets), strict=True)
    ]
    return _Glyphs(offsets, gaps.tolist(), pitches, is_parted, is_fixed)


def _usual_gap(glyphs: _Glyphs) -> float:
    """The usual gap beside letters that stand alone; 0 where there is none that a word may have."""
    parted = glyphs.is_parted
    beside = [
        gap
        for at, gap in enumerate(glyphs.gaps)
        if parted[at]
        and not glyphs.is_fixed[at]
        and 0 < gap < _MOST
        and (all(parted[max(at - 1, 0) : at]) or all(parted[at + 1 : at + 2]))
    ]
    return median_low(beside) if beside else 0.0


def _is_letter_gap(gap: float, usual: float) -> bool:
    return max(_LEAST_SHARE * usual, usual - _NARROWER) <= gap <= usual + _WIDER


def _runs(glyphs: _Glyphs, usual: float) -> Iterator[range]:
    """Yield the runs of spaced words as ranges of glyphs: they end at cells, and at words whose letters are closer."""
    begins = [0, *(at + 1 for at, parted in enumerate(glyphs.is_parted) if parted), len(glyphs.offsets)]
    start: int | None = None
    for begin, end in pairwise(begins):
        is_spaced = all(_is_letter_gap(gap, usual) for gap in glyphs.gaps[begin : end - 1])
        goes_on = begin > 0 and glyphs.gaps[begin - 1] < _MOST + 2 * usual
        if start is not None and not (is_spaced and goes_on):
            yield range(start, begin)
            start = None
        if is_spaced and start is None:
            start = begin
    if start is not None:
        yield range(start, len(glyphs.offsets))


def _spaced(text: str, glyphs: _Glyphs, run: range, usual: float) -> tuple[list[int], list[int]]:
    """The glyphs of ``run`` that another of their word follows, and those that another word follows; none of both where
    its gaps are not those of letters and of words, or its letters are no words.
    """
    within = run[:-1]
    letters = [at for at in within if not glyphs.is_fixed[at] and _is_letter_gap(glyphs.gaps[at], usual)]
    words = [at for at in within if glyphs.is_fixed[at] or glyphs.gaps[at] >= usual + _CLEARLY]
    if len(letters) + len(words) < len(within) or len(letters) < _LEAST_LETTERS - 1:
        return [], []
    ends = [at for at in (run.start - 1, run.stop - 1) if 0 <= at < len(glyphs.gaps) and not glyphs.is_fixed[at]]
    if not words and any(glyphs.gaps[at] <= usual + _WIDER for at in ends):
        # The line's words are no farther apart: these are words of one letter.
        return [], []
    kinds = _letter_kinds([text[glyphs.offsets[at]] for at in run])
    return ([], []) if kinds < _LEAST_KINDS or _is_grid(glyphs, run, letters, kinds) else (letters, words)


def _letter_kinds(characters: Sequence[str]) -> int:
    """Count the different letters; 0 where the characters are no words: mostly others, or a part of the alphabet."""
    letters = [character.casefold() for character in characters if character.isalpha()]
    others = [character for character in characters if not character.isalpha()]
    is_alphabet = all(len(b) == len(a) == 1 and ord(b) == ord(a) + 1 for a, b in pairwise(letters))
    is_wording = all(character.isdecimal() or character in _MARKS for character in others)
    return len(set(letters)) if is_wording and len(letters) > len(others) and not is_alphabet else 0


def _is_grid(glyphs: _Glyphs, run: range, letters: Sequence[int], kinds: int) -> bool:
    """Tell if the letters of so many ``kinds`` stand on a grid of cells rather than at even gaps: by their origins,
    middles or ends, all of which are whole steps apart.
    """
    uneven = np.std([glyphs.gaps[at] for at in letters])
    pitches = glyphs.pitches[:, run.start : run.stop - 1]
    steps = np.median(glyphs.pitches[:, letters], axis=1, keepdims=True)
    off = np.sqrt(((pitches - steps * np.round(pitches / steps)) ** 2).mean(axis=1)).min()
    return bool(off < uneven - _OFF_GRID / 4 if kinds > _MOST_CODES else off < max(1.5 * uneven, _OFF_GRID))
