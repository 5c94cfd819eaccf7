"""A row of a past questionnaire, as conversion writes it: what was asked, and in lines of their own what was said."""

from __future__ import annotations

import re

_ROW = re.compile(r"^(?P<question>.+?)\n(?P<answer>(?:(?:Answer|Comments): [^\n]*\n?)+)", re.DOTALL)
_LABEL = re.compile(r"^(?:Answer|Comments): ", re.MULTILINE)


def past_question(text: str) -> tuple[str, str] | None:
    """The question and the answer with its comments, each in one line, without the row's other columns, a reference
    number say; None for any other text.
    """
    found = _ROW.match(text)
    if found is None:
        return None
    return " ".join(found["question"].split()), " ".join(_LABEL.sub("", found["answer"]).split())
