"""Start page of the Data Docs. Great Expectations' own is empty if its scripts cannot be fetched."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from html import escape

STYLE = """<style>
body { font: 15px/1.5 sans-serif; margin: 2em auto; max-width: 75em; padding: 0 1em; }
table { border-collapse: collapse; } td, th { border: 1px solid #ccc; padding: .3em .6em; text-align: left; }
.critical { background: #fbd5d5; } .warning { background: #fdf0c4; }
</style>"""
_FETCHED = re.compile(r"""<(?:link|img)[^>]*(?:href|src)="https?:[^>]*>|<script[^>]*src="https?:[^>]*>\s*</script>""")


def overview_page(rows: Sequence[Mapping[str, str]], links: Mapping[str, str]) -> str:
    """Render an HTML table of the findings, ``result, about, expected, observed``, that needs no network.

    ``links`` gives the page of each suite; no findings give a table without rows.
    """
    columns = ("result", "about", "expected", "observed")
    head = "".join(f"<th>{column}</th>" for column in columns)
    body = "\n".join(
        f'<tr class="{escape(row["result"])}">'
        + "".join(f"<td>{escape(row[column])}</td>" for column in columns)
        + "</tr>"
        for row in rows
    )
    pages = ", ".join(f'<a href="{escape(link)}">{escape(suite)}</a>' for suite, link in links.items())
    failed = sum(row["result"] == "critical" for row in rows)
    verdict = f"refused: {failed} of {len(rows)} expectations do not hold" if failed else "passed"
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Index checks</title>{STYLE}</head><body>'
        f"<h1>The last check of an index version: {verdict}</h1><p>Suites: {pages}</p>"
        f"<table><tr>{head}</tr>\n{body}</table></body></html>"
    )


def without_fetching(page: str) -> str:
    """Replace the styles and scripts that ``page`` would fetch from the network by this module's style."""
    return _FETCHED.sub("", page).replace("</head>", f"{STYLE}</head>", 1)
