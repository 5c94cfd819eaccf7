"""YAML as the demo's authors mean it, read into frozen pydantic models."""

import re
from typing import ClassVar, TypeVar

import yaml
from pydantic import BaseModel, ConfigDict, ValidationError


class SourceError(ValueError):
    """A source file is not in the demo's format; the message names the file, the place and what is wrong."""


class Frozen(BaseModel):
    """The base of every model read from a source file: frozen, unknown keys refused."""

    model_config: ClassVar[ConfigDict] = ConfigDict(frozen=True, extra="forbid")


_Model = TypeVar("_Model", bound=BaseModel)


_BOOL = ("tag:yaml.org,2002:bool", re.compile(r"^(?:true|false)$"))
_NULL = ("tag:yaml.org,2002:null", re.compile(r"^(?:null|~|)$"))


class _Loader(yaml.SafeLoader):
    """Plain scalars are text (`yes`, `1.10`, `2026-04-14`) but for true, false and null."""

    yaml_implicit_resolvers = {"t": [_BOOL], "f": [_BOOL], "n": [_NULL], "~": [_NULL], "": [_NULL]}  # noqa: RUF012 - as yaml has it


def load(text: str, kind: type[_Model], name: str) -> _Model:
    """The YAML `text` as a model of the given kind.

    Raises a `SourceError` that names the file `name` and each field that is wrong.
    """
    try:
        return kind.model_validate(yaml.load(text, _Loader))
    except (yaml.YAMLError, ValidationError) as error:
        raise SourceError(f"{name}: {error}") from error
