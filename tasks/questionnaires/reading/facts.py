"""Facts about the supplier's own company in a questionnaire: its name and contacts, which no document is searched for.

A profile in the settings fills them in; without one they are left to a person.
"""

from __future__ import annotations

from collections.abc import Mapping

from tasks.questionnaires.reading.layout import FilledAnswer, Questionnaire
from tasks.questionnaires.reading.sections import AskedRow
from tasks.questions.wording import fact_words, looks_like_question, words_of

_WHO = frozenset({"general", "contact", "company", "vendor", "supplier", "bidder", "respondent", "tenderer"})
_ABOUT = frozenset({"information", "details", "data", "contact", "contacts", "info"})
MAX_LABEL_WORDS = 10


def is_fact(row: AskedRow) -> bool:
    """Tell if a row asks for a fact about the supplier's company: by its label, or by its section for any label."""
    if fact_words(row.text):
        return True
    words = frozenset(words_of(row.section))
    is_general = len(words) <= 4 and bool(words & _WHO) and bool(words & _ABOUT)
    return is_general and len(words_of(row.text)) <= MAX_LABEL_WORDS and not looks_like_question(row.text)


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
