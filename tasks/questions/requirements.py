"""Requirements rewritten as questions: "The supplier shall encrypt backups." becomes "Do you encrypt backups?"

English only; a text of another form is left as it is.
"""

from __future__ import annotations

import re

_SUPPLIER = (
    r"(?:you|(?:(?:the|each|every|any|all|an?|your)\s+)?(?:successful\s+|prospective\s+|selected\s+)?(?:supplier|vendor"
    r"|bidders?|provider|contractor|tenderers?|offer[eo]rs?|proposers?|respondents?|applicants?|company|organi[sz]ation))"
)
_MODAL = (
    r"(?:shall|must|should|will|agrees?\s+to|(?:is|are)\s+(?:required|expected|obliged)\s+to|(?:has|have|needs?|ought)\s+to"
    r"|(?:is|are)\s+to(?!\s+(?:the|an?|our|your|its|their|this|that|all|any|each)\b))"
)
_OF_SUPPLIER = re.compile(rf"^{_SUPPLIER}\s+(?:{_MODAL}|to)\s+(?P<rest>\S.*)$", re.IGNORECASE | re.DOTALL)
_OF_OTHERS = re.compile(rf"^(?P<subject>[A-Z][^,;:?]*?)\s+(?:{_MODAL})\s+(?P<rest>\S.*)$", re.IGNORECASE | re.DOTALL)
_BE = re.compile(r"^(?P<negation>not\s+)?be\s+", re.IGNORECASE)
_DESCRIBE = re.compile(
    r"(?:please\s+)?(?:describe|explain|list|detail|outline|specify|state|summari[sz]e|identify|name)\b", re.IGNORECASE
)
_REFERENCE = re.compile(r"^(?:\W|\d[\d.]*\s)*")


def as_question(text: str) -> str:
    """The question for a requirement; any other text, and a request for a description, unchanged."""
    said = _REFERENCE.sub("", text).strip().rstrip(". ")
    if said.endswith("?") or "\n" in said or ". " in said:
        return text
    of_supplier = _OF_SUPPLIER.match(said)
    found = of_supplier or _OF_OTHERS.match(said)
    if found is None or _DESCRIBE.match(said) or _DESCRIBE.match(found["rest"]):
        return text
    if of_supplier:
        return _asked("you", found["rest"], is_you=True)
    subject = found["subject"]
    return _asked(subject if subject[:2].isupper() else subject[:1].lower() + subject[1:], found["rest"])


def _asked(subject: str, rest: str, *, is_you: bool = False) -> str:
    if be := _BE.match(rest):
        negation = (be["negation"] or "").strip()
        verb = "Are" if is_you or subject.endswith("s") else "Is"
        return f"{' '.join(filter(None, [verb, subject, negation, rest[be.end() :]]))}?"
    return f"{'Do' if is_you or subject.endswith('s') else 'Does'} {subject} {rest}?"
