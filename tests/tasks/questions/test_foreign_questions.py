from __future__ import annotations

import pytest

from tasks.questions.wording import (
    begins_with_verdict,
    header_role,
    looks_like_question,
    question_kind,
    says_yes_no,
    spell_verdict,
    verdict_of,
)
from tasks.records import QuestionKind, Verdict


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("Haben Sie einen Notfallplan?", "yes_no"),
        ("Führen Sie Penetrationstests durch?", "yes_no"),
        ("Werden Befehle, die Techniker eingeben, aufgezeichnet?", "yes_no"),
        ("Bis wann werden Störungen behoben?", "free_text"),
        ("In welchen Ländern liegen die Daten?", "free_text"),
        ("Bitte beschreiben Sie Ihre Datensicherung.", "free_text"),
        ("Wenn die Frist verstreicht, wer haftet dann?", "free_text"),
        ("Disposez-vous d'un plan de continuité ?", "yes_no"),
        ("Est-ce que les données sont chiffrées ?", "yes_no"),
        ("Les personnes qui partent perdent-elles leur accès ?", "yes_no"),
        ("Jusqu'à quelle date conservez-vous les journaux ?", "free_text"),
        ("Qu'advient-il de nos données ?", "free_text"),
        ("¿Disponen de un plan de continuidad?", "yes_no"),
        ("¿En qué países se guardan los datos?", "free_text"),
        ("Têm um plano de continuidade?", "yes_no"),
        ("Os colaboradores podem denunciar irregularidades?", "yes_no"),
        ("Com que frequência testam os backups?", "free_text"),
    ],
)
def test_kinds(question: str, kind: QuestionKind) -> None:
    assert question_kind(question, (), yes_no_header=False) == kind


def test_a_dropdown_decides_about_a_requirement() -> None:
    requirement = "Die Daten müssen bei der Übertragung verschlüsselt werden."
    assert question_kind(requirement, ("Ja", "Nein"), yes_no_header=False) == "yes_no"
    assert question_kind(requirement, ("Rot", "Blau"), yes_no_header=False) == "free_text"


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("Ja", "yes"),
        ("NEIN", "no"),
        ("Teilweise erfüllt", "partial"),
        ("k. A.", "not_applicable"),
        ("Oui", "yes"),
        ("Non", "no"),
        ("En partie", "partial"),
        ("Sans objet", "not_applicable"),
        ("Sí", "yes"),
        ("No aplica", "not_applicable"),
        ("Sim", "yes"),
        ("Não", "no"),
        ("Yes", "yes"),
        ("N/A", "not_applicable"),
        ("Jan", None),
        ("Non-disclosure agreements are signed", None),
    ],
)
def test_verdicts(text: str, verdict: Verdict | None) -> None:
    assert verdict_of(text) == verdict


@pytest.mark.parametrize(
    ("choices", "wanted"),
    [
        (("Ja", "Nein", "Teilweise"), ("Ja", "Nein", "Teilweise")),
        (("Oui", "Non", "Partiellement"), ("Oui", "Non", "Partiellement")),
        (("Sí", "No", "Parcialmente"), ("Sí", "No", "Parcialmente")),
        (("Sim", "Não"), ("Sim", "Não", None)),
        ((), ("Yes", "No", "Partial")),
    ],
)
def test_a_verdict_is_spelled_as_the_dropdown_spells_it(
    choices: tuple[str, ...], wanted: tuple[str | None, ...]
) -> None:
    verdicts: tuple[Verdict, ...] = ("yes", "no", "partial")
    assert tuple(spell_verdict(verdict, choices) for verdict in verdicts) == wanted


def test_a_text_that_begins_with_a_verdict() -> None:
    assert begins_with_verdict("Nein, sie werden nicht gelöscht.") == "no"
    assert begins_with_verdict("Sim. Todos os dados são cifrados.") == "yes"


@pytest.mark.parametrize(
    ("header", "role"),
    [
        ("Frage", "question"),
        ("Antwort", "answer"),
        ("Ja/Nein", "answer"),
        ("Réponse (Oui/Non)", "answer"),
        ("Commentaires", "comment"),
        ("Pregunta", "question"),
        ("Observaciones", "comment"),
        ("Categoria", "section"),
        ("Farbe", None),
    ],
)
def test_headers(header: str, role: str | None) -> None:
    assert header_role(header) == role


def test_headers_that_offer_yes_and_no() -> None:
    assert says_yes_no("Oui / Non") and says_yes_no("Sí/No") and says_yes_no("Yes/No")
    assert not says_yes_no("Ja oder Oui")


def test_requests_are_looked_for() -> None:
    assert looks_like_question("Bitte beschreiben Sie Ihre Datensicherung.")
    assert looks_like_question("Décrivez vos sauvegardes.")
    assert not looks_like_question("Die Datensicherung läuft nachts.")
