"""Plans: the whole typed recipe of a run, from chunking to answering.

A system is data. Two systems are compared by reading two short files in ``configs/plans/``; unknown keys are refused. A
stage receives only its slice of the plan, and that slice, hashed, is part of the stage's cache key, so a changed plan
redoes exactly the stages that read the change.
"""

from __future__ import annotations

import operator
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

import yaml
from pydantic import BeforeValidator, Field, StringConstraints, ValidationError, model_validator

from configs.machine import Backend
from configs.retrieval import Retrieval, Search
from configs.slices import Granularity, Slice, by_granularity, digest
from configs.wrong_keys import wrong_keys
from tasks.errors import UsageError

PLANS_DIR = Path(__file__).parent / "plans"
SUFFIXES = (".yaml", ".yml")
Language = Literal["none", "detected", "english", "portuguese"]
"""Languages with known stop words; ``detected`` takes those of each text's own language.

Stop words of other languages are in nearly every chunk, so their idf is small anyway.
"""
Stemming = Literal[
    "none", "detected", "arabic", "danish", "dutch", "english", "finnish", "french", "german", "greek", "hungarian",
    "italian", "norwegian", "portuguese", "romanian", "russian", "spanish", "swedish", "turkish",
]  # fmt: skip
"""Languages with a stemmer: by Snowball, and in LanceDB's full text, too; ``detected`` is each text's own."""


class Chunking(Slice):
    """The way to cut documents into chunks. Sizes are tokens of the embedding model's own tokenizer, without context.

    ``unit`` is the unit of a chunk: as many ``tokens`` as fit, each of the ``sentences``, or the parts that
    ``separators`` (paragraph, line, sentence, word) give, of at most ``max_characters``. None is longer than
    ``max_tokens``. Chunks lie in parents of at most ``parent_tokens``, and cross none; None makes no parents. A row of
    a sheet is always a chunk of its own. A chunk that begins in a table ends with a row, shares none with the next and
    has at most ``table_tokens``; with None it is cut like other text. ``context`` precedes each chunk when it is
    searched, and is never in a quote: the document's title, that with its section, or, for a chunk that begins in a
    table, with the table's caption and column heads.
    """

    unit: Literal["tokens", "sentences", "separators"] = "tokens"
    max_tokens: Annotated[int, Field(ge=8)]
    max_characters: Annotated[int, Field(ge=16)] | None = None
    overlap_tokens: Annotated[int, Field(ge=0)]
    parent_tokens: Annotated[int, Field(ge=8)] | None = None
    table_tokens: Annotated[int, Field(ge=8)] | None = None
    respect_sections: bool = False
    context: Literal["none", "title", "title_section", "title_table"] = "none"

    @model_validator(mode="after")
    def _overlap_leaves_room(self) -> Chunking:
        if self.overlap_tokens * 2 >= self.max_tokens:
            raise ValueError("overlap_tokens must be less than half of max_tokens")
        if self.table_tokens is not None and self.unit != "tokens":
            raise ValueError(f"unit: {self.unit} knows no table_tokens: leave it out")
        if self.overlap_tokens and self.unit != "tokens":
            raise ValueError(f"unit: {self.unit} knows no overlap: set overlap_tokens to 0")
        return self

    @model_validator(mode="after")
    def _sizes_fit_the_unit(self) -> Chunking:
        if (self.max_characters is not None) != (self.unit == "separators"):
            raise ValueError("max_characters is what unit: separators cuts to: give both (256, say), or neither")
        if self.parent_tokens is not None and self.parent_tokens < self.max_tokens:
            raise ValueError("parent_tokens must not be less than max_tokens: a parent holds its chunks")
        return self


class Lexical(Slice):
    """TF-IDF reduced by SVD to ``min(components, rank)`` dimensions; None takes the dense model's (p = min(k, n)).

    ``stop_words`` and ``stemming`` name the language of the documents. A new version keeps the space of the live
    version until the texts have changed by ``refit_drift``: the share of old and new texts that are in only one version
    (an edited text counts twice). 0 refits it at each change. ``refit_drift`` does not change the space's parameters,
    and is not part of an index key.
    """

    components: Annotated[int, Field(ge=1)] | None = None
    sublinear_tf: bool = False
    stop_words: Language = "none"
    stemming: Stemming = "none"
    seed: int = 0
    refit_drift: Annotated[float, Field(ge=0, le=1, exclude=True)] = 0.1


class BM25(Slice):
    """The saturation and length parameters of BM25; ``stop_words`` and ``stemming`` name the documents' language."""

    k1: Annotated[float, Field(ge=0)] = 1.2
    b: Annotated[float, Field(ge=0, le=1)] = 0.75
    stop_words: Language = "english"
    stemming: Stemming = "english"


class Embedding(Slice):
    """The vectors and weights that are computed of a chunk at refresh: dense, lexical, and BM25.

    ``model`` is a folder or a package that carries one. ``backend`` runs it: ``torch``, ``openvino`` and ``onnx`` (of
    the extra of that name) with the model's own weights, ``openvino_bf16`` with numbers of 16 bits, ``openvino_int8``
    with weights of 8 bits; ``fastest`` is the one of OpenVINO's three that takes the least time on the machine.
    ``max_length`` is the window in tokens; None takes as much as the model's positions allow. A passage that exceeds it
    is refused when it is cut, or gets the ``mean`` of its windows' vectors. The prompts precede every text; None takes
    the model's own. ``token_dimensions`` is the number of dimensions, a byte each, kept of a token's vector; None keeps
    no token vectors. With ``align_languages``, vectors of texts in another language are moved to where the model has
    the same in English, for a model that knows several languages.
    """

    model: str
    backend: Backend = "torch"
    max_length: Annotated[int, Field(ge=16)] | None = None
    long_texts: Literal["refuse", "mean"] = "refuse"
    query_prompt: str | None = None
    passage_prompt: str | None = None
    token_dimensions: Annotated[int, Field(ge=8)] | None = None
    align_languages: Annotated[bool, Field(exclude_if=operator.not_)] = False
    lexical: Lexical = Lexical()
    bm25: BM25 = BM25()


class Confidence(Slice):
    """The probability that the documents answer a question: a logistic regression over signals of the answer.

    Each weight is the rise of the log-odds where its signal rises by 1: ``support``, the match of the question's
    weakest tokens in the draft's first quote, the best hit's ``relevance``, as a probability, and ``known_words``.
    ``tests/bench/evidence.py`` fits them to several corpora, and ``bidfolio tune --confidence`` adapts them to one.
    """

    support: float
    relevance: float
    known_words: float
    intercept: float

    @model_validator(mode="before")
    @classmethod
    def _lead_is_no_more(cls, given: Any) -> Any:
        """Refuse ``lead`` of older plans: its weight is no weight of ``relevance``, which replaced it."""
        if isinstance(given, Mapping) and "lead" in given:
            raise ValueError(
                "lead is no longer weighed: relevance, what the cross-encoder of retrieval.reread gives the best hit, "
                "took its place, with weights and thresholds of its own. Take confidence, decline_below, review_below "
                "and retrieval.reread from the plan bidfolio, or leave confidence out; `bidfolio tune GOLD.jsonl "
                "--confidence` then chooses thresholds by your questions"
            )
        return given


class Verdicts(Slice):
    """Verdicts of yes/no questions, by the fitted ``weights`` in ``configs/verdicts``.

    A verdict is given to the customer from the probability ``answered_from`` on, and proposed to a person from
    ``proposed_from`` on; below that the evidence settles nothing. ``answer --fill proposed`` writes a proposal into the
    customer's cell from ``filled_from`` on. ``replies_known`` is the probability that a language model knows the
    verdict of its reply, and does not guess it: 0 gives that no weight, None takes that of the weights.
    """

    weights: str = "bidfolio"
    answered_from: Annotated[float, Field(ge=0, le=1)]
    proposed_from: Annotated[float, Field(ge=0, le=1)]
    filled_from: Annotated[float, Field(ge=0, le=1)] = 0.7
    replies_known: Annotated[float, Field(ge=0, lt=1)] | None = None

    @model_validator(mode="after")
    def _answered_above_proposed(self) -> Verdicts:
        if self.answered_from < self.proposed_from:
            raise ValueError("answered_from must not be less than proposed_from")
        return self


class Selection(Slice):
    """The least probability of a draft to an open question that is ``answered``; a draft below it goes to a person."""

    answered_from: Annotated[float, Field(ge=0, le=1)] = 0.75


class Answering(Slice):
    """The generator, the number of sentences, and thresholds in [0, 1] of the evidence score for declining and review.

    ``tone`` is an instruction to a model that writes ("formal, in the third person"); quotes keep their own. With
    ``confidence`` the score is a probability; without it, the mean of the draft's support and the BM25 share. With
    ``selection`` a fitted model chooses the quotes, by the cross-encoder of ``retrieval.reread`` and more; without it,
    similarity, shared words and rank do. Without ``verdicts`` no yes or no is given.
    """

    generator: Literal["extractive", "openai", "chain"] = "extractive"
    decline_below: Annotated[float, Field(ge=0, le=1)]
    review_below: Annotated[float, Field(ge=0, le=1)]
    max_sentences: Annotated[int, Field(ge=1, le=10)] = 2
    tone: Annotated[str, StringConstraints(strip_whitespace=True, max_length=200)] = ""
    selection: Selection | None = None
    confidence: Confidence | None = None
    verdicts: Verdicts | None = None

    @model_validator(mode="before")
    @classmethod
    def _reads_earlier_plans(cls, raw: Any) -> Any:
        """Convert ``read_sentences`` of older plans: a weight other than 0 turns ``selection`` on."""
        if not isinstance(raw, dict) or "read_sentences" not in raw:
            return raw
        given = {key: value for key, value in raw.items() if key != "read_sentences"}
        return {"selection": {}, **given} if raw["read_sentences"] else given

    @model_validator(mode="after")
    def _review_above_decline(self) -> Answering:
        if self.review_below < self.decline_below:
            raise ValueError("review_below must not be less than decline_below")
        return self


class Plan(Slice):
    """A whole recipe. ``name`` is the file's name, ``path`` its path where the plan was given by path.

    ``chunking`` may name several granularities (``{sentences: {…}, children: {…}}``): each document is cut in each way,
    and one index holds all chunks. Each of the lists then names its granularity in ``of``, and ``fusion: rrf`` unites
    them.
    """

    name: str
    path: str | None = None
    after: str
    chunking: Annotated[dict[Granularity, Chunking], BeforeValidator(by_granularity)]
    embedding: Embedding
    retrieval: Retrieval
    answering: Answering
    search: Search = Search()

    @model_validator(mode="after")
    def _ranks_what_is_cut(self) -> Plan:
        lists, named = self.retrieval.lists, list(self.chunking)
        if "" in named and len(named) > 1:
            raise ValueError("chunking: each of several granularities needs a name")
        unknown = {listed.of for listed in lists} | self.retrieval.hand_over.keys()
        if unknown := unknown - {*named}:
            wanted = f"each must name one of {', '.join(named)}" if any(named) else "chunking names none: leave it out"
            wrong = ", ".join(map(repr, sorted(unknown)))
            raise ValueError(f"retrieval.lists (of) and hand_over: {wrong} is no granularity; {wanted}")
        if len(named) > 1 and self.retrieval.fusion == "scaled":
            raise ValueError("retrieval.fusion: scores of several granularities are not alike: set fusion: rrf")
        return self

    @model_validator(mode="after")
    def _has_what_it_rests_on(self) -> Plan:
        rerank, answering, confidence = self.retrieval.rerank, self.answering, self.answering.confidence
        no_tokens, no_reader = self.embedding.token_dimensions is None, self.retrieval.reread is None
        hand_over = self.retrieval.hand_over.items()
        needs = (
            (
                no_tokens and rerank and (rerank.by == "late_interaction" or rerank.substitute),
                "retrieval.rerank: late interaction compares vectors of tokens, and none are kept: set "
                "embedding.token_dimensions, to 64 say",
            ),
            (
                any(wish.parent and self.chunking[name].parent_tokens is None for name, wish in hand_over),
                "retrieval.hand_over: {parent: true} hands over parents, and none are made: set "
                "chunking.parent_tokens, to 512 say",
            ),
            (
                no_reader and answering.verdicts,
                "answering.verdicts: they rest on a cross-encoder: set retrieval.reread",
            ),
            (
                no_reader and confidence and confidence.relevance,
                "answering.confidence weighs what a cross-encoder says, and the plan has none that reads: leave "
                "confidence out, or set retrieval.reread",
            ),
            (
                no_tokens and confidence and confidence.support,
                "answering.confidence weighs what tokens find in a quote, and no vectors of tokens are kept: leave "
                "confidence out, or set embedding.token_dimensions, to 64 say",
            ),
            (
                no_reader and answering.selection,
                "answering.selection needs the cross-encoder of retrieval.reread, and the plan has none: leave "
                "selection out, or set retrieval.reread",
            ),
        )
        for is_missing, wrong in needs:
            if is_missing:
                raise ValueError(wrong)
        return self

    @property
    def option(self) -> str:
        """The value of ``--plan`` for this plan, quoted for a shell."""
        return shlex.quote(self.path or self.name)

    @property
    def chunking_fingerprint(self) -> str:
        """A hash, 16 hex digits, of the chunking; a single unnamed granularity gives its own fingerprint."""
        cut = {name: chunking.fingerprint() for name, chunking in self.chunking.items()}
        return cut[""] if "" in cut else digest(cut)[:16]

    @property
    def index_key(self) -> str:
        """A hash, 12 hex digits, of the part that an index depends on: plans with the same key share an index."""
        return digest([self.chunking_fingerprint, self.embedding.fingerprint()])[:12]


def names_in(folder: Path) -> list[str]:
    """The names of the ``.yaml`` files in ``folder``, sorted."""
    return sorted(path.stem for path in folder.glob("*.yaml"))


def plan_names() -> list[str]:
    """The names of the plans that ship, sorted."""
    return names_in(PLANS_DIR)


def load_plan(name: str) -> Plan:
    """The plan of that name, or of that ``.yaml`` path.

    Raises UsageError that names the plan and the wrong key, or the plans there are.
    """
    path, recipe = read_recipe(name)
    return plan_of(recipe, path.stem, f"plan {path}", str(path.absolute()) if name.endswith(SUFFIXES) else None)


def read_recipe(name: str) -> tuple[Path, dict[str, Any]]:
    """The file of the plan of that name or path, and its unvalidated recipe.

    Raises UsageError where it is missing, or is no YAML mapping.
    """
    path = find_file(name, "plan", PLANS_DIR)
    return path, read_mapping(path, "plan")


def read_base(base: str, beside: str) -> dict[str, Any]:
    """The unvalidated recipe of the plan that a grid or an experiment builds on, by name, or by path from the folder of
    the file ``beside``. Raises UsageError as :func:`read_recipe`.
    """
    return read_recipe(str(Path(beside).parent / base) if base.endswith(SUFFIXES) else base)[1]


def find_file(name: str, kind: str, folder: Path) -> Path:
    """The file of a plan, a grid or an experiment (``kind``, for messages): a ``.yaml`` path, or a name in ``folder``.

    Raises UsageError, which lists the names there are, where it is missing.
    """
    path = Path(name) if name.endswith(SUFFIXES) else folder / f"{name}.yaml"
    if not path.is_file():
        raise UsageError(f"there is no {kind} {name!r}; choose one of {', '.join(names_in(folder))}, or a .yaml file")
    return path


def read_mapping(path: Path, kind: str) -> dict[str, Any]:
    """The YAML mapping in the file of a plan or a grid (``kind``, for messages); an empty file gives an empty mapping.

    Raises UsageError where it is no mapping, or has keys that come from the file's name.
    """
    try:
        raw = yaml.safe_load(path.read_text(encoding="utf-8")) or {}
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise UsageError(f"{kind} {path} is not a YAML mapping: {error}") from error
    if not isinstance(raw, dict):
        raise UsageError(f"{kind} {path} is not a YAML mapping: it is a {type(raw).__name__}")
    for key in {"name", "path"} & raw.keys():
        raise UsageError(f"{kind} {path}: {key}: is the file's {key}, and not written in it")
    return raw


def plan_of(recipe: Mapping[str, Any], name: str, said: str, path: str | None = None) -> Plan:
    """The validated plan of ``recipe``. Raises UsageError with the wrong keys, after the prefix ``said``."""
    try:
        return Plan.model_validate({**recipe, "name": name, "path": path})
    except ValidationError as error:
        raise UsageError(f"{said}: {wrong_keys(error, name)}") from error
