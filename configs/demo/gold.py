"""The gold sets of the demo: what two customers ask, what the documents answer, and where.

A gold set is written by hand in `gold/<name>.yaml`:

    client: Larkfield Mutual
    title: Supplier security questionnaire
    issued: 2026-10-12
    layout: assessment                  # or requirements: see `forms.py`
    files: [Client-A-Security-Questionnaire.xlsx]
    instructions:
      - Please answer every question.
    items:
      - id: A-001                       # unique; it stands in the questionnaire as Ref or No.
        section: 1 Governance
        question: Who owns your information security policy?
        answer: The Chief Information Security Officer.       # null where unanswerable
        verdict: null                   # yes, no or partial for a yes/no question
        answerable: true
        kind: single                    # single, two-passages, table, negation or unanswerable
        evidence:
          - file: Information-Security-Policy.pdf             # the built file
            quote: The Chief Information Security Officer owns this policy

A quote is copied verbatim from one line of the source: a phrase of a sentence, of a list item, of a table row
(with its bars or without), or a line of the front matter. No other line of the file may hold it. Its page,
sheet and row are computed from where the builder set that line, never by bidfolio's own conversion.
`gold/<name>.jsonl` is built from it:

    {"id", "question", "answer", "verdict"?, "answerable", "kind",
     "evidence": [{"file", "page"} or {"file", "page", "sheet"?, "row"}]}

`page` is null for a web page, for a row of a sheet, and in a Word file where only a layout engine could tell.
"""

import json
from collections import Counter
from collections.abc import Mapping
from datetime import date
from typing import Literal

from pydantic import model_validator

from configs.demo.passages import Concordance, Place, QuoteError
from configs.demo.yamls import Frozen


class GoldError(ValueError):
    """Evidence that the documents do not hold; the message names each item and its quote."""


class Evidence(Frozen):
    """A quote and the built file that it is copied from."""

    file: str
    quote: str


class Item(Frozen):
    """A question of a customer with its answer."""

    id: str
    section: str
    question: str
    answer: str | None
    verdict: Literal["yes", "no", "partial"] | None = None
    answerable: bool
    kind: Literal["single", "two-passages", "table", "negation", "unanswerable"]
    evidence: tuple[Evidence, ...] = ()

    @model_validator(mode="after")
    def _agrees(self) -> "Item":
        answered = {
            self.answer is not None,
            bool(self.evidence),
            self.kind != "unanswerable",
            self.answerable,
        }
        if len(answered) != 1 or (self.verdict is not None and not self.answerable):
            raise ValueError(f"item {self.id}: answer, evidence, kind and answerable do not agree")
        if self.kind == "two-passages" and len(self.evidence) < 2:
            raise ValueError(f"item {self.id}: kind two-passages needs two quotes")
        return self


class GoldSet(Frozen):
    """A customer's questions, and what the file is that they are asked in."""

    client: str
    title: str
    issued: date
    layout: Literal["assessment", "requirements"]
    files: tuple[str, ...]
    instructions: tuple[str, ...]
    items: tuple[Item, ...]

    @model_validator(mode="after")
    def _ids_are_unique(self) -> "GoldSet":
        twice = [identifier for identifier, count in Counter(item.id for item in self.items).items() if count > 1]
        if twice:
            raise ValueError(f"ids used twice: {', '.join(twice)}")
        return self


def to_jsonl(gold: GoldSet, corpus: Mapping[str, Concordance]) -> str:
    """The gold set as JSON lines, one an item, given the words of each file of the corpus.

    Raises a `GoldError` that names every item whose evidence cannot be found.
    """
    lines: list[str] = []
    wrong: list[str] = []
    for item in gold.items:
        record: dict[str, object] = item.model_dump(include={"id", "question", "answer", "answerable", "kind"})
        if item.verdict is not None:
            record["verdict"] = item.verdict
        places: dict[tuple[str, Place], None] = {}
        for evidence in item.evidence:
            if evidence.file not in corpus:
                wrong.append(f"item {item.id}: {evidence.file} is not in the corpus: {', '.join(sorted(corpus))}")
                continue
            try:
                places |= {(evidence.file, place): None for place in corpus[evidence.file].locate(evidence.quote)}
            except QuoteError as error:
                wrong.append(f"item {item.id}: {evidence.file}: {error}")
        record["evidence"] = [_record(file, place) for file, place in places]
        lines.append(json.dumps(record, ensure_ascii=False) + "\n")
    if wrong:
        raise GoldError("\n".join(wrong))
    return "".join(lines)


def _record(file: str, place: Place) -> dict[str, object]:
    record: dict[str, object] = {"file": file, "page": place.page, "sheet": place.sheet, "row": place.row}
    return {key: value for key, value in record.items() if value is not None or key == "page"}
