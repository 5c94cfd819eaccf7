"""Sentence splitter. A line break always ends a sentence: conversion joins the lines of a paragraph."""

from __future__ import annotations

import re
from collections.abc import Iterator

_STOP = re.compile(r"[.!?][\"'”’)\]]*(?=\s+[\"'“‘(\[]?[A-Z0-9À-Þ•–-])|\n+")
_ABBREVIATION = re.compile(
    r"(?:\b(?:e\.g|i\.e|etc|vs|cf|approx|incl|no|nos|art|sec|fig|inc|ltd|co|corp|dr|mr|mrs|ms|prof|st|p|pp)"
    r"|\b[A-Z](?:\.[A-Z])*)\.$",
    re.IGNORECASE,
)
_NUMBERING = re.compile(r"^\s*(?:\d+(?:\.\d+)*|[a-z])\.$", re.IGNORECASE)


def sentence_spans(text: str) -> Iterator[tuple[int, int]]:
    """The ``(start, end)`` of each sentence, none of empty text. None ends at an abbreviation or a list number."""
    begin = 0
    for stop in _STOP.finditer(text):
        if not stop.group().startswith("\n"):
            so_far = text[begin : stop.start() + 1]
            # An initial or "no." may well end a sentence, but a sentence cut in two is the worse mistake.
            if _ABBREVIATION.search(so_far[-12:]) or _NUMBERING.match(so_far):
                continue
        yield from _trimmed(text, begin, stop.end())
        begin = stop.end()
    yield from _trimmed(text, begin, len(text))


def line_spans(text: str) -> Iterator[tuple[int, int]]:
    """Split text into lines: the ``(start, end)`` of each that is not blank, without surrounding white space."""
    end = 0
    for line in text.splitlines(keepends=True):
        start, end = end, end + len(line)
        yield from _trimmed(text, start, end)


def _trimmed(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    piece = text[start:end]
    stripped = piece.strip()
    if stripped:
        offset = start + piece.index(stripped)
        yield offset, offset + len(stripped)
