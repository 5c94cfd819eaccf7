"""Texts cut into shards by their content, so that every machine embeds the same batches."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from configs.plans import Embedding
from tasks.records import content_id

LOGIC_VERSION = "2"
"""Changes whenever the same text would get another dense vector: it is part of the index's content key."""
TEXTS_A_SHARD = 128


@dataclass(frozen=True, slots=True)
class Shard:
    """Texts that are embedded together. ``shard_id`` is the hash of what is in it."""

    shard_id: str
    text_ids: tuple[str, ...]
    texts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Encoder:
    """How texts are embedded; it travels to a worker, so it holds names, not models.

    ``home`` is where a back end keeps what it makes of the model's files.
    """

    plan: Embedding
    threads: int
    home: str


EmbedShard = Callable[[Shard, Encoder], NDArray[np.float32]]
"""Gives a shard's unit vectors ``(len(shard.texts), n)``; a module's own function, so that it can travel."""


class ShardRunner(Protocol):
    """Where shards are embedded: in this process, or on a cluster."""

    def run(self, shards: Sequence[Shard], encoder: Encoder) -> Iterable[tuple[Shard, NDArray[np.float32]]]:
        """Each shard with its vectors ``(len(shard.texts), n)``, in any order, as they get done."""
        ...


def text_id(text: str) -> str:
    """The id under which a text's vector is kept."""
    return content_id("text", text)


def cut_shards(texts: Iterable[str]) -> Iterator[Shard]:
    """The distinct ``texts``, like lengths together (little padding), 128 a shard. No texts give no shard."""
    ordered = sorted((len(text), text_id(text), text) for text in set(texts))
    for begin in range(0, len(ordered), TEXTS_A_SHARD):
        part = ordered[begin : begin + TEXTS_A_SHARD]
        ids = tuple(item[1] for item in part)
        yield Shard(content_id("shard", *ids), ids, tuple(item[2] for item in part))
