"""Texts cut into shards by their content, so that every machine embeds the same batches."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from configs.plans import Embedding
from tasks.records import content_id

LOGIC_VERSION = "3"
"""Changes whenever the same text would get another dense vector: it is part of the index's content key."""
TEXTS_A_SHARD = 128


@dataclass(frozen=True, slots=True)
class Shard:
    """Texts that are embedded together: those ``rows`` of the chunks of ``documents``. ``shard_id`` is the hash of
    what is in it.
    """

    shard_id: str
    documents: tuple[str, ...]
    rows: tuple[int, ...]
    text_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Encoder:
    """How texts are embedded; it travels to a worker, so it holds names, not models.

    ``home`` is where a back end keeps what it makes of the model's files.
    """

    plan: Embedding
    threads: int
    home: str


class TextVectors(NamedTuple):
    """The unit vectors ``dense`` (m, n) of m texts; and, where the plan keeps them, the vectors of each text's
    ``tokens``, as ``tasks.embedding.token_vectors`` keeps them.
    """

    dense: NDArray[np.float32]
    tokens: list[bytes] | None


EmbedTexts = Callable[[Sequence[str], Encoder], TextVectors]
"""Gives the vectors of texts; a module's own function, so that it can travel."""


def text_id(text: str) -> str:
    """The id under which a text's vector is kept."""
    return content_id("text", text)


def cut_shards(
    documents: Sequence[str], text_ids: Sequence[str], lengths: Sequence[int], known: Container[str]
) -> Iterator[Shard]:
    """The distinct texts of a part's documents that are not ``known``, like lengths together, 128 a shard.

    ``text_ids`` and ``lengths`` have an entry for each chunk of the documents. None unknown give no shard.
    """
    rows = {one: row for row, one in reversed(list(enumerate(text_ids))) if one not in known}
    ordered = sorted(rows, key=lambda one: (lengths[rows[one]], one))
    for begin in range(0, len(ordered), TEXTS_A_SHARD):
        ids = tuple(ordered[begin : begin + TEXTS_A_SHARD])
        yield Shard(content_id("shard", *ids), tuple(documents), tuple(rows[one] for one in ids), ids)
