"""Shards embedded on a Dask cluster of processes: one that runs already, or one of this machine for the run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack

import numpy as np
from dask import config as dask_config
from distributed import Client, KilledWorker, LocalCluster, as_completed
from numpy.typing import NDArray

from configs.settings import DaskSettings
from tasks.embedding.shards import EmbedShard, Encoder, Shard
from tasks.errors import ServiceAway, UsageError

CONNECT_TIMEOUT_S = 30


class DaskRunner:
    """The runner of a cluster. A worker that dies costs its shards' time: Dask gives them to another."""

    def __init__(self, settings: DaskSettings, embed: EmbedShard) -> None:
        self._settings = settings
        self._embed = embed

    def run(self, shards: Sequence[Shard], encoder: Encoder) -> Iterator[tuple[Shard, NDArray[np.float32]]]:
        """Each shard with its vectors, as they get done. Raises ServiceAway where the scheduler does not answer."""
        if not shards:
            return
        with ExitStack() as stack:
            client = self._client(stack)
            futures = {
                client.submit(self._embed, shard, encoder, key=f"embed-{shard.shard_id}", pure=True): shard
                for shard in shards
            }
            for future in as_completed(list(futures)):
                try:
                    vectors = future.result()
                except KilledWorker as error:
                    raise ServiceAway(f"the workers die of a shard, of too little memory perhaps: {error}") from error
                yield futures.pop(future), vectors
                future.release()

    def _client(self, stack: ExitStack) -> Client:
        if self._settings.address:
            try:
                client = stack.enter_context(Client(self._settings.address, timeout=CONNECT_TIMEOUT_S))
            except OSError as error:
                raise ServiceAway(
                    f"no Dask scheduler answers at {self._settings.address}: start it, or unset dask.address"
                ) from error
            except ValueError as error:
                raise UsageError(
                    f"dask.address {self._settings.address!r} is none ({error}): tcp://HOST:PORT"
                ) from error
            try:
                client.wait_for_workers(1, timeout=CONNECT_TIMEOUT_S)
            except TimeoutError as error:
                raise ServiceAway(f"the Dask scheduler at {self._settings.address} has no worker: start one") from error
            return client
        # A nanny would set OMP_NUM_THREADS=1, and torch would then ignore the threads that the settings give.
        stack.enter_context(dask_config.set({"distributed.nanny.pre-spawn-environ.OMP_NUM_THREADS": None}))
        cluster = stack.enter_context(
            LocalCluster(n_workers=self._settings.workers, threads_per_worker=1, processes=True, dashboard_address=None)
        )
        return stack.enter_context(Client(cluster))
