"""The page as HTML: one file that loads nothing, with the data in it."""

from __future__ import annotations

import base64
import hashlib
import html
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from string import Template
from typing import Any

FOLDER = Path(__file__).with_name("page")


def report_html(title: str, data: Mapping[str, Any], pictures: Mapping[str, bytes]) -> str:
    """A page that works from disk; ``pictures`` are PNGs by key, each in it once. A policy in it forbids all requests.

    No text of ``data`` is read as markup: the script puts it in as text, and ``<`` is escaped in the data.
    """
    script, style = _read("page.js"), _read("page.css")
    policy = f'<meta http-equiv="Content-Security-Policy" content="{_policy(script, style, "")}">'
    shown = "\n".join(
        f'<script type="text/plain" id="p-{html.escape(key)}">{base64.b64encode(png).decode()}</script>'
        for key, png in pictures.items()
    )
    return _page(title, data, script, style, policy, shown)


def desk_html(title: str, data: Mapping[str, Any]) -> tuple[str, str]:
    """A page for a server, which gives pictures and takes decisions, and the policy to send in its header."""
    script, style = _read("page.js"), _read("page.css")
    policy = _policy(script, style, " connect-src 'self';")
    return _page(title, data, script, style, "", ""), f"{policy}; frame-ancestors 'none'"


def runs_html(runs: Sequence[Mapping[str, Any]]) -> tuple[str, str]:
    """A page with a link to the desk of each run, and how far it is, and the policy to send in its header.

    A run has a ``run_id``, the name of its ``file``, the day ``answered``, and the numbers of ``questions`` and of
    those that are ``open``. No runs give a page that says what to do.
    """
    style = _read("page.css")
    rows = "".join(_row(one) for one in runs)
    table = (
        "<table><thead><tr><th>Questionnaire</th><th>Answered</th><th class=number>Questions</th>"
        f"<th class=number>Settled</th><th class=number>Open</th></tr></thead><tbody>{rows}</tbody></table>"
    )
    none = "<p>No questionnaire was answered here yet. To answer one: <code>bidfolio answer FILE</code></p>"
    page = (
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Questionnaires to review</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1"><link rel="icon" href="data:,">'
        f'<style>{style}</style></head><body><header><div class="bar tools"><h1>Questionnaires to review</h1></div>'
        f'</header><div class="runs">{table if rows else none}</div></body></html>'
    )
    policy = f"default-src 'none'; style-src {_hash(style)}; img-src data:; base-uri 'none'; form-action 'none'"
    return page, f"{policy}; frame-ancestors 'none'"


def _row(run: Mapping[str, Any]) -> str:
    run_id, file, answered = (html.escape(str(run[name])) for name in ("run_id", "file", "answered"))
    settled = run["questions"] - run["open"]
    numbers = "".join(
        f"<td class=number>{number}</td>" for number in (run["questions"], settled, run["open"] or "none")
    )
    return f'<tr><td><a href="/review/{run_id}">{file}</a><small>{run_id}</small></td><td>{answered}</td>{numbers}</tr>'


def _page(title: str, data: Mapping[str, Any], script: str, style: str, policy: str, pictures: str) -> str:
    text = json.dumps(data, ensure_ascii=False).replace("<", "\\u003c").replace("\u2028", "\\u2028")
    return Template(_read("page.html")).substitute(
        title=html.escape(title), policy=policy, style=style, script=script, data=text, pictures=pictures
    )


def _policy(script: str, style: str, more: str) -> str:
    return (
        f"default-src 'none'; script-src {_hash(script)}; style-src {_hash(style)}; img-src data:;{more} "
        "base-uri 'none'; form-action 'none'"
    )


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _read(name: str) -> str:
    return (FOLDER / name).read_text(encoding="utf-8")
