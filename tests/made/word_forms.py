"""Word questionnaires as raw XML, with what python-docx loses: bindings, comments, tracked changes, drawings."""

from __future__ import annotations

import io
import zipfile
from xml.sax.saxutils import escape

W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
STORE = "{6B8A7C1E-0000-4B6F-9D2A-0123456789AB}"
NAMESPACES = (
    f'xmlns:w="{W}" xmlns:w14="http://schemas.microsoft.com/office/word/2010/wordml" '
    'xmlns:w15="http://schemas.microsoft.com/office/word/2012/wordml" '
    'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" '
    'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" '
    'xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing" '
    'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" '
    'xmlns:pic="http://schemas.openxmlformats.org/drawingml/2006/picture" mc:Ignorable="w14 w15"'
)
_TYPES = {
    "word/document.xml": "wordprocessingml.document.main+xml",
    "word/styles.xml": "wordprocessingml.styles+xml",
    "word/numbering.xml": "wordprocessingml.numbering+xml",
    "word/comments.xml": "wordprocessingml.comments+xml",
    "word/header1.xml": "wordprocessingml.header+xml",
    "word/footer1.xml": "wordprocessingml.footer+xml",
    "word/settings.xml": "wordprocessingml.settings+xml",
    "customXml/itemProps1.xml": "customXmlProperties+xml",
}
_RELATIONS = ("styles", "numbering", "comments", "header1", "footer1", "settings")
_PIXEL = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010806000000"
    "1f15c4890000000d4944415478da6364f8cf500f0003860180bfd3a7c10000000049454e44ae426082"
)


def run(text: str, properties: str = "") -> str:
    """A run with run properties such as ``<w:b/>``."""
    inside = f"<w:rPr>{properties}</w:rPr>" if properties else ""
    return f'<w:r>{inside}<w:t xml:space="preserve">{escape(text)}</w:t></w:r>'


def paragraph(content: str = "", style: str = "", numbered: int | None = None, mark: str = "") -> str:
    """A paragraph of runs; a content without markup becomes one run. ``mark`` are the properties of its mark."""
    inside = content if not content or content.startswith("<") else run(content)
    properties = f'<w:pStyle w:val="{style}"/>' if style else ""
    if numbered is not None:
        properties += f'<w:numPr><w:ilvl w:val="{numbered}"/><w:numId w:val="1"/></w:numPr>'
    properties += f"<w:rPr>{mark}</w:rPr>" if mark else ""
    return f"<w:p>{f'<w:pPr>{properties}</w:pPr>' if properties else ''}{inside}</w:p>"


def cell(content: str = "", properties: str = "") -> str:
    """A table cell; a content without paragraphs becomes one."""
    inside = content if content.startswith(("<w:p", "<w:sdt", "<w:tbl")) else paragraph(content)
    return f"<w:tc><w:tcPr>{properties}</w:tcPr>{inside}</w:tc>"


def table(*rows: list[str]) -> str:
    """A table with borders, of rows of cells; a text becomes a cell."""
    made = (
        "<w:tr>"
        + "".join(one if one.startswith("<w:tc") or one.startswith("<w:sdt") else cell(one) for one in row)
        + "</w:tr>"
        for row in rows
    )
    sides = "".join(f'<w:{side} w:val="single" w:sz="4"/>' for side in ("top", "left", "bottom", "right", "insideH"))
    return f'<w:tbl><w:tblPr><w:tblW w:w="5000" w:type="pct"/><w:tblBorders>{sides}</w:tblBorders></w:tblPr>' + (
        "".join(made) + "</w:tbl>"
    )


def control(properties: str, content: str, *, prompts: bool = True) -> str:
    """A content control; with ``prompts`` its content is a prompt."""
    prompt = "<w:showingPlcHdr/>" if prompts else ""
    return f"<w:sdt><w:sdtPr>{prompt}{properties}</w:sdtPr><w:sdtContent>{content}</w:sdtContent></w:sdt>"


def text_control(prompt: str = "Click or tap here to enter text.", properties: str = "<w:text/>") -> str:
    """A plain-text control within a paragraph that shows its prompt."""
    return control(properties, run(prompt, '<w:rStyle w:val="PlaceholderText"/>'))


def dropdown(*choices: str) -> str:
    """A list control within a paragraph, with a prompt as its first item."""
    items = '<w:listItem w:displayText="Choose an item." w:value=""/>' + "".join(
        f'<w:listItem w:displayText="{one}" w:value="v-{one}"/>' for one in choices
    )
    return text_control("Choose an item.", f"<w:dropDownList>{items}</w:dropDownList>")


def check_box(*, ticked: bool = False, properties: str = "") -> str:
    """A check box as a content control of Word 2010 and later."""
    box = (
        f'<w14:checkbox><w14:checked w14:val="{int(ticked)}"/><w14:checkedState w14:val="2612" w14:font="MS Gothic"/>'
        '<w14:uncheckedState w14:val="2610" w14:font="MS Gothic"/></w14:checkbox>'
    )
    fonts = '<w:rFonts w:ascii="MS Gothic" w:eastAsia="MS Gothic" w:hAnsi="MS Gothic" w:hint="eastAsia"/>'
    return control(properties + box, run("☒" if ticked else "☐", fonts), prompts=False)


def field(kind: str, shown: str = "") -> str:
    """A legacy form field: ``kind`` is its ``w:checkBox``, ``w:textInput`` or ``w:ddList`` with what is in it."""
    begin = f'<w:r><w:fldChar w:fldCharType="begin"><w:ffData><w:name w:val="F"/>{kind}</w:ffData></w:fldChar></w:r>'
    name = "FORMCHECKBOX" if "checkBox" in kind else "FORMDROPDOWN" if "ddList" in kind else "FORMTEXT"
    code = f'<w:r><w:instrText xml:space="preserve"> {name} </w:instrText></w:r>'
    return (
        f'{begin}{code}<w:r><w:fldChar w:fldCharType="separate"/></w:r>'
        f'{run(shown)}<w:r><w:fldChar w:fldCharType="end"/></w:r>'
    )


def drawing() -> str:
    """A run with a picture."""
    return (
        '<w:r><w:drawing><wp:inline><wp:extent cx="95250" cy="95250"/><wp:docPr id="1" name="Logo"/><a:graphic>'
        '<a:graphicData uri="http://schemas.openxmlformats.org/drawingml/2006/picture"><pic:pic><pic:nvPicPr>'
        '<pic:cNvPr id="1" name="logo.png"/><pic:cNvPicPr/></pic:nvPicPr><pic:blipFill><a:blip r:embed="rIdLogo"/>'
        '</pic:blipFill><pic:spPr><a:xfrm><a:off x="0" y="0"/><a:ext cx="95250" cy="95250"/></a:xfrm>'
        '<a:prstGeom prst="rect"/></pic:spPr></pic:pic></a:graphicData></a:graphic></wp:inline></w:drawing></w:r>'
    )


def word_file(*body: str, values: str = "<values><owner/></values>") -> bytes:
    """A Word file with styles, numbering, a comment, custom XML, header, footer, settings and a picture."""
    section = (
        '<w:sectPr><w:headerReference w:type="default" r:id="rIdheader1"/>'
        '<w:footerReference w:type="default" r:id="rIdfooter1"/><w:pgSz w:w="11906" w:h="16838"/>'
        '<w:pgMar w:top="1134" w:right="1134" w:bottom="1134" w:left="1134" w:header="567" w:footer="567"/></w:sectPr>'
    )
    headings = "".join(
        f'<w:style w:type="paragraph" w:styleId="Heading{level}"><w:name w:val="heading {level}"/>'
        f'<w:basedOn w:val="Normal"/><w:pPr><w:keepNext/><w:spacing w:before="240"/><w:outlineLvl w:val="{level - 1}"/>'
        f'</w:pPr><w:rPr><w:b/><w:sz w:val="{36 - 4 * level}"/></w:rPr></w:style>'
        for level in (1, 2)
    )
    levels = "".join(
        f'<w:lvl w:ilvl="{level}"><w:start w:val="1"/><w:numFmt w:val="{kind}"/><w:lvlText w:val="{text}"/></w:lvl>'
        for level, kind, text in ((0, "decimal", "%1."), (1, "decimal", "%1.%2"), (2, "lowerLetter", "%3)"))
    )
    parts: dict[str, str | bytes] = {
        "word/document.xml": f"<w:document {NAMESPACES}><w:body>{''.join(body)}{section}</w:body></w:document>",
        "word/styles.xml": f'<w:styles xmlns:w="{W}"><w:docDefaults><w:rPrDefault><w:rPr>'
        '<w:rFonts w:ascii="Arial" w:hAnsi="Arial"/><w:sz w:val="20"/></w:rPr></w:rPrDefault></w:docDefaults>'
        '<w:style w:type="paragraph" w:default="1" w:styleId="Normal"><w:name w:val="Normal"/></w:style>'
        f'{headings}<w:style w:type="character" w:styleId="PlaceholderText"><w:name w:val="Placeholder Text"/><w:rPr>'
        '<w:color w:val="808080"/></w:rPr></w:style></w:styles>',
        "word/numbering.xml": f'<w:numbering xmlns:w="{W}"><w:abstractNum w:abstractNumId="0">{levels}</w:abstractNum>'
        '<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num></w:numbering>',
        "word/comments.xml": f'<w:comments xmlns:w="{W}"><w:comment w:id="0" w:author="Buyer">'
        f"{paragraph('Please be brief.')}</w:comment></w:comments>",
        "word/header1.xml": f'<w:hdr xmlns:w="{W}">{paragraph("Tender 2026/17")}</w:hdr>',
        "word/footer1.xml": f'<w:ftr xmlns:w="{W}">{paragraph("Confidential")}</w:ftr>',
        "word/settings.xml": f'<w:settings xmlns:w="{W}"><w:zoom w:percent="100"/></w:settings>',
        "word/media/logo.png": _PIXEL,
        "customXml/item1.xml": values,
        "customXml/itemProps1.xml": '<ds:datastoreItem xmlns:ds="http://schemas.openxmlformats.org/officeDocument/2006/'
        f'customXml" ds:itemID="{STORE}"/>',
    }
    office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    package = "http://schemas.openxmlformats.org/package/2006"
    related = "".join(
        f'<Relationship Id="rId{name}" Type="{office}/{name.rstrip("1")}" Target="{name}.xml"/>' for name in _RELATIONS
    )
    related += f'<Relationship Id="rIdLogo" Type="{office}/image" Target="media/logo.png"/>'
    related += f'<Relationship Id="rIdXml" Type="{office}/customXml" Target="../customXml/item1.xml"/>'
    types = "".join(
        f'<Override PartName="/{name}" ContentType="application/vnd.openxmlformats-officedocument.{kind}"/>'
        for name, kind in _TYPES.items()
    )
    whole = {
        "[Content_Types].xml": f'<Types xmlns="{package}/content-types"><Default Extension="rels" ContentType='
        '"application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" '
        f'ContentType="application/xml"/><Default Extension="png" ContentType="image/png"/>{types}</Types>',
        "_rels/.rels": f'<Relationships xmlns="{package}/relationships"><Relationship Id="rId1" '
        f'Type="{office}/officeDocument" Target="word/document.xml"/></Relationships>',
        "word/_rels/document.xml.rels": f'<Relationships xmlns="{package}/relationships">{related}</Relationships>',
        "customXml/_rels/item1.xml.rels": f'<Relationships xmlns="{package}/relationships"><Relationship Id="rId1" '
        f'Type="{office}/customXmlProps" Target="itemProps1.xml"/></Relationships>',
        **parts,
    }
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in whole.items():
            head = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n' if isinstance(content, str) else ""
            archive.writestr(name, content if isinstance(content, bytes) else head + content)
    return out.getvalue()
