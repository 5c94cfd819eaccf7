"""Factory of the generator that a plan names, as the settings say."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from tasks.answering.drafts.draft import Generator
from tasks.answering.generators.chain import ChainGenerator
from tasks.answering.generators.openai_generator import OpenAIGenerator
from tasks.errors import UsageError
from tasks.llm.completions import Server

if TYPE_CHECKING:
    from configs.settings import OpenAISettings, Settings

OpenServer = Callable[[str, "OpenAISettings", float | None], Server]
"""Function from a server's name, its settings, and the seconds for a question (None for no limit) to the server."""


def build_generator(
    name: str, settings: Settings, server: OpenServer, extractive: Callable[[], Generator], tone: str = ""
) -> Generator:
    """The generator of that name: ``extractive``, ``openai``, a server of the settings, or their ``chain``.

    Raises UsageError that says what to set where a server is not configured.
    """

    def alone(name: str, *, has_next: bool = False) -> Generator:
        if name == "extractive":
            return extractive()
        asked = server(name, server_named(name, settings), settings.chain.seconds if has_next else None)
        return OpenAIGenerator(asked, name, has_next=has_next, tone=tone)

    if name in ("extractive", "openai", *settings.servers):
        return alone(name)
    order = settings.chain.order
    return ChainGenerator([alone(link, has_next=link != order[-1]) for link in order])


def server_named(name: str, settings: Settings) -> OpenAISettings:
    """The settings of the server of that name. Raises UsageError as :func:`build_generator`."""
    of = settings.openai if name == "openai" else settings.servers[name]
    if not of.is_configured:
        raise UsageError(
            f"the generator {name!r} needs a server: set BIDFOLIO_OPENAI_BASE_URL and BIDFOLIO_OPENAI_MODEL, or take "
            "--generator extractive"
        )
    return of
