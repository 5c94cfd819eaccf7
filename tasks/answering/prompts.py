"""What a language model is told, and how its reply is read."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from tasks.answering.drafting import Asked, longest_text
from tasks.answering.handed_over import text_of
from tasks.errors import GeneratorFailed
from tasks.records import Hit

PROMPTS_DIR = Path(__file__).resolve().parents[2] / "configs" / "prompts"
MAX_ANSWER_CHARACTERS = 600
MAX_REPLY_TOKENS = 700
"""More than the longest answer takes, so that none is cut in the middle of its JSON."""


class Reply(BaseModel):
    """What the model must give back."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    verdict: Literal["yes", "no", "partial", "not_applicable"] | None
    answer: str | None
    citations: list[int]


def reply_schema(passages: int, limit: int | None = None) -> dict[str, object]:
    """The reply's JSON schema for that many passages, and an answer of at most ``limit`` characters where one is set;
    the bounds keep a small model from running on.

    The answer comes first: a model that must give the verdict before it writes has nothing to base it on.
    """
    return {
        "type": "object",
        "properties": {
            "answer": {
                "type": ["string", "null"],
                "maxLength": min(MAX_ANSWER_CHARACTERS, limit or MAX_ANSWER_CHARACTERS),
            },
            "citations": {
                "type": "array",
                "items": {"type": "integer", "enum": list(range(1, passages + 1))},
                "maxItems": passages,
            },
            "verdict": {"enum": ["yes", "no", "partial", "not_applicable", None]},
        },
        "required": ["answer", "citations", "verdict"],
        "additionalProperties": False,
    }


def system_prompt() -> str:
    """The fixed part, first in every request, so that a server can keep its prefix."""
    return (PROMPTS_DIR / "answer.md").read_text(encoding="utf-8").strip()


def user_prompt(asked: Asked) -> str:
    """The numbered passages with their places, then the question."""
    passages = "\n\n".join(f"[{number}] {_place(hit)}\n{text_of(hit)}" for number, hit in enumerate(asked.hits, 1))
    wish = "Give yes or no." if asked.question.kind == "yes_no" else "Answer in words; verdict is null."
    limit = longest_text(asked.question)
    length = f" The answer has at most {limit} characters." if limit else ""
    return f"Passages:\n\n{passages}\n\nQuestion: {asked.question.text}\n{wish}{length}"


def read_reply(raw: str, passages: int) -> Reply:
    """The model's reply. Raises GeneratorFailed that says what is wrong with it."""
    try:
        reply = Reply.model_validate_json(raw)
    except ValidationError as error:
        wrong = "; ".join(f"{'.'.join(map(str, e['loc'])) or 'reply'}: {e['msg']}" for e in error.errors())
        raise GeneratorFailed(f"the reply is not of the asked shape: {wrong}") from error
    outside = [number for number in reply.citations if not 1 <= number <= passages]
    if outside:
        raise GeneratorFailed(f"the reply cites passages {outside}, and there are {passages}")
    return reply


def _place(hit: Hit) -> str:
    page = f", p. {hit.chunk.page_number}" if hit.chunk.page_number else ""
    return f"{hit.chunk.file_name}{page}"
