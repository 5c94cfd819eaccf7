"""Generator that drafts by a model server: each draft says what its passages say, and cites them, or is declined."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tasks.answering.drafts.answer_text import AnswerText
from tasks.answering.drafts.draft import Asked, Attempt, Draft, OnText, Replied, declined, joined, longest_text
from tasks.answering.entailment.claims import is_verdict, verdict_said
from tasks.answering.generators.prompts import Reply, answer_request, read_reply, whole_sentences
from tasks.answering.generators.server_faults import shown_fault
from tasks.answering.quotes.context_passages import on_one_page
from tasks.answering.quotes.passages import best_quote, passages_of
from tasks.llm.completions import Outcome, Request, Server, raise_if_away
from tasks.records import Hit, Question, Verdict
from tasks.text.characters import fold
from tasks.text.search_terms import terms


class OpenAIGenerator:
    """Generator that asks a model server for JSON; a question without a valid reply fails, with the reason."""

    questions_a_batch = 128

    def __init__(self, server: Server, name: str = "openai", *, has_next: bool = False, tone: str = "") -> None:
        """``tone`` is what the model is asked to keep to. Before another generator, ``has_next``, questions fail where
        the server is away; else ServiceAway is raised.
        """
        self.name, self._server, self._has_next, self._tone = name, server, has_next, tone
        self._instead = "" if has_next else "--generator extractive"

    def draft(self, asked: Sequence[Asked]) -> list[Draft]:
        """One draft a question, in order. Raises ServiceAway where the server does not answer.

        Questions with the same passages are sent one after the other, so that the server can keep what they share.
        """
        asked = [Asked(question, on_one_page(hits)) for question, hits in asked]
        requests = [(place, answer_request(item, self._tone)) for place, item in enumerate(asked) if item.hits]
        requests.sort(key=lambda pair: pair[1].prompt)
        outcomes = self._server.exchange([request for _, request in requests], instead=self._instead)
        if not self._has_next:
            raise_if_away(outcomes)
        drafts = [self._nothing_found(one.question) for one in asked]
        for (place, request), outcome in zip(requests, outcomes, strict=True):
            drafts[place] = self._as_draft(outcome, request, asked[place])
        return drafts

    def stream_draft(self, asked: Asked, on_text: OnText) -> Draft:
        """The draft of one question, with the text as the model writes it. Raises as ``draft``."""
        asked = Asked(asked.question, on_one_page(asked.hits))
        if not asked.hits:
            return self._nothing_found(asked.question)
        request = answer_request(asked, self._tone)
        outcome = self._server.stream(request, AnswerText(on_text).hear, instead=self._instead)
        if not self._has_next:
            raise_if_away([outcome])
        return self._as_draft(outcome, request, asked)

    def _nothing_found(self, question: Question) -> Draft:
        detail = "no document has a passage about it" if fold(question.text) else "the question has no words"
        return replace(declined("no_evidence", detail), attempts=(Attempt(self.name),))

    def _as_draft(self, outcome: Outcome, request: Request, asked: Asked) -> Draft:
        if outcome.reply is None:
            draft = declined("generator_failed", shown_fault(str(outcome.error)))
        else:
            reply = read_reply(outcome.reply, len(asked.hits))
            draft = replace(_draft_of(reply, asked), replied=_replied(reply))
        if outcome.left_out:
            left_out = f"{outcome.left_out} of {len(asked.hits)} passages did not fit into the model's window"
            draft = replace(draft, detail=joined(draft.detail, left_out))
        model = self._server.model
        attempts = tuple(Attempt(self.name, model, *sent, request.version) for sent in outcome.sent)
        return replace(draft, attempts=attempts or (Attempt(self.name, model, failure=str(outcome.error)),))


def _draft_of(reply: Reply, asked: Asked) -> Draft:
    said, verdict, is_yes_no = (reply.answer or "").strip(), _verdict_of(reply), asked.question.kind == "yes_no"
    if reply.verdict == "not_found" or not (said or verdict):
        return declined("no_evidence", "the model found no answer in the passages")
    cited = [asked.hits[number - 1] for number in dict.fromkeys(reply.citations)]
    if is_verdict(said) and cited and is_yes_no:
        return _quoting(asked, verdict, cited)
    answer = whole_sentences(said, longest_text(asked.question), is_yes_no=is_yes_no)
    if not answer:
        if said:
            return declined("generator_failed", f"the model's answer was cut off at {len(said)} characters")
        return declined("unsupported", "the model cites no passage")
    quotes = tuple(quote for hit in cited if (quote := best_quote(answer, hit)))
    return Draft(answer, verdict, quotes, 0.0)


def _replied(reply: Reply) -> Replied:
    """The verdict of a reply as evidence; "unsaid" where it has none, or two."""
    finds_none = reply.verdict in ("unclear", "not_found") or not (reply.verdict or reply.answer)
    return _verdict_of(reply) or ("not_settled" if finds_none else "unsaid")


def _verdict_of(reply: Reply) -> Verdict | None:
    """The verdict of a reply: its own, or the yes or no that is all its answer; None where the two differ."""
    own = None if reply.verdict == "unclear" or reply.verdict == "not_found" else reply.verdict
    said = verdict_said(reply.answer or "") if is_verdict(reply.answer or "") else None
    return None if own and said and own != said else own or said


def _quoting(asked: Asked, verdict: Verdict | None, cited: Sequence[Hit]) -> Draft:
    """The draft for a bare yes or no: its text is the sentence of the cited passages with most of the question."""
    words = frozenset(terms(asked.question.text))
    passages = [passage for hit in cited for passage in passages_of(hit)]
    best = max(passages, key=lambda one: len(words.intersection(terms(one.matched_text))), default=None)
    if best is None:
        return declined("unsupported", "the model only says yes or no, and its source has no sentence to quote")
    detail = "the model only says yes or no: the text is a quote"
    return Draft(best.text, verdict, best.citations(), 0.0, detail=detail)
