"""Quality: the gate before publishing, checks of answers, and drift of questions."""

from tasks.runtime.postponed_import import postpone_import

# Before any module of this room imports Great Expectations: two fifths of its import are for pictures, and for
# expectations about distributions, which no suite has.
for _name in ("altair", "scipy.stats"):
    postpone_import(_name)
