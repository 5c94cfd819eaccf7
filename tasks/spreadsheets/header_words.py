"""Vocabulary of sheet headings: which stand over questions, answers, comments and the customer's own columns."""

from __future__ import annotations

import re
from functools import lru_cache

from tasks.text.verdict_words import YES_NO_PAIRS

_PAIRS = "|".join(f"{yes} ?/ ?{no}" for yes, no in (*YES_NO_PAIRS, ("y", "n"), ("j", "n")))
QUESTION = re.compile(
    r"\b(questions?|requirements?|controls?|specification|criteri(?:a|on)|quer(?:y|ies)|prompt|statement|"
    r"fragen?|anforderung(?:en)?|kriteri(?:um|en))\b",
    re.I,
)
STRONG_QUESTION = re.compile(r"\b(?:questions?|fragen?)\b", re.I)
ANSWER = re.compile(
    r"\b(answers?|responses?|respon[sd]e|reply|replies|(?:bieter)?antwort(?:en)?|compl(?:y|iant|iance)|"
    rf"erfüllt|erfüllung(?:sgrad)?|{_PAIRS})\b",
    re.I,
)
COMMENT = re.compile(
    r"\b(comments?|notes?|explanations?|explain|details?|remarks?|additional|justification|rationale|clarifications?|"
    r"evidence|elaborat\w+|implementation description|"
    r"description of (?:the )?implementation|bemerkung(?:en)?|anmerkung(?:en)?|kommentare?|erläuterung(?:en)?|"
    r"begründung(?:en)?)\b",
    re.I,
)
CATEGORY = re.compile(r"\b(categor(?:y|ies)|domain|section|topic|area|theme|group)\b", re.I)
NUMBER = re.compile(r"\b(id|ids|no|nr|number|ref|reference|#)\b|#", re.I)
HEADER_WORD = re.compile(
    r"\b(description|name|owner|date|status|title|type|category|domain|version|id|ref|no|reference|item|value|priority|"
    r"frequency|score|area|section|topic|service|role|email|department|country|region|price|quantity)\b",
    re.I,
)
QUESTION_HEADING = re.compile(
    r"(?:.{0,25} )?(?:questions?|fragen?)(?: .{0,15})?|"
    r"(?:security |control )?(?:requirements?|controls?|criteri(?:a|on)|specification|statement|anforderung(?:en)?|"
    r"kriteri(?:um|en))(?: description| text)?",
    re.I,
)

_NOT_ANSWER = re.compile(
    r"\b(types?|options?|allowed|expected|required|max\w*|limit|format|guidance|instructions?|due|examples?|samples?|"
    r"ideal|preferred|desired|correct|typical|template)\b",
    re.I,
)
OF_AN_ANSWER = re.compile(
    r"\b(?:answers?|responses?|reply|antwort) (?:owners?|authors?|dates?|status|state|scores?|scoring|ratings?|"
    r"weights?|length|confidence|ids?|nr|no|number|sources?|language|deadline|approv(?:ed|al|er)|reviewed|reviewer|"
    r"final(?:i[sz]ed)?|accepted|confirmed|signed[ -]off|by|on|at)\b(?! (?:answer|response|reply))|"
    r"\b(?:owner|author|date|status|source|score|weight) of (?:the |last )?(?:answer|response|reply)\b",
    re.I,
)
"""Headings of metadata on an answer: who gave it and when, and its approval."""
_SAID = r"(?:answers?|response|reply|comments?|notes?|remarks?|feedback|explanations?)"
_ASSESSOR = r"(?:reviewers?|assessors?|evaluators?|evaluation|analysts?|auditors?|internal)"
_ASSESSORS = re.compile(
    rf"\b{_ASSESSOR}(?:['’]s)? (?:{_SAID}|scores?|ratings?|marks?)\b|"
    rf"\b{_SAID} (?:by|from|of) (?:the )?{_ASSESSOR}\b|\binternal (?:use|only)\b|"
    r"\(internal\)",
    re.I,
)
"""Headings of columns in which assessors write, or the answering company writes what the customer is not to see."""
_WHO_ASSESSES = re.compile(rf"{_ASSESSOR}|prüfer", re.I)
CUSTOMERS = re.compile(rf"\b(?:customer|client|buyer)s?(?:['’]s)? {_SAID}\b", re.I)
"""Headings of a customer's own column. A "client response" may also be the answer itself, where the company that fills
in the form is the client."""
_ASKED = re.compile(
    r"\b(id|ids|no|nr|number|ref|reference|priority|weight\w*|mandatory|importance|critical\w*|categor(?:y|ies)|domain|"
    r"section|topic|area|theme|group|types?|options?|allowed|expected|required|max\w*|limit|format|guidance|"
    r"instructions?|due|deadline|standard|framework|owner|assigne[de]\w*|examples?|samples?|ideal|preferred|desired|"
    r"correct|typical|template|specification|objective|mapping|relevance|ccm|moscow|must|should|m ?/ ?[od]|"
    r"h ?/ ?m ?/ ?l|sme|tags?|keywords?|(?:reviewed|approved|assigned|answered) (?:by|to|on)|"
    r"last (?:updated?|reviewed?|modified|changed)|expir(?:y|es|ation)|"
    r"(?:alternate|alternative) (?:phrasing|question|wording)s?|scores?|points|"
    r"(?:reviewed|assessed|evaluated|scored|checked) by|gewichtung|priorität|kategorie|bewertung|punkte)\b|#",
    re.I,
)
_FRAMEWORK = re.compile(
    r"(?:aicpa|bsi|cis|cobit|csf|dora|fedramp|gdpr|hipaa|hitrust|iso|nis ?2|nist|pci|soc ?2|tisax)\b", re.I
)
"""Headings of mappings to other standards that require the same."""
_YES_OR_NO = rf"\(?\b(?:{_PAIRS})\b\)?"
_VERDICT = re.compile(
    rf"\b(?:compl(?:y|iant|iance)|erfüllt|erfüllung(?:sgrad)?)\b|\b(?:answer|response) codes?\b|{_YES_OR_NO}", re.I
)
_WHETHER = re.compile(rf"(?P<what>.*){_YES_OR_NO}\W*", re.I)
_SCOPE = re.compile(
    rf"(?:(?:is )?(?:it|this|control|requirement|question) )?(?:applicab(?:le|ility)|in[ -]scope|"
    rf"relevant|relevance|exclu(?:ded|sion)|anwendbar(?:keit)?|zutreffend)(?: (?:to|for|in|of) .{{1,30}})?\W*"
    rf"(?:{_YES_OR_NO}\W*)?",
    re.I,
)
_OF_SCOPE = re.compile(
    r"\b(?:justification|rationale|reason|explanation|comment|begründung)s? (?:for|of|on|der|für) (?:the )?"
    r"(?:\w+ ?(?:/|or|and) ?)?(?:in|ex)clu(?:sion|ding)\b|\bausschluss",
    re.I,
)
"""Headings of reasons why a control is in or out of scope; these do not state how it is met."""
DONE = re.compile(
    r"\b(?:implement(?:ed|ation)|in place|met|fulfilled|satisfied|supported|conform\w*|available|achieved|"
    r"umgesetzt|erfüllt)\b",
    re.I,
)
"""Headings that ask if a control is in place, as "Implemented (Y/N)" does."""
_ASKS = re.compile(
    r"(do|does|did|is|are|was|were|can|could|will|would|has|have|had|should|must|what|which|who|whom|where|when|why|how|"
    r"describe|provide|please|list|explain|state|confirm|specify|indicate|detail|outline|identify|if)\b",
    re.I,
)
_GRADES = re.compile(r"\(?([A-Z]{1,2}(?: ?[/|,] ?[A-Z]{1,2}){1,6})\)?")
_NEGATIVE_GRADES = frozenset({"N", "NC", "NM", "NS"})
_KINDS_OF_REQUIREMENT = frozenset({"F", "NF", "N"})


def heads_questions(cell: str) -> bool:
    """Tell if ``cell`` is the heading of a column of questions, and no question itself."""
    return QUESTION_HEADING.fullmatch(cell.strip()) is not None and not reads_as_question(cell)


def heads_answers(header: str) -> bool:
    """Tell if ``header`` stands over given answers: not over allowed answers, nor over metadata on answers."""
    if ANSWER.search(header) is None and not _lists_grades(header):
        return False
    if OF_AN_ANSWER.search(header) or _ASSESSORS.search(header) or _NOT_ANSWER.search(header):
        return False
    return COMMENT.search(header) is None or ANSWER.match(header.strip()) is not None


def heads_comments(header: str) -> bool:
    """Tell if ``header`` stands over explanations of an answer, in the words of the answering company."""
    if OF_AN_ANSWER.search(header) or _ASSESSORS.search(header) or _OF_SCOPE.search(header):
        return False
    return COMMENT.search(header) is not None


def heads_verdicts(header: str) -> bool:
    """Tell if ``header`` stands over verdicts only: a yes, a no or a grade."""
    return _VERDICT.search(header) is not None or _lists_grades(header)


def tells_whether(header: str) -> bool:
    """Tell if ``header`` asks yes or no about another thing than the answer, as "Change? (Y/N)" beside a column of
    answers.
    """
    found = _WHETHER.fullmatch(header.strip())
    return found is not None and found["what"].strip() != "" and ANSWER.search(found["what"]) is None


def tells_scope(header: str) -> bool:
    """Tell if ``header`` stands over the applicability of a question, not over its answer."""
    return _SCOPE.fullmatch(header.strip()) is not None


@lru_cache(maxsize=1024)
def is_asked(header: str) -> bool:
    """Tell if ``header`` names a column of the customer's beside the question, in which the answering company does not
    write.
    """
    known = (_ASKED, _ASSESSORS, CUSTOMERS, OF_AN_ANSWER)
    is_mapped = _FRAMEWORK.match(header.strip()) is not None and ANSWER.search(header) is None
    is_person = _WHO_ASSESSES.fullmatch(header.strip()) is not None
    return is_mapped or is_person or heads_questions(header) or any(one.search(header) for one in known)


def reads_as_question(text: str) -> bool:
    """Tell if ``text`` asks for something: it ends in a question mark or begins with an asking word."""
    stripped = text.strip()
    return stripped.endswith("?") or (len(stripped) > 15 and _ASKS.match(stripped) is not None)


def _lists_grades(header: str) -> bool:
    """Tell if ``header`` lists the letters of grades, as "F/P/C/N" does. Letters of priorities have none for "not"."""
    found = _GRADES.fullmatch(header.strip())
    letters = set(re.findall("[A-Z]+", found[1])) if found else set()
    return bool(letters & _NEGATIVE_GRADES) and not letters <= _KINDS_OF_REQUIREMENT
