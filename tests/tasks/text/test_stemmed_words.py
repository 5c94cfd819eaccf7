from __future__ import annotations

import numpy as np
import pytest

from configs.plans import Language, Lexical, Stemming
from tasks.text.search_terms import terms
from tasks.text.stemmed_words import MAX_WORD_CHARACTERS, words_of
from tests.made.lexical_models import lexical_space


@pytest.mark.parametrize(
    ("text", "stop_words", "stemming", "expected"),
    [
        ("The backups ARE encrypted, at rest.", "none", "none", ["the", "backups", "are", "encrypted", "at", "rest"]),
        ("The backups ARE encrypted, at rest.", "english", "english", ["backup", "encrypt", "rest"]),
        ("Os dados não são públicos", "portuguese", "none", ["dados", "nao", "publicos"]),
        ("Políticas públicas: a política pública", "portuguese", "portuguese", ["polit", "public", "polit", "public"]),
        ("Verschlüsselte Sicherungen, verschlüsselter", "none", "german", ["verschlusselt", "sicher", "verschlusselt"]),
        ("Резервных копий", "none", "russian", ["резервн", "коп"]),
        ("a b c … — 7", "none", "none", []),
        ("4¹ hours² in 10⁶, 5 m³", "none", "english", ["hour", "in", "10", "m3"]),
        ("", "english", "english", []),
    ],
    ids=[
        "as written",
        "English",
        "Portuguese",
        "Portuguese stems",
        "German stems",
        "Russian stems",
        "nothing of two characters",
        "marks of notes, powers and units",
        "empty",
    ],
)
def test_words(text: str, stop_words: Language, stemming: Stemming, expected: list[str]) -> None:
    assert words_of(text, stop_words, stemming) == expected


def test_no_word_is_longer_than_a_word_can_be() -> None:
    """As numbers in hexadecimal, or lines of a script without blanks: a vocabulary has all as wide as the widest."""
    blob = "0x" + "5fa3" * 250_000
    for found in (words_of(f"logo {blob}", "english", "english"), terms(f"logo {blob}")):
        assert found == ["logo", blob[:MAX_WORD_CHARACTERS]]
    space = lexical_space([f"logo {blob}", "The policy says so."], Lexical(), 2)
    assert space.vocabulary.nbytes < 10_000
    np.testing.assert_array_equal(*space.project([blob, blob[:MAX_WORD_CHARACTERS]]))


def test_a_portuguese_question_meets_other_forms_of_its_words() -> None:
    texts = ["Todos os funcionários são treinados em segurança.", "As cópias são guardadas por sete anos."]
    question = "Como é o treinamento de um funcionário?"
    plain = lexical_space(texts, Lexical(), 8)
    stemmed = lexical_space(texts, Lexical(stop_words="portuguese", stemming="portuguese"), 8)
    (without,), (met,) = (state.project([question]) @ state.project(texts).T for state in (plain, stemmed))
    assert met[0] > 0.9 and met[1] == pytest.approx(0, abs=1e-6) and without[0] < met[0]


ENGLISH = "The backups are encrypted with AES-256 and are not kept for longer than 35 days."


def test_detected_terms_of_english_are_the_english_terms() -> None:
    assert terms(ENGLISH, "detected", "detected") == terms(ENGLISH)


@pytest.mark.parametrize(
    ("one", "other", "shared"),
    [
        ("Werden die Sicherungen geprüft?", "Die Sicherung wird jede Woche geprüft.", {"sicher", "gepruft"}),
        ("Les données sont-elles chiffrées ?", "La donnée est chiffrée par nos serveurs.", {"don", "chiffr"}),
        ("¿Se cifran las copias?", "La copia se cifra en nuestros servidores.", {"copi", "cifr"}),
        ("As cópias são testadas?", "A cópia é testada por nossa equipe.", {"cop", "test"}),
    ],
)
def test_words_are_stemmed_in_the_language_of_each_text(one: str, other: str, shared: set[str]) -> None:
    assert set(terms(one, "detected", "detected")) & set(terms(other, "detected", "detected")) == shared


def test_denials_are_no_stop_words() -> None:
    assert "nicht" in terms("Die Daten werden nicht in die Schweiz übermittelt.", "detected", "detected")


@pytest.mark.parametrize(
    "text", ["Kopie zapasowe są szyfrowane przez system w chmurze i nie są usuwane.", "備份已加密", ""]
)
def test_a_language_without_a_stemmer_keeps_its_words(text: str) -> None:
    found = terms(text, "detected", "detected")
    assert ("szyfrowane" in found) == ("szyfrowane" in text)


def test_scripts_without_spaces_have_each_two_letters_as_a_word() -> None:
    asked, written = (set(terms(text)) for text in ("密码必须多长？", "密码长度为12个字符。"))
    assert asked & written == {"密码"} and "12" in written
    assert terms("backup of 密码 data") == ["backup", "密码", "data"]
