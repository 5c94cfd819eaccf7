"""Whether what is quoted to an open question speaks of something else than is asked: another grade, another party,
another rhythm, what is not so.

A quote that is like a question in all words but one answers another question by that word: "Priority 1 … 30 minutes"
to "priority 2", "Customers must report" to "do you report". What such a word is can be told for some kinds of them.
English only; of a question that it does not know, nothing is said.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from tasks.answering.decision.expected_answer import wanted
from tasks.answering.entailment.facts import figures_of, periods_of
from tasks.answering.entailment.negation import denies, opposite_words
from tasks.answering.entailment.stems import stems_of
from tasks.chunking.sentences import sentence_spans
from tasks.embedding.words import reducer

_STEM = reducer("english")
_GRADE = re.compile(
    r"\b((?:priorit(?:y|ies)|severit(?:y|ies)|tiers?|levels?|class(?:es)?|categor(?:y|ies)|phases?|stages?|types?|grades?"
    r"|zones?|groups?|lots?|options?|sev|prio|iso|iec|soc|nist|tls|pci))[\s/-]*"
    r"((?:\d+(?:\.\d+)*|[IVX]+\b)(?:(?:\s*,\s*|\s+(?:and|or|to)\s+|\s*/\s*|-)(?:\d+|[IVX]+\b))*)",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"\d+(?:\.\d+)*|[IVX]+\b")
_SAME_LABEL = {"iec": "iso", "sev": _STEM("severity"), "prio": _STEM("priority")}
_OURS = r"(?:you|the (?:vendor|supplier|provider|bidder|company|contractor|tenderer))"
_ASKS_US = re.compile(
    rf"\b(?:do|does|did|will|would|must|shall|should|can|may|are|is|have|has) {_OURS}\b", re.IGNORECASE
)
_CUSTOMER = frozenset(map(_STEM, ("customer", "client", "subscriber", "buyer", "licensee", "purchaser")))
_PARTIES = (
    *(_CUSTOMER, frozenset(map(_STEM, ("employee", "staff", "personnel", "colleague", "worker")))),
    *(frozenset(map(_STEM, (one,))) for one in ("contractor", "subprocessor", "visitor", "administrator", "user")),
    frozenset(map(_STEM, ("supplier", "subcontractor", "vendor"))),
)
_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_VERB = re.compile(
    r"\b(?:must|shall|should|may|can|will|need|is|are|was|were|ha(?:s|ve)|do(?:es)?|informs?|notif(?:y|ies)|reports?"
    r"|receives?|attends?|completes?|signs?|undergo(?:es)?)\b",
    re.IGNORECASE,
)
_RELATIVE = re.compile(r",?\s+(?:that|which|who|whom|whose|where)\s[^,;.]*", re.IGNORECASE)
_IS_DONE_TO = re.compile(
    r"(?:is|are|was|were|(?:will|must|shall|should|may|can) be|ha(?:s|ve) been)\s+(?:\w+ly\s+)?"
    r"(?!required|obliged|responsible|expected|supposed|bound)\w+\b",
    re.IGNORECASE,
)
"""Who is told something does not tell it."""


def another(question: str, quotes: Sequence[str], places: str) -> list[str]:
    """Why the ``quotes`` may speak of something else than the open ``question``, for a person; nothing where they do
    not, or where there are none. ``places`` are the names and sections of the files that are quoted.
    """
    said = "\n".join(quotes)
    if not said:
        return []
    found = []
    if grade := _other_grade(question, f"{said}\n{places}"):
        found.append(f"asked about “{grade}”, of which what is quoted says nothing")
    if party := _other_party(question, list(_sentences_in(quotes))):
        found.append(f"asked about “{party[0]}”, and what is quoted is about “{party[1]}”")
    if word := opposite_words(question, said):
        found.append(f"what is quoted says the opposite of “{word}”")
    if rhythm := _other_rhythm(question, said):
        found.append(f"asked about what is done every {rhythm}, of which what is quoted says nothing")
    if wanted(question) != "statement" and not denies(question) and _all_deny(question, _sentences_in(quotes)):
        found.append("what is quoted says what is not so")
    return found


def _all_deny(question: str, sentences: Iterable[str]) -> bool:
    """Whether each sentence denies, elsewhere than in a relative clause that has no word of the question ("a vault that
    nobody enters").
    """
    asked = frozenset(stems_of(question))

    def of_the_matter(clause: re.Match[str]) -> str:
        return clause.group() if asked.intersection(stems_of(clause.group())) else " "

    return all(denies(_RELATIVE.sub(of_the_matter, sentence)) for sentence in sentences)


def _other_grade(question: str, said: str) -> str:
    """A grade that the question names by a word and a number, and ``said`` does not; "" for none."""
    told = {grade for grade, _ in _grades(said)}
    return next((shown for grade, shown in _grades(question) if grade not in told), "")


def _grades(text: str) -> Iterator[tuple[tuple[str, str], str]]:
    for found in _GRADE.finditer(text):
        label = _SAME_LABEL.get(found[1].lower(), _STEM(found[1].lower()))
        for number in _NUMBER.findall(found[2]):
            yield (label, number.upper()), f"{found[1]} {number}"


def _other_party(question: str, sentences: Sequence[str]) -> tuple[str, str] | None:
    """Whom the question is about and who does what is said, where every sentence is about somebody else; None where one
    is not.
    """
    asks_us = _ASKS_US.search(question)
    asked = [] if asks_us else _parties(question)
    if not (asks_us or asked):
        return None
    doing = [_parties(_subject(sentence)) for sentence in sentences]
    if not doing or not all(doing):
        return None
    if asks_us:
        is_other = all(stems <= _CUSTOMER for one in doing for _, stems in one)
        return (asks_us.group().split(maxsplit=1)[1], doing[0][0][0]) if is_other else None
    wanted_of = {stems for _, stems in asked}
    is_other = all(stems not in wanted_of for one in doing for _, stems in one)
    return (asked[0][0], doing[0][0][0]) if is_other else None


def _parties(text: str) -> list[tuple[str, frozenset[str]]]:
    """The words of ``text`` that name a party, and the party's names."""
    return [(word, stems) for word in _WORD.findall(text) for stems in _PARTIES if _STEM(word.lower()) in stems]


def _subject(sentence: str) -> str:
    """What stands before the first verb; "" where no verb is known, or somebody else does it to them."""
    verb = _VERB.search(sentence)
    return sentence[: verb.start()] if verb and not _IS_DONE_TO.match(sentence, verb.start()) else ""


def _other_rhythm(question: str, said: str) -> str:
    """A span of time by which the question names something ("weekly backups") and which ``said`` does not have."""
    if figures_of(question) or wanted(question) == "figure":
        return ""
    return min(periods_of(question) - periods_of(said), default="") if periods_of(said) else ""


def _sentences_in(quotes: Sequence[str]) -> Iterator[str]:
    for quote in quotes:
        yield from (quote[start:end] for start, end in sentence_spans(quote))
