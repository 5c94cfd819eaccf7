"""Splitting of a written answer into sentences, each with the passages that it cites and the claims that it makes.

A claim is what stands between commas, semicolons, colons and coordinating conjunctions ("and", "but", "while" …). A
part with fewer than three words and neither a figure nor a name, or that is a figure alone, belongs to the claim before
it; the first belongs to the one after it.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from tasks.questions.past_rows import VERDICT_PATTERN, VERDICT_WORDS
from tasks.records import Verdict
from tasks.text.names.figures_and_names import figures_of, names_of, words_of_claim
from tasks.text.sentences import sentence_spans

LEAST_WORDS = 3
_NUMBERS = r"(?:passages?|sources?|p)?\.?\s*\d{1,3}(?:\s*(?:,|;|-|–|and|&)\s*(?:passages?|sources?)?\s*\d{1,3})*"
_INLINE = re.compile(rf"\s*(?:\[\s*{_NUMBERS}\s*\]|【\s*{_NUMBERS}\s*】)", re.IGNORECASE)
_AFTER_A_STOP = re.compile(rf"([.!?][\"'”’)]*)((?:{_INLINE.pattern})+)", re.IGNORECASE)
_SPAN = re.compile(r"(\d{1,3})\s*[-–]\s*(\d{1,3})")
_CONJUNCTION = "(?:and|but|while|whereas|as well as|plus|or|though|although)"
_SPLIT = re.compile(
    r"\s*[;:]\s+|[.!?]\s+|\s*,(?!\d)\s*|\s+[–—]\s+|\s+\|\s+|\s*[()]\s*"
    rf"|\s+{_CONJUNCTION}\s+(?!\d)|(?<!\d)\s+{_CONJUNCTION}\s+",
    re.IGNORECASE,
)
_VERDICT = re.compile(rf"^(?P<said>{VERDICT_PATTERN})\s*(?:[.,;:!–—-]+\s*|$)", re.IGNORECASE)


class Claim(NamedTuple):
    """A part of a sentence that claims one thing, and ``head``, the part before it that a short one is about."""

    text: str
    head: str = ""


class Sentence(NamedTuple):
    """A sentence of an answer without its inline citations, whose numbers are ``cited``, and the space before it."""

    before: str
    text: str
    cited: tuple[int, ...]

    @property
    def is_verdict(self) -> bool:
        """True where it says yes, no or the like and nothing else."""
        return not _VERDICT.sub("", self.text).strip(" .")

    @property
    def claims(self) -> tuple[Claim, ...]:
        """The claims of the sentence, in order; a bare yes or no has none."""
        text = _VERDICT.sub("", self.text)
        spans: list[tuple[int, int]] = []
        cuts = [(cut.start(), cut.end()) for cut in _SPLIT.finditer(text)]
        for start, end in zip([0, *(end for _, end in cuts)], [*(start for start, _ in cuts), len(text)], strict=True):
            if spans and not (_stands_alone(text[start:end]) and _stands_alone(text[slice(*spans[-1])])):
                spans[-1] = (spans[-1][0], end)
            elif text[start:end].strip(" .!?"):
                spans.append((start, end))
        parts = [text[start:end].strip() for start, end in spans]
        return tuple(Claim(part, parts[0] if number else "") for number, part in enumerate(parts))


def sentences_of(answer: str) -> list[Sentence]:
    """The sentences of ``answer`` in order; an empty one has none."""
    moved = _AFTER_A_STOP.sub(lambda found: f"{found[2]}{found[1]}", answer)
    found: list[Sentence] = []
    at = 0
    for start, end in sentence_spans(moved):
        written = moved[start:end]
        cited = [number for mark in _INLINE.finditer(written) for number in _numbers(mark.group())]
        text = " ".join(_INLINE.sub("", written).split())
        if text.strip(" .!?"):
            found.append(
                Sentence(
                    "" if not found else " " if "\n" not in moved[at:start] else "\n", text, tuple(dict.fromkeys(cited))
                )
            )
        elif found:  # a mark that stands alone in its line belongs to what is before it
            found[-1] = found[-1]._replace(cited=tuple(dict.fromkeys((*found[-1].cited, *cited))))
        at = end
    return found


def verdict_said(text: str) -> Verdict | None:
    """The verdict with which ``text`` begins; None where it begins with none."""
    found = _VERDICT.match(text.strip())
    return VERDICT_WORDS[found["said"].lower()] if found else None


def is_verdict(text: str) -> bool:
    """Tell if ``text`` says yes, no or the like and nothing else; an empty text does."""
    return all(sentence.is_verdict for sentence in sentences_of(text))


def _stands_alone(part: str) -> bool:
    words = words_of_claim(part)
    # A figure by itself, as a row's number, says something only with what it stands beside.
    return len(words) >= LEAST_WORDS or bool(words and (figures_of(part) or names_of(f"x {part}")))


def _numbers(mark: str) -> list[int]:
    found: list[int] = []
    for low, high in _SPAN.findall(mark):
        found += range(int(low), min(int(high), int(low) + 20) + 1)
    return found + [int(number) for number in re.findall(r"\d{1,3}", _SPAN.sub(" ", mark))]
