"""A customer's legend of answer words, such as "FC = Fully compliant", and spelling of verdicts with it."""

from __future__ import annotations

import re
from collections.abc import Iterable

from tasks.questionnaires.reading.layout import QuestionRow, SheetLayout, Word
from tasks.questions.wording import spell_verdict, verdict_of
from tasks.records import Verdict

_DEFINED = re.compile(
    r"(?<![\w-])([A-Za-z]{1,4}|\d)\s*(?:=|:|–|—|-|means)\s*([A-Za-z][A-Za-z -]{2,40}?)\s*(?=[,;.|/)\n]|$|\sor\s)"
)
_BRACKETS = re.compile(r"[(\[]([^()\[\]]+)[)\]]")
_BETWEEN = re.compile(r"\s*[/,;|\n]\s*|\s+or\s+")


def legend_of(title: str, told: Iterable[str] = ()) -> tuple[Word, ...]:
    """The customer's words for verdicts, as the ``title`` of a column lists or other texts about it define them.

    Empty where no text has both a word for yes and a word for no.
    """
    lists = [_BETWEEN.split(part) for part in (*_BRACKETS.findall(title), title)]
    found = [*map(_DEFINED.findall, (title, *told)), *([(word.strip(), word) for word in words] for words in lists)]
    for pairs in found:
        words = tuple(Word(text, verdict) for text, said in pairs if (verdict := verdict_of(said, whole=True)))
        if {"yes", "no"} <= {word.verdict for word in words}:
            return words
    return ()


def spell(verdict: Verdict, sheet: SheetLayout, row: QuestionRow) -> str | None:
    """The customer's word for the verdict in that row; None where no word means it."""
    meant = [word.text for word in sheet.words if word.verdict == verdict]
    if row.choices:
        coded = (choice for choice in row.choices if choice.casefold() in map(str.casefold, meant))
        return spell_verdict(verdict, row.choices) or next(coded, None)
    return next(iter(meant), None) if sheet.words else spell_verdict(verdict)


def meaning(text: str, sheet: SheetLayout) -> Verdict | None:
    """The verdict of a text that is only a customer's word or a verdict; None for any other text."""
    coded = (word.verdict for word in sheet.words if word.text.casefold() == text.strip().casefold())
    return next(coded, None) or verdict_of(text, whole=True)
