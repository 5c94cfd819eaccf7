"""A document of the demo corpus as its author wrote it: YAML front matter and a small subset of Markdown.

The subset: headings numbered by hand, paragraphs of one line, lists, and pipe tables under a line
`Table: caption`. It has no inline markup, so a stray mark is an error here and never an asterisk in a
customer's PDF. Every block keeps its source line number: by it a quote is found on the page that the line was
set on.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import takewhile
from typing import NamedTuple

from configs.demo.yamls import Frozen, SourceError, load


class Line(NamedTuple):
    """A line of a source file: its 1-based number, and its text without the mark (`#`, `-`, `1.`)."""

    number: int
    text: str


class Row(NamedTuple):
    """A table row: its 1-based source line number and its cells."""

    number: int
    cells: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading of level 1, 2 or 3."""

    line: Line
    level: int


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph, which is one source line."""

    line: Line


@dataclass(frozen=True, slots=True)
class Items:
    """A list; `numbers` are its items' own, and empty where it is one of bullets."""

    lines: tuple[Line, ...]
    numbers: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """A table with its caption; every row has as many cells as the header."""

    caption: Line
    header: Row
    rows: tuple[Row, ...]


Block = Heading | Paragraph | Items | Table


class Front(Frozen):
    """The front matter of a document."""

    file: str
    title: str
    version: str
    date: date
    owner: str
    header: str
    footer: str

    @property
    def day(self) -> str:
        """The date as a British document prints it, `14 April 2026`."""
        return f"{self.date.day} {self.date:%B %Y}"

    @property
    def company(self) -> str:
        """The company, with which the running header begins."""
        return self.header.split(" | ")[0]

    @property
    def control(self) -> dict[str, str]:
        """The document data on the title page, by label."""
        return {"Version": self.version, "Date": self.day, "Owner": self.owner, "Distribution": self.footer}


@dataclass(frozen=True, slots=True)
class Source:
    """A parsed document; `title_lines` are the lines of the front matter, as written, on its title page."""

    front: Front
    title_lines: tuple[Line, ...]
    blocks: tuple[Block, ...]


_FRONT = re.compile(r"---\n(?P<yaml>.*?\n)---\n(?P<body>.*)", re.DOTALL)
_HEADING = re.compile(r"(#{1,3}) (.+)")
_CAPTION = re.compile(r"Table: (.+)")
_BULLET = re.compile(r"- (.+)")
_NUMBER = re.compile(r"(\d+)\. (.+)")
_RULE = re.compile(r"\|(?: *:?-+:? *\|)+")
_FOREIGN = re.compile(r"\*\*|`|\]\(|</[a-z]|<br|^(?:#{4}|\* |> |\s)|^#+[^# ]")


def parse(text: str, name: str) -> Source:
    """The document that `text` holds; its blocks are in the order of the file.

    Raises a `SourceError` with the file `name` and the line where the text leaves the subset.
    """
    match = _FRONT.fullmatch(text)
    if match is None:
        raise SourceError(f"{name}: starts with no front matter between two lines of ---")
    front = [Line(number, line) for number, line in enumerate(match["yaml"].splitlines(), 2)]
    body = enumerate(match["body"].splitlines(), len(front) + 3)
    return Source(
        load(match["yaml"], Front, name),
        tuple(line for line in front if not line.text.startswith(("file:", "header:"))),
        tuple(_blocks([Line(number, line.rstrip()) for number, line in body if line.strip()], name)),
    )


def _blocks(lines: Sequence[Line], name: str) -> Iterator[Block]:
    """The blocks that the non-empty lines make. A list or a table ends where another kind of line begins."""
    for line in lines:
        if _FOREIGN.search(line.text):
            raise SourceError(f"{name}:{line.number}: not in the Markdown subset: {line.text[:60]!r}")
    while lines:
        first = lines[0]
        taken = 1
        if heading := _HEADING.fullmatch(first.text):
            yield Heading(Line(first.number, heading[2]), len(heading[1]))
        elif caption := _CAPTION.fullmatch(first.text):
            taken += _run(lines[1:], lambda text: text.startswith("|"))
            yield _table(Line(first.number, caption[1]), lines[1:taken], name)
        elif first.text.startswith("|"):
            raise SourceError(f"{name}:{first.number}: a table needs a line 'Table: caption' right before it")
        elif _BULLET.fullmatch(first.text):
            taken = _run(lines, _BULLET.fullmatch)
            yield Items(tuple(Line(number, text[2:]) for number, text in lines[:taken]), numbers=())
        elif _NUMBER.fullmatch(first.text):
            taken = _run(lines, _NUMBER.fullmatch)
            parts = [(number, text.partition(". ")) for number, text in lines[:taken]]
            yield Items(
                tuple(Line(number, text) for number, (_, _, text) in parts),
                numbers=tuple(int(label) for _, (label, _, _) in parts),
            )
        else:
            yield Paragraph(first)
        lines = lines[taken:]


def _run(lines: Sequence[Line], belongs: Callable[[str], object]) -> int:
    return sum(1 for _ in takewhile(lambda line: belongs(line.text), lines))


def _table(caption: Line, lines: Sequence[Line], name: str) -> Table:
    """The table under the caption: a header row, a rule, and rows of the header's width."""
    if len(lines) < 3 or not _RULE.fullmatch(lines[1].text):
        raise SourceError(f"{name}:{caption.number}: a table is a header row, a line |---|---| and at least one row")
    header, *rows = (
        Row(number, tuple(cell.strip() for cell in text.removeprefix("|").removesuffix("|").split("|")))
        for number, text in (lines[0], *lines[2:])
    )
    for row in rows:
        if len(row.cells) != len(header.cells):
            raise SourceError(f"{name}:{row.number}: {len(row.cells)} cells under {len(header.cells)} headings")
    return Table(caption, header, tuple(rows))


def lines_of(block: Block) -> tuple[Line, ...]:
    """The block's lines in order; a table row is one line, its cells joined by a bar."""
    match block:
        case Heading(line) | Paragraph(line):
            return (line,)
        case Items(lines):
            return lines
        case Table(caption, header, rows):
            return (caption, *(Line(number, " | ".join(cells)) for number, cells in (header, *rows)))


def column_widths(table: Table, width: float, measure: Callable[[str], float] = len, padding: float = 3) -> list[float]:
    """The width of each column, in the unit of `measure` and `padding`; together they make `width`.

    Each column gets its longest word with padding; the rest is shared by how much longer its longest cell is,
    up to 60% of the whole.
    """
    columns = list(zip(table.header.cells, *(row.cells for row in table.rows), strict=True))
    least = [max(measure(word) for cell in column for word in (*cell.split(), "-")) + padding for column in columns]
    most = [min(max(map(measure, column)) + padding, 0.6 * width) for column in columns]
    wish = [max(high - low, 1.0) for low, high in zip(least, most, strict=True)]
    spare = (width - sum(least)) / sum(wish)
    return [low + spare * more for low, more in zip(least, wish, strict=True)]
