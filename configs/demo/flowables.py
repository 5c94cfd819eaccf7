"""Elements of the demo's PDFs: paragraphs that record their pages, bookmarked headings, contents lines."""

# pyright: reportUnknownMemberType=false
# reportlab is untyped, and the stubs that pyright brings for it leave some arguments open.

from typing import TypeVar, cast
from xml.sax.saxutils import escape

from reportlab.lib.colors import HexColor, black
from reportlab.lib.styles import ParagraphStyle
from reportlab.pdfbase.pdfmetrics import stringWidth
from reportlab.platypus import Flowable, Paragraph

from configs.demo.passages import Passage, Place
from configs.demo.source import Heading, Line

GREY = HexColor("#5c6773")

TRANSLITERATION = str.maketrans({"ń": "n", "Ń": "N", "ł": "l", "Ł": "L"})
"""Replacements for characters without a glyph in the standard PDF fonts: Gdańsk reads Gdansk in a PDF."""


def settable(text: str) -> str:
    """The text as the standard fonts can set it; raises UnicodeEncodeError for a glyph without a stand-in."""
    return text.translate(TRANSLITERATION).encode("cp1252").decode("cp1252")


class Placed(Paragraph):
    """A paragraph of one source line that notes, as it is drawn, which of its words stand on which page."""

    line: int
    ledger: list[Passage]

    def split(self, availWidth: float, availHeight: float) -> list[Flowable]:
        """The parts before and after the page end; each keeps the line."""
        parts = cast("list[Placed]", super().split(availWidth, availHeight))
        for part in parts:
            part.line, part.ledger = self.line, self.ledger
        return list(parts)

    def draw(self) -> None:
        """Draws the text and adds its passage to the ledger."""
        # Where split() has made the paragraph, its words are in a list that getPlainText() knows nothing of.
        text = self.getPlainText() or " ".join(word for part in self.frags for word in part.words)
        self.ledger.append(Passage(self.line, text, Place(self.canv.getPageNumber())))
        super().draw()


class Bookmarked(Placed):
    """A heading that is also an entry of the PDF's outline, at a depth from 0."""

    title: str
    depth: int

    def draw(self) -> None:
        """Draws the heading and its bookmark."""
        self.canv.bookmarkPage(_key(self.line))
        self.canv.addOutlineEntry(self.title, _key(self.line), self.depth, closed=self.depth > 0)
        super().draw()


class ContentsLine(Flowable):
    """A line of the contents page: a heading, dots, its page number, and a link there."""

    def __init__(self, heading: Heading, page: int, width: float) -> None:
        super().__init__()
        self.heading, self.page = heading, page
        self.width, self.height = width, 21.0 if heading.level == 1 else 16.5

    def draw(self) -> None:
        """Draws the line."""
        font, size = ("Helvetica-Bold", 10.5) if self.heading.level == 1 else ("Helvetica", 10)
        text, indent = settable(self.heading.line.text), 16.0 * (self.heading.level - 1)
        room = self.width - 32 - indent - stringWidth(text, font, size)
        self.canv.setFillColor(black)
        self.canv.setFont(font, size)
        self.canv.drawString(indent, 0, text)
        self.canv.drawRightString(self.width, 0, str(self.page))
        self.canv.setFillColor(GREY)
        self.canv.setFont("Helvetica", 10)
        self.canv.drawRightString(self.width - 24, 0, " ".join("." * int(room / stringWidth(". ", "Helvetica", 10))))
        self.canv.linkRect("", _key(self.heading.line.number), (indent, -3, self.width, 11), relative=1, thickness=0)


_P = TypeVar("_P", bound=Placed)


def placed(kind: type[_P], line: Line, style: ParagraphStyle, ledger: list[Passage], *, mark: str | None = None) -> _P:
    """A paragraph of the given kind for a source line, after a list mark if any."""
    paragraph = kind(escape(settable(line.text)), style, bulletText=mark)
    paragraph.line, paragraph.ledger = line.number, ledger
    return paragraph


def _key(line: int) -> str:
    return f"line-{line}"
