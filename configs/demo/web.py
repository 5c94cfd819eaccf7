"""A document as one HTML page that needs no other file."""

from collections.abc import Iterator
from html import escape

from configs.demo import source as src
from configs.demo.passages import Passage, Place, Rendered

_STYLE = """
body { margin: 0; font: 16px/1.6 Arial, Helvetica, sans-serif; color: #222b33; }
header, main, footer { max-width: 54rem; margin: 0 auto; padding: 1.5rem; }
.band { background: #1d3557; color: #fff; border-bottom: 6px solid #2a8c8c; }
h1, h2, h3 { line-height: 1.25; color: #1d3557; }
.band h1 { color: #fff; margin: 0; }
nav a { margin-right: 1.2rem; color: #2a8c8c; }
table { border-collapse: collapse; width: 100%; margin: 1rem 0; }
caption { text-align: left; font-weight: bold; padding: .4rem 0; }
th { background: #1d3557; color: #fff; text-align: left; }
th, td { padding: .5rem .7rem; border-bottom: 1px solid #c9d3da; vertical-align: top; }
footer { color: #5c6773; font-size: .85rem; border-top: 1px solid #c9d3da; }
"""


def render(source: src.Source) -> Rendered:
    """The document as UTF-8 HTML, the same for the same source, and a passage for each line, on no page."""
    front = source.front
    lines = (*source.title_lines, *(line for block in source.blocks for line in src.lines_of(block)))
    html = "\n".join(
        (
            '<!DOCTYPE html>\n<html lang="en-GB">\n<head>\n<meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<title>{escape(front.title)} | {escape(front.company)}</title>",
            f"<style>{_STYLE}</style>\n</head>\n<body>",
            f'<div class="band"><header><p>{escape(front.company)}</p>',
            f"<h1>{escape(front.title)}</h1></header></div>",
            "<main>\n<nav>",
            *_links(source),
            "</nav>",
            *(_html(block) for block in source.blocks),
            "</main>",
            f"<footer><p>Version {escape(front.version)}, {front.day}. {escape(front.owner)}.</p>",
            f"<p>{escape(front.footer)}</p></footer>\n</body>\n</html>\n",
        )
    )
    return Rendered(html.encode(), tuple(Passage(*line, Place()) for line in lines))


def _links(source: src.Source) -> Iterator[str]:
    for block in source.blocks:
        if isinstance(block, src.Heading) and block.level == 1:
            yield f'<a href="#s{block.line.number}">{escape(block.line.text)}</a>'


def _html(block: src.Block) -> str:
    """The block's element; the page's own title being h1, headings begin at h2."""
    match block:
        case src.Heading(line, level):
            return f'<h{level + 1} id="s{line.number}">{escape(line.text)}</h{level + 1}>'
        case src.Paragraph(line):
            return f"<p>{escape(line.text)}</p>"
        case src.Items(lines, numbers):
            tag = "ol" if numbers else "ul"
            return _element(tag, *(f"<li>{escape(line.text)}</li>" for line in lines))
        case src.Table(caption, header, rows):
            head = _element("thead", _row(header, "th"))
            body = _element("tbody", *(_row(row, "td") for row in rows))
            return _element("table", f"<caption>{escape(caption.text)}</caption>", head, body)


def _row(row: src.Row, tag: str) -> str:
    return _element("tr", *(f"<{tag}>{escape(cell)}</{tag}>" for cell in row.cells))


def _element(tag: str, *children: str) -> str:
    return "\n".join((f"<{tag}>", *children, f"</{tag}>"))
