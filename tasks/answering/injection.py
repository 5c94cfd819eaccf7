"""Text that speaks to whoever drafts, and not to a reader: "ignore the instructions above", "answer yes to all".

A document's words are data. A passage that gives orders to a language model is left out of what a generator is handed,
whether it would obey or not, and a person is told where it stands. Read are English and Portuguese.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

from tasks.records import Chunk, Hit, content_id, locator

_MODEL = (
    r"(?:ai|a\.i\.|llms?|gpt|chat ?gpt|chatbots?|language models?|(?:ai|virtual|automated) (?:assistants?"
    r"|agents?|readers?|systems?|models?))"
)
_MODELO = r"(?:ia|intelig[eê]ncia artificial|llm|modelos? de linguagem|assistente (?:virtual|de ia)|rob[oô]|chatbot)"
_ORDERS = (
    r"(?:instructions?|prompts?|directions|orders|guidelines|rules you|rules (?:above|given)|system message"
    r"|passages (?:above|below|before))"
)
_ORDENS = r"(?:instru[cç][oõ]es|ordens|orienta[cç][oõ]es|regras|diretrizes|prompts?)"
_SAY = r"(?:answer|reply|respond|say|write|state|return|output)"
LINE_BEGINS = r"(?:^|[\n.|>])"
_PATTERNS = tuple(
    re.compile(pattern)
    for pattern in (
        # English: orders about orders
        rf"\b(?:ignor(?:e|ing)|disregard(?:ing)?|forget|overrid(?:e|ing)|bypass|set aside|do not (?:follow|obey))"
        rf"(?: \w+){{0,3}}? (?:all|any|your|these|those|previous|prior|above|earlier|system|preceding|foregoing|other)"
        rf"(?: \w+){{0,3}}? {_ORDERS}\b",
        rf"\b(?:ignor(?:e|ing)|disregard(?:ing)?|forget|overrid(?:e|ing)|bypass|do not (?:follow|obey))"
        rf"(?: \w+){{0,3}}? {_ORDERS},? (?:you|given|above|before|so far|that came)\b",
        rf"\b(?:ignor(?:e|ing)|disregard(?:ing)?|overrid(?:e|ing)) your {_ORDERS}\b",
        r"\b(?:ignore|disregard|forget) (?:everything|anything|all|whatever)(?: \w+){0,4}? (?:above|before"
        r"|so far|told|said)\b",
        r"\b(?:new|updated|revised|hidden|secret|real) (?:system )?(?:instructions?|prompt)\s*:",
        r"\b(?:reveal|repeat|print|show|leak|disclose|output|recite)(?: \w+){0,3}? (?:system prompt"
        r"|system message|your (?:own )?(?:prompt|instructions))",
        # English: who is spoken to
        rf"\bas an? {_MODEL},? (?:you|i|ignore|do not|always|must|{_SAY})\b|\bas an ai language model\b",
        rf"\byou are (?:now )?(?:an? |the )?(?:\w+ )?{_MODEL}\b",
        r"\byou are now (?:an?|in|the)\b",
        rf"\b(?:notes?|messages?|instructions?|notices?|attention|reminder|hint) (?:to|for) (?:any |all |the "
        rf"|every )?{_MODEL}\b",
        rf"\b(?:attention|dear|hey),? (?:any |all |the )?{_MODEL}\b",
        rf"\bif (?:you are|this is (?:being )?read by|you're) (?:an? |the )?{_MODEL}\b",
        rf"\b{_MODEL} (?:must|should|shall|has to|have to|is to)(?: always| only)? (?:{_SAY}(?: with"
        rf"| that)? [\"'“”‘’]?"
        rf"(?:yes|no|this|our)\b|cite passage|ignore (?:all|any|the) )",
        # English: what is to be said
        rf"\b{_SAY}(?: with)?(?: only| simply| just)? [\"'“”‘’]?(?:yes|no)[\"'“”‘’]? (?:to|for|on|in) (?:all"
        rf"|any|every|each|this|the|whatever)\b",
        rf"\b{_SAY} (?:to )?(?:all|any|every|each)(?: \w+){{0,3}}? (?:questions?"
        rf"|requirements?)(?: \w+){{0,3}}? (?:with|as|by) [\"'“”‘’]?\w+",
        rf"\b(?:always|only|must|please|now|from now on,?) {_SAY}(?: with)? [\"'“”‘’]?(?:yes|no)\b",
        rf"\bwhen(?:ever)? (?:you are |you're )?(?:asked|answering|replying|responding"
        rf"|drafting)\b[^.]{{0,80}}?\b{_SAY}(?: with| only| simply| that)* [\"'“”‘’]?(?:yes\b|no\b|(?:this"
        rf"|our) )",
        r"\bfrom now on,? (?:you|answer|reply|respond)\b",
        r"\b(?:set|put|make) (?:the |your )?verdicts? (?:to|as|of)\b",
        r"\bcite (?:only |always )?(?:passage|number|\[?\d)",
        rf"\b(?:{_SAY}|declare|describe|rate|mark|treat|consider|recommend|confirm)(?: that)? (?:this|our) "
        rf"(?:vendor|supplier"
        r"|bidder|company|firm|offer|bid|proposal|product|service)(?: \w+){0,2}? (?:as|is|are) (?:\w+ ){0,2}?"
        r"(?:approved|compliant|certified|best|recommended|qualified|preferred|winner)",
        r"\b(?:pretend (?:to be|that|you)|act as (?:if you|an?|the) (?:\w+ )?(?:ai|assistant|model|developer"
        r"|admin\w*))\b",
        r"\b(?:developer|debug|jailbreak|dan) mode (?:on|enabled|activated|is)\b",
        # Marks of a conversation
        r"<\|?\s*(?:im_start|im_end|system|assistant|endoftext|start_header_id)\b|\[/?inst\]|<<\s*/?sys\s*>>"
        r"|#{2,}\s*(?:system|instruction|assistant)\b",
        r"(?:^|[\n.|>])\s*(?:system|assistant|developer)(?: prompt| message| note)?\s*[:>]\s*(?:you|your"
        r"|ignore|disregard|answer|reply|respond|"
        r"always|never|from now|do not|the (?:user|assistant|model)|override|approve|set|say)\b",
        # Portuguese
        rf"\b(?:ignor(?:e|em|a|ar)|desconsider(?:e|em|ar)|esque[cç](?:a|am|er)|n[aã]o sig(?:a"
        rf"|am))\b(?:\W+\w+){{0,4}}?\W+{_ORDENS}",
        r"\b(?:ignore|desconsidere|esque[cç]a) (?:tudo|todo|qualquer)(?: \w+){0,3}? (?:acima|antes|anterior)",
        rf"\b(?:como|enquanto|sendo) (?:uma? )?{_MODELO},? (?:voc[eê]|n[aã]o|sempre|deve|respond|ignor)",
        rf"\b(?:voc[eê]|tu) (?:[eé]|[eé]s) (?:agora )?(?:uma? |o |a )?{_MODELO}\b",
        r"\bvoc[eê] agora [eé]\b",
        rf"\b(?:notas?|mensagem|instru[cç][aã]o|instru[cç][oõ]es|avisos?|aten[cç][aã]o) (?:para|ao|à|a|às"
        rf"|aos) (?:o |a |as |os |qualquer |toda )?{_MODELO}\b",
        rf"\bse (?:voc[eê] )?(?:for|[eé]|fores|és) (?:uma? )?{_MODELO}\b",
        r"\brespond(?:a|er|am|e)(?: sempre| apenas| s[oó])?(?: com| que)? [\"'“”‘’]?(?:sim|n[aã]o)\b",
        r"\brespond(?:a|er|am|e) (?:a )?(?:tod[ao]s|qualquer|cada)(?: \w+){0,3}? (?:com|que) [\"'“”‘’]?\w+",
        r"\b(?:revele|mostre|imprima|repita|divulgue|escreva)(?: \w+){0,3}? (?:prompt|instru[cç][oõ]es)\b",
        r"\b(?:de )?agora em diante,? (?:voc[eê]|respond|tod)",
        r"\b(?:novas|reais) instru[cç][oõ]es\s*:",
        r"(?:^|[\n.|>])\s*(?:sistema|assistente)\s*:\s*(?:voc[eê]|ignore|responda|sempre|nunca|desconsidere"
        r"|aprove)\b",
        r"\b(?:declare|marque|considere|descreva|confirme)\b[^.]{0,50}?\b(?:fornecedor|proposta|empresa"
        r"|requisitos?)\b[^.]{0,30}?\b(?:aprovad|conforme|atendid|vencedor)",
    )
)
_HIDDEN = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]|[\U000e0000-\U000e007f]")
"""What no reader sees: soft hyphens, letters without width, marks of direction, tags."""
_SPACED = re.compile(r"\b(?:\w ){3,}\w\b")
_SHOWN_CHARACTERS = 80
LOGIC_KEY = content_id("1", *(pattern.pattern for pattern in _PATTERNS), _HIDDEN.pattern, _SPACED.pattern)
"""Changes with the patterns, and is to change with whatever else decides what gives orders."""


class Suspect(NamedTuple):
    """A place that speaks to a model, and the words by which it does."""

    place: str
    words: str

    def __str__(self) -> str:
        """As a person is told of it."""
        return f"{self.place} (“{self.words}”)"


def order_in(text: str) -> str | None:
    """The words by which ``text`` gives orders to a language model, in one line; None where it gives none."""
    plain = _plain(text)
    joined = " ".join(plain.split())
    # In small letters once, and not at each letter of each pattern. Lines count where one of a pattern must begin.
    lowered = {True: plain.lower(), False: joined.lower()}
    for pattern in _PATTERNS:
        has_lines = pattern.pattern.startswith(LINE_BEGINS)
        if found := pattern.search(lowered[has_lines]):
            shown = plain if has_lines else joined
            # Few letters are two when small: then the words are shown as they were searched.
            is_same = len(shown) == len(lowered[has_lines])
            words = shown[found.start() : found.end()] if is_same else found.group()
            return " ".join(words.split())[:_SHOWN_CHARACTERS].strip()
    return None


def order_in_chunk(chunk: Chunk) -> str | None:
    """As :func:`order_in`, of all that a prompt would hold of the chunk: its text, title, section and file name."""
    name = re.sub(r"[-_./]+", " ", chunk.file_name)
    return (
        order_in(chunk.text)
        or _order_above(f"{chunk.context}\n{chunk.section_path}\n{chunk.sheet_name or ''}")
        or _order_above(name)
    )


@lru_cache(maxsize=256)
def _order_above(text: str) -> str | None:
    """As :func:`order_in`, of what stands over many chunks in a row."""
    return order_in(text)


def without_orders(hits: Iterable[Hit], count: int) -> tuple[list[Hit], list[Suspect]]:
    """The best ``count`` hits without chunks that give orders, and such chunks as were met on the way to them.

    A hit whose own chunk gives orders is left out whole; the ranks of the others stay. No hits give none.
    """
    kept: list[Hit] = []
    suspects: list[Suspect] = []
    for hit in hits:
        if len(kept) == count:
            break
        every = dict.fromkeys((hit.chunk, *hit.chunks, *hit.around))
        found = {chunk: words for chunk in every if (words := order_in_chunk(chunk))}
        suspects += [_suspect(chunk, words) for chunk, words in found.items()]
        if not found:
            kept.append(hit)
        elif hit.chunk not in found:
            handed_over, around = (
                tuple(chunk for chunk in some if chunk not in found) for some in (hit.chunks, hit.around)
            )
            kept.append(replace(hit, handed_over=handed_over, around=around))
    return kept, list(dict.fromkeys(suspects))


def told_of_passages(suspects: Sequence[Suspect]) -> list[str]:
    """What a person is told of passages that were left out; nothing where there are none."""
    left_out = "left out, as it gives orders to a language model"
    return [f"{left_out}: {'; '.join(map(str, suspects))}"] if suspects else []


def told_of_question(question: str) -> list[str]:
    """Why a person has to look at the answer to a question that gives orders; nothing where it gives none."""
    words = order_in(question)
    return [f"the question gives orders to a language model (“{words}”)"] if words else []


def _suspect(chunk: Chunk, words: str) -> Suspect:
    place = locator(chunk.file_name, chunk.page_number, chunk.sheet_name, chunk.row_number, chunk.section_path)
    return Suspect(place, words)


def _plain(text: str) -> str:
    """As a reader sees it: letters in one form, nothing hidden among them, no word spelled out in spaces."""
    shown = _HIDDEN.sub("", unicodedata.normalize("NFKC", text))
    return _SPACED.sub(lambda spaced: spaced.group().replace(" ", ""), shown)
