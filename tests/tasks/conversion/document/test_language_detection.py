from __future__ import annotations

import time
from pathlib import Path

import pytest

from tasks.text.language_detection import detect_language
from tests.made.conversions import convert_bytes
from tests.made.pdfs import MakePdf

SENTENCES = {
    "en": [
        "All customer data are encrypted at rest, and the keys are rotated every ninety days.",
        "We notify the customer of a breach within 72 hours after it has been confirmed.",
        "Access to the production network is granted by role, and it is reviewed once a quarter.",
    ],
    "de": [
        "Alle Kundendaten werden im Ruhezustand verschlüsselt, und die Schlüssel werden regelmäßig gewechselt.",
        "Wir informieren den Kunden innerhalb von 72 Stunden über eine Verletzung der Sicherheit.",
        "Der Zugang zum Rechenzentrum ist nur mit einer Karte und einem Code möglich.",
    ],
    "fr": [
        "Toutes les données des clients sont chiffrées au repos et les clés sont renouvelées chaque trimestre.",
        "Nous informons le client dans les 72 heures après la découverte d'une violation de données.",
        "L'accès au centre de données est limité aux personnes qui ont besoin d'y travailler.",
    ],
    "es": [
        "Todos los datos de los clientes se cifran en reposo y las claves se renuevan cada noventa días.",
        "Informamos al cliente en un plazo de 72 horas cuando se confirma una violación de seguridad.",
        "El acceso a la red de producción se concede según la función de cada persona.",
    ],
    "pt": [
        "Todos os dados dos clientes são cifrados em repouso e as chaves são renovadas a cada noventa dias.",
        "Informamos o cliente no prazo de 72 horas quando uma violação de segurança é confirmada.",
        "O acesso à rede de produção é concedido de acordo com a função de cada pessoa.",
    ],
    "it": [
        "Tutti i dati dei clienti sono cifrati a riposo e le chiavi sono rinnovate ogni novanta giorni.",
        "Informiamo il cliente entro 72 ore quando una violazione della sicurezza è stata confermata.",
        "L'accesso alla rete di produzione è concesso in base al ruolo di ogni persona.",
    ],
    "nl": [
        "Alle gegevens van klanten worden versleuteld opgeslagen en de sleutels worden elk kwartaal vernieuwd.",
        "Wij stellen de klant binnen 72 uur op de hoogte van een inbreuk op de beveiliging.",
        "De toegang tot het netwerk wordt per rol verleend en elk kwartaal door ons gecontroleerd.",
    ],
    "pl": [
        "Wszystkie dane klientów są szyfrowane w spoczynku, a klucze są wymieniane co dziewięćdziesiąt dni.",
        "Informujemy klienta w ciągu 72 godzin od potwierdzenia, że doszło do naruszenia danych.",
        "Dostęp do sieci jest przyznawany według roli i nie jest możliwy bez zgody przełożonego.",
    ],
    "sv": [
        "Alla kunddata är krypterade när de lagras, och nycklarna byts ut var nittionde dag.",
        "Vi meddelar kunden inom 72 timmar efter att ett intrång har bekräftats.",
        "Åtkomst till nätverket ges efter roll och ska granskas av oss varje kvartal.",
    ],
    "da": [
        "Alle kundedata er krypteret, når de opbevares, og nøglerne bliver udskiftet hver tredje måned.",
        "Vi underretter kunden inden for 72 timer efter at et brud på sikkerheden er blevet bekræftet.",
        "Adgang til netværket gives efter rolle og skal gennemgås af os hvert kvartal.",
    ],
}


@pytest.mark.parametrize(
    ("language", "sentence"), [(language, one) for language, several in SENTENCES.items() for one in several]
)
def test_sentences(language: str, sentence: str) -> None:
    assert detect_language(sentence) == language


@pytest.mark.parametrize(
    "text",
    [
        "",
        "The end.",
        "1.2.3 | 4.5.6 | 7.8.9 " * 10,
        "Alpha Beta Gamma Delta Epsilon Zeta Eta Theta Iota Kappa Lambda",
        "Все данные клиентов шифруются при хранении, а ключи меняются каждые девяносто дней.",
        "すべての顧客データは保存時に暗号化され、鍵は九十日ごとに更新されます。安全な運用のために、定期的な監査を行っています。",
    ],
)
def test_nothing_to_tell(text: str) -> None:
    assert detect_language(text) is None


def test_pages_have_their_own_language(make_pdf: MakePdf) -> None:
    pages = [[(72, 700 - 14 * i, one) for i, one in enumerate(SENTENCES[language])] for language in ("de", "en")]
    document = convert_bytes("a.pdf", make_pdf([*pages, [(72, 700, "Ende")]]))
    assert [page.language for page in document.pages] == ["de", "en", None]


def test_northwind_is_english_and_quickly_found(data_folder: Path) -> None:
    document = convert_bytes(
        "h.pdf", (data_folder / "northwind" / "Northwind_Standard_Benefits_Details.pdf").read_bytes()
    )
    texts = [document.text[page.start : page.end] for page in document.pages]
    start = time.process_time()
    found = [detect_language(text) for text in texts]
    assert (time.process_time() - start) / len(texts) < 0.001  # some 0.1 ms on a quiet machine
    assert {language for language, text in zip(found, texts, strict=True) if len(text) > 200} == {"en"}
