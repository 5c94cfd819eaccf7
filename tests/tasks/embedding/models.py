"""Tiny sentence-transformers models of random weights, saved as anyone's are."""

from __future__ import annotations

from pathlib import Path
from typing import Any

WORDS = "[PAD] [UNK] [CLS] [SEP] [MASK] query : passage all backups data is are kept for thirty days encrypted we the"
POSITIONS = 24


def save_bert(folder: Path, *, pooling: str = "mean", modules_after: tuple[str, ...] = (), **of_model: Any) -> str:
    """A BERT of two layers, 24 positions and 32 dimensions, packaged with a window of 8; its folder."""
    import torch
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer import modules
    from transformers import BertConfig, BertModel, BertTokenizerFast

    torch.manual_seed(0)
    (folder / "bert").mkdir(parents=True)
    (folder / "bert" / "vocab.txt").write_text("\n".join(WORDS.split()), encoding="utf-8")
    BertTokenizerFast(str(folder / "bert" / "vocab.txt")).save_pretrained(folder / "bert")
    config = BertConfig(
        vocab_size=len(WORDS.split()),
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=64,
        max_position_embeddings=POSITIONS,
        initializer_range=0.5,  # with the usual 0.02 all texts are alike
    )
    BertModel(config).save_pretrained(folder / "bert")
    transformer = modules.Transformer(str(folder / "bert"), max_seq_length=8)
    after = {
        "dense": lambda: modules.Dense(32, 16),
        "normalize": modules.Normalize,
    }
    parts = [transformer, modules.Pooling(32, pooling_mode=pooling), *(after[name]() for name in modules_after)]
    SentenceTransformer(modules=parts, **of_model).save(str(folder / "model"))
    return str(folder / "model")
