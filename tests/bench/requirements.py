"""Precision and recall of finding requirements, on labelled sentences of a public tender.

`python -m tests.bench.requirements` prints them for each part of tests/data/rfp-requirements.jsonl, with the mistakes.
"""

from __future__ import annotations

import json
from collections import defaultdict

from tasks.questionnaires.requirements.obligations import Role, obliges_bidder
from tests.made.paths import ROOT

LABELLED = ROOT / "tests" / "data" / "rfp-requirements.jsonl"
ACRONYMS: dict[str, Role] = {"DHSS": "buyer", "DOA": "buyer", "DPA": "buyer", "BA": "bidder"}
"""The roles of the parties, by the tender's own definitions."""


def main() -> None:
    """Print a line for each part, and below it the sentences that were judged wrongly."""
    parts: dict[str, list[tuple[bool, bool, str]]] = defaultdict(list)
    for one in map(json.loads, LABELLED.read_text(encoding="utf-8").splitlines()):
        parts[one["part"]].append((one["requirement"], obliges_bidder(one["text"], ACRONYMS), one["text"]))
    for part, judged in parts.items():
        right = sum(label and found for label, found, _ in judged)
        found, labelled = sum(found for _, found, _ in judged), sum(label for label, _, _ in judged)
        print(
            f"{part}: {len(judged)} sentences, {labelled} required, precision {right / found:.3f}, "
            f"recall {right / labelled:.3f}"
        )
        for label, was_found, text in judged:
            if label != was_found:
                print(f"  {'missed' if label else 'wrong'}: {text[:160]}")


if __name__ == "__main__":
    main()
