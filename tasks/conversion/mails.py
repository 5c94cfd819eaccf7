"""A mail, whatever file it came in: who wrote what to whom, and what was attached."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable
from typing import Literal, NamedTuple
from urllib.parse import quote

from tasks.conversion.assembly import Block, PageBlocks
from tasks.conversion.prose import ends_short, read_prose
from tasks.conversion.text import clean_line
from tasks.records import content_id

_SUBJECT = (-1, 0)
"""The subject stands above every title that the body can have."""
_MARKUP = re.compile(r"<!--.*?-->|<[^>]*>", re.S)
_EARLIER = re.compile(
    r"(?:From|Von|De|Da|Van|Od): .+ "
    r"(?:Sent|Date|Gesendet|Datum|Envoyé|Enviado(?: el)?|Inviato|Data|Verzonden|Wysłano) ?: ",
    re.IGNORECASE,
)
_OF_EARLIER = (0, 0)
_MAX_HEADING_CHARACTERS = 400
"""With all to whom it went."""
_QUOTED = re.compile(r"[ \t]?((?:>[ \t]?)+)(.*)", re.S)


class Body(NamedTuple):
    """A stretch of a mail's text, as it was sent."""

    kind: Literal["plain", "html"]
    text: str


class Attachment(NamedTuple):
    """A file in a mail. ``refused`` says why its bytes could not be had."""

    file_name: str
    data: bytes
    refused: str = ""


class Mail(NamedTuple):
    """A mail; what it does not say is empty."""

    subject: str
    sender: str
    to: str
    cc: str
    date: str
    bodies: tuple[Body, ...]
    attachments: tuple[Attachment, ...]
    unread: str = ""
    """Why its text cannot be read, where there is one."""

    @property
    def heading(self) -> str:
        """``From``, ``To``, ``Cc`` and ``Date`` in a line each, those that it has."""
        named = (("From", self.sender), ("To", self.to), ("Cc", self.cc), ("Date", self.date))
        return "\n".join(f"{name}: {value}" for name, value in named if value)


ReadHtml = Callable[[str], tuple[list[PageBlocks], str]]


def mail_pages(mail: Mail, read_html: ReadHtml) -> tuple[list[PageBlocks], str]:
    """One page with no number: the subject, the heading, then the text. The title is the subject.

    Quoted replies stay. A mail that says nothing at all gives a page without blocks.
    """
    blocks = [Block("title", mail.subject, _SUBJECT), Block("paragraph", mail.heading)]
    for body in mail.bodies:
        if body.kind == "plain":
            blocks += read_prose(join_quoted(body.text))
        elif _MARKUP.sub("", body.text).strip():
            # A page with nothing to read is an error to the reader, and in a mail it is usual: a picture.
            blocks += [block for page in read_html(body.text)[0] for block in page.blocks]
    blocks[2:] = map(_of_thread, blocks[2:])
    return [PageBlocks(None, "none", tuple(blocks))], mail.subject


def _of_thread(block: Block) -> Block:
    """The heading of an earlier mail as the title of what it said; a question as no title of what follows it."""
    said = clean_line(block.text)
    if block.kind in ("paragraph", "title") and _EARLIER.match(said) and len(said) <= _MAX_HEADING_CHARACTERS:
        return Block("title", said, _OF_EARLIER)
    if block.kind == "title" and said.endswith("?"):
        return Block("paragraph", block.text)
    return block


def join_quoted(text: str) -> str:
    """``text`` with the marks of a quoted reply (``>``) at the head of each of its paragraphs alone.

    A mark before every line would stand in the midst of the sentences that run over lines. Where the depth of
    the quoting changes, and where :func:`ends_short` says so, a paragraph begins.
    """
    lines: list[str] = []
    before, begins = 0, False
    for line in re.split(r"\r\n|\r|\n", text):
        found = _QUOTED.fullmatch(line)
        marks, said = found.groups() if found else ("", line)
        depth = marks.count(">")
        if depth != before:
            lines.append("")
        begins = begins or depth != before or (bool(lines) and ends_short(lines[-1].strip()))
        blank = not said.strip()
        lines.append(line if begins and not blank else said)
        before, begins = depth, blank
    return "\n".join(lines)


def write_eml(mail: Mail) -> bytes:
    """The mail as an EML file, the same bytes for the same mail: what an MSG file within another becomes."""
    boundary = "=_" + content_id(*(str(part) for part in mail))
    head = (("From", mail.sender), ("To", mail.to), ("Cc", mail.cc), ("Date", mail.date), ("Subject", mail.subject))
    lines = ["MIME-Version: 1.0", *(f"{name}: {_encoded(value)}" for name, value in head if value)]
    lines += [f'Content-Type: multipart/mixed; boundary="{boundary}"', ""]
    for body in mail.bodies:
        lines += _part(boundary, f"text/{body.kind}; charset=utf-8", "inline", body.text.encode("utf-8", "replace"))
    for attachment in mail.attachments:
        named = f"attachment; filename*=utf-8''{quote(attachment.file_name, safe='', errors='replace')}"
        lines += _part(boundary, "application/octet-stream", named, attachment.data)
    return "\r\n".join([*lines, f"--{boundary}--", ""]).encode()


def _part(boundary: str, content_type: str, disposition: str, data: bytes) -> list[str]:
    return [
        f"--{boundary}",
        f"Content-Type: {content_type}",
        f"Content-Disposition: {disposition}",
        "Content-Transfer-Encoding: base64",
        "",
        base64.encodebytes(data).decode().replace("\n", "\r\n"),
    ]


def _encoded(value: str) -> str:
    plain = clean_line(value)
    if plain.isascii():
        return plain
    return f"=?utf-8?b?{base64.b64encode(plain.encode('utf-8', 'replace')).decode()}?="
