"""A corpus of made chunks, embedded and published without conversion and gate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from configs.plans import Plan
from configs.settings import Settings
from tasks.embedding.corpus.corpus_cache import CorpusCache
from tasks.embedding.task import embed_chunks
from tasks.publishing.staging import vectors_of
from tasks.publishing.task import make_live, stage_index
from tasks.records import content_id
from tasks.references import Chunked, Converted, Embedded, FileCounts, Staged
from tasks.runtime.runs import start_run
from tasks.storage.document_rows import DocumentRows
from tasks.storage.lake import Lake
from tests.made.chunks import chunk_of

COUNTS = FileCounts(0, 0, 0, 0, 0)
FILES, TEXTS_A_FILE = 11, 5
TINY = "we keep passage".split()
"""Words of the tiny model's vocabulary and one that it does not know; the lexical space takes any."""


@dataclass
class Corpus:
    """A home whose corpus is files of made chunks, refreshed without conversion and gate."""

    home: Path
    plan: Plan
    name: str = "default"
    settings: Settings = field(init=False)

    def __post_init__(self) -> None:
        self.settings = Settings(home=str(self.home), threads=1)
        self.cache = CorpusCache(Lake(str(self.home)))

    def embed(self, files: Sequence[str]) -> tuple[Converted, Embedded]:
        """Run the stages up to embedding over those files, and return what embedding gives."""
        counts = []
        for name in files:
            texts = [f"{TINY[at % 3]} {name} {name}{at % 2} word{at}" for at in range(TEXTS_A_FILE)]
            chunks = [chunk_of(text, file_name=name, ordinal=at) for at, text in enumerate(texts)]
            self.cache.put_chunks(key := content_id("chunks", name), chunks)
            counts.append((key, len(chunks)))
        key = content_id("list", *files)
        self.cache.put_chunk_counts(key, counts)
        same = {"corpus": self.name, "content_sha256": "", "status": "indexed", "reason": None}
        rows = [same | {"document_id": content_id("document", name), "file_name": name} for name in files]
        DocumentRows(Lake(str(self.home))).put_document_rows(self.name, key, rows)
        embedded = embed_chunks.fn(Chunked(key, self.name, len(files) * TEXTS_A_FILE), self.plan, self.settings)
        return Converted(key, self.name, 0, COUNTS, ()), embedded

    def publish(self, files: Sequence[str]) -> tuple[Embedded, Staged]:
        """The same, with a version that is live then."""
        converted, embedded = self.embed(files)
        staged = stage_index.fn(converted, embedded, self.plan, self.settings)
        make_live(staged, start_run("refresh", self.plan.name, "made", self.name), self.settings)
        return embedded, staged

    def lexical(self, embedded: Embedded) -> np.ndarray:
        """The lexical vectors of what was embedded."""
        return vectors_of(self.cache, embedded, self.plan.embedding)[1]

    def vectors_left(self, kind: str) -> set[str]:
        """The files of vectors in the cache."""
        return {str(path.relative_to(self.home)) for path in (self.home / "cache" / kind).rglob("*.parquet")}

    def spaces(self) -> dict[str, bytes]:
        """The spaces that are kept, by their keys."""
        folder = self.home / "index" / "states"
        return {path.name.split(".")[0]: path.read_bytes() for path in folder.glob("*.lexical.npz")}
