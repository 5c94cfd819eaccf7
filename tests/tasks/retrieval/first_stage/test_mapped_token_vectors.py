"""Token vectors that are taken from a version one by one, and from a file once they are asked for often."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from numpy.typing import NDArray

from tasks.retrieval.first_stage.mapped_token_vectors import ROWS_A_READ, SHARE, MappedTokens

COUNT = ROWS_A_READ + 104
KEPT = [bytes([at % 251]) * (at % 7) for at in range(COUNT)]


class Version:
    """A version that tells how often it was asked, and for how many."""

    def __init__(self) -> None:
        self.asked: list[int] = []

    def __len__(self) -> int:
        return COUNT

    def tokens(self, positions: NDArray[np.int64]) -> pa.LargeBinaryArray:
        self.asked.append(len(positions))
        return pa.array([KEPT[at] for at in positions], pa.large_binary())


def at(*positions: int) -> NDArray[np.int64]:
    return np.array(positions, np.int64)


def test_all_are_read_when_as_many_were_taken_as_that_costs(tmp_path: Path) -> None:
    version = Version()
    tokens = MappedTokens(version, tmp_path)
    half = np.arange(int(SHARE * COUNT))
    assert tokens(half).to_pylist() == KEPT[: len(half)]
    assert version.asked == [len(half)]
    for asked in (at(5, 3, 3, COUNT - 1), at(0), at(7), np.arange(COUNT)):
        found = tokens(asked)
        assert found.type == pa.large_binary()
        assert found.to_pylist() == [KEPT[one] for one in asked]
        found.validate(full=True)
    assert version.asked == [len(half), ROWS_A_READ, COUNT - ROWS_A_READ], "once, and then none from the version"
    assert list(tmp_path.iterdir()) == [], "the file has no name that a killed process could leave"


def test_who_expects_many_questions_has_all_read_before_the_first_and_once(tmp_path: Path) -> None:
    version = Version()
    tokens = MappedTokens(version, tmp_path)
    tokens.map_now()
    read = [ROWS_A_READ, COUNT - ROWS_A_READ]
    assert version.asked == read
    tokens.map_now()
    assert tokens(at(9, 2)).to_pylist() == [KEPT[9], KEPT[2]]
    assert version.asked == read


def test_one_question_takes_what_it_needs_and_no_position_gives_none(tmp_path: Path) -> None:
    version = Version()
    tokens = MappedTokens(version, tmp_path)
    assert tokens(at(9, 2)).to_pylist() == [KEPT[9], KEPT[2]]
    assert len(tokens(at())) == 0
    assert version.asked == [2, 0]
    tokens(np.arange(COUNT))
    assert len(tokens(at())) == 0 and version.asked[:3] == [2, 0, COUNT]


@pytest.fixture
def no_room() -> Iterator[None]:
    """Files of this process end after a kilobyte, as on a disk that is full."""
    resource = pytest.importorskip("resource")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1024, before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.usefixtures("no_room")
def test_without_room_for_the_file_they_are_taken_one_by_one_for_ever(tmp_path: Path) -> None:
    version = Version()
    tokens = MappedTokens(version, tmp_path)
    for _ in range(3):
        assert tokens(np.arange(COUNT)).to_pylist() == KEPT
    assert version.asked == [COUNT, ROWS_A_READ, COUNT, COUNT], "it is tried once, as far as it goes"
    assert list(tmp_path.iterdir()) == []
