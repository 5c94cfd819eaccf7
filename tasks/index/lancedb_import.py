"""LanceDB's import, without what takes most of its time and bidfolio never uses.

- The client for servers of Lance namespaces is run when something is asked of it, and each of its 146 models, which
  LanceDB names in annotations, when it is made.
- Methods that override others are not checked for it, as LanceDB itself leaves it out from Python 3.12 on.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from importlib import import_module
from typing import Any

from tasks.runtime.postponed_import import postpone_import

_CLIENT = "lance_namespace_urllib3_client"
_MODELS = f"{_CLIENT}.models"
_CHECKS = "overrides"


def postpone() -> None:
    """Put those packages in place without running them; the first other name that is asked of one runs it.

    A package that is imported already, or is not installed, stays as it is.
    """
    client = postpone_import(_CLIENT, has_parts=True)
    models = postpone_import(_MODELS, has_parts=True) if client else None
    if models:
        models.__dict__["__getattr__"] = _model
    if checks := postpone_import(_CHECKS, has_parts=True):
        checks.__dict__.update(override=lambda method: method, EnforceOverrides=object)


class _Model(type):
    """A class that stands for a model, and imports the model's module when it is used."""

    def real(cls) -> Callable[..., Any]:
        """The model itself."""
        module = re.sub(r"(?<!^)(?=[A-Z])", "_", cls.__name__).lower()
        return getattr(import_module(f"{_MODELS}.{module}"), cls.__name__)  # type: ignore[no-any-return]

    def __call__(cls, *arguments: Any, **named: Any) -> Any:
        return cls.real()(*arguments, **named)

    def __getattr__(cls, name: str) -> Any:
        return getattr(cls.real(), name)

    def __instancecheck__(cls, one: Any) -> bool:
        return isinstance(one, cls.real())  # type: ignore[arg-type]


def _model(name: str) -> type:
    if not name[0].isupper():
        raise AttributeError(name)
    return _Model(name, (), {})
