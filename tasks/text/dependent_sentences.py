"""Incomplete cuts: detect if a chunk or a quote may lack the sentence that it refers to, or the rest of a list."""

from __future__ import annotations

import re

from tasks.text.english import AUXILIARIES, BELOW_TWENTY
from tasks.text.sentences import sentence_spans

BULLET = re.compile(r"^(?:[•▪◦‣●■*]|[–—-](?!\s*\d))\s+")
"""Bullet at the start of a list item. A dash before a figure may be its sign."""
NUMBER = re.compile(r"\(?(\d{1,3}|[a-z])[.)]\s", re.IGNORECASE)
"""The mark of an item in a numbered list, with its number or letter."""
CELLS = re.compile(r"\s+\|\s+")
"""Separator between the cells of a table row."""
LABEL = re.compile(r"[A-ZÀ-Þ][^:|.]{1,60}:\s\S")
"""Line that names its subject before a colon."""
_IDLE_IT = re.compile(
    r"it\s(?:is|was|may\sbe|can\sbe)\s(?:also\s|very\s|therefore\s)?(?:important|possible|necessary|essential|advisable"
    r"|recommended|best|likely|clear|worth|crucial|helpful|useful|required\sthat|vital|our\s(?:policy|aim|goal))\b",
    re.IGNORECASE,
)
"""Impersonal "it", as in "It is important to note that …", which refers to nothing before."""
_AUXILIARY = rf"(?:{AUXILIARIES}|might|also|only)"
_COUNT = rf"(?:{'|'.join(BELOW_TWENTY[1:11])})"
_LEANS = re.compile(
    r"(?!(?-i:IT)\b)(?:it|its|they|their|them|he|she|his|her|such|neither|nor|otherwise|instead|but|however|therefore|thus|hence"
    r"|the\s(?:same|former|latter)|if\s(?:so|not)|in\s(?:that|this|such\sa|both|neither|either)\scases?"
    rf"|(?:both|each|all|none|some|most|{_COUNT}|the\sothers?)\s(?:of\s(?:them|these|those|it|this|which)|{_AUXILIARY})"
    rf"|in\s(?:both|all|some|most|{_COUNT}|the\sothers?)\s(?:of\s(?:them|these|those|which)|the|a|an|we|our|they|no|it)"
    rf"|(?:this|that|these|those)\s(?:{_AUXILIARY}|applies"
    r"|(?:mean|include|apply|cover|give|keep|allow|help|require|ensure|make|let|limit|affect|concern|depend|happen)s?)"
    r"|eles?|elas?|isto|isso|ambos|ambas|nenhuma?\sdel[ea]s|nem|caso\scontrário|no\sentanto|porém|o\smesmo"
    r"|nes[st]e\scaso)(?=[\s,])",
    re.IGNORECASE,
)
"""Cues at the start of a sentence that it refers to the one before; "this plan" is clear enough by itself."""
_WITHOUT_ITS_VERB = re.compile(
    r"(?:(?!\b(?:who|which|that|if|whether|where|when|or)\b)[^,;:.])*\b(?:cannot|(?:can|do|does|did|is|are|was|were|will|may|must)\s(?:not|so))\s*(?:[,;.]|$)",
    re.IGNORECASE,
)
"""Elliptic sentence that takes its verb from the sentence before: "The backups cannot, as they are locked"."""
_AN_AMOUNT_BEFORE = re.compile(
    r"\D*\b(?:this|that|these|those)\s(?:(?:same|maximum|minimum|total)\s)?"
    r"(?:amounts?|figures?|sums?|limits?|thresholds?|percentages?|deadlines?|ceilings?)\b",
    re.IGNORECASE,
)
"""Reference to an amount that the sentence before gives: "Proposals priced at more than this amount are refused"."""


def leans(sentence: str) -> bool:
    """Tell if a sentence refers to something that only the sentence before it names; False for empty text."""
    words = BULLET.sub("", sentence)
    return any(cue.match(words) for cue in (_LEANS, _WITHOUT_ITS_VERB, _AN_AMOUNT_BEFORE)) and not _IDLE_IT.match(words)


def may_lack_before(text: str) -> bool:
    """Tell if a chunk's text may need the text before it: it begins with the rest of a sentence, a reference or an
    item.
    """
    begin, end = next(sentence_spans(text), (0, 0))
    first = text[begin:end]
    return first[:1].islower() or leans(first) or bool(BULLET.match(first) or NUMBER.match(first))


def may_lack_after(text: str) -> bool:
    """Tell if a chunk's text ends in a list that it announces, so that the list may go on; False for empty text."""
    lines = text.rstrip().splitlines()
    if not any(line.rstrip().endswith(":") for line in lines):
        return False
    last = lines[-1].strip()
    return last.endswith(":") or any(mark.match(last) for mark in (BULLET, NUMBER, LABEL)) or bool(CELLS.search(last))
