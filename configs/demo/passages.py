"""Passages of a built file with their places, and the search of a quote's place.

This is the demo's own account of its pages, made while the files are written. It shares nothing with
bidfolio's conversion, which is judged by it.
"""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple


class Place(NamedTuple):
    """A place that a citation can name: a page or slide, or a row of a sheet, from 1. None is not known."""

    page: int | None = None
    sheet: str | None = None
    row: int | None = None

    def __str__(self) -> str:
        if self.row is not None:
            return f"in row {self.row} of {self.sheet}" if self.sheet else f"in row {self.row}"
        return f"on page {self.page}" if self.page is not None else "on a page not known"


@dataclass(frozen=True, slots=True)
class Passage:
    """Text of one source line, or sheet row, at one place; a line over a page end makes one passage a page.

    `line` tells the lines of a file apart: the line number in its source, or the row's number counted over
    all sheets.
    """

    line: int
    text: str
    place: Place


class Rendered(NamedTuple):
    """A built file's bytes and its passages."""

    data: bytes
    passages: tuple[Passage, ...]


class QuoteError(ValueError):
    """A quote stands in no line of a file, or in more than one."""


def words(text: str) -> list[str]:
    """The words and numbers of the text, in lower case and without accents."""
    plain = unicodedata.normalize("NFKD", text.casefold())
    return re.findall(r"\w+", "".join(character for character in plain if not unicodedata.combining(character)))


class Concordance:
    """The words of a file by source line, each with its place."""

    def __init__(self, passages: Iterable[Passage]) -> None:
        places: dict[int, list[Place]] = defaultdict(list)
        texts: dict[int, str] = defaultdict(lambda: " ")
        for passage in passages:
            for word in words(passage.text):
                texts[passage.line] += f"{word} "
                places[passage.line].append(passage.place)
        self._lines = [(texts[number], places[number]) for number in places]

    def locate(self, quote: str) -> tuple[Place, ...]:
        """The places of the quote: one, or more where its line runs over a page end within the quote.

        The quote is compared by its words, within one source line. Raises `QuoteError` where it has no words,
        where no line holds it, and where more than one does, for then the page is a guess.
        """
        wanted = words(quote)
        needle = f" {' '.join(wanted)} "
        found: list[tuple[Place, ...]] = []
        for text, places in self._lines:
            if wanted and (at := text.find(needle)) >= 0:
                first = text.count(" ", 0, at)
                found.append(tuple(dict.fromkeys(places[first : first + len(wanted)])))
        if len(found) != 1:
            where = " and ".join(" to ".join(map(str, places)) for places in found) or "nowhere"
            raise QuoteError(
                f"the quote {quote!r} stands {where}; copy a phrase that one line alone of the source holds"
            )
        return found[0]
