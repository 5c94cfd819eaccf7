"""The client for servers of Lance namespaces, which LanceDB imports and bidfolio never uses: run when it is asked.

Its import takes longer than that of all the rest of LanceDB. Its models, which LanceDB names in annotations, are there.
"""

from __future__ import annotations

import sys
from importlib.util import find_spec, module_from_spec
from typing import Any

_CLIENT = "lance_namespace_urllib3_client"


def postpone() -> None:
    """Put the client's package in place without running it: the first name that is asked of it runs it."""
    spec = find_spec(_CLIENT) if _CLIENT not in sys.modules else None
    if spec is None or spec.loader is None:
        return
    module, loader = module_from_spec(spec), spec.loader

    def run_and_get(name: str) -> Any:
        del module.__dict__["__getattr__"]
        loader.exec_module(module)
        return getattr(module, name)

    module.__dict__["__getattr__"] = run_and_get
    sys.modules[_CLIENT] = module
