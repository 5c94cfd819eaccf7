"""Detection of sheets that the supplier does not fill in: evaluations, copies by formula, internal sheets."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import NamedTuple

from tasks.questionnaires.formats.grid import Grid
from tasks.questionnaires.reading.column_detection import Columns
from tasks.questionnaires.reading.sections import AskedRow, answer_columns

LEAST_ROWS = 3
MOST = 0.8
_SHEET = (
    r"(?:sheet|tab|worksheet|page|section|form|report|blatt|tabellenblatt|feuille|onglet|hoja|pestaña|folha|aba"
    r"|planilha)"
)
_WRITE = r"(?:fill(?:\s+(?:in|out))?|complete|enter|write|answer|populate|use)"
_ALTER = r"(?:edit|modify|change|alter)"
_CUSTOMER = (
    r"(?:internal|institution(?:al|s)?|customers?|buyers?|clients?|reviewers?|assessors?|evaluat\w+|analysts?|auditors?"
    r"|official|office|procurement|purchas\w+|school|university|bank|agency|authority)"
)
_SUPPLIER = r"(?:vendors?|suppliers?|bidders?|providers?|respondents?|tenderers?|solution\s+providers?)"
_FORBIDS = re.compile(
    rf"\b(?:do\s+not|don['’]t|not\s+to\s+be|must\s+not(?:\s+be)?|should\s+not(?:\s+be)?)\s+(?:be\s+)?(?:{_WRITE}\w*\b[^.,;\n]{{0,30}}|{_ALTER}\w*\s+)\bthis\s+{_SHEET}\b"
    rf"|\bthis\s+{_SHEET}\s+(?:is|must|should|may|shall)\s+not\s+(?:to\s+)?(?:be\s+)?{_WRITE}\w*\b"
    rf"|\bthis\s+{_SHEET}\s+(?:is|will\s+be|must\s+be|should\s+be)\s+(?:for|to\s+be\s+(?:completed|filled\s*\w*|used)\s+by"
    rf"|completed\s+by|filled\s+in\s+by|used\s+by)\s+(?:the\s+)?(?:\w+\s+)?{_CUSTOMER}\b"
    rf"|\bfor\s+(?:the\s+)?{_CUSTOMER}(?:['’]s?)?\s+use(?:\s+only)?\b|\b{_CUSTOMER}\s+use\s+only\b"
    rf"|\b{_SUPPLIER}\s+(?:should|must|do|does|need|shall|are)\s+not\s+(?:to\s+|need\s+to\s+|required\s+to\s+)?{_WRITE}"
    rf"|\b(?:nicht\s+(?:vom\s+(?:bieter|lieferanten)\s+)?auszufüllen|bitte\s+nicht\s+ausfüllen|nur\s+für\s+den\s+(?:internen\s+gebrauch|auftraggeber))\b"
    rf"|\bne\s+pas\s+(?:remplir|compléter|modifier)\s+(?:cette?|cet)\s+{_SHEET}|\bréservé\s+(?:à|au)\s+(?:l['’]acheteur|l['’]administration|usage\s+interne)"
    rf"|\bno\s+(?:rellenar|completar|cumplimentar|modificar)\s+esta\s+{_SHEET}|\b(?:solo|sólo)\s+(?:para\s+)?uso\s+interno\b"
    rf"|\bnão\s+(?:preencher|alterar|editar)\s+esta\s+{_SHEET}|\b(?:para\s+)?uso\s+interno\b",
    re.IGNORECASE,
)
"""Sentences above a table by which the supplier is not to fill it in."""


class Read(NamedTuple):
    """A table that was read: its sheet's grid, its columns, and its questions."""

    grid: Grid
    columns: Columns
    rows: Sequence[AskedRow]


def reason_to_skip(table: Read, earlier: Collection[str]) -> str | None:
    """The reason why a table is not for the supplier; None where it is.

    ``earlier`` are the questions of the tables before it: by formula an evaluation sheet repeats them.
    """
    grid, columns, rows = table
    # Further right than the questions it would tell of single columns.
    above = (
        text
        for row, cells in grid.texts.items()
        if row < columns.header_row
        for column, text in cells.items()
        if column <= columns.question
    )
    if found := next(filter(None, map(_FORBIDS.search, above)), None):
        return f"its first rows say '{' '.join(found.group().split())}'"
    if len(rows) < LEAST_ROWS:
        return None
    cells = [grid.anchor(row.row_number, column) for row in rows for column in answer_columns(columns)]
    if cells and sum(cell in grid.formulas for cell in cells) >= MOST * len(cells):
        return "its answers are formulas"
    asked = [grid.anchor(row.row_number, columns.question) in grid.formulas for row in rows]
    repeated = sum(normal(row.text) in earlier for row in rows)
    if sum(asked) >= MOST * len(rows) and repeated >= MOST * len(rows):
        return "it repeats the questions of another sheet by formulas"
    return None


def normal(text: str) -> str:
    """A question's text without differences of case and blanks, to compare it with others."""
    return " ".join(text.casefold().split())
