"""Stage that reports what is understood of a customer's file, without answering it."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

from configs.settings import Settings
from tasks.conversion.office.libreoffice import find_workbook_converter
from tasks.errors import UsageError
from tasks.questionnaires.customers_file import AS_FOUND, ReadAs, grids_of, read_customers_file
from tasks.questionnaires.inspection import inspected, map_of, question_cells, view
from tasks.runtime.stage import stage

Views = dict[str, list[tuple[int, list[tuple[str, str]]]]]
"""The first rows of each sheet with questions, by its name, "" for CSV."""


class Inspected(NamedTuple):
    """The report, the first rows of each sheet, and the path of the map that was written, "" for none."""

    report: dict[str, Any]
    views: Views
    written: str


@stage("inspect {path}")
def inspect_file(path: str, settings: Settings, read_as: ReadAs = AS_FOUND, write_map: str = "") -> Inspected:
    """Read a file and report on it; with ``write_map`` the map of what was understood is written to that path.

    Raises UsageError where the file cannot be read or has no questions, and where the map is there already.
    """
    if write_map and Path(write_map).exists():
        raise UsageError(f"--write-map {write_map} is there already: name another file")
    data, read = read_customers_file(path, read_as, find_workbook_converter() if settings.libreoffice else None)
    grids = grids_of(data, Path(path).name)
    if write_map:
        try:
            Path(write_map).write_text(map_of(read, grids), encoding="utf-8")
        except OSError as error:
            raise UsageError(f"cannot write --write-map {write_map} ({error.strerror}): name another file") from error
    asked_at = question_cells(read, grids)
    views = {
        grid.sheet_name or "": view(grid, layouts, asked_at)
        for grid in grids
        if (layouts := [layout for layout in read.sheets if layout.sheet_name == grid.sheet_name])
    }
    return Inspected(inspected(read, grids), views, write_map)
