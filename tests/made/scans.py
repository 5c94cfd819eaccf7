"""Pages that are pictures of text, for OCR."""

from __future__ import annotations

import io
import shutil
from itertools import pairwise
from typing import Any

import pytest

needs_tesseract = pytest.mark.skipif(shutil.which("tesseract") is None, reason="tesseract is not installed")
NATIVE = "All customer data are encrypted at rest with AES-256."
PICTURED = [
    "Backups are taken every night and restored once",
    "a quarter. The board is told of the result, and it",
    "decides on the money for the year that follows.",
]


def picture(lines: list[str]) -> Any:
    """A page of 595 by 842 points at 150 dpi."""
    from PIL import Image, ImageDraw, ImageFont

    image = Image.new("L", (1240, 1754), 255)
    draw = ImageDraw.Draw(image)
    font = ImageFont.load_default(size=30)
    for index, line in enumerate(lines):
        draw.text((150, 300 + 38 * index), line, fill=0, font=font)
    return image


def pdf_of(*pages: str | list[str]) -> bytes:
    """A page of text for a string, a page that is a picture of its lines for a list."""
    from reportlab.lib.utils import ImageReader
    from reportlab.pdfgen import canvas

    out = io.BytesIO()
    pdf = canvas.Canvas(out, pagesize=(595, 842))
    for page in pages:
        if isinstance(page, str):
            pdf.drawString(72, 700, page)
        else:
            pdf.drawImage(ImageReader(picture(page)), 0, 0, 595, 842)
        pdf.showPage()
    pdf.save()
    return out.getvalue()


STAMP = "Envelope ID: 3F2A91C4-77B0-4E1D"


def stamped(covered: float = 1.0, strips: int = 1, is_form: bool = False, stamps: int = 1) -> bytes:
    """A page with small stamps of text at its head, over a picture of as much of its height as is ``covered``."""
    from reportlab.lib.utils import ImageReader
    from reportlab.pdfgen import canvas

    out = io.BytesIO()
    pdf = canvas.Canvas(out, pagesize=(595, 842))
    whole = picture(PICTURED)
    edges = [whole.height * index // strips for index in range(strips + 1)]
    height = 842 * covered
    if is_form:
        pdf.beginForm("page")
        pdf.drawImage(ImageReader(whole), 0, 0, 100, 100)
        pdf.endForm()
        pdf.scale(5.95, height / 100)
        pdf.doForm("page")
        pdf.scale(1 / 5.95, 100 / height)
    else:
        for top, bottom in pairwise(edges):
            strip = ImageReader(whole.crop((0, top, whole.width, bottom)))
            y = height * (1 - bottom / whole.height)
            pdf.drawImage(strip, 0, y, 595, height * (bottom - top) / whole.height)
    pdf.setFont("Helvetica", 7)
    for index in range(stamps):
        pdf.drawString(40, 825 - 9 * index, STAMP)
    pdf.showPage()
    pdf.save()
    return out.getvalue()
