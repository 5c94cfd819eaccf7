"""Reader of EML files (RFC 5322, MIME): a mail's headers, its visible text and its attachments.

Real mails break every rule of the format, so nothing here raises for a wrong character, header or encoding.
"""

from __future__ import annotations

import email
import email.header
import email.policy
import html
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from email.errors import HeaderParseError
from email.message import Message
from itertools import chain
from typing import TYPE_CHECKING, Any

from tasks.conversion.mail.mail import Attachment, Body, Mail, file_name_of
from tasks.sources.mail_headers import plain_start
from tasks.text.characters import clean_line, decode_text

_LOOSE_CHARSETS = frozenset({"", "us-ascii", "ascii", "utf-8", "utf8", "iso-8859-1", "latin-1", "latin1"})
_SUFFIX_OF = {
    "application/pdf": ".pdf",
    "application/zip": ".zip",
    "application/msword": ".doc",
    "application/vnd.ms-excel": ".xls",
    "application/vnd.ms-outlook": ".msg",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": ".docx",
    "application/vnd.openxmlformats-officedocument.presentationml.presentation": ".pptx",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": ".xlsx",
    "text/csv": ".csv",
}
"""Suffixes for attachments without a name, by media type. A machine's own list would differ from the next one's."""
_SUFFIX_OF_TEXT = {"text/html": ".html", "text/markdown": ".md", "text/plain": ".txt"}
"""The same for media types of a mail's own text, which are attachments only where their disposition says so."""
_UNTOLD = "application/octet-stream"
_OPAQUE = frozenset({"application/pkcs7-mime", "application/x-pkcs7-mime", "multipart/encrypted"})
_MOST_LACKING, _MOST_OF_QUOTING = 0.15, 0.5
"""Shares of another alternative's words that the plain text may lack: without and with marked quotations (``>``)."""
_FEW_WORDS = 4
_STUB = re.compile(r"\bhtml\b", re.I)
_MOST_OF_STUB = 40
_QUOTES = re.compile(r"^>", re.M)
_WORD = re.compile(r"\w+")
_MARKUP = re.compile(r"<(style|script)\b.*?</\1\b|<!--.*?-->|<[^>]*>", re.S | re.I)

if TYPE_CHECKING:
    AnyMessage = Message[Any, Any]


def read_eml(data: bytes) -> Mail:
    """Read an EML file to a mail; without headers all of it is the body."""
    message = _parse(plain_start(data))
    unread = "encrypted or sealed (S/MIME or PGP); save it decrypted" if _content_type(message) in _OPAQUE else ""
    subject, sender, to, cc, date = (_header(message, name) for name in ("subject", "from", "to", "cc", "date"))
    return Mail(subject, sender, to, cc, date, tuple(_bodies(message)), tuple(_attachments(message)), unread)


def _parse(data: bytes) -> AnyMessage:
    try:
        return email.message_from_bytes(data, policy=email.policy.default)
    except RecursionError:
        raise
    except Exception:
        # The parser of structured headers raises errors of any kind on some broken headers; the old
        # policy does not parse their structure.
        return email.message_from_bytes(data, policy=email.policy.compat32)


def _header(message: AnyMessage, name: str) -> str:
    """The decoded text of a header, "" where it is missing: the library's decoding loses UTF-8, and may raise."""
    values = [str(value) for key, value in message.raw_items() if key.lower() == name]
    return _decode_words(values[0]) if values else ""


def _decode_words(raw: str) -> str:
    plain = decode_text(raw.encode("utf-8", "surrogateescape")).text
    if "=?" not in plain:
        return clean_line(plain)
    try:
        parts = email.header.decode_header(plain)
    except (HeaderParseError, ValueError):
        return clean_line(plain)
    words = [part if isinstance(part, str) else _decode(part, charset) for part, charset in parts]
    return clean_line("".join(words))


def _decode(data: bytes, charset: str | None) -> str:
    """Decode ``data`` by its charset; where that is missing, unknown or often wrong in mails, detect the encoding."""
    name = (charset or "").strip().lower()
    if name in _LOOSE_CHARSETS:
        return decode_text(data).text
    try:
        return data.decode(name, errors="replace")
    except (LookupError, ValueError):
        return decode_text(data).text


def _bodies(part: AnyMessage) -> Iterator[Body]:
    """Yield the texts of a part in order, without attachments; of alternatives the plain text where it is complete."""
    kind = _content_type(part)
    if kind.startswith("message/") or _file_name(part) or _disposition(part) == "attachment":
        return
    if part.is_multipart():
        found = [list(_bodies(child)) for child in _children(part)]
        if kind == "multipart/alternative":
            found = _best_alternative([bodies for bodies in found if bodies])
        yield from chain.from_iterable(found)
    elif kind in ("text/plain", "text/html"):
        text = _decode(_payload(part), _parameter(part))
        if text.strip():
            yield Body("html" if kind == "text/html" else "plain", text)


def _best_alternative(found: list[list[Body]]) -> list[list[Body]]:
    """Choose among alternative bodies: the plain text, unless it is a stub or lacks too many words of another.

    The first body where none is plain text. A plain text that marks its quotations may lack half of the words: the
    other does not show who wrote what.
    """
    plain = next((bodies for bodies in found if all(body.kind == "plain" for body in bodies)), None)
    if plain is None:
        return found[:1]
    said = _words(plain)
    for other in found:
        words = _words(other)
        lacking = sum((words - said).values())
        most = _MOST_OF_QUOTING if any(_QUOTES.search(body.text) for body in plain) else _MOST_LACKING
        is_stub = _STUB.search(" ".join(body.text for body in plain)) and sum(said.values()) < _MOST_OF_STUB
        if lacking >= _FEW_WORDS and (is_stub or lacking > most * sum(words.values())):
            return [other]
    return [plain]


def _words(bodies: Sequence[Body]) -> Counter[str]:
    texts = (_MARKUP.sub(" ", body.text) if body.kind == "html" else body.text for body in bodies)
    return Counter(word for text in texts for word in _WORD.findall(html.unescape(text).lower()))


def _attachments(part: AnyMessage) -> Iterator[Attachment]:
    """Yield the attachments of a part and of its subparts, forwarded mails among them."""
    kind, name, children = _content_type(part), _file_name(part), _children(part)
    if kind == "message/rfc822" and children:
        yield _forwarded(children[0], name)
    elif part.is_multipart():
        for child in children:
            yield from _attachments(child)
    elif name:
        yield Attachment(name, _payload(part))
    elif kind in _SUFFIX_OF:
        yield Attachment(f"attachment{_SUFFIX_OF[kind]}", _payload(part))
    elif (_disposition(part) == "attachment" or kind == _UNTOLD) and (data := _payload(part)).strip():
        # A file without a suffix is recognized by its content later.
        yield Attachment(f"attachment{_SUFFIX_OF_TEXT.get(kind, '')}", data)


def _forwarded(message: AnyMessage, name: str) -> Attachment:
    if not name.lower().endswith(".eml"):
        name = file_name_of(name or _header(message, "subject"))
    try:
        # Headers unchanged: folding them anew would change them, and fails on broken ones.
        return Attachment(name, message.as_bytes(policy=email.policy.compat32.clone(max_line_length=None)))
    except RecursionError:
        raise
    except Exception as error:
        # The generator raises errors of any kind; the other attachments must not be lost for it.
        return Attachment(name, b"", f"damaged: the forwarded mail cannot be read ({type(error).__name__})")


def _children(part: AnyMessage) -> list[AnyMessage]:
    found = part.get_payload() if part.is_multipart() else []
    return [child for child in found if isinstance(child, Message)]


def _content_type(part: AnyMessage) -> str:
    return str(part.get_content_type()).lower()


def _disposition(part: AnyMessage) -> str:
    # Only the word before the semicolon: the library's parser raises on some broken parameters.
    return _header(part, "content-disposition").partition(";")[0].strip().lower()


def _file_name(part: AnyMessage) -> str:
    try:
        name = part.get_filename() or ""
    except Exception:
        # Errors of any kind on broken parameters; the part then has no name.
        name = ""
    return _decode_words(str(name))


def _parameter(part: AnyMessage) -> str | None:
    try:
        return part.get_content_charset()
    except Exception:
        # As above: the encoding is then detected from the text.
        return None


def _payload(part: AnyMessage) -> bytes:
    try:
        raw = part.get_payload(decode=True)
    except Exception:
        # The content does not have the stated transfer encoding: it is taken unchanged.
        raw = str(part.get_payload()).encode("utf-8", "surrogateescape")
    return raw if isinstance(raw, bytes) else b""
