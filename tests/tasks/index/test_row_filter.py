"""The filters by which a part of a version is looked at."""

from __future__ import annotations

import numpy as np
import pytest

from tasks.index.row_filter import MAX_NAMES, file_filter, position_filter, ranges_of


@pytest.mark.parametrize(
    ("numbers", "limit", "wanted"),
    [
        ([], 5, []),
        ([7], 5, [(7, 7)]),
        ([0, 1, 2, 5, 9, 10], 5, [(0, 2), (5, 5), (9, 10)]),
        ([0, 1, 2, 5, 9, 10], 2, [(0, 5), (9, 10)]),
        ([0, 5, 9], 1, [(0, 9)]),
    ],
)
def test_runs_are_ranges_and_the_nearest_are_joined(
    numbers: list[int], limit: int, wanted: list[tuple[int, int]]
) -> None:
    assert ranges_of(numbers, limit) == wanted


def test_a_folder_is_one_range() -> None:
    names = [f"f{folder}/it's {number}.pdf" for folder in range(3) for number in range(200)]
    mine = [name for name in names if name.startswith("f1/")]
    others = [name for name in names if name not in mine]
    assert file_filter(mine, others) == "(file_name >= 'f1/it''s 0.pdf' AND file_name <= 'f1/it''s 99.pdf')"


def test_scattered_names_are_listed_and_very_many_are_ranges() -> None:
    names = [f"{number:05d}" for number in range(2 * MAX_NAMES + 4)]
    listed = file_filter(names[:500:2], names[1::2])
    assert listed.startswith("file_name IN (") and listed.count("'") == 500
    assert "IN" not in file_filter(names[::2], names[1::2])
    assert (
        position_filter(np.array([3, 4, 9])) == "(position >= 3 AND position <= 4) OR (position >= 9 AND position <= 9)"
    )
