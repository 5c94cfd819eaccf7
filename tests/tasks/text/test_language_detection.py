from __future__ import annotations

import json

import pytest

from configs.languages import languages
from tasks.text.language_detection import detect_language, foreign_language, question_language, text_language
from tests.made.paths import ROOT

DATA = ROOT / "tests" / "data"


@pytest.mark.parametrize(
    ("question", "language"),
    [
        ("Werden Sicherungen verschlüsselt?", "de"),
        ("Verfügbarkeit Enterprise", "de"),
        ("Disposez-vous d'un plan de continuité ?", "fr"),
        ("Pouvons-nous refuser un nouveau sous-traitant ?", "fr"),
        ("¿Admiten SAML?", "es"),
        ("Têm um plano de continuidade?", "pt"),
        ("Are backups encrypted?", "en"),
        ("Is Müller GmbH a subcontractor of yours?", "en"),
        ("SOC 2 report", None),
        ("w2 w10", None),
        ("n/a", None),
        ("暗号化されていますか", None),
        ("", None),
    ],
)
def test_question_language(question: str, language: str | None) -> None:
    assert question_language(question) == language


def test_a_question_in_two_languages_is_one_of_them_or_none() -> None:
    found = question_language("Are backups encrypted? Werden Sicherungen verschlüsselt?")
    assert found in {None, "en", "de"}


def test_no_english_question_is_taken_for_another_language() -> None:
    files = [*DATA.glob("open/*.jsonl"), *DATA.glob("policies/*.jsonl"), DATA / "topics.jsonl"]
    lines = [json.loads(line) for file in files for line in file.read_text(encoding="utf-8").splitlines()]
    questions = {line["question"] for line in lines if isinstance(line.get("question"), str)}
    assert len(questions) > 200
    assert [question for question in questions if foreign_language(question)] == []


def test_translated_questions_are_in_their_language() -> None:
    lines = (DATA / "languages" / "demo.jsonl").read_text(encoding="utf-8").splitlines()
    asked = [(one["language"], question_language(one["question"])) for one in map(json.loads, lines)]
    wrong = [(language, found) for language, found in asked if found not in (language, None)]
    unknown = [language for language, found in asked if found is None]
    assert wrong == [] and len(unknown) <= len(asked) / 20


@pytest.mark.parametrize("code", ["de", "fr", "es", "pt", "en"])
def test_parallel_sentences_are_in_their_language(code: str) -> None:
    found = [text_language(sentence) for sentence in languages()[code].parallel]
    assert found.count(code) >= len(found) - 2


def test_pages_need_more_than_a_question() -> None:
    assert detect_language("Werden Sicherungen verschlüsselt?") is None
    assert detect_language("Die Sicherungen werden jede Nacht erstellt und in einer zweiten Region aufbewahrt.") == "de"
