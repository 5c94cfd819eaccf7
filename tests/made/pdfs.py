"""PDFs of text drawn at given places."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence

MakePdf = Callable[..., bytes]


def pdf_of_pages(pages: Sequence[Sequence[tuple[object, ...]]], title: str = "", encrypt: object = None) -> bytes:
    """A PDF of pages, each a list of (x, y, text) or (x, y, text, font, size)."""
    from reportlab.pdfgen import canvas

    out = io.BytesIO()
    pdf = canvas.Canvas(out, pagesize=(595, 842), encrypt=encrypt)
    if title:
        pdf.setTitle(title)
    for page in pages:
        for x, y, text, *font in page:
            pdf.setFont(*(font or ("Helvetica", 11)))
            pdf.drawString(x, y, text)
        pdf.showPage()
    pdf.save()
    return out.getvalue()


def letter_by_letter(
    x: float, y: float, text: str, gap: float, font: str = "Helvetica", size: float = 11
) -> list[tuple[object, ...]]:
    """The letters of ``text``, each drawn by itself, ``gap`` over the type size apart; blanks are not drawn."""
    from reportlab.pdfbase.pdfmetrics import stringWidth

    drawn: list[tuple[object, ...]] = []
    for letter in text:
        if letter != " ":
            drawn.append((x, y, letter, font, size))
        x += stringWidth(letter, font, size) + gap * size
    return drawn
