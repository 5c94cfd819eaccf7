"""Whether a written answer says what its verdict says."""

from __future__ import annotations

from collections.abc import Sequence

from tasks.answering.entailment.claims import said_verdict, sentences_of
from tasks.answering.entailment.negation import clauses_of, denies, nearest_clause, opposite_words
from tasks.answering.entailment.overstatement import overstated_yes
from tasks.answering.entailment.polarity import has_figures_of, sentence_verdict
from tasks.answering.entailment.settling import unsettled
from tasks.conversion.text import EMPTY
from tasks.embedding.bm25 import terms
from tasks.records import Verdict

LEAST_SHARE = 0.5
"""Of the question's words, so many must stand in the answer or its quotes: being about the subject is no verdict."""
_SAID: dict[str, Verdict] = {
    "yes": "yes",
    "sim": "yes",
    "fully": "yes",
    "no": "no",
    "não": "no",
    "nao": "no",
    "partly": "partial",
    "partially": "partial",
    "in part": "partial",
    "not applicable": "not_applicable",
    "n/a": "not_applicable",
    "na": "not_applicable",
}


def verdict_said(text: str) -> Verdict | None:
    """The verdict with which ``text`` begins; None where it begins with none."""
    return _SAID.get(said_verdict(text) or "")


def is_verdict(text: str) -> bool:
    """Tell if ``text`` says yes, no or the like and nothing else; an empty text does."""
    return all(sentence.is_verdict for sentence in sentences_of(text))


def verdict_fault(question: str, verdict: Verdict, text: str, quotes: Sequence[str]) -> str:
    """Why ``verdict`` cannot stand beside ``text`` and the ``quotes`` that bear it out, in words; "" where it can.

    A yes whose text denies what is asked cannot, nor a no whose text denies nothing, nor either where a quote reads as
    the other or has an empty box of a form that may be its own, or where text and quotes hold too few of the question's
    words or not its figures.
    """
    said = verdict_said(text)
    if said not in (None, verdict):
        return f"the verdict is {_spelled(verdict)} and the text begins with {_spelled(said or verdict)}"
    source = " ".join([text, *quotes])
    if not has_figures_of(question, source):
        return "what is cited lacks a figure of the question"
    words = frozenset(terms(question))
    if words and len(words & set(terms(source))) / len(words) < LEAST_SHARE:
        return "what is cited has too few of the question's words for a yes or no"
    if verdict not in ("yes", "no"):
        return ""
    clause = nearest_clause(words, clauses_of(text))
    is_against = denies(clause) != denies(question) or opposite_words(question, clause) is not None
    if is_against != (verdict == "no") and said_verdict(text) is None:
        return f"the verdict is {_spelled(verdict)} and the text does not say so"
    if verdict == "yes" and is_against:
        return "the verdict is yes and the text denies it"
    if verdict == "yes" and (fault := overstated_yes(question, source)):
        return fault
    if any(EMPTY in quote and sentence_verdict(question, quote) != verdict for quote in quotes):
        return f"the verdict is {_spelled(verdict)} and a passage has an empty box: see which one is set"
    against = "no" if verdict == "yes" else "yes"
    if any(sentence_verdict(question, quote) == against for quote in quotes):
        return f"the verdict is {_spelled(verdict)} and a passage reads as {against}"
    if fault := unsettled(question, verdict, quotes):
        return f"what is cited does not settle it: {fault}"
    return ""


def _spelled(verdict: Verdict) -> str:
    return verdict.replace("_", " ")
