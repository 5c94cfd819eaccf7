"""What a sentence says to a yes/no question: yes, no, partly, or nothing that can be relied on.

The embedded default has no language model, so it reads cues: a past answer's first word, a negation in the
sentence and in the question, words that limit. A cue that is missing gives None, and a person decides.
"""

from __future__ import annotations

import re

from tasks.answering.entailment.negation import denies as denies_so
from tasks.answering.entailment.overstatement import overstated_yes
from tasks.chunking.cuts import CELLS
from tasks.embedding.bm25 import terms
from tasks.records import Verdict

_GRADE = r"(?:compliant|conform|met|implemented|supported|satisfied|fulfilled|in place)"
_PAST_ANSWER = re.compile(
    rf"^Answer:\s*(?:(?:(?P<plain>not applicable|yes|no|partial(?:ly)?|partly|full(?:y)?|n/?a)|"
    rf"(?P<how>fully |full |partially |partly |not |non[ -]?)?{_GRADE})(?=\s*(?:[.,;:!(–-]|$))|"
    # "N. America" is no no.
    r"(?P<letter>[yn])(?=\s*(?:[,;:!(]|$)))",
    re.IGNORECASE | re.MULTILINE,
)
_PAST_VERDICTS: dict[str, Verdict] = {
    "yes": "yes",
    "y": "yes",
    "fully": "yes",
    "full": "yes",
    "no": "no",
    "n": "no",
    "partial": "partial",
    "partially": "partial",
    "partly": "partial",
}
_NEGATION = re.compile(
    r"\b(?:not|no|never|none|neither|nor|without|cannot|unsupported|unavailable|absent|out of scope)\b|n['’]t\b",
    re.IGNORECASE,
)
_LIMIT = re.compile(
    r"\b(?:only|except|apart from|unless|limited to|partly|partially|on request|some of)\b", re.IGNORECASE
)
_HARMLESS = re.compile(
    r"\b(?:not only|no later than|not later than|no less than|no more than|not more than|no fewer than|not exceed"
    r"|no longer than|without undue delay|without delay|no critical|not limited to|at no charge|no cost|free of)\b",
    re.IGNORECASE,
)
_EMPTY_CELL = re.compile(r"\|\s*(?:none|no|not applicable)\s*(?=\||$)", re.IGNORECASE)
_WORD = re.compile(r"[^\W\d_][\w'’-]*")
_BOX = re.compile("[☐☑☒]")
_SET_STATEMENT = re.compile("[☑☒] [^☐☑☒|]*")
_MARK_CELL = re.compile(r"(?<=[|:])\s*[☐☑☒xX✓✔✗✘●•]\s*(?=\||$)")
_SET_CELL = re.compile(r"(?<=: )[xX✓✔●•](?=\s*(?:\||$))")
_CHOICE = r"(?P<said>yes|no|not applicable|n/?a|partial(?:ly)?|partly|fully)\b"
_BOX_CHOICES = (
    re.compile(rf"(?P<box>[☐☑☒])[\s|:]*{_CHOICE}", re.IGNORECASE),
    re.compile(rf"\b{_CHOICE}[\s|:]*(?P<box>[☐☑☒])", re.IGNORECASE),
)
FIGURE = re.compile(r"\d+(?:[.,]\d+)*")
SHARED_WORDS_FOR_A_VERDICT = 0.6
"""A verdict needs a sentence with at least this share of the question's words: the topic alone is no answer."""
WORDS_NEEDED = 3
"""Of so many words none may be missing, and of more one for each two beyond: in a short question each one counts, as
"weekends" does in "Is there telephone support at weekends?".
"""
_TURNING_STEMS = frozenset(
    terms(
        "prohibit forbid disable exclude lack decline remove delete destroy refuse reject block stop end expire "
        "inside external internal planned plan future intend roadmap roadmaps retain "
        "optional mandatory required offered held hold summary complete full partial outside until before after keep",
        stop_words="none",
    )
)
"""Words that can turn a sentence's meaning round: where only one side has one, nothing is concluded."""


def has_figures_of(question: str, source: str) -> bool:
    """Whether ``source`` holds every figure of ``question``: 90 days are not 35, ISO 27001 is not ISO 9001."""
    return not set(FIGURE.findall(question)) - set(FIGURE.findall(source))


def past_verdict(quote: str) -> Verdict | None:
    """The verdict with which a past answer begins, or None."""
    found = _PAST_ANSWER.match(quote)
    if found is None:
        return None
    said = found["plain"] or found["letter"]
    if said:
        return _PAST_VERDICTS.get(said.lower(), "not_applicable")
    how = (found["how"] or "fully").strip(" -").lower()
    return _PAST_VERDICTS.get(how, "no")


def past_verdict_end(quote: str) -> int | None:
    """Where the yes or no ends with which a past answer begins, None where it begins with none."""
    found = _PAST_ANSWER.match(quote)
    return found.end() if found else None


def has_choices(sentence: str) -> bool:
    """Tell if boxes or marks of a form stand in ``sentence``; one statement behind a box that is set is plain text."""
    is_marked = _BOX.search(sentence) or _MARK_CELL.search(sentence)
    return bool(is_marked) and not _SET_STATEMENT.fullmatch(sentence.strip())


def sentence_verdict(question: str, sentence: str) -> Verdict | None:
    """What ``sentence`` says to ``question``; None where it shares too little with it, lacks one of its figures, or
    turns on other words. What tells to do something ("Enforce …") says no yes: whose duty that is, it does not say.
    """
    asked, said = set(terms(question)), set(terms(sentence))
    turned = set(terms(question, stop_words="none")) ^ set(terms(sentence, stop_words="none"))
    shared = len(asked & said) / len(asked) if asked else 0.0
    if shared < SHARED_WORDS_FOR_A_VERDICT or len(asked - said) > max(0, len(asked) - WORDS_NEEDED) // 2:
        return None
    if turned & _TURNING_STEMS or not has_figures_of(question, sentence):
        return None
    if has_choices(sentence):
        chosen = None if _asks_negatively(question) else _boxes_verdict(sentence)
        return None if chosen == "yes" and overstated_yes(question, sentence) else chosen
    # "None" in a table's cell is a value (no exception, say), not a denial.
    denies = bool(_NEGATION.search(_HARMLESS.sub(" ", _EMPTY_CELL.sub("|", sentence))))
    if denies != _asks_negatively(question):
        return "no"
    if _LIMIT.search(sentence) and not _LIMIT.search(question):
        return "partial"
    if denies_so(sentence) and not denies_so(question):
        return None  # "hardly ever", "ceased"
    return None if overstated_yes(question, sentence) or _tells_to_do(question, sentence) else "yes"


def _tells_to_do(question: str, sentence: str) -> bool:
    """Whether the sentence, or a cell of a row, begins with the plain form of a verb that the question has as a
    participle: "Enforce multi-factor authentication" for "Is it enforced?".
    """
    participles = [word for word in _WORD.findall(question.casefold()) if word.endswith(("ed", "ing"))]
    stems = {stem for word in participles for stem in terms(word)}
    firsts = [found.group().casefold() for cell in CELLS.split(sentence) if (found := _WORD.search(cell))]
    return any(not stems.isdisjoint(terms(word)) and not word.endswith(("ed", "ing")) for word in firsts)


def _asks_negatively(question: str) -> bool:
    return bool(_NEGATION.search(_HARMLESS.sub(" ", question)))


def _boxes_verdict(sentence: str) -> Verdict | None:
    """The one choice of a form whose box is set: "☐ Yes ☒ No" is a no, and so is "No: X".

    None where boxes have no such labels: what an empty one stands beside is not so, and below which heading a mark
    stands the sentence does not say.
    """
    sentence = _SET_CELL.sub("☒", sentence)
    boxes = len(_BOX.findall(sentence))
    readings = [found for pattern in _BOX_CHOICES if len(found := list(pattern.finditer(sentence))) == boxes]
    chosen = {one["said"].lower() for one in readings[0] if one["box"] != "☐"} if len(readings) == 1 else set()
    return _PAST_VERDICTS.get(chosen.pop(), "not_applicable") if len(chosen) == 1 else None
