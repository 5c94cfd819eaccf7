"""The customer's own words for yes, no and partly, where they say which a column takes: "FC = Fully compliant"."""

from __future__ import annotations

import re
from collections.abc import Iterable

from tasks.questionnaires.layout import QuestionRow, SheetLayout, Word
from tasks.questionnaires.words import first_clause, spell_verdict, verdict_of
from tasks.records import Verdict

_DEFINED = re.compile(
    r"(?<![\w-])([A-Za-z]{1,4}|\d)\s*(?:=|:|–|—|-|means)\s*([A-Za-z][A-Za-z -]{2,40}?)\s*(?=[,;.|/)\n]|$|\sor\s)"
)
_BRACKETS = re.compile(r"[(\[]([^()\[\]]+)[)\]]")
_BETWEEN = re.compile(r"\s*[/,;|\n]\s*|\s+or\s+")


def legend_of(title: str, told: Iterable[str] = ()) -> tuple[Word, ...]:
    """The words that the ``title`` of a column lists, or what else is ``told`` of it defines; none where neither has a
    word for yes and one for no.
    """
    lists = [_BETWEEN.split(part) for part in (*_BRACKETS.findall(title), title)]
    found = [*map(_DEFINED.findall, (title, *told)), *([(word.strip(), word) for word in words] for words in lists)]
    for pairs in found:
        words = tuple(Word(text, verdict) for text, said in pairs if (verdict := verdict_of(said, whole=True)))
        if {"yes", "no"} <= {word.verdict for word in words}:
            return words
    return ()


def spell(verdict: Verdict, sheet: SheetLayout, row: QuestionRow) -> str | None:
    """The verdict as the customer spells it in that row; None where no word of theirs means it."""
    meant = [word.text for word in sheet.words if word.verdict == verdict]
    if row.choices:
        coded = (choice for choice in row.choices if choice.casefold() in map(str.casefold, meant))
        return spell_verdict(verdict, row.choices) or next(coded, None)
    return next(iter(meant), None) if sheet.words else spell_verdict(verdict)


def meaning(text: str, sheet: SheetLayout) -> Verdict | None:
    """The verdict that a text is in the words of the customer, and nothing else; None for any other text."""
    coded = (word.verdict for word in sheet.words if word.text.casefold() == text.strip().casefold())
    return next(coded, None) or verdict_of(text, whole=True)


def begun_with(text: str, sheet: SheetLayout) -> Verdict | None:
    """The verdict in the words of the customer that stands before all else in a text; None where none does."""
    return meaning(first_clause(text), sheet)
