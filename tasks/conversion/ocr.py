"""The adapter to tesseract: a page that is a picture of text, read to lines with their places."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable

import pypdfium2 as pdfium

from tasks.conversion.layout import Line
from tasks.conversion.ocr_lines import Word, build_lines
from tasks.errors import ConversionError, UsageError
from tasks.records import Box

DPI = 300
TIME_LIMIT_S = 120
MIN_CONFIDENCE = 30.0
_ONE_THREAD = {"OMP_THREAD_LIMIT": "1"}
"""Its threads wait for one another by spinning: they take twice the processor time, and that from other files."""
_MAX_PIXELS = 40_000_000
_WORD_LEVEL = "5"
_COLUMNS = 12


def find_ocr(language: str = "eng") -> Callable[[bytes, int], list[Line]] | None:
    """A reader of one page of a PDF (its bytes, the page's index from 0); None where tesseract is not installed.

    ``language`` is tesseract's own name (``eng``, ``deu``, ``eng+deu``). The reader gives no lines for a page without
    text. It raises ConversionError where tesseract fails or takes more than two minutes, and UsageError where the
    language is not installed.
    """
    program = shutil.which("tesseract")
    if program is None:
        return None
    found = program

    def read_page(data: bytes, index: int) -> list[Line]:
        return _read_page(found, language, data, index)

    return read_page


def _read_page(program: str, language: str, data: bytes, index: int) -> list[Line]:
    document = pdfium.PdfDocument(data)
    try:
        page = document[index]
        width, height = page.get_size()
        scale = min(DPI / 72, (_MAX_PIXELS / max(width * height, 1.0)) ** 0.5)
        pixels = page.render(scale=scale, grayscale=True).to_numpy()
        rows, columns = pixels.shape[:2]
        picture = b"P5 %d %d 255\n" % (columns, rows) + pixels.tobytes()
        page.close()
    finally:
        document.close()
    dpi = str(round(72 * scale))
    command = [program, "stdin", "stdout", "-l", language, "--dpi", dpi, "--psm", "3", "tsv"]
    try:
        run = subprocess.run(
            command,
            input=picture,
            capture_output=True,
            timeout=TIME_LIMIT_S,
            check=False,
            env=os.environ | _ONE_THREAD,
        )
    except subprocess.TimeoutExpired as error:
        raise ConversionError(f"p. {index + 1}: tesseract took more than {TIME_LIMIT_S} s") from error
    said = run.stderr.decode(errors="replace")
    if "Failed loading language" in said:
        raise UsageError(f"tesseract has no language {language!r}: install its data, or set BIDFOLIO_OCR_LANGUAGE")
    if run.returncode != 0:
        raise ConversionError(f"p. {index + 1}: tesseract failed ({' '.join(said.split())[-200:]})")
    return build_lines(_words(run.stdout.decode(errors="replace"), scale), height)


def _words(table: str, scale: float) -> list[Word]:
    words: list[Word] = []
    for row in table.splitlines()[1:]:
        fields = row.split("\t", _COLUMNS - 1)
        if len(fields) < _COLUMNS or fields[0] != _WORD_LEVEL or not fields[11].strip():
            continue
        if float(fields[10]) < MIN_CONFIDENCE:
            continue
        left, top, width, height = (int(field) / scale for field in fields[6:10])
        line = (int(fields[2]), int(fields[3]), int(fields[4]))
        words.append(Word(line, fields[11], Box(left, top, left + width, top + height)))
    return words
