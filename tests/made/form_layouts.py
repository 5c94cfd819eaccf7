"""Layouts after questionnaires that customers send, each with the questions that are the respondent's to answer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from tests.made.raw_workbooks import BOLD, UNLOCKED, Cell, Formula, RawSheet, Styled, raw_workbook


class Form(NamedTuple):
    """A questionnaire: its name, its bytes, and the sheet, text and answer cell ("C5") of each of its questions.

    The cell is that of the verdict yes where each verdict has a column.
    """

    name: str
    data: bytes
    expected: tuple[tuple[str, str, str], ...]


Rows = list[list[Cell]]


def sig_lite() -> Form:
    """Serial numbers such as A.1.2, parents that are titles, a Response list, scoring columns and a dashboard."""
    head: list[Cell] = [
        "Ques Num",
        "Question/Request",
        "Response",
        "Additional Information",
        "Category",
        "Scoping Level",
    ]
    rows: Rows = [["Standardized Information Gathering"], ["Vendor:", None], [], head]
    asked = []
    for chapter, title in (
        ("A", "Enterprise Risk Management"),
        ("B", "Security Policy"),
        ("D", "Asset and Information"),
    ):
        rows.append([chapter, title])
        for number in range(1, 5):
            rows.append(
                [
                    f"{chapter}.{number}",
                    f"Is there a documented process {chapter}{number} approved by management?",
                    None,
                    None,
                    title,
                    "Lite",
                ]
            )
            asked.append(("SIG Lite", str(rows[-1][1]), f"C{len(rows)}"))
        rows.append(
            [f"{chapter}.4.1", f"Does the process {chapter} include an annual review?", None, None, title, "Lite"]
        )
        asked.append(("SIG Lite", str(rows[-1][1]), f"C{len(rows)}"))
    dashboard: Rows = [["Category", "Questions", "Yes", "No"], ["Risk", 12, Formula('COUNTIF(A:A,"Yes")', "0"), 0]]
    terms: Rows = [
        ["Term", "Definition"],
        ["Constituent", "A person who works for the outsourcer."],
        ["Yes", "The control is in place."],
    ]
    data = raw_workbook(
        RawSheet("Dashboard", dashboard),
        RawSheet("SIG Lite", rows, dropdowns={f"C5:C{len(rows)}": '"Yes,No,N/A"'}),
        RawSheet("Glossary", terms),
    )
    return Form("SIG Lite", data, tuple(asked))


def caiq_4() -> Form:
    """Question ids with domains, a list of answers, and many columns of the customer's own."""
    rows: Rows = [
        ["CONSENSUS ASSESSMENTS INITIATIVE QUESTIONNAIRE v4.0.2"],
        [
            "Question ID",
            "Question",
            "CSP CAIQ Answer",
            "SSRM Control Ownership",
            "CSP Implementation Description (Optional/Recommended)",
            "CSC Responsibilities (Optional/Recommended)",
            "CCM Control ID",
            "CCM Control Specification",
            "CCM Control Title",
            "CCM Domain Title",
        ],
    ]
    asked = []
    for control in range(1, 7):
        for part in range(1, 3):
            text = f"Are audit policies of area {control}.{part} established, documented, approved and maintained?"
            rows.append(
                [
                    f"A&A-0{control}.{part}",
                    text,
                    None,
                    None,
                    None,
                    None,
                    f"A&A-0{control}",
                    "Establish, document, approve, communicate, apply, evaluate and maintain audit policies.",
                    "Audit Policy",
                    "Audit & Assurance",
                ]
            )
            asked.append(("CAIQv4.0.2", text, f"C{len(rows)}"))
    intro: Rows = [
        ["Introduction"],
        ["How should the CAIQ be answered? Please read the guidance below before you start."],
        ["Please select the answer from the list."],
    ]
    data = raw_workbook(
        RawSheet("Introduction", intro), RawSheet("CAIQv4.0.2", rows, dropdowns={f"C3:C{len(rows)}": '"Yes,No,NA"'})
    )
    return Form("CAIQ 4", data, tuple(asked))


def vsa_sections() -> Form:
    """Sections with header rows of their own below each other, and titles above each table."""
    rows: Rows = [["Vendor Security Alliance Questionnaire"], ["Complete all sections."], []]
    asked = []
    for title, prefix in (("Data Protection", "DP"), ("Access Control", "AC"), ("Incident Response", "IR")):
        rows += [[title], ["Ref", "Question", "Answer", "Comments"]]
        for number in range(1, 6):
            text = f"How do you handle {title.lower()} topic {number}?"
            rows.append([f"{prefix}{number}", text])
            asked.append(("Questionnaire", text, f"C{len(rows)}"))
        rows.append([])
    return Form("VSA", raw_workbook(RawSheet("Questionnaire", rows)), tuple(asked))


def ddq_columns_move() -> Form:
    """Tables below each other whose questions and answers stand in other columns each time."""
    rows: Rows = [["Due diligence"], [], ["#", "Question", "Response"]]
    asked = []
    for number in range(1, 5):
        rows.append([number, f"Describe the governance of your fund number {number}."])
        asked.append(("DDQ", str(rows[-1][1]), f"C{len(rows)}"))
    rows += [[], ["Business continuity"], ["Topic", "Ref", "Question", "Yes", "No", "Remarks"]]
    for number in range(1, 4):
        rows.append(["Continuity", f"B{number}", f"Is the continuity plan {number} tested each year?"])
        asked.append(("DDQ", str(rows[-1][2]), f"D{len(rows)}"))
    return Form("DDQ", raw_workbook(RawSheet("DDQ", rows)), tuple(asked))


def public_tender_german() -> Form:
    """A German catalogue of criteria: references with parents, marks for ja and nein, the customer's points."""
    rows: Rows = [
        ["Vergabeunterlage – Leistungsverzeichnis"],
        ["Bitte kreuzen Sie an."],
        ["Nr.", "Anforderung", "Ja", "Nein", "Teilweise", "Erläuterungen", "Gewichtung", "Bewertung Auftraggeber"],
        ["1", "Datensicherheit"],
    ]
    asked = []
    for number, text in enumerate(
        (
            "Die Daten werden verschlüsselt gespeichert.",
            "Es gibt ein Konzept für Datensicherungen.",
            "Zugriffe werden protokolliert.",
        ),
        start=1,
    ):
        rows.append([f"1.{number}", text, None, None, None, None, 5])
        asked.append(("Kriterien", text, f"C{len(rows)}"))
    rows.append(["2", "Betrieb und Wartung"])
    for number, text in enumerate(
        ("Der Betrieb erfolgt in der EU.", "Störungen werden rund um die Uhr behoben."), start=1
    ):
        rows.append([f"2.{number}", text, None, None, None, None, 3])
        asked.append(("Kriterien", text, f"C{len(rows)}"))
    return Form("German tender", raw_workbook(RawSheet("Kriterien", rows)), tuple(asked))


def french_tender() -> Form:
    """A French table with "N°", "Exigence", "Conformité (O/N/P)", "Commentaires du soumissionnaire"."""
    rows: Rows = [
        ["Annexe 3 : cahier des exigences"],
        ["N°", "Exigence", "Conformité (O/N/P)", "Commentaires du soumissionnaire", "Note de l'acheteur"],
    ]
    asked = []
    for number, text in enumerate(
        (
            "Le prestataire doit chiffrer les données au repos.",
            "Quelle est la durée de conservation des sauvegardes ?",
            "Décrivez votre processus de gestion des incidents.",
            "Les accès sont-ils journalisés ?",
        ),
        start=1,
    ):
        rows.append([f"EX-{number:02}", text])
        asked.append(("Exigences", text, f"C{len(rows)}"))
    return Form("French tender", raw_workbook(RawSheet("Exigences", rows)), tuple(asked))


def spanish_and_portuguese() -> Form:
    """A Spanish sheet and a Portuguese one, whose headers are in these languages."""
    spanish: Rows = [
        ["Cuestionario de seguridad"],
        ["Núm.", "Apartado", "Pregunta", "Respuesta (Sí/No)", "Observaciones"],
    ]
    portuguese: Rows = [["Ref.", "Requisito", "Resposta", "Comentários"]]
    asked = []
    for number, text in enumerate(
        (
            "¿Se cifran los datos en reposo?",
            "¿Con qué frecuencia se prueban las copias?",
            "Describan su plan de continuidad.",
        ),
        start=1,
    ):
        spanish.append([number, "Seguridad", text])
        asked.append(("Cuestionario", text, f"D{len(spanish)}"))
    for number, text in enumerate(
        (
            "O fornecedor deve cifrar os dados.",
            "Quem é responsável pela segurança?",
            "Existe um plano de resposta a incidentes?",
        ),
        start=1,
    ):
        portuguese.append([f"R{number}", text])
        asked.append(("Requisitos", text, f"C{len(portuguese)}"))
    data = raw_workbook(RawSheet("Cuestionario", spanish), RawSheet("Requisitos", portuguese))
    return Form("Spanish and Portuguese", data, tuple(asked))


def two_languages() -> Form:
    """Each question in English and German beside each other, one column for the answer."""
    rows: Rows = [["No.", "Question (EN)", "Frage (DE)", "Answer / Antwort", "Comment / Kommentar"]]
    pairs = (
        ("Do you encrypt data at rest?", "Verschlüsseln Sie gespeicherte Daten?"),
        ("Who may read the logs?", "Wer darf die Protokolle lesen?"),
        ("How long are backups kept?", "Wie lange werden Sicherungen aufbewahrt?"),
    )
    asked = []
    for number, (english, german) in enumerate(pairs, start=1):
        rows.append([number, english, german])
        asked.append(("Fragen", english, f"D{len(rows)}"))
    return Form("Two languages", raw_workbook(RawSheet("Fragen", rows)), tuple(asked))


def stacked() -> Form:
    """Questions with "Answer:" and "Comments:" below each, in one column, with empty rows between."""
    rows: Rows = [["Security questions for suppliers"], []]
    asked = []
    for number, text in enumerate(
        (
            "Do you have a security officer?",
            "How are backups protected?",
            "Which standards do you follow?",
            "Describe your patch process.",
        ),
        start=1,
    ):
        rows.append([f"{number}. {text}"])
        rows += [["Answer:"], ["Comments:"], []]
        asked.append(("Stacked", f"{number}. {text}", f"A{len(rows) - 2}"))
    return Form("Stacked", raw_workbook(RawSheet("Stacked", rows)), tuple(asked))


def one_a_sheet() -> Form:
    """A sheet for each question, as label and value; and a sheet that lists them for the customer."""
    sheets = []
    asked = []
    for number, text in enumerate(
        ("Do you encrypt laptops?", "Describe how keys are kept.", "Who approves access?"), start=1
    ):
        name = f"Q{number}"
        rows: Rows = [
            ["Requirement sheet"],
            ["ID", f"SEC-{number}"],
            ["Category", "Security"],
            ["Question", text],
            ["Answer", None],
            ["Comments", None],
            ["Reviewer", None],
        ]
        sheets.append(RawSheet(name, rows))
        asked.append((name, text, "B5"))
    overview: Rows = [["Overview"], ["This workbook has three questions."]]
    return Form("One a sheet", raw_workbook(RawSheet("Overview", overview), *sheets), tuple(asked))


def several_in_a_cell() -> Form:
    """Cells that ask several things, with letters or in lines; they count as one row each."""
    rows: Rows = [["Ref", "Question", "Answer"]]
    texts = (
        "a) Do you encrypt backups? b) How long are they kept? c) Who may restore them?",
        "Please describe:\na) your backup schedule\nb) your restore tests\nc) your retention periods",
        "Is there a policy?\nWho approves it?\nHow often is it reviewed?",
    )
    asked = []
    for number, text in enumerate(texts, start=1):
        rows.append([f"{number}", text])
        asked.append(("Multi", text, f"C{len(rows)}"))
    return Form("Several in a cell", raw_workbook(RawSheet("Multi", rows)), tuple(asked))


def crosses() -> Form:
    """Marks for "Compliant", "Partially", "Not compliant" below a header of two rows, and bold titles."""
    rows: Rows = [
        ["Req.", "Requirement description", "Supplier's compliance", None, None, "Explanation"],
        [None, None, "Compliant", "Partially", "Not compliant"],
    ]
    asked = []
    for title, count in (("Hosting and operation", 3), ("User management", 2)):
        rows.append([None, Styled(title, BOLD)])
        for number in range(1, count + 1):
            text = f"The system shall offer function {number} of {title.lower()}."
            rows.append([f"{title[0]}{number}", text])
            asked.append(("Matrix", text, f"C{len(rows)}"))
    data = raw_workbook(RawSheet("Matrix", rows, merges=("C1:E1", "A1:A2", "B1:B2", "F1:F2")))
    return Form("Crosses", data, tuple(asked))


def no_header() -> Form:
    """Numbers and questions from the first row on, without any header."""
    texts = (
        "Do you support SAML?",
        "How long is data kept after the end of the contract?",
        "Where are your data centres?",
        "Is customer data used to train models?",
        "Describe your audit trail.",
    )
    rows: Rows = [[number, text] for number, text in enumerate(texts, start=1)]
    return Form(
        "No header",
        raw_workbook(RawSheet("Sheet1", rows)),
        tuple(("Sheet1", text, f"C{row}") for row, text in enumerate(texts, start=1)),
    )


def side_by_side() -> Form:
    """Two tables beside each other, with their own numbers and answers, and an empty column between."""
    rows: Rows = [
        ["Security", None, None, None, "Privacy"],
        ["No.", "Question", "Answer", None, "No.", "Question", "Answer"],
    ]
    asked = []
    for number in range(1, 4):
        left, right = f"Is control {number} audited?", f"Who owns data category {number}?"
        rows.append([f"S{number}", left, None, None, f"P{number}", right])
        asked += [("Both", left, f"C{len(rows)}"), ("Both", right, f"G{len(rows)}")]
    return Form("Side by side", raw_workbook(RawSheet("Both", rows)), tuple(asked))


def references_and_protection() -> Form:
    """References "2.1.", "2.1.00", "2.1.00-01" whose parents are titles; answer cells are unlocked; hidden rows and an
    internal sheet.
    """
    rows: Rows = [["Reference", "Control", "Response", "Evidence and comments"]]
    asked = []

    def add(reference: str, text: str, *, is_asked: bool) -> None:
        rows.append(
            [reference, text, Styled(None, UNLOCKED), Styled(None, UNLOCKED)] if is_asked else [reference, text]
        )
        if is_asked:
            asked.append(("Supplier", text, f"C{len(rows)}"))

    for chapter, title in ((2, "Data Security"), (3, "Network Security")):
        add(f"{chapter}.", title, is_asked=False)
        for part in (1, 2):
            add(f"{chapter}.{part}.", f"{title} part {part}", is_asked=False)
            add(f"{chapter}.{part}.00", f"{title} baseline {part}", is_asked=False)
            for number in (1, 2, 3):
                add(
                    f"{chapter}.{part}.00-0{number}",
                    f"Control {number} protects area {part} of {title.lower()}",
                    is_asked=True,
                )
    rows.append(["9.9.9", "Is this an old question that nobody asks?", Styled(None, UNLOCKED), None])
    internal: Rows = [
        ["For internal use only"],
        ["Reference", "Question", "Answer"],
        ["1", "Did the supplier answer in time?"],
        ["2", "Is the offer complete?"],
    ]
    data = raw_workbook(RawSheet("Supplier", rows, hidden_rows=(len(rows),)), RawSheet("Scoring", internal))
    return Form("References", data, tuple(asked))


def instructions_first() -> Form:
    """Instructions and a profile of the company above the questions of the same sheet, and answered examples."""
    rows: Rows = [
        ["Supplier questionnaire 2026"],
        ["How to complete: please answer each question in column C. What is not applicable, mark as N/A."],
        [],
        ["Company name", None],
        ["Contact e-mail", None],
        [],
        ["ID", "Question", "Your response", "Supporting document"],
    ]
    asked = []
    for number, text in enumerate(
        (
            "Do you carry out background checks?",
            "What training do staff receive?",
            "Provide the date of the last penetration test.",
        ),
        start=1,
    ):
        rows.append([f"Q-{number}", text])
        asked.append(("Form", text, f"C{len(rows)}"))
    return Form("Instructions first", raw_workbook(RawSheet("Form", rows)), tuple(asked))


FORMS: Sequence[Callable[[], Form]] = (
    sig_lite,
    caiq_4,
    vsa_sections,
    ddq_columns_move,
    public_tender_german,
    french_tender,
    spanish_and_portuguese,
    two_languages,
    stacked,
    one_a_sheet,
    several_in_a_cell,
    crosses,
    no_header,
    side_by_side,
    references_and_protection,
    instructions_first,
)
