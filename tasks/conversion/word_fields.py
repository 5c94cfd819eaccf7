"""What Word draws and does not write: the marks of check boxes, and the choices of drop-down fields.

A legacy form field keeps its state beside its field code, and a box of the font Wingdings is a symbol without text.
Both become text of their run here.
"""

from __future__ import annotations

from typing import Any

from tasks.conversion.text import CHECKED, EMPTY

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_W14 = "{http://schemas.microsoft.com/office/word/2010/wordml}"
_OFF = ("0", "false", "off")
_SYMBOLS = {
    "wingdings": {0xFE: "☑", 0xFD: CHECKED, 0xA8: EMPTY, 0x6F: EMPTY, 0x71: EMPTY, 0x72: EMPTY, 0xFC: "✓", 0xFB: "✗"},
    "wingdings 2": {0x52: "☑", 0x51: CHECKED, 0x53: CHECKED, 0x54: CHECKED, 0xA3: EMPTY, 0x50: "✓", 0x4F: "✗"},
}


def write_marks(body: Any) -> None:
    """Writes into ``body`` (an lxml element, changed in place) what its fields and symbols show."""
    for symbol in list(body.iter(_W + "sym")):
        if shown := _symbol(symbol):
            symbol.addnext(_text(symbol, shown))
    for field in list(body.iter(_W + "ffData")):
        if shown := _shown(field):
            field.getparent().addnext(_text(field, shown))
    for box in list(body.iter(_W14 + "checkbox")):
        control = next(box.iterancestors(_W + "sdt"))
        runs = list(control.iter(_W + "r"))
        # One that shows a symbol of another font says at least whether it is set.
        if runs and not any(text.text for text in control.iter(_W + "t")):
            is_set = _is_on(box.find(_W14 + "checked"), _W14)
            runs[0].append(_text(box, CHECKED if is_set else EMPTY))


def _text(beside: Any, text: str) -> Any:
    made = beside.makeelement(_W + "t")
    made.text = text
    return made


def _symbol(symbol: Any) -> str:
    try:
        # Word writes the code in the private area, other programs as it is in the font.
        code = int(symbol.get(_W + "char", ""), 16) & 0xFF
    except ValueError:
        return ""
    return _SYMBOLS.get(symbol.get(_W + "font", "").lower(), {}).get(code, "")


def _shown(field: Any) -> str:
    """What a legacy field shows; "" where it is a field of text, whose text stands in the document."""
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
