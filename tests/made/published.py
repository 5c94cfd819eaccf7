"""A tiny corpus of three files, and a home in which it is published."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tests.made.commands import Ran

BACKUPS = (
    "Backups of the production database are kept for thirty-five days and are stored in a second",
    "region, from which a restore is rehearsed every quarter by the operations team.",
)
"""One sentence that begins at the foot of page 1 of the policy and ends at the head of page 2."""
HOSTING = """Hosting

The service runs in two data centres in Frankfurt and Dublin. Staff reach production only through a bastion host.

Availability

The monthly uptime target is 99.95 percent, measured at the load balancer.
"""
PAST = """Ref,Question,Answer
1,Do you carry out penetration tests?,Yes. An independent firm carries out a penetration test every year.
2,Do you support single sign-on?,Yes. SAML 2.0 and OpenID Connect are supported on all plans.
"""


def write_corpus(folder: Path) -> None:
    """A policy of two pages, a text, and a past questionnaire."""
    from reportlab.pdfgen import canvas

    folder.mkdir(parents=True, exist_ok=True)
    pdf = canvas.Canvas(str(folder / "policy.pdf"), pagesize=(595, 842), invariant=True)
    pdf.setTitle("Northgate security policy")
    pdf.setFont("Helvetica-Bold", 18)
    pdf.drawString(60, 780, "Encryption of data")
    pdf.setFont("Helvetica", 11)
    pdf.drawString(60, 740, "All customer data at rest is encrypted with AES-256 in every region that we operate.")
    pdf.drawString(60, 100, BACKUPS[0])
    pdf.showPage()
    pdf.setFont("Helvetica", 11)
    pdf.drawString(60, 780, BACKUPS[1])
    pdf.setFont("Helvetica-Bold", 18)
    pdf.drawString(60, 700, "Incident response")
    pdf.setFont("Helvetica", 11)
    pdf.drawString(60, 660, "Customers are told about a confirmed breach of personal data within 48 hours.")
    pdf.showPage()
    pdf.save()
    (folder / "hosting.txt").write_text(HOSTING, encoding="utf-8")
    (folder / "past.csv").write_text(PAST, encoding="utf-8")


@dataclass(frozen=True)
class Published:
    """A home in which the tiny corpus is published for the plan bidfolio, and what the refresh said."""

    home: Path
    documents: Path
    refreshed: Ran
