"""Every layout that gold sets are read from, and which one a file is in."""

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
"""In the order in which a file is shown to them: a CSV file of the first could pass for a questionnaire."""
LAYOUTS = tuple(reader.name for reader in READERS)


def import_gold(path: str, layout: str | None, passages: str | None) -> tuple[str, Imported]:
    """The name of the layout, as given or as the file shows it, and what was read.

    Raises UsageError for a file that cannot be read, is in none of the layouts, or not in the one that was named, and
    where there is no question in it.
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
    """What is wrong, in words: what Python says of a value of another type is of no use to who has the file."""
    if isinstance(error, KeyError):
        return f"{error.args[0]!r} is missing"
    return str(error) if type(error) is ValueError else "it is made otherwise"
