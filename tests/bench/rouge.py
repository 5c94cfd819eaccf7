"""ROUGE-1 recall beside rouge-score on the same pairs: microseconds a pair, and whether the values are the same.

Run: .venv/bin/python -m tests.bench.rouge GOLD.jsonl [--configurations 108] [--repeats 5]

Every known answer of the gold set is a reference, cut up once before the clock starts, as for a grid of configurations,
each of which answers every question. The answers are made of it: stretches of the other known answers' words, from
places drawn by chance. The two take turns, and each figure is the fastest of its turns.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path

import numpy as np
from rouge_score.rouge_scorer import RougeScorer

from tasks.evaluation.metrics.rouge import References


def made_answers(references: list[str], draw: np.random.Generator) -> list[str]:
    """One for each reference, of 20 to 80 words."""
    words = " ".join(references).split()
    lengths = draw.integers(20, 81, len(references))
    starts = draw.integers(0, max(1, len(words) - 80), len(references))
    return [" ".join(words[start : start + length]) for start, length in zip(starts, lengths, strict=True)]


def main() -> None:
    """Prints the two times, their ratio, and how many values differ."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("gold", type=Path)
    parser.add_argument("--configurations", type=int, default=108)
    parser.add_argument("--repeats", type=int, default=5)
    options = parser.parse_args()
    lines = map(json.loads, options.gold.read_text(encoding="utf-8").splitlines())
    references = [line["answer"] for line in lines if line.get("answer")]
    draw = np.random.default_rng(0)
    answers = [made_answers(references, draw) for _ in range(options.configurations)]
    prepared, scorer = References(references), RougeScorer(["rouge1"])
    ours_s, theirs_s = [], []
    for _ in range(options.repeats):
        begin = time.perf_counter()
        ours = [prepared.recalls(some) for some in answers]
        ours_s.append(time.perf_counter() - begin)
        begin = time.perf_counter()
        theirs = [
            [
                scorer.score(reference, answer)["rouge1"].recall
                for reference, answer in zip(references, some, strict=True)
            ]
            for some in answers
        ]
        theirs_s.append(time.perf_counter() - begin)
    differing = sum((a or 0.0) != b for x, y in zip(ours, theirs, strict=True) for a, b in zip(x, y, strict=True))
    pairs = len(references) * len(answers)
    print(f"{pairs} pairs: {len(references)} known answers × {len(answers)} configurations")
    print(f"rouge-score {1e6 * min(theirs_s) / pairs:.1f} µs a pair, ours {1e6 * min(ours_s) / pairs:.1f}")
    print(f"{min(theirs_s) / min(ours_s):.1f} times as fast; {differing} values differ")


if __name__ == "__main__":
    main()
