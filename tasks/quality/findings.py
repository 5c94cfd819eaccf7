"""What a check found, as rows and as a person reads it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Finding:
    """One expectation and whether it held: None where it could not be judged. One that is ``critical`` refuses what
    was checked, a ``warning`` is told.

    ``expected`` says in words what must hold, ``observed`` which rows are otherwise; neither holds corpus text.
    """

    suite: str
    expectation: str
    column_name: str | None
    severity: Literal["critical", "warning"]
    passed: bool | None
    expected: str
    observed: str

    @property
    def failed(self) -> bool:
        """Whether it was judged and did not hold."""
        return self.passed is False

    @property
    def message(self) -> str:
        """The finding as a person reads it."""
        return f"{self.suite}.{self.column_name or 'rows'}: {self.expected}; {self.observed}"


def finding_table(findings: Sequence[Finding]) -> list[dict[str, str]]:
    """The findings as a person reads them, what failed first, the critical before warnings; none give no rows."""
    ordered = sorted(findings, key=lambda finding: (not finding.failed, finding.severity))
    return [
        {
            "result": finding.severity if finding.failed else "not judged" if finding.passed is None else "passed",
            "about": f"{finding.suite}.{finding.column_name or 'rows'}",
            "expected": finding.expected,
            "observed": finding.observed,
        }
        for finding in ordered
    ]
