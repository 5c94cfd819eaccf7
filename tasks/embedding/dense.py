"""Dense vectors by sentence-transformers, from files on this machine, on the CPU or what torch finds."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from configs.plans import Embedding
from tasks.embedding.model_files import ModelTokenizer, model_folder
from tasks.embedding.shards import Encoder, Shard
from tasks.errors import Terminal

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer


@cache
def _load(name: str, max_length: int) -> SentenceTransformer:
    os.environ["HF_HUB_OFFLINE"] = "1"  # read at import: no hub is ever asked
    from sentence_transformers import SentenceTransformer

    model = SentenceTransformer(str(model_folder(name)), local_files_only=True, trust_remote_code=False)
    # Some models are packaged with less than their position embeddings allow, and would silently cut.
    model.max_seq_length = max_length
    return model


def encode(texts: Sequence[str], *, model: str, max_length: int, threads: int) -> NDArray[np.float32]:
    """The unit dense vectors of ``texts``, ``(len(texts), dimensions)`` float32; no texts give no rows.

    Same texts in the same order with the same ``threads`` give the same bits, in any process. Raises
    Terminal where a text is longer than the window: nothing is silently cut.
    """
    loaded = _load(model, max_length)
    import torch

    torch.set_num_threads(threads)  # of the process: another caller may have asked for other threads
    if not texts:
        return np.zeros((0, loaded.get_embedding_dimension() or 0), dtype=np.float32)
    lengths = [len(ids) for ids in loaded.tokenizer(list(texts), truncation=False, verbose=False)["input_ids"]]
    if max(lengths) > max_length:
        longest = texts[lengths.index(max(lengths))]
        raise Terminal(f"a text of {max(lengths)} tokens exceeds the window of {max_length}: {longest[:80]!r}…")
    vectors = loaded.encode(list(texts), batch_size=32, normalize_embeddings=True, show_progress_bar=False)
    return np.asarray(vectors, dtype=np.float32)


def embed_shard(shard: Shard, encoder: Encoder) -> NDArray[np.float32]:
    """The unit vectors of a shard's texts, ``(len(shard.texts), dimensions)`` float32. Raises as :func:`encode`."""
    return encode(shard.texts, model=encoder.model, max_length=encoder.max_length, threads=encoder.threads)


def encode_cut(texts: Sequence[str], plan: Embedding, threads: int) -> NDArray[np.float32]:
    """The unit vectors of questions or sentences: what exceeds the window is cut, as it is asked and not indexed.

    ``(len(texts), dimensions)`` float32; no texts give no rows.
    """
    tokenizer = ModelTokenizer(plan.model)
    cut = [tokenizer.cut(text, plan.max_length) for text in texts]
    return encode(cut, model=plan.model, max_length=plan.max_length, threads=threads)
