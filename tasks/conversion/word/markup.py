"""Markup of a Word file: names of its elements, switches, texts, and new runs that are put in before it is read."""

from __future__ import annotations

from typing import Any

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_OFF = ("0", "false", "off")


def is_on(switch: Any, namespace: str = W) -> bool:
    """Tell if a property that is on or off is on: its element is there, and has no value that switches it off."""
    return switch is not None and switch.get(namespace + "val", "1") not in _OFF


def value_of(element: Any, path: str) -> str | None:
    """The value of the property at a path of names such as ``pPr/pStyle`` below ``element``; None where it is not
    there.
    """
    found = element.find("/".join(W + name for name in path.split("/")))
    return None if found is None else found.get(W + "val", "")


def has_text(element: Any) -> bool:
    """Tell if any text in ``element`` is more than blanks."""
    return any((text.text or "").strip() for text in element.iter(W + "t"))


def is_within(element: Any, name: str) -> bool:
    """Tell if ``element`` stands in an element of that name."""
    return next(element.iterancestors(W + name), None) is not None


def remove(element: Any) -> None:
    """Take ``element`` out of its document, unless it has been taken out."""
    if element.getparent() is not None:
        element.getparent().remove(element)


def text_element(beside: Any, said: str) -> Any:
    """Make a text, for the document that ``beside`` is an element of."""
    text = beside.makeelement(W + "t")
    text.text = said
    return text


def text_run(beside: Any, said: str) -> Any:
    """Make a run of that text, for the document that ``beside`` is an element of."""
    run = beside.makeelement(W + "r")
    run.append(text_element(beside, said))
    return run


def text_paragraph(beside: Any, said: str) -> Any:
    """Make a paragraph of that text, for the document that ``beside`` is an element of."""
    paragraph = beside.makeelement(W + "p")
    paragraph.append(text_run(beside, said))
    return paragraph
