"""Support of a claim by a passage: its figures and names, its denials, and enough of its words.

A claim is compared with each sentence, and with each pair of neighbours; a row has its table's first row beside it. One
of them must have every figure with its unit, every name, the same yes or no, and a share of its other words.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import pairwise
from typing import Literal, NamedTuple

from tasks.answering.entailment.claims import Claim
from tasks.answering.quotes.passages import Passage, sentences_of_hit
from tasks.questions.past_rows import past_verdict
from tasks.records import Chunk, Hit, content_id
from tasks.safety.injection import order_in
from tasks.text.characters import fold
from tasks.text.names.figures_and_names import Figure, figures_of, names_of, periods_of, units_of, words_of_claim
from tasks.text.negation import Clause, denies, denying_heading, excludes, pieces_of, turned_round
from tasks.text.search_terms import terms
from tasks.text.stemmed_words import without_accents
from tasks.text.word_stems import stems_of

ALWAYS_WRITTEN = frozenset({"percent", "gbp", "eur", "usd"})
"""Units that are always written with their figure: 5 is not 5%."""
LEAST_SHARE = 0.75
"""The least share of a claim's words in a passage that supports it."""
HALF = 0.5
"""The share of a claim's words in the sentence from which the others may stand in the heading above it."""
DOUBTFUL_SHARE = 0.5
"""The share of words from which a vector or a model may still recognise the same statement in other words."""
_CAPITALISED = re.compile(r"\b[A-Z](?=[a-z])")
_LONG_NAME = re.compile(r"\b[A-Z][a-z]+(?:(?: (?:of|and|the|for))* [A-Z][a-z]+)+")
_OWNER = re.compile(r"(?<![.!?] )(?<!\w)([A-Z][a-zA-Z]+)['’]s(?!\w)")
_TITLE_NAME = re.compile(r"\b[A-Z][a-z]+\b")
_SMALL_WORD = re.compile(r"(?<![\w.@/-])[a-z]+(?![\w@]|\.\w)")
"""A word in small letters outside an address, where names stand in small letters, too."""
_IN_PART = re.compile(r"\b(?:part(?:ly|ial(?:ly)?)?|applicable)\b", re.IGNORECASE)
_SPEAKER = re.compile(r"\b(?:we|us|our|ours)\b", re.IGNORECASE)
LEAST_OWN_WORDS = 2
"""The least number of words with which a claim is compared by itself; a shorter one is compared with its head."""


Lacking = Literal["", "source", "figure", "name", "span", "turned"]


class Finding(NamedTuple):
    """A claim with its best evidence: the nearest passages, the share of its words that they have, and what they lack
    that nothing makes up for, of which ``kind``. Passages that have its figures, names and spans of time are about it.
    """

    claim: Claim
    passages: tuple[Passage, ...]
    source: str
    share: float
    lacks: str
    is_about_it: bool = False
    kind: Lacking = ""

    @property
    def told(self) -> str:
        """The message that the source lacks it, for the reviewer; "" where it lacks nothing."""
        return _told(self.lacks)

    @property
    def is_supported(self) -> bool:
        """True where the passages support the claim by their words."""
        return not self.lacks and self.share >= LEAST_SHARE


class Evidence:
    """Evidence for claims: a sentence of a passage, or two neighbours, with its figures, names and words."""

    def __init__(
        self, passages: Sequence[Passage], title: str = "", beside: str = "", speakers: frozenset[str] = frozenset()
    ) -> None:
        """``title`` names what goes without saying; ``beside`` is the heading above, ``speakers`` its authors."""
        self.passages, self.title, self.beside, self.speakers = tuple(passages), title, beside, speakers
        self.said = "\n".join(_said(passage) for passage in passages)
        self.read = "\n".join(passage.matched_text for passage in passages)

    @cached_property
    def plain(self) -> str:
        """The text as an answer would put it; of a past answer, the answer alone."""
        return " ".join(passage.text for passage in self.passages)

    @cached_property
    def figures(self) -> frozenset[Figure]:
        """The figures that the evidence states."""
        return figures_of(self.said)

    @cached_property
    def names(self) -> frozenset[str]:
        """All words that may be part of a name, in lower case: it may stand here in small letters."""
        text = f"{self.read}\n{self.title}\n{self.beside}"
        return _tokens(text) | names_of(text) | _initials_of(text)

    @cached_property
    def periods(self) -> frozenset[str]:
        """The spans of time that it counts by, such as "year"."""
        return periods_of(f"{self.read}\n{self.beside}")

    @cached_property
    def words(self) -> frozenset[str]:
        """The stems of its words."""
        return frozenset(stems_of(self.read)) | _initials_of(self.read)

    @cached_property
    def words_beside(self) -> frozenset[str]:
        """The stems of its words and of the text above it."""
        return self.words | frozenset(stems_of(self.beside))

    @cached_property
    def pieces(self) -> list[Clause]:
        """Its smallest clauses with their stems, as written; of a past answer, those of the answer."""
        texts = (one.quote if one.is_past_answer else one.matched_text for one in self.passages)
        return [clause for text in texts for clause in pieces_of(text)]

    @cached_property
    def is_denied_above(self) -> bool:
        """True where the heading above it denies what is listed below."""
        return bool(denying_heading(self.passages[0].section, self.read))

    @cached_property
    def answered_in_part(self) -> frozenset[str] | None:
        """The stems of a past answer other than a plain yes; None for all else."""
        quote = self.passages[0].quote
        verdict = past_verdict(quote) if self.passages[0].is_past_answer else None
        return None if verdict in (None, "yes") else frozenset(stems_of(quote))


def evidence_of(hits: Iterable[Hit], speakers: frozenset[str] = frozenset()) -> list[Evidence]:
    """The evidence in what ``hits`` hand over, in which ``speakers`` say "we"."""
    return [evidence for hit in hits for evidence in _of_hit(hit, speakers)]


def evidence_in(text: str) -> list[Evidence]:
    """The evidence in a text that belongs to no document."""
    chunk = Chunk(content_id("context", text), "", "", "", "txt", 0, 0, len(text), text, "", 0, ())
    return evidence_of([Hit("", 1, chunk, 0.0, 0.0, 0.0, 0.0)])


def ordinary_words(texts: Iterable[str]) -> frozenset[str]:
    """The stems of words in small letters, which are no names even where a sentence begins with them."""
    return frozenset(stem for text in texts for stem in terms(" ".join(re.findall(r"(?<!\w)[a-zà-ÿ]+", text))))


def speakers_of(parts: Iterable[tuple[Chunk, str]]) -> frozenset[str]:
    """The names, in lower case, of the authors of chunks with their texts: of the names in titles and before an "'s"
    ("Acme's"), those that stand in most documents.
    """
    of_document: dict[str, tuple[str, list[str]]] = {}
    for chunk, text in parts:
        of_document.setdefault(chunk.document_id, (chunk.context, []))[1].append(text)
    plain = [(without_accents(title), without_accents(" ".join(texts))) for title, texts in of_document.values()]
    small = {word for _, text in plain for word in _SMALL_WORD.findall(text)}
    found = {word.lower() for title, text in plain for word in (*_OWNER.findall(text), *_TITLE_NAME.findall(title))}
    tokens = [_tokens(f"{title} {text}") for title, text in plain]
    named = {name: sum(name in words for words in tokens) for name in found - small}
    return frozenset(name for name, count in named.items() if count == max(named.values()))


def said_by(sentence: str, evidence: Sequence[Evidence]) -> Finding | None:
    """The evidence that says ``sentence`` letter by letter and nothing else; None without any."""
    folded = fold(sentence)
    figures = figures_of(sentence)
    same = next((one for one in evidence if folded and folded == fold(one.plain) and figures <= one.figures), None)
    return Finding(Claim(sentence), same.passages, same.said, 1.0, "") if same else None


def best_findings(claims: Sequence[Claim], evidence: Sequence[Evidence], ordinary: frozenset[str]) -> list[Finding]:
    """The best evidence for each claim of a sentence; without evidence each lacks a source.

    Among equals the evidence that is best for most other claims is taken: a sentence seldom comes from several places.
    """
    if not evidence:
        return [Finding(claim, (), "", 0.0, "a source", kind="source") for claim in claims]
    wanted = [_Wanted.of(claim, ordinary) for claim in claims]
    found = [[_held(one, other) for other in evidence] for one in wanted]
    best = [max(map(_rank, row)) for row in found]
    columns = zip(*found, strict=True)
    shared = [sum(_rank(one) == top for one, top in zip(column, best, strict=True)) for column in columns]

    def chosen(row: Sequence[Finding]) -> Finding:
        pairs = zip(row, shared, strict=True)
        return max(pairs, key=lambda pair: (_rank(pair[0]), pair[1], -len(pair[0].source)))[0]

    return [chosen(row) for row in found]


def _told(what: str) -> str:
    """The message that a source lacks ``what``; "" for nothing."""
    return f"its source lacks {what}" if what else ""


def _rank(one: Finding) -> tuple[bool, float, int, bool]:
    # What has more of its words and denies it counts for more than what has fewer, or a neighbour, and does not.
    return one.is_about_it, one.share, -len(one.passages), not one.lacks


class _Wanted(NamedTuple):
    """The figures, names, spans and words that a claim needs; ``text`` has its head where it is short."""

    claim: Claim
    text: str
    words: frozenset[str]
    figures: frozenset[Figure]
    names: frozenset[str]
    periods: frozenset[str]

    @classmethod
    def of(cls, claim: Claim, ordinary: frozenset[str]) -> _Wanted:
        # Behind a head it is not the first word of a sentence.
        names = names_of(f"x {claim.text}" if claim.head else claim.text, ordinary)
        text = claim.text
        if len(words_of_claim(text)) < LEAST_OWN_WORDS:
            text = f"{claim.head} {text}".strip()
        return cls(claim, text, words_of_claim(text), figures_of(claim.text), names, periods_of(claim.text))


def _held(wanted: _Wanted, evidence: Evidence) -> Finding:
    if speaking := frozenset(name for name in wanted.names & evidence.speakers if _says_we(name, wanted, evidence)):
        own = frozenset(stems_of(" ".join(speaking)))
        wanted = wanted._replace(names=wanted.names - speaking, words=wanted.words - own)
    share = _share(wanted.words, evidence.words)
    if share >= HALF:
        share = _share(wanted.words, evidence.words_beside)
    kind, missing = _missing(wanted, evidence)
    turned = _turned(wanted, evidence, share) if not missing and share >= DOUBTFUL_SHARE else ""
    kind = "turned" if turned else kind
    return Finding(wanted.claim, evidence.passages, evidence.said, share, missing or turned, not missing, kind)


def _turned(wanted: _Wanted, evidence: Evidence, share: float) -> str:
    claim, answered = wanted.claim.text, evidence.answered_in_part
    if evidence.is_denied_above:
        turned = "" if excludes(claim) else "the same yes or no"
    else:
        turned = turned_round(claim, evidence.pieces)
    if turned or answered is None or denies(claim) or _IN_PART.search(claim):
        return turned
    # What was asked is said by the customer, and the answer is no, or in part.
    return "the same yes or no" if _share(wanted.words, answered) < share else ""


def _says_we(name: str, wanted: _Wanted, evidence: Evidence) -> bool:
    """Tell if ``name`` stands in the claim where its source has "we" or "our": before the same word."""
    claim, said = without_accents(wanted.claim.text), " ".join(passage.quote for passage in evidence.passages)
    after = [claim[found.end() :] for found in re.finditer(rf"(?i)\b{re.escape(name)}(?:['’]s)?(?!\w)", claim)]
    after_we = {tuple(stems_of(said[found.end() :])[:1]) for found in _SPEAKER.finditer(said)}
    return bool(after) and all(tuple(stems_of(rest)[:1]) in after_we for rest in after)


def _share(words: frozenset[str], of: frozenset[str]) -> float:
    return len(words & of) / len(words) if words else 1.0


def _missing(wanted: _Wanted, evidence: Evidence) -> tuple[Lacking, str]:
    if figures := [figure for figure in wanted.figures if not _has(figure, evidence)]:
        return "figure", min(figures).told
    if names := wanted.names - evidence.names:
        return "name", f"the name {_as_written(min(names), wanted.claim.text)}"
    if periods := wanted.periods - evidence.periods:
        return "span", f"the span of time “{min(periods)}”"
    return "", ""


def nowhere(sentence: str, evidence: Sequence[Evidence], ordinary: frozenset[str]) -> str:
    """The message that no ``evidence`` has a figure or name of ``sentence``; "" where all are there."""
    if figures := [one for one in figures_of(sentence) if not any(_has(one, other) for other in evidence)]:
        return _told(min(figures).told)
    known = frozenset().union(*(one.names | one.words_beside | one.speakers for one in evidence))
    names = [name for name in names_of(sentence, ordinary) if name not in known and known.isdisjoint(stems_of(name))]
    return _told(f"the name {_as_written(min(names), sentence)}") if names else ""


def _as_written(name: str, text: str) -> str:
    return next((word for word in re.findall(r"[^\W_]+", text) if without_accents(word.lower()) == name), name)


def _has(figure: Figure, evidence: Evidence) -> bool:
    if figure in evidence.figures:
        return True
    same = {other.unit for other in evidence.figures if other.value == figure.value}
    if not figure.unit:
        return bool(same - ALWAYS_WRITTEN)
    # In a table the unit stands in the head of the column.
    return "" in same and figure.unit in units_of(evidence.beside)


def _of_hit(hit: Hit, speakers: frozenset[str]) -> Iterator[Evidence]:
    # What gives orders to a model is no evidence, should it have come so far.
    passages = [passage for passage in sentences_of_hit(hit) if order_in(passage.quote) is None]
    title, section = hit.chunk.context, hit.chunk.section_path
    head, heads = "", []
    for passage in passages:
        is_row = " | " in passage.quote
        # A first row with figures is one of a table that goes on from elsewhere.
        head = (head or (passage.quote if not figures_of(passage.quote) else " ")) if is_row else ""
        heads.append(f"{section}\n{head if head != passage.quote else ''}")
    for passage, beside in zip(passages, heads, strict=True):
        yield Evidence([passage], title, beside, speakers)
    for (one, other), beside in zip(pairwise(passages), heads[1:], strict=False):
        is_row = " | " in one.quote or " | " in other.quote
        if not is_row and not one.is_past_answer:
            yield Evidence([one, other], title, beside, speakers)


def _said(passage: Passage) -> str:
    """The statement of a passage: a past answer includes its question's figures where the answer is yes."""
    if passage.is_past_answer and past_verdict(passage.quote) != "yes":
        return passage.quote
    return passage.matched_text


def _initials_of(text: str) -> frozenset[str]:
    """The initials of names of several words, in lower case: "ciso" for a Chief Information Security Officer."""
    runs = ("".join(word[0] for word in _CAPITALISED.findall(run)).lower() for run in _LONG_NAME.findall(text))
    return frozenset(
        run[start:end] for run in runs for start in range(len(run)) for end in range(start + 2, len(run) + 1)
    )


def _tokens(text: str) -> frozenset[str]:
    words = re.findall(r"[^\W_]+(?:['’][^\W_]+)*", without_accents(text.lower()))
    return frozenset(re.sub(r"['’]s$", "", word) for word in words)
