"""Glob patterns (``--include``, ``--exclude``) that choose which files of a folder belong to the corpus."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from tasks.errors import UsageError
from tasks.records import SourceFile
from tasks.sources.file_types import may_hold_documents

if TYPE_CHECKING:
    from wcmatch.glob import WcMatcher

_WILD = re.compile(r"[*?\[\\]")


@dataclass(frozen=True, slots=True)
class Patterns:
    """Include and exclude patterns. A file passes if it matches any of ``include`` (or there are none) and none of
    ``exclude``.

    A pattern is compared with the name below the folder and with each folder, archive and mail above it: a pattern that
    matches a folder covers all files in it. ``*`` stays within a folder, ``**`` crosses folders, and a pattern without
    ``/`` matches at any depth; with a ``/``, even at its beginning, it starts at the top. Upper and lower case are the
    same.
    """

    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()

    def lets_in(self, name: str) -> bool:
        """Tell if the file of that name belongs to the corpus."""
        return self._is_included(name) and not self._is_excluded(name)

    def may_let_in_from(self, name: str) -> bool:
        """Tell if a file in the archive or mail of that name could belong to the corpus."""
        if not may_hold_documents(name) or self._is_excluded(name):
            return False
        folder = f"{_folded(name)}/".casefold()
        starts = [_WILD.split(f"{_rooted(pattern)}/", maxsplit=1)[0].casefold() for pattern in self.include]
        return self._is_included(name) or any(one.startswith(folder) or folder.startswith(one) for one in starts)

    def chosen(self, files: Iterable[SourceFile], source: str) -> list[SourceFile]:
        """The ``files`` that belong to the corpus, and each refused container that might hold such files.

        Raises UsageError where no file belongs to the corpus.
        """
        left = [
            file
            for file in files
            if self.lets_in(file.file_name) or (file.refused and self.may_let_in_from(file.file_name))
        ]
        if not any(self.lets_in(file.file_name) for file in left):
            raise UsageError(f"no document in {source} passes {self}: change the patterns, or leave them out")
        return left

    def idle(self, names: Iterable[str]) -> tuple[str, ...]:
        """The patterns that match none of ``names``."""
        known = list(names)
        return tuple(one for one in (*self.include, *self.exclude) if not any(_matches(one, name) for name in known))

    def __str__(self) -> str:
        named = (("--include", self.include), ("--exclude", self.exclude))
        return " ".join(f"{option} {pattern!r}" for option, patterns in named for pattern in patterns)

    def _is_included(self, name: str) -> bool:
        return not self.include or any(_matches(pattern, name) for pattern in self.include)

    def _is_excluded(self, name: str) -> bool:
        return any(_matches(pattern, name) for pattern in self.exclude)


EVERYTHING = Patterns()


def _matches(pattern: str, name: str) -> bool:
    path = PurePosixPath(_folded(name))
    return any(_compiled(pattern).match(str(one)) for one in (path, *path.parents) if one.name)


def _folded(name: str) -> str:
    """Normalize a name for matching: Unicode composed (NFC), since some systems write ``ä`` as two characters, and no
    empty or dot steps.
    """
    parts = unicodedata.normalize("NFC", name).split("/")
    return "/".join(part for part in parts if part not in ("", ".", ".."))


def _rooted(pattern: str) -> str:
    """Anchor the pattern at the top of the folder; a pattern without ``/`` gets ``**/`` before it."""
    is_bare = "/" not in pattern.rstrip("/")
    return ("**/" if is_bare else "") + _folded(pattern)


@lru_cache(maxsize=256)
def _compiled(pattern: str) -> WcMatcher[str]:
    # wcmatch takes a tenth of a second to import, and most corpora have no patterns.
    from wcmatch import glob

    return glob.compile(_rooted(pattern), flags=glob.GLOBSTAR | glob.DOTGLOB | glob.IGNORECASE | glob.FORCEUNIX)
