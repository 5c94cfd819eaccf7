"""Threads for a model's batches, with NumPy's products limited to one thread each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from functools import cache
from typing import TypeVar

from threadpoolctl import ThreadpoolController

B = TypeVar("B")
T = TypeVar("T")


def one_thread_a_product() -> AbstractContextManager[object]:
    """Limit NumPy's products to one thread each within the block, so that sums are the same on any number of cores.

    OpenBLAS takes more threads from the main thread only: where another thread leaves the block, products of the
    process have one thread from then on.
    """
    limited: AbstractContextManager[object] = _blas().limit(limits=1)
    return limited


def in_threads(run_one: Callable[[B], T], batches: Sequence[B], threads: int) -> list[T]:
    """The results of ``run_one`` on each batch, in order, ``threads`` of them at once; no batches give none.

    By itself a product of NumPy would take all cores, which are busy with the other batches, and wait for them: a third
    of the cost of embedding.
    """
    with one_thread_a_product():
        if len(batches) == 1:  # one question: starting a thread would take longer than its work
            return [run_one(batches[0])]
        with ThreadPoolExecutor(threads) as pool:
            return list(pool.map(run_one, batches))


@cache
def _blas() -> ThreadpoolController:
    return ThreadpoolController().select(user_api="blas")
