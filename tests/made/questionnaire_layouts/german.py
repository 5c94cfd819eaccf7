"""Catalogues of criteria and bills of quantities in German."""

from __future__ import annotations

from tests.made.questionnaire_layouts.form import Form, Layout, Page

_EXCLUDING = (
    ("A1", "Der Bieter verfügt über ein nach ISO/IEC 27001 zertifiziertes Informationssicherheitsmanagement."),
    ("A2", "Die Daten des Auftraggebers werden ausschließlich in der Europäischen Union verarbeitet."),
    ("A3", "Der Bieter benennt einen festen deutschsprachigen Ansprechpartner für die gesamte Laufzeit."),
    ("A4", "Das System ist mandantenfähig."),
)
_SECURITY = (
    ("B1.1", "Beschreiben Sie, wie Daten bei der Speicherung und bei der Übertragung verschlüsselt werden.", 10, 5),
    ("B1.2", "Wie werden Schwachstellen erkannt, bewertet und behoben?", 10, 4),
    ("B1.3", "Innerhalb welcher Frist melden Sie Sicherheitsvorfälle an den Auftraggeber?", 5, 3),
)
_SUPPORT = (
    ("B2.1", "Stellen Sie Ihr Konzept für den First- und Second-Level-Support dar.", 10, 3),
    ("B2.2", "Welche Reaktionszeiten sichern Sie je Störungsklasse zu?", 10, 5),
    ("B2.3", "Erläutern Sie, wie Anwenderinnen und Anwender geschult werden.", 5, 2),
)
_PRICES = ("Einmalige Einrichtung", "Nutzungsentgelt je Monat", "Schulungstag vor Ort (Wie viele Teilnehmer?)")


def criteria() -> Layout:
    """A cover, A criteria by yes or no, B criteria with points, weights, sums and a mark, and a sheet of prices."""
    form = Form("kriterienkatalog", "Anlage 3_Kriterienkatalog.xlsx")
    page = form.page("Deckblatt")
    page.refuse(2, "B2:D2", B="Kriterienkatalog zum Vergabeverfahren 2026-07")
    for row, text in enumerate(("Firma des Bieters", "Anschrift", "Ansprechpartner", "Umsatzsteuer-ID"), start=4):
        page.lead(row, B=text)
    page = form.page("Hinweise")
    page.refuse(1, A="Was bedeutet A-Kriterium?")
    page.refuse(
        2,
        A="Ein A-Kriterium (Ausschlusskriterium) muss erfüllt sein. Wird es mit Nein beantwortet, scheidet das "
        "Angebot aus.",
    )
    page.refuse(3, A="Ein B-Kriterium (Bewertungskriterium) wird mit 0 bis 10 Punkten bewertet.")
    page = form.page("A-Kriterien")
    page.widths(A=8, B=80, C=14, D=50)
    page.section(1, "A1:D1", A="Ausschlusskriterien")
    page.head(2, A="Nr.", B="Kriterium", C="Erfüllt? (Ja/Nein)", D="Nachweis / Verweis auf Anlage")
    for row, (number, text) in enumerate(_EXCLUDING, start=3):
        page.ask(row, "B", text, "C", comment="D", A=number)
    page.choose("C3:C6", "Ja", "Nein")
    _points(form.page("B-Kriterien"))
    _price_sheet(form.page("Preisblatt"))
    return form.layout()


def _points(page: Page) -> None:
    page.widths(A=8, B=70, C=60, D=12, E=12, F=12, G=12)
    page.section(1, "A1:G1", A="Bewertungskriterien")
    page.head(
        2,
        A="Nr.",
        B="Kriterium",
        C="Antwort des Bieters",
        D="Max. Punkte",
        E="Gewicht",
        F="Erreichte Punkte",
        G="Gewichtete Punkte",
    )
    row = 3
    for title, criteria_ in (("B1 Informationssicherheit", _SECURITY), ("B2 Betrieb und Support", _SUPPORT)):
        page.section(row, A=title)
        first = row + 1
        for row, (number, text, points, weight) in enumerate(criteria_, start=first):
            page.ask(row, "B", text, "C", A=number, D=points, E=weight)
            page.formula(row, "G", f"=E{row}*F{row}", 0)
        page.refuse(row + 1, B=f"Zwischensumme {title[:2]}")
        page.formula(row + 1, "G", f"=SUM(G{first}:G{row})", 0)
        row += 2
    page.refuse(row, B="Gesamtpunktzahl")
    page.formula(row, "G", "=G7+G12", 0)
    page.formula(
        row + 1,
        "B",
        f'="Mindestpunktzahl erreicht? "&IF(G{row}>=120,"Ja","Nein")',
        "Mindestpunktzahl erreicht? Nein",
        refuse=True,
    )


def _price_sheet(page: Page) -> None:
    page.head(1, A="Pos.", B="Leistung", C="Menge", D="Einzelpreis netto", E="Gesamtpreis netto")
    for row, text in enumerate(_PRICES, start=2):
        page.refuse(row, B=text)
        page.say(row, A=row - 1, C=row * 4)
        page.formula(row, "E", f"=C{row}*D{row}", 0)
    page.refuse(5, B="Angebotssumme netto")
    page.formula(5, "E", "=SUM(E2:E4)", 0)


_REQUIREMENTS = (
    (
        "Anmeldung",
        (
            ("01.01", "Die Anmeldung erfolgt über das vorhandene Active Directory."),
            ("01.02", "Nach fünf Fehlversuchen wird das Konto gesperrt."),
        ),
    ),
    (
        "Schnittstellen",
        (
            ("02.01", "Belege werden als PDF/A-3 ausgegeben und an das Archiv übergeben."),
            ("02.02", "Eine Schnittstelle zur Finanzbuchhaltung ist vorhanden (bitte Format nennen)."),
            ("02.03", "Stammdaten können als CSV-Datei eingelesen werden."),
        ),
    ),
    ("Barrierefreiheit", (("03.01", "Die Oberfläche erfüllt die Anforderungen der BITV 2.0."),)),
)
_GOODS = (
    ("1.1", "Anwendungsserver, 2 Prozessoren, 256 GB Arbeitsspeicher, einschließlich Einbau", 2, "Stück"),
    ("1.2", "Einrichtung der Software auf Test- und Produktivsystem", 1, "psch."),
    ("1.3", "Pflege und Wartung, je Monat", 48, "Monat"),
)


def quantities() -> Layout:
    """A bill with unit prices, which asks nothing, and requirements with yes and no to tick under one head."""
    form = Form("leistungsverzeichnis", "Leistungsverzeichnis Fachverfahren.xlsx")
    page = form.page("LV Preise")
    page.refuse(1, A="Leistungsverzeichnis – alle Preise netto in Euro")
    page.head(3, A="OZ", B="Leistungsbeschreibung", C="Menge", D="Einheit", E="EP", F="GP")
    for row, (number, text, amount, unit) in enumerate(_GOODS, start=4):
        page.refuse(row, B=text)
        page.say(row, A=number, C=amount, D=unit)
        page.formula(row, "F", f"=C{row}*E{row}", 0)
    page.refuse(7, E="Summe")
    page.formula(7, "F", "=SUM(F4:F6)", 0)
    page = form.page("Anforderungen")
    page.widths(A=8, B=75, C=6, D=6, E=50)
    page.refuse(1, "A1:E1", A="Bitte kreuzen Sie je Anforderung Ja oder Nein an. Einschränkungen sind zu erläutern.")
    page.head(2, A="OZ", B="Anforderung", C="erfüllt", E="Bemerkung des Bieters")
    page.head(3, C="Ja", D="Nein")
    page.merge("A2:A3", "B2:B3", "C2:D2", "E2:E3")
    row = 4
    for title, requirements in _REQUIREMENTS:
        page.section(row, B=title)
        first = row + 1
        for row, (number, text) in enumerate(requirements, start=first):
            page.ask(row, "B", text, "E", verdicts={"yes": "C", "no": "D"}, A=number)
        row += 1
    page.refuse(row + 1, A="Ort, Datum, Unterschrift")
    return form.layout()
