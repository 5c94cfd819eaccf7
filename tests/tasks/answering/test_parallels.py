"""Short follow-ups in the place of what they are parallel to."""

from __future__ import annotations

import pytest

from tasks.chat.parallels import with_follow_up


def _read(lines: str) -> list[tuple[str, str, str | None]]:
    rows = [[part.strip() for part in line.split("|")] for line in lines.strip().splitlines()]
    return [(before, now, asked or None) for before, now, asked in rows]


DEVELOPED_ON = _read("""
Do you have ISO 27001? | and SOC 2? | Do you have SOC 2?
Who is your DPO? | And the CISO? | Who is the CISO?
Who is your DPO? | and CISO? | Who is your CISO?
How long are backups kept? | what about log files? | How long are log files kept?
How long are backups kept? | and the audit log? | How long is the audit log kept?
How long are backups kept? | and in Ireland? |
Do you have an office in Germany? | and in Ireland? | Do you have an office in Ireland?
Do you have an office in Germany? | and Ireland? | Do you have an office in Ireland?
Is MFA required for administrators? | and contractors? | Is MFA required for contractors?
Is MFA required for administrators? | and SSO? | Is SSO required for administrators?
Are you ISO 27001 certified? | and SOC 2? | Are you SOC 2 certified?
Do you encrypt customer data at rest? | and for backups? |
Do you encrypt customer data at rest? | and in transit? | Do you encrypt customer data in transit?
Do you have a policy on passwords? | and mobile devices? | Do you have a policy on mobile devices?
Do you have a policy on passwords? | and a whistleblowing channel? | Do you have a whistleblowing channel?
Do employees sign a code of conduct? | and contractors? | Do contractors sign a code of conduct?
Does the service support single sign-on? | and the mobile app? | Does the mobile app support single sign-on?
Is customer data deleted after the contract ends? | What about logs? | Are logs deleted after the contract ends?
Who is responsible for information security? | and privacy? | Who is responsible for privacy?
Describe your backup process. | and the restore process? | Describe the restore process.
What was your revenue in 2024? | and 2023? | What was your revenue in 2023?
Do you encrypt backups in the data centre? | and the laptops? |
How long does it take to restore a backup? | and to Germany? |
How often do you carry out penetration tests? | What about the results? |
How are vulnerabilities patched? | And if no fix is available yet? |
Where are your data centres? | Why Frankfurt? |
Do you test backups? | and monthly? |
""")
WRITTEN_AFTER = _read("""
Do you support SAML? | and OpenID Connect? | Do you support OpenID Connect?
How do you handle severity 1 incidents? | and severity 2 incidents? | How do you handle severity 2 incidents?
Do you carry cyber insurance? | And professional indemnity insurance? | Do you carry professional indemnity insurance?
Is customer data stored outside the EU? | and outside Germany? | Is customer data stored outside Germany?
Do you perform background checks on employees? | and credit checks? | Do you perform credit checks on employees?
Does it integrate with Salesforce? | and Microsoft Teams? | Does it integrate with Microsoft Teams?
When was your last penetration test? | and the last audit? | When was the last audit?
Do you comply with the GDPR? | and with HIPAA? | Do you comply with HIPAA?
Are passwords hashed? | and API keys? | Are API keys hashed?
What are your support hours? | and the escalation contacts? | What are the escalation contacts?
How often are backups tested? | and the disaster recovery plan? | How often is the disaster recovery plan tested?
Are new hires trained in security? | and in privacy? | Are new hires trained in privacy?
Who has access to production data? | and to logs? | Who has access to logs?
What certifications do you hold? | and SOC 2? |
Do you provide 24/7 support? | and in French? |
Where is the primary data centre located? | and the secondary one? |
Do you encrypt emails? | and not attachments? |
Do third parties have access to customer data? | and freelancers? |
""")
"""The rule gave these as they are when they were first run; the two below were mended."""
MENDED = _read("""
Is your office in Dublin certified to ISO 27001? | and in London? | Is your office in London certified to ISO 27001?
What are the RTO and RPO? | and the MTPD? | What are the MTPD?
""")


@pytest.mark.parametrize(("before", "now", "asked"), [*DEVELOPED_ON, *WRITTEN_AFTER, *MENDED])
def test_a_follow_up_takes_a_place_or_none(before: str, now: str, asked: str | None) -> None:
    assert with_follow_up(before, now) == asked
