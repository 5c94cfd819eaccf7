"""Reading and filling a large questionnaire: seconds of the processor, and the most memory.

Run: .venv/bin/python -m tests.bench.filling [--questions 500] [--rows 20000] [--repeats 3]

The workbook's first sheet has the questions among as many rows with other texts, in a column beside the answers. Each
repeat runs in a process of its own, so that its peak is its own; the medians are printed.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path
from statistics import median

from openpyxl import Workbook

from tasks.questionnaires.evidence.columns import EvidenceRow
from tasks.questionnaires.evidence.workbook import Heading, write_evidence
from tasks.questionnaires.filling.fill_questionnaire import FilledAnswer, fill_with_notes
from tasks.questionnaires.reading.read_questionnaire import read_questionnaire

TEXT = "Backups are kept in two places, and both are tested in spring and autumn. [§ 4.2 Backups, p. 12]"


def write_workbook(path: Path, questions: int, rows: int) -> None:
    """A sheet of ``questions``, then one of ``rows`` rows that hold other texts."""
    book = Workbook(write_only=True)
    sheet = book.create_sheet("Questions")
    sheet.append(("Ref", "Question", "Answer", "Comments"))
    every = max(1, rows // questions)
    for number in range(1, rows + 1):
        if number % every == 0 and number // every <= questions:
            sheet.append((f"Q-{number // every}", f"Do you test backup number {number // every} each year?"))
        else:
            sheet.append((None, None, None, None, f"Note {number} of the customer's own"))
    book.save(path)


def measure(path: Path) -> dict[str, float]:
    """Seconds of the processor to read, to fill and to write the evidence, and the peak of this process in MiB."""
    data = path.read_bytes()
    started = time.process_time()
    read = read_questionnaire(data, path.name)
    read_at = time.process_time()
    answers = [FilledAnswer(one.question_id, "answered", "Yes", TEXT, "yes") for one in read.questions]
    done = fill_with_notes(data, read, answers, review_columns=False)
    filled_at = time.process_time()
    rows = [
        EvidenceRow(one.question_id, one.text, "answered", proposed=TEXT, final=TEXT, quote=TEXT)
        for one in read.questions
    ]
    heading = Heading("run", path.name, path.name, "bidfolio", "version", datetime(2026, 1, 1, tzinfo=UTC))
    write_evidence(rows, heading)
    ended_at = time.process_time()
    # The peak that getrusage gives is at least that of the process that started this one.
    status = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    return {
        "questions": len(read.questions),
        "unplaced": len(done.unplaced),
        "read_s": read_at - started,
        "fill_s": filled_at - read_at,
        "evidence_s": ended_at - filled_at,
        "peak_mib": int(status["VmHWM"].split()[0]) / 1024,
    }


def main() -> None:
    """Measure, and print the medians."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--questions", type=int, default=500)
    parser.add_argument("--rows", type=int, default=20_000)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--file", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.file:
        print(json.dumps(measure(options.file)))
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "large.xlsx")
        write_workbook(path, options.questions, options.rows)
        command = [sys.executable, "-m", "tests.bench.filling", "--file", str(path)]
        runs = [
            json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
            for _ in range(options.repeats)
        ]
        print(f"{path.stat().st_size / 1e6:.1f} MB")
    for name in runs[0]:
        print(f"{name}: {median(run[name] for run in runs):.2f}")


if __name__ == "__main__":
    main()
