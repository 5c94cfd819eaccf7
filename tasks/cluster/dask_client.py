"""Dask client: a running cluster, or a cluster of processes on this machine for the length of a run."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack
from itertools import chain, islice
from queue import Empty, SimpleQueue
from typing import Any, TypeVar

from dask import config as dask_config
from distributed import CancelledError, Client, Future, KilledWorker, LocalCluster, get_worker
from distributed.comm import CommClosedError

from configs.settings import DaskSettings
from tasks.cluster.program_fingerprint import program_id
from tasks.cluster.protocol import NOTHING, Killed
from tasks.errors import CacheGone, ServiceAway, UsageError

T = TypeVar("T")
R = TypeVar("R")

CONNECT_TIMEOUT_S = 8
"""Short, as a stage that fails by it is tried twice more, seconds apart, before the user sees an error."""
TRIES_ALONE = 2
WORTH_A_WORKER = "100 ms"
_LOOK_S = 5.0


class DaskCluster:
    """The Dask cluster of the settings. If a worker dies, Dask gives its items to another worker."""

    def __init__(self, settings: DaskSettings) -> None:
        self._settings = settings
        self._held: ExitStack | None = None
        self._connected: Client | None = None

    def __enter__(self) -> DaskCluster:
        """Keep the cluster that the first run opens for later runs in the block."""
        self._held = ExitStack()
        return self

    def __exit__(self, *_: object) -> None:
        if self._held:
            self._held.close()
        self._held = self._connected = None

    def run(
        self, function: Callable[[T], R], items: Iterable[T], /, resources: Mapping[str, float] = NOTHING
    ) -> Iterator[tuple[T, R | Killed]]:
        """Run ``function`` on each item; see :class:`tasks.cluster.protocol.Cluster`.

        Dask gives an item up where worker after worker dies while it has it, though another item of theirs may be the
        cause. Such an item is tried again when the others are done, alone, and once more: a machine may be taken away
        twice. Where workers die even then, the result is Killed. Raises ServiceAway where the scheduler does not
        answer, has no suitable workers, or goes away; UsageError where the address is invalid, or a worker has another
        version of this program: it would leave other results under the same names.
        """
        left = iter(items)
        first = list(islice(left, 1))
        if not first:
            return
        with ExitStack() as stack:
            client = self._connected or self._client(self._held or stack)
            self._connected = client if self._held else None
            suspects: list[T] = []
            for item, result in self._spread(client, function, chain(first, left), resources):
                if isinstance(result, Killed):
                    suspects.append(item)
                else:
                    yield item, result
            for item in suspects:
                for tries_left in reversed(range(TRIES_ALONE)):
                    ((_, result),) = self._spread(client, function, iter([item]), resources)
                    if not isinstance(result, Killed) or not tries_left:
                        yield item, result
                        break

    def _spread(
        self, client: Client, function: Callable[[T], R], left: Iterator[T], resources: Mapping[str, float]
    ) -> Iterator[tuple[T, R | Killed]]:
        asked = dict(resources) or None
        done: SimpleQueue[Future] = SimpleQueue()
        running: dict[Future, T] = {}
        outcomes: list[tuple[T, R | Killed]] = []
        waited_s = 0.0
        while True:
            threads = self._threads(client, resources)
            # One for each thread: a second would wait behind a long one, and be suspect when its worker dies. But a
            # adaptive cluster grows by waiting items.
            adaptive = self._settings.adaptive
            room = max(0, max(1, threads, adaptive.maximum if adaptive else 0) - len(running))
            for item in islice(left, room):
                # A key of its own: two runs that meet on a cluster do not share their failures.
                key = f"bidfolio-{uuid.uuid4().hex}"
                future = client.submit(_run_there, program_id(), function, item, key=key, pure=False, resources=asked)
                running[future] = item
                future.add_done_callback(done.put)
            # By now the workers are busy while the caller handles results.
            yield from outcomes
            outcomes = []
            if not running:
                return
            try:
                future = done.get(timeout=_LOOK_S)
            except Empty:
                waited_s = 0.0 if threads else waited_s + _LOOK_S
                if waited_s >= self._settings.worker_wait_s:
                    named = ",".join(f"{name}={amount:g}" for name, amount in resources.items())
                    raise ServiceAway(
                        f"{self._name} has no worker{f' with the resources {named}' if named else ''}: start one "
                        f"where bidfolio is installed{f', with --resources {named},' if named else ','} and run this "
                        f"again; where they take longer than {self._settings.worker_wait_s:g} s to come, raise "
                        "dask.worker_wait_s"
                    ) from None
                continue
            outcomes.append((running[future], self._result(future)))
            del running[future]
            future.release()

    def _threads(self, client: Client, resources: Mapping[str, float]) -> int:
        """The number of items with those ``resources`` that the workers can run at once now."""
        try:
            if client.status == "running":
                if not resources:
                    return sum(client.nthreads().values())
                workers = client.scheduler_info(n_workers=-1)["workers"].values()
                return sum(_fitting(worker["nthreads"], worker["resources"], resources) for worker in workers)
        except OSError:
            pass
        raise self._gone()

    def _result(self, future: Future) -> Any:
        try:
            return future.result()
        except KilledWorker as error:
            count = error.allowed_failures + 1
            return Killed(f"each process that was to read it died ({count} times; of too little memory, perhaps)")
        except (CancelledError, CommClosedError) as error:
            raise self._gone() from error
        except _OtherProgram as error:
            raise UsageError(
                f"the worker {error} of {self._name} has another bidfolio: install the one of this machine on every "
                "worker, and start them anew"
            ) from error
        except RuntimeError as error:
            # An older program may lack the function that it is to run.
            if not isinstance(error.__cause__, ImportError) and "Can't get attribute" not in str(error.__cause__):
                raise
            raise UsageError(
                f"{self._name} does not have this bidfolio ({error.__cause__}): install it there, and where the "
                "workers are"
            ) from error

    def _gone(self) -> ServiceAway:
        return ServiceAway(f"{self._name} went away: start it, and run this again; what is done by now is kept")

    @property
    def _name(self) -> str:
        return (
            f"the Dask scheduler at {self._settings.address}" if self._settings.address else "this run's Dask cluster"
        )

    def _client(self, stack: ExitStack) -> Client:
        if self._settings.address:
            try:
                return stack.enter_context(Client(self._settings.address, timeout=CONNECT_TIMEOUT_S))
            except OSError as error:
                raise ServiceAway(
                    f"no Dask scheduler answers at {self._settings.address}: start it, or unset dask.address"
                ) from error
            except ValueError as error:
                raise UsageError(
                    f"dask.address {self._settings.address!r} is none ({error}): tcp://HOST:PORT"
                ) from error
        # A nanny would set OMP_NUM_THREADS=1, and torch would then ignore the threads that the settings give.
        stack.enter_context(dask_config.set({"distributed.nanny.pre-spawn-environ.OMP_NUM_THREADS": None}))
        adaptive = self._settings.adaptive
        cluster = stack.enter_context(
            LocalCluster(
                n_workers=adaptive.minimum if adaptive else self._settings.workers,
                threads_per_worker=1,
                processes=True,
                dashboard_address="127.0.0.1:0",  # None would take a port of its own choice, and warn where it is taken
                resources=self._settings.resources or None,
            )
        )
        if adaptive:
            # The cluster gets no more items than it may grow to, so each waiting item is worth a worker.
            cluster.adapt(minimum=adaptive.minimum, maximum=adaptive.maximum, target_duration=WORTH_A_WORKER)
        return stack.enter_context(Client(cluster))


class _OtherProgram(Exception):
    """A worker with other source code, by its address."""


def _run_there(program: str, function: Callable[[T], R], item: T) -> R:
    if program_id() != program:
        raise _OtherProgram(get_worker().address)
    try:
        return function(item)
    except (UsageError, CacheGone) as error:
        # The user has to mend that machine. The error's own class may not survive pickling.
        raise UsageError(f"the worker {get_worker().address}: {error}") from None


def _fitting(threads: int, has: Mapping[str, float], asked: Mapping[str, float]) -> int:
    """The number of items that fit on a worker at once, by its threads and resources."""
    return min(threads, *(int(has.get(name, 0) // amount) for name, amount in asked.items()))
