"""Compound questions: a cell that asks several questions; each is asked by itself, and their answers are joined.

The text around them goes along with each, unless it is so long that a question would be lost in it. A question that
leans on those before it is joined with them by :mod:`tasks.chat.query_rewriting`. Choices are no questions: "Which of
these do you offer: a) phone support b) mail?" asks once.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from tasks.questions.foreign_questions import spoken_in
from tasks.questions.wording import asks_by_itself, words_of
from tasks.text.english import AUXILIARIES

MAX_PARTS = 26
MAX_WORDS = 90
"""The most words of a cell that are read with a passage; the questions of a longer cell are asked without the rest."""
LEAST_WORDS = 2
LEAST_BULLETS = 2
MARK_CHARACTERS = 6
"""Characters reserved for a mark before an answer, and the line end behind it."""
_MARK = re.compile(
    r"(?:^|(?<=[\s;,.?:]))(?:\(?(?:(?P<letter>[a-z])|(?P<roman>i{1,3}|iv|vi{0,3}|ix|x)|(?P<number>\d{1,2}))[).]"
    r"|\(?(?P<capital>[A-Z])\))\s+"
)
_BULLET = re.compile(r"(?:^|(?<=\n))[ \t]*[-–—•·▪●*‣◦][ \t]+")
_ROMAN = ("i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x")
_SENTENCE_END = re.compile(r"(?<=[?.!])[\"'”’)]*\s+(?=[\"'“‘«(]?[A-ZÀ-Þ0-9¿])|\n+")
_ASKS_YES_NO = re.compile(rf"\W*(?:{AUXILIARIES})\b", re.IGNORECASE)
_LOOSE_ENDS = re.compile(r"(?:[\s,;]|\s(?:and|or))+$", re.IGNORECASE)
_IF_NOT = re.compile(r"\W*(?:if\s+(?:no|not)|(?:wenn|falls)\s+(?:nein|nicht)|si\s+non?|se\s+não)\b", re.IGNORECASE)
_LISTS = re.compile(
    r"^\W*(?:please\b|kindly\b|describe\b|explain\b|provide\b|list\b|state\b|specify\b|detail\b|outline\b|confirm\b"
    r"|indicate\b|identify\b|give\b|attach\b|summari[sz]e\b|(?:do|can|could|will|would|have|did)\s+you\b"
    r"|(?:does|do|has|have|can|will)\s+(?:the|your)\b)",
    re.IGNORECASE,
)
"""The beginning of a text whose list asks for each of its items, and does not offer them as choices."""
_CHOOSES = re.compile(r"\b(?:which|one\s+of|any\s+of|either|select|choose|pick|tick|check)\b", re.IGNORECASE)
_FOLLOWING = re.compile(
    r"(?:\s+(?:on|of|for|about))?\s+(?:the\s+following(?:\s+\w+)?|as\s+follows|below)\s*$", re.IGNORECASE
)


class Part(NamedTuple):
    """A question of a cell: its mark, the customer's or a letter, and its text."""

    mark: str
    text: str


def parts_of(text: str) -> tuple[Part, ...]:
    """The questions of a cell in order; none where it asks one thing, or nothing that is recognised."""
    parts = _marked(text) or _bulleted(text) or _sentences(text)
    return parts if 1 < len(parts) <= MAX_PARTS else ()


def asked_alone_of(text: str) -> str:
    """The one question of a cell that is longer than MAX_WORDS, without the text around it; any other as it is."""
    if len(words_of(text)) <= MAX_WORDS:
        return text
    asking = [one for one in _SENTENCE_END.split(text) if _asks(one)]
    return asking[0].strip() if len(asking) == 1 else text


def _marked(text: str) -> tuple[Part, ...]:
    """The parts by their marks, which count from a, i or 1; none where a mark is missing or a part asks nothing."""
    for kind in ("letter", "capital", "roman", "number"):
        found = list(_counted(text, kind))
        if len(found) < 2:
            continue
        lead = text[: found[0].start()].strip()
        ends = [*(one.start() for one in found[1:]), len(text)]
        said = [_LOOSE_ENDS.sub("", text[one.end() : end]).strip() for one, end in zip(found, ends, strict=True)]
        if parts := _each_with_lead(lead, said, [one.group().strip() for one in found], text):
            return parts
    return ()


def _bulleted(text: str) -> tuple[Part, ...]:
    """The parts of a list with bullets, with letters for marks; none where a part asks nothing."""
    lead, *said = (part.strip() for part in _BULLET.split(text))
    if len(said) < LEAST_BULLETS:
        return ()
    said = [_LOOSE_ENDS.sub("", one) for one in said]
    return _each_with_lead(lead, said, [_letter(at) for at in range(len(said))], text)


def _each_with_lead(lead: str, said: Sequence[str], marks: Sequence[str], text: str) -> tuple[Part, ...]:
    """The parts, each with the text before them all; none where one of them asks nothing."""
    # "Do you have a) a firewall, b) a proxy?" goes on in each part; "Backups: a) …" stands above them all.
    opened = lead.rstrip(": ")
    *before, last = _SENTENCE_END.split(opened)
    if any(map(asks_by_itself, before)):
        return ()  # the list says what the answer to that has to have
    begun = bool(lead) and asks_by_itself(lead) and lead[-1] not in ".?!:"
    if lead.endswith(":") and _LISTS.match(last) and not _CHOOSES.search(last):
        begun, lead = True, _FOLLOWING.sub("", opened)
    is_foreign = spoken_in(text) is not None

    def is_asked(one: str) -> bool:
        is_long_enough = len(words_of(one)) >= LEAST_WORDS
        return asks_by_itself(one) or (is_foreign and one.endswith("?")) or (is_long_enough and (begun or not lead))

    if not all(map(is_asked, said)):
        return ()
    begun = begun and not all(map(asks_by_itself, said))
    end = "?" if "?" in text or _ASKS_YES_NO.match(lead) else "."
    asked = [f"{lead} {one.rstrip('?.; ')}{end}" if begun else one for one in said]
    above = f"{lead} " if lead and not begun and len(words_of(lead)) <= MAX_WORDS else ""
    return tuple(Part(mark, f"{above}{one}") for mark, one in zip(marks, asked, strict=True))


def _letter(at: int) -> str:
    return f"{chr(ord('a') + at % MAX_PARTS)})"


def _counted(text: str, kind: str) -> Iterator[re.Match[str]]:
    """The consecutive marks of one kind, from the first on."""
    wanted = 0
    for found in _MARK.finditer(text):
        name = found["letter"] or found["capital"] or found["roman"] or found["number"]
        names = {
            "letter": chr(ord("a") + wanted),
            "capital": chr(ord("A") + wanted),
            "roman": _ROMAN[min(wanted, 9)],
            "number": str(wanted + 1),
        }
        if name == names[kind]:
            wanted += 1
            yield found


def _sentences(text: str) -> tuple[Part, ...]:
    """The sentences that ask, each with those before it that do not, and the last with those behind it, too."""
    is_long = len(words_of(text)) > MAX_WORDS
    is_foreign = spoken_in(text) is not None
    parts: list[str] = []
    before: list[str] = []
    for sentence in map(str.strip, filter(str.strip, _SENTENCE_END.split(text))):
        before.append(sentence)
        if _asks(sentence, is_foreign=is_foreign):
            parts.append(sentence if is_long else " ".join(before))
            before = []
    if parts and not is_long:
        parts[-1] = " ".join([parts[-1], *before])
    return tuple(Part(_letter(at), part) for at, part in enumerate(parts))


def _asks(sentence: str, *, is_foreign: bool = False) -> bool:
    is_for_a_no = _IF_NOT.match(sentence) is not None
    is_asked = sentence.rstrip(" \"'”’»)").endswith("?")
    return is_asked and (is_foreign or asks_by_itself(sentence)) and not is_for_a_no
