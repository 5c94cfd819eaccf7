"""Letter-spaced headings that are read as words, and rows of codes of one letter that are read as one.

Run: .venv/bin/python -m tests.bench.letter_spacing

Both are drawn a letter at a time, by chance in one of five fonts and two sizes, at exact places or rounded as programs
do: headings at gaps of .1 to .7 of the type size, with and without blanks, and codes (Y and N, RACI, days of the week)
in cells of .9 to 1.7 of the type size.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Sequence

import pypdfium2
from reportlab.pdfbase.pdfmetrics import stringWidth

from tasks.conversion.pdf.reader import read_pdf
from tests.made.pdfs import letter_by_letter, pdf_of_pages

HEADINGS = (
    *("ENCRYPTION AT REST", "Backup Policy", "SECURITY", "Data Protection Overview", "AVAILABILITY AND WAVE"),
    *("TABLE OF CONTENTS", "Section 12 Annex A", "Incident Response: 2025", "A FIRST LOOK", "HTTPS & TLS 1.2"),
)
CODES = ("YN", "YPN", "HML", "RACI", "RWXD", "LMHC", "MTWFS")
FONTS = ("Helvetica", "Helvetica-Bold", "Times-Roman", "Times-Italic", "Courier")
GAPS = (0.1, 0.13, 0.15, 0.18, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.7)
ROUNDED = (0.0, 0.1, 0.24)
"""Units of places in points; 0 for exact ones."""

Drawn = Sequence[tuple[object, ...]]
A_PAGE, STEP, TOP = 30, 25, 800


def heading(chance: random.Random, y: float) -> tuple[str, float, Drawn]:
    """A heading's text, gap and letters, at the height ``y``."""
    text, gap = chance.choice(HEADINGS), chance.choice(GAPS)
    return text, gap, letter_by_letter(40, y, text, gap, chance.choice(FONTS), chance.choice((9, 14)))


def codes(chance: random.Random, y: float) -> tuple[str, float, Drawn]:
    """A row of codes, the width of its cells and its letters, which stand left, right or in the middle of them."""
    kinds, width, size = chance.choice(CODES), chance.uniform(0.9, 1.7), chance.choice((9, 14))
    row = chance.choices(kinds, k=chance.randint(4, 12))
    font, side = chance.choice(FONTS), chance.choice((0.0, 0.5, 1.0))
    drawn = [
        (40 + at * width * size + side * (width * size - stringWidth(code, font, size)), y, code, font, size)
        for at, code in enumerate(row)
    ]
    return "".join(row), width, drawn


def count(make: Callable[[random.Random, float], tuple[str, float, Drawn]], trials: int) -> Counter[tuple[str, float]]:
    """Draw so many lines, and count those read as they were made, joined by us, and otherwise, each by its gap."""
    chance = random.Random(7)
    pages: list[list[tuple[str, float]]] = []
    drawn: list[list[tuple[object, ...]]] = []
    for at in range(trials):
        if at % A_PAGE == 0:
            pages.append([])
            drawn.append([])
        text, gap, letters = make(chance, TOP - STEP * (at % A_PAGE))
        unit = chance.choice(ROUNDED)
        pages[-1].append((text, round(gap, 2)))
        drawn[-1] += [_rounded(letter, unit) for letter in letters]
    data = pdf_of_pages(drawn)
    counts: Counter[tuple[str, float]] = Counter()
    for made, printed, plain in zip(pages, read_pdf("a.pdf", data).pages, pypdfium2.PdfDocument(data), strict=True):
        parted = plain.get_textpage().get_text_bounded().split("\r\n")
        for line in printed.lines:
            text, gap = made[round((TOP - line.y) / STEP)]
            counts["as made" if line.text == text else "parted" if line.text in parted else "joined", gap] += 1
    return counts


def _rounded(letter: tuple[object, ...], unit: float) -> tuple[object, ...]:
    x, *others = letter
    assert isinstance(x, (int, float))
    return (round(x / unit) * unit if unit else x, *others)


def main() -> None:
    """Prints both counts, and the gaps of the headings that are not read."""
    found = count(heading, 3000)
    not_read = Counter({gap: n for (kind, gap), n in found.items() if kind != "as made"})
    print(f"headings: {not_read.total()} of {found.total()} are not read as their words; by gap: {dict(not_read)}")
    found = count(codes, 6000)
    joined = sum(n for (kind, _), n in found.items() if kind != "parted")
    print(f"codes: {joined} of {found.total()} rows are joined")


if __name__ == "__main__":
    main()
