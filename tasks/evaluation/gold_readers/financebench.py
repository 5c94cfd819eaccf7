"""Reader of FinanceBench (Islam et al. 2023)."""

from __future__ import annotations

from tasks.evaluation.gold_readers.source import Gathering, Imported, Source, stated_verdict, text_of
from tasks.records import GoldEvidence, GoldQuestion


class FinanceBench:
    """Layout of a JSONL file with a question a line.

    Its keys: ``financebench_id, question, answer, doc_name, evidence[].doc_name, .evidence_page_num``.
    """

    name = "financebench"

    def recognises(self, source: Source) -> bool:
        """Recognise the layout by the name of its id column."""
        return source.has_columns("financebench_id", "question")

    def read(self, source: Source) -> Imported:
        """Read the questions; evidence is a page of ``<doc_name>.pdf``.

        The set counts pages from 0, so that the page with "60" printed on it has the number 59; here they count from 1.
        """
        found = Gathering()
        for row in source.rows:
            question, answer = text_of(row["question"]) or "", text_of(row["answer"])
            evidence = []
            for one in row.get("evidence") or ():
                name = text_of(one.get("evidence_doc_name")) or text_of(one.get("doc_name")) or str(row["doc_name"])
                if one.get("evidence_page_num") is None:
                    found.left_out["evidence without a page"] += 1
                else:
                    evidence.append(GoldEvidence(f"{name}.pdf", int(one["evidence_page_num"]) + 1))
            places = tuple(dict.fromkeys(evidence))
            verdict = stated_verdict(question, answer)
            found.add(GoldQuestion(str(row["financebench_id"]), question, True, answer, verdict, places))
        return found.imported()
