"""How much of the gold answers, given as drafts, the checks after generation let stay, and why they leave out the rest.

Run: .venv/bin/python -m tests.bench.gold_answers NAME=HOME=CORPUS=GOLD.jsonl NAME=HOME=CORPUS=GOLD.jsonl …

In each HOME the corpus is published for the plan bidfolio. A gold answer is right, and in other words than its pages
have. It is given as a server's reply that cites every passage that is handed over of a page of the evidence, then as
one that cites the first of them alone, and then with each fault planted, citing all again; the replies go through the
whole generator and the checks. Where none was found, a passage of the evidence stands in the last place. Each sentence
that is left out goes to the standard error with its reason.
"""

from __future__ import annotations

import random
import re
import sys
from collections import Counter
from collections.abc import Sequence

from configs.plans import load_plan
from configs.settings import load_settings
from tasks.answering.drafts.draft import Asked
from tasks.answering.entailment.claims import sentences_of
from tasks.answering.quotes.context_passages import on_one_page
from tasks.text.characters import fold
from tests.bench.answer_checks import Case, Found, drafted, found_for, is_evidence, share
from tests.bench.answer_faults import Made, Source, faulty

KINDS = ("another number", "another name", "another unit", "denied", "invented sentence")
_LEFT_OUT = re.compile(r"“([^”]*)” \(((?:[^()“]|“[^”]*”|\([^()]*\))*)\)(?:; |$)")
_VALUES = re.compile(r"(?<=the word )“[^”]*”|(?<=the name )\S+|(?<=the names )\S+ and \S+|(?<=says it, but ).*|\d\S*")


def main(given: Sequence[str]) -> None:
    """Prints the figures of each gold set."""
    for one in given:
        name, home, corpus, gold = one.split("=", 3)
        plan, settings = load_plan("bidfolio"), load_settings(home=home)
        found, _ = found_for(gold, corpus, plan, settings)
        cases = [case for item in found if (case := _case_of(item))]
        print(f"\n{name}: {len(cases)} gold answers")
        for way, first in (("all", False), ("the first", True)):
            made = [Made(case.source.sentence, case.source.others[: 1 if first else None]) for case in cases]
            drafts = drafted(cases, made, plan, settings)
            told = [(case, draft.detail) for case, draft in zip(cases, drafts, strict=True)]
            report(f"citing {way} of the evidence", cases, [draft.text or "" for draft in drafts], told)
        for kind in KINDS:
            pairs = [(case, wrong) for case in cases if (wrong := _with_fault(case, kind))]
            some = [case for case, _ in pairs]
            drafts = drafted(some, [wrong for _, wrong in pairs], plan, settings)
            stayed = [
                fold(wrong.fault or "") in fold(draft.text or "")
                for (_, wrong), draft in zip(pairs, drafts, strict=True)
            ]
            for (case, wrong), is_there in zip(pairs, stayed, strict=True):
                if is_there:
                    print(f"  let through ({kind}): {case.asked.question.question_id} {wrong.text}", file=sys.stderr)
            print(f"  {kind:32} let through {stayed.count(True):3} of {len(stayed)}, {share(stayed, True)}")


def report(way: str, cases: Sequence[Case], texts: Sequence[str], told: Sequence[tuple[Case, str]]) -> None:
    """Prints how many answers and sentences stay, and the reasons of those that do not, the most frequent first."""
    sentences = [
        fold(sentence.text) in fold(text)
        for case, text in zip(cases, texts, strict=True)
        for sentence in sentences_of(case.source.sentence)
    ]
    whole = [fold(case.source.sentence) == fold(text) for case, text in zip(cases, texts, strict=True)]
    print(f"  {way}: whole {whole.count(True)} of {len(whole)}, {share(whole, True)}", end="; ")
    print(f"declined {sum(not text for text in texts)}", end="; ")
    print(f"sentences {sentences.count(True)} of {len(sentences)}, {share(sentences, True)}")
    reasons: Counter[str] = Counter()
    for case, detail in told:
        for text, reason in _LEFT_OUT.findall(detail):
            reasons[_VALUES.sub("…", reason)] += 1
            print(f"  {way}: {case.asked.question.question_id} {reason} | {text}", file=sys.stderr)
    for reason, count in reasons.most_common():
        print(f"    {count:4} {reason}")


def _case_of(found: Found) -> Case | None:
    hits = on_one_page(found.hits)
    cited = tuple(number for number, hit in enumerate(hits, 1) if is_evidence(found.item, hit.chunk))
    if not cited or not found.item.answer:
        return None
    return Case(Asked(found.question, hits), Source(found.item.answer, cited[0], len(hits), cited, None))


def _with_fault(case: Case, kind: str) -> Made | None:
    chance = random.Random(f"{case.asked.question.question_id} {kind}")
    wrong = faulty(kind, case.source.sentence, case.source, chance)
    return wrong and Made(wrong.text, case.source.others, wrong.fault)


if __name__ == "__main__":
    main(sys.argv[1:])
