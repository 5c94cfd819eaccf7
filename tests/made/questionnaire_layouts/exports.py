"""Workbooks as programs export them: raw XML of unusual make, texts put together by formulas, and check boxes."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Sequence
from xml.sax.saxutils import escape

from tests.made.questionnaire_layouts.form import Asked, Form, Layout, told

_SHEETS = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_KIND = "application/vnd.openxmlformats-officedocument.spreadsheetml"
_DECLARED = '<?xml version="1.0" encoding="utf-8"?>'

_Rows = Sequence[tuple[int, Sequence[str]]]
_PORTAL: _Rows = (
    (1, ("Event 4411 – Hosting services", "", "", "")),
    (3, ("Response", "Question", "Required", "Question number")),
    (4, ("", "Do you own the data centres from which you would serve us?", "true", "1.1")),
    (5, ("", "Which tier, or which class of availability, do they have?", "true", "1.2")),
    (6, ("", "Is renewable energy used & certified?", "false", "1.3")),
    (9, ("", "Upload of files is not possible here. May we call you? Leave your number in the portal.", "", "")),
)
_SUPPORT: _Rows = (
    (1, ("Question number", "Question", "Response")),
    (2, ("2.1", "At what hours is support available?", "")),
    (3, ("2.2", "In which languages is support given?", "")),
    (4, ("2.3", "What is <urgent> to you, and how fast do you react then?", "")),
)


def _package(sheets: dict[str, str], strings: str = "") -> bytes:
    """A workbook of those sheets by title; each is the XML of a worksheet."""
    kinds = "".join(
        f'<Override PartName="/xl/worksheets/sheet{number}.xml" ContentType="{_KIND}.worksheet+xml"/>'
        for number in range(1, len(sheets) + 1)
    )
    links = "".join(
        f'<Relationship Id="R{number}" Type="{_RELATIONS}/worksheet" Target="/xl/worksheets/sheet{number}.xml"/>'
        for number in range(1, len(sheets) + 1)
    )
    listed = "".join(
        f'<x:sheet name="{escape(title)}" sheetId="{number + 3}" r:id="R{number}"/>'
        for number, title in enumerate(sheets, start=1)
    )
    if strings:
        kinds += f'<Override PartName="/xl/sharedStrings.xml" ContentType="{_KIND}.sharedStrings+xml"/>'
        links += f'<Relationship Id="RS" Type="{_RELATIONS}/sharedStrings" Target="/xl/sharedStrings.xml"/>'
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{_PACKAGE}/content-types"><Default Extension="rels" '
        'ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/xl/workbook.xml" '
        f'ContentType="{_KIND}.sheet.main+xml"/>{kinds}</Types>',
        "_rels/.rels": f'<Relationships xmlns="{_PACKAGE}/relationships"><Relationship Id="R0" '
        f'Type="{_RELATIONS}/officeDocument" Target="/xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'<x:workbook xmlns:x="{_SHEETS}" xmlns:r="{_RELATIONS}"><x:sheets>{listed}</x:sheets>'
        "</x:workbook>",
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{_PACKAGE}/relationships">{links}</Relationships>',
    }
    if strings:
        parts["xl/sharedStrings.xml"] = strings
    for number, xml in enumerate(sheets.values(), start=1):
        parts[f"xl/worksheets/sheet{number}.xml"] = xml
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, xml in parts.items():
            archive.writestr(name, f"{_DECLARED}{xml}")
    return out.getvalue()


def _inline(rows: _Rows, is_placed: bool) -> str:
    """A worksheet with texts in the cells, whose stated dimension is wrong, with or without the cells' places."""
    said = ""
    for row, texts in rows:
        said += f'<x:row r="{row}">' if is_placed else "<x:row>"
        for column, text in zip("ABCD", texts, strict=False):
            place = f' r="{column}{row}"' if is_placed else ""
            content = f' t="inlineStr"><x:is><x:t>{escape(text)}</x:t></x:is></x:c>' if text else "/>"
            said += f"<x:c{place}{content}"
        said += "</x:row>"
    return f'<x:worksheet xmlns:x="{_SHEETS}"><x:dimension ref="A1"/><x:sheetData>{said}</x:sheetData></x:worksheet>'


def portal() -> Layout:
    """Prefixed elements, texts within the cells, a dimension that says A1, and the response left of the question."""
    sheets = {"Hosting": _inline(_PORTAL, is_placed=True), "Support": _inline(_SUPPORT, is_placed=False)}
    asked = [Asked("Hosting", row, texts[1], f"A{row}", {}) for row, texts in _PORTAL[2:5]]
    asked += [Asked("Support", row, texts[1], f"C{row}", {}) for row, texts in _SUPPORT[1:]]
    refused = [_PORTAL[0][1][0], *_PORTAL[1][1], _PORTAL[5][1][1]]
    return told("portal_export", "event_4411_export.xlsx", _package(sheets), asked, refused)


_STRINGS = (
    "<x:t>No</x:t>",
    "<x:t>Question</x:t>",
    "<x:t>Answer</x:t>",
    '<x:r><x:t xml:space="preserve">Do you encrypt </x:t></x:r><x:r><x:rPr><x:b/></x:rPr><x:t>all</x:t></x:r>'
    '<x:r><x:t xml:space="preserve"> laptops?</x:t></x:r>',
    "<x:t>Where is the key kept?_x000D_\nPlease name the product.</x:t>",
    "<x:t>Who may\u00a0reset it?</x:t>",
    '<x:t>Is there a spare key?</x:t><x:rPh sb="0" eb="2"><x:t>イズ</x:t></x:rPh>',
    "<x:t>General</x:t>",
)


def shared_strings() -> Layout:
    """Texts in runs, with a reading aid, an escaped carriage return or a no-break space; ids as numbers and strings."""
    heads = "".join(
        f"<x:c r='{place}' t='s'><x:v>{index}</x:v></x:c>" for index, place in enumerate(("B2", "C2", "D2"))
    )
    rows = (
        (2, heads),
        (3, "<x:c r='C3' t='s'><x:v>7</x:v></x:c>"),
        (4, "<x:c r='B4'><x:v>1</x:v></x:c><x:c r='C4' t='s'><x:v>3</x:v></x:c>"),
        (5, "<x:c r='B5'><x:v>1.1000000000000001</x:v></x:c><x:c r='C5' t='s'><x:v>4</x:v></x:c>"),
        (6, "<x:c r='B6' t='str'><x:v>1.2</x:v></x:c><x:c r='C6' t='s'><x:v>5</x:v></x:c>"),
        (7, "<x:c r='B7' t='e'><x:v>#REF!</x:v></x:c><x:c r='C7' t='s'><x:v>6</x:v></x:c><x:c r='D7' t='b'/>"),
    )
    body = "".join(f'<x:row r="{row}">{cells}</x:row>' for row, cells in rows)
    sheet = f'<x:worksheet xmlns:x="{_SHEETS}"><x:sheetData>{body}</x:sheetData></x:worksheet>'
    strings = "".join(f"<x:si>{one}</x:si>" for one in _STRINGS)
    data = _package({"Laptops": sheet}, f'<x:sst xmlns:x="{_SHEETS}" count="8" uniqueCount="8">{strings}</x:sst>')
    texts = (
        ("Do you encrypt all laptops?", ()),
        ("Where is the key kept?\nPlease name the product.", ("Where is the key kept? Please name the product.",)),
        ("Who may\u00a0reset it?", ("Who may reset it?",)),
        ("Is there a spare key?", ()),
    )
    asked = [
        Asked("Laptops", row, text, f"D{row}", {}, variants=variants)
        for row, (text, variants) in enumerate(texts, start=4)
    ]
    return told("shared_strings", "laptops_export.xlsx", data, asked, ["No", "Question", "Answer", "General"])


_COMPOSED = (
    ("Does {} encrypt all backups?", 2),
    ("Has {} been acquired, or has it acquired another firm, since 2024?", 3),
    ("Which of the employees of {} can reach our tenant?", 3),
    ("How would {} help us move to another supplier?", 2),
)


def composed() -> Layout:
    """Questions that are formulas: the supplier's name is put into each, so that only kept values can be read."""
    form = Form("composed_by_formula", "Re-assessment Corvex Systems.xlsx")
    page = form.page("Setup")
    page.say(1, A="Supplier", B="Corvex Systems")
    page.say(2, A="Assessor", B="P. Lindqvist")
    page.refuse(3, A="Template text")
    for row, (text, _) in enumerate(_COMPOSED, start=4):
        page.refuse(row, A=text.replace("{}", "[SUPPLIER]"))
    page.sheet.sheet_state = "hidden"
    page = form.page("Questions")
    page.formula(1, "A", '="Re-assessment of "&Setup!B1', "Re-assessment of Corvex Systems", refuse=True)
    page.head(3, A="No.", B="Question", C="Answer", D="Change since last year?")
    for row, (text, risk) in enumerate(_COMPOSED, start=4):
        asked = text.replace("{}", "Corvex Systems")
        page.ask(row, "B", asked, "C", E=risk)
        page.formula(row, "B", f'=SUBSTITUTE(Setup!A{row},"[SUPPLIER]",Setup!B1)', asked)
        page.formula(row, "A", "=ROW()-3", row - 3)
    return form.layout()


_BOXES = (
    "Can users be provisioned over SCIM?",
    "Is sign-on by SAML included in every plan?",
    "Can sessions be limited to certain networks?",
    "Are administrators told about sign-ins from new devices?",
)


def check_boxes() -> Layout:
    """Boxes of an online spreadsheet, which are the values FALSE until somebody ticks them."""
    form = Form("check_boxes", "SSO checklist - Google Sheets.xlsx")
    page = form.page("Checklist")
    page.head(1, A="Question", B="Yes", C="No", D="Planned for", E="Notes")
    for row, text in enumerate(_BOXES, start=2):
        page.ask(row, "A", text, "E", verdicts={"yes": "B", "no": "C"}, B=False, C=False)
    return form.layout()


_CARDS = (
    ("C-31", "Malware", "How is malware kept off servers and workstations?"),
    ("C-32", "Removable media", "Is the use of removable media restricted by technical means?"),
    ("C-33", "Time", "Are clocks of all systems synchronised with one source?"),
    ("C-34", "Capacity", "How is it noticed in good time that capacity runs short?"),
)


def cards() -> Layout:
    """A block of labels and values for each question, all on one sheet: a card, without any table."""
    form = Form("cards", "Control cards.xlsx")
    page = form.page("Cards")
    page.section(1, A="Control cards: please fill in the white cells")
    for number, (ident, topic, text) in enumerate(_CARDS):
        row = 3 + 7 * number
        page.section(row, f"A{row}:D{row}", A=f"Control {ident}")
        page.refuse(row + 1, A="Topic", B=topic)
        page.ask(row + 2, "B", text, f"B{row + 3}", comment=f"B{row + 4}", A="Question")
        page.refuse(row + 3, A="Answer")
        page.refuse(row + 4, A="Evidence")
        page.merge(f"B{row + 2}:D{row + 2}", f"B{row + 3}:D{row + 3}", f"B{row + 4}:D{row + 4}")
    return form.layout()
