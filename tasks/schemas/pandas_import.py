"""Arrow without pandas: the import of pandas is put off until bidfolio's own code asks for it.

Arrow imports pandas, which takes longer than Arrow itself, when it first makes an array of Python's values, in case
they are pandas' own.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType

import pyarrow as pa


class _Finder:
    """Finds no pandas for Arrow's first look; when pandas is imported after all, has Arrow look again."""

    def __init__(self) -> None:
        self.is_refused = True

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """As the import system asks for it."""
        if name != "pandas":
            return None
        if self.is_refused:
            raise ModuleNotFoundError(name)
        spec = PathFinder.find_spec(name, path, target)
        if spec is not None and spec.loader is not None:
            run = spec.loader.exec_module

            def run_and_tell(module: ModuleType) -> None:
                run(module)
                _ = pa.lib._pandas_api.pd  # Arrow imports it now, and knows its types

            spec.loader.exec_module = run_and_tell  # type: ignore[method-assign]
        return spec


def postpone() -> None:
    """Let Arrow look for pandas now, and find none; does nothing where that was done, or pandas is imported."""
    if "pandas" in sys.modules or any(isinstance(one, _Finder) for one in sys.meta_path):
        return
    finder = _Finder()
    sys.meta_path.insert(0, finder)
    pa.array([])
    finder.is_refused = False
