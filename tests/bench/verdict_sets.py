"""The sets of yes/no questions that verdicts are fitted on and measured on, and the corpora that they are asked of.

Companies are invented, each with documents and a questionnaire (``tests/data/companies``); two are fitted on, and
``saltmarsh`` is for measuring only; ``meridian-requirements`` and ``fenwick-requirements`` put some of their questions
as requirements. The policies are real (``shared/data/policies``, their questions in
``tests/data/policies``). The demo has client A, which is written to defeat the matching of words, and plain questions
(``tests/data/demo``); nothing is fitted on either.
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
FITTED = ("meridian", "fenwick", "public-company", "saas-templates")
MEASURED = ("saltmarsh", "client-a", "plain")
OPEN: Mapping[str, tuple[str, Path, Path | None]] = {
    "open-meridian": ("meridian", DATA / "open" / "meridian.jsonl", None),
    "open-fenwick": ("fenwick", DATA / "open" / "fenwick.jsonl", None),
    "open-public-company": ("public-company", DATA / "open" / "public-company.jsonl", POLICIES / "public-company"),
    "open-saas-templates": ("saas-templates", DATA / "open" / "saas-templates.jsonl", POLICIES / "saas-templates"),
    "open-northwind": ("northwind", DATA / "open" / "northwind.jsonl", POLICIES.parent / "northwind"),
    "rfp": ("rfp", ROOT / "tests" / "bench" / "gold" / "rfp.jsonl", POLICIES.parent / "rfp"),
    "word": ("word", ROOT / "tests" / "bench" / "gold" / "word.jsonl", POLICIES.parent / "word"),
}
"""Sets of open questions: the corpus that each is asked of, its file, and the folder of a corpus that is not made."""


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
    if name in ("public-company", "saas-templates"):
        refresh(POLICIES / name, name, home)
        paths = [DATA / "policies" / f"{name}{more}.jsonl" for more in ("", "-verdicts")]
        lines = [json.loads(line) for path in paths for line in path.read_text(encoding="utf-8").splitlines()]
        asked = [item for path in paths for item in read_gold(str(path))]
        return VerdictSet(name, name, asked, {one["id"]: _quotes(one) for one in lines})
    if name in OPEN:
        corpus, path, folder = OPEN[name]
        if folder is None:
            verdict_set(corpus, home)
        else:
            refresh(folder, corpus, home)
        lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        return VerdictSet(name, corpus, read_gold(str(path)), {one["id"]: _quotes(one) for one in lines})
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
