"""Context of a quote: the sentence that it refers to, the list that it announces, and the announcement of its list.

"They are rotated every 90 days" says nothing to a reader who does not see the sentence before it, "The exceptions
include:" nothing without what follows, and "• Backups" the opposite of what is meant without "Not covered are:" before
it. Only the sentence itself is compared with a question.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain, dropwhile, pairwise, takewhile
from typing import NamedTuple

from tasks.answering.quotes.passages import Passage, is_caption, says_something, titles_of
from tasks.records import Chunk
from tasks.text.dependent_sentences import BULLET, CELLS, LABEL, NUMBER, leans
from tasks.text.sentences import line_spans, sentence_spans

MAX_LIST_CHARACTERS = 800
"""The length to which a list is quoted, to the end of a line: the rest of a longer one is read on its page."""
_MAX_BEFORE = 2
_FOLLOWING = re.compile(
    r"\b(?:following|as follows|below|any(?: one)? of these|seguintes?|abaixo)\b[^.!?]*[.!?]$", re.IGNORECASE
)
"""Words by which a sentence announces a list without a colon at its end."""


class _Line(NamedTuple):
    start: int
    end: int
    text: str


def in_full(passage: Passage) -> Passage:
    """The passage with its context: the rest of its sentence, the sentences that it refers to, the list that it
    announces and the announcement of its own, as far as they are on its page, in its chunk or those around it. One that
    refers to something else begins midway.
    """
    if passage.is_past_answer:
        return passage
    return _with_list(_with_what_it_leans_on(_with_its_announcement(_from_its_beginning(_in_window(passage)))))


def is_announced(passage: Passage) -> bool:
    """Tell if a passage is an item of an announced list, so that by itself it may say the opposite of what is meant."""
    return not passage.is_past_answer and _announcement(_in_window(passage)) is not None


def announces_nothing(passage: Passage) -> bool:
    """Tell if a passage ends by announcing a list that cannot be quoted with it."""
    if not _announces(passage.quote):
        return False
    placed = _in_window(passage)
    return _with_list(placed) is placed


def _in_window(passage: Passage) -> Passage:
    """The passage in its chunk joined with the adjacent chunks around it."""
    chunk = passage.chunk
    for other in passage.hit.around:
        chunk = _as_one(chunk, other)
    return replace(passage, chunk=chunk)


def _as_one(chunk: Chunk, other: Chunk) -> Chunk:
    """The two chunks of a document as one; the first alone where there is a gap between them."""
    first, last = sorted((chunk, other), key=lambda one: one.start)
    if first.document_id != last.document_id or last.start > first.end:
        return chunk
    spans = {span.page_number: span for span in first.page_spans}
    for span in last.page_spans:
        begun = spans.get(span.page_number, span)
        spans[span.page_number] = begun._replace(end=max(begun.end, span.end))
    # What section the second begins in the first knows only where the two overlap.
    begins = [(last.start, last.section_path)] if last.section_path != first.section_at(last.start) else []
    return replace(
        first,
        end=max(first.end, last.end),
        text=first.text + last.text[first.end - last.start :],
        page_spans=tuple(spans.values()),
        section_starts=tuple(sorted({*first.section_starts, *begins, *last.section_starts})),
    )


def _from_its_beginning(passage: Passage) -> Passage:
    if not passage.begins_midway:
        return passage
    chunk, at = passage.chunk, passage.start - passage.chunk.start
    begins = next((begin for begin, end in sentence_spans(chunk.text) if begin < at < end), at)
    start = max(chunk.start + begins, _page(passage)[0])
    return replace(passage, start=start, begins_midway=begins == at or start > chunk.start + begins)


def _with_its_announcement(passage: Passage) -> Passage:
    announcement = None if passage.begins_midway else _announcement(passage)
    if announcement is None:
        return passage
    is_near = announcement >= _page(passage)[0] and passage.start - announcement <= MAX_LIST_CHARACTERS
    return replace(passage, start=announcement) if is_near else replace(passage, begins_midway=True)


def _announcement(passage: Passage) -> int | None:
    """The start of the sentence that announces the list of which the passage is an item; None where there is none."""
    chunk = passage.chunk
    lines = chunk.text[: passage.start - chunk.start].split("\n")
    if lines.pop().strip() or not (mark := _mark(passage.quote)):
        return None
    before = list(dropwhile(lambda line: not line.strip() or bool(mark.match(line.strip())), reversed(lines)))
    above = "\n".join(reversed(before))
    begin, end = max(sentence_spans(above), default=(0, 0))
    said = above[begin:end]
    return chunk.start + begin if _announces(said) else None


def _announces(sentence: str) -> bool:
    return sentence.rstrip().endswith(":") or bool(_FOLLOWING.search(sentence))


def _mark(item: str) -> re.Pattern[str] | None:
    return next((mark for mark in (BULLET, NUMBER) if mark.match(item)), None)


def _with_what_it_leans_on(passage: Passage) -> Passage:
    if not leans(passage.quote) or passage.begins_midway:
        return passage
    chunk, start = passage.chunk, passage.start
    titles = titles_of(chunk)
    spans = [(chunk.start + begin, chunk.start + end) for begin, end in sentence_spans(chunk.text)]
    before = [span for span in spans if span[1] <= start]
    for begin, end in reversed(before[-_MAX_BEFORE:]):
        sentence = chunk.text[begin - chunk.start : end - chunk.start]
        is_there = begin >= _page(passage)[0] and says_something(sentence, titles)
        # A chunk may begin within a sentence.
        if not is_there or (begin == chunk.start and sentence[0].islower() and chunk.start > 0):
            break
        start = begin
        if not leans(sentence):
            return replace(passage, start=start)
    # Nothing in its chunk names it: the reader has to know that something stands before.
    return replace(passage, start=start, begins_midway=True)


def _with_list(passage: Passage) -> Passage:
    if not _announces(passage.quote) or passage.ends_midway:
        return passage
    items = list(_items(list(_lines_after(passage)), is_sure=passage.quote.rstrip().endswith(":")))
    end = passage.end
    for line in items:
        if line.end - passage.end > MAX_LIST_CHARACTERS:
            break
        end = line.end
    if end == passage.end:
        return passage
    is_all = end == items[-1].end and items[-1].end < passage.chunk.end
    return replace(passage, end=end, ends_midway=not is_all)


def _lines_after(passage: Passage) -> Iterator[_Line]:
    """The lines after the passage that are not blank, to the end of its chunk, page and section."""
    chunk = passage.chunk
    sections = (start for start, _ in chunk.section_starts if start >= passage.end)
    past = min([_page(passage)[1], chunk.end, *sections])
    text = chunk.text[passage.end - chunk.start : past - chunk.start]
    for start, end in line_spans(text):
        yield _Line(passage.end + start, passage.end + end, text[start:end])


def _items(lines: list[_Line], *, is_sure: bool) -> Iterator[_Line]:
    """The lines of the list among those that follow its announcement: as long as they have the form of the first. Where
    it ``is_sure`` that a list follows, as behind a colon, a first line of prose is one.
    """
    if not lines:
        return iter(())
    first = lines[0].text
    if is_caption(first):
        return chain(lines[:1], _items(lines[1:], is_sure=is_sure))
    if not BULLET.match(first) and NUMBER.match(first):
        return _numbered(lines)
    is_alike = next((one for one in (BULLET.match, CELLS.search, LABEL.match) if one(first)), None)
    if is_alike is None:
        return iter(lines[:1] if is_sure else ())
    return takewhile(lambda line: bool(is_alike(line.text)), lines)


def _numbered(lines: list[_Line]) -> Iterator[_Line]:
    """The lines to the last with a consecutive number, with what stands between them."""
    marks = [(at, found[1]) for at, line in enumerate(lines) if (found := NUMBER.match(line.text))]
    follow = takewhile(lambda pair: _follows(pair[0][1], pair[1][1]), pairwise(marks))
    last = max((at for _, (at, _) in follow), default=0)
    return iter(lines[: last + 1])


def _follows(mark: str, following: str) -> bool:
    if mark.isdecimal() and following.isdecimal():
        return int(following) == int(mark) + 1
    return len(mark) == len(following) == 1 and ord(following) == ord(mark) + 1


def _page(passage: Passage) -> tuple[int, int]:
    """The start and end of the page that the passage begins on, as far as it is in its chunk."""
    chunk = passage.chunk
    pages = ((span.start, span.end) for span in chunk.page_spans if span.start <= passage.start < span.end)
    return next(pages, (chunk.start, chunk.end))
