"""Gold sets held against a corpus, made of one, and read from what others have made."""

from __future__ import annotations

from typing import NamedTuple

from configs.settings import Settings
from tasks.evaluation.gold_corpus import read_gold_in
from tasks.lake import Lake
from tasks.stage import stage


class CheckedGold(NamedTuple):
    """What a gold set has that the corpus has not, line by line, and the documents that it holds out."""

    gold_faults: tuple[str, ...]
    held_out: tuple[str, ...]


@stage("hold {path} against {corpus}")
def check_gold(path: str, corpus: str, settings: Settings) -> CheckedGold:
    """The gold set's files and pages that are not in the corpus, and what is left out of what is measured.

    Raises UsageError for a line that cannot be read, and where the gold set has nothing to do with the corpus.
    """
    found = read_gold_in(Lake(settings.home), path, corpus, may_be_unlabelled=True)
    return CheckedGold(found.faults, found.held_out)
