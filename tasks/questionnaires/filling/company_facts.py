"""Answers to what a questionnaire asks about the supplier's own company: its name, its contacts.

A profile in the settings fills them in; without one they are left to a person.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from tasks.questionnaires.reading.layout import FilledAnswer, Questionnaire
from tasks.questions.wording import fact_words, words_of

SHOWN_FACTS = 8


def known_facts(questionnaire: Questionnaire, company: Mapping[str, str]) -> list[FilledAnswer]:
    """The answers to the facts that the ``company`` profile has; none without a profile.

    A key such as ``contact_email`` answers the label that names the same facts, such as "Contact person's e-mail".
    """
    given = [(words_of(key.replace("_", " ")), value) for key, value in company.items() if value.strip()]
    found: list[FilledAnswer] = []
    for sheet in questionnaire.sheets:
        for fact in sheet.facts:
            same = [value for words, value in given if words == words_of(fact.label)]
            alike = [value for words, value in given if _nouns(" ".join(words)) == _nouns(fact.label) != frozenset()]
            found += [
                FilledAnswer(fact.place.question_id, "answered", value, reason="from the company's profile")
                for value in (same or alike)[:1]
            ]
    return found


def facts_left(questionnaire: Questionnaire, filled: Collection[FilledAnswer]) -> str:
    """The sentence that names the facts which nothing fills in, for the person who has to; "" where there are none."""
    known = {answer.question_id for answer in filled}
    left = [
        f"“{fact.label.rstrip(': ')}”" + (f" ({sheet.sheet_name}, row {fact.place.row_number})" if is_sheet else "")
        for sheet in questionnaire.sheets
        for fact in sheet.facts
        if fact.place.question_id not in known
        for is_sheet in [bool(sheet.sheet_name) and questionnaire.format == "xlsx"]
    ]
    if not left:
        return ""
    shown = ", ".join(left[:SHOWN_FACTS]) + (f" and {len(left) - SHOWN_FACTS} more" if len(left) > SHOWN_FACTS else "")
    what = "1 fact about your company is" if len(left) == 1 else f"{len(left)} facts about your company are"
    return f"{questionnaire.file_name}: {what} left to you: {shown}. What `company` in the profile has is filled in"


def _nouns(label: str) -> frozenset[str]:
    alike = {"mail": "email", "telephone": "phone", "url": "website", "homepage": "website", "contacts": "contact"}
    return frozenset(alike.get(word, word) for word in fact_words(label))
