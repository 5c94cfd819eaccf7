"""Questions in German, French, Spanish and Portuguese on the demo's English documents, beside their English originals.

Run: .venv/bin/python -m tests.bench.languages HOME [PLAN] [dev|blind]

HOME is one of `bidfolio demo`, refreshed with PLAN (bidfolio_multilingual, which needs the package of bidfolio's extra
multilingual). `tests/data/languages/demo.jsonl` has the questions of the demo's customers, chosen at random and
translated by hand; what is chosen is chosen on the half dev. Printed are recall@1, recall@5 and MRR@10 by page, the
share of the English recall@5 with its 95% interval by bootstrap over the questions, and what becomes of the answers.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from configs.plans import load_plan
from configs.settings import load_settings
from tasks.answering.pipeline import answer_questions
from tasks.answering.task import load_for_asking
from tasks.index.store import IndexStore
from tasks.questions.answer_limits import asked_alone
from tasks.records import Answer, Hit
from tasks.retrieval.queries.scope import Scope
from tasks.retrieval.version_loading import live_version
from tests.bench.ranks import DEPTH, figures

TRANSLATED = Path(__file__).resolve().parents[1] / "data" / "languages" / "demo.jsonl"
DRAWS = 2000


def rank_of(hits: Sequence[Hit], evidence: Sequence[Mapping[str, Any]]) -> int:
    """The rank of the first hit on a page of the evidence; 0 where none of DEPTH is."""
    places = {(one["file"], one.get("page"), one.get("sheet"), one.get("row")) for one in evidence}
    for hit in hits[:DEPTH]:
        chunk = hit.chunk
        if (chunk.file_name, chunk.page_number, chunk.sheet_name, chunk.row_number) in places:
            return hit.rank
    return 0


def share(ranks: Sequence[int], of: Sequence[int]) -> str:
    """The ratio of two recalls at 5 over the same questions, with its interval."""
    found, wanted = (np.array([0 < rank <= 5 for rank in some], float) for some in (ranks, of))
    drawn = np.random.default_rng(0).integers(len(found), size=(DRAWS, len(found)))
    low, high = np.nanquantile(found[drawn].mean(1) / wanted[drawn].mean(1), (0.025, 0.975))
    return f"{found.mean() / wanted.mean():.2f} [{low:.2f}, {high:.2f}]"


def outcome(answer: Answer, gold: Mapping[str, Any]) -> str:
    """The status of an answer, with the verdict that it gives and if its first quote is on a page of the evidence."""
    pages = {(one["file"], one.get("page")) for one in gold["evidence"]}
    cited = [(one.file_name, one.page_number) in pages for one in answer.citations[:1]]
    right = {(): "", (True,): ", cites the page", (False,): ", cites another"}[tuple(cited)]
    verdict = "right" if answer.verdict == gold.get("verdict") else "wrong"
    return f"{answer.status}{f', {verdict} verdict' if answer.verdict else ''}{right}"


def main(home: str, name: str, part: str) -> None:
    """Prints the figures of one half."""
    gold = {
        one["id"]: one
        for file in sorted(Path(home, "demo", "gold").glob("*.jsonl"))
        for one in map(json.loads, file.read_text(encoding="utf-8").splitlines())
    }
    lines = map(json.loads, TRANSLATED.read_text(encoding="utf-8").splitlines())
    asked = [one for one in lines if one["part"] == part]
    plan, settings = load_plan(name), load_settings(home=home)
    loaded = load_for_asking(live_version(IndexStore(home), plan, "demo"), plan, settings, Scope())
    ranks: dict[str, list[int]] = {}
    for how in ("translated", "English"):
        texts = [one["question"] if how == "translated" else gold[one["of"]]["question"] for one in asked]
        questions = [replace(asked_alone(text), question_id=str(at)) for at, text in enumerate(texts)]
        found = answer_questions(questions, loaded)
        hits = zip(asked, found.hits, strict=True)
        ranks[how] = [rank_of(some, gold[one["of"]]["evidence"]) for one, some in hits if gold[one["of"]]["answerable"]]
        print(f"{how}: n={len(ranks[how])} R@1/R@5/MRR {figures(ranks[how])}")
        for answerable in (True, False):
            answers = [
                outcome(settled.answer, gold[one["of"]])
                for one, (settled, _) in zip(asked, found.settled, strict=True)
                if gold[one["of"]]["answerable"] == answerable
            ]
            print(f"  {'answerable' if answerable else 'unanswerable'}: {dict(Counter(answers).most_common())}")
    of = [one["language"] for one in asked if gold[one["of"]]["answerable"]]
    for code in sorted(set(of)):
        some = [rank for rank, language in zip(ranks["translated"], of, strict=True) if language == code]
        print(f"  {code}: n={len(some)} {figures(some)}")
    print(f"share of the English recall@5: {share(ranks['translated'], ranks['English'])}")


if __name__ == "__main__":
    given = dict(enumerate(sys.argv))
    main(sys.argv[1], given.get(2, "bidfolio_multilingual"), given.get(3, "dev"))
