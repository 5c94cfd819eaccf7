"""`bidfolio inspect`: the table of columns, the view of the sheets, one JSON, a map to edit, and other formats."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from flows.cli.main import main
from tests.made.form_layouts import references_and_protection, vsa_sections

needs_soffice = pytest.mark.skipif(shutil.which("soffice") is None, reason="LibreOffice is not installed")


def inspect(tmp_path: Path, *arguments: str) -> int:
    return main(["--home", str(tmp_path / "home"), "inspect", *arguments])


@pytest.fixture
def questionnaire(tmp_path: Path) -> Path:
    path = tmp_path / "references.xlsx"
    path.write_bytes(references_and_protection().data)
    return path


def test_a_person_sees_columns_sections_what_was_skipped_and_the_sheet(
    tmp_path: Path, questionnaire: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert inspect(tmp_path, str(questionnaire)) == 0
    said = capsys.readouterr()
    assert said.out.startswith("references.xlsx: 12 questions in 1 table of 1 sheet")
    for line in (
        "Supplier  1    12         question  B",
        "skipped: sheet 'Scoring': its first rows say 'For internal use only'",
        "   1 │ T Reference",
        "│ Q Control 1",
    ):
        assert line in said.out
    assert "1 hidden rows are not asked" in said.err


def test_json_and_a_map_that_is_edited(tmp_path: Path, questionnaire: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "map.yaml"
    assert inspect(tmp_path, str(questionnaire), "--json", "--write-map", str(path)) == 0
    said = json.loads(capsys.readouterr().out)
    assert (said["questions"], said["map"], said["skipped"][0]["sheet"]) == (12, str(path), "Scoring")
    assert inspect(tmp_path, str(questionnaire), "--write-map", str(path)) == 2
    assert "is there already: name another file" in capsys.readouterr().err
    path.write_text(path.read_text(encoding="utf-8").replace("Scoring: skip", "Scoring: detect"), encoding="utf-8")
    assert inspect(tmp_path, str(questionnaire), "--map", str(path), "--json") == 0
    assert json.loads(capsys.readouterr().out)["questions"] == 12, "what its first rows say holds when it is detected"
    path.write_text("sheets: {Supplier: {header_row: 1}}", encoding="utf-8")
    assert inspect(tmp_path, str(questionnaire), "--map", str(path)) == 2
    assert "sheets.Supplier.0.question is missing" in capsys.readouterr().err
    assert inspect(tmp_path, str(questionnaire), "--map", str(tmp_path / "none.yaml")) == 2
    assert "--write-map" in capsys.readouterr().err


def test_a_tender_shows_its_requirements(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "tender.md"
    long = f"1.2 Bidders must describe {'at some length ' * 9}how keys are kept."
    lines = ("# Tender", "## 1 Security", "1.1 The Contractor shall encrypt backups.", long)
    path.write_text("\n\n".join(lines), encoding="utf-8")
    assert inspect(tmp_path, str(path)) == 0
    said = capsys.readouterr().out.splitlines()
    assert said[0] == "tender.md: a tender in free text with 2 requirements"
    assert said[4].split() == ["1.1", "–", "1", "Security", *"The Contractor shall encrypt backups.".split()]
    assert said[5].endswith("…") and len(said[5]) < 120
    assert inspect(tmp_path, str(path), "--json") == 0
    found = json.loads(capsys.readouterr().out)["requirements"]
    assert found[0] == {
        "number": "1.1",
        "page": None,
        "section": "Tender > 1 Security",
        "text": "The Contractor shall encrypt backups.",
    }
    assert found[1]["text"].endswith("how keys are kept.")
    assert inspect(tmp_path, str(path), "--write-map", str(tmp_path / "map.yaml")) == 2
    assert "leave --write-map out" in capsys.readouterr().err


@needs_soffice
@pytest.mark.parametrize("suffix", ["ods", "xls"])
def test_other_workbooks_are_converted_where_libreoffice_is(
    tmp_path: Path, suffix: str, capsys: pytest.CaptureFixture[str]
) -> None:
    from tasks.conversion.office import libreoffice

    form = vsa_sections()
    filters = {"ods": "ods", "xls": "xls:MS Excel 97"}
    program = shutil.which("soffice") or ""
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(libreoffice._FILTERS, f"made.{suffix}", filters[suffix])
        made = libreoffice._convert(program, form.data, source="made.xlsx", target=f"made.{suffix}")
    path = tmp_path / f"form.{suffix}"
    path.write_bytes(made or b"")
    assert inspect(tmp_path, str(path), "--json") == 0
    assert json.loads(capsys.readouterr().out)["questions"] == len(form.expected)


@needs_soffice
def test_what_libreoffice_cannot_convert_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "form.xls"
    for damaged in (b"", "Workbook".encode("utf-16-le")):
        path.write_bytes(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + damaged + bytes(600))
        assert inspect(tmp_path, str(path)) == 2
        assert "form.xls" in capsys.readouterr().err
