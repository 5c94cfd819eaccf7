"""Shards embedded one after another in this process."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from tasks.embedding.shards import EmbedShard, Encoder, Shard


class LocalRunner:
    """The runner of one machine without a cluster."""

    def __init__(self, embed: EmbedShard) -> None:
        self._embed = embed

    def run(self, shards: Sequence[Shard], encoder: Encoder) -> Iterator[tuple[Shard, NDArray[np.float32]]]:
        """Each shard with its vectors, in order."""
        for shard in shards:
            yield shard, self._embed(shard, encoder)
