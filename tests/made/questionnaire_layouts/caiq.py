"""A questionnaire of cloud controls, with each control's own text in merged cells beside the questions."""

from __future__ import annotations

from tests.made.questionnaire_layouts.form import Form, Layout

_CONTROLS = (
    (
        "AIS-02",
        "Baseline for Applications",
        "Application & Interface Security",
        "Write down, agree and keep up to date the least that must be done to secure each kind of application.",
        (
            "Is there a written security baseline for every kind of application that you run?",
            "Are those baselines kept up to date?",
        ),
    ),
    (
        "BCR-08",
        "Backup",
        "Business Continuity Management",
        "Copy data in the cloud regularly. Keep the copies confidential, whole and at hand, and prove that they can be "
        "restored.",
        (
            "Is customer data in the cloud backed up at regular intervals?",
            "Are the confidentiality, integrity and availability of the copies assured?",
            "Can data be restored from the copies, and is this tested?",
        ),
    ),
    (
        "CEK-03",
        "Encryption of Data",
        "Cryptography & Key Management",
        "Protect data at rest and in transit by cryptographic libraries that are certified to recognised standards.",
        ("Is data protected at rest and in transit by libraries that are certified to recognised standards?",),
    ),
    (
        "LOG-05",
        "Watch over Audit Logs",
        "Logging and Monitoring",
        "Watch audit logs for activity outside of what is usual or expected, and act on what is found in good time.",
        (
            "Are audit logs watched for activity that is out of the ordinary?",
            "Is there a defined process by which such findings are reviewed and acted upon in good time?",
        ),
    ),
    (
        "UEM-11",
        "Loss of Data from Endpoints",
        "Universal Endpoint Management",
        "Set up managed endpoints with technology that prevents data loss, as a risk assessment shows to be needed.",
        ("Do managed endpoints carry technology that prevents data loss, in line with a risk assessment?",),
    ),
)
_OWNERS = ("CSP-owned", "CSC-owned", "3rd-party outsourced", "Shared CSP and CSC", "Shared CSP and 3rd-party")


def cloud_controls() -> Layout:
    """Two rows of heads, a choice, an owner, two columns for words, and the control repeated by merged cells."""
    form = Form("caiq_cloud_controls", "Cloud_controls_questionnaire_v4.xlsx")
    page = form.page("Introduction")
    page.refuse(1, A="Cloud controls questionnaire, version 4")
    page.refuse(3, A="What is the column “CSP CAIQ Answer” for? Choose Yes, No or NA for each question.")
    page.refuse(4, A="The column “SSRM Control Ownership” says who is responsible for the control.")
    page = form.page("CAIQv4")
    page.widths(A=12, B=50, C=12, D=20, E=45, F=35, G=10, H=50, I=20, J=24)
    page.section(1, "A1:J1", A="CONSENSUS ASSESSMENTS QUESTIONNAIRE v4.0.9")
    page.head(
        2,
        A="Question ID",
        B="Question",
        C="CSP CAIQ Answer",
        D="SSRM Control Ownership",
        E="CSP Implementation Description (Optional/Recommended)",
        F="CSC Responsibilities (Optional/Recommended)",
        G="CCM Control ID",
        H="CCM Control Specification",
        I="CCM Control Title",
        J="CCM Domain Title",
    )
    row = 3
    for ident, title, domain, control, questions in _CONTROLS:
        for number, text in enumerate(questions, start=1):
            page.ask(row, "B", text, "C", comment="E", A=f"{ident}.{number}")
            if number == 1:
                page.refuse(row, G=ident, H=control, I=title, J=domain)
                last = row + len(questions) - 1
                if last > row:
                    page.merge(*(f"{column}{row}:{column}{last}" for column in "GHIJ"))
            row += 1
    page.choose(f"C3:C{row - 1}", "Yes", "No", "NA")
    page.choose(f"D3:D{row - 1}", *_OWNERS)
    page.refuse(row, A="End of Standard")
    page.refuse(row + 2, f"A{row + 2}:J{row + 2}", A="© The publisher. Use within your organisation is permitted.")
    return form.layout()
