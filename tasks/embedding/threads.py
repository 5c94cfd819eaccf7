"""Batches of a model in threads of their own, and products that do not take more."""

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
    """Within it, a product of NumPy is the work of the thread that asks for it: as it is summed, so it is everywhere,
    whatever the number of cores.

    OpenBLAS takes more threads from the main thread alone: where another leaves this, products of the process have one
    thread from then on.
    """
    limited: AbstractContextManager[object] = _blas().limit(limits=1)
    return limited


def in_threads(run_one: Callable[[B], T], batches: Sequence[B], threads: int) -> list[T]:
    """What ``run_one`` gives of each batch, in order, ``threads`` of them at once; no batches give nothing.

    By itself a product of NumPy would take all cores, which are busy with the other batches, and wait for them: a
    third of what it cost to embed.
    """
    with one_thread_a_product():
        if len(batches) == 1:  # one question: a thread would take longer to start than it takes
            return [run_one(batches[0])]
        with ThreadPoolExecutor(threads) as pool:
            return list(pool.map(run_one, batches))


@cache
def _blas() -> ThreadpoolController:
    return ThreadpoolController().select(user_api="blas")
