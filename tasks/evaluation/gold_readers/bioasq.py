"""Reader of BioASQ, task B (Krithara et al. 2023)."""

from __future__ import annotations

from typing import Any

from tasks.evaluation.gold_readers.source import Gathering, Imported, Source, file_stem, text_of
from tasks.questions.wording import verdict_of
from tasks.records import GoldEvidence, GoldQuestion


class Bioasq:
    """Layout with ``questions[]`` of ``id, type, body, ideal_answer, exact_answer, snippets[].text, .document``."""

    name = "bioasq"

    def recognises(self, source: Source) -> bool:
        """Recognise the layout by questions that have a body and a type."""
        asked = source.content.get("questions") if isinstance(source.content, dict) else None
        return isinstance(asked, list) and bool(asked) and {"body", "type"} <= asked[0].keys()

    def read(self, source: Source) -> Imported:
        """Read the questions; a document is made of all snippets that quote the same article, as the set has no more.

        An article that is only named, and not quoted, is no evidence.
        """
        found = Gathering()
        quoted: dict[str, dict[str, None]] = {}
        for asked in source.content["questions"]:
            names: dict[str, None] = {}
            for snippet in asked.get("snippets") or ():
                text = text_of(snippet.get("text"))
                if text is None:
                    found.left_out["snippets that have no text"] += 1
                    continue
                name = _file(str(snippet["document"]))
                names[name] = None
                quoted.setdefault(name, {})[text] = None
            named = {_file(str(url)) for url in asked.get("documents") or ()}
            found.left_out["documents that no snippet quotes"] += len(named - names.keys())
            found.add(_question(asked, tuple(GoldEvidence(name, None) for name in names)))
        found.documents |= {name: "\n\n".join(texts) + "\n" for name, texts in quoted.items()}
        found.left_out += type(found.left_out)()  # drops reasons with a count of 0
        return found.imported()


def _question(asked: Any, evidence: tuple[GoldEvidence, ...]) -> GoldQuestion:
    exact, ideal = asked.get("exact_answer"), asked.get("ideal_answer")
    said = text_of(ideal[0] if isinstance(ideal, list) and ideal else ideal)
    verdict = None
    if asked["type"] == "yesno":
        verdict = verdict_of(str(exact[0] if isinstance(exact, list) and exact else exact or ""))
    elif asked["type"] in ("factoid", "list"):
        said = _exact(exact) or said
    return GoldQuestion(str(asked["id"]), " ".join(asked["body"].split()), True, said, verdict, evidence)


def _exact(exact: Any) -> str | None:
    """Join the first wording of each item: a factoid has one list of wordings, a list has one for each member."""
    items = exact if isinstance(exact, list) else [exact]
    firsts = (text_of(item[0] if isinstance(item, list) and item else item) for item in items)
    return "; ".join(dict.fromkeys(filter(None, firsts))) or None


def _file(url: str) -> str:
    """File name of an article: ``http://www.ncbi.nlm.nih.gov/pubmed/6650562`` becomes ``pubmed-6650562.txt``."""
    return f"{file_stem(*url.rstrip('/').split('/')[-2:])}.txt"
