"""Findings of checks: their record, and their table for a person to read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of one expectation; ``passed`` is None if it could not be judged.

    A failed finding that is ``critical`` refuses what was checked; a ``warning`` is only reported. ``expected``
    describes what must hold, ``observed`` the rows that differ; neither contains corpus text.
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
        """Tell if the expectation was judged and did not hold."""
        return self.passed is False

    @property
    def message(self) -> str:
        """Format the finding as a message."""
        return f"{self.suite}.{self.column_name or 'rows'}: {self.expected}; {self.observed}"


def finding_table(findings: Sequence[Finding]) -> list[dict[str, str]]:
    """Format the findings as table rows, failures first, critical ones before warnings; no findings give no rows."""
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
