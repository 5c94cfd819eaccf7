"""Passages: the sentences of a hit that may be quoted, each verbatim, on one page, long enough to say something."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, repeat, takewhile
from typing import NamedTuple

from tasks.conversion.layout.table_columns import EMPTY_CELL
from tasks.questions.past_rows import without_places
from tasks.records import Chunk, Citation, Hit, searched_text
from tasks.text.characters import LEADER
from tasks.text.dependent_sentences import BULLET, CELLS, NUMBER
from tasks.text.search_terms import term_set
from tasks.text.sentences import sentence_spans

MIN_QUOTE_CHARACTERS = 20
MIN_QUOTE_WORDS = 4
_LEADERS = re.compile(rf"(?:\s?\.){{4,}}|{LEADER.rstrip()}(?: [\divxlc]{{1,5}})?$", re.MULTILINE)
"""Dots of a table of contents."""
_CAPTION = re.compile(r"(?:table|figure|fig\.|tabela|quadro|figura)\s+[\dIVX]+(?:\.\d+)*\s*[:.–—-]\s", re.IGNORECASE)
_NUMBERING = re.compile(r"^[\d.]+\s+")
_HEADING = re.compile(r"\d{1,2}(?:\.\d{1,2})+\.?\s+[A-ZÀ-Þ][a-zß-ÿ][^|]*[^|.!?:;]$")
"""A numbered heading such as ``11.1 Use of AI tools``, and not ``30 days after …``, a fact without a stop."""
_LISTED = re.compile(r"\d+(?:\.\d+)*\.?\s[^|]*[^|.!?:;]$")
"""A line of a table of contents without dots."""
_CONTENTS = frozenset(("contents", "table of contents", "sumário", "índice"))
MAX_HEADING_WORDS = 9
LEAST_COLUMNS, MAX_TITLE_WORDS = 3, 4
_CACHED_CHUNKS = 4096
_STOPS = (".", "!", "?", "…", ":", ";")
_DIGIT = re.compile(r"\d")
_DAY = re.compile(r"\b(?:\d{1,2}\s+)?[A-Z][a-z]{2,8}\s+(?:19|20)\d\d\b|\b(?:19|20)\d\d\b")
_CELL_EDGE = re.compile(r"^(?:\s*\|\s+)?(.*?)(?:\s+\|\s*)?$", re.DOTALL)
"""A row that a page or a chunk cuts between two cells, with the separator at its end."""
_WORD = re.compile(r"[^\W\d_]{2,}")
_LONE_FIGURE = re.compile(r"[~≈<>≤≥]?\s?[$€£]?\d[\d.,]*\s?(?:%|[KMBTx]|bn|[kMGT]W|[GTP]B)?\+?")
"""A figure in a line of its own, set in large type above the words that say what it counts."""
_PAST_ANSWER = re.compile(r"(?<=\n)(?:(?:Answer|Comments): [^\n]*\n?)+")
_SAID = re.compile(r"^(?:(?:Answer|Comments): )?(?P<said>\S[^\n]*)$", re.MULTILINE)
"""A line of a past answer: the text of a cell, behind the label of its column, which conversion writes."""


@dataclass(frozen=True, slots=True)
class Passage:
    """A quotable span of a chunk that a hit hands over. ``matched_text`` is the text that is compared with a question.

    Of a past answer that includes its ``past_question``, and only the answer is quoted. A passage ``begins_midway`` or
    ``ends_midway`` where the rest of its statement is on another page or in another chunk.
    """

    hit: Hit
    chunk: Chunk
    start: int
    end: int
    matched_text: str
    page_number: int | None
    begins_midway: bool = False
    ends_midway: bool = False
    past_question: str = ""

    @property
    def document_id(self) -> str:
        """The id of its document."""
        return self.chunk.document_id

    @property
    def section(self) -> str:
        """The section at its start."""
        return self.chunk.section_at(self.start)

    @property
    def quote(self) -> str:
        """The text of the span, verbatim from the document."""
        return self.chunk.text[self.start - self.chunk.start : self.end - self.chunk.start]

    @property
    def text(self) -> str:
        """The quote as the text of an answer: in one line but for a list; a table's row with the titles of its columns;
        dots where it is not whole; a past answer without the places that it cited.
        """
        if not self.is_past_answer:
            lines = [" ".join(line.split()) for line in BULLET.sub("", self.quote).splitlines()]
            said = _lines_told([line for line in lines if line], column_titles(self))
            return f"{'… ' * self.begins_midway}{said}{' …' * self.ends_midway}"
        lines = [without_places(found["said"]).strip() for found in _SAID.finditer(self.quote)]
        return " ".join(line if line.endswith((".", "!", "?")) else f"{line}." for line in lines if line)

    @property
    def read_text(self) -> str:
        """The text that a cross-encoder reads: the passage below its title, a past answer with its question."""
        return searched_text(self.chunk.context, self.matched_text if self.is_past_answer else self.text)

    @property
    def is_past_answer(self) -> bool:
        """True for the answer of a past questionnaire."""
        return bool(self.past_question)

    def citation(self) -> Citation:
        """The citation of the passage; of a past answer with several cells, of the longest."""
        return max(self.citations(), key=lambda one: len(one.quote))

    def citations(self) -> tuple[Citation, ...]:
        """The citations of the passage: one, or of a past answer one for each of its cells, without the labels."""
        cells = [found.span("said") for found in _SAID.finditer(self.quote)] if self.is_past_answer else []
        return tuple(self._cited(begin, end) for begin, end in cells or [(0, len(self.quote))])

    def _cited(self, begin: int, end: int) -> Citation:
        chunk = self.chunk
        return Citation(
            document_id=chunk.document_id,
            file_name=chunk.file_name,
            content_sha256=chunk.content_sha256,
            page_number=self.page_number,
            quote=self.quote[begin:end],
            start=self.start + begin,
            end=self.start + end,
            section_path=self.section,
            sheet_name=chunk.sheet_name,
            row_number=chunk.row_number,
            page_label=chunk.label_of(self.page_number),
            document_name=chunk.document_name,
        )


class _Span(NamedTuple):
    """The fields of a passage that depend on its chunk alone, in their order."""

    start: int
    end: int
    matched_text: str
    page_number: int | None
    begins_midway: bool = False
    ends_midway: bool = False
    past_question: str = ""


def passages_of(hit: Hit) -> Iterator[Passage]:
    """The passages of all that a hit hands over, in reading order, without those within another."""
    found: dict[tuple[int, int], Passage] = {}
    for passage in (passage for chunk in hit.chunks for passage in _passages_of_chunk(hit, chunk)):
        found.setdefault((passage.start, passage.end), passage)
    for (begin, stop), passage in found.items():
        if sum(start <= begin and stop <= end for start, end in found) == 1:
            yield passage


def sentences_of_hit(hit: Hit) -> Iterator[Passage]:
    """All sentences and lines that a hit hands over, each once, in reading order, the short ones too; no questions."""
    found: dict[tuple[int, int], Passage] = {}
    for passage in (passage for chunk in hit.chunks for passage in _passages_of_chunk(hit, chunk, least_characters=1)):
        if not (passage.quote.rstrip().endswith("?") or _LEADERS.search(passage.quote)):
            found.setdefault((passage.start, passage.end), passage)
    yield from found.values()


def best_quote(text: str, hit: Hit) -> Citation | None:
    """The sentence of the hit that shares most words with ``text``; None where the hit hands over none."""
    best = most_like(text, sentences_of_hit(hit))
    return best.citation() if best else None


def most_like(text: str, passages: Iterable[Passage]) -> Passage | None:
    """The first passage whose quote shares most words with ``text``; None without passages."""
    said = term_set(text)
    return max(passages, key=lambda passage: len(said & term_set(passage.quote)), default=None)


def _passages_of_chunk(hit: Hit, chunk: Chunk, least_characters: int = MIN_QUOTE_CHARACTERS) -> Iterator[Passage]:
    return (Passage(hit, chunk, *span) for span in _spans_of_chunk(chunk, least_characters))


@lru_cache(maxsize=_CACHED_CHUNKS)
def _spans_of_chunk(chunk: Chunk, least_characters: int) -> tuple[_Span, ...]:
    """The spans of a chunk's passages. Many questions find the same chunk, and each reads it several times."""
    return tuple(_found_spans(chunk, least_characters))


def _found_spans(chunk: Chunk, least_characters: int) -> Iterator[_Span]:
    past = _PAST_ANSWER.search(chunk.text) if chunk.row_number is not None else None
    if past:
        length = len(past.group().rstrip())
        start = chunk.start + past.start()
        asked = chunk.text[: past.start()].strip()
        yield _Span(start, start + length, chunk.text, chunk.page_number, past_question=asked)
        return
    titles = titles_of(chunk)
    is_contents = not _CONTENTS.isdisjoint(titles)
    for start, end in sentence_spans(chunk.text):
        sentence = chunk.text[start:end]
        is_quotable = says_something(sentence, titles) and not (is_contents and _LISTED.match(sentence))
        if least_characters >= MIN_QUOTE_CHARACTERS and not is_quotable:
            continue
        # What is written small goes on from a line before it: of its chunk, of the page before, of a list.
        is_first = not chunk.text[:start].strip()
        is_rest = sentence[0].islower() and not NUMBER.match(sentence)
        is_rest = is_rest and (chunk.start > 0 if is_first else not CELLS.search(sentence))
        if not sentence.endswith(_STOPS) and not CELLS.search(sentence):
            start = _with_figure_above(chunk.text, start)
        for first, last, page_number in _on_one_page(chunk, chunk.start + start, chunk.start + end, least_characters):
            begin, stop = _between_edges(chunk.text, first - chunk.start, last - chunk.start)
            if begin < stop:
                yield _Span(
                    chunk.start + begin,
                    chunk.start + stop,
                    chunk.text[begin:stop],
                    page_number,
                    begins_midway=is_rest or begin > start,
                    ends_midway=stop < end or _goes_on_overleaf(chunk, stop),
                )


def _with_figure_above(text: str, start: int) -> int:
    """The start of the line above ``start`` where that line is a figure and nothing else, else ``start`` itself."""
    above = text[:start].rstrip()
    line = above.rpartition("\n")[2].strip()
    return above.rindex(line) if _LONE_FIGURE.fullmatch(line) else start


def _goes_on_overleaf(chunk: Chunk, stop: int) -> bool:
    """Tell if the text up to ``stop`` ends its page, and the next page begins within a sentence."""
    if not any(span.end == chunk.start + stop for span in chunk.page_spans):
        return False
    said, rest = chunk.text[:stop].rpartition("\n")[2], chunk.text[stop:].lstrip().partition("\n")[0]
    is_prose = not said.endswith(_STOPS) and not CELLS.search(said) and not CELLS.search(rest)
    return is_prose and rest[:1].islower() and not NUMBER.match(rest)


def _between_edges(text: str, begin: int, end: int) -> tuple[int, int]:
    found = _CELL_EDGE.match(text[begin:end])
    return (begin + found.start(1), begin + found.end(1)) if found else (begin, end)


def heads_a_table(passage: Passage) -> bool:
    """Tell if the passage is the row of titles above a table, or its caption; titles are repeated where the table goes
    on on another page. In a chunk that begins with the table it may be any row.
    """
    text, start, end = passage.chunk.text, passage.start - passage.chunk.start, passage.end - passage.chunk.start
    before, below = text[:start].rstrip().rpartition("\n")[2], _cells(text[end:])
    row = passage.quote.strip()
    cells = CELLS.split(row)
    if len(cells) == 1:
        return bool(below) and not row.endswith(_STOPS) and _are_titles(below[0], below[1:])
    is_first = bool(before) and len(CELLS.split(before)) == 1 and bool(below) and len(below[0]) == len(cells)
    return _are_titles(cells, below) and (is_first or text.splitlines().count(row) > 1)


def column_titles(passage: Passage) -> Sequence[str]:
    """The titles of the columns of the table's row that the passage is; none where the chunk does not have them, as a
    chunk that begins with a row may begin anywhere in the table.
    """
    cells = CELLS.split(passage.quote.strip())
    if len(cells) < LEAST_COLUMNS:
        return ()
    above = passage.chunk.text[: passage.start - passage.chunk.start].splitlines()
    lines = [CELLS.split(line.strip()) for line in reversed(above) if line.strip()]
    rows = list(takewhile(lambda row: len(row) == len(cells), lines))
    is_whole = 0 < len(rows) < len(lines)
    return rows[-1] if is_whole and _are_titles(rows[-1], [*reversed(rows[:-1]), cells]) else ()


def _cells(text: str) -> list[list[str]]:
    """The cells of the first rows of ``text``, as long as each row has as many as the first."""
    lines = (line.strip() for line in text.splitlines())
    rows = [CELLS.split(line) for line in takewhile(CELLS.search, filter(None, lines))]
    return list(takewhile(lambda row: len(row) == len(rows[0]), rows))


def _are_titles(cells: Sequence[str], below: Sequence[Sequence[str]]) -> bool:
    """Tell if cells are the titles of the rows ``below``: no two are the same, and they have figures in fewer columns
    than their rows; or, with three columns or more, all are short and have no figure.
    """
    plain = [_DAY.sub(" ", cell) for cell in cells]
    if len(set(cells)) != len(cells):
        return False
    if below and all(len(row) == len(cells) for row in below):
        columns = list(zip(plain, *below, strict=True))
        counted = sum(not _DIGIT.search(title) and all(map(_DIGIT.search, rows)) for title, *rows in columns)
        if counted and counted >= sum(bool(_DIGIT.search(title)) for title in plain):
            return True
    are_short = all(len(cell.split()) <= MAX_TITLE_WORDS and not _DIGIT.search(cell) for cell in plain)
    return are_short and len(cells) >= LEAST_COLUMNS


def joined_passages(passages: Sequence[Passage]) -> str:
    """The texts of the passages as one, parted by stops or semicolons, behind a list by a new line."""
    joined = ""
    for text in (passage.text for passage in passages):
        if "\n" in joined:
            joined += "\n"
        elif joined:
            joined += " " if joined.endswith(_STOPS) else "; "
        joined += text
    return joined


def _lines_told(lines: Sequence[str], titles: Sequence[str]) -> str:
    """The lines of a quote as one text: rows under the ``titles`` of their columns, or under those among the lines."""
    said = ""
    for at, line in enumerate(lines):
        cells, below = CELLS.split(line), _cells("\n".join(lines[at + 1 :]))
        if len(cells) > 1 and below and len(below[0]) == len(cells) and _are_titles(cells, below):
            titles = cells
        elif not (is_caption(line) and below):
            is_apart = BULLET.match(line) or NUMBER.match(line) or CELLS.search(line)
            said += ("\n" if is_apart else " ") * bool(said) + cells_told(line, titles)
    return said


def cells_told(line: str, titles: Sequence[str] = ()) -> str:
    """A table's row as a sentence, its cells under the ``titles`` of their columns; any other line as it is."""
    first, *others = CELLS.split(line)
    # Word's bullet of the second level is an "o" in a column of its own.
    if first == "o" and others:
        return f"• {'; '.join(others)}"
    if len(titles) == len(others) + 1:
        told = ((title, cell) for title, cell in zip(titles, [first, *others], strict=True) if cell != EMPTY_CELL)
        named = [
            cell if title == EMPTY_CELL or cell.startswith(f"{title}:") else f"{title}: {cell}" for title, cell in told
        ]
        return "; ".join([*named[:1], *(one.removesuffix(".") for one in named[1:])])
    said = first
    for cell, mark in zip(others, chain([":"], repeat(";")), strict=False):
        # A cell of whole sentences has its own stop.
        said += f" {cell}" if said.endswith(_STOPS) else f"{mark} {cell}"
    return said


def _plain(title: str) -> str:
    """A heading without its number: the section's path and the line may differ in it."""
    return _NUMBERING.sub("", " ".join(title.split())).casefold()


def titles_of(chunk: Chunk) -> frozenset[str]:
    """The headings above the chunk and in it, without their numbers; none where its sections are not known."""
    paths = (chunk.section_path, *(path for _, path in chunk.section_starts))
    return frozenset(_plain(title) for path in paths for title in path.split(" > ") if title)


def is_caption(line: str) -> bool:
    """Tell if a line is the caption of a table or a figure."""
    return bool(_CAPTION.match(line)) and "|" not in line


def says_something(sentence: str, titles: Collection[str]) -> bool:
    """Tell if a sentence may be quoted: long enough, no question, heading, caption or line of contents."""
    long_enough = len(sentence) >= MIN_QUOTE_CHARACTERS and len(_WORD.findall(sentence)) >= MIN_QUOTE_WORDS
    is_heading = _HEADING.match(sentence) and len(sentence.split()) <= MAX_HEADING_WORDS
    is_heading = is_heading or _plain(sentence) in titles
    return bool(long_enough) and not (
        sentence.endswith("?") or is_caption(sentence) or is_heading or _LEADERS.search(sentence)
    )


def _on_one_page(chunk: Chunk, start: int, end: int, least: int) -> Iterator[tuple[int, int, int | None]]:
    """The parts of ``[start, end)`` on each page, with its number: a quote must stand on the page that it names."""
    spans = [span for span in chunk.page_spans if span.start < end and start < span.end]
    if not spans:
        yield start, end, None
    for span in spans:
        begin, stop = max(start, span.start), min(end, span.end)
        if len(chunk.text[begin - chunk.start : stop - chunk.start].strip()) >= least:
            yield begin, stop, span.page_number
