"""Drafts that the checks of answers have judged."""

from __future__ import annotations

from collections.abc import Sequence

from configs.plans import Answering
from tasks.answering.decision.grounding import check_drafts
from tasks.answering.drafts.draft import Asked, Draft
from tasks.answering.entailment.claims import sentences_of
from tasks.answering.entailment.labels import Entailment, Opinions, labels, pair_of
from tasks.answering.entailment.support import evidence_in, ordinary_words
from tasks.answering.quotes.passages import best_quote
from tasks.records import Hit, Question, QuestionKind, Verdict

PLAN = Answering(decline_below=0.3, review_below=0.45)


def label(premise: str, claim: str, opinions: Opinions | None = None) -> Entailment:
    """The label of a claim for its premise: of several sentences the least probable, of none "entailment"."""
    evidence, ordinary = evidence_in(premise), ordinary_words([premise])
    pairs = [pair_of(sentence, evidence, evidence, ordinary) for sentence in sentences_of(claim)]
    found = labels(pairs, opinions or Opinions())
    return min(found, key=lambda one: one.probability, default=Entailment("entailment", 1.0))


def checked(
    text: str,
    found: Sequence[Hit],
    cited: Sequence[int] = (1,),
    *,
    question: str = "What do you do?",
    kind: QuestionKind = "free_text",
    verdict: Verdict | None = None,
    opinions: Opinions | None = None,
) -> Draft:
    """A draft with quotes of the hits cited (numbered from 1), as the checks leave it."""
    quotes = tuple(quote for number in cited if (quote := best_quote(text, found[number - 1])))
    asked = Asked(Question("q", 0, question, kind=kind), found)
    (draft,) = check_drafts([asked], [Draft(text, verdict, quotes, 0.0)], opinions or Opinions())
    return draft
