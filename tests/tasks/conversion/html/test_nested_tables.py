"""Tables that stand in the cells of others, and tables that only set blocks beside each other."""

from __future__ import annotations

import io
from typing import Any

import docx

from tests.made.conversions import convert_bytes

INNER = "<table><tr><th>Key<th>Days<tr><td>KEK<td>365<tr><td>DEK<td></table>"
ROWS = [("Key", "Days"), ("KEK", "365"), ("DEK", "")]


def elements(name: str, data: bytes) -> list[tuple[str, str]]:
    return [(element.kind, element.text) for element in convert_bytes(name, data).elements]


def of_page(body: str) -> list[tuple[str, str]]:
    return elements("a.html", f"<html><body>{body}</body></html>".encode())


def of_document(document: Any) -> list[tuple[str, str]]:
    out = io.BytesIO()
    document.save(out)
    return elements("a.docx", out.getvalue())


def add_inner(cell: Any) -> None:
    inner = cell.add_table(len(ROWS), 2)
    for row, texts in zip(inner.rows, ROWS, strict=True):
        for inner_cell, text in zip(row.cells, texts, strict=True):
            inner_cell.text = text


def test_the_rows_and_cells_of_a_table_in_a_cell_are_told_apart() -> None:
    body = f"<table><tr><th>Topic<th>How<tr><td>Keys<td>They rotate. {INNER}<tr><td>Logs<td>Kept.</table>"
    said = "Topic | How\nKeys | They rotate. Key, Days; KEK, 365; DEK\nLogs | Kept."
    assert of_page(body) == [("table", said)]
    document = docx.Document()
    table = document.add_table(3, 2)
    for row, texts in zip(table.rows, (("Topic", "How"), ("Keys", "They rotate. "), ("Logs", "Kept.")), strict=True):
        for cell, text in zip(row.cells, texts, strict=True):
            cell.text = text
    add_inner(table.cell(1, 1))
    assert of_document(document) == [("table", said)]


def test_a_table_that_only_sets_blocks_beside_each_other_is_none() -> None:
    body = f"<table><tbody><tr><td>Home<td><h1>Keys</h1><p>They rotate.</p>{INNER}</table>"
    rows = ("table", "Key | Days\nKEK | 365\nDEK")
    assert of_page(body) == [("paragraph", "Home"), ("title", "Keys"), ("paragraph", "They rotate."), rows]
    document = docx.Document()
    table = document.add_table(1, 2)
    table.cell(0, 0).text, table.cell(0, 1).text = "Home", "They rotate."
    add_inner(table.cell(0, 1))
    assert of_document(document) == [("paragraph", "Home"), ("paragraph", "They rotate."), rows]


def test_a_box_around_several_paragraphs_is_none() -> None:
    document = docx.Document()
    cell = document.add_table(1, 1).cell(0, 0)
    cell.text = "Keys rotate."
    cell.add_paragraph("Logs are kept.")
    assert of_document(document) == [("paragraph", "Keys rotate."), ("paragraph", "Logs are kept.")]


def test_headings_and_points_in_a_cell_end_in_a_mark() -> None:
    cell = "<h4>Keys</h4><ul><li>made<li>rotated <b>yearly</b><li>destroyed</ul>"
    body = f"<table><tr><th>Topic<th>How<tr><td>Crypto<td>{cell}<tr><td>Logs<td>Kept.</table>"
    assert of_page(body) == [("table", "Topic | How\nCrypto | Keys: made; rotated yearly; destroyed\nLogs | Kept.")]
