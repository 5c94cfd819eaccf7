"""Height estimates for filled rows, so that wrapped text is not cut off.

Excel fits a row without a stored height by itself, but trusts a stored height; LibreOffice trusts both. So the height
is stored, marked as not set by hand: the next edit of the row fits it exactly.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from tasks.questionnaires.formats.worksheet_reader import numbered_cells, parse_area

MAX_HEIGHT_POINTS = 409.0
LINE_POINTS = 15.0
DEFAULT_WIDTH = 8.43
# Words that do not fit move to the next line whole.
_WRAP_LOSS = 1.1


def fit_rows(
    root: Any, rows: Mapping[int, Any], texts: Mapping[int, Mapping[int, str]], wrapping: frozenset[int]
) -> None:
    """Increase the heights of the rows to fit their ``texts``. Rows with a height set by hand stay as they are."""
    merged = {(a.top, a.left) for m in root.iterfind("{*}mergeCells/{*}mergeCell") if (a := parse_area(m.get("ref")))}
    stated = [col for col in root.iterfind("{*}cols/{*}col") if col.get("width")]
    widths = [(int(col.get("min")), int(col.get("max")), float(col.get("width"))) for col in stated]
    defaults = root.find("{*}sheetFormatPr")
    usual = float(defaults.get("defaultRowHeight", LINE_POINTS)) if defaults is not None else LINE_POINTS
    standard = float(defaults.get("defaultColWidth", DEFAULT_WIDTH)) if defaults is not None else DEFAULT_WIDTH
    for number, row in rows.items():
        if row.get("customHeight") in ("1", "true"):
            continue
        lines = 1
        for column, cell in numbered_cells(row):
            # Spreadsheet programs do not fit rows to merged cells, and neither does this.
            if int(cell.get("s", "0")) in wrapping and (number, column) not in merged:
                width = next((w for first, last, w in widths if first <= column <= last), standard)
                lines = max(lines, _lines(texts.get(number, {}).get(column, ""), width))
        height = min(max(float(row.get("ht", "0")), lines * LINE_POINTS), MAX_HEIGHT_POINTS)
        if height > usual:
            row.set("ht", f"{height:g}")


def _lines(text: str, width: float) -> int:
    paragraphs = text.split("\n")
    return sum(max(1, math.ceil(len(paragraph) * _WRAP_LOSS / max(width, 1.0))) for paragraph in paragraphs)
