"""The questions of the gate's gold set."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tasks.errors import UsageError
from tasks.evaluation.gold.gold_set import read_gold
from tasks.records import GoldQuestion

if TYPE_CHECKING:
    from configs.settings import GateSettings

VARIABLE = "gate.gold in the profile, or BIDFOLIO_GATE_GOLD"


def gate_questions(gate: GateSettings, corpus: str) -> list[GoldQuestion]:
    """The questions that versions of the corpus are asked before publishing; none where no gold set is configured.

    Questions with held-out documents are left out: they say nothing about a version that has those documents. Raises
    UsageError, which names the setting and what is wrong with the file.
    """
    path = gate.gold_of(corpus)
    if not path:
        return []
    try:
        return [question for question in read_gold(path) if not question.held_out]
    except UsageError as error:
        raise UsageError(f"the gate's gold set ({VARIABLE}): {error}") from error
