"""A row of a past questionnaire, as conversion writes it: what was asked, and in lines of their own what was said."""

from __future__ import annotations

import re

_ROW = re.compile(r"^(?P<question>.+?)\n(?P<answer>(?:(?:Answer|Comments): [^\n]*\n?)+)", re.DOTALL)
_PLACE = re.compile(r"\s*\[(?:§ [^\[\]]*|p\. \d+|(?:sheet [^\[\]]*, )?row \d+)\]")
"""As :attr:`tasks.records.Citation.inline` writes one behind an answer."""
_LABEL = re.compile(r"^(?:Answer|Comments): ", re.MULTILINE)


def without_places(text: str) -> str:
    """A past answer without the places that it cited, which are of the documents of then."""
    return _PLACE.sub("", text)


def past_question(text: str) -> tuple[str, str] | None:
    """The question and the answer with its comments, each in one line, without the row's other columns, a reference
    number say; None for any other text.
    """
    found = _ROW.match(text)
    if found is None:
        return None
    return " ".join(found["question"].split()), " ".join(_LABEL.sub("", found["answer"]).split())
