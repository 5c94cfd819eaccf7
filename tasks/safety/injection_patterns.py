"""Prompt injection patterns: wordings that give orders to whoever drafts answers, a model or a person.

An order is addressed: it begins a sentence, or follows "you must", "the assistant should" and the like. "Staff
disregard earlier instructions" reports on others, and is not an order. The patterns are English; those for orders about
orders are also German, Spanish, French and Portuguese.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

_MODEL = (
    r"(?:ai|a\.i\.|llms?|gpt|chat ?gpt|chatbots?|language models?|(?:ai|virtual|automated) (?:assistants?"
    r"|agents?|readers?|systems?|models?))"
    r"(?! (?:providers?|users?|developers?|deployers?|customers?|engineers?|vendors?|team|researchers?|operators?))"
)
_BOT = rf"(?:{_MODEL}|assistants?|summari[sz]ers?|bots?)"
_MODELO = r"(?:ia|intelig[eê]ncia artificial|llm|modelos? de linguagem|assistente (?:virtual|de ia)|rob[oô]|chatbot)"
_ORDENS = r"(?:instru[cç][oõ]es|ordens|orienta[cç][oõ]es|regras|diretrizes|prompts?)"
_QUOTE = r"[\"'“”‘’«»]?"
_SAY = r"(?:answer|reply|respond|say|write|state|return|output)"
_TELL = (
    rf"(?:{_SAY}|cite|set|put|make|ignore|disregard|forget|treat|mark|rate|score|consider|approve|accept|recommend"
    r"|confirm|declare|claim|assert|report|pretend|do not|always|never|only|follow|obey)"
)
_MUST = r"(?:must|should|shall|will|can|may|(?:are|is|has|have|need|needs|ought) to|(?:are|is) (?:asked|required) to)"
_ADVERB = r"(?:please|kindly|now|then|so|instead|also|and|just|simply|immediately|first|therefore|always|only|do)"
_START = r"(?:^|[\n.!?:;,|>\"“”'‘’«(\[{*#•·–—/-]\s?)"
_DO = (
    rf"(?:{_START}(?:(?:{_ADVERB}|from now on|henceforth|{_BOT}|models?|readers?),?:? ){{0,6}}"
    rf"|\b(?:you|{_BOT}) {_MUST} (?:{_ADVERB} ){{0,4}}"
    rf"|{_START}(?:please )?(?:read|stop|take|listen|look|consider|{_SAY}|override|disregard|ignore|use|set|see|skip)\b"
    r"[^.!?\n]{0,60}? (?:and|then) (?:then )?)"
)
"""Start of an imperative that addresses the reader."""
_IGNORE = (
    r"(?:ignore|disregard|forget|override|overwrite|bypass|set aside|do not (?:follow|obey)"
    r"|stop following|pay no attention to)"
)
_STRONG = r"(?:your|previous|prior|above|earlier|system|preceding|foregoing|original|initial|existing)"
_WEAK = r"(?:all|any|these|those|other|the)"
_WORDS = r"(?: (?!of\b|versions?\b|editions?\b)\w+)"
_ORDERS = r"(?:instructions?|prompts?|directions|orders|guidelines|guardrails|rules|system message)"
_SOURCES = r"(?:documents?|passages?|evidence|context|sources?|excerpts?|quotes?|files?|texts?)"
_FAVOUR = (
    r"(?:yes\b(?!,? (?:or|and) no|/| ?/)|no\b(?!,? or yes|/|\.? ?\d)|approved|(?:fully )?compliant"
    r"|(?:in the )?affirmative(?:ly)?|positive(?:ly)?|true|met|granted)\b(?![\"'”’]?,? ?(?:or\b|/))"
)
_VENDOR = r"(?:vendor|supplier|bidder|company|firm|offer|bid|proposal|product|service)"
_PRAISE = r"(?:approved|compliant|certified|best|recommended|qualified|preferred|winner)"
_REPLY = r"(?:answers?|reply|replies|responses?|summar(?:y|ies)|drafts?|outputs?|verdicts?)"
_SOME = r"(?: that (?:apply|applies)|,? (?:where|if|unless|only)\b)"
"""Condition that makes it an instruction for filling in a form: "answer yes to each that applies"."""

_ENGLISH = (
    # Orders about orders
    rf"{_DO}{_IGNORE}(?: \w+){{0,3}}? {_STRONG}{_WORDS}{{0,3}}? {_ORDERS}\b",
    rf"{_DO}{_IGNORE} {_WEAK}(?: \w+){{0,1}}? {_ORDERS}\b(?! (?:\w+ ){{0,2}}(?:in|from|by|on|via|of|that|which|for)\b)",
    rf"{_DO}{_IGNORE}(?: \w+){{0,3}}? {_ORDERS},? (?:you|above|before|so far|that came|given (?:above|before"
    r"|to you))\b",
    rf"{_DO}{_IGNORE} (?:everything|anything|all|what|whatever)(?: \w+){{0,5}}? (?:above|before|earlier|previously"
    r"|so far|told|until now)\b",
    rf"{_DO}{_IGNORE}(?: \w+){{0,3}}? {_SOURCES}(?: (?:above|below|before|provided|given))?,? (?:and|then|but|instead)"
    rf"(?: \w+){{0,2}}? {_TELL}\b",
    rf"{_DO}{_IGNORE}(?: \w+){{0,2}}? passages? (?:above|below|before)\b",
    rf"{_START}(?:the |your )?(?:new|updated|revised|hidden|secret|real) (?:system )?(?:instructions?|prompt)\s*:",
    rf"{_DO}(?:reveal|repeat|print|show|leak|disclose|output|recite)(?: \w+){{0,5}}? (?:system prompt|system message"
    r"|your (?:own )?(?:prompt|instructions))",
    rf"\b(?:system|admin\w*|developer|root|safety|policy) over(?:ride|rule)\b\s*[:!–—-][^.\n]{{0,60}}?"
    rf"\b(?:{_REPLY}|yes|ignore|you|must|approve|{_SAY})\b",
    r"\bdo (?:exactly |just )?(?:as|what) i (?:say|tell you|order)\b",
    r"\b(?:ignore|disregard|forget)(?:all|any|the|your){0,2}(?:previous|prior|above|earlier) ?instructions?\b",
    # Addressees
    rf"\bas an? {_MODEL},? (?:you|i|ignore|do not|always|must|{_SAY})\b|\bas an ai language model\b",
    rf"\byou are (?:now )?(?:an? |the )?(?:\w+ )?{_MODEL}(?=[\s.,;:!]|$)",
    r"\byou are now (?:in (?:developer|debug|god|dan|jailbreak)|an? (?:un\w+|free|different|new) \w+|dan\b|jailbroken)",
    rf"\b(?:notes?|messages?|instructions?|notices?|attention|reminder|hint) (?:to|for) (?:any |all |the "
    rf"|every )?{_BOT}\s*[:,.–—-]? ?(?:please )?(?:{_TELL}|you|the (?:answer|verdict))\b",
    r"\b(?:notes?|messages?|hints?|reminders?) (?:to|for) (?:any |all |the |every )?(?:reviewers?|assessors?"
    r"|evaluators?|graders?|drafters?|readers?|scorers?)\s*[:,–—-] ?(?:please )?(?:mark|rate|score|treat|approve"
    r"|accept|answer|reply|say|ignore|disregard|declare)\b",
    rf"\b(?:attention|dear|hey|hello|hi),? (?:any |all |the )?{_BOT}\s?[,:!–—-][^.\n]{{0,40}}?\b{_TELL}\b",
    rf"\bif (?:you are|this is (?:being )?read by|you're) (?:an? |the )?{_MODEL}",
    rf"{_START}(?:for|to) (?:any|all|every|each|the) {_BOT},? (?:(?:that|who|which) (?:drafts?|writes?|prepares?"
    rf"|composes?|answers?)|drafting|writing|preparing|composing|answering)\b",
    rf"\b{_MODEL} (?:must|should|shall|has to|have to|is to)(?: always| only)? (?:{_SAY}(?: with"
    rf"| that)? {_QUOTE}(?:yes|no|this|our)\b|cite passage|ignore (?:all|any|the) {_SOURCES})",
    rf"\b(?:whoever|anyone who|any \w+ that|the (?:one|model|tool|system) (?:who|that)) (?:drafts?|writes?|answers?"
    rf"|generates?|summari[sz]es?|reads?|reviews?|prepares?)\b[^.\n]{{0,50}}? (?:{_MUST}|(?:is|are) (?:kindly |hereby "
    rf")?(?:asked|requested|instructed|told) to) (?:{_ADVERB} ){{0,4}}{_TELL}\b",
    rf"\b(?:any|every|all) (?:summari[sz]ers?|readers?|models?|assistants?|generators?|drafters?)\b[^.\n]{{0,40}}? "
    rf"{_MUST} (?:{_ADVERB} ){{0,4}}{_SAY}(?: that)? (?:the|this|our|we|yes|no)\b",
    # Dictated answers
    rf"{_DO}{_SAY}(?: with)?(?: only| simply| just)? {_QUOTE}(?:yes|no){_QUOTE} (?:to|for|on|in) (?:all|any|every|each"
    rf"|this|the|whatever)\b(?! \w+{_SOME})(?!{_SOME})",
    rf"{_DO}{_SAY} (?:to )?(?:all|any|every|each)(?: \w+){{0,3}}? (?:questions?|requirements?)(?: \w+){{0,3}}? "
    rf"(?:with|as|by) (?:an? |the (?:word )?)?{_QUOTE}{_FAVOUR}",
    rf"{_DO}{_SAY}(?: with)?(?: the word)? {_QUOTE}{_FAVOUR}{_QUOTE}(?=[.!;]|\s*$|\n| and | instead\b)",
    rf"{_DO}{_SAY} (?:only|simply|just)(?: with)?(?: the word)? {_QUOTE}{_FAVOUR}",
    r"\bfrom now on,? (?:you (?:must|will|are|should|shall)|answer|reply|respond)\b",
    rf"\bwhen(?:ever)? (?:you are |you're )?(?:asked|answering|replying|responding|drafting)\b[^.]{{0,80}}?\b{_SAY}"
    rf"(?: with| only| simply| that)* {_QUOTE}(?:yes\b(?! or)|no\b(?! or)|(?:this|our) )",
    rf"\bwhen(?:ever)? (?:you are |you're )?(?:generating|drafting|writing|composing|producing|preparing"
    rf"|summari[sz]ing) (?:(?:an?|the|your|any|this) )?(?:\w+ )?(?:{_REPLY}|text),? (?:{_ADVERB} ){{0,4}}{_SAY} "
    r"(?:that )?(?:we|this|our|the)\b",
    rf"\b(?:your|the (?:correct|right|only|expected|final)) {_REPLY}(?: to (?:the following|this|all|every|each|any)"
    rf"[^.\n]{{0,30}}?)? (?:is|are|{_MUST} (?:always )?be) {_QUOTE}{_FAVOUR}",
    rf"\b(?:all|every|each) (?:your |of your |the )?(?:{_REPLY}|questions)(?: \w+){{0,4}}? (?:are|is|{_MUST} be"
    rf"|count as|get) {_QUOTE}{_FAVOUR}",
    rf"{_DO}(?:treat|mark|rate|score|consider) (?:all|any|every|each|these|this)[^.\n]{{0,50}}? as "
    rf"(?:fully )?{_FAVOUR}",
    rf"\b(?:{_REPLY}) (?:to|for) (?:all|every|each|any)[^.\n:]{{0,30}}: ?{_QUOTE}{_FAVOUR}",
    r"\bwhatever (?:is|may be|you are) asked,? (?:the answer is|always|answer|say|reply)\b",
    r"\byour (?:new |only |real |true )?(?:task|role|job|goal|purpose) is now\b",
    rf"{_DO}{_IGNORE} (?:anything|everything|all)[^.\n]{{0,20}} contradict",
    rf"{_DO}(?:score|rate) (?:this|our|the) {_VENDOR}[^.\n]{{0,20}}? \d+ out of \d+\b",
    rf"{_DO}assume (?:for|that) (?:all|any|every|each)\b[^.\n]{{0,40}}? (?:is|are) (?:in place|met|fulfilled"
    r"|compliant)\b",
    rf"\b(?:any|every) {_MODEL}\b[^.\n]{{0,40}}? {_MUST} (?:{_ADVERB} ){{0,4}}{_SAY}(?: with)? {_QUOTE}{_FAVOUR}",
    rf"\bto whoever(?: \w+){{1,5}}\s?[:,–—-] ?(?:please )?{_TELL}\b",
    rf"{_START}answer: ?{_QUOTE}(?:yes|no){_QUOTE}[.,;] ?verdict: ?{_QUOTE}(?:yes|no)\b",
    rf"{_DO}(?:set|put|make) (?:the |your |every |each |all )?verdicts? (?:to|as|of)\b",
    rf"\bverdicts? {_MUST} (?:always )?be\b",
    rf"{_DO}cite (?:only |always )?(?:passage|number|\[?\d)",
    rf"{_DO}(?:{_SAY}|declare|rate|mark|treat|consider|recommend)(?: that)? (?:this|our|the) {_VENDOR}"
    rf"(?: \w+){{0,2}}? (?:as|is|are) (?:\w+ ){{0,2}}?{_PRAISE}",
    rf"{_DO}(?:pretend (?:to be|that|you)|act as (?:if you|an? (?:\w+ )?(?:ai|assistant|model)\b))",
    r"\b(?:developer|debug|jailbreak|dan) mode (?:on|enabled|activated|is)\b",
    # Markers of a chat format, and a reply that is already written
    r"<\|?\s*(?:im_start|im_end|system|assistant|endoftext|start_header_id)\b|\[/?inst\]|<<\s*/?sys\s*>>"
    r"|#{2,}\s*(?:system|instructions?|assistant)\s*:",
    r"[\"'“”‘’]verdict[\"'“”‘’]\s*:\s*[\"'“”‘’]?(?:yes|no|partial|not_applicable)\b"
    r"|[\"'“”‘’]answer[\"'“”‘’]\s*:\s*[\"“”][^\"“”]*[\"“”]\s*,\s*[\"'“”‘’](?:citations|verdict)[\"'“”‘’]\s*:",
    r"(?:^|[\n.|>])\s*(?:system|assistant|developer)(?: prompt| message| note)?\s*[:>]\s*(?:you (?:are|must|will|should"
    rf"|shall)|your (?:task|role|job|instructions?)|ignore|disregard|(?:always|never|only) {_TELL}|from now|do not"
    r"|answer|reply|respond|the (?:user|assistant|model)|override|approve|set (?:the|your|all)|say)\b",
)
_PORTUGUESE = (
    rf"\b(?:ignor(?:e|em|a|ar)|desconsider(?:e|em|ar)|esque[cç](?:a|am|er)|n[aã]o sig(?:a|am))\b(?:\W+\w+){{0,4}}?"
    rf"\W+{_ORDENS}",
    r"\b(?:ignore|desconsidere|esque[cç]a) (?:tudo|todo|qualquer)(?: \w+){0,3}? (?:acima|antes|anterior)",
    rf"\b(?:como|enquanto|sendo) (?:uma? )?{_MODELO},? (?:voc[eê]|n[aã]o|sempre|deve|respond|ignor)",
    rf"\b(?:voc[eê]|tu) (?:[eé]|[eé]s) (?:agora )?(?:uma? |o |a )?{_MODELO}\b",
    r"\bvoc[eê] agora [eé]\b",
    rf"\b(?:notas?|mensagem|instru[cç][aã]o|instru[cç][oõ]es|avisos?|aten[cç][aã]o) (?:para|ao|à|a|às|aos) (?:o |a |as "
    rf"|os |qualquer |toda )?{_MODELO}\b",
    rf"\bse (?:voc[eê] )?(?:for|[eé]|fores|és) (?:uma? )?{_MODELO}\b",
    r"\brespond(?:a|er|am|e)(?: sempre| apenas| s[oó])?(?: com| que)? [\"'“”‘’]?(?:sim|n[aã]o)\b",
    r"\brespond(?:a|er|am|e) (?:a )?(?:tod[ao]s|qualquer|cada)(?: \w+){0,3}? (?:com|que) [\"'“”‘’]?\w+",
    r"\b(?:revele|mostre|imprima|repita|divulgue|escreva)(?: \w+){0,3}? (?:prompt|instru[cç][oõ]es)\b",
    r"\b(?:de )?agora em diante,? (?:voc[eê]|respond|tod)",
    r"\b(?:novas|reais) instru[cç][oõ]es\s*:",
    r"(?:^|[\n.|>])\s*(?:sistema|assistente)\s*:\s*(?:voc[eê]|ignore|responda|sempre|nunca|desconsidere|aprove)\b",
    r"\b(?:declare|marque|considere|descreva|confirme)\b[^.]{0,50}?\b(?:fornecedor|proposta|empresa|requisitos?)\b"
    r"[^.]{0,30}?\b(?:aprovad|conforme|atendid|vencedor)",
)
_OTHERS = (
    r"\b(?:ignorier(?:e|t|en)|missacht(?:e|et|en)|vergiss|vergesst|vergessen)(?: \w+){0,3}? (?:vorherig|vorig|bisherig"
    r"|obig|früher|vorangehend|vorstehend)\w*(?: \w+){0,2}? (?:anweisung|instruktion|vorgabe|befehl|regel)\w*",
    r"\b(?:ignora|ignore|ignoren|olvida|olvide|omite)(?: \w+){0,2}? (?:instrucciones|órdenes|reglas|indicaciones)"
    r"(?: \w+)? (?:anteriores|previas|de arriba)",
    r"\b(?:ignore|ignorez|oublie|oubliez)(?: \w+){0,2}? (?:instructions|consignes|règles|ordres) (?:précédent|antérieur"
    r"|ci-dessus|données)\w*",
)
FOLLOWS = re.compile(
    rf"\W*(?:(?:{_ADVERB}|from now on|you must|you should),? ){{0,4}}(?:{_TELL})\b(?!.*\?\s*$)"
    r"|\W*(?:do (?:so|this|not)|in particular|this applies)\b"
)
"""A sentence that continues with orders after one that gives them."""


_COMMANDS = tuple(one for one in _ENGLISH if one.startswith(_DO))


def _at_line_ends(pattern: str) -> str:
    return pattern.replace(" ", r"[ \n]")  # a line of a page may end at any blank of a pattern


PATTERNS = tuple(map(_at_line_ends, (*_ENGLISH, *_PORTUGUESE, *_OTHERS)))
"""The patterns, to be searched in lower-cased text with single blanks and its line ends."""
_WITHOUT_COMMANDS = tuple(
    re.compile(_at_line_ends(one)) for one in (*_ENGLISH, *_PORTUGUESE, *_OTHERS) if one not in _COMMANDS
)
_ANY_COMMAND = re.compile(_at_line_ends(f"{_DO}(?:{'|'.join(one.removeprefix(_DO) for one in _COMMANDS)})"))
"""Pattern of any command: the beginning that all share, which costs the most, is looked for once."""


@cache
def _with_commands() -> tuple[re.Pattern[str], ...]:
    return tuple(map(re.compile, PATTERNS))


_TOPIC = re.compile(
    r"inject|jailbreak|adversarial|\bprompts?\b|attack|malicious|red.?team|guardrail|\bllms?\b|language model|chatbot"
    r"|\bai\b|phish|suspicious|\bfilter|\bdetect|\bblock"
)
_CUE = re.compile(
    r"(?:such as|like|e\.g[._],?|for example,?|for instance,?|including|namely|(?:phrase|text|prompt|string|word"
    r"|wording|command|request|attempt|input|message|sentence|instruction|attack)s?(?: of)?|says?|saying|reads?"
    r"|reading|asks?|of the form|to)[\s\"'“”‘’«(]*$"
)
_SENTENCE_ENDS = re.compile(r"[.!?][\s\"'”’)]|\n")
_LOOKED_AT = 200


def patterns_for(text: str) -> Sequence[re.Pattern[str]]:
    """The patterns that may match in ``text``, in their order."""
    return _with_commands() if _ANY_COMMAND.search(text) else _WITHOUT_COMMANDS


def is_mentioned(text: str, start: int, end: int) -> bool:
    """Tell if the order from ``start`` to ``end`` is only an example in a sentence about such orders."""
    word = re.search(r"\w", text[start:end])
    at = start + (word.start() if word else 0)
    before = text[max(0, at - _LOOKED_AT) : at].replace("e.g.", "e.g_")
    ends = [found.end() for found in _SENTENCE_ENDS.finditer(before)]
    begun = before[ends[-1] if ends else 0 :]
    rest = _SENTENCE_ENDS.split(text[end : end + _LOOKED_AT], maxsplit=1)[0]
    return bool(_CUE.search(begun) and _TOPIC.search(f"{begun} {rest}"))
