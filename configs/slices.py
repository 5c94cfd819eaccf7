"""Base class of the parts of a plan, and hashing of their values."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

Granularity = Annotated[str, Field(pattern=r"^([a-z][a-z0-9_]*)?$")]
"""The name of a granularity, a way to cut documents; empty where the plan has only one."""


class Slice(BaseModel):
    """A frozen part of a plan that refuses unknown keys, infinite numbers and NaN."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    def fingerprint(self) -> str:
        """The first 16 hex digits of the SHA-256 of the slice as canonical JSON."""
        return digest(self.model_dump(mode="json"))[:16]


def by_granularity(given: Any) -> Any:
    """``given`` if it maps names to several granularities; else a mapping from "" to it."""
    is_of_several = (
        isinstance(given, Mapping) and given and all(isinstance(one, (Mapping, Slice)) for one in given.values())
    )
    return given if is_of_several else {"": given}


def digest(value: Any) -> str:
    """The SHA-256 of the value as canonical JSON, in hex."""
    canonical = json.dumps(value, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(canonical.encode()).hexdigest()
