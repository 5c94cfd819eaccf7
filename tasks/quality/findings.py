"""Findings of checks: their record, their table for a person to read, and what to do about a refusal."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from tasks.references import DEFAULT_CORPUS, Staged


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


def publish_command(staged: Staged, plan: str) -> str:
    """The command that publishes the version by hand; ``plan`` is the plan's name as the user gives it."""
    options = [] if plan == "bidfolio" else ["--plan", plan]
    options += [] if staged.corpus == DEFAULT_CORPUS else ["--corpus", staged.corpus]
    return f"bidfolio index publish {shlex.join([staged.index_version, *options])}"


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
