"""Check boxes, drop-down fields and symbols of a Word file, which Word draws and does not store as text.

A legacy form field keeps its state beside its field code, and a box of the font Wingdings is a symbol without text.
Both become text of their run here.
"""

from __future__ import annotations

from typing import Any

from tasks.conversion.word.markup import W, is_on, text_element, value_of
from tasks.text.characters import CHECKED, EMPTY

_W14 = "{http://schemas.microsoft.com/office/word/2010/wordml}"
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
    for symbol in list(body.iter(W + "sym")):
        shown = _symbol(symbol)
        controls = symbol.iterancestors(W + "sdt")
        # The state of a check box is known.
        is_of_a_box = any(next(control.iter(_W14 + "checkbox"), None) is not None for control in controls)
        if shown and not (shown == _UNKNOWN and is_of_a_box):
            symbol.addnext(text_element(symbol, shown))
    for field in list(body.iter(W + "ffData")):
        if shown := _shown(field):
            field.getparent().addnext(text_element(field, shown))
    for box in list(body.iter(_W14 + "checkbox")):
        control = next(box.iterancestors(W + "sdt"))
        runs = list(control.iter(W + "r"))
        # A box that shows a symbol of an unknown font has at least its state.
        if runs and not any(text.text for text in control.iter(W + "t")):
            is_set = is_on(box.find(_W14 + "checked"), _W14)
            runs[0].append(text_element(box, CHECKED if is_set else EMPTY))


def _symbol(symbol: Any) -> str:
    """The character that a symbol shows; "" for an ornament of a font whose other characters are known."""
    try:
        code = int(symbol.get(W + "char", ""), 16)
    except ValueError:
        return ""
    known = _SYMBOLS.get(symbol.get(W + "font", "").lower())
    if known is None:
        # In any other font, a code outside the private area is Unicode.
        is_character = code in range(0x20, 0x11_0000) and code not in range(0xD800, 0xE000) and code not in _PRIVATE
        return chr(code) if is_character else _UNKNOWN
    # Word writes the code in the private area, other programs the font's own code.
    return known.get(code & 0xFF, "")


def _shown(field: Any) -> str:
    """The text that a legacy field shows; "" for a text field, whose text stands in the document."""
    box, choices = field.find(W + "checkBox"), field.find(W + "ddList")
    if box is not None:
        state = box.find(W + "checked")
        return CHECKED if is_on(state if state is not None else box.find(W + "default")) else EMPTY
    if choices is None:
        return ""
    entries = [entry.get(W + "val", "") for entry in choices.findall(W + "listEntry")]
    at = value_of(choices, "result") or value_of(choices, "default") or "0"
    return entries[int(at)] if at.isdecimal() and int(at) < len(entries) else ""
