"""Batches in threads."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import numpy as np  # noqa: F401  # whose products are meant
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from tasks.embedding.models.threads import in_threads


def blas_threads() -> set[int]:
    return {one["num_threads"] for one in threadpool_info() if one["user_api"] == "blas"}


@pytest.fixture(autouse=True)
def two_threads_for_a_product() -> Iterator[None]:
    with threadpool_limits(2, user_api="blas"):
        yield


@pytest.mark.parametrize("batches", [[], [1], [1, 2, 3, 4, 5]])
def test_each_batch_gives_its_own_in_order(batches: list[int]) -> None:
    assert in_threads(lambda batch: batch * 10, batches, 2) == [batch * 10 for batch in batches]


@pytest.mark.parametrize("count", [1, 4])
def test_a_product_is_of_one_thread_while_batches_run_and_of_as_many_as_before_when_they_have(count: int) -> None:
    assert blas_threads() == {2}
    assert in_threads(lambda _: blas_threads(), range(count), 2) == [{1}] * count
    assert blas_threads() == {2}


def test_threads_are_as_many_as_asked_for() -> None:
    both = threading.Barrier(2, timeout=30)
    assert len(set(in_threads(lambda _: both.wait(), range(2), 2))) == 2


def test_what_goes_wrong_in_a_batch_goes_wrong_for_all() -> None:
    def fail(batch: int) -> None:
        raise ValueError(f"batch {batch}")

    with pytest.raises(ValueError, match="batch 1"):
        in_threads(fail, [1, 2], 2)
    assert blas_threads() == {2}
