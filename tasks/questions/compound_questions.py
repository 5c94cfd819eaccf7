"""Compound questions: a cell that asks several questions; each is asked by itself, and their answers are joined.

The text around them goes along with each, unless it is so long that a question would be lost in it. English only: in
another language a cell stays one question, unless it has marks. A question that leans on those before it is joined with
them by :mod:`tasks.chat.query_rewriting`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from tasks.questions.wording import asks_by_itself, words_of

MAX_PARTS = 26
MAX_WORDS = 90
"""The most words of a cell that are read with a passage; the questions of a longer cell are asked without the rest."""
LEAST_WORDS = 2
MARK_CHARACTERS = 6
"""Characters reserved for a mark before an answer, and the line end behind it."""
_MARK = re.compile(
    r"(?:^|(?<=[\s;,.?:]))\(?(?:(?P<letter>[a-z])|(?P<roman>i{1,3}|iv|vi{0,3}|ix|x)|(?P<number>\d{1,2}))[).]\s+"
)
_ROMAN = ("i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x")
_SENTENCE_END = re.compile(r"(?<=[?.!])[\"'”’)]*\s+(?=[\"'“‘(]?[A-Z0-9])|\n+")
_LOOSE_ENDS = re.compile(r"(?:[\s,;]|\s(?:and|or))+$", re.IGNORECASE)
_IF_NOT = re.compile(r"\W*if\s+(?:no|not)\b", re.IGNORECASE)


class Part(NamedTuple):
    """A question of a cell: its mark, the customer's or a letter, and its text."""

    mark: str
    text: str


def parts_of(text: str) -> tuple[Part, ...]:
    """The questions of a cell in order; none where it asks one thing, or nothing that is recognised."""
    parts = _marked(text) or _sentences(text)
    return parts if 1 < len(parts) <= MAX_PARTS else ()


def asked_alone_of(text: str) -> str:
    """The one question of a cell that is longer than MAX_WORDS, without the text around it; any other as it is."""
    if len(words_of(text)) <= MAX_WORDS:
        return text
    asking = [one for one in _SENTENCE_END.split(text) if _asks(one)]
    return asking[0].strip() if len(asking) == 1 else text


def _marked(text: str) -> tuple[Part, ...]:
    """The parts by their marks, which count from a, i or 1; none where a mark is missing or a part asks nothing."""
    for kind in ("letter", "roman", "number"):
        found = list(_counted(text, kind))
        if len(found) < 2:
            continue
        lead = text[: found[0].start()].strip()
        ends = [*(one.start() for one in found[1:]), len(text)]
        said = [_LOOSE_ENDS.sub("", text[one.end() : end]).strip() for one, end in zip(found, ends, strict=True)]
        # "Do you have a) a firewall, b) a proxy?" goes on in each part; "Backups: a) …" stands above them all.
        begun = bool(lead) and asks_by_itself(lead) and lead[-1] not in ".?!:"
        if all(asks_by_itself(one) or (begun and len(words_of(one)) >= LEAST_WORDS) for one in said):
            marks = [one.group().strip() for one in found]
            end = "?" if "?" in text else "."
            asked = [f"{lead} {one.rstrip('?. ')}{end}" if begun else one for one in said]
            above = f"{lead} " if lead and not begun and len(words_of(lead)) <= MAX_WORDS else ""
            return tuple(Part(mark, f"{above}{one}") for mark, one in zip(marks, asked, strict=True))
    return ()


def _counted(text: str, kind: str) -> Iterator[re.Match[str]]:
    """The consecutive marks of one kind, from the first on."""
    wanted = 0
    for found in _MARK.finditer(text):
        name = found["letter"] or found["roman"] or found["number"]
        names = {"letter": chr(ord("a") + wanted), "roman": _ROMAN[min(wanted, 9)], "number": str(wanted + 1)}
        if name == names[kind]:
            wanted += 1
            yield found


def _sentences(text: str) -> tuple[Part, ...]:
    """The sentences that ask, each with those before it that do not, and the last with those behind it, too."""
    is_long = len(words_of(text)) > MAX_WORDS
    parts: list[str] = []
    before: list[str] = []
    for sentence in map(str.strip, filter(str.strip, _SENTENCE_END.split(text))):
        before.append(sentence)
        if _asks(sentence):
            parts.append(sentence if is_long else " ".join(before))
            before = []
    if parts and not is_long:
        parts[-1] = " ".join([parts[-1], *before])
    return tuple(Part(f"{chr(ord('a') + at % MAX_PARTS)})", part) for at, part in enumerate(parts))


def _asks(sentence: str) -> bool:
    is_for_a_no = _IF_NOT.match(sentence) is not None
    return sentence.rstrip(" \"'”’)").endswith("?") and asks_by_itself(sentence) and not is_for_a_no
