"""Stages on a real Prefect server: what is tried again, and what is not."""

from __future__ import annotations

import pytest
from prefect import flow

from tasks.errors import BidfolioError, ConversionError, ServiceAway, UsageError
from tasks.runtime import stage as stages


def run(failures: list[BidfolioError]) -> int:
    """Runs a flow of one stage that fails with each of ``failures`` first; gives how often the stage was tried."""
    tried = 0

    @stages.stage("try")
    def attempt() -> None:
        nonlocal tried
        tried += 1
        if tried <= len(failures):
            raise failures[tried - 1]

    @flow
    def alone() -> None:
        attempt.task.with_options(retry_delay_seconds=0)()

    try:
        alone()
    except BidfolioError as error:
        assert error is failures[min(tried, len(failures)) - 1]
    return tried


@pytest.mark.parametrize(
    ("failures", "tried"),
    [
        ([], 1),
        ([ServiceAway("away")], 2),
        ([ServiceAway("away"), ServiceAway("still")], 3),
        ([ServiceAway("away")] * 5, 3),
        ([UsageError("wrong")], 1),
        ([ConversionError("broken")], 1),
        ([ServiceAway("away"), UsageError("wrong")], 2),
    ],
    ids=["all well", "away once", "away twice", "away for good", "wrong usage", "terminal", "then wrong"],
)
def test_only_what_is_transient_is_tried_again(prefect_server: None, failures: list[BidfolioError], tried: int) -> None:
    assert run(failures) == tried
