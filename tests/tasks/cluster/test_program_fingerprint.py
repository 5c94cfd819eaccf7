"""What tells one program from another."""

from __future__ import annotations

import shutil
from pathlib import Path

from tasks.cluster.program_fingerprint import PACKAGES, program_id
from tests.made.paths import ROOT


def test_the_id_changes_with_the_source_and_not_with_its_place(tmp_path: Path) -> None:
    for name in ("same", "other"):
        for package in PACKAGES:
            shutil.copytree(ROOT / package, tmp_path / name / package, ignore=shutil.ignore_patterns("__pycache__"))
    with (tmp_path / "other" / "tasks" / "embedding" / "models" / "dense.py").open("a", encoding="utf-8") as source:
        source.write("# changed\n")
    assert program_id() == program_id(tmp_path / "same") != program_id(tmp_path / "other")
