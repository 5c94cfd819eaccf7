"""Response document (adapter to python-docx): the requirements under the tender's headings, each with its answer."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from tasks.questionnaires.formats.safe_cell_text import clean_text
from tasks.questionnaires.requirements.responses import OPEN, Response

_MOST_LEVELS = 4
_GREY, _BLUE = "595959", "1F3864"


def write_response(responses: Sequence[Response], title: str) -> bytes:
    """The document: a heading for each section, and below it requirement, code, answer and citation of each."""
    import docx
    from docx.shared import Pt

    document = docx.Document()
    document.styles["Normal"].font.name = "Calibri"
    document.styles["Normal"].font.size = Pt(10.5)
    when = datetime(2000, 1, 1)  # the same answers give the same bytes
    document.core_properties.created = document.core_properties.modified = when
    document.core_properties.title = title
    document.core_properties.author = ""
    document.add_heading(clean_text(title), 0)
    before: list[str] = []
    for one in responses:
        path = [part for part in one.requirement.section.split(" > ") if part]
        shared = 0
        while shared < min(len(path), len(before)) and path[shared] == before[shared]:
            shared += 1
        for level in range(shared, len(path)):
            document.add_heading(clean_text(path[level]), min(level + 1, _MOST_LEVELS))
        before = path
        _add(document, one)
    out = io.BytesIO()
    document.save(out)
    return _undated(out.getvalue())


def _undated(package: bytes) -> bytes:
    """The package without the time at which its parts were written."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(package)) as old, zipfile.ZipFile(out, "w") as new:
        for name in old.namelist():
            new.writestr(zipfile.ZipInfo(name), old.read(name), zipfile.ZIP_DEFLATED)
    return out.getvalue()


def _add(document: Any, one: Response) -> None:
    asked = document.add_paragraph()
    asked.paragraph_format.keep_with_next = True
    _run(asked, f"{one.requirement.number}  ", _BLUE, bold=True)
    _run(asked, one.requirement.text, _BLUE, bold=True)
    if one.requirement.page_number is not None:
        _run(asked, f"  (p. {one.requirement.page_number})", _GREY)
    answer = document.add_paragraph()
    _run(answer, one.code and f"{one.code}. ", "C00000" if one.code == OPEN else "", bold=True)
    _run(answer, one.text)
    if one.cited:
        source = document.add_paragraph()
        _run(
            source,
            "Source: " + "; ".join(dict.fromkeys(citation.locator for citation in one.cited)),
            _GREY,
            italic=True,
        )
    if one.remark:
        remark = document.add_paragraph()
        _run(remark, f"[{one.remark}]", "C00000", italic=True)


def _run(paragraph: Any, text: str, colour: str = "", *, bold: bool = False, italic: bool = False) -> None:
    from docx.shared import RGBColor

    run = paragraph.add_run(clean_text(text))
    run.bold, run.italic = bold, italic
    if colour:
        run.font.color.rgb = RGBColor.from_string(colour)
