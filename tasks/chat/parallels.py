"""Which part of a question a short follow-up takes the place of: "Do you have ISO 27001?", "and SOC 2?".

Told by the form of both, English only. A part is a name, what is done or looked for, what a question is about, or what
stands behind a preposition. Where none of them is the only one that it can be, there is no saying.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal, NamedTuple

from tasks.chat.follow_ups import things
from tasks.text.english import AUXILIARIES

MAX_WORDS = 6
"""A longer follow-up says more than what takes the place of something."""

_CARRIES_ON = re.compile(
    r"^\W*(?:(?:and|or|but|so|also|then|ok|okay)\b[\s,]*)*(?:(?:what|how)\s+(?:about|of)\b|(?:the\s+)?same\s+for\b)?\s*",
    re.IGNORECASE,
)
_TOO = re.compile(r"[\s,]+(?:too|as well|also|then|please)$", re.IGNORECASE)
_WORD = re.compile(r"[^\W_]+(?:[-/'’.&+][^\W_]+)*\+*")
_PREPOSITIONS = frozenset(
    "about above across against among at behind below between by for from in into inside of on onto outside over per "
    "through to towards under via with within without after before during since until".split()
)
_OF_TIME = frozenset("after before during since until within".split())
_COMPLETES = frozenset("about against for of on".split())
"""What comes after them says what a policy or a plan is about."""
_STATES = frozenset({"at rest", "in transit", "in use", "in motion"})
"""What data is in: one of these stands for another, and for nothing else."""
_SET_PHRASE = re.compile(
    r"(?:in (?:place|writing|case|line|accordance|advance|general|particular|addition|full|part|time|real time)"
    r"|on (?:request|demand|time|average|behalf)|at (?:least|most|all|any time|once)|by (?:default|design|law)"
    r"|for (?:example|instance)|of course|per (?:year|month|week|day|quarter|annum))\b",
    re.IGNORECASE,
)
_DEFINITE = frozenset("the your our this these those".split())
_DETERMINERS = _DEFINITE | frozenset("a an any all some each every".split())
_AUXILIARIES = frozenset(AUXILIARIES.split("|"))
_OWN_VERB = frozenset("has have had".split())
_US = frozenset("you we they".split())
_NO_PART = (
    _AUXILIARIES
    | _US
    | frozenset(
        "i it its them their this that these those there one ones what which who whose whom when where why how whether "
        "if unless because while not no only even except including especially same other others else more most less "
        "least online offline abroad daily weekly monthly quarterly yearly today now later never always often".split()
    )
)
"""Words of what is no bare noun phrase, or of a clause of its own."""
_PEOPLE = frozenset(
    "administrators admins auditors authorities candidates clients consultants contractors customers developers "
    "employees engineers freelancers guests interns leavers joiners managers partners people personnel processors "
    "regulators staff subcontractors subprocessors suppliers temps users vendors visitors workers".split()
)
_MAY_BE_PEOPLE = re.compile(r"\w(?:[eo]rs|ees|ants|ists|ians)$", re.IGNORECASE)
"""As those who do something are called, and servers."""
_AGREEING = {"is": "are", "was": "were", "does": "do"}
_PREDICATE = re.compile(
    r"(?:\w+ed|shared|sent|kept|shown|known|made|given|seen|held|told|written|done|found|met|built|run|backed|available"
    r"|accessible|allowed|mandatory|possible|responsible|accountable|liable|compulsory|optional|secure|compliant"
    r"|resilient|redundant|free|subject|ready)$",
    re.IGNORECASE,
)
_VERBS = frozenset(
    "accept access allow apply approve audit back block carry change check classify collect come comply conduct "
    "contain cover create delete deploy destroy detect do document encrypt enforce follow get give handle have "
    "hold host include integrate isolate keep log maintain manage meet monitor need notify offer operate own "
    "patch perform process protect provide publish receive record rely remove replicate report require respond "
    "restore retain return review rotate run scan screen separate share sign store supply support test train "
    "transfer undergo update use wipe work".split()
)
_PARTICLES = frozenset("out up off down".split())
_REQUESTS = frozenset("describe explain list provide outline detail specify state name".split())
_TO_DO = frozenset("take takes able have has need needs possible required used how".split())
"""A verb comes behind their "to"."""

_Role = Literal["subject", "object", "behind"]


class _Word(NamedTuple):
    text: str
    start: int
    end: int

    @property
    def low(self) -> str:
        return self.text.lower()


class _Part(NamedTuple):
    """The words ``[begin, end)`` of a question, and which part of it they are; ``preposition`` stands before it."""

    begin: int
    end: int
    role: _Role
    preposition: str = ""


def with_follow_up(question: str, follow_up: str) -> str | None:
    """The question with the follow-up in the place of the part that it is parallel to; None where that is not sure."""
    asked = question.strip().rstrip(" ?.!")
    carried = _CARRIES_ON.match(follow_up)
    rest = follow_up[carried.end() if carried else 0 :].strip().rstrip(" ?.!")
    rest = _TOO.sub("", rest)
    new, words = _words(rest), _words(asked)
    if not words or not 0 < len(new) <= MAX_WORDS or any(word.low in _NO_PART for word in new):
        return None
    if "," in rest or any(word.low.endswith("ly") for word in new) or not things(rest):
        return None  # "and the results?" are those of what was asked, and take no place in it
    if new[0].low in _PREPOSITIONS:
        span = _same_preposition(words, new, asked) if len(new) > 1 else None
    elif not rest or not carried or not carried.group().strip():
        return None  # "Frankfurt?" may be a guess at the answer
    else:
        span = _name(words, new) or _only_part(words, new)
    if span is None:
        return None
    begin, end = span
    if words[begin].low in ("your", "our") and new[0].low not in _DETERMINERS | _PREPOSITIONS:
        begin += begin + 1 < end
    before = _agreeing(asked[: words[begin].start], words[end - 1], new[-1])
    said = before + rest + asked[words[end - 1].end :]
    return said + "?" if question.rstrip().endswith("?") else said + "."


def _agreeing(before: str, old: _Word, new: _Word) -> str:
    """What stands before a part whose last word changes: "is the log", "are the logs"."""
    verb = re.search(r"\b(is|are|was|were|does|do)\s+(?:(?:the|your|our|all)\s+)?$", before, re.IGNORECASE)
    is_many = [word.low in _PEOPLE or bool(re.search(r"[^su]s$", word.low)) for word in (old, new)]
    if verb is None or is_many[0] == is_many[1]:
        return before
    forms = _AGREEING if is_many[1] else {many: one for one, many in _AGREEING.items()}
    form = forms.get(verb[1].lower(), verb[1].lower())
    return before[: verb.start()] + (form.capitalize() if verb[1][0].isupper() else form) + before[verb.end(1) :]


def _words(text: str) -> list[_Word]:
    return [_Word(found.group(), found.start(), found.end()) for found in _WORD.finditer(text)]


def _same_preposition(words: Sequence[_Word], new: Sequence[_Word], asked: str) -> tuple[int, int] | None:
    """The last part behind the preposition that the follow-up begins with."""
    state = " ".join(word.low for word in new)
    has_figure = any(word.text.isdecimal() for word in new)
    for at in range(len(words) - 2, 0, -1):
        phrase = f"{words[at].low} {words[at + 1].low}"
        if state in _STATES and phrase in _STATES:
            return at, at + 2
        if words[at].low != new[0].low or phrase in _STATES or state in _STATES:
            continue
        end = _end_of_phrase(words, at + 1)
        # "Is the office in Dublin certified?"
        end = next((n for n in range(at + 2, end) if _is_predicate(words, n, end)), end)
        is_verb = words[at].low == "to" and (words[at + 1].low in _VERBS or words[at - 1].low in _TO_DO)
        is_set = bool(_SET_PHRASE.match(asked, words[at].start))
        is_clause = end < len(words) and words[end].low in _NO_PART
        figures = any(word.text.isdecimal() for word in words[at + 1 : end])
        if end == at + 1 or is_verb or is_set or is_clause or figures != has_figure:
            return None
        return at, end
    return None


def _is_predicate(words: Sequence[_Word], at: int, end: int) -> bool:
    return at + 1 == end and bool(_PREDICATE.match(words[at].low)) and words[at - 1].low not in _DETERMINERS


def _name(words: Sequence[_Word], new: Sequence[_Word]) -> tuple[int, int] | None:
    """The last name of the question, of the follow-up's kind where there is one, where the follow-up is a name."""
    determined = new[0].low in _DETERMINERS
    kinds = {_kind_of_name(new[determined:])}
    if None in kinds or 2 * sum(word.text[:1].isupper() for word in words) > len(words) + 1:
        return None  # where each word begins with a capital letter, they tell no names
    names = _names(words)
    alike = [span for span in names if _kind_of_name(words[slice(*span)]) in kinds]
    begin, end = (alike or names or [(0, 0)])[-1]
    is_last = end == len(words) or words[end].low in _PREPOSITIONS
    if end == 0 or (not alike and ("year" in kinds or end < len(words))) or (determined and not is_last):
        return None
    if determined and words[begin - 1].low in _DETERMINERS:
        begin -= 1
    # Of "the RTO and RPO" none goes alone.
    return None if words[begin - 1].low in ("and", "or") else (begin, end)


def _names(words: Sequence[_Word]) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    at = 1  # the first word has its capital letter from the sentence
    while at < len(words):
        end = at + 1
        while end < len(words) and _kind_of_name(words[at:end]) != "year" and _kind_of_name(words[at : end + 1]):
            end += 1
        if _kind_of_name(words[at:end]):
            found.append((at, end))
        at = end
    return found


def _kind_of_name(words: Sequence[_Word]) -> Literal["letters", "word", "year"] | None:
    """Whether words are a name: with an abbreviation ("ISO 27001"), of words ("Ireland", "Tier 1"), or a year."""
    texts = [word.text for word in words]
    if len(texts) == 1 and re.fullmatch(r"(?:19|20)\d\d", texts[0]):
        return "year"
    if not texts or texts[0][0].isdecimal() or not all(text[0].isdecimal() or text != text.lower() for text in texts):
        return None
    return "letters" if any(sum(map(str.isupper, text)) > 1 for text in texts) else "word"


def _only_part(words: Sequence[_Word], new: Sequence[_Word]) -> tuple[int, int] | None:
    """The one part of the question that a noun phrase can stand for."""
    parts = _parts(words)
    if not parts:
        return None
    lasting = [part for part in parts if part.preposition not in _OF_TIME] or parts
    people = [part for part in lasting if words[part.end - 1].low in _PEOPLE]
    if new[-1].low in _PEOPLE:
        lasting = people
    elif people and len(people) < len(lasting) and _MAY_BE_PEOPLE.search(new[-1].low):
        return None
    elif len(people) < len(lasting):
        lasting = [part for part in lasting if part not in people]
    if len(lasting) == 2:
        lasting = _by_article(words, new, lasting)
    return (lasting[0].begin, lasting[0].end) if len(lasting) == 1 else None


def _by_article(words: Sequence[_Word], new: Sequence[_Word], parts: Sequence[_Part]) -> list[_Part]:
    """Of two parts the one that goes with the article of the follow-up: "a policy on passwords", "and laptops?"."""
    first, second = parts
    if first.role == "object" and words[first.begin].low in ("a", "an") and second.preposition in _COMPLETES:
        return [first._replace(end=second.end)] if new[0].low in ("a", "an") else [second]
    is_definite = [words[part.begin].low in _DEFINITE for part in parts]
    if (first.role, second.role) == ("subject", "object") and is_definite[0] != is_definite[1]:
        return [
            part for part, definite in zip(parts, is_definite, strict=True) if definite == (new[0].low in _DEFINITE)
        ]
    return list(parts)


def _parts(words: Sequence[_Word]) -> list[_Part]:
    """The parts of a question whose form is known, in order; none where it is not."""
    low = [word.low for word in words]
    first = next((at for at, word in enumerate(low) if word in _AUXILIARIES), None)
    is_polite = low[0] == "please"
    if low[is_polite : is_polite + 1] and low[is_polite] in _REQUESTS:
        return _complements(words, 1 + is_polite)
    is_doer = low[0] == "who" and first != 1
    if len(low) > 1 and (is_doer or low[:2] == ["what", "happens"]):
        return _complements(words, 2)
    if first is None or first > 5 or (first and low[0] not in ("how", "what", "which", "when", "where", "why", "who")):
        return []
    begin, is_to_be = first + 1, low[first] in ("is", "are", "was", "were")
    if begin < len(low) and low[begin] in _US:
        if is_to_be:
            return _complements(words, _behind_predicate(low, begin + 1) or len(low))
        return _complements(words, _behind_verb(low, begin + 1))
    if is_to_be:
        return _of_what_is(words, begin, asks_what=low[0] in ("what", "who", "where", "when", "how"))
    if low[first] in _OWN_VERB:
        return []
    verb = next((at for at in range(begin + 1, min(begin + 6, len(low))) if low[at] in _VERBS), None)
    if verb is None or any(word in _PREPOSITIONS for word in low[begin:verb]):
        return []
    behind = _complements(words, _behind_verb(low, verb))
    return [_Part(begin, verb, "subject"), *behind] if behind or verb + 1 == len(low) else []


def _of_what_is(words: Sequence[_Word], begin: int, *, asks_what: bool) -> list[_Part]:
    low = [word.low for word in words]
    if low[begin : begin + 1] == ["there"]:
        return _complements(words, begin + 1)
    if begin < len(low) and _PREDICATE.match(low[begin]) and asks_what:
        return _complements(words, begin + 1)
    end = _end_of_phrase(words, begin)
    for at in range(begin + 1, end):
        if _PREDICATE.match(low[at]) and low[at - 1] not in _DETERMINERS:
            return [_Part(begin, at - low[at - 1].endswith("ly"), "subject"), *_complements(words, at + 1)]
    is_whole = asks_what and begin < end and low[begin] in _DETERMINERS
    return [_Part(begin, end, "subject"), *_complements(words, end)] if is_whole else []


def _behind_verb(low: Sequence[str], verb: int) -> int:
    while verb < len(low) and (low[verb].endswith("ly") or low[verb] in ("also", "still", "already")):
        verb += 1
    return verb + 1 + (verb + 1 < len(low) and low[verb + 1] in _PARTICLES)


def _behind_predicate(low: Sequence[str], begin: int) -> int | None:
    return next((at + 1 for at in range(begin, len(low)) if _PREDICATE.match(low[at])), None)


def _complements(words: Sequence[_Word], begin: int) -> list[_Part]:
    """What stands behind the verb: the object, and what follows each preposition; none where a clause follows that
    begins anew.
    """
    low = [word.low for word in words]
    if any(word in _NO_PART for word in low[begin:]):
        return []  # "when the contract ends" is none of these, and may be about anything
    parts: list[_Part] = []
    end = _end_of_phrase(words, begin)
    if end > begin:
        parts.append(_Part(begin, end, "object"))
    while end < len(low):
        at, end = end + 1, _end_of_phrase(words, end + 1)
        phrase = " ".join(low[at - 1 : end])
        is_verb = low[at - 1] == "to" and at < len(low) and low[at] in _VERBS
        if end > at and phrase not in _STATES and not is_verb and not _SET_PHRASE.match(phrase):
            parts.append(_Part(at, end, "behind", low[at - 1]))
    return parts


def _end_of_phrase(words: Sequence[_Word], begin: int) -> int:
    """Where a noun phrase ends: at the next preposition, or what cannot be of one."""
    stop = _PREPOSITIONS | (_NO_PART - _DETERMINERS)
    return next((at for at in range(begin, len(words)) if words[at].low in stop), len(words))
