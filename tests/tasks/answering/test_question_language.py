from __future__ import annotations

from configs.plans import load_plan
from tasks.answering.decision.question_language import doubts_of_language


def test_a_plan_for_english_names_the_other() -> None:
    (doubt,) = doubts_of_language("Werden Sicherungen verschlüsselt?", load_plan("bidfolio"))
    assert "German" in doubt and "--plan bidfolio_multilingual" in doubt and "extra multilingual" in doubt


def test_the_plan_for_several_languages_sends_to_a_person() -> None:
    (doubt,) = doubts_of_language("Les sauvegardes sont-elles chiffrées ?", load_plan("bidfolio_multilingual"))
    assert "French" in doubt and "check the quote" in doubt


def test_english_and_unknown_questions_raise_no_doubt() -> None:
    for text in ("Are backups encrypted?", "SOC 2 report", "備份是否加密", ""):
        assert doubts_of_language(text, load_plan("bidfolio")) == []
