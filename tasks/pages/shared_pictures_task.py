"""Stage for a report's pictures: each cited page is rendered once, and every quote has its boxes on it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

from configs.settings import Settings
from tasks.errors import BidfolioError
from tasks.library_names import is_approved
from tasks.pages.originals import Originals
from tasks.pages.pictures.highlight import boxes_of
from tasks.pages.pictures.page_lookup import NoSuchPage, number_at, page_of, span_of, title_of
from tasks.pages.pictures.page_painting import Painted, paint_all
from tasks.pages.pictures.text_page import text_sheets
from tasks.progress import track
from tasks.records import Box, Document, content_id
from tasks.runtime.stage import stage
from tasks.sources.listing import read_file, why_unreadable
from tasks.storage.lake import Lake

WIDTH_PX = 800
LEAST_WIDTH_PX = 420
AT_ONCE = 2
BUDGET_BYTES = 20_000_000
"""The most that a report's pictures may weigh; as text of a page they weigh a third more."""
USUAL_BYTES = 46_000
"""The weight of a densely printed page of WIDTH_PX."""


class Quote(NamedTuple):
    """A quote to show on its page; the file's name finds the document where ``document_id`` is "".

    ``sheet_name`` and ``row_number`` are those of an approved answer.
    """

    file_name: str
    quote: str
    document_id: str = ""
    page_number: int | None = None
    start: int | None = None
    end: int | None = None
    sheet_name: str | None = None
    row_number: int | None = None


class Shown(NamedTuple):
    """The picture that shows a quote, by its key, and the quote's boxes as shares of the picture's width and height.

    Without a picture the key is "", and ``why`` says what keeps it from being shown. An approved answer, which is on no
    page, has the words ``approved`` instead.
    """

    key: str
    boxes: tuple[Box, ...] = ()
    why: str = ""
    approved: str = ""


class Pictures(NamedTuple):
    """Places of quotes, in the order of the quotes, and the pictures by key."""

    shown: list[Shown]
    pictures: dict[str, Painted]


class _Sheet(NamedTuple):
    """A page of a PDF, and the boxes on it in points."""

    key: str
    page_index: int
    boxes: tuple[Box, ...]


@stage("pictures of {corpus}")
def pictures_of_quotes(quotes: Sequence[Quote], corpus: str, settings: Settings) -> Pictures:
    """Render the page of every quote, each page once; no quotes give no pictures.

    A quote whose document was changed or removed, or whose page cannot be rendered, has no picture and the reason. The
    pictures are narrower where there are so many that they would weigh more than BUDGET_BYTES.
    """
    lake = Lake(settings.home)
    originals = Originals(lake, read_file, why_unreadable)
    rows = _indexed(lake, corpus)
    ids = {row["file_name"]: document_id for document_id, row in reversed(rows.items())}
    by_document: dict[str, list[int]] = defaultdict(list)
    approved = {at: _approved(lake, corpus, quote) for at, quote in enumerate(quotes) if is_approved(quote.file_name)}
    for at, quote in enumerate(quotes):
        by_document[quote.document_id or ids.get(quote.file_name, "")].append(at)
    known = {
        document_id: numbers
        for document_id, numbers in by_document.items()
        if document_id in rows and not approved.keys() & set(numbers)
    }
    width = _width_for(len({(quote.document_id or quote.file_name, quote.page_number) for quote in quotes}))
    while True:
        gone = "the document was changed or removed since"
        shown = [approved.get(at) or Shown("", why=gone) for at in range(len(quotes))]
        pictures: dict[str, Painted] = {}
        with track("Painting pages", len(known)) as advance, ThreadPoolExecutor(AT_ONCE) as pool:
            made = {
                document_id: pool.submit(
                    _of_document, originals, rows[document_id], [quotes[at] for at in numbers], numbers, width
                )
                for document_id, numbers in known.items()
            }
            for one in made.values():
                found, painted = one.result()
                for at, place in found.items():
                    shown[at] = place
                pictures |= painted
                advance(1)
        weight = sum(len(picture.png) for picture in pictures.values())
        narrower = max(LEAST_WIDTH_PX, int(0.95 * width * (BUDGET_BYTES / max(1, weight)) ** 0.5))
        if weight <= BUDGET_BYTES or narrower >= width:
            return Pictures(*_within_budget(shown, pictures))
        width = narrower


def _approved(lake: Lake, corpus: str, quote: Quote) -> Shown:
    """An approved answer in words: who approved it, when, and for which questionnaire, where it is still listed."""
    place = (quote.file_name, quote.sheet_name, quote.row_number)
    listed = lake.read("library", corpus=corpus).to_pylist()
    row = next((one for one in listed if (one["file_name"], one["sheet_name"], one["row_number"]) == place), None)
    if row is None:
        return Shown("", approved="This is an approved answer of the library, which has another in its place now.")
    day = row["approved_on"] or row["answered_on"]
    who = f"{row['approved_by']} approved it" if row["approved_by"] else "It was approved"
    on = f" on {day.day} {day:%B %Y}" if day else ""
    until = f", to be used until {row['valid_until'].day} {row['valid_until']:%B %Y}" if row["valid_until"] else ""
    return Shown("", approved=f"This is an approved answer. {who}{on} in {row['questionnaire']}{until}.")


def _indexed(lake: Lake, corpus: str) -> dict[str, dict[str, Any]]:
    """The rows of the indexed documents by id, those of ``corpus`` first."""
    corpora = [corpus, *(one for one in lake.values("documents", "corpus") if one != corpus)]
    rows = (row for one in corpora for row in lake.read("documents", corpus=one).to_pylist())
    found: dict[str, dict[str, Any]] = {}
    for row in rows:
        if row["status"] == "indexed":
            found.setdefault(row["document_id"], row)
    return found


def _of_document(
    originals: Originals,
    row: Mapping[str, Any],
    quotes: Sequence[Quote],
    numbers: Sequence[int],
    width: int,
) -> tuple[dict[int, Shown], dict[str, Painted]]:
    """The quotes of one document, by their numbers, and its pictures."""
    try:
        document, data = originals.document(row), originals.data(row)
    except BidfolioError as error:
        return {at: Shown("", why=str(error)) for at in numbers}, {}
    shown: dict[int, Shown] = {}
    sheets: dict[int, _Sheet] = {}
    if document.kind == "pdf":
        for at, quote in zip(numbers, quotes, strict=True):
            try:
                sheets[at] = _pdf_sheet(document, quote)
            except BidfolioError as error:
                shown[at] = Shown("", why=str(error))
        painted = _painted(data, sheets.values(), width)
    else:
        painted = {}
        for pdf, found in _text_sheets(document, numbers, quotes):
            sheets |= found
            painted |= _painted(pdf, found.values(), width)
    for at, sheet in sheets.items():
        picture = painted.get(sheet.key)
        if picture is None:
            shown[at] = Shown("", why="the page cannot be painted: open the document itself")
            continue
        size = (picture.width_pt, picture.height_pt) * 2
        boxes = (Box(*(edge / side for edge, side in zip(box, size, strict=True))) for box in sheet.boxes)
        shown[at] = Shown(sheet.key, tuple(boxes))
    return shown, painted


def _pdf_sheet(document: Document, quote: Quote) -> _Sheet:
    page = page_of(document, quote.page_number or _number(document, quote))
    span = span_of(document, page, quote.start, quote.end, quote.quote)
    number = page.page_number or 1
    boxes = (box for on, box in boxes_of(document.lines, *span, document.text) if on == number)
    return _Sheet(content_id("picture", document.document_id, number), number - 1, tuple(boxes))


def _text_sheets(
    document: Document, numbers: Sequence[int], quotes: Sequence[Quote]
) -> Iterator[tuple[bytes, dict[int, _Sheet]]]:
    """For each page (sheet, web page) with quotes: a PDF of the parts that hold them, and where each quote is in it."""
    by_page: dict[int, dict[int, tuple[int, int]]] = defaultdict(dict)
    for at, quote in zip(numbers, quotes, strict=True):
        try:
            number = quote.page_number or _number(document, quote)
            page = page_of(document, number)
            start, end = span_of(document, page, quote.start, quote.end, quote.quote)
        except BidfolioError:
            continue
        by_page[number][at] = (start - page.start, end - page.start)
    for number, spans in by_page.items():
        page = page_of(document, number)
        text = document.text[page.start : page.end]
        pdf, places = text_sheets(title_of(document, page, number), text, list(spans.values()))
        yield (
            pdf,
            {
                at: _Sheet(content_id("picture", document.document_id, number, index), index, tuple(boxes))
                for at, (index, boxes) in zip(spans, places, strict=True)
            },
        )


def _number(document: Document, quote: Quote) -> int:
    """The number of the page on which the quote begins. Raises NoSuchPage where no page holds it."""
    if quote.start is not None:
        return number_at(document, quote.start)
    for index, page in enumerate(document.pages, start=1):
        number = page.page_number or index
        try:
            span_of(document, page, None, None, quote.quote)
        except NoSuchPage:
            continue
        return number
    raise NoSuchPage(f"{document.file_name} does not hold the quote any more")


def _painted(pdf: bytes, sheets: Iterable[_Sheet], width: int) -> dict[str, Painted]:
    keys = {sheet.key: sheet.page_index for sheet in sheets}
    found = paint_all(pdf, list(keys.values()), width)
    return {key: picture for key, picture in zip(keys, found, strict=True) if picture is not None}


def _width_for(pages: int) -> int:
    """The width of the pictures of so many pages, with which they are likely to stay below BUDGET_BYTES."""
    share = BUDGET_BYTES / max(1, pages * USUAL_BYTES)
    return max(LEAST_WIDTH_PX, int(WIDTH_PX * min(1.0, share**0.5)))


def _within_budget(shown: list[Shown], pictures: dict[str, Painted]) -> tuple[list[Shown], dict[str, Painted]]:
    """Leave out the heaviest pictures, those that fewest quotes need first, until the rest is within BUDGET_BYTES."""
    needed = Counter(one.key for one in shown)
    left = sum(len(picture.png) for picture in pictures.values())
    for key in sorted(pictures, key=lambda key: (needed[key], -len(pictures[key].png))):
        if left <= BUDGET_BYTES:
            break
        left -= len(pictures[key].png)
        pictures = {name: picture for name, picture in pictures.items() if name != key}
    why = "the report would be too large with this page: see it in the review desk"
    return [one if not one.key or one.key in pictures else Shown("", why=why) for one in shown], pictures
