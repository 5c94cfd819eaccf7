"""How many places that contradict a draft are found, and how often places that do not are taken for it.

Run: .venv/bin/python -m tests.bench.conflicts NAME=HOME=CORPUS=GOLD.jsonl NAME=HOME=CORPUS=GOLD.jsonl …

In each HOME the corpus is published for the plan bidfolio. Each question of the gold sets is asked; what the extractive
generator cites first is said once more by a document that is planted among the hits: changed so that it contradicts,
as it stands or reworded besides, or so that it does not. What is found without any planted is told by itself: it is a
false alarm unless the documents do disagree, so each is printed. Questions are halved by the hash of their id, so that
the check can be mended by one half and judged by the other. Intervals are 95%, exact (Clopper and Pearson), with
questions taken for independent.
"""

from __future__ import annotations

import random
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from scipy.stats import binomtest

from configs.plans import Plan, load_plan
from configs.settings import load_settings
from tasks.answering.conflicts.contradictions import conflict_of
from tasks.answering.drafts.draft import Asked, Draft
from tasks.answering.pipeline import by_question, find_timed, handed_over
from tasks.answering.task import load_for_asking
from tasks.evaluation.gold.gold_set import as_question, read_gold
from tasks.index.store import IndexStore
from tasks.records import Citation, PageSpan, content_id
from tasks.retrieval.queries.scope import Scope
from tasks.retrieval.version_loading import live_version
from tasks.text.characters import fold
from tests.bench.answer_faults import WAYS
from tests.bench.contradictions import CONTRADICTIONS, HARMLESS, Change

PLANTED = "planted.pdf"
HALVES = ("looked at", "judged")
Found = dict[tuple[str, str], list[bool]]
"""Whether each was found, by kind and half."""


def drafted(home: str, corpus: str, gold: str, plan: Plan) -> list[tuple[Asked, Draft]]:
    """The extractive drafts of a gold set's questions, those without a quote left out."""
    settings = load_settings(home=home)
    version = live_version(IndexStore(settings.home), plan, corpus)
    loaded = load_for_asking(version, plan, settings, Scope())
    questions = [as_question(item, at) for at, item in enumerate(read_gold(gold))]
    found, _ = find_timed(questions, loaded)
    hits = handed_over(by_question(questions, found.hits), loaded.index, loaded.sections, plan.retrieval)
    asked = [Asked(question, hits[question.question_id]) for question in questions]
    drafts = loaded.answerer.generator.draft(asked)
    return [(one, draft) for one, draft in zip(asked, drafts, strict=True) if draft.citations]


def sentence_of(draft: Draft) -> Citation:
    """What the draft cites first, without what is quoted with it for it to be understood."""
    cited = draft.citations[0]
    at = cited.quote.find(draft.compared_text)
    start = cited.start + max(at, 0)
    own = draft.compared_text if at >= 0 else cited.quote
    return replace(cited, start=start, end=start + len(own), quote=own)


def beside(asked: Asked, cited: Citation, text: str) -> Asked:
    """The question with one more hit: the chunk that is cited as another document has it, with ``text`` for the quote.

    Raises StopIteration where no hit hands over what is cited.
    """
    chunk = next(
        one
        for hit in asked.hits
        for one in hit.chunks
        if one.document_id == cited.document_id and one.start <= cited.start and cited.end <= one.end
    )
    whole = f"{chunk.text[: cited.start - chunk.start]}{text}{chunk.text[cited.end - chunk.start :]}"
    pages = (PageSpan(cited.page_number, 0, len(whole)),) if cited.page_number is not None else ()
    planted = replace(
        chunk,
        chunk_id=PLANTED,
        document_id=PLANTED,
        file_name=PLANTED,
        start=0,
        end=len(whole),
        text=whole,
        page_spans=pages,
    )
    last = asked.hits[-1]
    return Asked(asked.question, [*asked.hits, replace(last, rank=last.rank + 1, chunk=planted, handed_over=None)])


def is_found(asked: Asked, draft: Draft, text: str) -> bool:
    """Whether the planted text is taken for a conflict."""
    conflict = conflict_of(beside(asked, sentence_of(draft), text), draft)
    return conflict is not None


def changed(asked: Asked, quote: str, kinds: Mapping[str, Change], ways: Sequence[str]) -> Iterator[tuple[str, str]]:
    """The quote in each of the ways, changed, with the name of both; what a way or a change leaves as it was is left
    out.
    """
    for kind, change in kinds.items():
        for way in ways:
            chance = random.Random(f"{asked.question.question_id} {kind} {way}")
            said = WAYS[way](quote, chance)
            made = change(said, chance) if way == "word for word" or fold(said) != fold(quote) else None
            if made is not None and fold(made) != fold(said):
                yield kind if way == "word for word" else f"{kind}, {way}", made


def half_of(asked: Asked) -> str:
    """Which half the question is of."""
    return HALVES[int(content_id("half", asked.question.question_id), 16) % 2]


def rate(found: Sequence[bool]) -> str:
    """The count, the share and its interval."""
    if not found:
        return "none"
    low, high = binomtest(sum(found), len(found)).proportion_ci()
    return f"{sum(found)} of {len(found)}, {sum(found) / len(found):.3f} ({low:.3f} to {high:.3f})"


def show(title: str, found: Found) -> None:
    """Prints the rates of each kind, for each half."""
    print(f"\n{title}")
    for kind in dict.fromkeys(kind for kind, _ in found):
        print(f"  {kind:28} {'; '.join(f'{half} {rate(found.get((kind, half), []))}' for half in HALVES)}")


def main(given: Sequence[str]) -> None:
    """Prints the figures."""
    plan = load_plan("bidfolio")
    alarms: Found = defaultdict(list)
    contradicted: Found = defaultdict(list)
    harmless: Found = defaultdict(list)
    for one in given:
        name, home, corpus, gold = one.split("=", 3)
        for asked, draft in drafted(home, corpus, gold, plan):
            half = half_of(asked)
            unplanted = conflict_of(asked, draft)
            alarms[name, half].append(unplanted is not None)
            if unplanted is not None:
                print(f"{name} {asked.question.question_id} ({half}): {unplanted}", file=sys.stderr)
                print(f"  {unplanted.cited.quote!r}\n  {unplanted.other.quote!r}", file=sys.stderr)
                continue
            quote = sentence_of(draft).quote
            for kind, text in changed(asked, quote, CONTRADICTIONS, ("word for word", "reworded", "shortened")):
                contradicted[kind, half].append(is_found(asked, draft, text))
                if not contradicted[kind, half][-1] and half == HALVES[0]:
                    print(f"missed {kind}: {quote!r}\n    {text!r}", file=sys.stderr)
            for kind, text in changed(asked, quote, HARMLESS, ("word for word",)):
                harmless[kind, half].append(is_found(asked, draft, text))
                if harmless[kind, half][-1] and half == HALVES[0]:
                    print(f"taken for a conflict, {kind}: {quote!r}\n    {text!r}", file=sys.stderr)
    show("found of what contradicts", contradicted)
    show("taken for a conflict of what does not", harmless)
    show("drafts beside which a conflict is found with nothing planted", alarms)


if __name__ == "__main__":
    main(sys.argv[1:])
