"""Blocks of plain text, and clean-up of Markdown before it is parsed: paragraphs without any layout."""

from __future__ import annotations

import re
from functools import cache

from tasks.conversion.document.assembly import Block
from tasks.conversion.layout.tables import CELL_SEPARATOR, table_html
from tasks.text.characters import (
    LINE_END_HYPHEN,
    clean_line,
    count_tokens,
    count_words,
    is_bullet,
    is_numbered,
    mend_hyphens,
)

_RULE = re.compile(r"^\s*[-=_*~#]{3,}\s*$")
_UNDERLINE = re.compile(r"^\s*(={3,}|-{3,})\s*$")
_FENCE = re.compile(r"^\s*(```|~~~)")
_TABLE_RULE = re.compile(r"^\s*\|?\s*:?-{2,}:?\s*(\|\s*:?-{2,}:?\s*)*\|?\s*$")
_ITEM = re.compile(r"^\s*(?:[-*+]|\d{1,3}[.)])\s+\S")
_HEADING = re.compile(r"^#{1,6}\s")
_FRONT = re.compile(r"\A\ufeff?---\s*\n(.*?)\n(?:---|\.\.\.)\s*(?:\n|\Z)", re.S)
_FIELD = re.compile(r"^title\s*:\s*(.+)$", re.I | re.M)
_APART = re.compile(r"\t+ *|(?<![.?!:;]) {2,}")
"""Cells are parted by tabs or two blanks; two blanks after a sentence are common in prose and part none."""
_FULL_LINE = 50
_STRUCK = re.compile(r"(?<![~\\])~~(?=[^\s~])[^~]*(?<=[^\s~])~~(?!~)")
_NUMBERED_TITLE = re.compile(r"^\d{1,2}(?:\.\d{1,3})*\.?\s+[A-Z]")


def read_prose(text: str) -> list[Block]:
    """Read the blocks of a plain text: paragraphs stand between blank lines, list items begin with a mark.

    A lone short line without a final stop before a paragraph is a title. Consecutive lines with the same number of
    cells, parted by tabs or blanks, are a table. A word that a line's end parts is put together. Blank text gives no
    block.
    """
    blocks: list[Block] = []
    for group in _paragraphs(text):
        blocks += _table(group) or _group_blocks([line for line in map(clean_line, group) if line])
    words = cache(lambda: count_words(count_tokens(text)))
    return [block._replace(text=mend_hyphens(block.text, words)) for block in blocks]


def _paragraphs(text: str) -> list[list[str]]:
    """The groups of lines between blank lines and rules, unchanged."""
    groups: list[list[str]] = [[]]
    for raw in re.split(r"\r\n|\r|\n|\f", text):
        line = clean_line(raw)
        if line and not (_RULE.match(line) and not _UNDERLINE.match(line)):
            groups[-1].append(raw)
        elif groups[-1]:
            groups.append([])
    return [group for group in groups if group]


def _table(lines: list[str]) -> list[Block]:
    """The table that the lines make; an empty list where they make none."""
    rows = [[clean_line(cell) for cell in _APART.split(line.strip())] for line in lines]
    if len(rows) < 2 or len(rows[0]) < 2 or any(len(row) != len(rows[0]) for row in rows):
        return []
    return [Block("table", "\n".join(map(CELL_SEPARATOR.join, rows)), html=table_html(rows))]


def _group_blocks(group: list[str]) -> list[Block]:
    at = 0
    titles: list[Block] = []
    while at + 1 < len(group) and _UNDERLINE.match(group[at + 1]):
        titles.append(Block("title", group[at], (0 if group[at + 1][0] == "=" else 1, 0)))
        at += 2
    return titles + _plain_blocks(group[at:])


def _plain_blocks(group: list[str]) -> list[Block]:
    """The blocks of a group of lines whose first line is not underlined."""
    lines = [line for line in group if not _RULE.match(line)]
    if not lines:
        return []
    if len(lines) == 1 and _is_title(lines[0]):
        number = _NUMBERED_TITLE.match(lines[0])
        depth = number.group().rstrip(". ").count(".") + 1 if number else 0
        return [Block("title", lines[0], (2, depth))]
    blocks: list[Block] = []
    for index, line in enumerate(lines):
        if is_bullet(line) or is_numbered(line):
            blocks.append(Block("list_item", line))
        elif index and not ends_short(lines[index - 1]):
            text = blocks[-1].text
            is_parted = text.endswith("-") and text[-2:-1].isalnum() and line[:1].isalnum()
            joined = text[:-1] + LINE_END_HYPHEN + line if is_parted else f"{text} {line}"
            blocks[-1] = Block(blocks[-1].kind, joined)
        else:
            blocks.append(Block("paragraph", line))
    return blocks


def ends_short(line: str) -> bool:
    """Tell if a sentence ends a line that had room for more: the next line is a paragraph of its own."""
    return len(line) < _FULL_LINE and line.endswith((".", ":", "?", "!"))


def _is_title(line: str) -> bool:
    if is_bullet(line) or len(line) > 80 or line.endswith((".", ";", ",", "!")) or not any(c.isalpha() for c in line):
        return False
    return bool(_NUMBERED_TITLE.match(line)) or (
        line[0].isupper() and not is_numbered(line) and len(line.split()) <= 10
    )


def part_front_matter(text: str) -> tuple[str, str, str]:
    """Split a Markdown text from its front matter: the text, the front matter's lines, and its title (each may be
    empty).
    """
    found = _FRONT.match(text)
    if found is None or ":" not in found.group(1):
        return text, "", ""
    title = _FIELD.search(found.group(1))
    return text[found.end() :], found.group(1), title.group(1).strip().strip("\"'") if title else ""


def loosen_markdown(text: str) -> str:
    """Prepare Markdown for the parser: take out struck text (``~~so~~``) and put a blank line before each table and
    list that follows a paragraph's line directly.

    Most renderers read them so; the parser that unstructured uses takes them for the paragraph's own text.
    """
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    out: list[str] = []
    fenced = False
    for index, line in enumerate(lines):
        fenced ^= bool(_FENCE.match(line))
        line = line if fenced or "~~" not in line else _STRUCK.sub("", line)
        before = out[-1] if out else ""
        follows = before.strip() and not fenced and not line.startswith((" ", "\t"))
        starts_table = (
            "|" in line and "|" not in before and index + 1 < len(lines) and _TABLE_RULE.match(lines[index + 1])
        )
        starts_list = _ITEM.match(line) and not _ITEM.match(before) and not before.startswith((" ", "\t", ">"))
        if follows and "|" not in before[:1] and (starts_table or starts_list) and not _HEADING.match(before):
            out.append("")
        out.append(line)
    return "\n".join(out)
