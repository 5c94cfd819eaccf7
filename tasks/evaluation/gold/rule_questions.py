"""Rule-based questions for a gold set, whose answer is part of one sentence; for use without a model server.

"Customers are told of a breach within 48 hours." gives "How soon are customers told of a breach?" and "within 48
hours". There are no yes/no questions: they would repeat their sentence, and the answer would always be yes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from tasks.evaluation.gold.statement_questions import (
    LEADS_IN,
    LEAST_WORDS,
    MOST_SUBJECT_WORDS,
    MOST_WORDS,
    REFERS,
    in_a_question,
)
from tasks.text.sentences import sentence_spans

MOST_ANSWER_WORDS, MOST_WHO_WORDS = 30, 16
_NUMBER = r"(?:\d[\d,.]*\d|\d|one|two|three|four|five|six|seven|eight|nine|ten|twelve|fifteen|thirty|sixty|ninety)"
_UNIT = r"(?:seconds?|minutes?|hours?|days?|weeks?|months?|quarters?|years?)"
_SOME = r"(?:(?:about|some|the|a|an|first|last|next|approximately|nearly|at|least|most|up|to|maximum|minimum|of) )*"
_TIME = re.compile(
    rf" (?P<answer>(?P<lead>within|after|for|every|no later than) {_SOME}{_NUMBER}(?:[ -](?:to|or|and)[ -]{_NUMBER})?"
    rf"(?:[ -](?:business|working|calendar|full|consecutive))?[ -]{_UNIT}"
    r"(?:(?: of| after| before| from| following)(?: (?!and\b|or\b|by\b|in\b|to\b)[^\s,]+){1,8})?|"
    r"(?P<often>daily|weekly|monthly|quarterly|annually|yearly|every (?:day|week|month|quarter|year)|"
    r"(?:once|twice) (?:a|per) (?:day|week|month|quarter|year)|at least (?:annually|quarterly|monthly|once a year)))\b"
)
_MONEY = re.compile(r" (?P<answer>(?:(?:up to|at most|at least|a maximum of) )?\$\d[\d,.]*\d(?: (?:per|a) [a-z]+)?)")
_COUNT = re.compile(
    rf" (?P<answer>(?:(?:at least|up to|at most|no more than|a minimum of|a maximum of) )?{_NUMBER})"
    r" (?P<unit>(?:(?!of|and|or|to|in|per)[a-z-]+ )?(?!this|its|less|plus|hours|days|months|years)[a-z-]{3,}s)\b"
)
_SOON = {"within": "How soon", "no later than": "How soon", "after": "After how long", "for": "How long"}
_PEOPLE = (
    r"(?:[Oo]fficers?|[Tt]eams?|[Mm]anagers?|[Cc]ommittee|[Dd]irectors?|[Bb]oard|[Dd]epartment|[Ff]irm|[Aa]uditors?|"
    r"[Ll]ead|[Aa]dministrators?|[Ee]ngineers?|[Oo]wners?|[Cc]oordinators?|[Ss]upervisor|C[A-Z]O|CISO|[Cc]ouncil|"
    r"[Pp]resident(?: of (?:[A-Z]\w+ ?)+)?|[Ee]mployees|[Cc]ompany|[Gg]roup|[Pp]rovider|[Ss]upplier|"
    r"[Aa]nalysts?|[Dd]esk)"
)
_AGENT = re.compile(
    r"(?P<done>(?:be )?(?:\S+ ){0,10}?\w+(?:ed|en|wn|ne|pt|de|ld|un)(?: \S+){0,4}) by "
    rf"(?P<answer>(?:the|an?|our|its|two|each|[A-Z])[^,;]*?\b{_PEOPLE})$"
)
_PLACE = re.compile(
    r"(?P<done>(?:be )?(?:stored|hosted|located|kept|held|based|replicated|processed|archived|published|recorded|"
    r"logged|documented)) (?P<answer>(?:in|at) (?:the|an?|two|three|our|its|[A-Z])\b.*)$"
)
_MANNER = re.compile(
    r"(?P<done>(?:be )?(?:encrypted|protected|signed|hashed|secured|authenticated|authorised|authorized|controlled|"
    r"managed|monitored|provisioned|separated|isolated|deployed|tested|scanned|erased|destroyed)(?: [a-z ]{1,30}?)?) "
    r"(?P<answer>(?:with|using|through|via|by means of) .+)$"
)
_WHO = re.compile(
    rf"^(?P<answer>(?:The |An? |Our )?(?:(?!and\b|or\b)[\w/-]+ ){{0,4}}{_PEOPLE}) "
    r"(?P<does>(?:is (?:responsible|accountable) for|must|will|may|can|(?:approve|review|own|lead|chair|sign|decide|"
    r"check|maintain|report|keep|run|manage|oversee|receive|hold|test|monitor|handle|coordinate|appoint|grant|confirm|inform|"
    r"investigate|answer|update|ensure|provide|conduct|perform|assign|send|record|track|set|assesse|publishe)s) "
    r"[^;:()]+)\.$"
)
_STATED = re.compile(
    r"^(?P<subject>[A-Z][^,;:()]*?) (?P<auxiliary>is|are|was|were|must|can|may|will|should) (?P<rest>[^;:()]+)\.$"
)
_DONE = re.compile(
    r"^(?P<subject>[A-Z][^,;:()]*?) (?P<verb>(?:receive|accrue|keep|retain|support|cover|provide|offer|require|allow|"
    r"take|last|hold|include|review|test|rotate|delete|store|perform|conduct|run|host|use|pay|reimburse|contribute|"
    rf"send|check|report|update|comprise|contain|scan|patch|monitor)s?|"
    rf"(?:has|have)(?= (?:at least |up to )?{_NUMBER} ))"
    r" (?P<rest>(?!(?:and|or|of|is|are|was|were|must|can|may|will|should|has|have) )[^;:()]+)\.$"
)
_IF = re.compile(r"^(?P<when>If|When|Once) (?P<case>[^,;:()]+), (?:then )?(?P<answer>[^;:()]+)\.$")
_TO = re.compile(
    r"^(?:In order to|To) (?P<aim>[a-z][^,;:()]+), (?P<subject>[^,;:()]{2,50}?) "
    r"(?P<auxiliary>must|should|can|will|may) (?P<answer>[^;:()]+)\.$"
)
_SO_MANY = re.compile(
    rf"^(?P<answer>(?:At least |Up to |About )?{_NUMBER}) (?P<what>(?!of\b|per\b)[a-z][^,;:()]*?) "
    r"(?P<done>(?:is|are|was|were|must|can|may|will) [^;:()]+)\.$",
    re.IGNORECASE,
)
_USED = re.compile(r"(?P<done>(?:be )?used) (?P<answer>(?:to|for) .+)$")
_WHY = re.compile(r"(?P<done>.+?),? (?P<answer>because .+)$")
_WHEN = re.compile(
    r"(?P<done>[^,]+?),? (?P<answer>(?:only )?(?:if|when|once|as soon as|provided that|whenever|until|before) .+)$"
)
_HOWS = (
    (_AGENT, "Who"), (_PLACE, "Where"), (_MANNER, "How"), (_USED, "What"), (_WHY, "Why"), (_WHEN, "When"),
)  # fmt: skip
_ANYBODY = re.compile(
    r"(?:(?:The|An?|Our|All|Each) )?(?:group|team|company|employees?|provider|supplier|department|managers?|"
    r"administrators?|desk|firm|analysts?|owners?)$",
    re.IGNORECASE,
)
"""Subjects too general to ask for."""
_OBJECT = frozenset("include cover provide offer require support use comprise contain".split())
_DENIES = re.compile(
    r"\b(?:not|never|cannot|neither|nor|nothing|without|none|except|unless)\b|n['’]t\b|\bno (?!later|more)",
    re.IGNORECASE,
)
_POINTS = frozenset(
    "this these those it they him she he we our us you there such above below here same latter former following "
    "instead however therefore thus additionally furthermore otherwise both another then only still now so "
    "meantime remaining".split()
)
"""Words whose meaning depends on the text before or after."""
_LEANS = frozenset(
    "its their his her other another both each any some more most additional further different no one".split()
)
"""First words of a subject that refers to the sentence before, or is no subject."""
_ARTICLES = frozenset(("the", "a", "an", "all", "every"))
_MODALS = ("must", "can", "may", "will", "should")
_I = "when if once should must can that do".split()
_YOU = (
    ("you are", "I am"), ("you['’]re", "I am"), ("you have", "I have"), ("yourself", "myself"), ("your", "my"),
    *((f"{word} you", f"{word} I") for word in _I),
)  # fmt: skip
_SAYS_LITTLE = re.compile(
    r"\b(?:may be|may need|it is|it['’]s|be sure|make sure|contact|responsible for|likely|depends?|important)\b"
)
"""Phrases of consequences that follow from many cases, and answer no question."""
_TELLS = re.compile(
    r"(?:please|make sure|contact|call|check|open|reach|ask|you (?:must|should|need)|your first step) ?\b"
)
_CASES = ("What happens", "What should I do")
_JOINS = re.compile(r",| (?:and|or|but|to|of|for|than|with|is|be|at|as|which|that)$")
"""Endings of the words before a figure that would be left incomplete without it."""


class Asked(NamedTuple):
    """A question with the span of its answer, ``[start, end)`` of the text, and the span of its sentence."""

    question: str
    start: int
    end: int
    sentence_start: int
    sentence_end: int


_Found = tuple[str, int, int]
"""A question and the span of its answer in the sentence."""


class _Clause(NamedTuple):
    """A sentence parsed for inversion: ``auxiliary subject verb … rest``; the rest begins at ``at`` of the sentence."""

    subject: str
    auxiliary: str
    verb: str
    rest: str
    at: int

    def ask(self, how: str, *kept: str) -> str:
        """Build the question that begins with ``how`` and keeps these parts of the rest."""
        words = (how, self.auxiliary, self.subject, self.verb, *(part.strip() for part in kept))
        return f"{' '.join(filter(None, words))}?"


def questions_of(text: str) -> list[Asked]:
    """Generate questions from the text's sentences, at most one each, in order.

    Those of the kind "What happens if …", of which any text has many, come last. A sentence with a negation, or that
    refers to text elsewhere, gives none; nor does a sentence that matches no rule.
    """
    found: list[Asked] = []
    for start, end in sentence_spans(text):
        sentence, places = _flat(text, start, end)
        if not LEAST_WORDS <= len(sentence.split()) <= MOST_WORDS or _DENIES.search(sentence):
            continue
        for said, begin, finish in _asked(sentence, text):
            question = _of_one_who_reads(said)
            # A question is clear by itself if no word of it refers to text elsewhere.
            stands_alone = not _POINTS & set(re.findall(r"[^\W_]+", question.lower()))
            if stands_alone and len(sentence[begin:finish].split()) <= MOST_ANSWER_WORDS:
                found.append(Asked(question, places[begin], places[finish - 1] + 1, start, end))
                break
    return sorted(found, key=lambda one: one.question.startswith(_CASES))


def _asked(sentence: str, text: str) -> Iterator[_Found]:
    """Generate all questions on a sentence of the text, the best first."""
    clause = _clause(sentence, text)
    if clause is not None:
        yield from _figures(clause)
        yield from _parts(clause)
    who = _WHO.match(sentence)
    if who and not _ANYBODY.match(who["answer"]) and len(who["does"].split()) <= MOST_WHO_WORDS:
        yield f"Who {who['does']}?", *who.span("answer")
    if (case := _IF.match(sentence)) and (how := _how(case)):
        yield f"{how} {case['when'].lower()} {case['case']}?", *case.span("answer")
    if aim := _TO.match(sentence):
        yield f"What {aim['auxiliary']} {aim['subject']} do to {aim['aim']}?", *aim.span("answer")
    if (many := _SO_MANY.match(sentence)) and not re.search(r",| and ", many["done"]):
        yield f"How many {many['what']} {many['done']}?", *many.span("answer")


def _how(case: re.Match[str]) -> str:
    """Choose the question words for the consequence of a case; "" if it says little or the case has no subject."""
    words, said = case["case"].split(), case["answer"].lower()
    is_nobody_s = words[0].endswith("ing")
    goes_on = re.match(r"also |[^,]{1,40}, (?:or|and) ", said)  # a list that continues the case
    is_vague = len(words) < 3 or "question" in case["case"] or " and " in case["case"]
    if is_nobody_s or is_vague or goes_on or _SAYS_LITTLE.search(said):
        return ""
    return "What should I do" if _TELLS.match(said) else "What happens"


def _figures(clause: _Clause) -> Iterator[_Found]:
    """Questions on figures: how soon, how long, how often, how much, how many."""
    rest = f" {clause.rest}"
    for pattern in (_TIME, _MONEY, _COUNT):
        found = pattern.search(rest)
        if not found:
            continue
        before, tail = rest[: found.start()], rest[found.end() :]
        if _JOINS.search(before) or " and " in before or not (before.strip() or clause.verb):
            continue
        if tail.startswith(" basis"):
            continue
        if not re.match(r" (?!and |or |but |if |when |so |which |while )", tail) or re.search(r", | and | but ", tail):
            tail = ""
        if pattern is _TIME:
            is_often = found["often"] or found["lead"] == "every"
            question = clause.ask("How often" if is_often else _SOON[found["lead"]], before, tail)
        elif pattern is _MONEY:
            question = clause.ask("How much", before, tail)
        elif len(before.split()) <= 1:
            question = clause.ask(f"How many {found['unit']}", before, tail)
        else:
            continue
        begin = clause.at + found.start("answer") - 1
        yield question, begin, begin + len(found["answer"])


def _parts(clause: _Clause) -> Iterator[_Found]:
    """Questions on parts of a clause: by whom, where, how, why, when, what for, and what it includes or is."""
    rest, at = clause.rest, clause.at
    for pattern, how in _HOWS:
        found = pattern.match(rest) if not clause.verb or pattern in (_WHY, _WHEN) else None
        if not found or re.search(r",| (?:by|and|or|to|but|that|even|only|not) ", f"{found['done']} "):
            continue
        if pattern is _WHEN and re.search(rf"\b{_NUMBER}\b| at$", found["done"], re.IGNORECASE):
            continue
        if pattern is _AGENT and _ANYBODY.match(found["answer"]):
            continue
        kept = found["done"] + {_AGENT: " by", _USED: " for"}.get(pattern, "")
        yield clause.ask(how, kept), at + found.start("answer"), at + found.end("answer")
    has_object = clause.verb in _OBJECT and len(rest.split()) > 2
    is_a = clause.auxiliary in ("is", "are") and not clause.verb and rest.split()[0] in ("a", "an", "the")
    if has_object or (is_a and clause.subject.split()[0] not in _ARTICLES):
        yield clause.ask("What"), at, at + len(rest)


def _clause(sentence: str, text: str) -> _Clause | None:
    stated, done = _STATED.match(sentence), _DONE.match(sentence)
    if done and (not stated or done.end("subject") < stated.end("subject")):
        verb, is_one = done["verb"], done["verb"].endswith("s")
        base = "have" if verb == "has" else verb.removesuffix("s")
        # A verb that does not agree with the word before it is a noun, or belongs to a word further off.
        if is_one is bool(re.search(r"[^'’siu]s$|[Yy]ou$", done["subject"])) or re.search(r"['’]s$", done["subject"]):
            return None
        found = _Clause(done["subject"], "does" if is_one else "do", base, done["rest"], done.start("rest"))
    elif stated:
        found = _Clause(stated["subject"], stated["auxiliary"], "", stated["rest"], stated.start("rest"))
    else:
        return None
    subject = found.subject.split()
    if subject == ["You"] and found.auxiliary in (*_MODALS, "do"):
        return found._replace(subject="I")
    words = {word.lower() for word in subject}
    first = subject[0].lower()
    hangs = subject[-1] in ("and", "or") or found.auxiliary in subject
    if hangs or len(subject) > MOST_SUBJECT_WORDS or words & REFERS or first in LEADS_IN | _LEANS:
        return None
    # A word capitalized within a sentence is a name and keeps its capital, unless it is an article.
    is_name = re.search(rf"[a-z,] {re.escape(subject[0])}\b", text) is not None
    if first in _ARTICLES:
        subject[0] = first
    return found._replace(subject=" ".join(subject) if is_name else in_a_question(subject))


def _of_one_who_reads(question: str) -> str:
    """Rewrite "you" as "I", as a reader asks; without "also", which refers to the sentence before."""
    for said, asked in _YOU:
        question = re.sub(rf"\b{said}\b", asked, question, flags=re.IGNORECASE)
    return question.replace(" also ", " ")


def _flat(text: str, start: int, end: int) -> tuple[str, list[int]]:
    """Collapse white space in the part of the text; also the position of each character in the text."""
    places = [at for at in range(start, end) if not (text[at].isspace() and text[at - 1].isspace())]
    return "".join(" " if text[at].isspace() else text[at] for at in places), places
