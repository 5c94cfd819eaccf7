"""Where a model's files are: a folder, or a Python package that carries them. Nothing is ever downloaded."""

from __future__ import annotations

import hashlib
import importlib.util
from functools import cache
from pathlib import Path

from tokenizers import Tokenizer as FastTokenizer

from tasks.errors import UsageError


@cache
def model_folder(name: str) -> Path:
    """The folder of the model ``name``: a path, or the ``model`` folder of an installed package of that name.

    Raises UsageError that names the model and the remedy.
    """
    if Path(name).is_dir():
        return Path(name).resolve()
    spec = importlib.util.find_spec(name.replace("-", "_")) if name.replace("-", "_").isidentifier() else None
    if spec is not None and spec.origin is not None:
        folder = Path(spec.origin).parent / "model"
        if folder.is_dir():
            return folder
    raise UsageError(
        f"the model {name!r} is neither a folder nor an installed package that carries one; "
        "set embedding.model in the plan to a local folder"
    )


@cache
def model_fingerprint(name: str, max_length: int) -> str:
    """16 hex digits that change with any byte of the model's files, or with the window."""
    digest = hashlib.sha256(str(max_length).encode())
    folder = model_folder(name)
    for path in sorted(p for p in folder.rglob("*") if p.suffix in {".json", ".txt", ".safetensors"}):
        digest.update(path.relative_to(folder).as_posix().encode())
        with path.open("rb") as file:
            digest.update(hashlib.file_digest(file, "sha256").digest())
    return digest.hexdigest()[:16]


@cache
def _load_tokenizer(name: str) -> FastTokenizer:
    file = model_folder(name) / "tokenizer.json"
    if not file.is_file():
        raise UsageError(f"the model {name!r} has no tokenizer.json: it needs a fast tokenizer")
    tokenizer = FastTokenizer.from_file(str(file))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


class ModelTokenizer:
    """The model's own fast tokenizer, without the model: it loads in milliseconds."""

    def __init__(self, name: str) -> None:
        self._tokenizer = _load_tokenizer(name)
        self.special_tokens = self._tokenizer.num_special_tokens_to_add(False)

    def offsets(self, text: str) -> list[tuple[int, int]]:
        """The character span of each token, in order, without special tokens."""
        return list(self._tokenizer.encode(text, add_special_tokens=False).offsets)

    def cut(self, text: str, window_tokens: int) -> str:
        """``text``, or as much of its beginning as fits into the window with the special tokens."""
        if len(text) < window_tokens - self.special_tokens:  # no token is shorter than a character
            return text
        offsets = self.offsets(text)
        room = window_tokens - self.special_tokens
        return text if len(offsets) <= room else text[: offsets[room - 1][1]]
