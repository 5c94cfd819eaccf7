"""Steps by which a command changes a home, counted, and a kill before one of them."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import pytest

from tasks.index.store import IndexStore
from tests.made.faults import Killed


def steps(patched: pytest.MonkeyPatch, die_at: int) -> Callable[[], int]:
    """Ends the process before the step of that number, of all that change the home; gives how many were begun."""
    begun = 0

    def counted(of: Callable[..., Any]) -> Callable[..., Any]:
        def wrapped(*arguments: Any, **named: Any) -> Any:
            nonlocal begun
            begun += 1
            if begun > die_at:
                raise Killed
            return of(*arguments, **named)

        return wrapped

    for name in ("unlink", "remove", "rmdir", "rename"):
        patched.setattr(os, name, counted(getattr(os, name)))
    patched.setattr(IndexStore, "keep", counted(IndexStore.keep))
    return lambda: begun
