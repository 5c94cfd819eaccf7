"""A refresh of a folder with an archive and a mail, and an answer that cites what is in them."""

from __future__ import annotations

import zipfile
from email.message import EmailMessage
from pathlib import Path

from tests.made.commands import Bidfolio
from tests.made.run_results import counts


def test_answers_cite_the_file_in_the_file(prefect_server: None, bidfolio: Bidfolio, corpus: Path) -> None:
    with zipfile.ZipFile(corpus / "offers.zip", "w") as archive:
        archive.write(corpus / "policy.pdf", "2026/policy.pdf")
        archive.writestr("../out.txt", "x")
        archive.writestr("logo.png", "x")
    (corpus / "policy.pdf").unlink()
    mail = EmailMessage()
    mail["Subject"], mail["From"] = "Our mascot", "Ann <ann@vendor.example>"
    mail.set_content("The mascot of our company is a green hedgehog named Igor.")
    mail.add_attachment((corpus / "past.csv").read_bytes(), maintype="text", subtype="csv", filename="past.csv")
    (corpus / "mail.eml").write_bytes(mail.as_bytes())
    (corpus / "past.csv").unlink()

    first = bidfolio("--json", "refresh", corpus)
    assert first.exit_code == 1, first.err
    assert first.summary["documents"] == counts(added=4, quarantined=1)
    rows = bidfolio("--json", "sql", "SELECT file_name, kind, reason FROM documents ORDER BY 1").summary["rows"]
    climbing = "offers.zip/../out.txt"
    assert rows == [
        ["hosting.txt", "txt", None],
        ["mail.eml", "eml", None],
        ["mail.eml/past.csv", "csv", None],
        [climbing, None, f"{climbing}: refused: its path leads out of the container"],
        ["offers.zip/2026/policy.pdf", "pdf", None],
    ]
    cited = {
        question: bidfolio("--json", "ask", question).summary["citations"][0]
        for question in ("Is all customer data at rest encrypted with AES-256?", "What is the mascot of your company?")
    }
    assert [(one["file_name"], one["page_number"]) for one in cited.values()] == [
        ("offers.zip/2026/policy.pdf", 1),
        ("mail.eml", None),
    ]

    second = bidfolio("--json", "refresh", corpus)
    assert second.exit_code == 0 and second.summary["documents"] == counts(unchanged=4, quarantined=1)

    with zipfile.ZipFile(corpus / "offers.zip", "a") as archive:
        archive.writestr("2026/new.txt", "The office in Oslo has closed.")
    third = bidfolio("--json", "refresh", corpus)
    # The archive is another one, so what is refused in it is seen for the first time.
    assert third.exit_code == 1 and third.summary["documents"] == counts(added=1, unchanged=4, quarantined=1)
