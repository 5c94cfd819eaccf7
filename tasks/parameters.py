"""Which parameters of a chat completion a server takes: not every one that speaks the protocol knows all of them."""

from __future__ import annotations

import re
from itertools import product
from typing import Any, NamedTuple

_NAMES = {
    "response_format": re.compile(r"response_?format|json_(?:schema|object)|structured.?output|guided|grammar", re.I),
    "length": re.compile(r"max_(?:completion_)?tokens", re.I),
    "temperature": re.compile(r"temperature", re.I),
}
"""How an error names each; the first two are the words of vLLM, llama.cpp and OpenAI."""


class Parameters(NamedTuple):
    """What a request is sent with besides its model and messages: the type of its ``response_format``, the name of the
    parameter that bounds the reply's ``length``, and the ``temperature``; "" is left out.
    """

    response_format: str = "json_schema"
    length: str = "max_tokens"
    temperature: str = "temperature"

    def body(self, schema: dict[str, object], max_tokens: int, temperature: float) -> dict[str, Any]:
        """The part of a request's body that they make up."""
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
        """Those to ask with after a refusal in such words, which may say which ``param`` it is about; None where it
        names none that was sent.

        A schema gives way to JSON of any shape and that to none, as the prompt says the shape, too.
        """
        named = self._named(param or "") or self._named(said)
        if named == "response_format":
            return self._replace(response_format="json_object" if self.response_format == "json_schema" else "")
        if named == "length":
            is_renamed = self.length == "max_tokens" and "max_completion_tokens" in said
            return self._replace(length="max_completion_tokens" if is_renamed else "")
        return self._replace(temperature="") if named else None

    def change_to(self, other: Parameters) -> str:
        """In words, how ``other`` differs; "" where it does not."""
        return ", ".join(
            f"{now or 'nothing'} in the place of {before}"
            for before, now in zip(self._shown, other._shown, strict=True)
            if before != now
        )

    @property
    def _shown(self) -> tuple[str, ...]:
        return (self.response_format and f"response_format {self.response_format}", self.length, self.temperature)

    def _named(self, text: str) -> str:
        """The field that the text names first, of those that are sent; "" where it names none."""
        found = {field: match.start() for field, name in _NAMES.items() if (match := name.search(text))}
        sent = [field for field in sorted(found, key=lambda field: found[field]) if getattr(self, field)]
        return sent[0] if sent else ""


EVERY = tuple(
    Parameters(*one)
    for one in product(
        ("json_schema", "json_object", ""), ("max_tokens", "max_completion_tokens", ""), ("temperature", "")
    )
)
"""All that a server can be asked with, the usual first."""
