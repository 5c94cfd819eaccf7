"""Tiny rerankers (BERT, T5) of random weights, saved as published models are."""

from __future__ import annotations

from pathlib import Path

from configs.machine import Machine
from tests.made.embedding_models import WORDS, bert_config


def machine(threads: int) -> Machine:
    """One that runs a cross-encoder's graph as it is."""
    return Machine(threads, "", "onnx")


def save_cross_encoder(folder: Path, outputs: int = 1) -> str:
    """A BERT of two layers that gives so many scores; its folder."""
    import torch
    from transformers import BertForSequenceClassification

    torch.manual_seed(1)
    BertForSequenceClassification(bert_config(folder, num_labels=outputs)).save_pretrained(folder)
    return str(folder)


def save_t5(folder: Path) -> str:
    """A T5 of one layer, which knows a word for each token; its folder."""
    import torch
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast, T5Config, T5ForConditionalGeneration

    torch.manual_seed(2)
    words = ["<pad>", "</s>", "<unk>", "true", "false", "Query:", "Document:", "Relevant:", *WORDS.split()[5:]]
    vocabulary = {word: number for number, word in enumerate(dict.fromkeys(words))}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, pad_token="<pad>", eos_token="</s>", unk_token="<unk>"
    ).save_pretrained(folder)
    config = T5Config(
        vocab_size=len(vocabulary),
        d_model=32,
        d_kv=8,
        d_ff=64,
        num_layers=1,
        num_heads=4,
        decoder_start_token_id=0,
        initializer_factor=1.0,
    )
    T5ForConditionalGeneration(config).save_pretrained(folder)
    return str(folder)
