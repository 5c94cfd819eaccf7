"""OCR with tesseract: reads a page that is a picture of text to lines with their places."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Callable
from contextlib import closing
from functools import partial
from statistics import median
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pypdfium2 as pdfium

from tasks.conversion.layout.page import Line, PageReader
from tasks.conversion.ocr.lines import Word, build_lines, turned_back
from tasks.errors import ConversionError, UsageError
from tasks.records import Box

DPI = 300
TIME_LIMIT_S = 120
MIN_CONFIDENCE = 30.0
_ONE_THREAD = {"OMP_THREAD_LIMIT": "1"}
"""Environment that limits tesseract to a single thread: its threads spin while they wait, and double the CPU time."""
_SURE, _LEGIBLE = 60.0, 50.0
"""Thresholds on a page's median word confidence, in per cent: below the first it may be turned, below the second it is
refused. The median is over 95 for a printed page, 55 at 37 dots per inch, which a person can hardly read, 47 for a
mirrored page, and about 20 for a page upside down, where no word is right."""
_LONG = 3
_ROTATE = re.compile(r"^Rotate: (\d+)", re.MULTILINE)
_MAX_PIXELS = 40_000_000
_WORD_LEVEL = "5"
_COLUMNS = 12

Pixels = npt.NDArray[Any]


def find_ocr(language: str = "eng") -> PageReader | None:
    """Return a function that reads a page of a PDF by OCR; None where tesseract is not installed.

    ``language`` is tesseract's name for it
    (``eng``, ``deu``, ``eng+deu``). The function returns no lines for a page without text, and turns a page that lies
    upside down or sideways. It raises ConversionError where tesseract fails, takes more than two minutes or gives an
    illegible text, and UsageError where the language is not installed.
    """
    program = shutil.which("tesseract")
    if program is None:
        return None
    return partial(_read_page, program, language)


class _Read(NamedTuple):
    """The words that tesseract is sure enough of, and the median confidence of all its words, in per cent."""

    words: list[Word]
    confidence: float = 0.0

    @property
    def is_doubtful(self) -> bool:
        """Tell if the page may be upside down or sideways: low confidence, or most words are taller than wide."""
        long = [word.box for word in self.words if len(word.text) >= _LONG]
        tall = sum(box.bottom - box.top > box.right - box.left for box in long)
        return self.confidence < _SURE or 2 * tall > len(long)


def _read_page(program: str, language: str, data: bytes, index: int) -> list[Line]:
    with closing(pdfium.PdfDocument(data)) as document, closing(document[index]) as page:
        width, height = page.get_size()
        scale = min(DPI / 72, (_MAX_PIXELS / max(width * height, 1.0)) ** 0.5)
        pixels = page.render(scale=scale, grayscale=True).to_numpy()

    def run(pixels: Pixels, *arguments: str) -> str:
        return _run([program, "stdin", "stdout", "--dpi", str(round(72 * scale)), *arguments], pixels, language, index)

    def read(pixels: Pixels) -> _Read:
        return _words(run(pixels, "-l", language, "--psm", "3", "tsv"), scale)

    found, turns = read(pixels), 0
    if found.is_doubtful and (turns := _turns(run, pixels)):
        upright = read(np.rot90(pixels, -turns))
        found, turns = (upright, turns) if upright.confidence >= found.confidence else (found, 0)
    if found.words and found.confidence < _LEGIBLE:
        raise ConversionError(f"p. {index + 1}: what tesseract makes of it does not read as words")
    lines = build_lines(found.words, width if turns % 2 else height)
    return [turned_back(line, turns, width, height) for line in lines] if turns else lines


def _turns(run: Callable[..., str], pixels: Pixels) -> int:
    """The number of quarter turns clockwise that set the page upright; 0 where tesseract cannot detect it."""
    try:
        rotate = _ROTATE.search(run(pixels, "-l", "osd", "--psm", "0"))
    except (ConversionError, UsageError):
        return 0
    return int(rotate[1]) // 90 % 4 if rotate else 0


def _run(command: list[str], pixels: Pixels, language: str, index: int) -> str:
    rows, columns = pixels.shape[:2]
    try:
        run = subprocess.run(
            command,
            input=b"P5 %d %d 255\n" % (columns, rows) + pixels.tobytes(),
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
    return run.stdout.decode(errors="replace")


def _words(table: str, scale: float) -> _Read:
    """Parse tesseract's TSV table to words with boxes in points; those of low confidence are left out."""
    words: list[Word] = []
    confidences: list[float] = []
    for row in table.splitlines()[1:]:
        fields = row.split("\t", _COLUMNS - 1)
        if len(fields) < _COLUMNS or fields[0] != _WORD_LEVEL or not fields[11].strip():
            continue
        confidences.append(float(fields[10]))
        if confidences[-1] < MIN_CONFIDENCE:
            continue
        left, top, width, height = (int(field) / scale for field in fields[6:10])
        line = (int(fields[2]), int(fields[3]), int(fields[4]))
        words.append(Word(line, fields[11], Box(left, top, left + width, top + height)))
    return _Read(words, median(confidences)) if confidences else _Read(words)
