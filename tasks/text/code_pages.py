"""Windows code page of a text in Latin letters, guessed from the alphabets of the languages that use each page.

The same byte is ``ø`` in the western page and ``ř`` in the central European one. A single letter is ambiguous; all
letters together are not: no western language has ``ø``, ``ì`` and ``è``.
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
"""Share of a western text's non-ASCII letters that may be foreign to its language: names, quoted words."""
_LEAST_OWN = 0.97
"""Share of the non-ASCII letters that one language of another code page must account for."""
_FEW = 3
"""Minimum count of letters within words that the two code pages read differently; fewer prove nothing."""
_WITHIN = re.compile(rb"(?<=[A-Za-z\xc0-\xff])[\x80-\xff](?=[A-Za-z\xc0-\xff])")
"""A non-ASCII byte between two letters, where no western sign stands: ``£500`` has an ``Ł`` in cp1250."""
_ASCII = bytes(range(0x80))


def latin_code_page(data: bytes) -> str:
    """Guess the Windows code page of a text in Latin letters: ``cp1250``, ``cp1254`` or ``cp1257`` where its letters
    are those of a language of that page and of no western one; else ``cp1252``.
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
    """Count the letters of any code page beyond ASCII, as ``page`` decodes them, in lower case."""
    read: Counter[str] = Counter()
    for code, count in counts.items():
        byte = bytes([code])
        if any(byte.decode(other, "replace").isalpha() for other in _ALPHABETS):
            read[byte.decode(page, "replace").lower()] += count
    return read


def _best_share(letters: Counter[str], page: str) -> float:
    """The share of ``letters`` in the alphabet of the best-fitting language of ``page``; 1 if there are no letters."""
    total = sum(letters.values())
    if not total:
        return 1.0
    return max(sum(letters[letter] for letter in alphabet) / total for alphabet in _ALPHABETS[page].values())
