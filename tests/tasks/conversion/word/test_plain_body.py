from __future__ import annotations

import pytest
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls

from tasks.conversion.word.plain_body import NOTE_MARK, make_plain, mark_pages, set_notes

MARK = "<w:r><w:lastRenderedPageBreak/></w:r>"
BREAK = '<w:r><w:br w:type="page"/></w:r>'


def paragraph(text: str, before: str = "", after: str = "") -> str:
    return f"<w:p>{before}<w:r><w:t>{text}</w:t></w:r>{after}</w:p>"


def table(*rows: tuple[str, ...]) -> str:
    cells = "".join("<w:tr>" + "".join(f"<w:tc>{cell}</w:tc>" for cell in row) + "</w:tr>" for row in rows)
    return f"<w:tbl><w:tblPr/><w:tblGrid/>{cells}</w:tbl>"


def pages_of(*blocks: str) -> list[tuple[int, str]]:
    """Each text with its page, counting the marks that are left."""
    body = parse_xml(f"<w:body {nsdecls('w')}>{''.join(blocks)}</w:body>")
    make_plain(body)
    mark_pages(body)
    page, found = 1, []
    for element in body.iter():
        if element.tag.endswith("}lastRenderedPageBreak"):
            page += 1
        elif element.tag.endswith("}t"):
            found.append((page, element.text))
    return found


@pytest.mark.parametrize(
    ("blocks", "expected"),
    [
        ([paragraph("a"), paragraph("b")], [(1, "a"), (1, "b")]),
        ([paragraph("a"), paragraph("b", before=MARK)], [(1, "a"), (2, "b")]),
        ([paragraph("a", after=BREAK), paragraph("b")], [(1, "a"), (2, "b")]),
        ([paragraph("a", after=BREAK), paragraph("b", before=MARK)], [(1, "a"), (2, "b")]),
        ([paragraph("a", after=BREAK + BREAK), paragraph("b")], [(1, "a"), (3, "b")]),
        ([paragraph("a", before=MARK), paragraph("b")], [(1, "a"), (1, "b")]),
        (
            [paragraph("a"), "<w:p><w:pPr><w:pageBreakBefore/></w:pPr><w:r><w:t>b</w:t></w:r></w:p>"],
            [(1, "a"), (2, "b")],
        ),
        (
            [
                paragraph("a"),
                table((paragraph("b"),), (paragraph("c", before=MARK), paragraph("d", before=MARK))),
                paragraph("e"),
            ],
            [(1, "a"), (1, "b"), (2, "c"), (2, "d"), (2, "e")],
        ),
        (
            # A row that runs over, with what Word leaves after it: one break in all.
            [
                table(
                    (
                        paragraph("a", after=MARK + "<w:r><w:t>b</w:t></w:r>"),
                        paragraph("c", before=MARK, after=MARK + "<w:r><w:t>d</w:t></w:r>"),
                    )
                ),
                paragraph("e", before=MARK),
            ],
            [(1, "a"), (1, "b"), (1, "c"), (1, "d"), (2, "e")],
        ),
    ],
)
def test_pages(blocks: list[str], expected: list[tuple[int, str]]) -> None:
    assert pages_of(*blocks) == expected


def test_wrapped_text_is_seen_and_deleted_text_is_not() -> None:
    blocks = [
        f"<w:sdt><w:sdtPr/><w:sdtContent>{paragraph('in a control')}</w:sdtContent></w:sdt>",
        "<w:p><w:ins><w:r><w:t>inserted</w:t></w:r></w:ins><w:del><w:r><w:delText>gone</w:delText></w:r></w:del></w:p>",
        f"<w:p><w:r><w:pict><w:txbxContent>{paragraph('boxed')}</w:txbxContent></w:pict></w:r></w:p>",
    ]
    body = parse_xml(f"<w:body {nsdecls('w')}>{''.join(blocks)}</w:body>")
    make_plain(body)
    children = [child for child in body if child.tag.endswith("}p")]
    direct = [
        "".join(t.text for r in p.findall(r.tag) for t in r if t.tag.endswith("}t"))
        for p in children
        if (r := p[0]) is not None
    ]
    assert direct == ["in a control", "inserted", "", "boxed"]


def test_text_that_word_hides_goes() -> None:
    hidden, shown = (
        f"<w:r><w:rPr><w:vanish{value}/></w:rPr><w:t>{text}</w:t></w:r>"
        for value, text in (("", "a"), (' w:val="0"', "b"))
    )
    mark = "<w:pPr><w:rPr><w:vanish/></w:rPr></w:pPr>"
    twice = hidden.replace("<w:vanish/>", "<w:vanish/><w:vanish/>")
    was = "<w:r><w:rPr><w:rPrChange><w:rPr><w:vanish/></w:rPr></w:rPrChange></w:rPr><w:t>c</w:t></w:r>"
    assert pages_of(f"<w:p>{mark}{hidden}{twice}{shown}{was}</w:p>") == [(1, "b"), (1, "c")]


def test_notes_follow_their_paragraphs() -> None:
    one, two, gone = (f'<w:r><w:footnoteReference w:id="{number}"/></w:r>' for number in (1, 2, 3))
    blocks = [
        paragraph("a", after=one + two),
        table((paragraph("cell", after=two),)),
        paragraph("b", after=f"<w:del>{gone}</w:del>"),
        paragraph("c", after='<w:r><w:footnoteReference w:id="9"/></w:r>'),
    ]
    body = parse_xml(f"<w:body {nsdecls('w')}>{''.join(blocks)}</w:body>")
    said = {1: paragraph("first") + paragraph("more"), 2: paragraph("second"), 3: paragraph("third")}
    notes = "".join(f'<w:footnote w:id="{number}">{text}</w:footnote>' for number, text in said.items())
    make_plain(body)
    set_notes(body, "footnote", parse_xml(f"<w:footnotes {nsdecls('w')}>{notes}</w:footnotes>"))
    found = ["".join(t.text for t in p.iter() if t.tag.endswith("}t")) for p in body.iter() if p.tag.endswith("}p")]
    marked = [NOTE_MARK + text for text in ("first", "more", "second")]
    assert found == ["a", *marked, "cell", "second", "b", "c"]
