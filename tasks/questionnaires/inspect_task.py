"""Stage that reports what is understood of a customer's file, without answering it."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

from tasks.errors import UsageError
from tasks.questionnaires.customers_file import CustomersFile, grids_of
from tasks.questionnaires.inspection import inspected, inspected_tender, map_of, question_cells, view
from tasks.questionnaires.requirements.tender import Tender
from tasks.runtime.stage import stage
from tasks.storage.output_file import checked_target, write_whole

Views = dict[str, list[tuple[int, list[tuple[str, str]]]]]
"""The first rows of each sheet with questions, by its name, "" for CSV."""


class Inspected(NamedTuple):
    """The report, the first rows of each sheet, and the path of the map that was written, "" for none."""

    report: dict[str, Any]
    views: Views
    written: str


@stage("inspect {path}")
def inspect_file(path: str, file: CustomersFile, write_map: str = "") -> Inspected:
    """Report on a file that was read; with ``write_map`` the map of what was understood is written to that path.

    The report on a tender in free text has its requirements, and no view. Raises UsageError where the map is there
    already, and where a tender is to have one.
    """
    if write_map and Path(write_map).exists():
        raise UsageError(f"--write-map {write_map} is there already: name another file")
    data, read = file
    if isinstance(read, Tender):
        if write_map:
            raise UsageError(f"{path} is a tender in free text, which has no columns: leave --write-map out")
        return Inspected(inspected_tender(read), {}, "")
    grids = grids_of(data, Path(path).name)
    if write_map:
        write_whole(checked_target(write_map, "--write-map"), map_of(read, grids).encode(), "--write-map")
    asked_at = question_cells(read, grids)
    views = {
        grid.sheet_name or "": view(grid, layouts, asked_at)
        for grid in grids
        if (layouts := [layout for layout in read.sheets if layout.sheet_name == grid.sheet_name])
    }
    return Inspected(inspected(read, grids), views, write_map)
