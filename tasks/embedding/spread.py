"""Shards embedded by the workers of a cluster."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from tasks.clusters import Cluster, Killed
from tasks.embedding.shards import EmbedShard, Encoder, Shard
from tasks.errors import ServiceAway


class ClusterRunner:
    """The runner of a cluster. A worker that dies costs its shards' time."""

    def __init__(self, cluster: Cluster, embed: EmbedShard) -> None:
        self._cluster = cluster
        self._embed = embed

    def run(self, shards: Sequence[Shard], encoder: Encoder) -> Iterator[tuple[Shard, NDArray[np.float32]]]:
        """Each shard with its vectors, as they get done. Raises ServiceAway where the cluster cannot."""
        for shard, vectors in self._cluster.run(partial(_embed_with, self._embed, encoder), shards):
            if isinstance(vectors, Killed):
                raise ServiceAway(f"the workers of the cluster die of a shard of texts: {vectors.reason}")
            yield shard, vectors


def _embed_with(embed: EmbedShard, encoder: Encoder, shard: Shard) -> NDArray[np.float32]:
    return embed(shard, encoder)
