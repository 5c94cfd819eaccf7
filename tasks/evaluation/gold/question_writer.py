"""Questions for a gold set, written by a model server, with a span of one chunk as answer.

After Finardi et al. 2024, appendix A.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial

from pydantic import BaseModel, ConfigDict, ValidationError

from configs.wrong_keys import wrong_keys
from tasks.errors import GeneratorFailed
from tasks.evaluation.gold.rule_questions import Asked
from tasks.llm.completions import Request, Server
from tasks.llm.json_replies import read_object
from tasks.llm.prompts import prompt
from tasks.records import Chunk

MAX_QUESTION, MAX_ANSWER = 300, 400
"""Length limits in characters; the schema enforces them on small models that run on."""
MAX_REPLY_TOKENS = 300
SCHEMA: dict[str, object] = {
    "type": "object",
    "properties": {
        "question": {"type": "string", "maxLength": MAX_QUESTION},
        "answer": {"type": "string", "maxLength": MAX_ANSWER},
    },
    "required": ["question", "answer"],
    "additionalProperties": False,
}


class _Reply(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore", strict=True)

    question: str
    answer: str


def write_questions(chunks: Sequence[Chunk], server: Server) -> list[list[Asked] | str]:
    """Have the model server write one question a chunk, in order: a list with the question, or what was wrong.

    Finardi et al. ask for answers of more than four words; here a figure is enough. Raises ServiceAway if the server is
    away.
    """
    system = prompt("gold")
    requests = [
        Request(system, _excerpt(chunk), SCHEMA, MAX_REPLY_TOKENS, partial(read_question, text=chunk.text))
        for chunk in chunks
    ]
    replies = server.ask(requests, instead="--generator rules", late=GeneratorFailed)
    return [
        str(reply).partition(":")[0] if isinstance(reply, GeneratorFailed) else [read_question(reply, chunk.text)]
        for reply, chunk in zip(replies, chunks, strict=True)
    ]


def read_question(raw: str, text: str) -> Asked:
    """Parse the reply's question and find its answer in the chunk's text; white space may differ.

    Raises GeneratorFailed, which describes what is wrong: another shape, no question, or an answer that is not in the
    text or is given away by the question.
    """
    try:
        reply = read_object(raw, _Reply)
    except ValidationError as error:
        raise GeneratorFailed(f"the reply is not of the asked shape: {wrong_keys(error, 'reply')}") from error
    question, words = " ".join(reply.question.split()), reply.answer.split()
    if not question.endswith("?"):
        raise GeneratorFailed("`question` does not end in a question mark")
    if not words:
        raise GeneratorFailed("`answer` is empty")
    found = re.search(r"\s+".join(map(re.escape, words)), text)
    if found is None:
        raise GeneratorFailed("`answer` is not in the excerpt letter by letter")
    if " ".join(words).casefold() in question.casefold():
        raise GeneratorFailed("`question` has the answer in it")
    return Asked(question, *found.span(), *found.span())


def _excerpt(chunk: Chunk) -> str:
    where = f"It stands in: {chunk.context}\n\n" if chunk.context else ""
    return f"{where}Excerpt:\n{chunk.text}"
