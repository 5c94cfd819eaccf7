"""Words that state a verdict, in the languages of the table: "Yes", "Nein", "Partiellement", "N/A"."""

from __future__ import annotations

import re
from collections.abc import Mapping

from configs.languages import VerdictWord, languages

ENGLISH = languages()["en"]
VERDICT_WORDS: Mapping[str, VerdictWord] = {
    word.casefold(): verdict
    for spoken in languages().values()
    for verdict, words in spoken.verdicts.items()
    for word in words
    if len(word) > 1
}
"""The verdict of each word or phrase, in small letters, without single letters."""
BEGINNING: Mapping[str, VerdictWord] = {word: verdict for word, verdict in VERDICT_WORDS.items() if word != "non"}
"""The words that state a verdict where a text begins with them: French "non" begins "Non-disclosure", too."""
STATED: Mapping[VerdictWord, frozenset[str]] = {
    verdict: frozenset(
        " ".join(re.findall(r"[^\W_]+", word.casefold()))
        for spoken in languages().values()
        for word in (*spoken.verdicts.get(verdict, ()), *spoken.graded.get(verdict, ()))
    )
    for verdict in ENGLISH.verdicts
}
"""The texts that are nothing but a verdict, as their words with blanks between them."""
YES_NO_PAIRS = tuple(
    (spoken.verdicts["yes"][0].casefold(), spoken.verdicts["no"][0].casefold())
    for spoken in languages().values()
    if spoken.verdicts
)
"""Yes and no in each language."""
