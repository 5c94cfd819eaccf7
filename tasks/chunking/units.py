"""Chunk boundaries: cut a text into ranges ``[begin, end)`` of its tokens, by tokens, sentences or separators.

Sentences serve the small-to-big searches (sentence window, parent and child); separators are the recursive splitting
that is common where chunks are measured in characters.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

from configs.plans import Chunking
from tasks.text.sentences import sentence_spans

Span = tuple[int, int]
Cuts = Sequence[int]
"""Indices of the tokens before which a text may be cut, ascending."""
MAX_TOKEN_CHARACTERS = 100
"""Length limit of a token. A longer token is no word but, say, a number in hexadecimal: without the limit, a chunk of
few tokens could have millions of characters.
"""


def short_tokens(tokens: Sequence[Span], max_characters: int | None) -> Sequence[Span]:
    """Split the tokens that are longer than ``max_characters`` or MAX_TOKEN_CHARACTERS into several."""
    most = MAX_TOKEN_CHARACTERS if max_characters is None else min(max_characters, MAX_TOKEN_CHARACTERS)
    if all(end - start <= most for start, end in tokens):
        return tokens
    return [(at, min(at + most, end)) for start, end in tokens for at in range(start, end, most)]


def parent_ranges(text: str, tokens: Sequence[Span], parent_tokens: int) -> Iterator[Span]:
    """Cut the tokens into consecutive ranges of at most ``parent_tokens`` that end with a sentence if one fits."""
    levels = [_sentence_cuts(text, tokens), _word_cuts(tokens), range(len(tokens))]
    yield from _recursive(0, len(tokens), levels, lambda begin, end: end - begin <= parent_tokens)


def unit_ranges(text: str, tokens: Sequence[Span], plan: Chunking, rows: Sequence[Span] = ()) -> Iterator[Span]:
    """Cut the tokens into the ranges of the plan's chunks, which cover all of ``tokens``; no tokens give none.

    ``rows`` are the characters of the text's table rows, in order: no chunk that overlaps another begins within one.
    """
    if not tokens:
        return
    if plan.unit == "tokens":
        yield from _windows(text, tokens, plan, _row_ranges(tokens, rows))
        return
    sentences, words, all_tokens = _sentence_cuts(text, tokens), _word_cuts(tokens), range(len(tokens))

    def fits(begin: int, end: int) -> bool:
        characters = tokens[end - 1][1] - tokens[begin][0]
        return end - begin <= plan.max_tokens and characters <= (plan.max_characters or characters)

    if plan.unit == "sentences":
        for begin, end in pairwise(_bounds(0, len(tokens), sentences)):
            yield from _recursive(begin, end, [words, all_tokens], fits)
        return
    paragraphs, lines = _line_cuts(text, tokens, 2), _line_cuts(text, tokens, 1)
    yield from _recursive(0, len(tokens), [paragraphs, lines, sentences, words, all_tokens], fits)


def _recursive(begin: int, end: int, levels: Sequence[Cuts], fits: Callable[[int, int], bool]) -> Iterator[Span]:
    """Join neighbours between the cuts of the first level while they fit; cut what alone is too long by the next.

    ``levels`` go from coarse to fine; in the last, each token alone must fit.
    """
    if begin == end or fits(begin, end):
        yield from [(begin, end)] if begin < end else []
        return
    held = begin
    for at, after in pairwise(_bounds(begin, end, levels[0])):
        if fits(held, after):
            continue
        if held < at:
            yield held, at
        held = at
        if not fits(at, after):
            yield from _recursive(at, after, levels[1:], fits)
            held = after
    if held < end:
        yield held, end


def _bounds(begin: int, end: int, cuts: Cuts) -> list[int]:
    return [begin, *cuts[bisect_right(cuts, begin) : bisect_left(cuts, end)], end]


def _sentence_cuts(text: str, tokens: Sequence[Span]) -> list[int]:
    if not tokens:
        return []
    origin, limit = tokens[0][0], tokens[-1][1]
    starts = [start for start, _ in tokens]
    return sorted({bisect_left(starts, origin + end) for _, end in sentence_spans(text[origin:limit])})


def _line_cuts(text: str, tokens: Sequence[Span], breaks: int) -> list[int]:
    """Indices of the tokens that follow at least ``breaks`` line breaks."""
    between = ((at, text[one[1] : other[0]]) for at, (one, other) in enumerate(pairwise(tokens), start=1))
    return [at for at, gap in between if gap.count("\n") >= breaks]


def _word_cuts(tokens: Sequence[Span]) -> list[int]:
    return [at for at, (one, other) in enumerate(pairwise(tokens), start=1) if one[1] < other[0]]


def _row_ranges(tokens: Sequence[Span], rows: Sequence[Span]) -> list[Span]:
    """The range of tokens of each row that begins within ``tokens``, which are not empty."""
    starts = [start for start, _ in tokens]
    within = rows[bisect_left(rows, (starts[0],)) : bisect_left(rows, (tokens[-1][1],))]
    return [(bisect_left(starts, start), bisect_left(starts, end)) for start, end in within]


def _windows(text: str, tokens: Sequence[Span], plan: Chunking, rows: Sequence[Span]) -> Iterator[Span]:
    """Cut ``tokens``, not empty, into ranges that cover them and overlap.

    Each is longer than the overlap, and none longer than the maximum. One begins within a row only where that row is
    longer than a chunk. Ranges that begin in a table, of a plan with ``table_tokens``, are at most so long, end with a
    row and do not overlap: each stands under the table's head.
    """
    cuts = _sentence_cuts(text, tokens)
    begin = end = 0
    while True:
        in_table = plan.table_tokens is not None and _row_at(rows, begin) is not None
        most = min(plan.max_tokens, plan.table_tokens or plan.max_tokens) if in_table else plan.max_tokens
        furthest = begin + most
        if furthest >= len(tokens):
            yield begin, len(tokens)
            return
        sentence_cut = cuts[bisect_right(cuts, furthest) - 1] if cuts and cuts[0] <= furthest else 0
        # Also beyond the end of the previous window: else a long word in the overlap would give the same end twice.
        least = begin if in_table else max(begin + most // 2, end)
        end = sentence_cut if sentence_cut > least else _word_start(tokens, furthest, least)
        yield begin, end
        shared = 0 if in_table else plan.overlap_tokens
        begin = _row_start(rows, max(_word_start(tokens, end - shared, begin), begin + 1), begin, end)


def _row_start(rows: Sequence[Span], index: int, above: int, limit: int) -> int:
    """The first token of the row that holds ``index``; where that is not above ``above``, its end, if up to ``limit``.

    ``index`` itself where it is in no row, and where the row is too long for either.
    """
    first, last = _row_at(rows, index) or (index, index)
    return first if first > above else last if last <= limit else index


def _row_at(rows: Sequence[Span], index: int) -> Span | None:
    """The row that holds ``index``; None outside a table."""
    at = bisect_right(rows, index, key=lambda row: row[0]) - 1
    return rows[at] if at >= 0 and index < rows[at][1] else None


def _word_start(tokens: Sequence[Span], index: int, lowest: int) -> int:
    """The nearest token at or before ``index``, above ``lowest``, that begins a word; else ``index`` itself."""
    for candidate in range(index, lowest, -1):
        if tokens[candidate - 1][1] < tokens[candidate][0]:
            return candidate
    return index
