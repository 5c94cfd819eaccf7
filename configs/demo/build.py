"""Builds the demo: the vendor's documents, the customers' questionnaires, and the gold sets with their pages.

    python -m configs.demo.build TARGET

Nothing is downloaded, and the same sources give the same bytes.
"""

import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path, PurePath
from typing import NamedTuple

from configs.demo import forms, gold, pdf, sheets, slides, web, word
from configs.demo.passages import Concordance, Rendered
from configs.demo.source import Source, parse
from configs.demo.yamls import SourceError, load

SOURCES = Path(__file__).parent

_RENDERERS: Mapping[str, Callable[[Source], Rendered]] = {
    ".pdf": pdf.render,
    ".docx": word.render,
    ".pptx": slides.render,
    ".html": web.render,
}


class DemoPaths(NamedTuple):
    """The folders of a built demo: documents to index, files to answer, gold sets to judge the answers by."""

    corpus: Path
    questionnaires: Path
    gold: Path


def demo_paths(target: Path) -> DemoPaths:
    """The paths of the demo's folders below `target`, built or not."""
    return DemoPaths(target / "corpus", target / "questionnaires", target / "gold")


def build_demo(target: Path, sources: Path = SOURCES) -> DemoPaths:
    """Writes the demo to `target`, whose folders come back; files that it does not know are left alone.

    Raises `SourceError` for a source out of format and `GoldError` for evidence that the documents do not
    hold, before anything is written.
    """
    paths = demo_paths(target)
    corpus = _unique(_corpus(sources))
    concordances = {file: Concordance(rendered.passages) for file, rendered in corpus.items()}
    asked: dict[str, bytes] = {}
    answers: dict[str, bytes] = {}
    for path in sorted((sources / "gold").glob("*.yaml")):
        gold_set = load(path.read_text("utf-8"), gold.GoldSet, path.name)
        asked |= {workbook.file: sheets.render(workbook).data for workbook in forms.questionnaires(gold_set)}
        answers[f"{path.stem}.jsonl"] = gold.to_jsonl(gold_set, concordances).encode()
    for folder, files in zip(paths, ({name: one.data for name, one in corpus.items()}, asked, answers), strict=True):
        folder.mkdir(parents=True, exist_ok=True)
        for name, data in files.items():
            (folder / name).write_bytes(data)
    return paths


def _corpus(sources: Path) -> Iterator[tuple[str, Rendered]]:
    """The name and the rendering of every document and past questionnaire, in the order of the sources."""
    for path in sorted((sources / "documents").glob("*.md")):
        source = parse(path.read_text("utf-8"), path.name)
        render = _RENDERERS.get(PurePath(source.front.file).suffix)
        if render is None:
            raise SourceError(f"{path.name}: {source.front.file} is none of {', '.join(_RENDERERS)}")
        yield source.front.file, render(source)
    for path in sorted((sources / "questionnaires").glob("past-*.yaml")):
        workbook = load(path.read_text("utf-8"), sheets.Workbook, path.name)
        yield workbook.file, sheets.render(workbook)


def _unique(files: Iterator[tuple[str, Rendered]]) -> dict[str, Rendered]:
    """The renderings by name; raises `SourceError` where two sources build one file."""
    built: dict[str, Rendered] = {}
    for name, rendered in files:
        if name in built:
            raise SourceError(f"{name}: two sources build this file")
        built[name] = rendered
    return built


def main(arguments: list[str]) -> int:
    """Builds to the one argument; exit code 2 with the usage or the error, else 0."""
    if len(arguments) != 1:
        print("usage: python -m configs.demo.build TARGET", file=sys.stderr)
        return 2
    try:
        paths = build_demo(Path(arguments[0]))
    except (SourceError, gold.GoldError) as error:
        print(error, file=sys.stderr)
        return 2
    for folder in paths:
        print(f"{folder}: {sum(1 for _ in folder.iterdir())} files")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
