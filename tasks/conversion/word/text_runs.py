"""New runs of text that are put into a Word file before it is read."""

from __future__ import annotations

from typing import Any

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"


def text_run(beside: Any, said: str) -> Any:
    """Make a run of that text, for the document that ``beside`` is an element of."""
    run, text = beside.makeelement(_W + "r"), beside.makeelement(_W + "t")
    text.text = said
    run.append(text)
    return run
