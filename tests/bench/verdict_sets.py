"""The sets of yes/no questions that verdicts are fitted on and measured on, and the corpora that they are asked of.

Companies are invented, each with documents and a questionnaire (``tests/data/companies``); two are fitted on, and
``saltmarsh`` is for measuring only; ``meridian-requirements`` and ``fenwick-requirements`` put some of their questions
as requirements. The policies are real (``shared/data/policies``, their questions in
``tests/data/policies``). The demo has client A, which is written to defeat the matching of words, and plain questions
(``tests/data/demo``); nothing is fitted on either. More yes/no questions, in ``tests/data/verdicts``, were written to
the same documents without bidfolio.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from configs.demo.build import SOURCES, build_demo
from configs.plans import Plan, load_plan
from configs.settings import load_settings
from tasks.answering.pipeline import Loaded
from tasks.answering.task import load_for_asking
from tasks.evaluation.gold.gold_set import as_question, read_gold
from tasks.index.store import IndexStore
from tasks.records import GoldQuestion, Question
from tasks.retrieval.queries.scope import Scope
from tasks.retrieval.version_loading import live_version

ROOT = Path(__file__).resolve().parents[2]
DATA, POLICIES = ROOT / "tests" / "data", ROOT.parent / "shared" / "data" / "policies"
MEASURED = ("saltmarsh", "client-a", "plain")
_FOLDERS: Mapping[str, Path] = {
    "public-company": POLICIES / "public-company",
    "saas-templates": POLICIES / "saas-templates",
    **{name: POLICIES.parent / name for name in ("northwind", "rfp", "word")},
}
"""The folders of the corpora that are not made."""
_FITTED_ON = ("meridian", "fenwick", "public-company", "saas-templates", "northwind")
_FILES: Mapping[str, tuple[str, Path]] = {
    **{name: (name, DATA / "policies" / f"{name}.jsonl") for name in ("public-company", "saas-templates")},
    **{f"verdicts-{name}": (name, DATA / "verdicts" / f"{name}.jsonl") for name in _FITTED_ON},
    **{f"open-{name}": (name, DATA / "open" / f"{name}.jsonl") for name in _FITTED_ON},
    **{name: (name, ROOT / "tests" / "bench" / "gold" / f"{name}.jsonl") for name in ("rfp", "word")},
}
"""The sets that are a file: the corpus that each is asked of, and the file."""
FITTED = ("meridian", "fenwick", "public-company", "saas-templates")
VERDICTS_ALONE = tuple(f"verdicts-{name}" for name in _FITTED_ON)
"""Sets of yes/no questions, none of which a company has asked or been asked."""
OPEN = (*(f"open-{name}" for name in _FITTED_ON), "rfp", "word")
"""Sets of open questions."""


class VerdictSet(NamedTuple):
    """A gold set, the corpus that it is asked of, and of each question the quotes that answer it."""

    name: str
    corpus: str
    items: Sequence[GoldQuestion]
    quotes: Mapping[str, Sequence[str]]

    @property
    def questions(self) -> list[Question]:
        """The gold questions as they are asked, in order."""
        return [as_question(item, at) for at, item in enumerate(self.items)]


def verdict_set(name: str, home: str) -> VerdictSet:
    """The set of that name, its corpus built and refreshed below ``home`` where it is not there yet."""
    if name in _FILES:
        corpus, file = _FILES[name]
        if corpus in _FOLDERS:
            refresh(_FOLDERS[corpus], corpus, home)
        else:
            verdict_set(corpus, home)
        lines = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
        return VerdictSet(name, corpus, read_gold(str(file)), {one["id"]: _quotes(one) for one in lines})
    if company := name.removesuffix("-requirements") if name.endswith("-requirements") else "":
        path = DATA / "companies" / company / "requirements.jsonl"
        return verdict_set(company, home)._replace(name=name, items=read_gold(str(path)), quotes={})
    is_demo = name in ("client-a", "client-b", "plain", "plain-open")
    corpus = "demo" if is_demo else name
    sources, built = Path(home, "sources", corpus), Path(home, "sets", corpus)
    if not (built / "gold").is_dir():
        for folder in [SOURCES, DATA / "demo"] if is_demo else [DATA / "companies" / name]:
            shutil.copytree(folder, sources, dirs_exist_ok=True, ignore=shutil.ignore_patterns("*.py", "__pycache__"))
        build_demo(built, sources)
    refresh(built / "corpus", corpus, home)
    items: Sequence[Mapping[str, Any]] = yaml.safe_load((sources / "gold" / f"{name}.yaml").read_text())["items"]
    return VerdictSet(
        name, corpus, read_gold(str(built / "gold" / f"{name}.jsonl")), {one["id"]: _quotes(one) for one in items}
    )


def _quotes(item: Mapping[str, Any]) -> list[str]:
    return [one["quote"] for one in item.get("evidence") or () if one.get("quote")]


def refresh(folder: Path, corpus: str, home: str) -> None:
    """Publishes the folder as that corpus, where it is not there yet."""
    if any(one.manifest.corpus == corpus for one in IndexStore(home).versions()):
        return
    command = [sys.executable, "-m", "flows.cli", "refresh", str(folder), "--corpus", corpus, "--home", home]
    subprocess.run(command, check=True, cwd=ROOT)


def loaded_for(of: VerdictSet, home: str, plan: Plan | None = None) -> tuple[Loaded, Plan]:
    """What its questions are answered with, and by which plan."""
    plan, settings = plan or load_plan("bidfolio"), load_settings(home=home)
    version = live_version(IndexStore(settings.home), plan, of.corpus)
    return load_for_asking(version, plan, settings, Scope()), plan
