"""Grids of boxes under two rows of heads, and a table far from the corner of its sheet."""

from __future__ import annotations

import io

from openpyxl.drawing.image import Image
from PIL import Image as Picture

from tests.made.questionnaire_layouts.form import Form, Layout, Page

_TICKS = {"yes": "C", "no": "D", "na": "E"}
_CONTROLS = (
    ("7.1", "Is entry to rooms with servers limited to named people?"),
    ("7.2", "Are visitors accompanied at all times?"),
    ("7.3", "Are rooms with servers watched by cameras?"),
    ("7.4", "Is there a second supply of electricity?"),
    ("7.5", "Are detectors for smoke and water tested every year?"),
)
_SUPPLY = (
    ("8.1", "Are subcontractors bound by the same duties of secrecy?"),
    ("8.2", "Is the customer told before a new subcontractor starts?"),
    ("8.3", "Are subcontractors audited on site?"),
)


def ticked_grid() -> Layout:
    """Yes, No and N.A. under one merged head: without a column for words, then with one."""
    form = Form("ticked_grid", "Audit grid physical security.xlsx")
    _evidence(form.page("7 Physical"))
    _comments(form.page("8 Supply chain"))
    return form.layout()


def _evidence(page: Page) -> None:
    page.refuse(1, "A1:G1", A="Mark one box in each row with X")
    page.head(4, A="Nr.", B="Control question", C="Response", F="Evidence")
    page.head(5, C="Yes", D="No", E="N.A.", F="Document", G="Page")
    page.merge("A4:A5", "B4:B5", "C4:E4", "F4:G4")
    for row, (number, text) in enumerate(_CONTROLS, start=6):
        page.ask(row, "B", text, verdicts=_TICKS, A=number)


def _comments(page: Page) -> None:
    """Here the boxes come last, and each block of the table opens with a merged title."""
    page.head(1, A="Nr.", B="Question", C="Comments", D="Compliant")
    page.head(2, D="Yes", E="No", F="N/A")
    page.merge("A1:A2", "B1:B2", "C1:C2", "D1:F1")
    page.section(3, "A3:F3", A="8 Subcontractors")
    for row, (number, text) in enumerate(_SUPPLY, start=4):
        page.ask(row, "B", text, "C", verdicts={"yes": "D", "no": "E", "na": "F"}, A=number)


_FAR = (
    "Who is responsible for the security of the service?",
    "Which certificates does the service hold, and until when are they valid?",
    "In which countries is customer data processed?",
    "How can administrators of the customer export audit logs?",
    "What is the greatest loss of data, in minutes, after a failure of a site?",
    "Do you offer a sandbox?",
)


def far_corner() -> Layout:
    """A logo, a title and instructions above and beside a table that begins in F14."""
    form = Form("far_corner", "NordBank_Cloud_Onboarding_Form.xlsx")
    page = form.page("Form")
    out = io.BytesIO()
    Picture.new("RGB", (180, 60), (10, 60, 120)).save(out, "PNG")
    page.sheet.add_image(Image(out), "B2")
    page.refuse(3, "F3:I3", F="Onboarding of cloud services")
    page.say(4, F="Form 17-C, version 3.2")
    page.refuse(6, "F6:I6", F="How should this form be completed?")
    page.refuse(7, "F7:I7", F="Write short answers in English. If a question cannot be answered, say why.")
    page.refuse(8, "F8:I8", F="Return the form within ten working days. Have you kept a copy?")
    page.lead(10, F="Service:", H="Provider:")
    page.refuse(14, B="Do not write in this margin")
    page.widths(A=3, B=12, C=3, D=3, E=3, F=6, G=60, H=60, I=20)
    page.head(14, F="No.", G="Question", H="Response", I="Attachment no.")
    for row, text in enumerate(_FAR, start=15):
        page.ask(row, "G", text, "H", F=row - 14)
    page.sheet.freeze_panes = "F15"
    page.sheet.sheet_view.showGridLines = False
    page.refuse(22, "F22:I22", F="Approved by the risk committee on 3 February 2026")
    return form.layout()
