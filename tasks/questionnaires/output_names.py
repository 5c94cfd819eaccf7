"""Names of the files that are written beside a questionnaire, each from the name of another."""

from __future__ import annotations

from pathlib import Path

_MATRIX = ".compliance.xlsx"


def answered_path(original: Path, suffix: str) -> Path:
    """The path of the filled copy beside a form: ``x.xlsx`` has ``x.answered.xlsx``."""
    return original.with_name(f"{original.stem}.answered{suffix}")


def matrix_path(original: Path) -> Path:
    """The path of the compliance matrix beside a tender: ``x.pdf`` has ``x.compliance.xlsx``."""
    return original.with_name(f"{original.stem}{_MATRIX}")


def response_path(matrix: Path) -> Path:
    """The path of the response document beside a compliance matrix: ``x.compliance.xlsx`` has ``x.response.docx``."""
    stem = matrix.name.removesuffix(_MATRIX) if matrix.name.endswith(_MATRIX) else matrix.stem
    return matrix.with_name(f"{stem}.response.docx")


def evidence_path(out: Path) -> Path:
    """The path of the evidence workbook beside the filled copy ``out``: ``x.answered.csv`` has ``x.evidence.xlsx``."""
    return out.with_name(f"{_stem(out)}.evidence.xlsx")


def report_path(out: Path) -> Path:
    """The path of the HTML report beside the filled copy ``out``: ``x.answered.xlsx`` has ``x.report.html``."""
    return out.with_name(f"{_stem(out)}.report.html")


def final_path(out: Path, suffix: str) -> Path:
    """The path of the file from what was approved, beside the filled copy ``out``: ``x.answered.csv`` has
    ``x.final.csv``, and ``x.compliance.xlsx`` has ``x.final.compliance.xlsx``.
    """
    return out.with_name(f"{_stem(out)}.final{_MATRIX if out.name.endswith(_MATRIX) else suffix}")


def _stem(out: Path) -> str:
    return out.stem.removesuffix(".answered").removesuffix(".compliance")
