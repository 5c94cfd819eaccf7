"""Mails: what is read of them, and what broken ones do not do."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.conversion.files.convert import convert
from tasks.conversion.mail.eml_reader import read_eml
from tasks.conversion.mail.mail import Attachment, Body, Mail, join_quoted, write_eml
from tasks.conversion.office import unstructured_reader
from tasks.errors import ConversionError
from tasks.sources.file_types import container_kind, detect_kind
from tasks.sources.mail_headers import looks_like_mail
from tests.made.containers import SENTENCE, make_eml
from tests.made.conversions import convert_bytes
from tests.made.outlook_messages import make_msg
from tests.made.source_files import source_of

HEAD = (
    b"From: Ann <ann@vendor.example>\r\nTo: Bob <bob@customer.example>\r\n"
    b"Date: Mon, 2 Mar 2026 09:30:00 +0100\r\nSubject: Your questions\r\n"
)


def test_a_mail_is_a_title_a_heading_and_its_text() -> None:
    got = convert_bytes("a.eml", make_eml("Grüße – “quoted”", f"{SENTENCE}\n\nIt is\nchecked.\n").as_bytes())
    assert (got.kind, got.title) == ("eml", "Grüße – “quoted”")
    assert [(e.kind, e.text, e.section_path) for e in got.elements] == [
        ("title", "Grüße – “quoted”", ""),
        (
            "paragraph",
            "From: Ann <ann@vendor.example>\nTo: Bob <bob@customer.example>\nCc: c@d.example\n"
            "Date: Mon, 02 Mar 2026 09:30:00 +0100",
            "Grüße – “quoted”",
        ),
        ("paragraph", SENTENCE, "Grüße – “quoted”"),
        ("paragraph", "It is checked.", "Grüße – “quoted”"),
    ]
    assert [(p.page_number, p.text_source) for p in got.pages] == [(None, "none")]


def test_html_is_read_where_the_plain_text_says_only_that_it_is_there() -> None:
    style = f"<style>p {{ {'margin: 0; ' * 40} }}</style>"
    stub = "Your program shows no HTML."
    full = make_eml(
        text=stub, html=f"{style}<p>{SENTENCE}</p><p>Keys are rotated every year, and when people leave.</p>"
    )
    got = convert_bytes("a.eml", full.as_bytes()).text
    assert SENTENCE in got and stub not in got
    same = make_eml(text=SENTENCE, html=f"{style}<p>{SENTENCE}</p><p>Ann</p>")
    assert [body.kind for body in read_eml(same.as_bytes()).bodies] == ["plain"]


def test_html_is_read_where_the_plain_text_lacks_its_table_and_marks_no_quotes() -> None:
    html = f"<p>{SENTENCE}</p><table><tr><th>Service<th>RTO<tr><td>Mail<td>4 h</table>"
    assert "Mail | 4 h" in convert_bytes("a.eml", make_eml(html=html).as_bytes()).text
    stub = make_eml(text="Your mail client does not support HTML.", html="<p>Audits are done every year.</p>")
    assert convert_bytes("a.eml", stub.as_bytes()).text.endswith("Audits are done every year.")
    quoting = make_eml(text=f"{SENTENCE}\n\n> Do you test?\n> And when?\n", html=html)
    assert convert_bytes("a.eml", quoting.as_bytes()).text.endswith(f"{SENTENCE}\n> Do you test?\n> And when?")


def test_an_earlier_mail_of_a_thread_stands_below_its_own_heading_and_a_question_is_no_title() -> None:
    text = (
        "We keep logs for 90 days.\n\n________\nFrom: Buyer\nSent: Monday\nTo: Jo\n\nYou keep logs for 30 days, right?"
        "\n\nVon: Jo\nGesendet: Sonntag\n\nWe keep logs for 7 days.\n"
    )
    found = [(e.section_path, e.text) for e in convert_bytes("a.eml", make_eml("Logs", text).as_bytes()).elements]
    assert found[2:] == [
        ("Logs", "We keep logs for 90 days."),
        ("Logs", "From: Buyer Sent: Monday To: Jo"),
        ("Logs > From: Buyer Sent: Monday To: Jo", "You keep logs for 30 days, right?"),
        ("Logs", "Von: Jo Gesendet: Sonntag"),
        ("Logs > Von: Jo Gesendet: Sonntag", "We keep logs for 7 days."),
    ]


def test_plain_text_is_preferred_and_html_is_read_where_it_is_alone() -> None:
    html = f"<html><body><p>{SENTENCE}</p><ul><li>One</ul><img src='cid:x'></body></html>"
    both = convert_bytes("a.eml", make_eml(text=f"{SENTENCE} This is the plain one.", html=html).as_bytes())
    assert both.text.endswith("This is the plain one.") and "One" not in both.text
    alone = convert_bytes("a.eml", make_eml(text="", html=html).as_bytes())
    assert [(e.kind, e.text) for e in alone.elements[2:]] == [("paragraph", SENTENCE), ("list_item", "One")]
    for nothing in ("<!-- seen -->", "<html><body><img src='cid:x'></body></html>", "<"):
        empty = convert_bytes("a.eml", make_eml(text="", html=nothing).as_bytes())
        assert empty.title == "Your questions" and len(empty.elements) in (2, 3)
    blank = convert_bytes("a.eml", make_eml(text=" \n", html=html).as_bytes())
    assert SENTENCE in blank.text


def test_texts_around_an_attachment_are_all_read() -> None:
    parts = (b"", b"Before it."), (b"Content-Type: application/pdf; name=a.pdf\r\n", b"x"), (b"", b"After it.")
    data = HEAD + b"Content-Type: multipart/mixed; boundary=b\r\n\r\n"
    data += b"".join(b"--b\r\n" + head + b"\r\n" + text + b"\r\n" for head, text in parts) + b"--b--\r\n"
    mail = read_eml(data)
    assert [body.text.strip() for body in mail.bodies] == ["Before it.", "After it."]
    assert [attachment.file_name for attachment in mail.attachments] == ["a.pdf"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ""),
        ("a\nb", "a\nb"),
        ("Yes.\n> Do you\n> encrypt?\nNo.", "Yes.\n\n> Do you\nencrypt?\n\nNo."),
        ("> a\n>\n> b\n> c", "\n> a\n\n> b\nc"),
        ("> a\n>> b\n> > c\n> d", "\n> a\n\n>> b\nc\n\n> d"),
    ],
)
def test_a_quoted_reply_is_marked_once_a_paragraph(text: str, expected: str) -> None:
    assert join_quoted(text) == expected


def test_quoted_replies_stay() -> None:
    text = f"Yes, always.\n\nOn Monday Bob wrote:\n> {SENTENCE[:30]}\n> {SENTENCE[30:]}\n>\n> Regards.\n"
    assert (
        f"> {SENTENCE[:30].strip()} {SENTENCE[30:].strip()}\n> Regards."
        in convert_bytes("a.eml", make_eml(text=text).as_bytes()).text
    )


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        (b"Subject: Gr\xc3\xbc\xc3\x9fe", "Grüße"),
        (b"Subject: Gr\xfc\xdfe", "Grüße"),
        (b"Subject: =?utf-8?q?Gr=C3=BC?=\r\n =?utf-8?q?=C3=9Fe?=", "Grüße"),
        (b"Subject: =?nonsense?b?R3LDvMOfZQ==?=", "Grüße"),
        (b"Subject: =?utf-8?b?!!!?=", None),
        (b"Subject: folded\r\n  subject", "folded subject"),
    ],
)
def test_subjects_in_odd_encodings(head: bytes, expected: str | None) -> None:
    document = convert_bytes("a.eml", b"From: a@b.example\r\n" + head + b"\r\n\r\nWords.\r\n")
    assert document.text.endswith("Words.") and (expected is None or document.title == expected)


@pytest.mark.parametrize(
    ("content_type", "encoding", "body"),
    [
        ("text/plain; charset=nonsense", "8bit", "Größe".encode()),
        ("text/plain; charset=utf-8", "8bit", "Größe".encode("cp1252")),
        ("text/plain", "8bit", "Größe".encode()),
        ('text/plain; charset="iso-8859-2"', "quoted-printable", b"Gr=F6=DFe"),
        ("text/plain; charset=rot13", "7bit", "Größe".encode()),
        ("text/plain; charset=utf-16", "base64", b"//5HAHIA9gDfAGUA"),
        ("text/plain; charset*=bad'", "nonsense", "Größe".encode()),
    ],
)
def test_bodies_in_odd_encodings(content_type: str, encoding: str, body: bytes) -> None:
    head = HEAD + f"Content-Type: {content_type}\r\nContent-Transfer-Encoding: {encoding}\r\n\r\n".encode()
    assert convert_bytes("a.eml", head + body).text.endswith("Größe")


BROKEN = [
    HEAD + b"Content-Type: multipart/mixed\r\n\r\nNo boundary.",
    HEAD + b"Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\nNever closed.",
    HEAD + b'Content-Type: ;;;\r\nContent-Disposition: =;"\r\n\r\nOdd headers.',
    HEAD + b"Content-Type: text/plain\r\nContent-Transfer-Encoding: base64\r\n\r\n!!! not base64 !!!",
    b'From: "<@:,;\r\nTo: \xff\xfe\r\nSubject:\r\nDate: never\r\n\r\nOdd addresses.',
    b"\xef\xbb\xbf\r\n" + HEAD + b"\r\nA mark and a blank line first.",
    b"From ann@vendor.example Mon Mar  2 09:30:00 2026\n" + HEAD + b"\r\nFrom a mailbox.",
    (HEAD + b"\r\nSaved by an editor.").decode().encode("utf-16"),
    HEAD,
]


@pytest.mark.parametrize("data", BROKEN)
def test_broken_mails_are_read_as_far_as_they_go(data: bytes) -> None:
    document = convert_bytes("a.eml", data)
    assert document.kind == "eml" and document.text.startswith(("Your questions", "From: "))


@given(st.binary(max_size=300), st.integers(0, 400))
def test_no_bytes_make_the_mail_reader_raise(rubbish: bytes, at: int) -> None:
    data = make_eml(html="<p>x</p>").as_bytes()
    read_eml(data[:at] + rubbish + data[at:])
    read_eml(rubbish)


def test_mails_are_known_by_their_headers() -> None:
    mail = HEAD + b"\r\nWords."
    assert detect_kind("a.eml", b"Subject: x\n\nWords.") == "eml"
    assert detect_kind("saved", mail) == detect_kind("a.pdf", mail) == detect_kind("a.msg", mail) == "eml"
    # A text that is named a text stays one, unless a program has put its marks on it.
    assert detect_kind("notes.txt", mail) == "txt"
    assert detect_kind("raw.txt", b"Message-ID: <1@x>\r\n" + mail) == "eml"
    assert not looks_like_mail(b"Note: this is\nno mail at all: really\n") and not looks_like_mail(b"")
    with pytest.raises(ConversionError, match=r"not that of a \.eml file"):
        detect_kind("a.eml", b"Just words, and no header.")


def test_what_is_sealed_says_so() -> None:
    data = HEAD + b"Content-Type: application/pkcs7-mime; name=smime.p7m\r\n\r\nMIIB"
    with pytest.raises(ConversionError, match=r"a\.eml: encrypted or sealed"):
        convert(source_of("a.eml", data), data, unstructured_reader)


def test_attachments_have_names_and_bytes() -> None:
    mail = make_eml()
    mail.add_attachment(b"%PDF-1", maintype="application", subtype="pdf", filename="Größe ☃.pdf")
    mail.add_attachment(b"%PDF-2", maintype="application", subtype="pdf")
    mail.add_attachment("a,b\n1,2\n", subtype="csv", filename="x.csv")
    mail.add_attachment(make_eml("Re: Q1/Q2: figures", "Forwarded words."))
    *plain, forwarded = read_eml(mail.as_bytes()).attachments
    assert [(a.file_name, a.data) for a in plain] == [
        ("Größe ☃.pdf", b"%PDF-1"),
        ("attachment.pdf", b"%PDF-2"),
        ("x.csv", b"a,b\n1,2\n"),
    ]
    assert forwarded.file_name == "Re- Q1-Q2- figures.eml"
    assert convert_bytes(forwarded.file_name, forwarded.data).text.endswith("Forwarded words.")
    assert SENTENCE in convert_bytes("a.eml", mail.as_bytes()).text


@pytest.mark.parametrize(
    ("kind", "disposition", "data", "expected"),
    [
        ("text/plain", "attachment", "Attached words.", [("attachment.txt", b"Attached words.")]),
        ("text/plain; charset=utf-8", 'attachment; filename=""', "Words.", [("attachment.txt", b"Words.")]),
        ("text/html", "Attachment", "<p>Words.</p>", [("attachment.html", b"<p>Words.</p>")]),
        ("image/png", "attachment", "PNG", [("attachment", b"PNG")]),
        ("application/octet-stream", "inline", "%PDF-1", [("attachment", b"%PDF-1")]),
        ("text/plain", "attachment", " ", []),
        ("text/plain", "inline", "Words.", []),
        ("image/png", "inline", "PNG", []),
    ],
)
def test_an_attachment_without_a_name_gets_one(
    kind: str, disposition: str, data: str, expected: list[tuple[str, bytes]]
) -> None:
    part = f"Content-Type: {kind}\r\nContent-Disposition: {disposition}\r\n\r\n{data}\r\n".encode()
    raw = HEAD + b"Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n" + part + b"--b--\r\n"
    assert [(a.file_name, a.data) for a in read_eml(raw).attachments] == expected
    assert ("Words." in convert_bytes("a.eml", raw).text) is (disposition == "inline" and kind == "text/plain")


def test_a_raw_name_is_read_as_utf8() -> None:
    part = (
        'Content-Type: application/pdf\r\nContent-Disposition: attachment; filename="Größe.pdf"\r\n\r\nx\r\n'.encode()
    )
    data = HEAD + b"Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n" + part + b"--b--\r\n"
    assert read_eml(data).attachments == (Attachment("Größe.pdf", b"x"),)


def test_a_written_mail_reads_the_same() -> None:
    mail = Mail(
        "Grüße: 日本",
        "Ann <a@b.example>",
        "",
        "",
        "",
        (Body("plain", "One ☃"),),
        (Attachment("ü 'x'.txt", b"\x00\xff"),),
    )
    data = write_eml(mail)
    assert read_eml(data) == mail and data == write_eml(mail) and detect_kind("a.eml", data) == "eml"


# MSG, written by the tests' own hand: no real one is at hand on the project's machines.


def test_an_outlook_file_is_read_as_a_mail() -> None:
    data = make_msg(
        subject="Grüße aus Wien",
        body=f"{SENTENCE}\r\n\r\nBest wishes to all of you.",
        sender=("Ann", "ann@vendor.example"),
        to=[("Bob", "bob@customer.example"), ("Eve", "/O=EXCHANGE/CN=EVE")],
        cc=[("", "c@d.example")],
        attachments=[("offer ☃.docx", b"PK" * 5000), ("small.txt", b"tiny")],
    )
    assert detect_kind("a.bin", data) == container_kind("a.msg", data) == "msg"
    got = convert_bytes("a.msg", data)
    assert (got.kind, got.title) == ("msg", "Grüße aus Wien")
    assert [e.text for e in got.elements] == [
        "Grüße aus Wien",
        "From: Ann <ann@vendor.example>\nTo: Bob <bob@customer.example>, Eve\nCc: c@d.example\n"
        "Date: Mon, 02 Mar 2026 08:30:00 +0000",
        SENTENCE,
        "Best wishes to all of you.",
    ]


def test_the_outlook_files_of_these_tests_are_what_oxmsg_takes_them_for() -> None:
    from oxmsg import Message

    data = make_msg(
        "Grüße", "Words.", sender=("Ann", "a@b.example"), to=[("Bob", "")], attachments=[("a.txt", b"x" * 5000)]
    )
    message = Message.load(data)
    assert (message.subject, message.body, message.sender) == ("Grüße", "Words.", '"Ann" <a@b.example>')
    assert str(message.sent_date) == "2026-03-02 08:30:00+00:00"
    assert [one.name for one in message.recipients] == ["Bob"]
    assert [(one.file_name, one.size) for one in message.attachments] == [("a.txt", 5000)]


def test_outlook_attachments_and_forwarded_mails() -> None:
    from tasks.conversion.mail.msg_reader import read_msg

    inner = make_msg(subject="Inner/mail", body="Forwarded words.", attachments=[("deep.txt", b"deep")])
    data = make_msg(subject="Outer", body="x", attachments=[("offer ☃.docx", b"PK" * 5000)], inner=[inner])
    offer, forwarded = read_msg("a.msg", data).attachments
    assert offer == Attachment("offer ☃.docx", b"PK" * 5000)
    assert forwarded.file_name == "Inner-mail.eml"
    mail = read_eml(forwarded.data)
    assert (mail.subject, mail.bodies[0].text) == ("Inner/mail", "Forwarded words.")
    assert mail.attachments == (Attachment("deep.txt", b"deep"),)


def test_an_outlook_mail_in_html_or_rich_text_alone() -> None:
    html = f"<p>Größe: {SENTENCE}</p>"
    assert f"Größe: {SENTENCE}" in convert_bytes("a.msg", make_msg(subject="x", html=html.encode("cp1252"))).text
    rich = make_msg(subject="x", rtf=b"rubbish", attachments=[("a.txt", b"kept")])
    with pytest.raises(ConversionError, match="Rich Text alone"):
        convert(source_of("a.msg", rich), rich, unstructured_reader)


def test_a_damaged_outlook_file_says_so() -> None:
    data = make_msg(subject="x", body="y" * 9000)
    for cut in (600, len(data) // 2):
        with pytest.raises(ConversionError, match=r"^a\.msg: "):
            convert(source_of("a.msg", data[:cut]), data[:cut], unstructured_reader)
