"""Settings of the machine: bidfolio's home, its servers, its cluster. What it does is set in the plan.

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
from pydantic_core import ErrorDetails
from pydantic_settings import (
    BaseSettings,
    InitSettingsSource,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    SettingsError,
    YamlConfigSettingsSource,
)

from configs.machine import FASTEST, Backend, Machine
from tasks.errors import UsageError

PROFILES_DIR = Path(__file__).parent / "profiles"


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class ConversionSettings(_Part):
    """Limits for converting documents. ``workers`` is the number of processes on this machine (0: as many as
    ``dask.workers``, else one for each core). For one file, ``seconds`` limits the wall time, ``memory_mb`` the address
    space of its process, and ``output_mb`` the size of the converted document. The time begins anew with each page that
    is read by OCR, so that a scan may have any number of pages. The limits hold on a cluster's workers, too; there each
    of their threads has a process.
    """

    workers: Annotated[int, Field(ge=0)] = 0
    seconds: Annotated[float, Field(gt=0)] = 600.0
    memory_mb: Annotated[int, Field(ge=512)] = 6144
    output_mb: Annotated[int, Field(ge=1)] = 256


class SourceSettings(_Part):
    """Files of a corpus' folder to include and to exclude: glob patterns over their names, as
    ``tasks/sources/patterns.py`` reads them. In the environment each is a JSON list:
    ``BIDFOLIO_SOURCE_EXCLUDE='["drafts/**"]'``.
    """

    include: tuple[Annotated[str, Field(pattern=r"[^/\s]")], ...] = ()
    exclude: tuple[Annotated[str, Field(pattern=r"[^/\s]")], ...] = ()


class AdaptiveSettings(_Part):
    """The least and the largest number of workers of a cluster that grows and shrinks with the work."""

    minimum: Annotated[int, Field(ge=0)] = 1
    maximum: Annotated[int, Field(ge=1)]

    @model_validator(mode="after")
    def _is_a_range(self) -> AdaptiveSettings:
        if self.minimum > self.maximum:
            raise ValueError("minimum must not be more than maximum")
        return self


class DaskSettings(_Part):
    """A Dask cluster: a running one at ``address``, which converts and embeds, or ``workers`` processes on this
    machine, or an ``adaptive`` number of them.

    The latter two are a cluster for embedding only: conversion has as many processes without one. Without any of these
    keys, embedding runs in this process.

    A cluster at ``address`` is scaled by its operator. With ``adaptive`` bidfolio knows that it is scaled, and keeps
    work ready for that many workers, since the cluster grows by waiting work. Embedding tasks ask for ``resources``
    (``{GPU: 1}``) of a worker, which a worker declares by ``--resources``; other tasks run anywhere. In the environment
    both are JSON.

    A cluster may be without a suitable worker for ``worker_wait_s`` while there is work: a nanny takes seconds to
    replace a worker that died, a cloud minutes for its first.
    """

    address: str | None = None
    workers: Annotated[int, Field(ge=0)] = 0
    adaptive: AdaptiveSettings | None = None
    resources: dict[str, Annotated[float, Field(gt=0)]] = {}
    worker_wait_s: Annotated[float, Field(gt=0)] = 60.0


class IndexSettings(_Part):
    """Old versions of an index: the last ``keep_versions`` that were live are kept for a rollback;
    earlier ones are removed.
    """

    keep_versions: Annotated[int, Field(ge=1)] = 3


class OpenAISettings(_Part):
    """An OpenAI-compatible server, such as the vLLM of ``infra/vllm``.

    A reply may take ``timeout_s``. A server that is busy (status 429, 502, 503, 504) is asked again for up to
    ``patience_s``, never sooner than it allows. At most ``max_in_flight`` requests are under way at once, fewer where
    it is too slow for so many. ``context_tokens`` is the number of tokens that the model reads and writes in one
    exchange; None takes the server's value. It is best set for servers that cut long requests without an error.
    """

    base_url: str | None = None
    model: str | None = None
    timeout_s: Annotated[float, Field(gt=0)] = 60.0
    patience_s: Annotated[float, Field(ge=0)] = 120.0
    max_in_flight: Annotated[int, Field(ge=1)] = 32
    context_tokens: Annotated[int, Field(ge=1024)] | None = None

    @property
    def is_configured(self) -> bool:
        """Tell if both a server and a model are set."""
        return bool(self.base_url and self.model)

    @model_validator(mode="before")
    @classmethod
    def _leave_the_key_out(cls, given: Any) -> Any:
        """Drop the key: BIDFOLIO_OPENAI_API_KEY has the prefix of these settings, and a secret is no setting."""
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


class ChainSettings(_Part):
    """The generators of a chain, in this ``order``: ``openai`` is the server of that name, ``extractive`` needs no
    server, and any other name is one of ``servers``. A generator is skipped for a question where it fails or takes more
    than ``seconds``, all tries included; the last may take as long as it needs. After ``failures`` in a row a server is
    not asked for ``pause_s``; then one request tests it.
    """

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
    """The environment variable that holds a server's key."""
    return f"BIDFOLIO_{server.upper()}_API_KEY"


def setting_variable(server: str, setting: str) -> str:
    """The name of a server's setting in messages: its environment variable, or its place in BIDFOLIO_SERVERS."""
    if server == "openai":
        return f"BIDFOLIO_OPENAI_{setting.upper()}"
    return f"{setting} of {server!r} in BIDFOLIO_SERVERS"


class AskSettings(_Part):
    """The HTTP server of `serve`, which answers questions. It listens on the address ``listen``, and accepts requests
    that name this machine or one of ``hosts`` (without ports; a JSON list in the environment). It answers ``at_once``
    questions at a time, while up to ``waiting`` wait. Questions that do not name them, as those from the page, Slack
    and Teams, are answered by ``plan``, a name or a file's path, and by ``generator``, from ``corpus``; None takes the
    corpus called ``default``, or the only one.
    """

    listen: str = "127.0.0.1"
    hosts: tuple[Annotated[str, Field(pattern=r"^[^\s/:]+$")], ...] = ()
    at_once: Annotated[int, Field(ge=1)] = 4
    waiting: Annotated[int, Field(ge=0)] = 32
    plan: str = "bidfolio"
    generator: Literal["as the plan says", "extractive", "openai", "chain"] = "as the plan says"
    corpus: Annotated[str, Field(min_length=1)] | None = None

    @property
    def is_local(self) -> bool:
        """Tell if only this machine can ask."""
        return self.listen in ("127.0.0.1", "::1", "localhost")

    @model_validator(mode="after")
    def _says_by_what_name(self) -> AskSettings:
        if not self.is_local and not self.hosts:
            raise ValueError("who listens beyond this machine names the hosts that it is asked by, in ask.hosts")
        return self


class RerankSettings(_Part):
    """The models that rerank, for plans that need one and do not name it: folders, or folders in an installed package
    (``package/folder``).
    """

    cross_encoder: str | None = None
    sequence_to_sequence: str | None = None


class ChecksSettings(_Part):
    """Further checks of text that a language model wrote, besides the rules, which always apply. ``nli`` is the folder
    of a cross-encoder of three labels (contradiction, entailment, neutral; none is shipped). With ``judge`` the model
    of ``openai`` judges each claim.
    """

    nli: str | None = None
    judge: bool = False


class JudgeSettings(_Part):
    """The model that judges answers in ``evaluate --judge server``: that of ``server``, which is ``openai`` or one of
    ``servers``. With a ``temperature`` above 0, repeated questions get different judgements.
    """

    server: str = "openai"
    temperature: Annotated[float, Field(ge=0, le=2)] = 0.0


class GateSettings(_Part):
    """The quality gate: conditions for publishing a version, each a share.

    A version is refused if more than ``refused_loss`` of the documents, pages or chunks of the version before are gone
    (a folder that was not mounted, a wrong pattern), and more than ``noticed_loss`` gives a warning. Where there were
    fewer than ``judged_from`` of them, shares are not judged, since one deleted file is a large share. ``pages_found``
    is the least share of the chunks whose pages the page finder confirms: not all, since it may err where they are
    right.

    ``gold`` is the path of a gold set that a new version is measured on beside the live one, or a mapping from corpora
    to paths (in the environment a JSON object); None measures no version. A version is refused if a figure falls by
    more than ``tolerance``, by more than chance, or by more than ``certain_drop``; with a ``floor``, also if its page
    recall among five is below it (``tasks/quality/gold_comparison.py``).
    """

    refused_loss: Annotated[float, Field(ge=0, le=1)] = 0.4
    noticed_loss: Annotated[float, Field(ge=0, le=1)] = 0.1
    judged_from: Annotated[int, Field(ge=1)] = 6
    pages_found: Annotated[float, Field(ge=0, le=1)] = 0.9
    gold: str | dict[str, str] | None = None
    tolerance: Annotated[float, Field(ge=0, le=1)] = 0.05
    certain_drop: Annotated[float, Field(ge=0, le=1)] = 0.2
    floor: Annotated[float, Field(ge=0, le=1)] | None = None

    def gold_of(self, corpus: str) -> str | None:
        """The path of the corpus' gold set; None where there is none."""
        return self.gold.get(corpus) if isinstance(self.gold, dict) else self.gold or None


class Settings(BaseSettings):
    """The settings of one process. ``threads`` is the number of CPU threads that one batch is embedded with.

    ``backend`` runs the cross-encoder, and the embedding model where the plan says ``fastest``: ``torch``,
    ``openvino``, ``openvino_bf16``, ``openvino_int8`` or ``onnx``. By itself it is the one that takes the least time on
    this machine, which is measured once.

    ``ocr_language`` is tesseract's name of the documents' language (``eng``, ``deu``, ``eng+deu``). With
    ``libreoffice``, Word files are rendered to find their pages where LibreOffice is installed, some seconds a file;
    without it Word's own breaks are used. Files that are indexed already keep their pages until they change.

    ``company`` has facts about the own company, such as ``name``, ``contact_email`` and ``website``: they are filled in
    where a questionnaire has such a label, and left to a person without it.

    ``tags`` name patterns, so that questions can be limited to some documents: ``tags: {past: ["past/**"]}``, in the
    environment a JSON object, ``BIDFOLIO_TAGS='{"past": ["past/**"]}'``. ``user`` is the asking user in the audit log;
    empty takes the login that bidfolio runs under. ``servers`` are further model servers for ``chain``, by name:
    ``BIDFOLIO_SERVERS='{"backup": {"base_url": "https://…/v1", "model": "…"}}'``.
    """

    model_config = SettingsConfigDict(
        frozen=True, extra="forbid", env_prefix="BIDFOLIO_", env_nested_delimiter="_", env_nested_max_split=1
    )

    home: str = ".bidfolio"
    profile: str = "default"
    user: str = ""
    threads: Annotated[int, Field(ge=1)] = 2
    backend: Backend = FASTEST
    source: SourceSettings = SourceSettings()
    tags: dict[str, tuple[Annotated[str, Field(pattern=r"[^/\s]")], ...]] = {}
    conversion: ConversionSettings = ConversionSettings()
    company: dict[Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$")], str] = {}
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

    @property
    def machine(self) -> Machine:
        """The threads and the back end that run models here."""
        return Machine(self.threads, self.home, self.backend)

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
    backend: str | None = None,
    include: Sequence[str] | None = None,
    exclude: Sequence[str] | None = None,
) -> Settings:
    """The settings of this process, with ``home`` made absolute where it is a local path.

    ``include`` and ``exclude`` take the place of those of ``source``; none given leave them.

    Raises UsageError that names the wrong key, or the profiles there are.
    """
    told = {"home": home, "profile": profile, "backend": backend}
    given: dict[str, Any] = {name: value for name, value in told.items() if value is not None}
    source = {name: patterns for name, patterns in (("include", include), ("exclude", exclude)) if patterns}
    given |= {"source": source} if source else {}
    profiles = sorted(path.stem for path in PROFILES_DIR.glob("*.yaml"))
    try:
        settings = Settings(**given)
    except ValidationError as error:
        wrong = "; ".join(f"{'.'.join(map(str, e['loc']))}: {e['msg']}{_refused(e)}" for e in error.errors())
        raise UsageError(f"settings (command line, profile, or BIDFOLIO_… in the environment): {wrong}") from error
    except SettingsError as error:
        raise UsageError(f"BIDFOLIO_… in the environment: {error}: a list is given as JSON") from error
    if settings.profile not in profiles:
        raise UsageError(f"there is no profile {settings.profile!r}; choose one of {', '.join(profiles)}")
    if "://" not in settings.home:
        settings = settings.model_copy(update={"home": str(Path(settings.home).expanduser().resolve())})
    return settings


def _refused(error: ErrorDetails) -> str:
    """The rejected value of a setting with fixed choices; those of others are not shown, since they may be secret."""
    is_choice = error["type"] == "literal_error" and isinstance(error["input"], str)
    return f", not {error['input']!r}" if is_choice else ""
