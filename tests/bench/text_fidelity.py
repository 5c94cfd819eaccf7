"""How many words of known texts come back from their PDFs, in order.

Run: .venv/bin/python -m tests.bench.text_fidelity [FOLDER] [--random 200]

The demo's PDFs and random documents are compared with what they were set from. PDFs of FOLDER, whose text nobody knows,
are compared with what pdfium finds on their pages, running headers and footers counted in: a word that is lost or
misplaced by our own hand shows, one that pdfium misreads does not.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import pypdfium2

from configs.demo import pdf
from configs.demo.build import SOURCES
from configs.demo.source import parse
from tests.made.conversions import convert_bytes
from tests.made.known_documents import Kept, compare, demo_text, make_document, random_recipe


def main() -> None:
    """Prints a line a document that lost words, and one for each kind."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path)
    parser.add_argument("--random", type=int, default=200, metavar="N")
    options = parser.parse_args()
    print_share("demo", dict(map(demo_document, sorted((SOURCES / "documents").glob("*.md")))))
    print_share("random", {f"seed {seed}": random_document(seed) for seed in range(options.random)})
    if options.folder:
        print_share(str(options.folder), {path.name: folder_document(path) for path in options.folder.rglob("*.pdf")})


def demo_document(path: Path) -> tuple[str, Kept]:
    """A document of the demo, set as a PDF whatever it is there."""
    source = parse(path.read_text(encoding="utf-8"), path.name)
    rendered = pdf.render(source)
    return path.name, compare(demo_text(source, rendered), convert_bytes(f"{path.stem}.pdf", rendered.data).text)


def random_document(seed: int) -> Kept:
    """The random document of that seed."""
    made = make_document(random_recipe(seed))
    return compare(made.text, convert_bytes("a.pdf", made.data).text)


def folder_document(path: Path) -> Kept:
    """A PDF beside what pdfium finds on its pages."""
    data = path.read_bytes()
    elements = convert_bytes(path.name, data).elements
    reader = pypdfium2.PdfDocument(data)
    known = "\n\n".join(
        page.get_textpage().get_text_bounded().replace("\ufffe", "-").replace("\x02", "-") for page in reader
    )
    reader.close()
    return compare(known, "\n".join(element.text for element in elements))


def print_share(kind: str, found: dict[str, Kept]) -> None:
    """The share of each document that lost something, and of all."""
    for name, kept in found.items():
        if kept.kept < kept.words:
            print(f"  {name}: {kept.words - kept.kept} of {kept.words} words lost ({kept.share:.4%} kept)")
    words, kept_words = sum(kept.words for kept in found.values()), sum(kept.kept for kept in found.values())
    if words:
        print(f"{kind}: {len(found)} documents, {kept_words} of {words} words in order ({kept_words / words:.4%})")


if __name__ == "__main__":
    main()
