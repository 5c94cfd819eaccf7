"""Reader of LlamaIndex' labelled RAG datasets, such as Paul Graham's essay: ``rag_dataset.json``."""

from __future__ import annotations

from tasks.evaluation.gold_readers.source import Gathering, Imported, Source, stated_verdict, text_of
from tasks.records import GoldEvidence, GoldQuestion, content_id


class LlamaIndex:
    """Layout with ``examples[]`` of ``query, reference_contexts, reference_answer``."""

    name = "llamaindex"

    def recognises(self, source: Source) -> bool:
        """Recognise the layout by examples that have a query."""
        examples = source.content.get("examples") if isinstance(source.content, dict) else None
        return isinstance(examples, list) and bool(examples) and {"query", "reference_answer"} <= examples[0].keys()

    def read(self, source: Source) -> Imported:
        """Read the questions; each context becomes a document, and evidence of the questions that name it.

        Examples have no ids: a question's id is the hash of its text.
        """
        found = Gathering()
        for example in source.content["examples"]:
            question = " ".join(str(example["query"]).split())
            answer = text_of(example["reference_answer"])
            names: dict[str, None] = {}
            for context in filter(None, map(text_of, example.get("reference_contexts") or ())):
                name = f"context-{content_id('context', context)}.txt"
                names[name] = None
                found.documents[name] = f"{context}\n"
            evidence = tuple(GoldEvidence(name, None) for name in names)
            verdict = stated_verdict(question, answer)
            found.add(GoldQuestion(content_id("question", question), question, True, answer, verdict, evidence))
        return found.imported()
