"""Imports that are put off: a library that another imports, and that bidfolio may never use, is run when it is used."""

from __future__ import annotations

import sys
from importlib.util import find_spec, module_from_spec
from types import ModuleType
from typing import Any


def postpone_import(name: str, *, has_parts: bool = False) -> ModuleType | None:
    """Put a module in place without running it; the first name that is asked of it, and is not set, runs it.

    So does the import of a module below it, unless it ``has_parts`` that do without the whole.

    Returns it; None for one that is imported already, or is not installed, which stays as it is.
    """
    spec = find_spec(name) if name not in sys.modules else None
    if spec is None or spec.loader is None:
        return None
    module, loader = module_from_spec(spec), spec.loader

    def run_and_get(attribute: str) -> Any:
        del module.__dict__["__getattr__"]
        module.__dict__.update(paths)
        loader.exec_module(module)
        return getattr(module, attribute)

    # Whoever imports a module below this one first asks where those are.
    paths = {} if has_parts else {one: module.__dict__.pop(one) for one in ["__path__"] if one in module.__dict__}
    module.__dict__["__getattr__"] = run_and_get
    sys.modules[name] = module
    parent, _, child = name.rpartition(".")
    if parent:
        setattr(sys.modules[parent], child, module)
    return module
