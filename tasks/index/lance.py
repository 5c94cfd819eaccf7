"""LanceDB, imported without the client for servers of Lance namespaces, whose import takes longer than all the rest.

The client's package is put in place without running it: its models, which LanceDB names in annotations, are there, and
whatever else is asked of it runs it then.
"""

from __future__ import annotations

import sys
from importlib.util import find_spec, module_from_spec
from typing import Any

_CLIENT = "lance_namespace_urllib3_client"


def _postpone_client() -> None:
    spec = find_spec(_CLIENT)
    if spec is None or spec.loader is None or _CLIENT in sys.modules:
        return
    module, loader = module_from_spec(spec), spec.loader

    def run_and_get(name: str) -> Any:
        del module.__dict__["__getattr__"]
        loader.exec_module(module)
        return getattr(module, name)

    module.__dict__["__getattr__"] = run_and_get
    sys.modules[_CLIENT] = module


_postpone_client()

import lancedb  # noqa: E402  # behind what is postponed
from lancedb.index import FTS, Bitmap, BTree, HnswSq, IvfFlat, IvfPq, IvfSq  # noqa: E402
from lancedb.table import Table  # noqa: E402

__all__ = ["FTS", "BTree", "Bitmap", "HnswSq", "IvfFlat", "IvfPq", "IvfSq", "Table", "lancedb"]
