"""Turn a GGUF model into a folder that vLLM serves.

1. Finds the GGUF, either a path or a file inside an installed package, without importing that package.
2. Dequantises it with transformers, which reads GGUF but refuses to save what it read.
3. Writes config, tokenizer and bfloat16 safetensors beside the target, and renames them into place.

It loads the whole model in float32 and writes one file: meant for models of up to a few billion weights.
"""

from __future__ import annotations

import argparse
import importlib.util
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from torch import Tensor
    from transformers import PreTrainedModel

PACKAGE_PREFIX = "package:"


def gguf_path(source: str) -> Path:
    """Return the GGUF file that `source` names: a path, or `package:MODULE/FILE`.

    Raises FileNotFoundError where the module or the file is missing.
    """
    if not source.startswith(PACKAGE_PREFIX):
        path = Path(source)
    else:
        module, _, file_name = source.removeprefix(PACKAGE_PREFIX).partition("/")
        spec = importlib.util.find_spec(module)
        if spec is None or not spec.submodule_search_locations:
            message = f"{source}: no installed package has a module {module!r}; install it here"
            raise FileNotFoundError(message)
        path = Path(spec.submodule_search_locations[0]) / file_name
    if not path.is_file():
        message = f"{path}: no such GGUF file"
        raise FileNotFoundError(message)
    return path


def saved_weights(model: PreTrainedModel) -> dict[str, Tensor]:
    """Return the model's weights by name, in bfloat16.

    `lm_head.weight` is left out where it is the embedding matrix itself: safetensors refuses two
    names for one tensor, and a reader restores it from `tie_word_embeddings`.
    """
    import torch

    tied = bool(model.config.tie_word_embeddings)
    return {
        name: weight.to(torch.bfloat16).contiguous()
        for name, weight in model.state_dict().items()
        if not (tied and name == "lm_head.weight")
    }


def convert(gguf: Path, folder: Path) -> Path:
    """Return `folder`, now holding the model of `gguf`; an older folder is replaced.

    The folder appears whole or not at all.
    """
    import torch
    from safetensors.torch import save_file
    from transformers import AutoModelForCausalLM, AutoTokenizer

    parts = {"pretrained_model_name_or_path": str(gguf.parent), "gguf_file": gguf.name}
    tokenizer = AutoTokenizer.from_pretrained(**parts)
    model = AutoModelForCausalLM.from_pretrained(**parts, dtype=torch.float32)
    # The weights are dequantised by now; vLLM would look for GGUF ones if the config still said so.
    if hasattr(model.config, "quantization_config"):
        del model.config.quantization_config
    model.config.dtype = torch.bfloat16

    partial = folder.with_name(f"{folder.name}.partial")
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir(parents=True)
    save_file(saved_weights(model), partial / "model.safetensors", metadata={"format": "pt"})
    model.config.save_pretrained(partial)
    if model.generation_config is not None:
        model.generation_config.save_pretrained(partial)
    tokenizer.save_pretrained(partial)
    shutil.rmtree(folder, ignore_errors=True)
    partial.rename(folder)
    return folder


def main(arguments: Sequence[str] | None = None) -> int:
    """Convert as the command line says; return the exit code, 2 where the GGUF is missing."""
    parser = argparse.ArgumentParser(description="Turn a GGUF model into a folder that vLLM serves.")
    parser.add_argument("source", help="a GGUF file, or package:MODULE/FILE")
    parser.add_argument("folder", type=Path, help="where the model goes; replaced if it exists")
    options = parser.parse_args(arguments)
    try:
        gguf = gguf_path(options.source)
    except FileNotFoundError as error:
        print(f"convert_gguf: {error}", file=sys.stderr)
        return 2
    convert(gguf, options.folder)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
