"""Questions in two languages: in columns beside each other, and in one cell."""

from __future__ import annotations

from tests.made.questionnaire_layouts.form import Form, Layout

_COLUMNS = (
    ("Is there a policy on the use of mobile devices?", "Gibt es eine Richtlinie zur Nutzung mobiler Geräte?"),
    ("Are mobile devices managed centrally?", "Werden mobile Geräte zentral verwaltet?"),
    ("How are lost devices dealt with?", "Wie wird mit verlorenen Geräten umgegangen?"),
    ("Is company data separated from private data?", "Sind Firmendaten von privaten Daten getrennt?"),
    ("Which operating systems are supported?", "Welche Betriebssysteme werden unterstützt?"),
)
_BREAKS = (
    (
        "Do you have a certified quality management system?",
        "Disposez-vous d'un système de management de la qualité certifié ?",
    ),
    ("Please describe how you handle complaints.", "Veuillez décrire le traitement des réclamations."),
    ("How do you choose your subcontractors?", "Comment choisissez-vous vos sous-traitants ?"),
)
_SLASHES = (
    ("Are minimum wages paid in all countries?", "Werden in allen Ländern Mindestlöhne gezahlt?"),
    ("Is there a hotline for whistle-blowers?", "Gibt es eine Meldestelle für Hinweisgeber?"),
    ("Have you set a target for CO2 emissions?", "Haben Sie sich ein Ziel für CO2-Emissionen gesetzt?"),
    ("Name the body that audits your reports.", "Nennen Sie die Stelle, die Ihre Berichte prüft."),
)


def in_columns() -> Layout:
    """English beside German, with a section's title in both languages, and the answer asked but once."""
    form = Form("two_languages_columns", "Mobile_Device_Security_EN_DE.xlsx")
    page = form.page("Questionnaire")
    page.widths(A=6, B=50, C=50, D=14, E=40)
    page.head(1, A="ID", B="Question", C="Frage", D="Answer / Antwort", E="Comment / Kommentar")
    page.section(2, B="Mobile devices", C="Mobile Geräte")
    for row, (english, german) in enumerate(_COLUMNS, start=3):
        page.ask(row, "B", english, "D", comment="E", variants=(german,), A=row - 2, C=german)
    return form.layout()


def in_cells() -> Layout:
    """Both languages in a cell: parted by a line break on one sheet, by a slash on the other."""
    form = Form("two_languages_cells", "Supplier self-assessment EN-FR-DE.xlsx")
    page = form.page("Quality - Qualité")
    page.head(1, A="No. / N°", B="Question", C="Answer\nRéponse", D="Comments\nRemarques")
    page.section(2, "A2:D2", A="A. General\nA. Généralités")
    for row, (english, french) in enumerate(_BREAKS, start=3):
        page.ask(row, "B", f"{english}\n{french}", "C", comment="D", variants=(english, french), A=f"A{row - 2}")
    page = form.page("CSR")
    page.refuse(1, A="Please answer in English or German. / Bitte antworten Sie auf Englisch oder Deutsch.")
    page.head(3, A="Question / Frage", B="Yes/No – Ja/Nein", C="Remarks / Bemerkungen")
    for row, (english, german) in enumerate(_SLASHES, start=4):
        page.ask(row, "A", f"{english} / {german}", "B", comment="C", variants=(english, german))
    page.choose("B4:B7", "Yes / Ja", "No / Nein")
    return form.layout()
