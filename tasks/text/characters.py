"""Characters and encodings: decode bytes to text, and clean raw text.

Nothing here changes a letter or a digit but the seven Latin ligatures, so cleaned text still matches its source once
white space and punctuation are folded away.
"""

from __future__ import annotations

import codecs
import re
import unicodedata
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from typing import NamedTuple

from tasks.text.code_pages import latin_code_page
from tasks.text.english import TENS

LINE_END_HYPHEN = "\x02"
"""Mark for a hyphen at a line's end. pdfium writes U+0002 or U+FFFE, depending on the call."""

CHECKED, EMPTY = "☒", "☐"
"""CHECKED and EMPTY: the marks of a check box that is set and of one that is not, as Word writes its own. A form reads
the same in every format, and an empty box cannot be taken for a letter or a word."""

BLACKED_OUT = "█"
"""Character in place of each character under a black box."""

RAISED = dict(zip("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻ⁿ⁽⁾", "0123456789+-n()", strict=True))
"""The raised characters of marks and powers, each with its plain form."""

_LIGATURES = dict(enumerate("ff fi fl ffi ffl st st".split(), 0xFB00))
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
"""ASCII letters in lower case; a blank for each ASCII character that no word has."""
_TABLE: dict[int, str | None] = {
    **{ord(c): None for c in _DROPPED if c != "\n"},
    **dict.fromkeys(range(0xD800, 0xE000)),
    **{ord(c): " " for c in _SPACES},
    **{ord(c): "•" for c in _SYMBOL_BULLETS},
    # Checked boxes of Wingdings; an empty box is as often a bullet.
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
"""Number of valid UTF-8 characters beyond ASCII that outweigh an invalid one: bytes are hardly ever valid UTF-8 by
chance."""
_FEW_LETTERS = 8
_LEAST_FOREIGN = 0.3
"""Least share of foreign letters in a text in another script, between names and headings in English."""
_DECLARED = re.compile(rb"<(?:meta\b[^>]*?\bcharset\s*=|\?xml\b[^>]*?\bencoding\s*=)[\s\"']*([\w.:-]+)", re.IGNORECASE)
_BULLET = re.compile(r"[•◦‣⁃●∙][ ]?(?=\S)|[▪▫○■□☐☑☒▸►➢➤✓✔❖·][ ](?=\S)|[-–—*][ ](?=\S)|o[ ](?=[A-Z])")
_BULLETS = frozenset("•◦‣⁃●∙▪▫○■□☐☑☒▸►➢➤✓✔❖·-–—*o")
_NUMBER = re.compile(r"(?:\(?(?:\d{1,3}|[a-zA-Z]|[ivxIVX]{1,5})\)|(?:\d{1,3}|[a-zA-Z]|[ivx]{1,5})\.)[ ](?=\S)")
_CHOICE_MARKS = frozenset("xX✓✔✗✘●•☐☑☒")
_LEADER = re.compile(r"\s*(?:[.…·_] ?){4,}\s*(?=[\divxlc]{1,5}$)")
_LEADERS = ".…·_ "
_LEAST_DOTS = 4
"""Least dots of a leader; the blanks between them make it longer."""
LEADER = " … "
"""Replacement for the dots that lead to a page number."""
_PAGE_NUMBER = "0123456789ivxlc"
"""Characters of page numbers, except digits of other scripts."""
_PAGE_NUMBER_ENDS = frozenset(_PAGE_NUMBER)
_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_UNITS = frozenset(
    "one two three four five six seven eight nine first second third fourth fifth sixth seventh eighth ninth".split()
)
_COMPOUNDING = frozenset("etux")
"""Letters that begin compounds as capitals, too: "E-mail", "X-ray". No word is divided after its first letter."""
_OF_SELF = ("ish", "less", "same")
_PARTED = re.compile(rf"{LINE_END_HYPHEN}|-\n")
_TAIL = re.compile(r"\S*")
_BEFORE_ANOTHER = ("and ", "or ", "und ", "oder ", "et ", "ou ")
_REACH = 80
"""The number of characters that a hyphen looks back for the one before it, longer than any word with hyphens."""
_BEFORE = re.compile(r"[^\W_]+(?:-[^\W_]+)*$")
_AFTER = re.compile(r"^[^\W_]+(?:-[^\W_]+)*")


class Decoded(NamedTuple):
    """Text, and the name of the encoding it was read with."""

    text: str
    encoding: str


def clean_line(raw: str) -> str:
    """Clean ``raw`` to one line: odd spaces become one plain, control characters go, ends are stripped."""
    if raw.isascii() and raw.isprintable() and "  " not in raw:
        return raw.strip()
    if "\n" in raw or "\r" in raw:
        raw = raw.replace("\r", " ").replace("\n", " ")
    if _DIRTY.search(raw):
        raw = _RUNS.sub(" ", raw.translate(_TABLE))
    return raw.strip()


def clean_block(raw: str) -> str:
    """Clean each line of ``raw``; empty lines are left out."""
    lines = (clean_line(line) for line in raw.replace("\r\n", "\n").replace("\r", "\n").split("\n"))
    return "\n".join(line for line in lines if line)


def fold(text: str) -> str:
    """Reduce ``text`` to its letters and digits, in lower case, to compare texts apart from their layout.

    Bytes are changed far faster than characters, and what is beyond ASCII mostly falls away: only a text with other
    letters is folded by its characters.
    """
    raw = text.encode("utf-8", "surrogatepass")
    others = "" if text.isascii() else raw.translate(None, _ASCII_BYTES).decode("utf-8", "surrogatepass")
    if not _NO_WORD.sub("", others.translate(_TO_PLAIN)):
        return raw.translate(_LOWER, _NO_LETTERS + _OTHER_BYTES).decode("ascii")
    folded = raw.translate(_LOWER, _NO_LETTERS).decode("utf-8", "surrogatepass")
    return _NO_WORD.sub("", folded.translate(_TO_PLAIN)).lower()


def decode_text(data: bytes, is_cut: bool = False) -> Decoded:
    """Decode ``data`` by its byte order mark, else as UTF-8, else as its mark-up declares, else by a non-Latin script
    in which it reads, else by the Windows code page of its Latin letters (bytes it lacks become U+FFFD).

    UTF-16 without a mark is recognised by its NULs. Where ``data`` ``is_cut``, its last character may be incomplete.
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
    others = data.decode("utf-8", errors="replace").translate(_ASCII)
    is_nearly_utf_8 = others.count("\ufffd") * _MANY_TO_ONE < len(others)
    encoding = "utf-8" if is_nearly_utf_8 else _guessed(data, is_cut) or latin_code_page(data[:_HEAD_OF_TEXT])
    return Decoded(data.decode(encoding, errors="replace"), encoding)


def _declared(data: bytes) -> str:
    """The encoding that a page of mark-up declares, as browsers take it; "" where it declares none that is known."""
    found = _DECLARED.search(data[:_HEAD])
    try:
        encoding = codecs.lookup(found[1].decode("ascii")).name if found else ""
        # Python has encodings that are not for text; a UTF-16 page could not be searched for its declaration.
        is_of_text = b"<".decode(encoding) == "<"
    except (LookupError, UnicodeError):
        return ""
    # Pages that declare Latin-1 mean Windows-1252, which has punctuation in place of Latin-1's controls.
    return "cp1252" if encoding in ("iso8859-1", "ascii") else encoding if is_of_text else ""


def _guessed(data: bytes, is_cut: bool) -> str:
    """Guess the encoding of text in Cyrillic, Greek, Chinese, Japanese and the like; "" where none fits."""
    from charset_normalizer import from_bytes

    head = data[:_HEAD_OF_TEXT]
    if b"\x00" in head:
        return ""
    if is_cut or len(head) < len(data):
        # Cut at a line's end, not within a character of two bytes.
        head = head[: head.rfind(b"\n") + 1] or head
    found = from_bytes(head, cp_isolation=_OTHER_SCRIPTS).best()
    if found is None:
        return ""
    letters = [letter for letter in str(found) if letter.isalpha()]
    foreign = sum(not unicodedata.name(letter, "").startswith(("LATIN", "HALFWIDTH")) for letter in letters)
    is_enough = foreign >= _FEW_LETTERS and foreign > _LEAST_FOREIGN * len(letters)
    # In a single-byte encoding, text without a language is noise; multi-byte encodings reject noise themselves.
    return found.encoding if is_enough and (found.multi_byte_usage or found.coherence) else ""


def is_bullet(line: str) -> bool:
    """Tell if ``line`` begins with a bullet."""
    return line[:1] in _BULLETS and _BULLET.match(line) is not None


def is_mark(text: str) -> bool:
    """Tell if ``text`` is only a choice mark, such as an x or a tick, or an empty box."""
    return text in _CHOICE_MARKS


def is_contents_entry(line: str) -> bool:
    """Tell if ``line`` is an entry of a table of contents: dots lead to a page number at its end."""
    last = line[-1:]
    return (last in _PAGE_NUMBER_ENDS or last.isdecimal()) and leader_of(line) is not None


def leader_of(line: str) -> tuple[int, int] | None:
    """The span of the dots, with blanks, that lead to a page number at the end of ``line``; None for none."""
    # Few lines end with a page number: only these are searched, since the search restarts at every dot.
    last = line[-1:]
    if last not in _PAGE_NUMBER_ENDS and not last.isdecimal():
        return None
    stem = line.rstrip(_PAGE_NUMBER).rstrip()
    title = stem.rstrip(_LEADERS)
    # Most such lines end with "1.2" or the like; a stem that ends with a digit of another script is searched as well.
    if len(stem) - len(title) < _LEAST_DOTS and not stem[-1:].isdecimal():
        return None
    found = _LEADER.search(line, 0 if stem[-1:].isdecimal() else len(title.rstrip()))
    return found.span() if found else None


def is_numbered(line: str) -> bool:
    """Tell if ``line`` begins with a list number or letter: ``1.``, ``(a)``, ``iv)``."""
    # The longest list number has seven characters: two brackets and five of "xviii".
    head = line[:8]
    return ("." in head or ")" in head) and _NUMBER.match(line) is not None


def tokens_of(text: str) -> list[str]:
    """The stretches of ``text`` that may hold words, ASCII in lower case; no halves of words parted at a line's end."""
    raw = _without_parted(text).encode("utf-8", "surrogatepass").translate(_TO_TOKENS)
    return raw.decode("utf-8", "surrogatepass").split()


def count_tokens(text: str) -> Counter[str]:
    """Count the :func:`tokens_of` ``text``."""
    return Counter(tokens_of(text))


def count_words(tokens: Counter[str]) -> Counter[str]:
    """Count the words and hyphenated compounds in the tokens of :func:`count_tokens`, in lower case."""
    words: dict[str, int] = {}
    # Most tokens occur many times: the slower search runs once for each.
    for token, count in tokens.items():
        token = token.lower()
        for word in (token,) if token.isalpha() else _WORD.findall(token):
            words[word] = words.get(word, 0) + count
    return Counter(words)


def _without_parted(text: str) -> str:
    """``text`` without the words that are divided at a line's end."""
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
    """Tell if the hyphen between ``left`` at a line's end and ``right`` on the next line belongs to the word.

    ``words`` are the document's own: a compound or a whole word met elsewhere decides. Otherwise the hyphen stays
    between two known words, after "self" and single letters, in a longer compound, in a number, after an acronym, and
    beside a digit or before a capital.
    """
    # Search only the last word: the search restarts at every letter.
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
    """Replace each :data:`LINE_END_HYPHEN` in ``text`` with a hyphen or nothing; the result is consecutive pieces.

    A piece begins at each hyphen; one that stays is its own. ``words`` is called only where there is one to mend.
    """
    first, *others = text.split(LINE_END_HYPHEN)
    pieces = [Piece(0, first)]
    source = len(first)
    left = first
    for other in others:
        part = other.lstrip()
        # After a blank it is a dash between words; in "pre- and post-sales" it replaces the rest of a word.
        is_dash = left.endswith(" ") or part.startswith(_BEFORE_ANOTHER)
        hyphen = "- " if is_dash else "-" * keeps_hyphen(left[-_REACH:], part, words())
        if hyphen:
            pieces.append(Piece(source, hyphen))
        pieces.append(Piece(source + 1 + len(other) - len(part), part))
        source += 1 + len(other)
        left = (left[-_REACH:] + hyphen + part) if len(part) < _REACH else part
    return pieces


def mend_hyphens(text: str, words: Callable[[], Counter[str]]) -> str:
    """The text of the :func:`mended_pieces`."""
    if LINE_END_HYPHEN not in text:
        return text
    return "".join(piece.text for piece in mended_pieces(text, words))
