"""Pages of text in columns."""

from __future__ import annotations

from tasks.text.characters import fold

LEFT = """The company encrypts all of its customers'
data at rest and in transit, and it keeps the
keys apart from the data. Keys are rotated
every ninety days by a service that nobody
can reach from the office network, and each
rotation is written to a log that is kept for
seven years in another region of the same
provider, where auditors may read it.""".split("\n")
RIGHT = """Backups are taken every night and are
restored once a quarter into a network of
their own, so that the time which recovery
takes is known. The results are given to the
board, which decides on the money for the
next year. A backup that cannot be read is
an incident, and it is handled as one by the
team that is on duty at that time.""".split("\n")
THIRD = """Suppliers are reviewed before they are
used and once a year from then on, by people
who do not buy from them. What they find is
kept with the contract, and it is answered by
the supplier within thirty days or the work
is given to another one, as the policy on
purchasing says in its second part, which was
agreed upon in the spring of last year.""".split("\n")


def across(columns: list[list[str]], top: float = 700, step: float = 240, size: float = 10) -> list[tuple[object, ...]]:
    """Line by line across the columns."""
    return [
        (60 + step * j, top - 14 * i, column[i], "Helvetica", size)
        for i in range(max(map(len, columns)))
        for j, column in enumerate(columns)
        if i < len(column)
    ]


def in_order(text: str, *pieces: str) -> bool:
    """Decide if the pieces stand in the text in this order."""
    places = [fold(text).find(fold(piece)) for piece in pieces]
    return -1 not in places and places == sorted(places)
