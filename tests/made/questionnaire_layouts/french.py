"""A French statement of requirements, with its instructions and its schedule of unit prices."""

from __future__ import annotations

from tests.made.questionnaire_layouts.form import Form, Layout

_NEEDS = (
    (
        "Hébergement",
        (
            ("EX-01", "Le titulaire héberge les données dans l'Union européenne, sauvegardes comprises.", "O"),
            ("EX-02", "La solution est disponible au moins 99,8 % du temps, mesuré par trimestre.", "O"),
            ("EX-03", "Le titulaire doit prévenir l'acheteur d'une interruption programmée dix jours à l'avance.", "S"),
        ),
    ),
    (
        "Sécurité",
        (
            ("EX-04", "Les mots de passe sont conservés sous une forme qui ne permet pas de les retrouver.", "O"),
            ("EX-05", "Chaque accès à un dossier est consigné dans un journal conservé un an.", "O"),
            ("EX-06", "Un audit d'intrusion est réalisé chaque année par un prestataire qualifié.", "S"),
        ),
    ),
    (
        "Réversibilité",
        (
            ("EX-07", "En fin de marché, les données sont restituées dans un format ouvert sous trente jours.", "O"),
            ("EX-08", "Le titulaire décrit les moyens humains affectés à la phase de réversibilité.", "S"),
        ),
    ),
)
_OPEN = (
    "Présentez votre méthode de reprise des données existantes.",
    "Quels sont vos délais de prise en charge et de résolution selon la gravité de l'incident ?",
    "Comment accompagnez-vous les utilisateurs lors de la mise en service ?",
    "Avez-vous une politique d'accessibilité numérique ? Précisez le niveau atteint.",
)
_PRICES = ("Abonnement mensuel par agent", "Journée de formation", "Reprise des données (forfait)")


def requirements() -> Layout:
    """Chapters within the table, conformity by O or N with a comment, then open questions on a sheet of their own."""
    form = Form("cahier_des_charges", "Annexe 2 CCTP - Cadre de réponse technique.xlsx")
    page = form.page("Mode d'emploi")
    page.refuse(1, A="Comment remplir ce cadre de réponse ?")
    page.refuse(2, A="Le soumissionnaire indique O (conforme) ou N (non conforme) pour chaque exigence.")
    page.refuse(3, A="O = obligatoire, S = souhaitée.")
    page.lead(5, A="Raison sociale du candidat", C="SIRET")
    page = form.page("Exigences")
    page.widths(A=9, B=70, C=10, D=12, E=60)
    page.head(4, A="Réf.", B="Exigence", C="Niveau (O/S)", D="Conforme (O/N)", E="Commentaire du soumissionnaire")
    page.refuse(1, "A1:E1", A="Cadre de réponse technique – Logiciel de gestion du courrier")
    row = 5
    for number, (title, needs) in enumerate(_NEEDS, start=1):
        page.section(row, f"A{row}:E{row}", A=f"Chapitre {number} – {title}")
        first = row + 1
        for row, (ident, text, level) in enumerate(needs, start=first):
            page.ask(row, "B", text, "D", comment="E", A=ident, C=level)
        row += 1
    page.choose(f"D6:D{row - 1}", "O", "N")
    page = form.page("Questions ouvertes")
    page.head(1, A="N°", B="Question", C="Réponse (2000 caractères maximum)")
    for row, text in enumerate(_OPEN, start=2):
        page.ask(row, "B", text, "C", A=row - 1)
    page = form.page("BPU")
    page.head(1, A="Prix n°", B="Désignation", C="Unité", D="Prix unitaire HT", E="TVA")
    for row, text in enumerate(_PRICES, start=2):
        page.refuse(row, B=text)
        page.say(row, A=f"P{row - 1}", C="u", E=0.2)
    return form.layout()
