"""Sentences that oblige or ask the bidder, and not the buyer: "The Contractor shall …", "Please describe …".

English only. Who must act is decided by the subject of each modal verb: the bidder or its offer, the buyer, or a thing,
which counts where the verb demands something of it ("All code shall be tested") and not where it only states how the
tender is judged or how a contract is read ("Proposals will be evaluated", "This Agreement shall be governed by").
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Literal

Role = Literal["bidder", "buyer", "offer", "thing"]
"""Who or what a subject is; an offer is what the bidder supplies."""

_BIDDER = (
    r"(?:offer[eo]rs?|bidders?|tenderers?|proposers?|proponents?|suppliers?|vendors?|contractors?|providers?|licensors?"
    r"|respondents?|applicants?|candidates?|consultants?|processors?|recipients?|subcontractors?|(?:business\s+)?associate"
    r"|you|company)"
)
_OFFER = (
    r"(?:solutions?|systems?|software|applications?|platforms?|services?|products?|goods|deliverables?"
    r"|r[eé]sum[eé]s?|personnel|licen[sc]es?)"
)
_BUYER = (
    r"(?:states?|departments?|divisions?|agenc(?:y|ies)|authorit(?:y|ies)|ministr(?:y|ies)|councils?|county|city"
    r"|governments?|commission(?:er)?|board|buyers?|purchasers?|clients?|customers?|procurement|officers?|evaluators?"
    r"|committee|panel|directors?|managers?|universit(?:y|ies)|colleges?|owner|controllers?|covered\s+entit(?:y|ies)"
    r"|we|us)"
)
_MODAL = (
    r"(?:shall|must|should|will|(?:is|are)\s+(?:(?:required|expected|obliged|asked|invited|requested|encouraged|advised)\s+to"
    r"|required(?!\s+(?:by|for|under))|to)|(?:needs?|ha(?:s|ve)|ought)\s+to|agrees?(?:\s+(?:to|that))?|acknowledges?"
    r"|warrants?|undertakes?|certif(?:y|ies)|may\s+(?:only|not)|can\s*not)"
)
_MODALS = re.compile(rf"\b{_MODAL}\b", re.IGNORECASE)
_WEAK = re.compile(r"will|can\s*not|(?:is|are)\s+to|ha(?:s|ve)\s+to|needs?\s+to", re.IGNORECASE)
"""Verbs that state a fact as often as they demand something."""
_OF_PERSONS = re.compile(
    r"agree|acknowledge|warrant|undertake|certif|may|(?:is|are)\s+(?:invited|advised|to)", re.IGNORECASE
)
"""Verbs whose subject is a person: of a thing they say something else."""
_ROLE = re.compile(
    rf"\b(?:(?P<bidder>{_BIDDER})|(?P<buyer>{_BUYER})|(?P<offer>{_OFFER}))\b(?P<of>[’']s?\b)?", re.IGNORECASE
)
_WE_EXPECT = re.compile(
    rf"\b(?:we|{_BUYER})\s+(?:\w+ly\s+|also\s+|would\s+)*(?:expects?|requires?|asks?|wants?|needs?|prefers?|requests?"
    rf"|recommends?)\s+(?!to\b)(?:that\s+)?(?:(?:all|any|each|every|the|your|at\s+least)\s+)*"
    rf"(?:\w+\s+){{0,4}}?(?:{_BIDDER}|{_OFFER}|projects?)\b",
    re.IGNORECASE,
)
_RESPONSIBLE = re.compile(
    rf"\b(?:responsibility|obligation|duty)\s+of\s+(?:the\s+)?{_BIDDER}\b|\b{_BIDDER}\s+(?:is|are|remains?)\s+(?:solely\s+)?"
    r"(?:responsible|liable)\b",
    re.IGNORECASE,
)
_NO_DEMAND = re.compile(
    r"(?:also\s+|then\s+|only\s+|not\s+)*(?:be\s+)?(?:(?:mean|have\s+the\s+meaning|include\s+the\s+following\s+terms|control\b"
    r"|prevail|govern|apply\b|supersede|constitute|remain\s+in\s+(?:full\s+)?(?:force|effect))"
    r"|(?:considered|deemed|construed|interpreted|governed|final\b|binding|null\b|void\b|evaluated|scored|rated|ranked"
    r"|paid|reimbursed|judged|awarded|rejected|disqualified|reviewed\s+by|determined|based\s+(?:solely\s+)?on|opened|returned|assigned"
    r"|notified|given|allocated|posted|published|converted|counted|asked|brought))",
    re.IGNORECASE,
)
"""Verbs behind a modal verb in sentences that define a word, read a contract or judge a bid."""
_PLEASE = r"(?:please|kindly)\s+(?!contact|note|see|refer|visit|call|e-?mail|be\s+aware|do\s+not|feel|consult)\w+"
_ASKS = re.compile(
    rf"(?:{_PLEASE}|describe|explain|outline|detail|demonstrate|summari[sz]e|elaborate|succinctly\s+describe"
    r"|briefly\s+describe|discuss|specify|confirm|indicate)\b",
    re.IGNORECASE,
)
_IS_SERVED = re.compile(
    r"be\s+(?:promptly\s+|immediately\s+)?(?:told|informed|notified|advised|consulted|(?:given|provided|supplied)\s+with)\b",
    re.IGNORECASE,
)
"""Passives with the buyer as their subject, which oblige the bidder: "The Agency must be notified of each breach"."""
_IS_TO_DESCRIBE = re.compile(
    r"\b(?:shall|must|should|to)\s+(?:\w+ly\s+)?(?:describe|explain|state|list|outline|detail|specify|name|identify"
    r"|summari[sz]e|demonstrate|indicate)\b",
    re.IGNORECASE,
)
_ASKS_AMID = re.compile(rf"[;,.]\s+{_PLEASE}\b", re.IGNORECASE)
_ASKS_OF_YOU = re.compile(
    r"(?:provide|give|list|identify|state|name|include|submit|attach|supply|furnish|complete|show|set\s+out|propose|enclose)"
    r"\b(?=.*(?:\b(?:you|your|how|offeror|bidder|tenderer|supplier|vendor|contractor|respondent|proposal|proposed)\b))",
    re.IGNORECASE | re.DOTALL,
)
_QUESTION_START = re.compile(
    r"(?:(?:if|for|in|on|at|with|to|by|within|under|up\s+to)\b.*?[,\s])?(?:do|does|did|is|are|was|were|has|have|had|can|could"
    r"|will|would|should|shall|may|what|which|who|whose|where|when|why|how)\b",
    re.IGNORECASE | re.DOTALL,
)
_OWN_QUESTION = re.compile(r"(?:\w+[,\s]+){0,4}?(?:did|do|have|can|may|shall|should|would)\s+(?:we|i)\b", re.IGNORECASE)
"""Requests of the writer to themselves."""
_LEAD = re.compile(
    r"^(?:\W|(?:[A-Z]{0,4}[-.]?\d[\d.\-]*|[a-z]|[ivx]+|[A-Z])[.)]\s|\d[\d.]*\s|[\w/ ]{1,40}\s[–—-]\s(?=[A-Z]))*"
)
_SUBORDINATE = re.compile(
    r"^(?:if|when|where|in|on|at|within|upon|prior|before|after|for|to|under|during|unless|until|as|while|although|by|with"
    r"|following|pursuant|because|since|throughout|except|however|therefore|additionally|furthermore|once|should)\b",
    re.IGNORECASE,
)
_CLAUSE = re.compile(r"[;:]|,\s+(?:and|but|or)\s+|\s(?:and|but)\s+(?=(?:must|shall|will|should)\b)", re.IGNORECASE)
_QUALIFIED = re.compile(
    r"\s(?:of|for|by|from|to|with|in|under|on|at|as|whose|who|which|that|including|regarding)\s|,", re.IGNORECASE
)
_RELATIVE = re.compile(r"\b(?:that|which|who|whom|whose)\s+((?:the\s+)?[\w’'-]+(?:\s+[\w’'-]+){0,2})$", re.IGNORECASE)
_MUSES = re.compile(r"(?:\w+\s+){0,2}we\s+(?:know|hope|believe|understand|think|recogni[sz]e|realize)\b", re.IGNORECASE)
"""Opinions of the buyer's people."""
_NOMINAL = re.compile(
    r"(?:[ivx]+|[a-z]|\d[\d.]*)[.)]\s+(?:an?\s+|the\s+)?(?:\w+\s+)?(?:description|list|summary|overview|"
    r"explanation|statement|evidence|details?|copy|copies|examples?|names?|plan)\b.*\b(?:your?|the\s+\w+)\b",
    re.IGNORECASE,
)
"""A numbered item of a list of what a proposal holds: "i. Description of your staffing methodology"."""
_DEFINED = re.compile(
    r"\b((?:[A-Z][\w&/-]*\s+(?:of\s+|and\s+|for\s+|the\s+)*){1,7})\s*\(\s*[“\"‘']?([A-Z]{2,8}s?)[”\"’']?\s*\)"
)
_OR_SHORT = re.compile(r"[“\"]([A-Z][\w /-]{3,60})[”\"]\s+or\s+[“\"]([A-Z]{2,8})[”\"]")


def acronyms_of(text: str) -> Mapping[str, Role]:
    """The roles of acronyms that a text explains: "Department of Health (DOH)" is the buyer; none without any."""
    roles: dict[str, Role] = {}
    for long, short in (*_DEFINED.findall(text), *_OR_SHORT.findall(text)):
        role = _word_role(_core(long).split()[-1])
        if role in ("bidder", "buyer"):
            roles.setdefault(short, role)
    return roles


def is_request(sentence: str) -> bool:
    """Tell if a sentence asks for a text ("Please describe …", "Bidders shall state …"), which is not complied with."""
    said = _LEAD.sub("", sentence).strip()
    asks = _ASKS.match(said) or _ASKS_AMID.search(said) or _ASKS_OF_YOU.match(said) or _NOMINAL.match(sentence.strip())
    return bool(asks or _IS_TO_DESCRIBE.search(said))


def obliges_bidder(sentence: str, acronyms: Mapping[str, Role] | None = None) -> bool:
    """Tell if a sentence asks or requires something of the bidder or its offer."""
    said = _LEAD.sub("", sentence).strip()
    if not said:
        return False
    if said.endswith("?") and _QUESTION_START.match(said):
        return _OWN_QUESTION.match(said) is None
    if _ASKS.match(said) or _ASKS_OF_YOU.match(said) or _NOMINAL.match(sentence.strip()):
        return True
    if _ASKS_AMID.search(said) or _WE_EXPECT.search(said) or _RESPONSIBLE.search(said):
        return True
    return any(_demands(who, verb, behind) for who, verb, behind in _clauses(said, acronyms or {}))


def _demands(who: Role, verb: str, behind: str) -> bool:
    if who == "buyer":
        return _IS_SERVED.match(behind) is not None
    if _NO_DEMAND.match(behind):
        return False
    if who == "bidder":
        return True
    if _OF_PERSONS.match(verb):
        return False
    return not _WEAK.match(verb) or (who == "offer" and verb.casefold() == "will")


def _clauses(said: str, acronyms: Mapping[str, Role]) -> Iterator[tuple[Role, str, str]]:
    """Each modal verb with who its subject is, and what stands behind it."""
    before: Role | None = None
    # What a condition says is no demand: "When additional work is required, the director will …".
    begin = said.find(",") if _SUBORDINATE.match(said) else 0
    for found in _MODALS.finditer(said, max(begin, 0)):
        clause = _CLAUSE.split(said[: found.start()])[-1].strip()
        subject = _subject(clause)
        who = _role(subject, acronyms) if subject else before or "thing"
        who = "buyer" if _MUSES.match(clause) else who
        before = who
        yield who, found.group(), said[found.end() :].strip()


def _subject(clause: str) -> str:
    """The words of a clause before its verb, without a subordinate clause at its beginning."""
    if _SUBORDINATE.match(clause) and "," in clause:
        clause = clause.rpartition(",")[2].strip()
    last = clause.rpartition(",")[2].strip()
    if last != clause and any(_word_role(word) != "thing" for word in last.split()[-1:]):
        clause = last
    relative = _RELATIVE.search(clause)
    return relative[1] if relative else clause


def _role(subject: str, acronyms: Mapping[str, Role]) -> Role:
    """The role of a subject: of its head, else of the first word that names a role."""
    core = _core(subject)
    words = core.split()
    last = words[-1].strip("“”\"'’,()") if words else ""
    if last in acronyms:
        return acronyms[last]
    if (role := _word_role(last)) != "thing":
        return role
    for found in _ROLE.finditer(core):
        if found["of"]:
            return "thing" if found["buyer"] else "offer"
        return _word_role(found.group())
    return "thing"


def _core(subject: str) -> str:
    """A subject without what qualifies its noun: "Any change to the key personnel" is about a change."""
    return _QUALIFIED.split(subject.strip(), maxsplit=1)[0] or subject


def _word_role(word: str) -> Role:
    found = _ROLE.fullmatch(word)
    return "thing" if found is None else "bidder" if found["bidder"] else "buyer" if found["buyer"] else "offer"
