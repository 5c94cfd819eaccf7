"""ZIP archives and mails with files in them."""

from __future__ import annotations

import email.message
import email.policy
import io
import zipfile

WORDS = b"All customer data are encrypted at rest."


def make_zip(*entries: tuple[str | zipfile.ZipInfo, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """A ZIP archive of named entries."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name, data in entries:
            archive.writestr(name, data)
    return out.getvalue()


def make_mail(*attachments: tuple[str, bytes]) -> bytes:
    """A mail with attachments, as bytes."""
    mail = make_eml()
    for name, data in attachments:
        mail.add_attachment(data, maintype="application", subtype="octet-stream", filename=name)
    return mail.as_bytes()


def zeros(count: int) -> bytes:
    """An archive with one text of that many zeros, made in blocks."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        block = bytes(1 << 20)
        with archive.open("zeros.txt", "w", force_zip64=True) as stream:
            for _ in range(count >> 20):
                stream.write(block)
    return out.getvalue()


SENTENCE = "All customer data are encrypted at rest with AES-256."


def make_eml(subject: str = "Your questions", text: str = SENTENCE, html: str = "") -> email.message.EmailMessage:
    """A mail with a text, an HTML part or both."""
    mail = email.message.EmailMessage()
    mail["From"], mail["To"], mail["Cc"] = "Ann <ann@vendor.example>", "Bob <bob@customer.example>", "c@d.example"
    mail["Subject"], mail["Date"] = subject, "Mon, 02 Mar 2026 09:30:00 +0100"
    if text:
        mail.set_content(text)
    if html and text:
        mail.add_alternative(html, subtype="html")
    elif html:
        mail.set_content(html, subtype="html")
    return mail
