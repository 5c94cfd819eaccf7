"""Gold sets about several corpora, the rank at which each of their questions finds what is right, and what is chosen by
these ranks, judged where it was not chosen.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import yaml
from numpy.typing import NDArray

from configs.plans import PLANS_DIR

DEPTH = 10
FOLDS, SEED = 5, 0
Ranks = Sequence[Sequence[int]]
"""Of each set, the rank of the first right hit of each question; 0 where none of DEPTH is."""
Means = Sequence[NDArray[np.float64]]
"""Of each set, a figure of each question, ``(questions,)``: its reciprocal rank, or the mean of several."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A gold set and the folder that it asks about."""

    name: str
    folder: str
    gold: str

    @property
    def corpus(self) -> str:
        """Its corpus' name."""
        return re.sub(r"\W+", "-", self.folder).strip("-").lower()[-40:].strip("-")

    def lines(self) -> list[dict[str, Any]]:
        """The questions that can be answered."""
        found = [json.loads(line) for line in Path(self.gold).read_text(encoding="utf-8").splitlines() if line.strip()]
        return [line for line in found if line["answerable"]]


def folded(text: str) -> str:
    """Letters and digits alone, in lower case."""
    return re.sub(r"[\W_]+", "", text).lower()


def is_right(hit: Mapping[str, Any], evidence: Sequence[Mapping[str, Any]]) -> bool:
    """Whether the hit holds a half of a quote, or is on a page of evidence without quotes."""
    text = folded(hit["text"])
    for one in evidence:
        if one["file"] != hit["file_name"]:
            continue
        if quote := folded(one.get("quote", "")):
            half = len(quote) // 2
            if quote[:half] in text or quote[half:] in text:
                return True
        elif (one.get("page"), one.get("sheet"), one.get("row")) == (
            hit["page_number"],
            hit["sheet_name"],
            hit["row_number"],
        ):
            return True
    return False


def reciprocals(ranks: Sequence[int]) -> list[float]:
    """1 / rank, and 0 where nothing is right."""
    return [1 / rank if rank else 0.0 for rank in ranks]


def figures(ranks: Sequence[int]) -> str:
    """Recall@1, recall@5 and MRR@10."""
    found = np.array(ranks)
    return f"{(found == 1).mean():.3f}/{((found > 0) & (found <= 5)).mean():.3f}/{np.mean(reciprocals(ranks)):.3f}"


def mean_reciprocals(several: Sequence[Ranks]) -> Means:
    """The mean reciprocal rank of each question over several indexes."""
    return [np.mean([reciprocals(ranks) for ranks in of_set], axis=0) for of_set in zip(*several, strict=True)]


def best_of(found: Mapping[str, Means], is_cheapest: bool) -> str:
    """The name of the best mean over the sets; where ``is_cheapest``, the first that is within one standard error of
    that one, by the differences question by question (Breiman et al. 1984), as the cheaper ones come first.
    """
    best = max(found, key=lambda name: np.mean([one.mean() for one in found[name]]))
    if not is_cheapest:
        return best

    def is_near(name: str) -> bool:
        less = [one - other for one, other in zip(found[best], found[name], strict=True)]
        error = np.sqrt(sum(one.var(ddof=1) / len(one) for one in less)) / len(less)
        return bool(np.mean([one.mean() for one in less]) <= error)

    return next(name for name in found if is_near(name))


def print_chosen(
    found: Mapping[str, Sequence[Ranks]], sets: Sequence[Asked], shown: int, is_cheapest: bool = False
) -> None:
    """What is scored by the name that is chosen, by the mean over the indexes, without what is judged: of each corpus,
    by the sets of the others; and of each set, a fifth of its questions by the other four of every set, all fifths
    together. Printed of each set are the figures of the index ``shown``, and the mean over all of them.
    """
    means = {name: mean_reciprocals(several) for name, several in found.items()}
    print(f"  chosen {'as the cheapest within a standard error' if is_cheapest else 'by MRR'}, a corpus left out:")
    for corpus in dict.fromkeys(asked.corpus for asked in sets):
        inside = [at for at, asked in enumerate(sets) if asked.corpus == corpus]
        others = [at for at in range(len(sets)) if at not in inside]
        chosen = best_of({name: [of_sets[at] for at in others] for name, of_sets in means.items()}, is_cheapest)
        for at in inside:
            judged = [ranks[at] for ranks in found[chosen]]
            print(f"  {sets[at].name:20} by the others {chosen}: {figures(judged[shown])}, mean {mean_figures(judged)}")
    draw = np.random.default_rng(SEED)
    folds = [draw.permutation(len(asked.lines())) % FOLDS for asked in sets]
    indexes = range(len(next(iter(found.values()))))
    left_out: list[list[list[int]]] = [[[] for _ in indexes] for _ in sets]
    how_often: Counter[str] = Counter()
    for fold in range(FOLDS):
        rest = {
            name: [values[of != fold] for values, of in zip(of_sets, folds, strict=True)]
            for name, of_sets in means.items()
        }
        chosen = best_of(rest, is_cheapest)
        how_often[chosen] += 1
        for index in indexes:
            for own, ranks, of in zip(left_out, found[chosen][index], folds, strict=True):
                own[index].extend(np.array(ranks)[of == fold].tolist())
    told = ", ".join(f"{name} {times} times" for name, times in how_often.items())
    print(f"  a fifth of the questions left out, {told}:")
    print(f"  {'':24}" + "".join(f"{figures(own[shown]):>20}" for own in left_out))
    if len(indexes) > 1:
        print(f"  {'mean':24}" + "".join(f"{mean_figures(own):>20}" for own in left_out))


def mean_figures(several: Sequence[Sequence[int]]) -> str:
    """As :func:`figures`, over all of several lists."""
    return figures([rank for ranks in several for rank in ranks])


def written(home: str, variants: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """The files of plans that are bidfolio with other keys; a mapping within a part changes the keys that it names."""
    files = []
    for name, parts in variants.items():
        recipe = yaml.safe_load((PLANS_DIR / "bidfolio.yaml").read_text(encoding="utf-8"))
        for part, keys in parts.items():
            for key, value in keys.items():
                is_of_keys = isinstance(value, Mapping) and isinstance(recipe[part].get(key), Mapping)
                recipe[part][key] = recipe[part][key] | value if is_of_keys else value
        files.append(str(Path(home) / f"{name}.yaml"))
        Path(files[-1]).write_text(yaml.safe_dump(recipe), encoding="utf-8")
    return files
