"""Sanitizing of cell texts: no characters that break the file, and no text that runs as a formula."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import islice

from tasks.library_names import is_approved
from tasks.records import Citation

MAX_CELL_CHARACTERS = 32_767
_LINE_ENDS = re.compile(r"\r\n?")
# XML 1.0 has no way to write these; CSV readers choke on most of them.
_ILLEGAL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_FORMULA_STARTS = tuple("=+-@＝＋－＠")


def clean_text(text: str) -> str:
    """The text with plain line ends, without control characters, cut with ``…`` at what a cell can hold."""
    text = _ILLEGAL.sub("", _LINE_ENDS.sub("\n", text))
    # Excel counts UTF-16 units; a half character at the cut is dropped.
    units = text.encode("utf-16-le")
    if len(units) <= 2 * MAX_CELL_CHARACTERS:
        return text
    return units[: 2 * (MAX_CELL_CHARACTERS - 1)].decode("utf-16-le", "ignore") + "…"


def fits_cell(text: str) -> bool:
    """Tell if a spreadsheet's cell can hold the text whole; others are cut by :func:`clean_text`."""
    # Excel counts UTF-16 units.
    return len(text.encode("utf-16-le", "surrogatepass")) <= 2 * MAX_CELL_CHARACTERS


def guard_formula(text: str) -> str:
    """The text, with an apostrophe before it where a spreadsheet would read it as a formula.

    Only for CSV, which cannot say that a cell is text.
    """
    risky = text.startswith(("\t", "\r", "\n")) or text.lstrip().startswith(_FORMULA_STARTS)
    return f"'{text}" if risky else text


def cited_inline(text: str, citations: Sequence[Citation], max_characters: int | None) -> str:
    """``text`` followed by the places of its citations, each once, as far as ``max_characters`` leaves room: those that
    a customer may see, with the document's name, ``[Security Policy, § Backups, p. 7]``, or short without it.
    """
    found = text
    for short, whole in dict.fromkeys((one.inline, _with_name(one)) for one in shown_to_customers(citations)):
        fitting = (
            place for place in (whole, short) if max_characters is None or len(found) + 1 + len(place) <= max_characters
        )
        found = " ".join((found, *islice(fitting, 1)))
    return found


def _with_name(citation: Citation) -> str:
    name, place = citation.document_name or citation.file_name, citation.inline[1:-1]
    return f"[{name}]" if place == citation.file_name else f"[{name}, {place}]"


def shown_to_customers(citations: Iterable[Citation]) -> tuple[Citation, ...]:
    """The citations that a document for a customer may name. Rows of spreadsheets are left out: past answers, whose
    files bear other customers' names, and what a customer cannot look up.
    """
    return tuple(one for one in citations if one.row_number is None and not is_approved(one.file_name))
