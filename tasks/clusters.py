"""What a stage asks of a cluster: to run a function of its own on many items, wherever they fit."""

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
    """An item of which worker after worker died, though it was alone in the end; ``reason`` says so."""

    reason: str


class Cluster(Protocol):
    """Workers that have this program: ``tasks.dask_client`` reaches Dask's, and :class:`ThisProcess` is one alone."""

    def run(
        self, function: Callable[[T], R], items: Iterable[T], /, resources: Mapping[str, float] = NOTHING
    ) -> Iterator[tuple[T, R | Killed]]:
        """Each item with what ``function``, one of a module, makes of it on some worker, as they get done.

        An item is given to a worker that has ``resources`` left, by their names; a machine alone has what it has.
        One item for each thread of the workers is under way at once, and no more results are held. No items give none,
        and ask nobody. Raises what ``function`` raises, and ServiceAway where the cluster does not answer or goes
        away.
        """
        ...


class ThisProcess:
    """A machine without a cluster."""

    def run(
        self, function: Callable[[T], R], items: Iterable[T], /, resources: Mapping[str, float] = NOTHING
    ) -> Iterator[tuple[T, R | Killed]]:
        """Each item with what ``function`` makes of it, in order."""
        for item in items:
            yield item, function(item)
