"""Whether a question leans on those before it, by rules: English only, and what they do not know stands alone.

It is *elliptical* where its own verb or object is missing ("and for backups?", "Which regions?", "Who decides?", "What
if that fails?"), and *pointing* where a word of it stands for something that was said: a pronoun or demonstrative that
nothing before it in the same question can be meant by, "the last one", or a noun that is always one of something ("the
results", "any exceptions") and does not say of what.
"""

from __future__ import annotations

import re
from typing import Literal

from tasks.text.english import AUXILIARIES as _AUXILIARY

Leaning = Literal["alone", "elliptical", "pointing"]

SHORTEST_SENTENCE = 5
"""In words: a shorter one that begins with nothing that asks ("for laptops?") has left out its verb."""

_ASKING = (
    f"{_AUXILIARY}|what|how|which|who|whose|where|when|why|whether|please|describe|provide|explain|list|state|specify|"
    "detail|confirm|indicate|outline|identify|give|tell|name"
)
_PARTICIPLE = r"\w+ed|shared|sent|kept|shown|known|made|given|seen|held|told|written|done|found|met"
_CARRIES_ON = re.compile(
    r"^\W*(?:(?:and|or|but|so|also|then|ok|okay)\b[\s,]*)*(?:(?:what|how)\s+(?:about|of)\b|(?:the\s+)?same\s+for\b)?",
    re.IGNORECASE,
)
_BEGINS_ASKING = re.compile(rf"^\W*(?:{_ASKING})\b", re.IGNORECASE)
_SUPPOSES = re.compile(
    rf"^\W*(?:what|how)\s+(?:about|if)\b|^\W*(?:{_AUXILIARY})\s+(?:it\s+)?the\s+same\b", re.IGNORECASE
)
"""What asks the question before once more, under another condition or of something else."""
_PARTICLE = re.compile(
    r"^\W*(?:even|only|also|not|except|including|especially|for|in|with|on|by|at|from|to|during|until|under|within"
    r"|without|after|before|per|outside|inside)\b",
    re.IGNORECASE,
)
_HAS_AUXILIARY = re.compile(rf"\b(?:{_AUXILIARY})\b", re.IGNORECASE)
_NO_VERB = re.compile(
    rf"^\W*(?:(?:which|what|whose|why|how\s+(?:many|much))(?:\s+(?!(?:{_AUXILIARY})\b)[\w-]+){{1,2}}"
    rf"|who\s+(?!(?:{_AUXILIARY})\b)\w+(?:\s+(?:off|out|in|up|on))?)\W*$",
    re.IGNORECASE,
)
"""Half a question: "which regions?" has no verb, and "who decides?" no object."""
_ALSO = re.compile(rf"^\W*(?:{_AUXILIARY})(?!\s+(?:you|we|they)\b)(?:\s+\w+){{1,2}}\s+(?:too|as well|either)\W*$", re.I)
_EXPLETIVE = re.compile(
    r"\bit\s+(?:\w+ly\s+)?(?:takes?|costs?|matters?|possible|impossible|true|necessary|required|mandatory|likely|allowed"
    r"|permitted|feasible|easy|hard|difficult|safe|clear|common|normal|legal|important|worth)"
    r"(?:\s+\w+){0,4}?\s+(?:to|that|whether|if|how|who)\b",
    re.IGNORECASE,
)
"""An "it" that announces what follows: "is it possible to export logs?"."""
_PRONOUN = re.compile(r"\b(?!(?-i:IT)\b)(?:it|its|they|them|their|theirs)\b", re.IGNORECASE)
"""IT in capitals is a department."""
_POSSESSIVE = re.compile(r"\b(?:its|their)\b", re.IGNORECASE)
_SUBJECT = re.compile(
    r"^\W*(?:what|which|how|where|when|why|who)\b(?:\s+\w+){0,4}?\s+"
    r"(?:do|does|did|is|are|was|were|has|have|can|could|will|would)\s+(?:it|they)\b",
    re.IGNORECASE,
)
"""The pronoun that such a question is about: "which protocols does it support?"."""
_COORDINATED = re.compile(r"[,.;:?]|\b(?:and|or|but)\b", re.IGNORECASE)
_CLAUSE = re.compile(
    rf"{_COORDINATED.pattern}|\b(?:before|after|when|if|while|which|who|that|to|whether|because|once|until|unless)\b",
    re.IGNORECASE,
)
"""Where a clause begins from which a pronoun may point back to the one before it, in the same question."""
_PREPOSITION = re.compile(r"\b(?:before|after|to|until)\W*$", re.IGNORECASE)
"""What begins no clause where a question ends with the pronoun behind it: "what comes after it?"."""
_LAST_WORD = re.compile(
    r"\b(?!(?-i:IT)\b)(?:it|them|this|that|these|those|there|ones?)(?:\s+(?:out|up|off|on|in|down|back|over|away|through))?\W*$",
    re.IGNORECASE,
)
_SUPERLATIVE = (
    r"(?:big|larg|small|long|short|high|low|new|old|fast|slow|cheap|strict|great)est|(?:most|least)\s+\w+|best|worst"
)
_POINTER = re.compile(
    r"(?:^|\b(?:is|are|was|were|do|does|did|has|have|can|will|about|for|of|with|by|to|on|in|under|after|before|when"
    r"|if|where|how|why|once|until)\s+)\W*(?:this|that|these|those(?!\s+(?:who|that|which|with|of|in|for)\b))\b"
    # "a policy that covers …" and "those who …" point to nothing that was said before.
    r"|\b(?:this|these|those)\s+(?!(?:who|that|which|with|of|in|for|the|we|you|they|\w+ed)\b)\w"
    r"|\bthat\s+\w+(?<!s)(?<!ed)\W*$"
    r"|\b(?:the|this|that|each|every|any|which)\s+(?:\w+\s+)?ones?\b"
    r"|\bthe\s+(?:last|latest|next|previous|former|latter|others?|rest)\W*$"
    rf"|\bthe\s+(?:{_SUPERLATIVE})(?=\W*$|\s+(?:ever|so far|in|to|and)\b)"
    r"|\b(?:differ|different|compare)\W*$",
    re.IGNORECASE,
)
_HERE_AND_NOW = re.compile(
    r"\bthis\s+(?:year|quarter|month|week|tender|bid|project|procurement|proposal|questionnaire|request|contract"
    r"|agreement|rf[pqi])\b",
    re.IGNORECASE,
)
"""What is at hand where the question is asked, and was not said before."""
_OF_SOMETHING = frozenset(
    """
    result results finding findings outcome outcomes conclusion conclusions report reports summary summaries
    copy copies exception exceptions limit limits limitation limitations restriction restrictions deadline
    deadlines duration frequency interval intervals timeline scope purpose reason reasons cause causes cost
    costs price fee fees charge charges penalty penalties consequence consequences impact difference differences
    alternative alternatives condition conditions advantage advantages disadvantage disadvantages benefit
    benefits drawback drawbacks implication implications effect effects type types kind kinds feature features
    step steps procedure procedures process method methods approach proof evidence
    """.split()
)
"""Nouns that are always those of something."""
_WHAT_KIND = frozenset("main major key usual normal typical exact important common maximum minimum".split())
_BARE = re.compile(
    rf"\bthe\s+(?:(?:{'|'.join(_WHAT_KIND)})\s+)?(?:{'|'.join(_OF_SOMETHING)})"
    rf"(?=\W*$|\s+(?:{_AUXILIARY}|{_PARTICIPLE}|differ|look|mean|show|include|cover|say|change)\b)",
    re.IGNORECASE,
)
"""A definite one that nothing in the question says more of: "the results of internal audits" are no such."""
_THE_ONE_THING = re.compile(r"^\W*[Ww]ho\s+\w+\s+the\s+[a-z-]+\W*$")
"""After "and" this is a thing of what was said: "and who holds the keys?". An abbreviation has a meaning of its own."""
_DEGREE = re.compile(r"\bhow\s+(\w+)", re.IGNORECASE)
"""What "how" asks the degree of: "how quickly do you tell us?" is about nothing yet."""
_VERB = re.compile(
    r"^\W*(?:(?:and|or|but|so)\W+)*(?:(?:how(?:\s+\w+)?|when|where|why|what|which\s+\w+)\s+)?"
    r"(?:do|does|did|can|could|will|would)\s+(?:you|we|they)\s+(\w+)|^\W*(?:is|are|was|were)\b.*\b(\w+ed)\W*$"
    rf"|^\W*(?:(?:and|or|but|so)\W+)*who\s+(?!(?:{_AUXILIARY})\b)(\w+)",
    re.IGNORECASE,
)
"""The verb of "do you encrypt backups?", "are backups encrypted?", "who sees logs?": not what these are about."""
_CARRY_OUT = re.compile(r"\bcarr(?:y|ies|ied|ying)\s+out\b", re.IGNORECASE)
"""What is done with what follows, and says nothing of it."""
_WORD = re.compile(r"[^\W_]+(?:[-'’.][^\W_]+)*")
_EMPTY = frozenset(
    f"""
    a an the i you your yours we our ours us it its they them their theirs this that these those there one ones such
    and or but so also then too else same ok okay if as at by for from in into of off on onto out over per than to
    under up down back away through with within about after before between during without not no nor any some all both
    each every other more most much many often long far soon be been being am get gets got only just still again me my
    done doing happen happens happened happening occur occurs occurred whom anyone anybody someone somebody everyone
    everybody nobody anything something everything nothing example examples instance elaborate clarify specific exactly
    precisely sure what's who's where's when's how's that's there's it's {_ASKING.replace("|", " ")}
    """.split()
)


def leaning(question: str) -> Leaning:
    """How a question leans on those before it: it leaves something out, it points back, or it stands alone."""
    text = question.strip()
    rest = _CARRIES_ON.sub("", text, count=1)
    words = content_words(_DEGREE.sub("how", text))
    if not words:
        return "pointing" if _PRONOUN.search(text) or _POINTER.search(text) else "elliptical"
    if _is_elliptical(text, rest):
        return "elliptical"
    is_one_thing = rest != text and _THE_ONE_THING.match(rest)
    return "pointing" if is_one_thing or _points(rest) or _is_of_something(rest) else "alone"


def content_words(text: str) -> list[str]:
    """The words that say what a question is about, as they are written, in order, each once."""
    return list(dict.fromkeys(word for word in all_words(_CARRY_OUT.sub(" ", text)) if word.lower() not in _EMPTY))


def topic_words(text: str) -> list[str]:
    """The content words of a question without its verb, where it is known: what "they" stands for in the next. One
    that is about nothing else keeps it.
    """
    found = _VERB.match(text)
    verb = next(filter(None, found.groups()), None) if found else None
    return [word for word in content_words(text) if word != verb] or content_words(text)


def own_words(text: str) -> list[str]:
    """The content words of a question that leans on others, without what "how" asks the degree of."""
    return content_words(_DEGREE.sub("how", text))


def all_words(text: str) -> list[str]:
    """The words of a text as they are written, in order."""
    return [str(word) for word in _WORD.findall(text)]


def _is_elliptical(text: str, rest: str) -> bool:
    if _SUPPOSES.match(text) or _SUPPOSES.match(rest) or _NO_VERB.match(rest) or _ALSO.match(rest):
        return True
    if _BEGINS_ASKING.match(rest):
        return False
    is_fragment = _PARTICLE.match(rest) and not _HAS_AUXILIARY.search(rest)
    return bool(rest != text or len(all_words(text)) < SHORTEST_SENTENCE or is_fragment)


def _points(rest: str) -> bool:
    pronoun = _PRONOUN.search(rest)
    if pronoun and not _EXPLETIVE.search(rest):
        # "Do employees confirm their duties?" has said whose; the object of a verb is never its subject.
        before, after = rest[: pronoun.start()], rest[pronoun.end() :].strip(" ?.!")
        before = before if after else _PREPOSITION.sub("", before)
        says_whose = _POSSESSIVE.fullmatch(pronoun.group()) and things(before)
        is_subject = _SUBJECT.match(rest) and not _may_be_meant(before, _COORDINATED)
        if is_subject or not (says_whose or _may_be_meant(before, _CLAUSE)):
            return True
    last = _LAST_WORD.search(rest)
    if last and last.group().lower().startswith(("it", "them")):
        last = None  # a pronoun, and judged as such
    pointer = last or _POINTER.search(_HERE_AND_NOW.sub(" ", rest))
    if not pointer:
        return False
    before = rest[: pointer.start()]
    # "Is the running configuration compared with the approved one?"
    is_compared = pointer.group().lower().startswith("one") and re.search(r"\bthe\s+\w+\s*$", before) and things(before)
    return not (is_compared or _may_be_meant(before, _COORDINATED))


def _may_be_meant(before: str, boundary: re.Pattern[str]) -> bool:
    """Whether a clause that has ended ``before`` a pronoun names something that it may stand for."""
    ends = [found.start() for found in boundary.finditer(before)]
    return bool(ends and things(before[: ends[-1]]))


def _is_of_something(rest: str) -> bool:
    bare = _BARE.search(rest)
    return bool(bare and not _may_be_meant(rest[: bare.start()], _COORDINATED)) or not things(rest)


def things(text: str) -> list[str]:
    """The content words of a text that are things by themselves."""
    return [word for word in content_words(text) if word.lower() not in _OF_SOMETHING | _WHAT_KIND]
