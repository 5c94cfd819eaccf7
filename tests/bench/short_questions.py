"""Questions put with abbreviations: how many are answered as with the long forms, with what was learned and without.

Run: .venv/bin/python -m tests.bench.short_questions HOME [SET …]

SET is one of :mod:`tests.bench.verdict_sets`; of its answerable questions those are asked that have one of the long
forms below. One is answered as its long form is where the same verdict is proposed, and the quotes hold the evidence
or do not.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from dataclasses import replace

from tasks.answering.pipeline import answer_questions
from tasks.embedding.lexical.abbreviations import NO_ABBREVIATIONS
from tasks.retrieval.first_stage.exact_search import SearchableIndex
from tests.bench.fit_verdicts import is_quoted
from tests.bench.verdict_sets import loaded_for, verdict_set

SETS = ("meridian", "saas-templates", "plain", "fenwick")
SHORT = {
    "multi-factor authentication": "MFA",
    "web application firewall": "WAF",
    "business continuity plan": "BCP",
    "business impact analysis": "BIA",
    "recovery time objective": "RTO",
    "data protection officer": "DPO",
    "data protection impact assessments": "DPIAs",
    "software bill of materials": "SBOM",
    "role-based access control": "RBAC",
    "single sign-on": "SSO",
    "data processing agreement": "DPA",
    "service level agreement": "SLA",
    "chief information security officer": "CISO",
    "intrusion detection systems": "IDS",
    "dynamic application security testing": "DAST",
    "standard contractual clauses": "SCCs",
}
_LONG = re.compile("|".join(SHORT), re.IGNORECASE)


def main(home: str, names: Sequence[str]) -> None:
    """Prints the counts of each set."""
    for name in names:
        of = verdict_set(name, home)
        loaded, _ = loaded_for(of, home)
        wanted = [one for item, one in zip(of.items, of.questions, strict=True) if item.answerable]
        long = [one for one in wanted if _LONG.search(one.text)]
        short = [replace(one, text=_LONG.sub(lambda found: SHORT[found.group().lower()], one.text)) for one in long]
        assert isinstance(loaded.index, SearchableIndex)
        unlearned = replace(loaded, index=replace(loaded.index, abbreviations=NO_ABBREVIATIONS))
        asked = {"long": (long, unlearned), "short": (short, unlearned), "short, learned": (short, loaded)}
        outcomes: dict[str, list[tuple[str | None, bool]]] = {}
        for how, (questions, by) in asked.items():
            answers = [one.answer for one, _ in answer_questions(questions, by).settled]
            declined = sum(one.status == "declined" for one in answers)
            outcomes[how] = [
                (
                    one.proposed_verdict,
                    any(is_quoted(citation.quote, of.quotes[one.question_id]) for citation in one.citations),
                )
                for one in answers
            ]
            same = sum(mine == its for mine, its in zip(outcomes[how], outcomes["long"], strict=True))
            print(f"{name}, {how}: {len(answers)} asked, {declined} declined, {same} as the long form")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:] or SETS)
