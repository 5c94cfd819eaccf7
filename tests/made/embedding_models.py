"""Tiny sentence-transformers models of random weights, their back ends, and bags of words as vectors."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
import pytest
from numpy.typing import NDArray

from tasks.text.search_terms import terms

WORDS = "[PAD] [UNK] [CLS] [SEP] [MASK] query : passage all backups data is are kept for thirty days encrypted we the"
POSITIONS = 24


def save_bert(folder: Path, *, pooling: str = "mean", modules_after: tuple[str, ...] = (), **of_model: Any) -> str:
    """A BERT of two layers, 24 positions and 32 dimensions, packaged with a window of 8; its folder."""
    import torch
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer import modules
    from transformers import BertModel

    torch.manual_seed(0)
    BertModel(bert_config(folder / "bert", max_position_embeddings=POSITIONS)).save_pretrained(folder / "bert")
    transformer = modules.Transformer(str(folder / "bert"), max_seq_length=8)
    after = {
        "dense": lambda: modules.Dense(32, 16),
        "normalize": modules.Normalize,
    }
    parts = [transformer, modules.Pooling(32, pooling_mode=pooling), *(after[name]() for name in modules_after)]
    SentenceTransformer(modules=parts, **of_model).save(str(folder / "model"))
    return str(folder / "model")


def bert_config(folder: Path, **of_config: Any) -> Any:
    """The configuration of a BERT of two layers and 32 dimensions; its tokenizer is saved in the ``folder``."""
    from transformers import BertConfig, BertTokenizerFast

    folder.mkdir(parents=True)
    (folder / "vocab.txt").write_text("\n".join(WORDS.split()), encoding="utf-8")
    BertTokenizerFast(str(folder / "vocab.txt")).save_pretrained(folder)
    return BertConfig(
        vocab_size=len(WORDS.split()),
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=64,
        initializer_range=0.5,  # with the usual 0.02 all texts are alike
        **of_config,
    )


def words_as_vectors(texts: Sequence[str]) -> NDArray[np.float32]:
    """A stand-in for the embedding model: unit bags of stemmed words, each word at a place of its own hash."""
    vectors = np.zeros((len(texts), 1 << 16), dtype=np.float32)
    for row, text in enumerate(texts):
        for word in terms(text):
            vectors[row, crc32(word.encode()) % (1 << 16)] = 1.0
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    unit: NDArray[np.float32] = (vectors / np.where(norms > 0, norms, 1)).astype(np.float32)
    return unit


HAS_ONNX = all(find_spec(name) for name in ("onnx", "onnxruntime"))
ONNX = pytest.param("onnx", marks=pytest.mark.skipif(not HAS_ONNX, reason="the extra onnx is not installed"))
BACKENDS = ("torch", "openvino", "openvino_bf16", "openvino_int8", ONNX)
