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
