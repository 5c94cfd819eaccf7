"""The sentences that may be quoted from a hit: each verbatim, on one page, long enough to say something."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tasks.chunking.sentences import sentence_spans
from tasks.embedding.bm25 import terms
from tasks.records import Chunk, Citation, Hit

MIN_QUOTE_CHARACTERS = 20
MIN_QUOTE_WORDS = 4
_LEADERS = re.compile(r"(?:\s?\.){4,}")
"""The dots of a table of contents."""
_CAPTION = re.compile(r"(?:table|figure|fig\.|tabela|quadro|figura)\s+[\dIVX]+(?:\.\d+)*\s*[:.–—-]\s", re.IGNORECASE)
_BULLET = re.compile(r"^(?:[•▪◦‣●■*]|[–—-](?!\s*\d))\s+")
"""A dash before a figure may be its sign."""
_CELLS = re.compile(r"\s+\|\s+")
_NUMBERING = re.compile(r"^[\d.]+\s+")
_HEADING = re.compile(r"\d{1,2}(?:\.\d{1,2})+\.?\s+[A-ZÀ-Þ][a-zß-ÿ][^|]*[^|.!?:;]$")
"""``11.1 Use of AI tools``, and not ``30 days after …`` or ``99.9 per cent …``, which are facts without a stop."""
_LISTED = re.compile(r"\d+(?:\.\d+)*\.?\s[^|]*[^|.!?:;]$")
"""A line of the contents, where they have no dots."""
_CONTENTS = frozenset(("contents", "table of contents", "sumário", "índice"))
MAX_HEADING_WORDS = 9
_WORD = re.compile(r"[^\W\d_]{2,}")
_PAST_ANSWER = re.compile(r"(?<=\n)(?:(?:Answer|Comments): [^\n]*\n?)+")
_LABEL = re.compile(r"^(?:Answer|Comments): ", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Passage:
    """A quotable span of a chunk that a hit hands over. ``matched_text`` is what a question is compared with.

    For a past questionnaire that is the past question with its answer, of which only the answer is quoted. It
    ``begins_midway`` or ``ends_midway`` where the rest of the sentence is on another page or in another chunk.
    """

    hit: Hit
    chunk: Chunk
    start: int
    end: int
    matched_text: str
    page_number: int | None
    begins_midway: bool = False
    ends_midway: bool = False

    @property
    def quote(self) -> str:
        """The span's text, verbatim from the document."""
        return self.chunk.text[self.start - self.chunk.start : self.end - self.chunk.start]

    @property
    def text(self) -> str:
        """The quote as an answer reads: in one line, without a bullet or the column titles of a past questionnaire, a
        table's row as its first cell with what the others say of it, and dots where a sentence is not whole.
        """
        if not self.is_past_answer:
            first, *others = _CELLS.split(_BULLET.sub("", " ".join(self.quote.split())))
            said = f"{first}: {'; '.join(others)}" if others else first
            return f"{'… ' * self.begins_midway}{said}{' …' * self.ends_midway}"
        lines = [_LABEL.sub("", line).strip() for line in self.quote.splitlines()]
        return " ".join(line if line.endswith((".", "!", "?")) else f"{line}." for line in lines if line)

    @property
    def is_past_answer(self) -> bool:
        """Whether it answers a question that was asked before."""
        return self.matched_text != self.quote

    @property
    def past_question(self) -> str:
        """What was asked, of a past answer; "" for any other passage."""
        return self.matched_text[: self.start - self.chunk.start].strip() if self.is_past_answer else ""

    def citation(self) -> Citation:
        """The passage as evidence."""
        chunk = self.chunk
        return Citation(
            document_id=chunk.document_id,
            file_name=chunk.file_name,
            content_sha256=chunk.content_sha256,
            page_number=self.page_number,
            quote=self.quote,
            start=self.start,
            end=self.end,
            section_path=chunk.section_at(self.start),
            sheet_name=chunk.sheet_name,
            row_number=chunk.row_number,
        )


def passages_of(hit: Hit) -> Iterator[Passage]:
    """The passages of what a hit hands over, in reading order; without a whole sentence there are none.

    Chunks may overlap: what lies within another passage is left out.
    """
    found: dict[tuple[int, int], Passage] = {}
    for passage in (passage for chunk in hit.chunks for passage in _passages_of_chunk(hit, chunk)):
        found.setdefault((passage.start, passage.end), passage)
    for span, passage in found.items():
        if not any(start <= span[0] and span[1] <= end for start, end in found if (start, end) != span):
            yield passage


def sentences_of_hit(hit: Hit) -> Iterator[Passage]:
    """Every sentence and line of what a hit hands over, in reading order, those that say too little to be quoted by
    themselves among them, and no questions; of what two chunks share, each once.
    """
    seen: set[tuple[int, int]] = set()
    for chunk in hit.chunks:
        for passage in _passages_of_chunk(hit, chunk, least_characters=1):
            asks_or_lists = passage.quote.rstrip().endswith("?") or _LEADERS.search(passage.quote)
            if (passage.start, passage.end) not in seen and not asks_or_lists:
                seen.add((passage.start, passage.end))
                yield passage


def best_quote(text: str, hit: Hit) -> Citation | None:
    """The sentence of the hit that shares most words with ``text``; None where the hit hands over none."""
    said = set(terms(text))
    best = max(sentences_of_hit(hit), key=lambda passage: len(said & set(terms(passage.quote))), default=None)
    return best.citation() if best else None


def _passages_of_chunk(hit: Hit, chunk: Chunk, least_characters: int = MIN_QUOTE_CHARACTERS) -> Iterator[Passage]:
    past = _PAST_ANSWER.search(chunk.text) if chunk.row_number is not None else None
    if past:
        length = len(past.group().rstrip())
        start = chunk.start + past.start()
        yield Passage(hit, chunk, start, start + length, chunk.text, chunk.page_number)
        return
    titles = {_plain(title) for title in (chunk.section_path or "").split(" > ")}
    is_contents = not _CONTENTS.isdisjoint(titles)
    for start, end in sentence_spans(chunk.text):
        sentence = chunk.text[start:end]
        is_title = _plain(sentence) in titles or (is_contents and _LISTED.match(sentence))
        is_quotable = _says_something(sentence) and not is_title
        if least_characters >= MIN_QUOTE_CHARACTERS and not is_quotable:
            continue
        is_rest = chunk.start > 0 and not chunk.text[:start].strip() and sentence[0].islower()
        for begin, stop, page_number in _on_one_page(chunk, chunk.start + start, chunk.start + end, least_characters):
            offset = chunk.start
            yield Passage(
                hit,
                chunk,
                begin,
                stop,
                chunk.text[begin - offset : stop - offset],
                page_number,
                begins_midway=is_rest or begin > offset + start,
                ends_midway=stop < offset + end,
            )


def joined_passages(passages: Sequence[Passage]) -> str:
    """The texts of the passages as one: what ends without a stop is parted from what follows by a semicolon."""
    texts = [passage.text for passage in passages]
    ended = [text if text.endswith((".", "!", "?", "…", ":", ";")) else f"{text};" for text in texts[:-1]]
    return " ".join([*ended, *texts[-1:]])


def _plain(title: str) -> str:
    """A heading without its number: the section's path and the line may differ in it."""
    return _NUMBERING.sub("", " ".join(title.split())).casefold()


def _says_something(sentence: str) -> bool:
    """Whether it may be quoted: no question, no heading, no caption, no line of a table of contents."""
    long_enough = len(sentence) >= MIN_QUOTE_CHARACTERS and len(_WORD.findall(sentence)) >= MIN_QUOTE_WORDS
    is_caption = _CAPTION.match(sentence) and "|" not in sentence
    is_heading = _HEADING.match(sentence) and len(sentence.split()) <= MAX_HEADING_WORDS
    return long_enough and not (sentence.endswith("?") or is_caption or is_heading or _LEADERS.search(sentence))


def _on_one_page(chunk: Chunk, start: int, end: int, least: int) -> Iterator[tuple[int, int, int | None]]:
    """The parts of ``[start, end)`` on each page; a quote must stand on the page that it names."""
    spans = [span for span in chunk.page_spans if span.start < end and start < span.end]
    if not spans:
        yield start, end, None
    for span in spans:
        begin, stop = max(start, span.start), min(end, span.end)
        if len(chunk.text[begin - chunk.start : stop - chunk.start].strip()) >= least:
            yield begin, stop, span.page_number
