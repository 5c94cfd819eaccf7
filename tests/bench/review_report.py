"""The HTML report of 500 answers, each on a page of its own: seconds to write, size, and seconds until it is usable.

`python -m tests.bench.review_report [QUESTIONS]`
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

from flows.review import report_review
from tests.made.browser import browser
from tests.made.reviewed_runs import RUN, policy_pdf, reviewed_run

USABLE = """new Promise((done) => {
  const look = () => document.querySelectorAll('article').length && document.querySelector('article img')?.complete
    ? done(performance.now()) : requestAnimationFrame(look);
  look();
})"""


def main(questions: int) -> None:
    """Make the home, write the report, open it three times, and print the figures."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        made = reviewed_run(folder / "made", questions, policy_pdf(questions, 1, filler=45))
        begun = time.perf_counter()
        said = report_review(RUN, str(folder / "report.html"), made.settings)
        seconds = time.perf_counter() - begun
        size = (folder / "report.html").stat().st_size / 1e6
        print(f"{questions} answers, {said['pages']} pages, {size:.1f} MB, written in {seconds:.1f} s")
        for _ in range(3):
            with tempfile.TemporaryDirectory() as profile, browser(Path(profile)) as page:
                page.open((folder / "report.html").as_uri(), 1280, 900)
                usable, whole = page.run(USABLE), page.run("performance.getEntriesByType('navigation')[0].duration")
                asked = [url for url in page.asked_for if not url.startswith(("file:", "data:", "about:", "chrome"))]
                told = f"complaints: {page.complaints or 'none'}, asked elsewhere: {asked or 'nothing'}"
                print(f"usable after {usable / 1000:.2f} s, loaded after {whole / 1000:.2f} s; {told}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 500)
