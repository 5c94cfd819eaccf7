"""Mails: the record that the EML and MSG readers give, its conversion to blocks, and a writer of EML files."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable
from typing import Literal, NamedTuple
from urllib.parse import quote

from tasks.conversion.document.assembly import Block, PageBlocks
from tasks.conversion.plain_text.paragraphs import ends_short, read_prose
from tasks.records import content_id
from tasks.text.characters import clean_line

_SUBJECT = (-1, 0)
"""Title level of the subject: above every title that the body can have."""
_MARKUP = re.compile(r"<!--.*?-->|<[^>]*>", re.S)
_EARLIER = re.compile(
    r"(?:From|Von|De|Da|Van|Od): .+ "
    r"(?:Sent|Date|Gesendet|Datum|Envoyé|Enviado(?: el)?|Inviato|Data|Verzonden|Wysłano) ?: ",
    re.IGNORECASE,
)
_OF_EARLIER = (0, 0)
MAX_SUBJECT_CHARACTERS = 80
"""Maximum length of a forwarded mail's subject in its file name."""
_MAX_HEADING_CHARACTERS = 400
"""Maximum length of an earlier mail's heading, its list of recipients included."""
_QUOTED = re.compile(r"[ \t]?((?:>[ \t]?)+)(.*)", re.S)


class Body(NamedTuple):
    """A part of a mail's text, as it was sent: plain text or HTML."""

    kind: Literal["plain", "html"]
    text: str


class Attachment(NamedTuple):
    """A file attached to a mail. ``refused`` is the reason where its bytes could not be read."""

    file_name: str
    data: bytes
    refused: str = ""


class Mail(NamedTuple):
    """A mail: its headers, bodies and attachments. Missing headers are empty."""

    subject: str
    sender: str
    to: str
    cc: str
    date: str
    bodies: tuple[Body, ...]
    attachments: tuple[Attachment, ...]
    unread: str = ""
    """The reason why the text cannot be read; "" where it can."""

    @property
    def headers(self) -> dict[str, str]:
        """The headers ``From``, ``To``, ``Cc`` and ``Date`` that the mail has."""
        named = {"From": self.sender, "To": self.to, "Cc": self.cc, "Date": self.date}
        return {name: value for name, value in named.items() if value}


ReadHtml = Callable[[str], tuple[list[PageBlocks], str]]


def mail_pages(mail: Mail, read_html: ReadHtml) -> tuple[list[PageBlocks], str]:
    """Convert a mail to a page with no number, and its title: the subject, the heading, then the text.

    The title is the subject. Quoted replies are kept. An empty mail gives a page whose blocks have no text.
    """
    blocks = [
        Block("title", mail.subject, _SUBJECT),
        Block("paragraph", "\n".join(map(": ".join, mail.headers.items()))),
    ]
    for body in mail.bodies:
        if body.kind == "plain":
            blocks += read_prose(join_quoted(body.text))
        elif _MARKUP.sub("", body.text).strip():
            # The reader raises for HTML without text, which is usual in a mail that holds only a picture.
            blocks += [block for page in read_html(body.text)[0] for block in page.blocks]
    blocks[2:] = map(_of_thread, blocks[2:])
    return [PageBlocks(None, "none", tuple(blocks))], mail.subject


def _of_thread(block: Block) -> Block:
    """Turn the heading of a quoted earlier mail into a title, and a title that is a question into a paragraph."""
    said = clean_line(block.text)
    if block.kind in ("paragraph", "title") and _EARLIER.match(said) and len(said) <= _MAX_HEADING_CHARACTERS:
        return Block("title", said, _OF_EARLIER)
    if block.kind == "title" and said.endswith("?"):
        return Block("paragraph", block.text)
    return block


def join_quoted(text: str) -> str:
    """Remove the marks of a quoted reply (``>``) from all lines but the first of each paragraph.

    Otherwise the marks would stand within sentences that run over several lines. A paragraph begins after a blank line,
    where the depth of quotation changes, and after a line that :func:`ends_short`.
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


def file_name_of(subject: str) -> str:
    """The name of the file that a forwarded mail of that subject becomes."""
    said = re.sub(r"[/\\:]+", "-", subject).strip("-.~ ")
    return f"{said[:MAX_SUBJECT_CHARACTERS].strip() or 'message'}.eml"


def write_eml(mail: Mail) -> bytes:
    """Write a mail as an EML file, the same bytes for the same mail: used for mails attached to an MSG file."""
    boundary = "=_" + content_id(*(str(part) for part in mail))
    head = mail.headers | ({"Subject": mail.subject} if mail.subject else {})
    lines = ["MIME-Version: 1.0", *(f"{name}: {_encoded(value)}" for name, value in head.items())]
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
