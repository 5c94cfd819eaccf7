"""Whether what is quoted settles a question of yes or no: it says all of what is asked, of the same thing and the same
time, and limits it by nothing.

A sentence that has most words of a question may say the opposite by the one that is missing ("in Core", "for
customers"), or by one of its own ("until 2023", "may", "for personal injury"). Who signs a yes is held to it, so what
does not settle a question is shown to a person without a verdict.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from tasks.answering.entailment.facts import figures_of, periods_of, words_of_claim
from tasks.answering.entailment.negation import denies, pieces_of
from tasks.answering.entailment.restrictions import is_limited
from tasks.answering.entailment.stems import stems_of
from tasks.chunking.sentences import sentence_spans
from tasks.conversion.text import is_mark
from tasks.records import Verdict

_FRAME = frozenset(
    stems_of("offer provide company organisation organization vendor supplier bidder solution confirm currently please")
)
"""By what a question asks for something, and is not what it asks for."""
_OURSELVES = frozenset(
    stems_of(
        "company organisation organization product use hold carry maintain operate run employ perform conduct provide "
        "offer support currently"
    )
)
"""What may stand before that: who answers, and by what word they have it or do it."""
_OF = re.compile(r"\bof (?:the |our |an? )?([^\W\d_][\w-]*)", re.IGNORECASE)
_VERB = re.compile(r"\b(?:is|are|was|were|has|have|will|can|may|must|do|does)\b", re.IGNORECASE)
_ADDED = re.compile(
    r"(?:(?:,|\b(?:and|or|as well as))\s+(?:for|in|at|on|under)"
    r"|\b(?:for|in|at|on|under|during) (?:all|every|each|any))\b[^,;:.]*",
    re.IGNORECASE,
)
"""What holds besides or everywhere: "at rest and in transit", "in every region"."""
_ADDED_BEFORE = re.compile(r"\b(?:in|at|on|under)\s+\w+(?=\s+(?:and|as well as)\s+(?:in|at|on|under)\b)", re.IGNORECASE)
"""The same where it stands first; what is denied of both may hold of one."""
_TURNING = re.compile(
    r"\b(?:before|after|between|until|till|since|during|outside|inside|without|off|unless|except|excluding|if|when(?:ever)?"
    r"|where(?:ver)?|while|once|twice|thrice|provided|subject to|only|but|although|though|however|instead|rather"
    r"|least|most|minimum|maximum|more|less|fewer|earliest|latest|up to|upwards|jointly|on behalf|and above|or above"
    r"|plan|edition|tier|package|licen[cs]e|subscription"
    r"|exempt\w*|waive\w*|ceas\w+|discontinu\w+|decommission\w+|phased out|abolish\w+|revok\w+|laps\w+|cancel\w+"
    r"|suspend\w+|hardly|barely|scarcely|rarely|seldom|refus\w+|omit\w*|bypass\w*|in lieu)\b",
    re.IGNORECASE,
)
"""Words that turn or limit what is said, each of which a question and what settles it have both or neither."""
_PARTLY = re.compile(
    r"\b(?:some|many|several|certain|selected|partly|partially|nearly|almost|usually|normally|generally|typically|often"
    r"|mostly|optional(?:ly)?|on request|planned|draft|proposed|pilot|beta|expired|superseded|withdrawn|former(?:ly)?"
    r"|previous(?:ly)?|intended|pending|being|under ?way|in (?:progress|preparation))\b",
    re.IGNORECASE,
)
_MAY = re.compile(r"\b(?:may|might|can|could|allowed|permitted|possible|able)\b")
"""In small letters: May is a month."""
_MUST = re.compile(r"\b(?:must|shall|should|ought|ha(?:s|ve) to|required|obliged|expected|supposed)\b", re.IGNORECASE)
_REQUIRES = re.compile(r"\brequires?\b")
_IS_REQUIRED = re.compile(r"\brequired\b(?! (?:to|by|of)\b)", re.IGNORECASE)
"""Who is asked whether they require a thing says so by its being required; what they are required to do is another."""
_WAS = re.compile(r"\b(?:was|were|had|did|used to (?:be|have|do))\b", re.IGNORECASE)
_BEFORE_NOW = re.compile(r"\b(?:was|were|had|did|ever|last|past|previous(?:ly)?|have you)\b", re.IGNORECASE)
_WILL = re.compile(r"\b(?:will|going to|from (?:\w+ ){0,2}(?:19|20)\d\d)\b", re.IGNORECASE)
_PLACE = re.compile(r"\b(?:in|at|for|from)\s+(?:the\s+)?(?=[^\W\d_a-z])([^\W\d_][\w-]*)")
"""A name that says where, or for whom."""
_MONTH_NAME = re.compile("(?:Jan|Febr)uary|March|April|May|June|July|August|(?:Septem|Octo|Novem|Decem)ber")
_KINDS = (
    (_MAY, _MAY, "what may be, and not what is"),
    (_MUST, _MUST, "what has to be, and not what is"),
    (_WAS, _BEFORE_NOW, "what was"),
    (_WILL, _WILL, "what will be"),
)
_WORD = re.compile(r"[^\W\d_][\w'’-]*")
_MARKED = re.compile("[☐☑☒]")


def unsettled(question: str, verdict: Verdict, said: Sequence[str]) -> str:
    """Why the quotes ``said`` do not settle ``question`` with that ``verdict``, in words; "" where they do.

    Quotes that share no word with the question say nothing to it; none settles nothing.
    """
    asked = words_of_claim(question) - _FRAME
    sentences = [one for one in sentences_in(said) if asked & words_of_claim(one)]
    whole = " ".join(sentences)
    if verdict == "no" and not any(map(denies, sentences)):
        return ""  # what denies nothing says no by a choice that is marked, or by what it says instead
    if missing := asked - words_of_claim(whole):
        return f"it does not say “{_spelled(question, missing)}”"
    if figures_of(question) - figures_of(whole) or periods_of(question) - periods_of(whole):
        return "it lacks a figure or a span of time of the question"
    if any(len({f for f in figures_of(whole) if f.unit == figure.unit}) > 1 for figure in figures_of(question)):
        return "it has more figures than the one that is asked about"
    for sentence in sentences:
        if fault := _otherwise(question, asked, sentence):
            return fault
    if verdict == "partial" and not any(_MARKED.search(one) or is_mark(one.rsplit(":")[-1].strip()) for one in said):
        return "it is limited"
    if verdict == "no" and not any(_MARKED.search(one) or _is_denied(asked, one) for one in sentences):
        return "it denies something else"
    if verdict == "no" and (beside := _denied_besides(asked, sentences)):
        return f"it denies something of “{beside}”"
    return ""


def _otherwise(question: str, asked: frozenset[str], sentence: str) -> str:
    """By what ``sentence`` speaks of something else than ``question``, or only under a condition."""
    turning = {found.lower() for found in _TURNING.findall(sentence)} ^ {
        found.lower() for found in _TURNING.findall(question)
    }
    if turning:
        return f"it turns on “{min(turning)}”"
    if (partly := _PARTLY.search(sentence)) and not _PARTLY.search(question):
        return f"it turns on “{partly.group().lower()}”"
    stated = _IS_REQUIRED.sub(" ", sentence) if _REQUIRES.search(question.lower()) else sentence
    for told, also_asked, what in _KINDS:
        if told.search(stated) and not also_asked.search(question.lower()):
            return f"it says {what}"
    if before := _led_by(asked, sentence):
        return f"it speaks of “{before}”"
    if part := _part_of(asked, sentence):
        return f"it speaks of “{part}”"
    places = (name for name in _PLACE.findall(sentence) if not _MONTH_NAME.fullmatch(name))
    if place := next((name for name in places if words_of_claim(name) - asked), ""):
        return f"it holds for “{place}”"
    bare = _ADDED.sub(" ", sentence if denies(sentence) else _ADDED_BEFORE.sub(" ", sentence))
    if is_limited(bare, words_of_claim(sentence) - asked - _FRAME):
        return "it holds for something that is not asked about"
    return ""


def _led_by(asked: frozenset[str], sentence: str) -> str:
    """The word before the first that is asked about by which ``sentence`` is about something else; "" for none."""
    for found in _WORD.finditer(sentence):
        words = words_of_claim(found.group()) - _OURSELVES
        if words:
            return "" if words & asked else found.group()
    return ""


def _part_of(asked: frozenset[str], sentence: str) -> str:
    """The word behind "of", before the verb, by which only a part is spoken of that is not asked about; "" for none."""
    verb = _VERB.search(sentence)
    subject = sentence[: verb.start()] if verb else ""
    found = (name for name in _OF.findall(subject) if words_of_claim(name) - asked - _FRAME)
    return next(found, "")


def _is_denied(asked: frozenset[str], sentence: str) -> bool:
    """Whether what ``sentence`` denies is what is asked: "by a person and never automatically" denies no person.

    A denial reaches over the parts of a list up to the first verb; a clause without a subject has that of the one
    before it.
    """
    denied, subject = frozenset[str](), frozenset[str]()
    reaches = has_verb = False
    for _, piece in pieces_of(sentence):
        verb, words = _VERB.search(piece), words_of_claim(piece)
        own_subject = words_of_claim(piece[: verb.start()]) if verb else frozenset[str]()
        if denies(piece):
            denied |= words if own_subject else words | subject
            reaches, has_verb = True, verb is not None
        elif reaches and not (verb and has_verb):
            denied |= words
            reaches, has_verb = verb is None, has_verb or verb is not None
        else:
            reaches = False
        subject = own_subject or subject
    return asked <= denied


def _denied_besides(asked: frozenset[str], sentences: Sequence[str]) -> str:
    """A word of a clause that denies which is not asked about: "does not cover gross negligence" denies no cover."""
    for sentence in sentences:
        for _, piece in pieces_of(sentence):
            words = words_of_claim(piece)
            if denies(piece) and (others := words - asked - _FRAME - _OURSELVES) and words & asked:
                return _spelled(piece, others)
    return ""


def _spelled(text: str, stems: frozenset[str]) -> str:
    """The first word of ``text`` that has one of the ``stems``."""
    return next((word for word in _WORD.findall(text) if words_of_claim(word) & stems), min(stems))


def sentences_in(said: Sequence[str]) -> Iterator[str]:
    """The sentences of each quote, in order; no quotes give none."""
    for quote in said:
        yield from (quote[start:end] for start, end in sentence_spans(quote))
