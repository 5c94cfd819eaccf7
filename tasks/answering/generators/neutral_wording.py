"""Neutral wording of a yes/no question: models tend to agree with what they are asked to confirm."""

from __future__ import annotations

import re
from hashlib import sha256

_LABEL = re.compile(r"\s*[(\[]\s*(?:yes\s*/\s*no(?:\s*/\s*(?:n/?a|partial(?:ly)?))?|y\s*/\s*n)\s*[)\]]", re.IGNORECASE)
_TAG = re.compile(
    r",\s+(?:(?:is|are|do|does|have|has|can|will)(?:n['’]t|\s+not)?\s+(?:it|you|they|there|we)(?:\s+not)?|correct|right)"
    r"(?=\s*\?*$)",
    re.IGNORECASE,
)
_WISH = re.compile(
    r"^(?:(?:can|could|will|would)\s+you\s+)?(?:please\s+|kindly\s+)*(?:confirm|verify|attest|certify|indicate|state|"
    r"tell\s+us|say|show|demonstrate)(?:\s+to\s+us)?\s*(?:,|:)?\s+(?:that|whether(?:\s+or\s+not)?|if)\s+",
    re.IGNORECASE,
)
_ASKED = re.compile(
    r"^(?P<verb>do|did|are|were|have|had|can|could|will|would|should|must|is|was|has)\s+"
    r"(?P<subject>you|we|they|there|it)\s+(?!not\b)(?P<rest>.+)$",
    re.IGNORECASE | re.DOTALL,
)


def neutral(question: str) -> str:
    """Reword a question as "whether …, or not": without the wish, the tag or the order that hopes for a yes.

    "Do you encrypt backups?" becomes "whether or not you encrypt backups". A question of another build keeps its
    words: 'which is the case: "Are backups encrypted", or not'. An empty question gives one without words.
    """
    asked = _LABEL.sub("", " ".join(question.split())).rstrip(" ?.")
    wished = _WISH.sub("", asked)
    if wished != asked:
        return f"whether or not {wished}"
    plain = _TAG.sub("", asked).rstrip(" ,")
    found = _ASKED.match(plain)
    if found is None:
        return f'which is the case: "{plain}", or not'
    verb, subject, rest = found["verb"].lower(), found["subject"].lower(), found["rest"]
    return f"whether or not {subject} {rest}" if verb == "do" else f"whether or not {subject} {verb} {rest}"


def puts_no_first(question: str) -> bool:
    """Tell if "no" is named before "yes": for half of all questions, by hash, as the order sways models, too."""
    return sha256(question.encode()).digest()[0] % 2 == 1
