"""Word stems for comparing a claim with its source: those of the search, and irregular verbs as one stem."""

from __future__ import annotations

import re

from tasks.text.search_terms import terms

_VERBS = """
    begin began begun | break broke broken | bring brought | build built | buy bought | catch caught |
    choose chose chosen | come came | deal dealt | do does did done | draw drew drawn | fall fell fallen
    | feel felt | find found | forbid forbade forbidden | forget forgot forgotten | get got gotten |
    give gave given | go goes went gone | grow grew grown | hear heard | hold held | keep kept | know
    knew known | lay laid | lead led | leave left | lend lent | lie lain | lose lost | make made | mean
    meant | meet met | overwrite overwrote overwritten | pay paid | rise rose risen | run ran | say said
    | see saw seen | seek sought | sell sold | send sent | show shown | speak spoke spoken | spend spent
    | stand stood | take took taken | teach taught | tell told | think thought | undergo undergoes
    underwent undergone | understand understood | undertake undertook undertaken | withdraw withdrew
    withdrawn | withhold withheld | write wrote written
"""
_FIRST_FORM = {
    stem: verb.split()[0]
    for verb in _VERBS.split("|")
    for form in verb.split()
    for stem in terms(form, stop_words="none")
}
_SAYS_NOTHING = re.compile(
    r"\b(?:for (?:instance|example)|in (?:particular|addition|other words)|as well(?! as)|instead(?! of)|moreover)\b",
    re.IGNORECASE,
)
"""Phrases that only join a sentence to others."""


def stems_of(text: str) -> list[str]:
    """The stems of ``text`` in order, "told" as "tell", without stop words; text without words gives none."""
    found = (_FIRST_FORM.get(stem, stem) for stem in terms(_SAYS_NOTHING.sub(" ", text)))
    return [stem for stem in found if stem != "do"]
