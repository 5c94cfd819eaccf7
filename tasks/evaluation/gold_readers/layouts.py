"""Layouts of gold sets: the list of readers, and the import of a file in any of their layouts."""

from __future__ import annotations

from tasks.errors import UsageError
from tasks.evaluation.gold_readers.bioasq import Bioasq
from tasks.evaluation.gold_readers.financebench import FinanceBench
from tasks.evaluation.gold_readers.llamaindex import LlamaIndex
from tasks.evaluation.gold_readers.questionnaire import CompletedQuestionnaire
from tasks.evaluation.gold_readers.rag_mini import RagMiniBioasq, RagMiniWikipedia
from tasks.evaluation.gold_readers.source import Imported, Reader, open_source
from tasks.evaluation.gold_readers.squad import Squad

READERS: tuple[Reader, ...] = (
    RagMiniWikipedia(),
    RagMiniBioasq(),
    Squad(),
    Bioasq(),
    FinanceBench(),
    LlamaIndex(),
    CompletedQuestionnaire(),
)
"""Readers in the order in which they are tried: a CSV file of the first could pass for a questionnaire."""
LAYOUTS = tuple(reader.name for reader in READERS)


def import_gold(path: str, layout: str | None, passages: str | None) -> tuple[str, Imported]:
    """Import a gold set; returns the name of its layout, given or recognised, and the questions read.

    Raises UsageError for a file that cannot be read, has no known layout or not the named one, or has no question.
    """
    source = open_source(path, passages)
    if source.is_empty:
        raise UsageError(f"there is nothing in {path}")
    reader = next((one for one in READERS if one.name == layout or (layout is None and one.recognises(source))), None)
    if reader is None:
        if source.has_columns("id", "question", "answerable"):
            raise UsageError(f"{path} is a gold set already: `bidfolio evaluate {path}`")
        raise UsageError(f"{path} is in no layout that is known ({', '.join(LAYOUTS)}): name it with --layout")
    try:
        found = reader.read(source)
    except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
        raise UsageError(f"{path} is not in the layout {reader.name}: {_words(error)}") from error
    if not found.questions:
        reasons = "; ".join(f"{count} {reason}" for reason, count in found.left_out.most_common())
        raise UsageError(f"{path} gives no question{': ' if reasons else ''}{reasons}")
    return reader.name, found


def _words(error: Exception) -> str:
    """Describe the error in words: Python's message on a wrong type does not help whoever has the file."""
    if isinstance(error, KeyError):
        return f"{error.args[0]!r} is missing"
    return str(error) if type(error) is ValueError else "it is made otherwise"
