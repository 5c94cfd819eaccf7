"""Which Windows code page a text in Latin letters is of, by the alphabets of the languages that are written with it.

One byte is ``ø`` to the west and ``ř`` to the east. A text with an ``ř`` has an ``ě`` and a ``č`` as well, and no
western language has ``ø``, ``ì`` and ``è`` together: all letters of a text tell the page, where one of them does not.
"""

from __future__ import annotations

import re
from collections import Counter

_WESTERN = "cp1252"
_ALPHABETS = {
    _WESTERN: {
        "fr": "àâæçéèêëîïôœùûüÿ",
        "de": "äöüß",
        "es": "áéíñóúüªº",
        "ca": "àçéèíïóòúü",
        "pt": "áâãàçéêíóôõúªº",
        "it": "àéèìíîòóùúªº",
        "nl": "áéèëïóöúü",
        "da": "æøåéó",
        "sv": "åäöéü",
        "is": "áæðéíóöþúý",
        "et": "äõöüšž",
    },
    "cp1250": {
        "pl": "ąćęłńóśźż",
        "cs": "áčďéěíňóřšťúůýž",
        "sk": "áäčďéíĺľňóôŕšťúýž",
        "hu": "áéíóöőúüű",
        "ro": "ăâîşţ",
        "hr": "čćđšž",
    },
    "cp1254": {"tr": "âçğıîöşüû"},
    "cp1257": {"lt": "ąčęėįšųūž", "lv": "āčēģīķļņšūž"},
}
_MOST_FOREIGN = 0.05
"""Of a western text's letters with marks: names and words of another language."""
_LEAST_OWN = 0.97
_FEW = 3
"""Fewer letters in the midst of words that the pages read differently tell nothing."""
_WITHIN = re.compile(rb"(?<=[A-Za-z\xc0-\xff])[\x80-\xff](?=[A-Za-z\xc0-\xff])")
"""A western sign does not stand there: ``£500`` and ``m³`` have an ``Ł`` and an ``ł`` by the eastern page."""
_ASCII = bytes(range(0x80))


def latin_code_page(data: bytes) -> str:
    """``cp1250``, ``cp1254`` or ``cp1257`` where the letters of ``data`` beyond ASCII are those of one of its languages
    and of no western one; else ``cp1252``.
    """
    counts = Counter(data.translate(None, _ASCII))
    within = Counter(found[0] for found in _WITHIN.findall(data))
    if _best_share(_letters(counts, _WESTERN), _WESTERN) >= 1 - _MOST_FOREIGN:
        return _WESTERN
    for page in _ALPHABETS:
        letters = _letters(counts, page)
        differing = sum((_letters(within, page) - _letters(within, _WESTERN)).values())
        if differing >= _FEW and _best_share(letters, page) >= _LEAST_OWN:
            return page
    return _WESTERN


def _letters(counts: Counter[int], page: str) -> Counter[str]:
    """How often each letter stands in the text as that code page reads it, in lower case.

    What is a letter by any of the pages counts, as by this one it may be a sign in the midst of a word.
    """
    read: Counter[str] = Counter()
    for code, count in counts.items():
        byte = bytes([code])
        if any(byte.decode(other, "replace").isalpha() for other in _ALPHABETS):
            read[byte.decode(page, "replace").lower()] += count
    return read


def _best_share(letters: Counter[str], page: str) -> float:
    """The share of ``letters`` that the nearest language of the code page has; 1 where there are none."""
    total = sum(letters.values())
    if not total:
        return 1.0
    return max(sum(letters[letter] for letter in alphabet) / total for alphabet in _ALPHABETS[page].values())
