"""Chains of generators over scripted model servers."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from typing import Any

import numpy as np
from numpy.typing import NDArray

from configs.settings import ChainSettings, OpenAISettings, Settings
from tasks.answering.drafts.draft import Generator
from tasks.answering.generators.extractive import ExtractiveGenerator
from tasks.answering.generators.factory import build_generator
from tasks.llm.circuit_breaker import Breaker
from tasks.llm.model_server import ModelServer
from tests.made.scripted_server import Kept, Reply, scripted_url

AWAY = "http://127.0.0.1:9/v1"


def ones(texts: Sequence[str]) -> NDArray[np.float32]:
    """A vector of one dimension for each text, all alike."""
    return np.ones((len(texts), 1), dtype=np.float32)


def extractive() -> Generator:
    """The generator that quotes, over vectors that are all alike."""
    return ExtractiveGenerator(ones, ones, 1)


class Chain:
    """Servers by name, what each was asked, and a chain over them as settings have it."""

    def __init__(self, stack: ExitStack, *order: str, seconds: float = 3.0, **replies: Reply | str) -> None:
        self.requests: dict[str, list[dict[str, Any]]] = {name: [] for name in replies}
        self.kept = Kept()
        servers = {}
        for name, reply in replies.items():
            url = reply if isinstance(reply, str) else stack.enter_context(scripted_url(self.script(name, reply)))
            servers[name] = OpenAISettings(base_url=url, model=f"{name}-model", timeout_s=5, max_in_flight=4)
        chain = ChainSettings(order=order, seconds=seconds)
        self.settings = Settings.model_construct(
            openai=servers.pop("openai", OpenAISettings()), servers=servers, chain=chain
        )
        self.generator = build_generator("chain", self.settings, self.server, extractive)

    def script(self, name: str, reply: Reply) -> Any:
        def said(body: dict[str, Any]) -> Reply:
            self.requests[name].append(body)
            return reply

        return said

    def server(self, name: str, of: OpenAISettings, seconds: float | None) -> ModelServer:
        return ModelServer(of, self.kept, name=name, seconds=seconds, breaker=Breaker())
