"""The customer's workbook comes back as it was but for the answers: every part, and every element of a touched one."""

from __future__ import annotations

import csv
import io
import shutil
import subprocess
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from lxml import etree

from tasks.questionnaires.filling.fill_questionnaire import Filled, FilledAnswer, fill_with_notes
from tasks.questionnaires.reading.layout import Questionnaire
from tasks.questionnaires.reading.read_questionnaire import read_questionnaire
from tests.made.rich_workbooks import rich_workbook

QUESTIONS = (
    "Do you encrypt backups at rest?",
    "Are keys rotated every year?",
    "Is access reviewed each quarter?",
)
TEXT = "=1+1 & <text>: kept in two places.\nBoth are tested."


@pytest.fixture(scope="module")
def before() -> bytes:
    return rich_workbook(QUESTIONS)


@pytest.fixture(scope="module")
def read(before: bytes) -> Questionnaire:
    return read_questionnaire(before, "q.xlsm")


@pytest.fixture(scope="module")
def filled(before: bytes, read: Questionnaire) -> Filled:
    answers = [
        FilledAnswer("Q-1", "answered", "Yes", TEXT, "yes"),
        FilledAnswer("Q-2", "needs_review", "Partial", "Some are.", "partial"),
        FilledAnswer("Q-3", "declined", "", "", reason="no evidence"),
        FilledAnswer("R-1", "answered", "Yes", TEXT, "yes"),
        FilledAnswer("R-2", "answered", "No", "", "no"),
        FilledAnswer("R-3", "answered", "Not applicable", "", "not_applicable"),
    ]
    return fill_with_notes(before, read, answers, review_columns=False)


def parts(data: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def differences(before: Any, after: Any, path: str = "") -> Iterator[str]:
    """The places where two trees differ, cells and rows by their reference, other elements by their number."""
    here = path + f"/{before.get('r') or etree.QName(before).localname}"
    if before.tag != after.tag:
        yield f"{here} is {after.tag}"
        return
    for name in sorted({*before.attrib, *after.attrib}):
        if before.get(name) != after.get(name):
            yield f"{here}@{etree.QName(name).localname}"
    if (before.text or "").strip() != (after.text or "").strip() or before.nsmap != after.nsmap:
        yield here
    ours, theirs = list(before), list(after)
    if len(ours) != len(theirs):
        yield f"{here} has {len(theirs)} parts, had {len(ours)}"
        return
    for one, other in zip(ours, theirs, strict=True):
        yield from differences(one, other, here)


def test_the_questions_of_the_first_two_sheets_are_read(read: Questionnaire) -> None:
    assert [sheet.sheet_name for sheet in read.sheets] == ["Questions", "Marks"]
    assert [question.text for question in read.questions[:3]] == list(QUESTIONS)
    assert read.sheets[0].rows[0].choices == ("Yes - fully", "Yes - partly", "No")


def test_all_other_parts_keep_their_bytes(before: bytes, filled: Filled) -> None:
    old, new = parts(before), parts(filled.data)
    assert list(old) == list(new) and len(old) > 25
    changed = [name for name in old if old[name] != new[name]]
    assert changed == ["xl/worksheets/sheet1.xml", "xl/worksheets/sheet2.xml"]
    assert sum(xml.count(b"<f>") for xml in old.values()) > 10_000


@pytest.mark.parametrize(
    ("sheet", "cells"),
    [("sheet1", {"C2", "D2", "C3", "D3"}), ("sheet2", {"C3", "F3", "D4", "E5"})],
)
def test_in_a_touched_part_only_the_answers_and_the_heights_of_their_rows_differ(
    before: bytes, filled: Filled, sheet: str, cells: set[str]
) -> None:
    name = f"xl/worksheets/{sheet}.xml"
    old, new = etree.fromstring(parts(before)[name]), etree.fromstring(parts(filled.data)[name])
    found = {place.removeprefix("/worksheet/sheetData/") for place in differences(old, new)}
    heights = {place for place in found if place.endswith("@ht")}
    assert {place.split("/")[1].split("@")[0].split(" ")[0] for place in found - heights} == cells
    assert heights <= {f"{cell[1:]}@ht" for cell in cells}


def test_the_differ_sees_a_difference(before: bytes) -> None:
    xml = parts(before)["xl/worksheets/sheet1.xml"]
    for old, new in ((b"Lists!$A$1:$A$3", b"Lists!$A$1:$A$2"), (b'width="60"', b'width="61"'), (b"<f>V", b"<f>H")):
        assert len(list(differences(etree.fromstring(xml), etree.fromstring(xml.replace(old, new, 1))))) == 1


def test_what_was_written_and_what_has_no_cell(filled: Filled) -> None:
    root = etree.fromstring(parts(filled.data)["xl/worksheets/sheet2.xml"])
    marks = {str(cell.get("r")): "".join(map(str, cell.itertext())) for cell in root.iter("{*}c")}
    assert {place: mark for place, mark in marks.items() if mark and place[0] in "CDE" and place[1:] != "1"} == {
        "C2": "✓", "C3": "✓", "D4": "✓", "E5": "✓",
    }  # fmt: skip
    assert filled.notes == {} and filled.unplaced == () and filled.added == ()
    assert len(filled.drafts) == 5


@pytest.mark.skipif(shutil.which("soffice") is None, reason="LibreOffice (soffice) is not installed")
def test_libreoffice_shows_the_answers(filled: Filled, tmp_path: Path) -> None:
    (tmp_path / "q.xlsm").write_bytes(filled.data)
    every_sheet = "csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,true,false,false,false,-1"
    command = ["soffice", f"-env:UserInstallation=file://{tmp_path}/profile", "--headless", "--convert-to", every_sheet]
    subprocess.run(
        [*command, "--outdir", str(tmp_path), str(tmp_path / "q.xlsm")], check=True, capture_output=True, timeout=180
    )

    def rows(sheet: str) -> list[list[str]]:
        with (tmp_path / f"q-{sheet}.csv").open(encoding="utf-8", newline="") as file:
            return list(csv.reader(file))

    assert [row[2:4] for row in rows("Questions")[1:]] == [
        ["Yes - fully", TEXT],
        ["Yes - partly", "Some are."],
        ["", ""],
    ]
    assert [row[2:6] for row in rows("Marks")[2:]] == [["✓", "", "", TEXT], ["", "✓", "", ""], ["", "", "✓", ""]]
