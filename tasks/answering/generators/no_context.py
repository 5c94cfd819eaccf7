"""Answers of a language model without any document. For experiments; no customer is answered so."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import BaseModel, ConfigDict, ValidationError

from tasks.answering.generators.prompts import MAX_ANSWER_CHARACTERS, MAX_REPLY_TOKENS
from tasks.errors import GeneratorFailed
from tasks.llm.completions import Request, Server
from tasks.llm.json_replies import object_schema, read_object
from tasks.llm.prompts import prompt, prompts_version
from tasks.records import Answer, Question

PROMPTS = "no_context"
"""The folder of the prompts in ``configs/prompts``."""
SCHEMA = object_schema({"answer": {"type": ["string", "null"], "maxLength": MAX_ANSWER_CHARACTERS}})


class _Reply(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")

    answer: str | None


def answers_without_context(questions: Sequence[Question], server: Server) -> list[Answer]:
    """The model's answer to each question, in order, without a citation: declined where it says that it does not know,
    failed, with the reason, where the reply is invalid. Raises ServiceAway where the server does not answer.
    """
    requests = [no_context_request(question) for question in questions]
    replies = server.ask(requests, instead="an experiment that hands passages over", late=GeneratorFailed)
    return [_answer(question, reply) for question, reply in zip(questions, replies, strict=True)]


def no_context_request(question: Question) -> Request:
    """The request for an answer to the question alone."""
    return Request(
        prompt(f"{PROMPTS}/system"),
        prompt(f"{PROMPTS}/question", question=question.text),
        SCHEMA,
        MAX_REPLY_TOKENS,
        _read_reply,
        version=prompts_version(PROMPTS),
    )


def _read_reply(raw: str) -> _Reply:
    try:
        return read_object(raw, _Reply)
    except ValidationError as error:
        raise GeneratorFailed(f"the reply is not of the asked shape: {error.error_count()} keys are wrong") from error


def _answer(question: Question, reply: str | GeneratorFailed) -> Answer:
    if isinstance(reply, GeneratorFailed):
        return Answer(question.question_id, "failed", decline_reason="generator_failed", detail=str(reply))
    text = (_read_reply(reply).answer or "").strip()
    if not text:
        return Answer(question.question_id, "declined", decline_reason="no_evidence", detail="the model does not know")
    return Answer(question.question_id, "answered", text=text)
