"""Judge model: a language model's second opinion on entailment, does a source say what a sentence says."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pydantic import BaseModel, ConfigDict, ValidationError

from tasks.answering.entailment.labels import JUDGE, Entailment, TextPair
from tasks.errors import GeneratorFailed
from tasks.llm.completions import Request, Server
from tasks.llm.json_replies import object_schema, read_object
from tasks.llm.prompts import PROMPTS_DIR

PROMPT = PROMPTS_DIR / "judge.md"
MAX_REPLY_TOKENS = 40
SCHEMA = object_schema({"supported": {"type": "boolean"}})


class Judgement(BaseModel):
    """The shape of the judge's reply."""

    model_config = ConfigDict(frozen=True, extra="ignore", strict=True)

    supported: bool


def judgements_of(
    pairs: Sequence[TextPair], server: Server, tell: Callable[[str], None] = lambda line: None
) -> list[Entailment | None]:
    """The judge model's labels of pairs: a contradiction where it does not find the claim in its source, None where it
    does, neutral without a valid reply in time. ``tell`` is called with the reason for the first of these.
    """
    system = PROMPT.read_text(encoding="utf-8").strip()
    requests = [
        Request(system, f"Source:\n{source}\n\nClaim:\n{claim}", SCHEMA, MAX_REPLY_TOKENS, read_judgement)
        for source, claim in pairs
    ]
    # What was drafted is there, and a person can judge it: no fault of the judge is a reason to lose it.
    outcomes = server.exchange(requests, instead="BIDFOLIO_CHECKS_JUDGE=0")
    failed = [outcome.error for outcome in outcomes if outcome.reply is None]
    if failed:
        missing = f"gave no judgement of {len(failed)} of {len(outcomes)} claims"
        tell(f"the judge model {missing}: {failed[0]}")
    return [_labelled(None if outcome.reply is None else read_judgement(outcome.reply)) for outcome in outcomes]


def _labelled(judgement: bool | None) -> Entailment | None:
    if judgement is None:
        return Entailment("neutral", 0.5, "the judge model gave no judgement", JUDGE)
    reason = "a model that was asked to judge finds that its source does not say it"
    return None if judgement else Entailment("contradiction", 0.0, reason, JUDGE)


def read_judgement(raw: str) -> bool:
    """The judge's reply. Raises GeneratorFailed where it is not of the asked shape."""
    try:
        return read_object(raw, Judgement).supported
    except ValidationError as error:
        raise GeneratorFailed('the judgement is not of the asked shape: {"supported": true} or false') from error
