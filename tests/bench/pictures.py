"""The pictures of the README and of infra/docs, made anew from a home in which the demo has run.

Run: .venv/bin/python -m tests.bench.pictures HOME [NAME …]

NAME is ``filled-workbook`` or ``evidence-workbook`` (LibreOffice), ``ask`` or ``report`` (Chromium), or ``prefect``
(Chromium and a server under way, which answers the demo's second questionnaire); by default all. They are written to
``infra/docs/pictures``.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import Final

import httpx
import pypdfium2
from openpyxl import load_workbook
from openpyxl.utils import get_column_letter
from openpyxl.worksheet.properties import PageSetupProperties
from openpyxl.worksheet.worksheet import Worksheet
from PIL import Image, ImageChops

from tasks.questionnaires.evidence.columns import ANSWERS_SHEET, COLUMNS, HEADER_ROW
from tasks.questionnaires.evidence.statuses import status_of
from tests.made.browser import Browser, browser

ROOT = Path(__file__).resolve().parents[2]
PICTURES = ROOT / "infra" / "docs" / "pictures"
COLOURS = 64
FIRST_ROW = 5
"""The first row below the titles of the columns of the demo's first questionnaire."""
FILLED = "demo/answers/Client-A-Security-Questionnaire"
OUTCOMES = {"answered", "needs_review", "declined"}
PICTURED = frozenset(
    "reference question proposed verdict probability status reason file_name page_number quote".split()
)
AT = {column.name: number for number, column in enumerate(COLUMNS, start=1)}
POINTS, DOTS = 72, 110
QUESTIONS = ("Is multi-factor authentication required for staff?", "and for customers?", "What is your CEO's hobby?")
ANSWERED = "!send.disabled && document.querySelectorAll('.answer').length === {}"
PORT, ASK_PORT = 4390, 4391
PATIENCE_S, DRAWING_S = 600.0, 5.0
REPORT_PIXELS = 6000


def save(picture: Image.Image, name: str) -> None:
    """Write a picture with few colours, small enough for a repository."""
    PICTURES.mkdir(exist_ok=True)
    picture.convert("RGB").quantize(COLOURS).save(PICTURES / f"{name}.png", optimize=True)


def shown(page: Browser, folder: Path) -> Image.Image:
    """A picture of what the page shows."""
    page.picture(folder / "page.png")
    return Image.open(BytesIO((folder / "page.png").read_bytes()))


def section_with_every_outcome(answers: Worksheet) -> tuple[int, int]:
    """The first and the last row of the first section that has an answer, one to review and a decline."""
    of_section: dict[str, list[int]] = defaultdict(list)
    for row in range(HEADER_ROW + 1, answers.max_row + 1):
        of_section[str(answers.cell(row, AT["section"]).value)].append(row)
    for rows in of_section.values():
        if {status_of(str(answers.cell(row, AT["status"]).value)) for row in rows} >= OUTCOMES:
            return rows[0], rows[-1]
    raise SystemExit("no section has an answer, one to review and a decline")


def filled_workbook(home: Path, folder: Path) -> None:
    """The first section of the demo's first questionnaire that has every outcome, below the titles of the columns."""
    answers = load_workbook(home / f"{FILLED}.evidence.xlsx")[ANSWERS_SHEET]
    first, last = (int(answers.cell(row, AT["row_number"]).value) for row in section_with_every_outcome(answers))
    workbook = load_workbook(home / f"{FILLED}.answered.xlsx")
    sheet = workbook[str(answers.cell(HEADER_ROW + 1, AT["sheet_name"]).value)]
    print_rows(sheet, range(FIRST_ROW, first - 1), last, folder, "filled-workbook")


def evidence_workbook(home: Path, folder: Path) -> None:
    """The same section in the evidence workbook, without the columns that are empty or repeat others."""
    sheet = load_workbook(home / f"{FILLED}.evidence.xlsx")[ANSWERS_SHEET]
    first, last = section_with_every_outcome(sheet)
    for column in COLUMNS:
        sheet.column_dimensions[get_column_letter(AT[column.name])].hidden = column.name not in PICTURED
    print_rows(sheet, range(HEADER_ROW + 1, first), last, folder, "evidence-workbook")


def print_rows(sheet: Worksheet, hidden: Iterable[int], last: int, folder: Path, name: str) -> None:
    """Save a picture of the rows to ``last`` without the hidden ones, as LibreOffice prints them on one wide page."""
    workbook = sheet.parent
    for other in workbook.sheetnames:
        if other != sheet.title:
            del workbook[other]
    sheet.print_area = f"A1:{sheet.cell(last, sheet.max_column).coordinate}"
    for row in hidden:
        sheet.row_dimensions[row].hidden = True
    sheet.page_setup.orientation, sheet.page_setup.paperSize = "landscape", 8
    sheet.sheet_properties.pageSetUpPr = PageSetupProperties(fitToPage=True)
    sheet.page_setup.fitToWidth, sheet.page_setup.fitToHeight = 1, 0
    sheet.oddFooter.left.text = sheet.oddFooter.right.text = None
    workbook.save(folder / f"{name}.xlsx")
    command = ["soffice", "--headless", "--convert-to", "pdf", "--outdir", str(folder), str(folder / f"{name}.xlsx")]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    page = pypdfium2.PdfDocument(folder / f"{name}.pdf")[0].render(scale=DOTS / POINTS).to_pil().convert("RGB")
    edges = ImageChops.difference(page, Image.new("RGB", page.size, "white")).getbbox()
    assert edges is not None
    save(page.crop((edges[0] - 8, edges[1] - 8, edges[2] + 8, edges[3] + 8)), name)


def ask(home: Path, folder: Path) -> None:
    """A conversation on the page of ``serve``, and beside it a cited page."""
    with served([sys.executable, "-m", "flows.web", str(ASK_PORT)], home, ASK_PORT), browser(folder) as page:
        page.open(f"http://127.0.0.1:{ASK_PORT}/", 768, 960)
        for number, question in enumerate(QUESTIONS, start=1):
            page.until("document.activeElement.id === 'question' && !send.disabled")
            page.type(question)
            page.press("Enter", 13)
            page.until(ANSWERED.format(number))
        page.run("document.querySelector('main').scrollTop = 0")
        conversation = shown(page, folder)
        page.run("document.querySelector('.sources button').click()")
        page.until("document.getElementById('page').open && !document.getElementById('page-picture').hidden")
        both = Image.new("RGB", (2 * conversation.width, conversation.height), "white")
        both.paste(conversation, (0, 0))
        both.paste(shown(page, folder), (conversation.width, 0))
        save(both, "ask")


def report(home: Path, folder: Path) -> None:
    """The headline of a report, and its first picture below it."""
    gold = home / "demo/gold/client-a.jsonl"
    evaluate = ("evaluate", gold.name, "--corpus", "demo", f"--out={folder / 'report'}")
    bidfolio(home, *evaluate, folder=gold.parent)
    with browser(folder) as page:
        page.open(f"file://{folder}/report/report.html", 1000, REPORT_PIXELS)
        places = "['.said', 'figure'].map(name => document.querySelector(name).getBoundingClientRect())"
        end, top, bottom = json.loads(page.run(f"(([a, b]) => JSON.stringify([a.bottom, b.top, b.bottom]))({places})"))
        whole = shown(page, folder)
        head = whole.crop((0, 0, 1000, int(end) + 12))
        figure = whole.crop((0, int(top), 1000, int(bottom) + 12))
        both = Image.new("RGB", (1000, head.height + figure.height), "white")
        both.paste(head, (0, 0))
        both.paste(figure, (0, head.height))
        save(both, "report")


def prefect(home: Path, folder: Path) -> None:
    """The form of ``answer-questionnaire``, a finished run of it, and a refresh's list of what became of each file."""
    command = [sys.executable, "-m", "flows.cli", "--home", str(home), "serve", "--port", str(PORT)]
    with served([*command, "--ask-port", str(ASK_PORT)], home, PORT), browser(folder) as page:
        api = httpx.Client(base_url=f"http://127.0.0.1:{PORT}/api", timeout=60)
        answering = deployment(api, "answer-questionnaire")
        look(page, f"deployments/deployment/{answering}/run", "Who drafts", folder, "prefect-form")
        file = home / "demo/questionnaires/Client-B-Request-for-Proposal.xlsx"
        run = finished(api, answering, {"file": str(file), "out": str(folder / "filled.xlsx"), "corpus": "demo"})
        look(page, f"runs/flow-run/{run}", "Task Runs", folder, "prefect-run")
        source = {"source": str(home / "demo/corpus"), "corpus": "pictures"}
        run = finished(api, deployment(api, "refresh-corpus"), source)
        wanted = {"artifacts": {"key": {"any_": ["changes"]}, "flow_run_id": {"any_": [run]}}}
        artifact = api.post("/artifacts/filter", json=wanted).json()[0]["id"]
        look(page, f"artifacts/artifact/{artifact}", "added", folder, "changes")


def deployment(api: httpx.Client, name: str) -> str:
    """The id of the only deployment of that name, once it is there."""
    wanted = {"deployments": {"name": {"any_": [name]}}}
    found = waited(lambda: api.post("/deployments/filter", json=wanted), lambda reply: bool(reply.json()))
    return str(found.json()[0]["id"])


def finished(api: httpx.Client, of: str, parameters: dict[str, str]) -> str:
    """The id of a run of the deployment ``of``, once it is completed."""
    run = api.post(f"/deployments/{of}/create_flow_run", json={"parameters": parameters}).json()["id"]
    waited(lambda: api.get(f"/flow_runs/{run}"), lambda reply: reply.json()["state"]["type"] == "COMPLETED")
    return str(run)


def look(page: Browser, address: str, words: str, folder: Path, name: str) -> None:
    """Save what a page of Prefect's UI shows, once it has the words and has drawn itself."""
    page.open(f"http://127.0.0.1:{PORT}/{address}", 1000, 900)
    page.until(f"document.body.innerText.includes({json.dumps(words)})")
    time.sleep(DRAWING_S)
    save(shown(page, folder), name)


def bidfolio(home: Path, *arguments: str, folder: Path) -> None:
    """Run a command on the home in a folder."""
    command = [sys.executable, "-m", "flows.cli", "--home", str(home.resolve()), *arguments]
    subprocess.run(command, check=True, cwd=folder, env=os.environ | {"PYTHONPATH": str(ROOT)})


@contextmanager
def served(command: list[str], home: Path, port: int) -> Iterator[None]:
    """A server under way, once it answers; it is stopped at the end."""
    environment = os.environ | {"BIDFOLIO_HOME": str(home), "BIDFOLIO_ASK_CORPUS": "demo"}
    process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.DEVNULL)
    try:
        waited(lambda: httpx.get(f"http://127.0.0.1:{port}/", timeout=60), lambda reply: reply.status_code < 500)
        yield
    finally:
        process.terminate()
        process.wait(timeout=60)


def waited(ask_once: Callable[[], httpx.Response], is_done: Callable[[httpx.Response], bool]) -> httpx.Response:
    """The first reply that will do. Raises TimeoutError where there is none in time."""
    end = time.monotonic() + PATIENCE_S
    while time.monotonic() < end:
        try:
            if is_done(reply := ask_once()):
                return reply
        except httpx.TransportError:
            pass
        time.sleep(0.5)
    raise TimeoutError(f"no reply that will do in {PATIENCE_S:.0f} s")


MADE: Final = {
    "filled-workbook": filled_workbook,
    "evidence-workbook": evidence_workbook,
    "ask": ask,
    "report": report,
    "prefect": prefect,
}


def main(home: str, *names: str) -> None:
    """Make the named pictures, or all."""
    if shutil.which("soffice") is None:
        raise SystemExit("LibreOffice is not installed: no workbook can be shown")
    for name in names or tuple(MADE):
        with tempfile.TemporaryDirectory() as folder:
            MADE[name](Path(home).resolve(), Path(folder))


if __name__ == "__main__":
    main(*sys.argv[1:])
