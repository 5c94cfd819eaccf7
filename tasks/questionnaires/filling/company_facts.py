"""Answers to what a questionnaire asks about the supplier's own company: its name, its contacts.

A profile in the settings fills them in; without one they are left to a person.
"""

from __future__ import annotations

from collections.abc import Mapping

from tasks.questionnaires.reading.layout import FilledAnswer, Questionnaire
from tasks.questions.wording import fact_words, words_of


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


def _nouns(label: str) -> frozenset[str]:
    alike = {"mail": "email", "telephone": "phone", "url": "website", "homepage": "website", "contacts": "contact"}
    return frozenset(alike.get(word, word) for word in fact_words(label))
