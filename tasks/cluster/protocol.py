"""Cluster interface: run a function on many items, on workers that have the resources for it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Protocol, TypeVar

T = TypeVar("T")
R = TypeVar("R")

NOTHING: Mapping[str, float] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Killed:
    """The result for an item on which worker after worker died, even when it ran alone; ``reason`` explains it."""

    reason: str


class Cluster(Protocol):
    """Workers with this program: ``tasks.cluster.dask_client`` connects to Dask, :class:`ThisProcess` is the process
    itself.
    """

    def run(
        self, function: Callable[[T], R], items: Iterable[T], /, resources: Mapping[str, float] = NOTHING
    ) -> Iterator[tuple[T, R | Killed]]:
        """Run ``function`` on each item on some worker; yields the items with their results, as they get done.

        ``function`` must be one of a module. An item is given to a worker that has ``resources`` left, by their names;
        a single machine has what it has. One item for each thread of the workers is under way at once, and no more
        results are held. No items give none, and no cluster is contacted. Raises what ``function`` raises, and
        ServiceAway where the cluster does not answer or goes away.
        """


class ThisProcess:
    """The cluster interface without a cluster: this process itself."""

    def run(
        self, function: Callable[[T], R], items: Iterable[T], /, resources: Mapping[str, float] = NOTHING
    ) -> Iterator[tuple[T, R | Killed]]:
        """Run ``function`` on each item, in order."""
        for item in items:
            yield item, function(item)
