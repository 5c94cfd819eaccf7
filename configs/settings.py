"""Where bidfolio runs: its home, its servers, its cluster. What it does is the plan's matter.

A setting comes, first match wins, from the command line, from the environment (``BIDFOLIO_HOME``,
``BIDFOLIO_DASK_WORKERS``, ``BIDFOLIO_OPENAI_BASE_URL`` …), or from ``configs/profiles/<profile>.yaml``.
Secrets are never settings: the keys of model servers (``BIDFOLIO_OPENAI_API_KEY``) are read where they are used.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator
from pydantic_settings import (
    BaseSettings,
    InitSettingsSource,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    SettingsError,
    YamlConfigSettingsSource,
)

from tasks.errors import UsageError

PROFILES_DIR = Path(__file__).parent / "profiles"


class ConversionSettings(BaseModel):
    """What converting may cost: ``workers`` processes of this machine (0: as many as ``dask.workers``, else one a
    core), and for one file the wall time, the address space of its process, and the size of the document that it
    becomes. The time begins anew with each page that is read by OCR, so that a scan may have any number of pages. The
    limits hold on a cluster's workers, too; there each of their threads has a process.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    workers: Annotated[int, Field(ge=0)] = 0
    seconds: Annotated[float, Field(gt=0)] = 600.0
    memory_mb: Annotated[int, Field(ge=512)] = 6144
    output_mb: Annotated[int, Field(ge=1)] = 256


class SourceSettings(BaseModel):
    """Which files of a corpus' folder are let in: glob patterns over their names, as ``tasks/conversion/patterns.py``
    reads them. In the environment each is a JSON list: ``BIDFOLIO_SOURCE_EXCLUDE='["drafts/**"]'``.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    include: tuple[Annotated[str, Field(pattern=r"[^/\s]")], ...] = ()
    exclude: tuple[Annotated[str, Field(pattern=r"[^/\s]")], ...] = ()


class AdaptiveSettings(BaseModel):
    """Between how many and how many workers a cluster has, as there is work."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    minimum: Annotated[int, Field(ge=0)] = 1
    maximum: Annotated[int, Field(ge=1)]

    @model_validator(mode="after")
    def _is_a_range(self) -> AdaptiveSettings:
        if self.minimum > self.maximum:
            raise ValueError("minimum must not be more than maximum")
        return self


class DaskSettings(BaseModel):
    """A cluster: ``address`` of one that runs, which converts and embeds, or ``workers`` processes of this machine, or
    ``adaptive``, as many of them as there is work for.

    The latter two are a cluster for embedding alone: conversion has as many processes without one. None of the keys
    set: embedding in this process.

    A cluster at ``address`` is scaled by who runs it; there ``adaptive`` says that it is, and for how many workers to
    hold work ready, since it grows by what waits. Tasks that embed ask for ``resources`` (``{GPU: 1}``) of a worker,
    which has them by its ``--resources``; others run anywhere. In the environment both are JSON.

    A cluster may be without any worker that will do for ``worker_wait_s`` while there is work: a nanny takes seconds to
    start another for one that died, a cloud minutes for its first.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    address: str | None = None
    workers: Annotated[int, Field(ge=0)] = 0
    adaptive: AdaptiveSettings | None = None
    resources: dict[str, Annotated[float, Field(gt=0)]] = {}
    worker_wait_s: Annotated[float, Field(gt=0)] = 60.0


class IndexSettings(BaseModel):
    """Of each index, the last ``keep_versions`` that were live can be gone back to; those before them are removed."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    keep_versions: Annotated[int, Field(ge=1)] = 3


class OpenAISettings(BaseModel):
    """An OpenAI-compatible server, such as the vLLM of ``infra/vllm``.

    A reply may take ``timeout_s``; a server that is busy (status 429, 502, 503, 504) is asked again for ``patience_s``,
    never sooner than it says. At most ``max_in_flight`` requests are under way at once, fewer where it is too slow for
    so many. ``context_tokens`` is how many tokens the model reads and writes in one exchange; None: as the server
    says. It is best set for servers that cut what is too long without a word.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    base_url: str | None = None
    model: str | None = None
    timeout_s: Annotated[float, Field(gt=0)] = 60.0
    patience_s: Annotated[float, Field(ge=0)] = 120.0
    max_in_flight: Annotated[int, Field(ge=1)] = 32
    context_tokens: Annotated[int, Field(ge=1024)] | None = None

    @property
    def is_configured(self) -> bool:
        """Whether there is a server to ask, and a model to ask for."""
        return bool(self.base_url and self.model)

    @model_validator(mode="before")
    @classmethod
    def _leave_the_key_out(cls, given: Any) -> Any:
        """BIDFOLIO_OPENAI_API_KEY stands among these in the environment; a secret is no setting."""
        return {k: v for k, v in given.items() if k != "api_key"} if isinstance(given, dict) else given

    @field_validator("base_url")
    @classmethod
    def _names_no_secret(cls, url: str | None) -> str | None:
        parts = urlsplit(url or "http://")
        if parts.scheme not in ("http", "https"):
            raise ValueError("a model server's address begins with http:// or https://")
        if parts.username or parts.password or parts.query:
            raise ValueError(
                "the address holds a user, a password or a query, and addresses are shown: give the key in "
                "BIDFOLIO_OPENAI_API_KEY, or that of the server NAME in BIDFOLIO_NAME_API_KEY"
            )
        return url


class ChainSettings(BaseModel):
    """Who drafts, in this ``order``: ``openai`` is the server of that name, ``extractive`` no server at all, and any
    other the server that ``servers`` names so. One is passed over for a question where it fails or takes more than
    ``seconds``, all tries included; the last may take as long as it needs. After ``failures`` in a row a server is not
    asked for ``pause_s``, and then once to see.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    order: tuple[str, ...] = ("openai", "extractive")
    seconds: Annotated[float, Field(gt=0)] = 3.0
    failures: Annotated[int, Field(ge=1)] = 3
    pause_s: Annotated[float, Field(gt=0)] = 30.0

    @field_validator("order")
    @classmethod
    def _is_an_order(cls, order: tuple[str, ...]) -> tuple[str, ...]:
        if not order or len(set(order)) < len(order):
            raise ValueError("name at least one, each once")
        if "extractive" in order[:-1]:
            raise ValueError("extractive never fails: nothing after it would ever be asked, so it goes last")
        return order


def key_variable(server: str) -> str:
    """The environment's variable that holds a server's key."""
    return f"BIDFOLIO_{server.upper()}_API_KEY"


def setting_variable(server: str, setting: str) -> str:
    """Where a setting of a server stands, in words for a message."""
    if server == "openai":
        return f"BIDFOLIO_OPENAI_{setting.upper()}"
    return f"{setting} of {server!r} in BIDFOLIO_SERVERS"


class AskSettings(BaseModel):
    """Where `serve` answers questions over HTTP: on the address ``listen``, to requests that name this machine or one
    of ``hosts`` (without ports; a JSON list in the environment), ``at_once`` questions at a time, while as many as
    ``waiting`` wait. What a question does not say, and the page, Slack and Teams do not, is answered by ``plan``, a
    name or a file's path, and ``generator``, from ``corpus``; None: from the one called ``default``, or the only one.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    listen: str = "127.0.0.1"
    hosts: tuple[Annotated[str, Field(pattern=r"^[^\s/:]+$")], ...] = ()
    at_once: Annotated[int, Field(ge=1)] = 4
    waiting: Annotated[int, Field(ge=0)] = 32
    plan: str = "bidfolio"
    generator: Literal["as the plan says", "extractive", "openai", "chain"] = "as the plan says"
    corpus: Annotated[str, Field(min_length=1)] | None = None

    @property
    def is_local(self) -> bool:
        """Whether only this machine can ask."""
        return self.listen in ("127.0.0.1", "::1", "localhost")

    @model_validator(mode="after")
    def _says_by_what_name(self) -> AskSettings:
        if not self.is_local and not self.hosts:
            raise ValueError("who listens beyond this machine names the hosts that it is asked by, in ask.hosts")
        return self


class RerankSettings(BaseModel):
    """The models that rerank, for plans that ask for one and do not name it: folders, or ones in an installed package
    (``package/folder``).
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    cross_encoder: str | None = None
    sequence_to_sequence: str | None = None


class ChecksSettings(BaseModel):
    """Who is asked about what a language model wrote, besides the rules that always hold: ``nli`` is the folder of a
    cross-encoder of three labels (contradiction, entailment, neutral; none is shipped), and with ``judge`` the model of
    ``openai`` judges each claim.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    nli: str | None = None
    judge: bool = False


class JudgeSettings(BaseModel):
    """Which model judges answers in ``evaluate --judge server``: that of the ``server`` of this name, ``openai`` or one
    of ``servers``. With a ``temperature`` above 0, one that is asked again says something else.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    server: str = "openai"
    temperature: Annotated[float, Field(ge=0, le=2)] = 0.0


class GateSettings(BaseModel):
    """What a version must be like to be published, each a share. Of the documents, pages or chunks of the version
    before, more than ``refused_loss`` may not be gone (a folder that was not mounted, a wrong pattern), and more than
    ``noticed_loss`` is told; where there were fewer than ``judged_from`` of them, a share says nothing, and one file
    deleted is a large one. ``pages_found`` is the least part of the chunks whose pages the page finder bears out:
    not all, since it may err where they are right.

    ``gold`` is the path of a gold set that a new version is asked beside the live one, or paths by the corpora's names
    (in the environment a JSON object); none: no version is asked anything. A figure that falls by more than
    ``tolerance``, by more than chance, refuses the version, and so does one that falls by more than ``certain_drop``;
    with a ``floor``, so does a page recall among five below it (``tasks/quality/gold.py``).
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    refused_loss: Annotated[float, Field(ge=0, le=1)] = 0.4
    noticed_loss: Annotated[float, Field(ge=0, le=1)] = 0.1
    judged_from: Annotated[int, Field(ge=1)] = 6
    pages_found: Annotated[float, Field(ge=0, le=1)] = 0.9
    gold: str | dict[str, str] | None = None
    tolerance: Annotated[float, Field(ge=0, le=1)] = 0.05
    certain_drop: Annotated[float, Field(ge=0, le=1)] = 0.2
    floor: Annotated[float, Field(ge=0, le=1)] | None = None

    def gold_of(self, corpus: str) -> str | None:
        """The path of the gold set that the corpus' versions are asked, None where there is none."""
        return self.gold.get(corpus) if isinstance(self.gold, dict) else self.gold or None


class Settings(BaseSettings):
    """The settings of one process. ``threads`` is the number of CPU threads that one batch is embedded with.

    ``ocr_language`` is what tesseract calls it (``eng``, ``deu``, ``eng+deu``). With ``libreoffice``, Word files are
    rendered to find their pages where it is installed, some seconds a file; without it Word's own breaks are used.
    Files that are indexed already keep the pages that they have until they change.
    ``tags`` name patterns, so that questions can be put to some documents: ``tags: {past: ["past/**"]}``, in the
    environment a JSON object, ``BIDFOLIO_TAGS='{"past": ["past/**"]}'``. ``user`` is who asks, as the audit log names
    them; empty: the login that bidfolio runs under. ``servers`` are further model servers for ``chain``, by name:
    ``BIDFOLIO_SERVERS='{"backup": {"base_url": "https://…/v1", "model": "…"}}'``.
    """

    model_config = SettingsConfigDict(
        frozen=True, extra="forbid", env_prefix="BIDFOLIO_", env_nested_delimiter="_", env_nested_max_split=1
    )

    home: str = ".bidfolio"
    profile: str = "default"
    user: str = ""
    threads: Annotated[int, Field(ge=1)] = 2
    source: SourceSettings = SourceSettings()
    tags: dict[str, tuple[Annotated[str, Field(pattern=r"[^/\s]")], ...]] = {}
    conversion: ConversionSettings = ConversionSettings()
    ocr_language: str = "eng"
    libreoffice: bool = True
    dask: DaskSettings = DaskSettings()
    gate: GateSettings = GateSettings()
    index: IndexSettings = IndexSettings()
    openai: OpenAISettings = OpenAISettings()
    servers: dict[Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$")], OpenAISettings] = {}
    chain: ChainSettings = ChainSettings()
    ask: AskSettings = AskSettings()
    rerank: RerankSettings = RerankSettings()
    checks: ChecksSettings = ChecksSettings()
    judge: JudgeSettings = JudgeSettings()

    @field_validator("servers")
    @classmethod
    def _names_are_free(cls, servers: dict[str, OpenAISettings]) -> dict[str, OpenAISettings]:
        for name in servers:
            if name in cls.model_fields or name == "extractive":
                raise ValueError(f"{name!r} means something else already: choose another name")
            if not servers[name].is_configured:
                raise ValueError(f"{name!r} needs base_url and model")
        return servers

    @model_validator(mode="after")
    def _chain_names_servers(self) -> Settings:
        known = {"openai", "extractive", *self.servers}
        if unknown := [name for name in self.chain.order if name not in known]:
            raise ValueError(
                f"chain.order: there is no server {', '.join(map(repr, unknown))}: name it in BIDFOLIO_SERVERS"
            )
        if self.judge.server not in known - {"extractive"}:
            raise ValueError(f"judge.server: there is no server {self.judge.server!r}: name it in BIDFOLIO_SERVERS")
        return self

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """The order of the sources: arguments, environment, profile."""
        given = init_settings.init_kwargs if isinstance(init_settings, InitSettingsSource) else {}
        profile = str(given.get("profile") or env_settings().get("profile") or "default")
        return (
            init_settings,
            env_settings,
            YamlConfigSettingsSource(settings_cls, PROFILES_DIR / f"{profile}.yaml"),
        )


def load_settings(
    *,
    home: str | None = None,
    profile: str | None = None,
    include: Sequence[str] | None = None,
    exclude: Sequence[str] | None = None,
) -> Settings:
    """The settings of this process, with ``home`` made absolute where it is a local path.

    ``include`` and ``exclude`` take the place of those of ``source``; none given leave them.

    Raises UsageError that names the wrong key, or the profiles there are.
    """
    given: dict[str, Any] = {k: v for k, v in {"home": home, "profile": profile}.items() if v is not None}
    source = {name: patterns for name, patterns in (("include", include), ("exclude", exclude)) if patterns}
    if source:
        given["source"] = source
    profiles = sorted(path.stem for path in PROFILES_DIR.glob("*.yaml"))
    try:
        settings = Settings(**given)
    except ValidationError as error:
        wrong = "; ".join(f"{'.'.join(map(str, e['loc']))}: {e['msg']}" for e in error.errors())
        raise UsageError(f"settings (command line, profile, or BIDFOLIO_… in the environment): {wrong}") from error
    except SettingsError as error:
        raise UsageError(f"BIDFOLIO_… in the environment: {error}: a list is given as JSON") from error
    if settings.profile not in profiles:
        raise UsageError(f"there is no profile {settings.profile!r}; choose one of {', '.join(profiles)}")
    if "://" not in settings.home:
        settings = settings.model_copy(update={"home": str(Path(settings.home).expanduser().resolve())})
    return settings
