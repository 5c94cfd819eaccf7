"""Texts cut into shards by their content, so that every machine embeds the same batches."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from configs.machine import FASTEST, Backend
from configs.plans import Embedding
from tasks.records import content_id

LOGIC_VERSION = "3"
"""Version of the embedding logic, part of the index's content key:
raised when the same text would get another vector.
"""
TEXTS_A_SHARD = 128


@dataclass(frozen=True, slots=True)
class Shard:
    """Texts that are embedded together: those ``rows`` of the chunks of ``documents``;
    ``shard_id`` hashes the content.
    """

    shard_id: str
    documents: tuple[str, ...]
    rows: tuple[int, ...]
    text_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Encoder:
    """The parameters of embedding; sent to workers, so it holds names, not models.

    ``home`` is the folder where a back end keeps the files that it makes from the model's. ``backend`` runs the model
    where the plan leaves it to the machine.
    """

    plan: Embedding
    threads: int
    home: str
    backend: Backend = FASTEST


class TextVectors(NamedTuple):
    """The unit vectors ``dense`` (m, n) of m texts, and each text's ``tokens``, where the plan keeps token vectors.

    The latter are in the format of ``tasks.embedding.models.token_vectors``.
    """

    dense: NDArray[np.float32]
    tokens: list[bytes] | None


EmbedTexts = Callable[[Sequence[str], Encoder], TextVectors]
"""Function that gives the vectors of texts; a module-level function, so that it can be sent to workers."""


def text_id(text: str) -> str:
    """The content id under which a text's vector is kept."""
    return content_id("text", text)


def cut_shards(
    documents: Sequence[str], text_ids: Sequence[str], lengths: Sequence[int], known: Container[str]
) -> Iterator[Shard]:
    """Cut the distinct texts of a part that are not ``known`` into shards of 128, similar lengths together.

    ``text_ids`` and ``lengths`` have an entry for each chunk of the documents. No unknown texts give no shard.
    """
    rows = {one: row for row, one in reversed(list(enumerate(text_ids))) if one not in known}
    ordered = sorted(rows, key=lambda one: (lengths[rows[one]], one))
    for begin in range(0, len(ordered), TEXTS_A_SHARD):
        ids = tuple(ordered[begin : begin + TEXTS_A_SHARD])
        yield Shard(content_id("shard", *ids), tuple(documents), tuple(rows[one] for one in ids), ids)
