"""Chat-completion parameters that a server accepts: compatible servers do not all know every parameter."""

from __future__ import annotations

import re
from itertools import product
from typing import Any, NamedTuple

_NAMES = {
    "response_format": re.compile(r"response_?format|json_(?:schema|object)|structured.?output|guided|grammar", re.I),
    "length": re.compile(r"max_(?:completion_)?tokens", re.I),
    "temperature": re.compile(r"temperature", re.I),
}
"""The names of each parameter in error messages; the first two are the words of vLLM, llama.cpp and OpenAI."""


class Parameters(NamedTuple):
    """The optional parameters of a request; "" leaves a parameter out.

    They are the type of its ``response_format``, the name of the parameter that bounds the reply's ``length``, and the
    ``temperature``.
    """

    response_format: str = "json_schema"
    length: str = "max_tokens"
    temperature: str = "temperature"

    def body(self, schema: dict[str, object], max_tokens: int, temperature: float) -> dict[str, Any]:
        """The part of a request's body for these parameters."""
        found: dict[str, Any] = {}
        if self.response_format == "json_schema":
            found["response_format"] = {
                "type": "json_schema",
                "json_schema": {"name": "reply", "schema": schema, "strict": True},
            }
        elif self.response_format:
            found["response_format"] = {"type": self.response_format}
        if self.length:
            found[self.length] = max_tokens
        if self.temperature:
            found["temperature"] = temperature
        return found

    def after(self, said: str, param: str | None = None) -> Parameters | None:
        """The parameters to use after a refusal with that message, which may name the ``param``;
        None if it names none sent.

        A schema is replaced by JSON of any shape, and that by no format, as the prompt describes the shape, too.
        """
        named = self._named(param or "") or self._named(said)
        if named == "response_format":
            return self._replace(response_format="json_object" if self.response_format == "json_schema" else "")
        if named == "length":
            is_renamed = self.length == "max_tokens" and "max_completion_tokens" in said
            return self._replace(length="max_completion_tokens" if is_renamed else "")
        return self._replace(temperature="") if named else None

    def change_to(self, other: Parameters) -> str:
        """A description of the differences of ``other``; "" without any."""
        return ", ".join(
            f"{now or 'nothing'} in the place of {before}"
            for before, now in zip(self._shown, other._shown, strict=True)
            if before != now
        )

    @property
    def _shown(self) -> tuple[str, ...]:
        return (self.response_format and f"response_format {self.response_format}", self.length, self.temperature)

    def _named(self, text: str) -> str:
        """The first field among those sent that the text names; "" where it names none."""
        found = {field: match.start() for field, name in _NAMES.items() if (match := name.search(text))}
        sent = [field for field in sorted(found, key=lambda field: found[field]) if getattr(self, field)]
        return sent[0] if sent else ""


EVERY = tuple(
    Parameters(*one)
    for one in product(
        ("json_schema", "json_object", ""), ("max_tokens", "max_completion_tokens", ""), ("temperature", "")
    )
)
"""All combinations of parameters that a server can be asked with, the usual first."""
