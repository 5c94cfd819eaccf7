"""The questionnaires that the customers of the gold sets send: questions, and empty cells for the answers."""

from collections.abc import Iterator
from itertools import groupby

from configs.demo.gold import GoldSet
from configs.demo.sheets import Sheet, Workbook


def questionnaires(gold: GoldSet) -> tuple[Workbook, ...]:
    """The customer's files, unanswered; the first column of a question's row is the item's id.

    Layout `assessment` has a sheet of instructions, a band a section, an answer to choose and room for
    comments; layout `requirements` a column for the section and one for the response. A CSV has the table
    alone.
    """
    sheets = (_instructions(gold), _assessment(gold)) if gold.layout == "assessment" else (_requirements(gold),)
    return tuple(
        Workbook(
            file=file,
            title=gold.title,
            author=gold.client,
            date=gold.issued,
            sheets=sheets if file.endswith(".xlsx") else (sheets[-1].model_copy(update={"preamble": ()}),),
        )
        for file in gold.files
    )


def _instructions(gold: GoldSet) -> Sheet:
    lines = (gold.title, gold.client, "", *gold.instructions)
    return Sheet(name="Instructions", widths_chars=(110,), preamble=tuple((line,) for line in lines))


def _assessment(gold: GoldSet) -> Sheet:
    """Title rows, then each section's questions under a band with its name."""

    def rows() -> Iterator[tuple[str, ...]]:
        for section, items in groupby(gold.items, key=lambda item: item.section):
            yield (section,)
            yield from ((item.id, item.question, "", "") for item in items)

    return Sheet(
        name="Questionnaire",
        widths_chars=(9, 70, 14, 60),
        preamble=((gold.title,), (f"{gold.client}, issued {gold.issued:%d/%m/%Y}",), ("",)),
        header=("Ref", "Question", "Answer", "Comments"),
        rows=tuple(rows()),
        merge_bands=True,
        dropdown=("Answer", ("Yes", "No", "Partial", "NA")),
    )


def _requirements(gold: GoldSet) -> Sheet:
    return Sheet(
        name="Requirements",
        widths_chars=(9, 26, 75, 70),
        preamble=((f"{gold.client}: {gold.title}",), *((line,) for line in gold.instructions), ("",)),
        header=("No.", "Section", "Requirement", "Supplier response"),
        rows=tuple((item.id, item.section, item.question, "") for item in gold.items),
    )
