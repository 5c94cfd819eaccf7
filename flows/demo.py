"""`bidfolio demo`: index a fictitious vendor's documents, and answer two of its customers' questionnaires."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from configs.demo.build import SOURCES, DemoPaths, build_demo, demo_paths
from configs.settings import Settings
from flows.answer import answer_questionnaire
from flows.refresh import refresh_corpus
from flows.refresh_look import look_for_changes
from tasks.progress import track
from tasks.records import content_id

CORPUS = "demo"
EXAMPLE = "How soon do you tell customers about a breach of personal data?"


def run_demo(settings: Settings, *, is_watched: bool = True) -> dict[str, Any]:
    """Run the demo; returns the summaries, and the paths of the filled copies, below ``<home>/demo``.

    ``is_watched``: a refresh that has nothing to do runs as a flow, too, which somebody may watch. For a home in an
    object store the copies are in ``.bidfolio/demo`` of the folder that it is called from.
    """
    folder = Path(".bidfolio" if "://" in settings.home else settings.home, "demo").resolve()
    paths = _built(folder)
    wanted = (str(paths.corpus), "bidfolio", CORPUS)
    refreshed = (None if is_watched else look_for_changes(*wanted)) or refresh_corpus(*wanted)
    answers = folder / "answers"
    answers.mkdir(exist_ok=True)
    questionnaires = [
        answer_questionnaire(
            str(file), str(answers / f"{file.stem}.answered{file.suffix}"), corpus=CORPUS, overwrite=True
        )
        for file in sorted(paths.questionnaires.glob("*.xlsx"))
    ]
    return {
        "refresh": refreshed.to_json(),
        "refresh_in_words": refreshed.in_words(),
        "questionnaires": questionnaires,
        "gold": str(paths.gold),
        "example": EXAMPLE,
    }


def _built(folder: Path) -> DemoPaths:
    """The sample's files below ``folder``; they are built where they are missing or their sources have changed."""
    sources = sorted(path for path in SOURCES.rglob("*") if path.suffix in {".md", ".yaml", ".py"})
    wanted = content_id("demo", *(path.read_bytes() for path in sources))
    stamp = folder / "built"
    if stamp.is_file() and stamp.read_text(encoding="utf-8") == wanted:
        return demo_paths(folder)
    with track("Building the sample", 1) as advance:
        paths = build_demo(folder)
        advance(1)
    stamp.write_text(wanted, encoding="utf-8")
    return paths
