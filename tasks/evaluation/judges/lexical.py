"""Lexical judge: scores answers by shared words, figures and names, without a model.

Its rules follow from the definition of each criterion; none was chosen by labelled examples. A share of words becomes a
grade by its place on the scale. It knows no synonyms, so it is stricter with paraphrases than with quotations.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, partial
from typing import NamedTuple

from tasks.answering.entailment.claims import LEAST_WORDS, Claim, sentences_of, verdict_said
from tasks.answering.entailment.support import Evidence, Finding, best_findings, evidence_in, ordinary_words, said_by
from tasks.evaluation.judges.cases import CRITERIA, Case, Judgement, Scale, as_judgements, mark
from tasks.text.names.figures_and_names import figures_of
from tasks.text.negation import pieces_of, turned_round
from tasks.text.search_terms import terms

HALF = 0.5
"""Least share of a question's words, and of supported claims, for a relevant answer."""
WITH_MISTAKES = 0.5
"""Highest share for an answer that lacks a figure of the reference: after Omrani et al., the grades 2 and 3 are on the
subject and not free of mistakes.
"""
CONTRADICTS = 0.0
REFUSED = Judgement(0.0, "it refuses to answer", shares=(0.0,))
_REFUSAL = re.compile(
    r"\b(?:(?:could|can|did|do|does|was|were|is|are)(?: not|n['’]t)|cannot|no|unable to)\b[^.!?]{0,40}?"
    r"\b(?:find|found|say|says|know|state|mention|mentioned|statement|covered|answer|information|determine|specify)\b"
    r"|\bno (?:mention|information|statement)\b",
    re.IGNORECASE,
)
_OF_SOURCES = re.compile(
    r"\b(?:documents?|passages?|context|sources?|information|find|found|mention|statement|know)\b", re.IGNORECASE
)


class LexicalJudge:
    """Judge by words; see the module."""

    name = "lexical"
    model = ""
    criteria = tuple(CRITERIA)
    is_deterministic = True
    learns = False

    def judge(self, cases: Sequence[Case], criterion: str, repeat: int = 1) -> list[Judgement]:
        """Judge the cases, in order; the same each time. Raises KeyError for a criterion that is not known."""
        return as_judgements(criterion, cases, _RULES[criterion])


def is_refusal(answer: str) -> bool:
    """Tell if a short answer says that the documents have no answer."""
    return len(sentences_of(answer)) <= 2 and bool(_REFUSAL.search(answer) and _OF_SOURCES.search(answer))


class _Share(NamedTuple):
    value: float
    told: str


def _words_in(wanted: str, text: str, of: str) -> _Share:
    """ROUGE-1 recall (Lin 2004) of ``wanted`` over stems without stop words; 0 if it has none."""
    needed, had = Counter(terms(wanted)), Counter(terms(text))
    shared = (needed & had).total()
    return _Share(shared / needed.total() if needed else 0.0, f"{shared} of {needed.total()} words of {of}")


def _f1(reference: str, answer: str) -> _Share:
    recall, precision = _words_in(reference, answer, "the reference"), _words_in(answer, reference, "the answer")
    both = recall.value + precision.value
    return _Share(2 * recall.value * precision.value / both if both else 0.0, f"{recall.told}, {precision.told}")


def _graded(case: Case, share_of: Callable[[str, str], _Share], scale: Scale = "1-5") -> Judgement:
    """The mark of a share of words; lower if the answer contradicts the reference, lacks its figure or refuses."""
    answer, reference = case.answer or "", case.reference or ""
    share = share_of(reference, answer)
    best, told = 1.0, share.told
    missing = sorted(figures_of(reference) - figures_of(answer))
    if missing:
        best, told = WITH_MISTAKES, f"{told}; it lacks {missing[0]}"
    verdicts = [verdict_said(reference), verdict_said(answer)]
    if set(verdicts) == {"yes", "no"}:
        best, told = CONTRADICTS, f"{told}; the reference says {verdicts[0]}"
    elif turned := _turned_round(answer, reference):
        best, told = CONTRADICTS, f"{told}; it lacks {turned}"
    if is_refusal(answer):
        best, told = CONTRADICTS, "it refuses to answer"
    return Judgement(mark(min(best, share.value), scale), told, shares=(share.value,))


def _turned_round(answer: str, reference: str) -> str:
    """Describe how a clause of the answer negates what the reference says; "" if none does."""
    said = pieces_of(reference)
    # A clause with less than half of its words in the reference, or fewer than a claim has, is about something else.
    known = frozenset().union(*(words for words, _ in said))
    clauses = [(words, clause) for words, clause in pieces_of(answer) if len(words) >= LEAST_WORDS]
    near = [clause for words, clause in clauses if len(words & known) >= HALF * len(words)]
    return next(filter(None, (turned_round(clause, said) for clause in near)), "")


def _context_relevance(case: Case) -> Judgement:
    shares = [_words_in(case.question, context, "the question") for context in case.contexts]
    best = max(shares)
    return Judgement(mark(best.value), best.told, shares=tuple(share.value for share in shares))


def _answer_relevance(case: Case) -> Judgement:
    if is_refusal(case.answer or ""):
        return REFUSED
    share = _words_in(case.question, case.answer or "", "the question")
    return Judgement(share.value, share.told, shares=(share.value,))


def _graded_answer_relevance(case: Case) -> Judgement:
    judged = _answer_relevance(case)
    return judged._replace(score=mark(judged.shares[0]))


def _claim_faithfulness(case: Case) -> Judgement:
    return _borne_out(case.answer or "", case.contexts, "the answer")


def _all_borne_out(case: Case) -> Judgement:
    judged = _claim_faithfulness(case)
    return judged if judged.score is None else judged._replace(score=float(judged.score == 1.0))


def _graded_faithfulness(case: Case) -> Judgement:
    by_context = [_borne_out(case.answer or "", (context,), "the answer") for context in case.contexts]
    if is_refusal(case.answer or ""):
        return Judgement(1, "it refuses to answer", shares=tuple(0.0 for _ in by_context))
    shares = tuple(one.score for one in by_context if one.score is not None)
    if not shares:
        return by_context[0]
    best = max(by_context, key=lambda one: one.score or 0.0)
    return Judgement(mark(max(shares)), best.reason, shares=shares)


def _relevancy(case: Case) -> Judgement:
    """Relevant and in line with its contexts (Omrani et al.): half of the words asked and half of its claims."""
    answer = case.answer or ""
    if is_refusal(answer):
        return REFUSED
    findings = _findings(answer, case.contexts)
    said = " ".join([answer, *(finding.source for finding in findings if finding.is_supported)])
    share = _words_in(case.question, said, "the question")
    borne_out = sum(finding.is_supported for finding in findings) / len(findings) if findings else 0.0
    least = min(share.value, borne_out)
    told = f"with what bears it out {share.told}; {borne_out:.0%} of its claims are borne out"
    return Judgement(float(least >= HALF), told, shares=(least,))


def _refusal(case: Case) -> Judgement:
    refuses = is_refusal(case.answer or "")
    return Judgement(float(refuses), "it says that the documents do not tell" if refuses else "it tells something")


def _borne_out(text: str, contexts: Sequence[str], of: str) -> Judgement:
    """The share of the claims of ``text`` that the contexts support, by figures, names, negations and words."""
    findings = _findings(text, contexts)
    if not findings or is_refusal(text):
        return Judgement(None, unscored=f"{of} claims nothing that a document could bear out")
    missing = [finding for finding in findings if not finding.is_supported]
    share = 1 - len(missing) / len(findings)
    told = f"{len(findings) - len(missing)} of {len(findings)} claims of {of} are borne out"
    if missing:
        first = missing[0]
        told += f"; not “{first.claim.text}”: {f'no source for {first.lacks}' if first.lacks else 'other words'}"
    return Judgement(share, told, shares=(share,))


def _findings(text: str, contexts: Sequence[str]) -> list[Finding]:
    evidence, ordinary = _evidence(tuple(contexts))
    found: list[Finding] = []
    for sentence in sentences_of(text):
        claims: Sequence[Claim] = () if sentence.is_verdict else sentence.claims
        whole = said_by(sentence.text, evidence)
        found += [whole] if whole and claims else best_findings(claims, evidence, ordinary)
    return found


@lru_cache(maxsize=4096)
def _evidence(contexts: tuple[str, ...]) -> tuple[list[Evidence], frozenset[str]]:
    return [one for text in contexts for one in evidence_in(text)], ordinary_words(contexts)


_recall = partial(_words_in, of="the reference")
_RULES: Mapping[str, Callable[[Case], Judgement]] = {
    "correctness": partial(_graded, share_of=_recall),
    "relevancy": _relevancy,
    "faithfulness": _all_borne_out,
    "points": partial(_graded, share_of=_recall, scale="1/3/5/7/10"),
    "graded_correctness": partial(_graded, share_of=_f1),
    "graded_context_relevance": _context_relevance,
    "graded_faithfulness": _graded_faithfulness,
    "graded_answer_relevance": _graded_answer_relevance,
    "claim_faithfulness": _claim_faithfulness,
    "answer_relevance": _answer_relevance,
    "context_recall": lambda case: _borne_out(case.reference or "", case.contexts, "the reference"),
    "no_hallucination": _all_borne_out,
    "refusal": _refusal,
}
