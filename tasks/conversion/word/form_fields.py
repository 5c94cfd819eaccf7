"""Check boxes, drop-down fields and symbols of a Word file, which Word draws and does not store as text.

A legacy form field keeps its state beside its field code, and a box of the font Wingdings is a symbol without text.
Both become text of their run here.
"""

from __future__ import annotations

from typing import Any

from tasks.text.characters import CHECKED, EMPTY

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_W14 = "{http://schemas.microsoft.com/office/word/2010/wordml}"
_OFF = ("0", "false", "off")
_PRIVATE = range(0xF000, 0xF100)
"""The code range in which Word puts the characters of a font that has an encoding of its own."""
_UNKNOWN = "\ufffd"
"""Replacement for a character of an unknown font: left out, "≥ 30" would become "30"."""
_GREEK = dict(enumerate("ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ", 0x41)) | dict(enumerate("αβχδεφγηιϕκλμνοπθρστυϖωξψζ", 0x61))
_SIGNS = dict(enumerate("€ϒ′≤⁄∞ƒ♣♦♥♠↔←↑→↓°±″≥×∝∂•÷≠≡≈…⏐⎯↵ℵℑℜ℘⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉∠∇®©™∏√⋅¬∧∨⇔⇐⇑⇒⇓◊⟨®©™∑", 0xA0))
_ASCII_OF_SYMBOL = {code: chr(code) for code in range(0x20, 0x7F)} | {0x22: "∀", 0x24: "∃", 0x2A: "∗", 0x2D: "−"}
_SYMBOLS = {
    "symbol": _ASCII_OF_SYMBOL | _GREEK | _SIGNS,
    "wingdings": {
        **{0xFE: "☑", 0xFD: CHECKED, 0xA8: EMPTY, 0x6F: EMPTY, 0x71: EMPTY, 0x72: EMPTY, 0xFC: "✓", 0xFB: "✗"},
        **{0xDF: "←", 0xE0: "→", 0xE1: "↑", 0xE2: "↓", 0xE8: "➔", 0xF0: "⇨", 0xA7: "▪", 0x6C: "●", 0x6E: "■"},
    },
    "wingdings 2": {0x52: "☑", 0x51: CHECKED, 0x53: CHECKED, 0x54: CHECKED, 0xA3: EMPTY, 0x50: "✓", 0x4F: "✗"},
}


def write_marks(body: Any) -> None:
    """Write the shown text of fields and symbols into ``body`` (an lxml element, changed in place)."""
    for symbol in list(body.iter(_W + "sym")):
        shown = _symbol(symbol)
        if shown and not (shown == _UNKNOWN and _is_of_a_box(symbol)):
            symbol.addnext(_text(symbol, shown))
    for field in list(body.iter(_W + "ffData")):
        if shown := _shown(field):
            field.getparent().addnext(_text(field, shown))
    for box in list(body.iter(_W14 + "checkbox")):
        control = next(box.iterancestors(_W + "sdt"))
        runs = list(control.iter(_W + "r"))
        # A box that shows a symbol of an unknown font has at least its state.
        if runs and not any(text.text for text in control.iter(_W + "t")):
            is_set = _is_on(box.find(_W14 + "checked"), _W14)
            runs[0].append(_text(box, CHECKED if is_set else EMPTY))


def _text(beside: Any, text: str) -> Any:
    made = beside.makeelement(_W + "t")
    made.text = text
    return made


def _symbol(symbol: Any) -> str:
    """The character that a symbol shows; "" for an ornament of a font whose other characters are known."""
    try:
        code = int(symbol.get(_W + "char", ""), 16)
    except ValueError:
        return ""
    known = _SYMBOLS.get(symbol.get(_W + "font", "").lower())
    if known is None:
        # In any other font, a code outside the private area is Unicode.
        is_character = code in range(0x20, 0x11_0000) and code not in range(0xD800, 0xE000) and code not in _PRIVATE
        return chr(code) if is_character else _UNKNOWN
    # Word writes the code in the private area, other programs the font's own code.
    return known.get(code & 0xFF, "")


def _is_of_a_box(symbol: Any) -> bool:
    """Tell if a symbol belongs to a check box, whose state is known."""
    return any(next(control.iter(_W14 + "checkbox"), None) is not None for control in symbol.iterancestors(_W + "sdt"))


def _shown(field: Any) -> str:
    """The text that a legacy field shows; "" for a text field, whose text stands in the document."""
    box, choices = field.find(_W + "checkBox"), field.find(_W + "ddList")
    if box is not None:
        state = box.find(_W + "checked")
        return CHECKED if _is_on(state if state is not None else box.find(_W + "default"), _W) else EMPTY
    if choices is None:
        return ""
    entries = [entry.get(_W + "val", "") for entry in choices.findall(_W + "listEntry")]
    chosen = choices.find(_W + "result")
    chosen = chosen if chosen is not None else choices.find(_W + "default")
    at = chosen.get(_W + "val", "0") if chosen is not None else "0"
    return entries[int(at)] if at.isdecimal() and int(at) < len(entries) else ""


def _is_on(state: Any, namespace: str) -> bool:
    return state is not None and state.get(namespace + "val", "1") not in _OFF
