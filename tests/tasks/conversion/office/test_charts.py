"""Charts and diagrams: their figures and words stand in parts of their own."""

from __future__ import annotations

import io
from typing import Any

import docx
import pptx
import pytest
from docx.opc.constants import RELATIONSHIP_TYPE as WORD_RELATION
from docx.opc.packuri import PackURI as WordURI
from docx.opc.part import Part as WordPart
from docx.oxml import parse_xml
from pptx.chart.data import CategoryChartData, XyChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.opc.package import Part
from pptx.opc.packuri import PackURI
from pptx.util import Inches

from tests.made.conversions import convert_bytes

PLACE = Inches(1), Inches(2), Inches(6), Inches(4)
DIAGRAMS = "http://schemas.openxmlformats.org/drawingml/2006/diagram"
DRAWINGS = "http://schemas.openxmlformats.org/drawingml/2006/main"
RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"


def uptime() -> Any:
    data = CategoryChartData(number_format="0.00%")
    data.categories = ["2023", "2024", "2025"]
    data.add_series("Uptime", (0.9991, 0.9995, 0.9998))
    data.add_series("Target", (0.999, 0.999, None))
    return data


def deck_of(data: Any, kind: Any = XL_CHART_TYPE.COLUMN_CLUSTERED, title: str = "") -> Any:
    deck = pptx.Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[5])
    slide.shapes.title.text = "Availability"
    chart = slide.shapes.add_chart(kind, *PLACE, data).chart
    if title:
        chart.has_title = True
        chart.chart_title.text_frame.text = title
    slide.notes_slide.notes_text_frame.text = "Say that it grows."
    return deck


def elements(book: Any, name: str = "d.pptx") -> list[tuple[str, str]]:
    out = io.BytesIO()
    book.save(out)
    return [(element.kind, element.text) for element in convert_bytes(name, out.getvalue()).elements]


UPTIME = "Uptime of the service | Uptime | Target\n2023 | 99.91% | 99.90%\n2024 | 99.95% | 99.90%\n2025 | 99.98% | –"


@pytest.mark.parametrize("kind", [XL_CHART_TYPE.COLUMN_CLUSTERED, XL_CHART_TYPE.LINE, XL_CHART_TYPE.AREA])
def test_a_chart_is_a_table_on_its_slide(kind: Any) -> None:
    assert elements(deck_of(uptime(), kind, "Uptime of the service")) == [
        ("title", "Availability"),
        ("table", UPTIME),
        ("notes", "Say that it grows."),
    ]


def test_a_pie_without_a_title() -> None:
    data = CategoryChartData()
    data.categories = ["Europe", "Americas & Asia"]
    data.add_series("Customers", (1200, 80))
    assert elements(deck_of(data, XL_CHART_TYPE.PIE))[1] == ("table", "Customers\nEurope | 1200\nAmericas & Asia | 80")


def test_labels_on_several_levels_and_of_figures() -> None:
    data = CategoryChartData()
    for year, quarters in (("2024", ("Q1", "Q2")), ("2025", ("Q1",))):
        outer = data.add_category(year)
        for quarter in quarters:
            outer.add_sub_category(quarter)
    data.add_series("Tickets", (7, 8, 9))
    assert elements(deck_of(data))[1][1] == "Tickets\n2024 / Q1 | 7\n2024 / Q2 | 8\n2025 / Q1 | 9"
    codes = CategoryChartData()
    codes.categories = ["007", "1e5"]
    codes.add_series("Count", (1, 2))
    assert elements(deck_of(codes))[1][1] == "Count\n007 | 1\n1e5 | 2"


def test_points_of_two_axes() -> None:
    data = XyChartData()
    for name, points in (("p95", ((1, 20.5), (2, 25))), ("p99", ((1, 40), (3, 50)))):
        series = data.add_series(name)
        for point in points:
            series.add_data_point(*point)
    assert elements(deck_of(data, XL_CHART_TYPE.XY_SCATTER))[1][1] == "p95\n1 | 20.5\n2 | 25\np99\n1 | 40\n3 | 50"


def test_of_a_chart_of_very_many_points_its_names_are_read() -> None:
    data = CategoryChartData()
    data.categories = [str(day) for day in range(1000)]
    data.add_series("Requests", range(1000))
    assert elements(deck_of(data, XL_CHART_TYPE.LINE, "Load"))[1][1] == "Load | Requests"


def test_a_chart_whose_part_is_broken_leaves_the_slide_readable() -> None:
    deck = deck_of(uptime())
    chart_part = deck.slides[0].shapes[1].chart.part
    chart_part._element = chart_part._element.makeelement("broken")
    assert elements(deck)[0] == ("title", "Availability")


def test_a_chart_of_a_word_file_stands_where_it_is_drawn() -> None:
    deck = deck_of(uptime(), title="Uptime of the service")
    blob = deck.slides[0].shapes[1].chart.part.blob
    document = docx.Document()
    document.add_heading("Availability", 1)
    document.add_paragraph("See the figure.")
    holder = document.add_paragraph()
    document.add_paragraph("What follows.")
    part = WordPart(
        WordURI("/word/charts/chart1.xml"),
        "application/vnd.openxmlformats-officedocument.drawingml.chart+xml",
        blob,
        document.part.package,
    )
    relation = document.part.relate_to(part, WORD_RELATION.CHART)
    holder._p.append(
        parse_xml(
            '<w:r xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:drawing>'
            f'<a:graphicData xmlns:a="{DRAWINGS}"><c:chart xmlns:r="{RELATIONS}" r:id="{relation}" '
            'xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart"/></a:graphicData></w:drawing></w:r>'
        )
    )
    assert elements(document, "d.docx") == [
        ("title", "Availability"),
        ("paragraph", "See the figure."),
        ("table", UPTIME),
        ("paragraph", "What follows."),
    ]


TRIAGE = [("", "Triage"), (" type='node'", "Repair"), (" type='sibTrans'", "arrow")]
LINKED = [("", "Verify"), ("", "Repair"), ("", "Triage"), ("", "By the duty team"), (" type='doc'", ""), ("", "Alone")]
LINKS = [(4, 2, 0), (4, 1, 1), (4, 0, 2), (2, 3, 0), (2, 2, 0), (4, 9, 3)]


@pytest.mark.parametrize(
    ("said", "links", "read"),
    [
        (TRIAGE, [], ["Triage", "Repair"]),
        (LINKED, LINKS, ["Triage", "By the duty team", "Repair", "Verify", "Alone"]),
    ],
)
def test_the_words_of_a_diagram_are_read_from_its_top_down(
    said: list[tuple[str, str]], links: list[tuple[int, int, int]], read: list[str]
) -> None:
    deck = pptx.Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[5])
    slide.shapes.title.text = "How we answer"
    points = "".join(
        f"<d:pt modelId='{at}'{kind}><d:t><a:bodyPr/><a:p><a:r><a:t>{text}</a:t></a:r></a:p></d:t></d:pt>"
        for at, (kind, text) in enumerate(said)
    )
    drawn = "".join(f"<d:cxn srcId='{one}' destId='{other}' srcOrd='{at}'/>" for one, other, at in links)
    drawn += "<d:cxn type='presOf' srcId='4' destId='5' srcOrd='0'/>"
    model = f"<d:ptLst>{points}</d:ptLst><d:cxnLst>{drawn}</d:cxnLst>"
    model = f"<d:dataModel xmlns:d='{DIAGRAMS}' xmlns:a='{DRAWINGS}'>{model}</d:dataModel>"
    content_type = "application/vnd.openxmlformats-officedocument.drawingml.diagramData+xml"
    part = Part(PackURI("/ppt/diagrams/data1.xml"), content_type, slide.part.package, model.encode())
    relation = slide.part.relate_to(part, f"{RELATIONS}/diagramData")
    frame = slide.shapes.add_table(1, 1, *PLACE)
    frame._element.graphic.graphicData.clear()
    frame._element.graphic.graphicData.set("uri", DIAGRAMS)
    frame._element.graphic.graphicData.append(
        parse_xml(f'<d:relIds xmlns:d="{DIAGRAMS}" xmlns:r="{RELATIONS}" r:dm="{relation}"/>')
    )
    assert elements(deck) == [("title", "How we answer"), *(("list_item", text) for text in read)]
