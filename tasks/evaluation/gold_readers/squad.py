"""Reader of SQuAD 1.1 and 2.0 (Rajpurkar et al. 2016, 2018)."""

from __future__ import annotations

from collections import Counter
from typing import Any

from tasks.evaluation.gold_readers.source import Gathering, Imported, Source, file_stem, stated_verdict
from tasks.records import GoldEvidence, GoldQuestion


class Squad:
    """Layout of a JSON file with articles, paragraphs and their questions.

    Its keys: ``data[].title``, ``.paragraphs[].context``, ``.qas[]`` of ``id, question, answers[].text,
    is_impossible``.
    """

    name = "squad"

    def recognises(self, source: Source) -> bool:
        """Recognise the layout by articles that have paragraphs."""
        articles = source.content.get("data") if isinstance(source.content, dict) else None
        return isinstance(articles, list) and bool(articles) and "paragraphs" in articles[0]

    def read(self, source: Source) -> Imported:
        """Read the questions; each paragraph becomes a document, below its article's title, and their evidence.

        Of several answers the most frequent is taken. Questions that SQuAD 2.0 calls impossible cannot be answered from
        their paragraph; another paragraph may well answer them.
        """
        found = Gathering()
        for article in source.content["data"]:
            title = str(article["title"]).replace("_", " ")
            for number, paragraph in enumerate(article["paragraphs"], start=1):
                name = f"{file_stem(str(article['title']), f'{number:03}')}.md"
                found.documents[name] = f"# {title}\n\n{paragraph['context'].strip()}\n"
                for asked in paragraph["qas"]:
                    found.add(_question(asked, name))
        return found.imported()


def _question(asked: Any, name: str) -> GoldQuestion:
    question = " ".join(asked["question"].split())
    if asked.get("is_impossible", False):
        return GoldQuestion(asked["id"], question, answerable=False)
    given = Counter(answer["text"].strip() for answer in asked["answers"])
    answer = given.most_common(1)[0][0] if given else None
    evidence = (GoldEvidence(name, None),)
    return GoldQuestion(asked["id"], question, True, answer, stated_verdict(question, answer), evidence)
