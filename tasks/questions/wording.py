"""Vocabulary of questionnaires: roles of headers, verdicts in answers, and yes/no questions.

In English, and in the languages of ``configs/languages.yaml``. A header in yet another language is ignored, and the
question column then found by its content.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Literal

from configs.languages import HeaderWord, languages
from tasks.questions.foreign_questions import asks, asks_openly, requests, spoken_in
from tasks.questions.requirements import as_question
from tasks.questions.review_columns import ANSWER_TITLE, REVIEW_TITLES
from tasks.records import QuestionKind, Verdict
from tasks.text.english import AUXILIARIES
from tasks.text.verdict_words import BEGINNING, ENGLISH, STATED, YES_NO_PAIRS

Role = Literal["review", "id", "section", "question", "weak_question", "answer", "comment"]

MAX_HEADER_WORDS = 8


def _words(text: str, header: HeaderWord | None = None) -> frozenset[str]:
    """The English words of ``text``, and those of other languages for a ``header``."""
    others = (spoken.headers.get(header, frozenset()) for spoken in languages().values() if header)
    return frozenset(text.split()).union(*others)


_ID = _words("id ids no nr num number ref reference code index # sn", "id")
_SECTION = _words("section subsection category domain area topic family chapter group theme title heading", "section")
_QUESTION = _words("question questions requirement requirements query queries enquiry inquiry", "question")
_WEAK_QUESTION = _words("control controls description criteria criterion statement specification request")
_ANSWER = _words("answer answers response responses reply replies compliance compliant comply complies", "answer")
_COMMENT = _words("comment comments remark remarks", "comment")
_SOFT_COMMENT = _words(
    "explanation explanations explain note notes rationale justification clarification details additional evidence"
    " implementation"
)
_NEVER = _words(
    "type example sample expected previous prior guidance guide help score scoring weight weighting points date owner",
    "customer",
)
# "Reviewer comments" are written by the customer's people.
_OTHER_PARTY = _words("reviewer assessor evaluator analyst auditor internal customer client buyer")
_FACT = _words("", "fact")
_OF_COMPANY = _words(
    "company vendor supplier bidder provider respondent tenderer contractor organisation organization legal full"
    " registered main primary additional security person number title job position information details link your the"
    " of for and at"
)

_FIRST_WORDS = {word: verdict for word, verdict in BEGINNING.items() if verdict != "not_applicable"}
_DEFAULT_SPELLING: Mapping[Verdict, str] = {verdict: words[0] for verdict, words in ENGLISH.verdicts.items()}

LONGEST_VERDICT = max(map(len, _DEFAULT_SPELLING.values()))
"""The length of the longest verdict that is written without a dropdown."""
_CLAUSE_END = re.compile(r"[.,;:!\n]|\s[-–—]\s")

_AUXILIARY = rf"(?:{AUXILIARIES})"
_LEAD = r"^(?:\W|\d[\d.]*\s|[a-z]\)\s)*"
_ASKS_YES_NO = re.compile(rf"{_LEAD}{_AUXILIARY}(?:n't)?\b", re.IGNORECASE)
# "Can you describe …" is a request with a polite auxiliary, and "Can you provide a copy …" another; "Do you share data
# with others?", "Will you provide support at night?" and "Will you tell us beforehand?" are none.
_REQUESTED = r"(?:n't)?\s+(?:you|the\s+\w+|we)\s+(?:please\s+|kindly\s+)?"
_DESCRIBE = r"(?:describe|explain|list|detail|outline|tell|elaborate|specify|state|summari[sz]e)\b"
_HAND = r"(?:provide|give|share|send)\b(?:\s+[\w'’/-]+){0,5}?\s+"
_TO_READ = (
    r"(?:cop(?:y|ies)|details?|descriptions?|lists?|summar(?:y|ies)|overviews?|evidence|proof|examples?|samples?|links?"
    r"|documents?|documentation|reports?|results?|polic(?:y|ies)|information|names?|contacts?|references?|diagrams?"
    r"|certificates?|figures|numbers?|estimates?|breakdowns?|explanations?|statements?|plans?|roadmaps?"
    r"|case\s+stud(?:y|ies))\b"
)
_ASKS_TEXT = re.compile(
    rf"{_LEAD}(?:will{_REQUESTED}(?!tell\b){_DESCRIBE}|(?:can|could|would|may){_REQUESTED}(?:{_DESCRIBE}|{_HAND}{_TO_READ}))",
    re.IGNORECASE,
)
_REQUEST = (
    r"(?:describe|provide|explain|list|state|specify|detail|outline|identify|give|attach|demonstrate|name|summari[sz]e)"
)
# "When a file is stored, is it scanned?" asks for a yes or no.
_HOW_MUCH = (
    r"how\s+(?:many|much|long|often|frequently|regularly|recently|soon|early|late|quickly|fast|far|old|large|big|high|low"
    r"|short)\b"
)
_ASKING_WORD = r"(?:what|which|who|whom|whose|where|when|why|how)\b"
_ASKS_OPENLY = re.compile(
    rf"{_LEAD}(?:how\b|{_ASKING_WORD}(?!.*[,:]\s+{_AUXILIARY}\b).*\?\s*$)", re.IGNORECASE | re.DOTALL
)
_PREPOSITION = (
    r"(?:about|above|across|after|against|as\s+(?:of|from)|at|before|below|between|by|down\s+to|during|except|following|for"
    r"|from|in|into|of|on|over|per|prior\s+to|since|through|throughout|to|under|until|till|up\s+to|up\s+until|upon|via|with"
    r"|within|without)"
)
# A text that begins like this is a question by itself: "Within how many hours", "Up to what age", "From when".
_ASKS_OPENLY_OF = re.compile(
    rf"{_LEAD}(?:{_PREPOSITION}\s+){{1,2}}(?:about\s+|approximately\s+|roughly\s+)?{_ASKING_WORD}", re.IGNORECASE
)
# "Training for how many persons is included?", "If so, how are they kept?", "Backups are kept where?"
_ASKS_OPENLY_AMID = re.compile(
    rf"(?:\b(?:after|at|by|for|from|in|to|until|with|within)\s+{_HOW_MUCH}|,\s+(?:how|what|why)\b)"
    rf"(?!.*,\s+{_AUXILIARY}\b).*\?\s*$|\b(?:{_HOW_MUCH}|{_ASKING_WORD})\s*\?\s*$",
    re.IGNORECASE | re.DOTALL,
)
# "If a contract ends, is data deleted?", "For tests, do you use live data?", "We work at night. Are you there?", and
# not "Where, within Europe, is it kept?" or "If data is lost, within what time, at most, do you tell us?"
_ASKS_YES_NO_BEHIND = re.compile(
    rf"(?!{_LEAD}(?:(?:please\s+)?(?:{_REQUEST}|tell|discuss|elaborate|share|indicate)\b|(?:when|where)\s*,))"
    rf"(?!(?:{_LEAD}|.*[,;:.!?]\s+(?:and\s+)?)(?:{_PREPOSITION}\s+{_ASKING_WORD}|(?!when|where){_ASKING_WORD}))"
    rf".*[,;:.!]\s+(?P<asked>{_AUXILIARY}(?:n't)?\b[^?]*\?)\s*$",
    re.IGNORECASE | re.DOTALL,
)
_BEGINS_TO_ASK = (
    rf"{_LEAD}(?:if\s+(?:so|yes),?\s+)?"
    rf"(?:{_AUXILIARY}|what|how|which|who|where|when|why|whether|please|confirm|indicate|{_REQUEST})\b"
)
_REQUIRES = r"\b(?:shall|must|should|(?:is|are)\s+required)\b"
_ASKS_BY_ITSELF = re.compile(rf"(?!\W*do\s+not\b(?!.*\?))(?:{_BEGINS_TO_ASK}|{_REQUIRES})", re.IGNORECASE | re.DOTALL)
_WRITE = (
    r"(?:answer|respond|reply|complete|enter|insert|type|write|add|state|specify|provide|give|fill(?:\s+(?:in|out))?)"
)
_TEXT = r"(?:answers?|responses?|repl(?:y|ies)|text|comments?|remarks?|details|explanation)"
_WHOSE = r"(?:(?:your|an?|the|any|free|supplier|vendor|bidder)(?:[’']s)?\s+)*"
_PLACE = r"(?:here|below|in\s+this\s+(?:cell|column|field|row))"
_PLACEHOLDER = re.compile(
    r"\W*(?:please\s+)?(?:select|choose|pick)\b.{0,40}"
    rf"|\W*(?:please\s+{_WRITE}(?:\s+{_WHOSE}{_TEXT})?(?:\s+{_PLACE})?"
    rf"|{_WRITE}\s+(?:{_WHOSE}{_TEXT}(?:\s+{_PLACE})?|{_PLACE})"
    rf"|(?:your|supplier|vendor|bidder)(?:[’']s)?\s+{_TEXT}(?:\s+{_PLACE})?|{_TEXT}\s+{_PLACE}"
    r"|t\.?b\.?[acd]|n/t|to\s+be\s+(?:advised|announced|answered|completed|confirmed|decided|determined|provided"
    r"|filled(?:\s+(?:in|out))?)(?:\s+by\s+(?:the\s+)?(?:bidder|contractor|provider|respondent|supplier|tenderer|vendor))?)"
    rf"\W*|[\[<{{]+\s*{_WHOSE}{_TEXT}\s*[\]>}}]+|[-–—_.…?\s]+",
    re.IGNORECASE,
)
_BOXED = re.compile(r"(?:☐|□|○|\[ \]|\( \))\s*([^☐□○\[\]()]+(?:\([^()]*\))?)")
_EXAMPLE = re.compile(
    r"\W*(?:(?:for\s+)?(?:example|sample|beispiel|exemple|ejemplo|exemplo)\b\s*(?:[:.)\]–—-]|$)|e\.?\s?g\.|z\.\s?b\."
    r"|p\.\s?ex\.)",
    re.IGNORECASE,
)
_NOTE = re.compile(
    r"\W*(?:please|kindly|bitte|veuillez|por\s+favor)\s+(?:contact|call|e-?mail|note|see|refer|visit|consult|return|send"
    r"|submit|save|wenden|beachten|senden|contacter|noter|contacte|note)\b(?!.*\b(?:confirm|describe|explain|provide|state"
    r"|list|detail|indicate|shall|must)\b)"
    r"|\W*(?:(?:for|if\s+you\s+have|in\s+case\s+of|with)\s+(?:any\s+|further\s+)?(?:questions?|queries|enquiries|clarifications?)\b"
    r"|(?:any\s+)?questions?\s*[?:]\s*(?:please\s+)?(?:contact|call|e-?mail|write|ask)\b|(?:bei|für)\s+(?:rück)?fragen\b"
    r"|pour\s+toute\s+question\b|para\s+(?:cualquier\s+duda|dúvidas|consultas)\b)",
    re.IGNORECASE | re.DOTALL,
)
"""The beginning of a sentence that tells the supplier where to ask or send, with no request for an answer in it."""
_SUM = re.compile(
    r"\W*(?:(?:sub|grand)[- ]?)?(?:totals?|sum|gesamt|summe|somme|suma|soma)\b(?=.*(?:[:=\d]|s\b|fragen|punkte))"
    r"(?:\s+(?:number\s+of\s+)?(?:questions?|answers?|points?|scores?|requirements?|fragen|punkte))?[\s:=\d.,]*",
    re.IGNORECASE,
)
_NUMBER_SIGN = re.compile(r"\bn\s*[°º]", re.IGNORECASE)
_BRACKETS = re.compile(r"\([^()]{0,200}\)|\[[^\[\]]{0,200}\]")
_REMARK = re.compile(rf"{_BRACKETS.pattern}|(?:\s[-–—]\s|[,;:]\s|\n).*", re.DOTALL)
COUNT = r"(\d{1,3}(?:[, ]?\d{3})+|\d+)\s*(char|word)\w*"
AT_MOST = r"max(?:imum|\.)?|up to|no more than|not more than|at most|limit(?:ed)?(?: to)?|less than|under|≤|<="
FEWER = r"max(?:imum)?\b|limit\b|or less|or fewer"
_LIMIT = re.compile(
    rf"(?:{AT_MOST})[\s:.,]*(?:length|size|of|is)?[\s:.,]*{COUNT}|{COUNT}\s*(?:{FEWER})",
    re.IGNORECASE,
)
_LIMIT_TITLE = re.compile(
    r"\b(?:max(?:imum|\.)?|limit)\b.*\b(?:char|length|size|words?)|\b(?:char\w*|length|word)\s+limit\b",
    re.IGNORECASE,
)
CHARACTERS_A_WORD = 5
"""Characters for each word of a limit in words: a short word with its blank, so that no limit is exceeded."""


# A sheet's texts are looked at several times, one row after the other.
@lru_cache(maxsize=4096)
def words_of(text: str) -> tuple[str, ...]:
    """The lower-case words and ``#`` signs of a text; none give an empty tuple."""
    return tuple(re.findall(r"[^\W_]+|#", text.casefold()))


@lru_cache(maxsize=4096)
@lru_cache(maxsize=65_536)
def header_role(header: str) -> Role | None:
    """The role of a column with this header; None where its words give none, or it is not for the supplier to fill."""
    words = words_of(_NUMBER_SIGN.sub("no ", header))
    # "[your answer]" stands in a cell for an answer.
    if header.strip()[:1] in "[<{" and is_placeholder(header):
        return None
    # A sentence about questions and answers is no header; brackets in a header do not count.
    if not words or len(words_of(_BRACKETS.sub(" ", header))) > MAX_HEADER_WORDS or is_note(header):
        return None
    title = header.strip().casefold()
    if title in (ANSWER_TITLE, *REVIEW_TITLES):
        return "review"
    some = frozenset(words)
    if some & _NEVER:
        return None
    # "Supplier comments (max. 60 characters)": the role is named before the remark.
    ends = {words[0], words[-1], *words_of(_REMARK.sub(" ", header))[-1:]}
    role = _role(words, some, ends)
    return None if role in ("answer", "comment") and some & _OTHER_PARTY else role


def heads_customers_column(header: str) -> bool:
    """Tell if a header stands over a column that the supplier does not fill in: "Guidance", "Analyst notes"."""
    words = words_of(header)
    is_short = 0 < len(words_of(_BRACKETS.sub(" ", header))) <= MAX_HEADER_WORDS
    return is_short and bool(frozenset(words) & (_NEVER | _OTHER_PARTY))


def names_other_party(title: str) -> bool:
    """Tell if a title names the customer or its people: "Customer details", "Reviewer"."""
    return bool(frozenset(words_of(title)) & (_OTHER_PARTY | {"customer"}))


def is_example(text: str) -> bool:
    """Tell if a text says that it is an example: "Example: …", "(Beispiel) …", "e.g. …"."""
    return _EXAMPLE.match(text) is not None


def is_note(text: str) -> bool:
    """Tell if a text tells the supplier where to ask or to send the file: "Please contact … with questions."."""
    return not text.rstrip().endswith("?") and _NOTE.match(text) is not None


def is_sum(text: str) -> bool:
    """Tell if a text is the label of a sum, with or without it: "Total questions: 4"."""
    return _SUM.fullmatch(text) is not None


def fact_words(label: str) -> frozenset[str]:
    """The words of a label that name facts about the supplier's company: "Vendor contact e-mail" has contact and mail.

    Empty for a question, and for a label with other words.
    """
    some = frozenset(words_of(_BRACKETS.sub(" ", label))) - {"e", "s"}
    if len(some) > MAX_HEADER_WORDS or "?" in label or not some <= _FACT | _OF_COMPANY:
        return frozenset()
    return some & _FACT


def _role(words: tuple[str, ...], some: frozenset[str], ends: set[str]) -> Role | None:
    first, last = words[0], words[-1]
    if says_yes_no(" ".join(words)):
        return "question" if some & _QUESTION and not some & _ANSWER else "answer"
    if ends & _COMMENT:
        return "comment"
    if len(words) <= 3 and (last in _ID or first in ("ref", "no", "id", "nr", "#")):
        return "id"
    answers_it = first in _ANSWER and (last not in _QUESTION | _WEAK_QUESTION or words[1] in ("to", "for"))
    if answers_it or last in _ANSWER:
        return "answer"
    if last in _SECTION:
        return "section"
    roles: tuple[tuple[frozenset[str], Role], ...] = (
        (_QUESTION, "question"),
        (_ANSWER, "answer"),
        (_SOFT_COMMENT, "comment"),
        (_SECTION, "section"),
        (_WEAK_QUESTION, "weak_question"),
    )
    return next((role for known, role in roles if some & known), None)


def is_answer_too(header: str) -> bool:
    """Tell if a comment header also asks for the answer ("Comments / response")."""
    return bool(frozenset(words_of(header)) & _ANSWER)


def says_yes_no(header: str) -> bool:
    """Tell if a header offers yes and no itself ("Yes/No", "Compliant (Y/N)")."""
    some = frozenset(words_of(header))
    letters = {"y", "n"} <= some or {"j", "n"} <= some or {"o", "n"} <= some
    # "S/N" alone is a serial number.
    letters = letters or ({"s", "n"} <= some and len(some) > 2)
    return letters or any(some.issuperset(pair) for pair in (*YES_NO_PAIRS, ("si", "no")))


def verdict_of(text: str, *, whole: bool = False) -> Verdict | None:
    """The verdict that an answer states ("Yes", "No (explain)"), or, with ``whole``, that it consists of; or None."""
    words = words_of(text)
    joined = " ".join(words)
    for verdict, known in STATED.items():
        if joined in known:
            return verdict
    if whole or not words:
        return None
    return "not_applicable" if joined.startswith(("not applicable", "n a ")) else _FIRST_WORDS.get(words[0])


def begins_with_verdict(text: str) -> Verdict | None:
    """The verdict before the first comma or stop of a text ("No, they are not."); None where it has none."""
    return verdict_of(first_clause(text), whole=True)


def first_clause(text: str) -> str:
    """The part of a text before its first stop, comma or dash."""
    return _CLAUSE_END.split(text, maxsplit=1)[0]


def spell_verdict(verdict: Verdict, choices: Sequence[str] = ()) -> str | None:
    """The verdict in the dropdown's spelling, or in plain words without a dropdown; None where no choice means it.

    "Yes - partly" means partial. Of several choices that begin with the verdict, the one that says it twice is taken
    ("Yes - fully"); None where there is no such one, since each says more than the verdict.
    """
    if not choices:
        return _DEFAULT_SPELLING[verdict]
    whole = next((choice for choice in choices if verdict_of(choice, whole=True) == verdict), None)
    if whole is not None:
        return whole
    begun = [(choice, _said_after(choice)) for choice in choices]
    meant = [
        (choice, after)
        for choice, after in begun
        if ("partial" if after == "partial" else verdict_of(choice)) == verdict
    ]
    twice = (choice for choice, after in meant if after == verdict)
    return next(twice, meant[0][0] if len(meant) == 1 else None)


def _said_after(choice: str) -> Verdict | None:
    """The verdict of a choice's words after its first one."""
    return verdict_of(" ".join(words_of(choice)[1:]), whole=True)


def question_kind(text: str, choices: Sequence[str], *, yes_no_header: bool) -> QuestionKind:
    """The kind of a question: ``yes_no`` where the dropdown, the header or else the question itself asks for it.

    A question that asks where or how is ``free_text`` in any case. A requirement counts as its question.
    """
    text = as_question(text)
    if spoken := spoken_in(text):
        is_open, asks_first = asks_openly(text, spoken), asks(text)
    else:
        begins, behind = bool(_ASKS_YES_NO.match(text)), None
        if not begins and text.rstrip().endswith("?"):
            behind = _ASKS_YES_NO_BEHIND.match(text)
        is_open = bool(_ASKS_OPENLY.match(text) or _ASKS_OPENLY_OF.match(text))
        is_open = is_open or (not (begins or behind) and bool(_ASKS_OPENLY_AMID.search(text)))
        asks_first = (begins or behind is not None) and not _ASKS_TEXT.match(behind["asked"] if behind else text)
    if is_open:
        return "free_text"
    if choices:
        offered = {verdict_of(choice) for choice in choices}
        return "yes_no" if {"yes", "no"} <= offered else "free_text"
    return "yes_no" if yes_no_header or asks_first else "free_text"


def looks_like_question(text: str) -> bool:
    """Tell if a text asks or requires something, by its first word, a question mark or a modal."""
    return asks_by_itself(text) or bool(re.search(r"\?(?:\s|$)", text))


def asks_by_itself(text: str) -> bool:
    """Tell if the words of a text ask or require something, by its first word or a modal."""
    return bool(_ASKS_BY_ITSELF.search(text) or _ASKS_OPENLY_OF.match(text)) or requests(text)


def is_placeholder(text: str) -> bool:
    """Tell if a cell holds a placeholder for an answer ("Please select", "TBD", "–", "☐ Yes ☐ No")."""
    return bool(_PLACEHOLDER.fullmatch(text) or choices_to_tick(text))


def choices_to_tick(text: str) -> tuple[str, ...]:
    """The choices of a cell with an empty box before each ("☐ Yes ☐ No"); none for any other cell."""
    found = tuple(choice.strip() for choice in _BOXED.findall(text))
    return found if len(found) > 1 and not _BOXED.sub("", text).strip() else ()


def character_limit(header: str) -> int | None:
    """The length limit in a header ("max. 500 characters", "500 words or fewer"); None where it states none."""
    found = _LIMIT.search(header)
    return characters_of(found.group()) if found else None


def characters_of(limit: str) -> int | None:
    """The number of characters that a limit allows ("50 words"); None where it has no number."""
    found = re.search(COUNT, limit, re.IGNORECASE)
    if not found:
        return None
    count, unit = found.groups()
    return int(re.sub(r"\D", "", count)) * (CHARACTERS_A_WORD if unit.lower() == "word" else 1)


def limit_of_cell(header: str, cell: str) -> int | None:
    """The limit in a cell below a header such as "Maximum length"; None below another header, or without a number."""
    if not _LIMIT_TITLE.search(header) or not cell.strip().isdecimal():
        return None
    return int(cell) * (CHARACTERS_A_WORD if "word" in header.lower() else 1)
