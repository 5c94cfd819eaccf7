"""Conversations as a bid team has them: what was asked before, what is asked now, and whether that leans on it.

Each line is the question before, the one now, and the words of the former, in small letters, that the latter cannot be
answered without; none where it can be asked alone. ``DEVELOPED_ON`` is what the rules were made with. ``JUDGED_BY`` was
written before them, by the same person, and no rule was changed after a look at it.
"""

from __future__ import annotations

from typing import NamedTuple


class Said(NamedTuple):
    """Two questions one after the other; ``leans_on`` are words of the first that the second lacks."""

    before: str
    now: str
    leans_on: tuple[str, ...] = ()


def _read(lines: str) -> list[Said]:
    parts = [[part.strip() for part in line.split("|")] for line in lines.strip().splitlines()]
    return [Said(before, now, tuple(words.split())) for before, now, words in parts]


DEVELOPED_ON = _read("""
How often do you carry out penetration tests? | and who sees the results? | penetration tests
How often do you carry out penetration tests? | Can we get a copy of the report? | penetration tests
Do you encrypt backups? | and who holds the keys? | backups
How long are log files kept? | What about audit trails? | kept
How long are log files kept? | Which regions? | log files
Do you have a disaster recovery plan? | When was the last one tested? | disaster recovery
Do you have a disaster recovery plan? | Who approves it? | disaster recovery
Do you use subprocessors? | Are there any exceptions? | subprocessors
Do you use subprocessors? | Are those companies audited? | subprocessors
How are new employees screened? | Is that process documented? | employees screened
How are new employees screened? | What if a check fails? | employees
Is multi-factor authentication required? | Is the same true for contractors? | multi-factor authentication
Is multi-factor authentication required? | Even when working from the office network? | multi-factor authentication
What is your uptime commitment? | What happens if you miss it? | uptime
What is your uptime commitment? | Can you give an example? | uptime
How do you classify data? | Who decides? | classify data
How do you classify data? | Please elaborate. | classify data
How often do you carry out penetration tests? | Do you have a bug bounty programme? |
Do you encrypt backups? | And do you encrypt laptops? |
Do you encrypt backups? | Is customer data kept in the European Union? |
How long are log files kept? | Who is your data protection officer? |
Do you have a disaster recovery plan? | What is the recovery time objective for the production database? |
Do you have a disaster recovery plan? | Which steps does it take to restore a customer's database? |
Do you use subprocessors? | Do you keep a register of assets, and who owns it? |
Do you use subprocessors? | Are employees trained before they get access to customer data? |
How are new employees screened? | Is there a whistleblowing channel for employees? |
How are new employees screened? | In which countries do you have offices? |
Is multi-factor authentication required? | What certifications do you hold? |
Is multi-factor authentication required? | Does the service support single sign-on? |
What is your uptime commitment? | Describe the process for onboarding a new customer. |
What is your uptime commitment? | Are the results of internal audits reported to the board? |
How do you classify data? | How much does the standard licence cost? |
How do you classify data? | Do you require that vendors sign a confidentiality agreement? |
How do you classify data? | Is it possible to export all records as CSV? |
""")
JUDGED_BY = _read("""
Are security incidents reported to customers? | and how quickly? | incidents
Are security incidents reported to customers? | Who gets to read the summary? | incidents
Are security incidents reported to customers? | How about minor ones? | incidents
Do you offer training for administrators? | Is there a charge for it? | training
Do you offer training for administrators? | By whom? | training
Do you offer training for administrators? | Only online? | training
Do employees sign a code of conduct? | What are the consequences if somebody breaks it? | code conduct
Do employees sign a code of conduct? | Do temporary workers too? | code conduct
Where are your data centres? | Who operates them? | data centres
Where are your data centres? | Why Frankfurt? | data centres
Where are your data centres? | And how do they cope with a power cut? | data centres
How are vulnerabilities patched? | What is the usual deadline? | vulnerabilities patched
How are vulnerabilities patched? | And if no fix is available yet? | vulnerabilities
How are vulnerabilities patched? | Who is responsible for that? | vulnerabilities patched
Do you review access rights? | How frequently? | access rights
Do you review access rights? | And what are the findings used for? | access rights
Do you review access rights? | Does anybody outside the company check this? | access rights
Is customer data deleted after the contract ends? | Can we get proof? | deleted
Is customer data deleted after the contract ends? | What about the copies in backups? | deleted
Is customer data deleted after the contract ends? | Does the same apply to metadata? | deleted
Are security incidents reported to customers? | Do you have cyber insurance? |
Are security incidents reported to customers? | And is there a status page for customers? |
Are security incidents reported to customers? | How many people work in your security team? |
Do you offer training for administrators? | Which browsers does the product support? |
Do you offer training for administrators? | What is the notice period for terminating the contract? |
Do you offer training for administrators? | Who owns the intellectual property in custom developments? |
Do employees sign a code of conduct? | Do you screen staff before they start work? |
Do employees sign a code of conduct? | Is data encrypted in transit? |
Where are your data centres? | Do you hold ISO 27001 certification? |
Where are your data centres? | How long does it take to implement the product? |
Where are your data centres? | Please describe your change management procedure. |
How are vulnerabilities patched? | What is the maximum file size for uploads? |
How are vulnerabilities patched? | Do you have a policy that governs remote work? |
How are vulnerabilities patched? | Can users reset their own passwords? |
Do you review access rights? | When was your company founded? |
Do you review access rights? | Are laptops wiped when employees leave and is this logged? |
Do you review access rights? | Which law governs the contract? |
Is customer data deleted after the contract ends? | Does the interface meet WCAG 2.2? |
Is customer data deleted after the contract ends? | List three references from the public sector. |
Is customer data deleted after the contract ends? | And do you support LDAP? |
""")
