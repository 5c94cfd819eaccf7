"""Characters: what bytes mean, and how raw text becomes clean text.

Nothing here changes a letter or a digit but the seven Latin ligatures, so text that is cleaned still matches
its source once white space and punctuation are folded away.
"""

from __future__ import annotations

import codecs
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import NamedTuple

from tasks.conversion.alphabets import latin_code_page
from tasks.text.english import TENS

LINE_END_HYPHEN = "\x02"
"""What stands for a hyphen at a line's end. pdfium writes U+0002 or U+FFFE, by the call that is used."""

CHECKED, EMPTY = "☒", "☐"
"""The marks of a check box that is set and of one that is not, as Word writes its own: a form says the same in every
format, and an empty box is nothing that could be taken for a letter or a word.
"""

BLACKED_OUT = "█"
"""What stands for each character under a black box."""

RAISED = dict(zip("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻ⁿ⁽⁾", "0123456789+-n()", strict=True))
"""The raised characters of marks and powers, and what each is without being raised."""

_LIGATURES = {
    0xFB00: "ff",
    0xFB01: "fi",
    0xFB02: "fl",
    0xFB03: "ffi",
    0xFB04: "ffl",
    0xFB05: "st",
    0xFB06: "st",
}
LIGATURES = "".join(map(chr, _LIGATURES))
_SPACES = "\t\x0b\x0c\x1c\x1d\x1e\x1f\x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(
    map(chr, range(0x2000, 0x200B))
)
_DROPPED = (
    "".join(map(chr, range(0x20))) + "\x7f\xad\u200b\u2060\ufeff\ufffe\uffff" + "".join(map(chr, range(0x80, 0xA0)))
)
_SYMBOL_BULLETS = "\uf0b7\uf0a7\uf0d8\uf076\uf0fc\uf02d\uf0a8\uf06f\uf071"
_NO_WORD = re.compile(r"\W+")
_TO_PLAIN = str.maketrans(RAISED)
_LOWER = bytes(range(0x80)).lower() + bytes(range(0x80, 0x100))
_NO_LETTERS = bytes(code for code in range(0x80) if not chr(code).isalnum())
_ASCII_BYTES, _OTHER_BYTES = bytes(range(0x80)), bytes(range(0x80, 0x100))
_TO_TOKENS = bytes(
    code if code >= 0x80 or code == ord("-") else ord(chr(code).lower() if chr(code).isalpha() else " ")
    for code in range(0x100)
)
"""What is ASCII in lower case, and a blank for all of it that no word has."""
_TABLE: dict[int, str | None] = {
    **{ord(c): None for c in _DROPPED if c != "\n"},
    **dict.fromkeys(range(0xD800, 0xE000)),
    **{ord(c): " " for c in _SPACES},
    **{ord(c): "•" for c in _SYMBOL_BULLETS},
    # Boxes of Wingdings that are set; an empty one is as often a bullet.
    0xF0FE: "☑",
    0xF0FD: CHECKED,
    **_LIGATURES,
}
_DIRTY = re.compile("[" + re.escape("".join(map(chr, _TABLE))) + "]|  ")
_RUNS = re.compile(r" {2,}")

_HEAD = 4096
_HEAD_OF_TEXT = 1 << 16
_OTHER_SCRIPTS = [
    *("cp1251", "koi8_r", "cp866", "iso8859_5", "cp1253", "cp1255", "cp1256"),
    *("cp932", "euc_jp", "gb18030", "big5hkscs", "cp949"),
]
_ASCII = dict.fromkeys(range(0x80))
_MANY_TO_ONE = 10
"""So many characters beyond ASCII that are valid UTF-8 outweigh one that is not: by chance hardly any is."""
_FEW_LETTERS = 8
_LEAST_FOREIGN = 0.3
"""Of the letters of a text in another script, between names and headings in English."""
_DECLARED = re.compile(rb"<(?:meta\b[^>]*?\bcharset\s*=|\?xml\b[^>]*?\bencoding\s*=)[\s\"']*([\w.:-]+)", re.IGNORECASE)
_BULLET = re.compile(r"[•◦‣⁃●∙][ ]?(?=\S)|[▪▫○■□☐☑☒▸►➢➤✓✔❖·][ ](?=\S)|[-–—*][ ](?=\S)|o[ ](?=[A-Z])")
_BULLETS = frozenset("•◦‣⁃●∙▪▫○■□☐☑☒▸►➢➤✓✔❖·-–—*o")
_NUMBER = re.compile(r"(?:\(?(?:\d{1,3}|[a-zA-Z]|[ivxIVX]{1,5})\)|(?:\d{1,3}|[a-zA-Z]|[ivx]{1,5})\.)[ ](?=\S)")
_CHOICE_MARKS = frozenset("xX✓✔✗✘●•☐☑☒")
_LEADER = re.compile(r"\s*(?:[.…·_] ?){4,}\s*(?=[\divxlc]{1,5}$)")
_LEADERS = ".…·_ "
_LEAST_DOTS = 4
"""With the blanks between them they are more."""
LEADER = " … "
"""What stands for the dots that lead to a page number."""
_PAGE_NUMBER = "0123456789ivxlc"
"""What a page number is made of, but for digits of other scripts."""
_PAGE_NUMBER_ENDS = frozenset(_PAGE_NUMBER)
_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_UNITS = frozenset(
    "one two three four five six seven eight nine first second third fourth fifth sixth seventh eighth ninth".split()
)
_COMPOUNDING = frozenset("etux")
"""Letters that begin compounds as capitals, too: "E-mail", "X-ray". No word is parted behind its first letter."""
_OF_SELF = ("ish", "less", "same")
_PARTED = re.compile(rf"{LINE_END_HYPHEN}|-\n")
_TAIL = re.compile(r"\S*")
_BEFORE_ANOTHER = ("and ", "or ", "und ", "oder ", "et ", "ou ")
_REACH = 80
"""No word is longer, with its hyphens: how far back a hyphen looks for the one before it."""
_BEFORE = re.compile(r"[^\W_]+(?:-[^\W_]+)*$")
_AFTER = re.compile(r"^[^\W_]+(?:-[^\W_]+)*")


class Decoded(NamedTuple):
    """Text and the name of the encoding it was read with."""

    text: str
    encoding: str


def clean_line(raw: str) -> str:
    """``raw`` in one line: odd spaces plain, runs of them one, control characters gone, ends stripped."""
    if raw.isascii() and raw.isprintable() and "  " not in raw:
        return raw.strip()
    if "\n" in raw or "\r" in raw:
        raw = raw.replace("\r", " ").replace("\n", " ")
    if _DIRTY.search(raw):
        raw = _RUNS.sub(" ", raw.translate(_TABLE))
    return raw.strip()


def clean_block(raw: str) -> str:
    """``raw`` with each of its lines cleaned; empty lines are gone."""
    lines = (clean_line(line) for line in raw.replace("\r\n", "\n").replace("\r", "\n").split("\n"))
    return "\n".join(line for line in lines if line)


def fold(text: str) -> str:
    """Letters and digits alone, in lower case and none raised: what is left to compare when layout does not count.

    Bytes are deleted and changed far faster than characters, and what is not ASCII is mostly quotation marks and
    bullets, which fall away: only a text with other letters than these is looked at by its characters.
    """
    raw = text.encode("utf-8", "surrogatepass")
    others = "" if text.isascii() else raw.translate(None, _ASCII_BYTES).decode("utf-8", "surrogatepass")
    if not _NO_WORD.sub("", others.translate(_TO_PLAIN)):
        return raw.translate(_LOWER, _NO_LETTERS + _OTHER_BYTES).decode("ascii")
    folded = raw.translate(_LOWER, _NO_LETTERS).decode("utf-8", "surrogatepass")
    return _NO_WORD.sub("", folded.translate(_TO_PLAIN)).lower()


def decode_text(data: bytes, is_cut: bool = False) -> Decoded:
    """``data`` by its byte order mark, else as UTF-8, else as mark-up says of itself, else by what reads as a script
    that is not Latin, else by the Windows code page of its Latin letters (bytes it lacks become U+FFFD).

    UTF-16 without a mark is told by its NULs. Where ``data`` is the beginning of more and so ``is_cut``, its last
    character may be incomplete. Empty input gives an empty text.
    """
    for mark, encoding in (
        (codecs.BOM_UTF8, "utf-8-sig"),
        (codecs.BOM_UTF32_LE, "utf-32"),
        (codecs.BOM_UTF32_BE, "utf-32"),
        (codecs.BOM_UTF16_LE, "utf-16"),
        (codecs.BOM_UTF16_BE, "utf-16"),
    ):
        if data.startswith(mark):
            return Decoded(data.decode(encoding, errors="replace"), encoding)
    half = len(data) // 2
    if half and len(data) % 2 == 0:
        if data[1::2].count(0) > 0.6 * half and data[0::2].count(0) < 0.1 * half:
            return Decoded(data.decode("utf-16-le", errors="replace"), "utf-16-le")
        if data[0::2].count(0) > 0.6 * half and data[1::2].count(0) < 0.1 * half:
            return Decoded(data.decode("utf-16-be", errors="replace"), "utf-16-be")
    for encoding in ("utf-8", _declared(data)):
        with suppress(UnicodeError, LookupError):
            return Decoded(codecs.getincrementaldecoder(encoding)().decode(data, not is_cut), encoding)
    encoding = next(filter(None, _nearly(data, is_cut)), "") or latin_code_page(data[:_HEAD_OF_TEXT])
    return Decoded(data.decode(encoding, errors="replace"), encoding)


def _nearly(data: bytes, is_cut: bool) -> Iterator[str]:
    """What ``data`` is encoded in but for a few bytes, the likeliest first; "" for none."""
    others = data.decode("utf-8", errors="replace").translate(_ASCII)
    yield "utf-8" if others.count("\ufffd") * _MANY_TO_ONE < len(others) else ""
    yield _guessed(data, is_cut)


def _declared(data: bytes) -> str:
    """The encoding that a page of mark-up declares, as browsers take it; "" where there is none known."""
    found = _DECLARED.search(data[:_HEAD])
    try:
        encoding = codecs.lookup(found[1].decode("ascii")).name if found else ""
    except LookupError:
        return ""
    # Latin-1 has controls where all that say so mean the marks of Windows-1252.
    return "cp1252" if encoding in ("iso8859-1", "ascii") else encoding if _is_of_text(encoding) else ""


def _guessed(data: bytes, is_cut: bool) -> str:
    """The encoding by which text in Cyrillic, Greek, Chinese, Japanese and the like reads; "" where none does."""
    from charset_normalizer import from_bytes

    head = data[:_HEAD_OF_TEXT]
    if b"\x00" in head:
        return ""
    if is_cut or len(head) < len(data):
        # A character of two bytes is not to be cut.
        head = head[: head.rfind(b"\n") + 1] or head
    found = from_bytes(head, cp_isolation=_OTHER_SCRIPTS).best()
    if found is None:
        return ""
    letters = [letter for letter in str(found) if letter.isalpha()]
    foreign = sum(not unicodedata.name(letter, "").startswith(("LATIN", "HALFWIDTH")) for letter in letters)
    is_enough = foreign >= _FEW_LETTERS and foreign > _LEAST_FOREIGN * len(letters)
    # What reads as no language by any single byte is noise; two bytes that are no character would have told.
    return found.encoding if is_enough and (found.multi_byte_usage or found.coherence) else ""


def _is_of_text(encoding: str) -> bool:
    try:
        return b"<".decode(encoding) == "<"
    except (LookupError, UnicodeError):
        # Python has encodings that are none of text; UTF-16 could not have been searched for its own name.
        return False


def is_bullet(line: str) -> bool:
    """Whether ``line`` begins with a bullet."""
    return line[:1] in _BULLETS and _BULLET.match(line) is not None


def is_mark(text: str) -> bool:
    """Whether ``text`` is nothing but what is put into a box or a cell to choose it, or an empty box."""
    return text in _CHOICE_MARKS


def is_contents_entry(line: str) -> bool:
    """Whether ``line`` is a line of a table of contents: dots lead to a page number at its end."""
    last = line[-1:]
    return (last in _PAGE_NUMBER_ENDS or last.isdecimal()) and leader_of(line) is not None


def leader_of(line: str) -> tuple[int, int] | None:
    """Where the dots stand, with the blanks around them, that lead to a page number at the end of ``line``."""
    # Few lines end so: the search, which begins anew at every dot, is for them alone.
    last = line[-1:]
    if last not in _PAGE_NUMBER_ENDS and not last.isdecimal():
        return None
    stem = line.rstrip(_PAGE_NUMBER).rstrip()
    title = stem.rstrip(_LEADERS)
    # Most that do end with "1.2" or the like; what is left before digits of other scripts is one of them.
    if len(stem) - len(title) < _LEAST_DOTS and not stem[-1:].isdecimal():
        return None
    found = _LEADER.search(line, 0 if stem[-1:].isdecimal() else len(title.rstrip()))
    return found.span() if found else None


def is_numbered(line: str) -> bool:
    """Whether ``line`` begins with a list number or letter: ``1.``, ``(a)``, ``iv)``."""
    # The longest has seven characters: two brackets and five of "xviii".
    head = line[:8]
    return ("." in head or ")" in head) and _NUMBER.match(line) is not None


def tokens_of(text: str) -> list[str]:
    """Each stretch in ``text`` that may have words in it: what is ASCII in lower case, and no more than letters and
    hyphens of it. Halves of a word parted at a line's end are left out.
    """
    raw = _without_parted(text).encode("utf-8", "surrogatepass").translate(_TO_TOKENS)
    return raw.decode("utf-8", "surrogatepass").split()


def count_tokens(text: str) -> Counter[str]:
    """How often each of :func:`tokens_of` stands in ``text``."""
    return Counter(tokens_of(text))


def count_words(tokens: Counter[str]) -> Counter[str]:
    """How often each word, and each hyphenated compound, stands in what :func:`count_tokens` counted, in lower case."""
    words: dict[str, int] = {}
    # Most tokens come back many times: the slower search is for each of them once.
    for token, count in tokens.items():
        token = token.lower()
        for word in (token,) if token.isalpha() else _WORD.findall(token):
            words[word] = words.get(word, 0) + count
    return Counter(words)


def _without_parted(text: str) -> str:
    """``text`` without the words that a line's end parts."""
    kept: list[str] = []
    at = 0
    for parted in _PARTED.finditer(text):
        if parted.start() < at:
            continue
        start = parted.start()
        while start > at and not text[start - 1].isspace():
            start -= 1
        tail = _TAIL.match(text, parted.end())
        kept += [text[at:start], " "]
        at = tail.end() if tail else parted.end()
    return "".join((*kept, text[at:]))


def keeps_hyphen(left: str, right: str, words: Counter[str]) -> bool:
    """Whether the hyphen between ``left`` at a line's end and ``right`` on the next belongs to the word.

    ``words`` are the document's own: a compound or a whole word met elsewhere decides. Otherwise the hyphen
    stays between two known words, behind "self" and single letters, in a longer compound, in a number, after an
    acronym, and beside a digit or before a capital.
    """
    # No word has a blank in it, and a search begins anew at every letter.
    before, after = _BEFORE.search(left.rpartition(" ")[2]), _AFTER.match(right)
    if before is None or after is None:
        return True
    first, second = before.group().lower(), after.group().lower()
    compound, whole = words[f"{first}-{second}"], words[first + second]
    if compound or whole:
        return compound >= whole
    if "-" in first or "-" in second or first[-1].isdigit() or not after.group()[0].islower():
        return True
    if len(first) == 1 and (before.group() == first or first in _COMPOUNDING):
        return True
    if first == "self" and not second.startswith(_OF_SELF):
        return True
    if (first in TENS and second in _UNITS) or (len(first) > 1 and before.group().isupper()):
        return True
    return len(first) > 1 and len(second) > 2 and words[first] > 0 and words[second] > 0


class Piece(NamedTuple):
    """A stretch of a mended text, and the offset in the text before mending that it comes from."""

    source: int
    text: str


def mended_pieces(text: str, words: Callable[[], Counter[str]]) -> list[Piece]:
    """``text`` with each :data:`LINE_END_HYPHEN` made a hyphen or nothing, in pieces that follow one another.

    A piece begins at each hyphen; one that stays is a piece of its own. ``words`` is called only where there is
    one to mend.
    """
    first, *others = text.split(LINE_END_HYPHEN)
    pieces = [Piece(0, first)]
    source = len(first)
    left = first
    for other in others:
        part = other.lstrip()
        # After a blank it is a dash between words, not a hyphen in one; in "pre- and post-sales" it stands for a rest.
        is_dash = left.endswith(" ") or part.startswith(_BEFORE_ANOTHER)
        hyphen = "- " if is_dash else "-" * keeps_hyphen(left[-_REACH:], part, words())
        if hyphen:
            pieces.append(Piece(source, hyphen))
        pieces.append(Piece(source + 1 + len(other) - len(part), part))
        source += 1 + len(other)
        left = (left[-_REACH:] + hyphen + part) if len(part) < _REACH else part
    return pieces


def mend_hyphens(text: str, words: Callable[[], Counter[str]]) -> str:
    """``text`` with each :data:`LINE_END_HYPHEN` made a hyphen or nothing (see :func:`keeps_hyphen`).

    ``words`` is called only where there is one to mend.
    """
    if LINE_END_HYPHEN not in text:
        return text
    return "".join(piece.text for piece in mended_pieces(text, words))
