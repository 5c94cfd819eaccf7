"""The threads and the back end that run a model on this machine."""

from __future__ import annotations

from typing import Final, Literal, NamedTuple

FASTEST: Final = "fastest"
Backend = Literal["torch", "openvino", "openvino_bf16", "openvino_int8", "onnx", "fastest"]
"""The library and the numbers that run a model; ``fastest`` leaves it to the machine."""


class Machine(NamedTuple):
    """The ``threads`` that run a model, and its back end where nothing else says it.

    ``home`` is the folder where a back end keeps the files that it makes from the model's.
    """

    threads: int
    home: str
    backend: Backend = FASTEST
