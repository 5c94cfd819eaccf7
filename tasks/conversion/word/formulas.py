"""Formulas of a Word file, written as text in their place.

unstructured leaves them out, even where a formula is a mere number."""

from __future__ import annotations

from typing import Any

from tasks.conversion.document.superscripts import raised
from tasks.conversion.word.markup import text_run

_M = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
_BLOCK = _M + "oMathPara"


def write_formulas(body: Any) -> None:
    """Replace the formulas of ``body``, an lxml element that is changed in place, with runs of text."""
    for formula in list(body.iter(_M + "oMath")):
        block = formula.getparent()
        run = text_run(body, _said(formula))
        if block is not None and block.tag == _BLOCK:
            block.addprevious(run)
            block.remove(formula)
        elif block is not None:
            block.replace(formula, run)
    for block in list(body.iter(_BLOCK)):
        block.getparent().remove(block)


def _said(element: Any) -> str:
    """The formula in one line, as it would be typed."""
    match _name(element):
        case "t":
            return str(element.text or "")
        case "f":
            return f"{_joined(_part(element, 'num'))}/{_joined(_part(element, 'den'))}"
        case "sSup":
            base, power = _part(element, "e"), _part(element, "sup")
            above = raised(power, base[-1:])
            return base + (above if above != power else f"^{_joined(power)}")
        case "func":
            return f"{_part(element, 'fName')} {_part(element, 'e')}"
        case "rad":
            return f"√{_joined(_part(element, 'e'))}"
        case "d":
            inner = _mark(element, "sepChr", "|").join(_said(child) for child in element.iterchildren(_M + "e"))
            return f"{_mark(element, 'begChr', '(')}{inner}{_mark(element, 'endChr', ')')}"
        case "nary":
            limits = ((sign, _part(element, name)) for name, sign in (("sub", "_"), ("sup", "^")))
            said = "".join(f"{sign}{_joined(limit)}" for sign, limit in limits if limit)
            return f"{_mark(element, 'chr', '∫')}{said} {_part(element, 'e')}"
        case _:
            return "".join(_said(child) for child in element if isinstance(child.tag, str))


def _part(element: Any, name: str) -> str:
    found = element.find(_M + name)
    return "" if found is None else _said(found)


def _name(element: Any) -> str:
    """The element's name in the math namespace; "" for other elements."""
    tag = element.tag
    return tag.removeprefix(_M) if isinstance(tag, str) and tag.startswith(_M) else ""


def _joined(part: str) -> str:
    """The part, in brackets where it is more than one number or name."""
    is_one = len(part) == 1 or part.replace(".", "").replace(",", "").replace("%", "").isalnum()
    return part if is_one or not part else f"({part})"


def _mark(element: Any, name: str, default: str) -> str:
    stated = element.find(f"{_M}{_name(element)}Pr/{_M}{name}")
    return default if stated is None else str(stated.get(_M + "val", default))
