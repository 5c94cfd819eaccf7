"""Documents whose text is known, and the share of it that conversion gives back in order."""

from __future__ import annotations

import io
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any, NamedTuple

from configs.demo import source as src
from configs.demo.flowables import settable
from configs.demo.passages import Rendered
from tasks.conversion.document.assembly import PAGE_SEPARATOR
from tasks.conversion.layout.headers_and_footers import MIN_PAGES

_LIGATURES = str.maketrans({"\ufb00": "ff", "\ufb01": "fi", "\ufb02": "fl", "\ufb03": "ffi", "\ufb04": "ffl"})
_HYPHENS = str.maketrans(dict.fromkeys("-\u2010\u2011\xad"))

HEADER, FOOTER = "Qhead Corvex confidential", "Qfoot printed on sheet"


def words_of(text: str) -> list[str]:
    """The words of a text: between blanks, with a letter or digit, without hyphens and with ligatures taken apart.

    A word that goes on over a page's end, after a hyphen, is one.
    """
    plain = text.replace(f"-{PAGE_SEPARATOR}", "").translate(_LIGATURES).translate(_HYPHENS)
    return [word for word in plain.split() if any(c.isalnum() for c in word)]


class Kept(NamedTuple):
    """Counts of a text's words, of those that came back in order, and of others that came with them."""

    words: int
    kept: int
    others: int

    @property
    def share(self) -> float:
        """The share that came back; 1 of nothing."""
        return self.kept / self.words if self.words else 1.0


def compare(known: str, found: str) -> Kept:
    """The longest common subsequence of the words of both, by Myers' greedy algorithm (1986).

    Its time grows with the length times the number of differences, of which there should be few: past a tenth of the
    words the search ends, and what is alike so far counts.
    """
    first, second = words_of(known), words_of(found)
    length = _common(first, second)
    return Kept(len(first), length, len(second) - length)


def _common(first: Sequence[str], second: Sequence[str]) -> int:
    n, m = len(first), len(second)
    furthest = {1: 0}
    best = 0
    for edits in range(n + m + 1):
        for diagonal in range(-edits, edits + 1, 2):
            down = diagonal == -edits or (
                diagonal != edits and furthest.get(diagonal - 1, -1) < furthest.get(diagonal + 1, -1)
            )
            x = furthest.get(diagonal + 1, 0) if down else furthest.get(diagonal - 1, 0) + 1
            y = x - diagonal
            while x < n and y < m and first[x] == second[y]:
                x, y = x + 1, y + 1
            furthest[diagonal] = x
            best = max(best, (min(x, n) + min(y, m) - edits) // 2)
            if x >= n and y >= m:
                return (n + m - edits) // 2
        if edits > 40 + abs(n - m) + n // 10:
            break
    return best


def demo_text(source: src.Source, rendered: Rendered) -> str:
    """All that a document of the demo prints but its running lines, in reading order, from its source."""
    return "\n".join(_demo_lines(source, rendered))


def _demo_lines(source: src.Source, rendered: Rendered) -> Iterator[str]:
    front = source.front
    yield settable(front.company)
    yield settable(front.title)
    for label, value in front.control.items():
        yield f"{label} {settable(value)}"
    pages: dict[int, int | None] = {}
    for passage in rendered.passages:
        pages.setdefault(passage.line, passage.place.page)
    yield "Contents"
    for block in source.blocks:
        if isinstance(block, src.Heading) and block.level <= 2:
            yield f"{settable(block.line.text)} {pages[block.line.number]}"
    tables = 0
    for block in source.blocks:
        match block:
            case src.Items(lines, numbers):
                for index, line in enumerate(lines):
                    yield f"{f'{numbers[index]}.' if numbers else '-'} {settable(line.text)}"
            case src.Table(caption, header, rows):
                tables += 1
                yield f"Table {tables}: {settable(caption.text)}"
                for row in (header, *rows):
                    yield settable(" ".join(row.cells))
            case src.Heading(line) | src.Paragraph(line):
                yield settable(line.text)


@dataclass(frozen=True)
class Recipe:
    """The recipe of a random document; the same recipe gives the same bytes."""

    seed: int
    page: tuple[float, float] = (595.0, 842.0)
    font: str = "Helvetica"
    size: float = 10.5
    columns: int = 1
    is_justified: bool = False
    has_running_lines: bool = True
    blocks: tuple[str, ...] = field(default=("title", "paragraph", "list", "paragraph", "table", "paragraph"))


class Made(NamedTuple):
    """A document's bytes, what it says without its running lines, and its pages."""

    data: bytes
    text: str
    pages: int


_LETTERS = "abcdefghijklmnopqrstuvwxyz" * 4 + "éèüöäßñçåøáíóúâêîôû"
_COMMON = (
    "the and of to in that is was for with on as by at from which are be this have not or an it its shall must may "
    "data access control policy backup customer encryption review incident supplier security region service"
).split()
_ENDS = (".", ".", ".", "?", ";", ":")


@cache
def register_vera() -> None:
    """The one font of reportlab's own that has glyphs for ligatures."""
    from reportlab.pdfbase import pdfmetrics
    from reportlab.pdfbase.ttfonts import TTFont

    pdfmetrics.registerFont(TTFont("Vera", "Vera.ttf"))


def random_word(chance: random.Random, has_ligatures: bool, longest: int) -> str:
    """A word, a number, a compound, or something long, of at most ``longest`` characters where that is 11 or more."""
    found = _any_word(chance, has_ligatures, longest)
    return found if len(found) <= longest else chance.choice(_COMMON)


def _any_word(chance: random.Random, has_ligatures: bool, longest: int) -> str:
    draw = chance.random()
    if draw < 0.55:
        return chance.choice(_COMMON)
    if draw < 0.65:
        return chance.choice((f"{chance.randint(0, 99999):,}", f"{chance.random():.3f}", f"{chance.randint(1, 99)}%"))
    if draw < 0.72:
        return f"{chance.choice(_COMMON)}-{chance.choice(_COMMON)}"
    if draw < 0.75:
        return "".join(chance.choices(_LETTERS, k=chance.randint(12, max(12, longest))))
    if draw < 0.80 and has_ligatures:
        return chance.choice(("\ufb01les", "\ufb02ow", "of\ufb01ce", "con\ufb01rm", "in\ufb02uence"))
    if draw < 0.84:
        return chance.choice(("(see", "“quoted”", "it’s", "e.g.", "A/B", "ISO", "TLS", "GDPR,", "a_b", "x@y.example"))
    return "".join(chance.choices(_LETTERS, k=chance.randint(2, 11)))


def _hyphenated(text: str, width: int) -> list[str]:
    """The text in lines of at most that many characters, with words that are only letters parted by a hyphen."""
    lines = [""]
    for word in text.replace("&", "&amp;").split():
        room = width - len(lines[-1]) - 2
        # By chance the rest of a word is one: "day- and" keeps its hyphen.
        is_ambiguous = word[max(room - 1, 0) :] in ("and", "or", "und", "oder", "et", "ou")
        if len(word) <= room:
            lines[-1] = f"{lines[-1]} {word}".strip()
        elif not is_ambiguous and room >= 4 and word.isalpha() and word.islower() and len(word) - room >= 1:
            lines[-1] = f"{lines[-1]} {word[: room - 1]}-".strip()
            lines.append(word[room - 1 :])
        else:
            lines.append(word)
    return lines


def make_document(recipe: Recipe) -> Made:
    """A PDF of that recipe, set by reportlab; without running lines where its pages are too few to tell them."""
    from reportlab.lib.enums import TA_JUSTIFY, TA_LEFT
    from reportlab.lib.styles import ParagraphStyle
    from reportlab.platypus import BaseDocTemplate, Flowable, Frame, PageTemplate, Paragraph, Spacer, Table

    if recipe.font == "Vera":
        register_vera()
    chance = random.Random(recipe.seed)
    width, height = recipe.page
    margin, size = 50.0, recipe.size
    text = ParagraphStyle(
        "text",
        fontName=recipe.font,
        fontSize=size,
        leading=1.35 * size,
        alignment=TA_JUSTIFY if recipe.is_justified else TA_LEFT,
        spaceAfter=0.7 * size,
        # A word that is cut without a hyphen, as reportlab does it, is two words to any reader.
        splitLongWords=0,
    )
    head = ParagraphStyle("head", text, fontSize=1.5 * size, leading=2 * size, spaceBefore=size, alignment=TA_LEFT)
    item = ParagraphStyle("item", text, leftIndent=16, bulletIndent=4)
    cell = ParagraphStyle("cell", text, fontSize=0.9 * size, leading=1.1 * size, alignment=TA_LEFT, spaceAfter=0)
    gutter = 24.0
    column = (width - 2 * margin - gutter * (recipe.columns - 1)) / recipe.columns
    letter = 0.68 * size
    said: list[str] = []
    story: list[Flowable] = []

    def sentence(least: int, most: int, end: str, room: float) -> str:
        longest = min(28, int(room / letter) - 2)
        words = [random_word(chance, recipe.font == "Vera", longest) for _ in range(chance.randint(least, most))]
        return " ".join(words) + end

    def say(value: str) -> str:
        said.append(value)
        return value.replace("&", "&amp;").replace("<", "&lt;")

    for kind in recipe.blocks:
        match kind:
            case "title":
                story.append(Paragraph(say(" ".join(chance.choices(_COMMON, k=4)).capitalize()), head))
            case "list":
                for _ in range(chance.randint(2, 6)):
                    story.append(Paragraph(say(sentence(3, 25, "", column - 16)), item, bulletText="\u2022"))
            case "table" if column / 2 > 14 * letter:
                across = chance.randint(2, min(4, int(column / (14 * letter))))
                rows = [
                    [Paragraph(say(sentence(1, 5, "", column / across - 12)), cell) for _ in range(across)]
                    for _ in range(chance.randint(2, 9))
                ]
                story += [Table(rows, colWidths=[column / across] * across), Spacer(0, size)]
            case "hyphenated":
                body = say(sentence(40, 90, ".", column))
                story.append(Paragraph("<br/>".join(_hyphenated(body, int(column / letter))), text))
            case _:
                body = " ".join(sentence(4, 20, chance.choice(_ENDS), column) for _ in range(chance.randint(1, 7)))
                story.append(Paragraph(say(body), text))

    pages = 0

    def draw_running_lines(canvas: Any, _document: Any) -> None:
        nonlocal pages
        pages += 1
        if recipe.has_running_lines:
            canvas.setFont("Helvetica", 8)
            canvas.drawString(margin, height - 30, HEADER)
            canvas.drawString(margin, 24, f"{FOOTER} {canvas.getPageNumber()}")

    frames = [
        Frame(margin + index * (column + gutter), margin, column, height - 2 * margin, 0, 0, 0, 0)
        for index in range(recipe.columns)
    ]
    out = io.BytesIO()
    document = BaseDocTemplate(out, pagesize=recipe.page, invariant=1)
    document.addPageTemplates([PageTemplate("all", frames, onPage=draw_running_lines)])
    document.build(story)
    if recipe.has_running_lines and pages < MIN_PAGES:
        return make_document(replace(recipe, has_running_lines=False))
    return Made(out.getvalue(), "\n".join(said), pages)


def make_rows(seed: int, font: str, size: float, rows: int, hyphens: float) -> Made:
    """A page of two columns that are drawn row by row, of whose lines a share of about ``hyphens`` ends with one."""
    from reportlab.pdfbase.pdfmetrics import stringWidth
    from reportlab.pdfgen import canvas

    if font == "Vera":
        register_vera()
    chance = random.Random(seed)
    margin, gutter, room = 50.0, 24.0, 30 * size

    def column() -> list[str]:
        lines: list[str] = []
        opening = ""
        for row in range(rows):
            word = chance.choice([word for word in _COMMON if len(word) > 5])
            is_parted = row < rows - 1 and chance.random() < hyphens
            end = f" {word[:3]}-" if is_parted else ""
            line = opening or chance.choice(_COMMON)
            while stringWidth(longer := f"{line} {chance.choice(_COMMON)}", font, size) <= room - 3 * size * is_parted:
                line = longer
            lines.append(line + end)
            opening = word[3:] if is_parted else ""
        return lines

    left, right = column(), column()
    out = io.BytesIO()
    pdf = canvas.Canvas(out, pagesize=(2 * margin + gutter + 2 * room, 2 * margin + 1.35 * size * rows), invariant=1)
    pdf.setFont(font, size)
    for row, pair in enumerate(zip(left, right, strict=True)):
        for index, line in enumerate(pair):
            pdf.drawString(margin + index * (room + gutter), margin + 1.35 * size * (rows - row), line)
    pdf.save()
    return Made(out.getvalue(), " ".join(left + right).replace("- ", ""), 1)


PAGES = ((595.0, 842.0), (612.0, 792.0), (842.0, 595.0), (420.0, 595.0), (720.0, 540.0))
FONTS = ("Helvetica", "Times-Roman", "Courier", "Vera")
SIZES = (7.0, 9.0, 10.5, 12.0, 14.0)
KINDS = ("paragraph", "paragraph", "hyphenated", "title", "list", "table")


def random_recipe(seed: int) -> Recipe:
    """A recipe by chance, the same for the same seed."""
    chance = random.Random(seed)
    return Recipe(
        seed,
        chance.choice(PAGES),
        chance.choice(FONTS),
        chance.choice(SIZES),
        chance.choice((1, 1, 2)),
        chance.random() < 0.5,
        chance.random() < 0.5,
        tuple(chance.choices(KINDS, k=chance.randint(3, 40))),
    )
