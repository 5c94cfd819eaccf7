"""Prompts for a language model, and the reading of its replies."""

from __future__ import annotations

from functools import partial
from typing import Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from configs.wrong_keys import wrong_keys
from tasks.answering.drafts.draft import Asked, longest_text
from tasks.answering.generators.neutral_wording import neutral, puts_no_first
from tasks.answering.quotes.context_passages import text_of
from tasks.errors import GeneratorFailed, ReplyTooLong
from tasks.llm.completions import Request
from tasks.llm.json_replies import object_schema, read_object
from tasks.llm.prompts import prompt, prompts_version
from tasks.places import page_place
from tasks.records import Hit
from tasks.text.sentences import sentence_spans

PROMPTS = "answer"
"""The folder of the prompts in ``configs/prompts``."""
MAX_ANSWER_CHARACTERS = 600
MAX_EXPLANATION_CHARACTERS = 300
"""The length of an explanation of a yes or no without a limit: a small model runs on to any bound."""
MAX_REPLY_TOKENS = 700
"""The tokens of a reply, more than the longest answer takes, so that none is cut in the middle of its JSON."""
CUT_WITHIN = 3
"""The characters by which a text cut at a bound may be shorter than it: its last spaces."""
ROOM_CHARACTERS = 200
"""The characters beyond the customer's limit that a reply may have before the server cuts it within a word."""


class Reply(BaseModel):
    """A model's reply; models that know no schema leave ``verdict`` None and say yes or no in ``answer``."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    verdict: Literal["yes", "no", "partial", "not_applicable", "unclear", "not_found"] | None = None
    answer: str | None
    citations: list[int]


def answer_request(asked: Asked, tone: str = "") -> Request:
    """The request for an answer from the hits, best first, each on one page, at least one.

    ``shorter`` leaves the last of them out, which is the least relevant.
    """
    question, hits = asked
    return Request(
        system_prompt(tone),
        user_prompt(asked),
        reply_schema(len(hits), longest_text(question), is_yes_no=question.kind == "yes_no"),
        MAX_REPLY_TOKENS,
        partial(check_reply, passages=len(hits), limit=_longest_answer(longest_text(question))),
        version=prompts_version(PROMPTS),
        shorter=partial(answer_request, Asked(question, hits[:-1]), tone) if len(hits) > 1 else None,
    )


def reply_schema(passages: int, limit: int | None = None, *, is_yes_no: bool = False) -> dict[str, object]:
    """The JSON schema of a reply from that many passages; its bounds keep a small model from running on.

    A yes/no question has the passages that it is decided by first, then the verdict, never null, then what explains it:
    small models write their yes or no into what they are asked for first, and take any other way out.
    """
    answer = {"answer": {"type": ["string", "null"], "maxLength": _bound(limit, is_yes_no=is_yes_no)}}
    numbers = {"type": "integer", "enum": list(range(1, passages + 1))}
    citations = {"citations": {"type": "array", "items": numbers, "maxItems": passages}}
    verdict = {"verdict": {"enum": ["yes", "no", "partial", "not_found"]}}
    return object_schema({**citations, **verdict, **answer} if is_yes_no else {**answer, **citations})


def system_prompt(tone: str = "") -> str:
    """The system prompt, the same and first in every request, so that a server can keep its prefix."""
    return prompt("answer/system", tone=prompt("answer/tone", tone=tone) if tone else "")


def user_prompt(asked: Asked) -> str:
    """The user prompt: the numbered passages first, so that prompts with the same passages begin alike."""
    question, hits = asked
    passages = "\n\n".join(
        prompt("answer/passage", number=number, place=_place(hit), text=text_of(hit))
        for number, hit in enumerate(hits, 1)
    )
    limit = longest_text(question)
    return prompt(
        "answer/question",
        passages=passages,
        question=question.text,
        wish=_decision(question.text) if question.kind == "yes_no" else prompt("answer/in_words"),
        length=prompt("answer/length", characters=limit) if limit else "",
    )


def _longest_answer(limit: int | None) -> int:
    return min(MAX_ANSWER_CHARACTERS, limit or MAX_ANSWER_CHARACTERS)


def _bound(limit: int | None, *, is_yes_no: bool) -> int:
    # Who has no limit asks for none to be kept: what runs on is cut, and not asked for again.
    if limit is None:
        return MAX_EXPLANATION_CHARACTERS if is_yes_no else MAX_ANSWER_CHARACTERS
    return _longest_answer(limit) + ROOM_CHARACTERS


def whole_sentences(answer: str, limit: int | None, *, is_yes_no: bool = False) -> str:
    """``answer``, without its last sentence where a server has cut that off at the bound for ``limit``."""
    bound = _bound(limit, is_yes_no=is_yes_no)
    if not bound - CUT_WITHIN <= len(answer) <= bound:
        return answer
    *whole, _ = [answer[start:end] for start, end in sentence_spans(answer)] or [""]
    return " ".join(whole)


def check_reply(raw: str, passages: int, limit: int) -> None:
    """Raise GeneratorFailed, saying what is wrong, for an invalid reply: not every server enforces the schema."""
    answer = (read_reply(raw, passages).answer or "").strip()
    if len(answer) > limit:
        raise ReplyTooLong(f"the answer has {len(answer)} characters: give at most {limit}")


def read_reply(raw: str, passages: int) -> Reply:
    """The model's reply. Raises GeneratorFailed that says what is wrong with it."""
    try:
        reply = read_object(raw, Reply)
    except ValidationError as error:
        raise GeneratorFailed(f"the reply is not of the asked shape: {wrong_keys(error, 'reply')}") from error
    outside = [number for number in reply.citations if not 1 <= number <= passages]
    if outside:
        raise GeneratorFailed(f"the reply cites passages {outside}, and there are {passages}")
    return reply


def _decision(question: str) -> str:
    holds, holds_not = prompt("answer/holds"), prompt("answer/holds_not")
    one, other = (holds_not, holds) if puts_no_first(question) else (holds, holds_not)
    return prompt("answer/yes_no", matter=neutral(question), one=one, other=other)


def _place(hit: Hit) -> str:
    chunk = hit.chunk
    section = f", § {chunk.section_path.rsplit(' > ', 1)[-1]}" if chunk.section_path else ""
    if chunk.page_number is None and chunk.row_number is not None:
        sheet = f", sheet {chunk.sheet_name}" if chunk.sheet_name else ""
        return f"{chunk.file_name}{sheet}, row {chunk.row_number}"
    page = f", {page_place(chunk.page_number, chunk.label_of(chunk.page_number))}" if chunk.page_number else ""
    return f"{chunk.file_name}{section}{page}"
