"""Numbers that a tender's own program writes before its paragraphs, and that its text lacks: those of lists.

Word counts them by its numbering, HTML and Markdown by their ordered lists.
"""

from __future__ import annotations

import re
from collections import defaultdict, deque
from collections.abc import Iterable, Iterator

from tasks.questionnaires.formats.load_grids import ZIP
from tasks.questionnaires.word.markup import open_word, paragraph_text
from tasks.questionnaires.word.numbering import BULLET, Numbering, Styles, written_number
from tasks.records import Document
from tasks.text.characters import decode_text

_MARKDOWN_ITEM = re.compile(r"(?P<indent>\s*)(?P<number>\d{1,3})[.)]\s+(?P<text>\S.*)")
_HTML_KINDS = {"a": "lowerLetter", "A": "upperLetter", "i": "lowerRoman", "I": "upperRoman"}
_KEY_CHARACTERS = 24
"""Letters and digits at the beginning by which a paragraph is known again: a link farther on changes its text."""


def list_numbers(data: bytes, file_name: str, document: Document) -> dict[int, str]:
    """The number of each element that has one in its file and not in its text, by the element's place; none for a
    format that prints its numbers.
    """
    waiting: dict[str, deque[str]] = defaultdict(deque)
    for number, text in _numbered(data, file_name):
        waiting[_key(text)].append(number)
    found: dict[int, str] = {}
    for at, element in enumerate(document.elements):
        if (numbers := waiting.get(_key(element.text))) and element.kind != "table":
            found[at] = numbers.popleft()
    return found


def _key(text: str) -> str:
    return "".join(filter(str.isalnum, text.casefold()))[:_KEY_CHARACTERS]


def _numbered(data: bytes, file_name: str) -> Iterable[tuple[str, str]]:
    """The paragraphs with an automatic number, in order: the number and the text."""
    name = file_name.casefold()
    if data.startswith(ZIP):
        return _of_word(data, file_name)
    if name.endswith((".md", ".markdown")):
        return _of_markdown(decode_text(data).text)
    return _of_html(data) if name.endswith((".html", ".htm")) else ()


def _of_word(data: bytes, file_name: str) -> Iterator[tuple[str, str]]:
    package = open_word(data, file_name)
    numbering = Numbering(package.related("numbering"), Styles(package.related("styles")))
    for paragraph in package.root.iter("{*}p"):
        label, text = numbering.label(paragraph), paragraph_text(paragraph)
        if label not in ("", BULLET) and text.strip():
            yield label, text


def _of_html(data: bytes) -> Iterator[tuple[str, str]]:
    import lxml.html

    if not data.strip():
        return
    for item in lxml.html.document_fromstring(data).iter("li"):
        holder = item.getparent()
        if holder is not None and holder.tag == "ol":
            at = 1 + sum(1 for _ in item.itersiblings("li", preceding=True))
            first = holder.get("start", "1")
            number = at - 1 + (int(first) if first.isdigit() else 1)
            yield written_number(number, _HTML_KINDS.get(holder.get("type", ""), "decimal")), item.text_content()


def _of_markdown(text: str) -> Iterator[tuple[str, str]]:
    """The items of ordered lists; a list whose items all begin with the same number counts on from it."""
    counts: dict[int, int] = {}
    for line in text.splitlines():
        found = _MARKDOWN_ITEM.match(line)
        if found is None:
            if line.strip() and not line.startswith((" ", "\t")):
                counts.clear()
            continue
        indent, number = len(found["indent"]), int(found["number"])
        counts = {at: count for at, count in counts.items() if at <= indent}
        if indent in counts:
            number = max(number, counts[indent] + 1)
        counts[indent] = number
        yield str(number), found["text"]
