"""Long forms guessed from a corpus' phrases for abbreviations that it, or another corpus, defines: right and wrong.

Run: .venv/bin/python -m tests.bench.abbreviations HOME

Of each pair of a corpus below HOME and an abbreviation that any of them defines, the long form is guessed from the
corpus' phrases alone, its definitions left out. It is right where it is one of the definitions, but for the plural and
small words; most pairs have no right one, as the corpus does not speak of it.
"""

from __future__ import annotations

import sys
from collections import Counter

import polars as pl

from tasks.embedding.lexical.abbreviations import Abbreviations, count_abbreviations, fit_abbreviations
from tasks.embedding.lexical.word_counts import Counts
from tasks.records import searched_text
from tasks.text.stemmed_words import words_of


def learned(texts: list[str], *, defined: bool) -> Abbreviations:
    """The abbreviations learned from the definitions in texts alone, or from all but these."""
    counts = count_abbreviations(texts, "english")
    wanted = [at for at, word in enumerate(counts.words) if word.startswith("defined") == defined]
    return fit_abbreviations([Counts(counts.words[wanted], counts.rows[:, wanted])])


def stems(long_form: str) -> tuple[str, ...]:
    """The content words of a long form, without endings."""
    return tuple(words_of(long_form.replace("-", " "), "english", "english"))


def main(home: str) -> None:
    """Prints how many guesses of each corpus are right and wrong."""
    chunks = pl.read_parquet(f"{home}/lake/chunks/**/*.parquet")
    texts = {
        str(corpus): [searched_text(row["context"] or "", row["text"]) for row in some.iter_rows(named=True)]
        for (corpus,), some in chunks.group_by("corpus", maintain_order=True)
    }
    known: dict[str, set[tuple[str, ...]]] = {}
    for some in texts.values():
        for short, long in learned(some, defined=True).long_forms.items():
            known.setdefault(short.upper(), set()).add(stems(long))
    total: Counter[str] = Counter()
    for corpus, some in texts.items():
        guesses = learned(some, defined=False).long_forms
        judged = {short: stems(guesses[short]) in forms for short, forms in known.items() if short in guesses}
        wrong = [f"{short} = {guesses[short]}" for short, is_right in judged.items() if not is_right]
        total.update(right=len(judged) - len(wrong), wrong=len(wrong), pairs=len(known))
        print(f"{corpus}: {len(judged) - len(wrong)} right, {len(wrong)} wrong: {'; '.join(wrong)}")
    print(f"all: {total['right']} right, {total['wrong']} wrong of {total['pairs']} pairs")


if __name__ == "__main__":
    main(sys.argv[1])
