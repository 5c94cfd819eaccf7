"""Small files of the kinds that public reports name as read wrongly, and what a person reads in each.

Run: .venv/bin/python -m tests.made.hard_files, which writes them anew into tests/data/hard.

A file is read rightly where each of its phrases is found once, in their order, no phrase that a person does not see is
found, and a phrase with a place is found on that page. Phrases are compared word by word: a word is a run of letters
and digits, so that punctuation, line ends and the signs of a table do not count, and a word that is cut does.
"""

from __future__ import annotations

import io
import re
import textwrap
import zipfile
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import pptx
import pypdf
from pptx.util import Inches
from pypdf.constants import PageLabelStyle
from reportlab.pdfbase.pdfmetrics import stringWidth
from reportlab.pdfgen.canvas import Canvas

from tests.made.columns import LEFT, RIGHT, across
from tests.made.known_documents import register_vera
from tests.made.paths import ROOT
from tests.made.pdfs import letter_by_letter, pdf_of_pages
from tests.made.word_forms import NAMESPACES, cell, paragraph, run, table

FOLDER = ROOT / "tests" / "data" / "hard"
_WORD = re.compile(r"[^\W_]+")
_BODY = "All data at rest is encrypted by keys that are kept apart from it."


class Place(NamedTuple):
    """A phrase, the number of the page that shows it, as a viewer counts, and the number printed on that page."""

    phrase: str
    page_number: int
    label: str


class HardFile(NamedTuple):
    """A file, the report that it stands for, and what is read in it: phrases in order, unseen ones, and a place."""

    name: str
    case: str
    make: Callable[[], bytes]
    phrases: Sequence[str]
    unseen: Sequence[str] = ()
    place: Place | None = None


class ReadPage(NamedTuple):
    """The text that a tool gives for a page, and the page's number and printed label where the tool gives them."""

    text: str
    page_number: int | None = None
    label: str | None = None


def faults(file: HardFile, pages: Sequence[ReadPage]) -> list[str]:
    """Name what is wrong in ``pages``, as a tool read them from the ``file``; nothing where it is read rightly."""
    text = _words(" ".join(page.text for page in pages))
    found: list[str] = []
    end = 0
    for phrase in map(_words, file.phrases):
        at, shown = text.find(phrase), textwrap.shorten(phrase, 60, placeholder=" …")
        if at < 0:
            found.append(f"lacks “{shown}”")
        elif text.find(phrase, at + 1) >= 0:
            found.append(f"has “{shown}” twice")
        elif at < end - 1:
            found.append(f"has “{shown}” too early")
        else:
            end = at + len(phrase)
    found += [f"has “{phrase}”" for phrase in file.unseen if _words(phrase) in text]
    if file.place:
        phrase, number, label = file.place
        own = next((page for page in pages if _words(phrase) in _words(page.text)), ReadPage(""))
        if own.page_number != number:
            found.append(f"gives page {own.page_number} for {number}" if own.page_number else "gives no page")
        elif own.label != label:
            found.append(f"gives no label for page {number}, which is printed as {label}")
    return found


def _words(text: str) -> str:
    return f" {' '.join(_WORD.findall(text))} "


def _two_columns() -> bytes:
    return pdf_of_pages([across([LEFT, RIGHT])])


def _hyphen_over_a_column() -> bytes:
    left = [*LEFT[:7], "provider. Each of the backups is en-"]
    return pdf_of_pages([across([left, ["crypted before it leaves the building.", *RIGHT[:7]]])])


_KERNED = "To AVOID WASTE Two Tested Vaults AWAIT Yearly AVERAGES"
_PAIRS = {"To": 80, "AV": 135, "VO": 40, "WA": 120, "AS": 20, "Tw": 80, "Te": 70, "Va": 111, "AW": 90, "Ye": 100}


def _kerned_glyphs() -> bytes:
    """Letters that a TJ operator moves closer, and words that it moves apart without a blank, as TeX sets them."""
    out = io.BytesIO()
    canvas = Canvas(out, pagesize=(595, 842), invariant=1)
    canvas.setFont("Times-Roman", 14)
    pieces = [""]
    for letter, following in zip(_KERNED, f"{_KERNED[1:]} ", strict=True):
        if letter == " ":
            pieces += ["-250", ""]
            continue
        pieces[-1] += letter
        if kern := _PAIRS.get(letter + following):
            pieces += [str(kern), ""]
    shown = " ".join(piece if at % 2 else f"({piece})" for at, piece in enumerate(pieces))
    font = canvas._doc.getInternalFontName("Times-Roman")
    canvas._code.append(f"BT {font} 14 Tf 60 700 Td [{shown}] TJ ET")
    canvas.drawString(60, 660, _BODY)
    canvas.save()
    return out.getvalue()


def _ligatures() -> bytes:
    register_vera()
    said = "The of\ufb01ce con\ufb01rmed that the data \ufb02ow of all \ufb01les is re\ufb02ected in the diagram."
    return pdf_of_pages([[(60, 700, said, "Vera", 11)]])


def _page_labels() -> bytes:
    said = [
        "A guide to our service",
        "Contents of the guide",
        "Backups are taken every night",
        "Keys are rotated yearly",
    ]
    writer = pypdf.PdfWriter(clone_from=io.BytesIO(pdf_of_pages([[(60, 700, text)] for text in said])))
    writer.set_page_label(0, 1, style=PageLabelStyle.LOWERCASE_ROMAN)
    writer.set_page_label(2, 3, style=PageLabelStyle.DECIMAL)
    return _written(writer)


def _owner_password() -> bytes:
    writer = pypdf.PdfWriter(clone_from=io.BytesIO(pdf_of_pages([[(60, 700, _BODY)]])))
    writer.encrypt("", "owner", algorithm="AES-256")
    return _written(writer)


_LINES = (
    "The service keeps its logs for ninety days in a store",
    "that administrators cannot change. Each access to the",
    "store is reviewed by the security team of the company.",
)
_ROWS = (("Control", "Owner", "Tested"), ("Backups", "Ann", "March"), ("Restores", "Bob", "April"))


def _rotated_pages() -> bytes:
    """A page that is displayed after a quarter turn, and one with a table set along its long side."""
    out = io.BytesIO()
    canvas = Canvas(out, pagesize=(595, 842), invariant=1)
    canvas.translate(595, 0)
    canvas.rotate(90)
    for at, line in enumerate(_LINES):
        canvas.drawString(60, 500 - 14 * at, line)
    canvas.showPage()
    canvas.translate(595, 0)
    canvas.rotate(90)
    for at, row in enumerate(_ROWS):
        for x, text in zip((72, 250, 420), row, strict=True):
            canvas.drawString(x, 500 - 18 * at, text)
    canvas.showPage()
    canvas.save()
    writer = pypdf.PdfWriter(clone_from=io.BytesIO(out.getvalue()))
    writer.pages[0].rotate(90)
    return _written(writer)


def _letter_spacing() -> bytes:
    before, spaced, after = "Keys are", "never", "kept beside the data that they open."
    x = 60 + stringWidth(f"{before} ", "Helvetica", 11)
    width = stringWidth(spaced, "Helvetica", 11) + 0.25 * 11 * len(spaced) + 3
    answers = [(60 + 12 * at, 600, letter, "Helvetica", 11) for at, letter in enumerate("YNPY")]
    drawn = [
        *letter_by_letter(60, 760, "ENCRYPTION AT REST", 0.3, "Helvetica-Bold", 18),
        *((60, 730, f"{before} "), *letter_by_letter(x, 730, spaced, 0.25), (x + width, 730, after)),
        *letter_by_letter(60, 690, "Backup Policy", 0.15, size=14),
        *((60, 660, "Backups are taken every night."), *answers),
    ]
    return pdf_of_pages([drawn])


def _nested_tables() -> bytes:
    inner = table(["Root key", "365"], ["Data key", "90"])
    rows = [["Topic", "Rule"], ["Keys", cell(paragraph("They rotate yearly.") + inner + paragraph())]]
    return _word_file(table(*rows, ["Logs", "They are kept for seven years."]))


def _text_boxes() -> bytes:
    """A text box as Word saves it: once as a drawing, and once more for old programs."""
    inside = f"<w:txbxContent>{paragraph('We are back within four hours.')}</w:txbxContent>"
    shape = (
        '<w:drawing><wp:anchor behindDoc="0"><wp:extent cx="2000000" cy="600000"/><wp:docPr id="1" name="Box"/>'
        '<a:graphic><a:graphicData uri="http://schemas.microsoft.com/office/word/2010/wordprocessingShape">'
        f"<wps:wsp><wps:txbx>{inside}</wps:txbx><wps:bodyPr/></wps:wsp></a:graphicData></a:graphic></wp:anchor>"
        "</w:drawing>"
    )
    old = f"<w:pict><v:shape><v:textbox>{inside}</v:textbox></v:shape></w:pict>"
    box = (
        f'<w:r><mc:AlternateContent><mc:Choice Requires="wps">{shape}</mc:Choice>'
        f"<mc:Fallback>{old}</mc:Fallback></mc:AlternateContent></w:r>"
    )
    return _word_file(
        paragraph(run("Recovery is tested twice a year.") + box), paragraph("The board sees the results.")
    )


def _tracked_changes() -> bytes:
    by = 'w:id="1" w:author="A" w:date="2026-01-01T00:00:00Z"'

    def gone(text: str) -> str:
        return f"<w:del {by}><w:r><w:delText>{text}</w:delText></w:r></w:del>"

    changed = run("Logs are kept for ") + gone("30 weeks") + f"<w:ins {by}>{run('90 days')}</w:ins>" + run(" abroad.")
    return _word_file(
        paragraph(changed),
        paragraph(gone("Auditors may not see them."), mark=f"<w:del {by}/>"),
        paragraph("Access to them is reviewed."),
    )


def _hidden_text() -> bytes:
    margin = run("Our margin is forty percent. ", "<w:vanish/>")
    return _word_file(paragraph(run("The price is fixed. ") + margin + run("It holds for a year.")))


def _word_file(*body: str) -> bytes:
    names = (
        f'{NAMESPACES} xmlns:v="urn:schemas-microsoft-com:vml" '
        'xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape"'
    )
    types = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
    packages = "http://schemas.openxmlformats.org/package/2006"
    office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{packages}/content-types"><Default Extension="rels" '
        'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Override PartName="/word/document.xml" ContentType="{types}"/></Types>',
        "_rels/.rels": f'<Relationships xmlns="{packages}/relationships"><Relationship Id="rId1" '
        f'Type="{office}/officeDocument" Target="word/document.xml"/></Relationships>',
        "word/document.xml": f"<w:document {names}><w:body>{''.join(body)}<w:sectPr/></w:body></w:document>",
    }
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as package:
        for name, text in parts.items():
            package.writestr(zipfile.ZipInfo(name), f'<?xml version="1.0" encoding="UTF-8"?>{text}')
    return out.getvalue()


def _groups() -> bytes:
    deck = pptx.Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[6])
    _add_box(slide.shapes, "All of it is in the price.", 5)
    group = slide.shapes.add_group_shape()
    _add_box(group.shapes, "Support is given at night.", 3.5)
    within = group.shapes.add_group_shape()
    _add_box(within.shapes, "Hosting is in two regions.", 2.5)
    _add_box(slide.shapes, "We offer this to every customer.", 1)
    return _saved(deck)


def _hidden_slides() -> bytes:
    deck = pptx.Presentation()
    for text in ("The price is fixed.", "Our margin is forty percent.", "It holds for a year."):
        slide = deck.slides.add_slide(deck.slide_layouts[6])
        _add_box(slide.shapes, text, 1)
        if "margin" in text:
            slide._element.set("show", "0")
    return _saved(deck)


def _add_box(shapes: Any, text: str, top: float) -> None:
    shapes.add_textbox(Inches(1), Inches(top), Inches(4), Inches(0.5)).text_frame.text = text


def _saved(deck: Any) -> bytes:
    out = io.BytesIO()
    deck.save(out)
    return out.getvalue()


def _written(writer: pypdf.PdfWriter) -> bytes:
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()


_PRICE = ("The price is fixed", "It holds for a year")
_MARGIN = ("Our margin is forty percent",)

HARD_FILES = (
    HardFile("two-columns.pdf", "two columns", _two_columns, (" ".join(LEFT), " ".join(RIGHT))),
    HardFile(
        "hyphen-over-a-column.pdf",
        "hyphen over a column",
        _hyphen_over_a_column,
        (" ".join(LEFT[:7]), "Each of the backups is encrypted before it leaves", " ".join(RIGHT[:7])),
    ),
    HardFile("kerned-glyphs.pdf", "kerned glyphs", _kerned_glyphs, (_KERNED, _BODY)),
    HardFile(
        "ligatures.pdf",
        "ligatures",
        _ligatures,
        ("The office confirmed that the data flow of all files is reflected in the diagram",),
    ),
    HardFile(
        "page-labels.pdf",
        "page labels",
        _page_labels,
        ("A guide to our service", "Backups are taken every night"),
        place=Place("Backups are taken every night", 3, "1"),
    ),
    HardFile(
        "nested-tables.docx",
        "nested tables",
        _nested_tables,
        ("Topic Rule", "Keys They rotate yearly", "Root key 365", "Data key 90", "Logs They are kept for seven years"),
    ),
    HardFile(
        "text-boxes.docx",
        "text boxes",
        _text_boxes,
        ("Recovery is tested twice a year", "We are back within four hours", "The board sees the results"),
    ),
    HardFile(
        "tracked-changes.docx",
        "tracked changes",
        _tracked_changes,
        ("Logs are kept for 90 days abroad", "Access to them is reviewed"),
        ("30 weeks", "Auditors may not see them"),
    ),
    HardFile("hidden-text.docx", "hidden text and slides", _hidden_text, _PRICE, _MARGIN),
    HardFile("hidden-slides.pptx", "hidden text and slides", _hidden_slides, _PRICE, _MARGIN),
    HardFile(
        "groups.pptx",
        "groups",
        _groups,
        (
            *("We offer this to every customer", "Hosting is in two regions"),
            *("Support is given at night", "All of it is in the price"),
        ),
    ),
    HardFile("owner-password.pdf", "owner passwords", _owner_password, (_BODY,)),
    HardFile(
        "rotated-pages.pdf",
        "rotated pages",
        _rotated_pages,
        (" ".join(_LINES), *(" ".join(row) for row in _ROWS)),
    ),
    HardFile(
        "letter-spacing.pdf",
        "letter-spacing",
        _letter_spacing,
        (
            "ENCRYPTION AT REST",
            "Keys are never kept beside the data that they open",
            *("Backup Policy", "Backups are taken every night", "Y N P Y"),
        ),
    ),
)
"""The files of the thirteen cases; one case has two."""


if __name__ == "__main__":
    for hard in HARD_FILES:
        (FOLDER / hard.name).write_bytes(hard.make())
