"""Readers of rag-mini-wikipedia and rag-mini-bioasq of Hugging Face's rag-datasets."""

from __future__ import annotations

import json
from typing import Any

from tasks.evaluation.gold_readers.source import Gathering, Imported, Source, file_stem, stated_verdict, text_of
from tasks.records import GoldEvidence, GoldQuestion, content_id

_COLUMNS = ("question", "answer", "id")


class RagMiniBioasq:
    """Layout of a table with ``question, answer, id, relevant_passage_ids``, and a second one with ``passage, id``.

    The ids of the passages are a list or its JSON.
    """

    name = "rag-mini-bioasq"

    def recognises(self, source: Source) -> bool:
        """Recognise the layout by the column that names the passages."""
        return source.has_columns("question", "relevant_passage_ids")

    def read(self, source: Source) -> Imported:
        """Read the questions; evidence is the passages, each a document.

        If the passages' texts are given, passages without one are left out: in the set, some are "nan".
        """
        found = _gathered(source)
        for row in source.rows:
            evidence = []
            for passage_id in _ids(row["relevant_passage_ids"]):
                name = _file(passage_id)
                if source.passages and name not in found.documents:
                    found.left_out["relevant passages that have no text"] += 1
                else:
                    evidence.append(GoldEvidence(name, None))
            found.add(_question(row, tuple(dict.fromkeys(evidence))))
        return found.imported()


class RagMiniWikipedia:
    """Layout of a table with ``question, answer, id``, and a second one with ``passage, id``.

    It does not link questions to passages.
    """

    name = "rag-mini-wikipedia"

    def recognises(self, source: Source) -> bool:
        """Recognise the layout by exactly these columns; an index column that pandas has left is ignored."""
        is_it = source.has_columns("question", "answer", "id")
        return is_it and all(name in _COLUMNS or name.startswith("__index") for name in source.rows[0])

    def read(self, source: Source) -> Imported:
        """Read the questions without evidence, and the passages as documents."""
        found = _gathered(source)
        for row in source.rows:
            found.add(_question(row, ()))
        return found.imported()


def _gathered(source: Source) -> Gathering:
    found = Gathering()
    for row in source.passages:
        text = text_of(row["passage"])
        if text is None or text == "nan":
            found.left_out["passages that have no text"] += 1
        else:
            found.documents[_file(row["id"])] = f"{text}\n"
    return found


def _question(row: Any, evidence: tuple[GoldEvidence, ...]) -> GoldQuestion:
    question, answer = text_of(row["question"]) or "", text_of(row["answer"])
    given = text_of(row.get("id", row.get("question_id")))
    verdict = stated_verdict(question, answer)
    return GoldQuestion(given or content_id("question", question), question, True, answer, verdict, evidence)


def _ids(value: Any) -> list[Any]:
    ids = json.loads(value) if isinstance(value, str) else value
    if not isinstance(ids, list):
        raise ValueError(f"relevant_passage_ids: a list is expected, not {value!r}")
    return ids


def _file(passage_id: Any) -> str:
    return f"{file_stem('passage', str(passage_id))}.txt"
