"""Removal of text that a Word file holds and does not show: hidden and struck text, field instructions, prompts.

Word shows the result of a field. The text before it is its instructions, and a field within those has a result of its
own, which no reader ever sees.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tasks.conversion.word.markup import W, is_on, remove, text_element
from tasks.conversion.word.run_styles import RunStyles

_DRAWING = "{http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing}"
_ON = ("1", "true", "on")
_UNSEEN = ("vanish", "strike", "dstrike")


def drop_unseen(body: Any, styles: RunStyles) -> None:
    """Remove hidden and struck-out text from ``body`` (an lxml element, changed in place).

    Of a word with its reading above it (ruby) the word is left.
    """
    for run in list(body.iter(W + "r")):
        if any(styles.is_on(run, name) for name in _UNSEEN):
            remove(run)
    for text in list(_instructions(body)):
        text.text = ""
    for element in list(_unfilled(body)):
        for text in element.iter(W + "t"):
            text.text = ""
    for shape in list(body.iter(_DRAWING + "docPr")):
        if shape.get("hidden") in _ON:
            for box in list(shape.getparent().iter(W + "txbxContent")):
                remove(box)
    for ruby in list(body.iter(W + "ruby")):
        base = ruby.find(W + "rubyBase")
        if base is not None:
            ruby.addnext(text_element(ruby, "".join(text.text or "" for text in base.iter(W + "t"))))
        remove(ruby)


def _instructions(body: Any) -> Iterator[Any]:
    """Yield the texts between the beginning of a field and its result, those of a field that does not end left out."""
    open_fields: list[tuple[list[Any], bool]] = []
    for element in body.iter(W + "fldChar", W + "t"):
        kind = element.get(W + "fldCharType")
        if element.tag == W + "t":
            within = next((texts for texts, has_result in open_fields if not has_result), None)
            if within is not None:
                within.append(element)
        elif kind == "begin":
            open_fields.append(([], False))
        elif open_fields and kind == "separate":
            open_fields[-1] = (open_fields[-1][0], True)
        elif open_fields and kind == "end":
            yield from open_fields.pop()[0]


def _unfilled(body: Any) -> Iterator[Any]:
    """Yield content controls that show their prompt, cells that a tracked change deleted, and hidden rows of tables."""
    for mark in body.iter(W + "showingPlcHdr"):
        control = mark.getparent().getparent()
        if mark.getparent().tag == W + "sdtPr" and is_on(mark) and control is not None:
            yield from control.iterchildren(W + "sdtContent")
    for mark in body.iter(W + "cellDel"):
        yield next(mark.iterancestors(W + "tc"))
    for mark in body.iter(W + "trPr"):
        if is_on(mark.find(W + "hidden")):
            yield mark.getparent()
