"""Readers of public question sets: rag-mini, SQuAD, BioASQ, FinanceBench and LlamaIndex."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from typing import Any

from tasks.evaluation.gold_readers.source import Imported, Source, file_stem, stated_verdict, text_of
from tasks.questions.wording import verdict_of
from tasks.records import GoldEvidence, GoldQuestion, content_id


def read_rag_mini_bioasq(source: Source) -> Imported:
    """Read rag-mini-bioasq of Hugging Face's rag-datasets: ``question, answer, id, relevant_passage_ids``.

    Evidence is the passages, each a document; their ids are a list or its JSON. If the passages' texts are given,
    passages without one are left out: in the set, some are "nan".
    """
    found = _with_passages(source)
    for row in source.rows:
        names = []
        for passage_id in _passage_ids(row["relevant_passage_ids"]):
            name = _passage_file(passage_id)
            if source.passages and name not in found.documents:
                found.left_out["relevant passages that have no text"] += 1
            else:
                names.append(name)
        found.add(_of_rag_mini(row, names))
    return found


def read_rag_mini_wikipedia(source: Source) -> Imported:
    """Read rag-mini-wikipedia: ``question, answer, id`` without evidence, and the passages as documents."""
    found = _with_passages(source)
    for row in source.rows:
        found.add(_of_rag_mini(row, ()))
    return found


def _with_passages(source: Source) -> Imported:
    found = Imported()
    for row in source.passages:
        text = text_of(row["passage"])
        if text is None or text == "nan":
            found.left_out["passages that have no text"] += 1
        else:
            found.documents[_passage_file(row["id"])] = f"{text}\n"
    return found


def _of_rag_mini(row: Any, names: Sequence[str]) -> GoldQuestion:
    question = text_of(row["question"]) or ""
    given = text_of(row.get("id", row.get("question_id"))) or content_id("question", question)
    return _answerable(given, question, text_of(row["answer"]), names)


def _passage_ids(value: Any) -> list[Any]:
    ids = json.loads(value) if isinstance(value, str) else value
    if not isinstance(ids, list):
        raise ValueError(f"relevant_passage_ids: a list is expected, not {value!r}")
    return ids


def _passage_file(passage_id: Any) -> str:
    return f"{file_stem('passage', str(passage_id))}.txt"


def read_squad(source: Source) -> Imported:
    """Read SQuAD 1.1 and 2.0 (Rajpurkar et al. 2016, 2018): ``data[].title``, ``.paragraphs[].context``, ``.qas[]``.

    Each paragraph becomes a document, below its article's title, and evidence of its questions. Of several answers the
    most frequent is taken. Questions that SQuAD 2.0 calls impossible cannot be answered from their paragraph; another
    paragraph may well answer them.
    """
    found = Imported()
    for article in source.content["data"]:
        title = str(article["title"])
        for number, paragraph in enumerate(article["paragraphs"], start=1):
            name = f"{file_stem(title, f'{number:03}')}.md"
            found.documents[name] = f"# {title.replace('_', ' ')}\n\n{paragraph['context'].strip()}\n"
            for asked in paragraph["qas"]:
                question = " ".join(asked["question"].split())
                if asked.get("is_impossible", False):
                    found.add(GoldQuestion(asked["id"], question, answerable=False))
                    continue
                given = Counter(answer["text"].strip() for answer in asked["answers"])
                answer = given.most_common(1)[0][0] if given else None
                found.add(_answerable(asked["id"], question, answer, [name]))
    return found


def read_bioasq(source: Source) -> Imported:
    """Read BioASQ, task B (Krithara et al. 2023): ``questions[]`` with answers and ``snippets[]`` of documents.

    A document is made of all snippets that quote the same article, as the set has no more. An article that is only
    named, and not quoted, is no evidence.
    """
    found = Imported()
    quoted: dict[str, dict[str, None]] = {}
    for asked in source.content["questions"]:
        names: dict[str, None] = {}
        for snippet in asked.get("snippets") or ():
            text = text_of(snippet.get("text"))
            if text is None:
                found.left_out["snippets that have no text"] += 1
                continue
            name = _article_file(str(snippet["document"]))
            names[name] = None
            quoted.setdefault(name, {})[text] = None
        named = {_article_file(str(url)) for url in asked.get("documents") or ()}
        if unquoted := len(named - names.keys()):
            found.left_out["documents that no snippet quotes"] += unquoted
        found.add(_of_bioasq(asked, tuple(GoldEvidence(name, None) for name in names)))
    found.documents |= {name: "\n\n".join(texts) + "\n" for name, texts in quoted.items()}
    return found


def _of_bioasq(asked: Any, evidence: tuple[GoldEvidence, ...]) -> GoldQuestion:
    exact, said = asked.get("exact_answer"), text_of(_first(asked.get("ideal_answer")))
    verdict = None
    if asked["type"] == "yesno":
        verdict = verdict_of(str(_first(exact) or ""))
    elif asked["type"] in ("factoid", "list"):
        # A factoid has one list of wordings, a list has one for each member.
        items = exact if isinstance(exact, list) else [exact]
        firsts = (text_of(_first(item)) for item in items)
        said = "; ".join(dict.fromkeys(filter(None, firsts))) or said
    return GoldQuestion(str(asked["id"]), " ".join(asked["body"].split()), True, said, verdict, evidence)


def _first(value: Any) -> Any:
    return value[0] if isinstance(value, list) and value else value


def _article_file(url: str) -> str:
    """File name of an article: ``http://www.ncbi.nlm.nih.gov/pubmed/6650562`` becomes ``pubmed-6650562.txt``."""
    return f"{file_stem(*url.rstrip('/').split('/')[-2:])}.txt"


def read_financebench(source: Source) -> Imported:
    """Read FinanceBench (Islam et al. 2023): ``financebench_id, question, answer, doc_name, evidence[]``.

    Evidence is a page of ``<doc_name>.pdf``. The set counts pages from 0, so that the page with "60" printed on it has
    the number 59; here they count from 1.
    """
    found = Imported()
    for row in source.rows:
        places = []
        for one in row.get("evidence") or ():
            name = text_of(one.get("evidence_doc_name")) or text_of(one.get("doc_name")) or str(row["doc_name"])
            if one.get("evidence_page_num") is None:
                found.left_out["evidence without a page"] += 1
            else:
                places.append(GoldEvidence(f"{name}.pdf", int(one["evidence_page_num"]) + 1))
        question, answer = text_of(row["question"]) or "", text_of(row["answer"])
        verdict, evidence = stated_verdict(question, answer), tuple(dict.fromkeys(places))
        found.add(GoldQuestion(str(row["financebench_id"]), question, True, answer, verdict, evidence))
    return found


def read_llamaindex(source: Source) -> Imported:
    """Read LlamaIndex' labelled RAG datasets: ``examples[]`` of ``query, reference_contexts, reference_answer``.

    Each context becomes a document, and evidence of the questions that name it. Examples have no ids: a question's id
    is the hash of its text.
    """
    found = Imported()
    for example in source.content["examples"]:
        question = " ".join(str(example["query"]).split())
        names = []
        for context in filter(None, map(text_of, example.get("reference_contexts") or ())):
            names.append(f"context-{content_id('context', context)}.txt")
            found.documents[names[-1]] = f"{context}\n"
        answer = text_of(example["reference_answer"])
        found.add(_answerable(content_id("question", question), question, answer, names))
    return found


def _answerable(question_id: str, question: str, answer: str | None, names: Sequence[str]) -> GoldQuestion:
    """A question that the files with those ``names`` answer, with the verdict that its answer states."""
    evidence = tuple(GoldEvidence(name, None) for name in dict.fromkeys(names))
    return GoldQuestion(question_id, question, True, answer, stated_verdict(question, answer), evidence)
