"""Judge on a model server: a language model gives a mark and its reason in a fixed JSON shape.

A reply of another shape, or a mark that is not on the scale, is requested once more with the error; if that fails, the
case is unscored, with the reason. Criteria of claims ask about each claim alone (Es et al. 2023), those of contexts
about each context alone (König 2025).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import chain
from statistics import fmean
from typing import TYPE_CHECKING, Final, NamedTuple

from pydantic import BaseModel, ConfigDict, ValidationError

from configs.wrong_keys import wrong_keys
from tasks.answering.entailment.claims import sentences_of
from tasks.errors import GeneratorFailed, UsageError
from tasks.evaluation.judges.cases import CRITERIA, MARKS, Case, Judgement, Scale, mark, share_of_mark
from tasks.llm.completions import Outcome, Request, Server, raise_if_away
from tasks.llm.json_replies import read_object
from tasks.llm.prompts import prompt, prompts_version

if TYPE_CHECKING:
    from configs.settings import OpenAISettings, Settings

PROMPTS = "judge"
"""Folder of the prompts in ``configs/prompts``."""
MAX_REPLY_TOKENS = 200
MAX_REASON_CHARACTERS = 400
NO_CLAIM = "it claims nothing that a document could bear out"


class Mark(BaseModel):
    """Shape of the reply that the judge must give."""

    model_config = ConfigDict(frozen=True, extra="ignore", strict=True)

    reason: str
    score: int


Shown = Callable[[Case], list[dict[str, str]]]
"""Function from a case to the texts to show, under their labels, for each mark."""


class _Inquiry(NamedTuple):
    """Request template of a criterion; ``score`` combines the marks' shares into a score."""

    prompt: str
    marks: Scale
    shown: Shown
    score: Callable[[Sequence[float]], float]


class ServerJudge:
    """Judge that asks a model server; see the module."""

    name = "server"
    criteria = tuple(CRITERIA)
    is_deterministic = False
    learns = False

    def __init__(self, server: Server, temperature: float = 0.0) -> None:
        """Take the server to ask, and the ``temperature`` of the requests."""
        self.model = server.model
        self.asked = self.kept = 0
        self._server, self._temperature = server, temperature

    def judge(self, cases: Sequence[Case], criterion: str, repeat: int = 1) -> list[Judgement]:
        """Judge the cases, in order. Each ``repeat`` is asked anew; replies from earlier requests are reused.

        Raises ServiceAway if the server is away, UsageError if it refuses the key or the model. ``asked`` and ``kept``
        count the requests sent and the replies reused.
        """
        inquiry, version = _INQUIRIES[criterion], prompts_version(PROMPTS)
        settled = [CRITERIA[criterion].settled(case) for case in cases]
        shown = [[] if known else inquiry.shown(case) for case, known in zip(cases, settled, strict=True)]
        requests = [
            mark_request(inquiry.prompt, inquiry.marks, parts, version, repeat, self._temperature)
            for parts in chain.from_iterable(shown)
        ]
        outcomes = self._server.exchange(requests, instead="--judge lexical")
        raise_if_away(outcomes)
        # A reused reply took no time.
        asked = sum(any(sent.seconds for sent in outcome.sent) or outcome.reply is None for outcome in outcomes)
        self.asked, self.kept = self.asked + asked, self.kept + len(outcomes) - asked
        left = iter(outcomes)
        return [
            known or _judgement([next(left) for _ in parts], inquiry)
            for known, parts in zip(settled, shown, strict=True)
        ]


def server_of(settings: Settings) -> OpenAISettings:
    """The settings of the server that judges. Raises UsageError, with the variables to set, if it is not configured."""
    of = settings.openai if settings.judge.server == "openai" else settings.servers[settings.judge.server]
    if not of.is_configured:
        raise UsageError(
            "the judge 'server' needs a model server: set BIDFOLIO_OPENAI_BASE_URL and BIDFOLIO_OPENAI_MODEL, or take "
            "--judge lexical"
        )
    return of


def mark_request(
    name: str, marks: Scale, shown: Mapping[str, str], version: str = "", repeat: int = 1, temperature: float = 0.0
) -> Request:
    """Build the request for one mark with the prompt of that name; ``shown`` are the texts under their labels."""
    *others, highest = MARKS[marks]
    rules = prompt(f"{PROMPTS}/rules", marks=f"{', '.join(map(str, others))} or {highest}")
    text = "\n\n".join(prompt(f"{PROMPTS}/part", label=label, text=text) for label, text in shown.items())
    schema: dict[str, object] = {
        "type": "object",
        "properties": {
            "reason": {"type": "string", "maxLength": MAX_REASON_CHARACTERS},
            "score": {"type": "integer", "enum": list(MARKS[marks])},
        },
        "required": ["reason", "score"],
        "additionalProperties": False,
    }
    return Request(
        prompt(f"{PROMPTS}/{name}", rules=rules),
        text,
        schema,
        MAX_REPLY_TOKENS,
        partial(read_mark, marks=marks),
        version,
        temperature=temperature,
        repeat=repeat,
    )


def read_mark(raw: str, marks: Scale) -> Mark:
    """Parse the judge's reply. Raises GeneratorFailed, which describes what is wrong with it."""
    try:
        given = read_object(raw, Mark)
    except ValidationError as error:
        raise GeneratorFailed(
            f'the judgement is not of the shape {{"reason": "…", "score": 1}}: {wrong_keys(error, "reply")}'
        ) from error
    if given.score not in MARKS[marks]:
        raise GeneratorFailed(f"the score {given.score} is none of {', '.join(map(str, MARKS[marks]))}")
    return given


def _judgement(outcomes: Sequence[Outcome], inquiry: _Inquiry) -> Judgement:
    """Combine the marks of a case; unscored if any is missing, as a share of only the others would be wrong."""
    if not outcomes:
        return Judgement(None, unscored=NO_CLAIM)
    failed = [outcome for outcome in outcomes if outcome.reply is None]
    if failed:
        return Judgement(None, unscored=str(failed[0].error))
    marks = [read_mark(outcome.reply or "", inquiry.marks) for outcome in outcomes]
    shares = [share_of_mark(one.score, inquiry.marks) for one in marks]
    telling = marks[shares.index(max(shares) if inquiry.score is _best_grade else min(shares))]
    return Judgement(inquiry.score(shares), telling.reason, shares=tuple(shares))


def _best_grade(shares: Sequence[float]) -> float:
    return mark(max(shares))


def _points(shares: Sequence[float]) -> float:
    return mark(shares[0], "1/3/5/7/10")


def _all(shares: Sequence[float]) -> float:
    return float(min(shares) == 1.0)


def _texts(case: Case) -> dict[str, str]:
    """The texts of a case under their labels."""
    passages = "\n\n".join(f"[{number}]\n{context}" for number, context in enumerate(case.contexts, 1))
    answer, reference = case.answer or "", case.reference or ""
    return {"Passages": passages, "Question": case.question, "Reference": reference, "Answer": answer}


def _once(*labels: str) -> Shown:
    return lambda case: [{label: _texts(case)[label] for label in labels}]


def _each_context(label: str) -> Shown:
    return lambda case: [{"Passage": context, label: _texts(case)[label]} for context in case.contexts]


def _each_claim(label: str) -> Shown:
    def shown(case: Case) -> list[dict[str, str]]:
        texts = _texts(case)
        claims = [claim for one in sentences_of(texts[label]) if not one.is_verdict for claim in one.claims]
        return [
            {"Passages": texts["Passages"], "Taken from": texts[label], "Statement": claim.text} for claim in claims
        ]

    return shown


_COMPARED = _once("Question", "Reference", "Answer")
_ALONE = _once("Question", "Answer")
_INQUIRIES: Final[Mapping[str, _Inquiry]] = {
    "correctness": _Inquiry("correctness", "1-5", _COMPARED, _best_grade),
    "relevancy": _Inquiry("relevancy", "0/1", _once("Passages", "Question", "Answer"), _all),
    "faithfulness": _Inquiry("faithfulness", "0/1", _once("Passages", "Answer"), _all),
    "points": _Inquiry("points", "1/3/5/7/10", _COMPARED, _points),
    "graded_correctness": _Inquiry("graded_correctness", "1-5", _once("Reference", "Answer"), _best_grade),
    "graded_context_relevance": _Inquiry("graded_context_relevance", "1-5", _each_context("Question"), _best_grade),
    "graded_faithfulness": _Inquiry("graded_faithfulness", "1-5", _each_context("Answer"), _best_grade),
    "graded_answer_relevance": _Inquiry("graded_answer_relevance", "1-5", _ALONE, _best_grade),
    "claim_faithfulness": _Inquiry("claim", "0/1", _each_claim("Answer"), fmean),
    # The grade as a share. Es et al. have questions written to the answer and compare their vectors.
    "answer_relevance": _Inquiry("graded_answer_relevance", "1-5", _ALONE, fmean),
    "context_recall": _Inquiry("claim", "0/1", _each_claim("Reference"), fmean),
    "no_hallucination": _Inquiry("claim", "0/1", _each_claim("Answer"), _all),
    "refusal": _Inquiry("refusal", "0/1", _ALONE, _all),
}
"""Request template of each criterion; requests that several criteria share are sent once."""
