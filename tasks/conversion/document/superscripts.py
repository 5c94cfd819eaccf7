"""Superscripts that only formatting marks: the mark of a note in "4¹ hours", the power in "10⁶", the 2 of "m²".

Read as plain digits they would be a part of the number before them. So they are written with Unicode's own raised
characters; raised letters, such as those of "1st", stay as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from tasks.text.characters import RAISED

if TYPE_CHECKING:
    from tasks.conversion.word.run_styles import RunStyles

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_TO_RAISED = str.maketrans({plain: raised for raised, plain in RAISED.items()} | {"−": "⁻", "–": "⁻"})
_WRITABLE = frozenset(map(chr, _TO_RAISED))
_BETWEEN = frozenset(", ")
"""Characters between the marks of several notes."""
_MARKED = frozenset("%)]}.,;:!?\"'”’")
"""Characters that a note mark may follow, besides letters and digits."""
_INLINE = frozenset(("a", "abbr", "b", "cite", "code", "em", "font", "i", "small", "span", "strong", "u"))


def raised(text: str, before: str) -> str:
    """Write ``text`` in raised characters after the character ``before``; unchanged where that is not possible."""
    is_behind = before.isalnum() or before in _MARKED
    is_writable = any(letter in _WRITABLE for letter in text) and all(
        letter in _WRITABLE or letter in _BETWEEN for letter in text
    )
    return text.translate(_TO_RAISED) if before and is_behind and is_writable else text


def raise_in_word(body: Any, styles: RunStyles) -> None:
    """Write the superscripts of a Word body (an lxml element) with raised characters, in place."""

    def is_raised(run: Any) -> bool:
        # By name, or by half-points, as LibreOffice writes it.
        by = styles.value(run, "position")
        return run.tag == _W + "r" and (
            styles.value(run, "vertAlign") == "superscript" or (by.isdecimal() and int(by) > 0)
        )

    _raise_runs(body.iter(_W + "p", _W + "t", _W + "tab", _W + "br"), _W + "t", is_raised)


def raise_in_slides(presentation: Any) -> bool:
    """Write the superscripts of a python-pptx presentation with raised characters, in place; True where any changed."""

    def is_raised(run: Any) -> bool:
        properties = run.find(_A + "rPr")
        baseline = "" if properties is None else properties.get("baseline", "").removesuffix("%")
        return baseline.isdecimal() and int(baseline) > 0

    bodies = [slide._element.iter(_A + "p", _A + "t", _A + "br") for slide in presentation.slides]
    changed = [_raise_runs(body, _A + "t", is_raised) for body in bodies]
    return any(changed)


def _raise_runs(elements: Iterable[Any], text_tag: str, is_raised: Callable[[Any], bool]) -> bool:
    """Write the raised runs among the ``elements`` with raised characters; True where any changed."""
    found = False
    before = ""
    for element in elements:
        text = (element.text or "") if element.tag == text_tag else ""
        if text and is_raised(element.getparent()) and (written := raised(text, before)) != text:
            text = element.text = written
            found = True
        before = text[-1:] or ("" if element.tag != text_tag else before)
    return found


def raise_in_markup(root: Any) -> None:
    """Replace each ``<sup>`` of ``root``, an lxml element of HTML, with plain text in raised characters."""
    for element in list(root.iter("sup")):
        text = str(element.text_content())
        bare = text.strip()
        for child in list(element):
            element.remove(child)
        element.text = text.replace(bare, raised(bare, _before(element)[-1:])) if bare else text
        # In a table's cell unstructured puts a blank around every element.
        element.drop_tag()


def _before(element: Any) -> str:
    """The text directly before ``element`` in its block; "" where the block begins with it."""
    while True:
        previous, parent = element.getprevious(), element.getparent()
        if previous is not None:
            is_text = isinstance(previous.tag, str) and previous.tag in (*_INLINE, "sup", "sub")
            said = previous.tail or (str(previous.text_content()) if is_text else "")
        else:
            said = "" if parent is None else parent.text or ""
        if said or previous is not None or parent is None or parent.tag not in _INLINE:
            return said
        element = parent
