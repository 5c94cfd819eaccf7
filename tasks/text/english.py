"""Closed classes of English words: months, numbers and auxiliary verbs."""

from __future__ import annotations

MONTHS = tuple("January February March April May June July August September October November December".split())
TENS = tuple("twenty thirty forty fifty sixty seventy eighty ninety".split())
BELOW_TWENTY = tuple(
    (
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
        "seventeen eighteen nineteen"
    ).split()
)
NUMBER_WORDS = {word: value for value, word in enumerate(BELOW_TWENTY)} | {
    word: 10 * value for value, word in enumerate(TENS, 2)
}
"""The value of each number of one word below a hundred."""
AUXILIARIES = "do|does|did|is|are|was|were|has|have|had|can|could|will|would|shall|should|may|must"
"""The verbs that begin a question of yes or no, as alternatives of a pattern."""
