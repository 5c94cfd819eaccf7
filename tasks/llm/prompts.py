"""Prompt templates for models, in ``configs/prompts``: files with named fields, so new wording needs no new code."""

from __future__ import annotations

from pathlib import Path
from string import Template

from tasks.records import content_id

PROMPTS_DIR = Path(__file__).resolve().parents[2] / "configs" / "prompts"


def prompt(name: str, **fields: object) -> str:
    """The prompt ``configs/prompts/<name>.md`` with each ``$field`` filled in; a ``$`` in a value stays.

    Raises KeyError for a field without a value.
    """
    text = (PROMPTS_DIR / f"{name}.md").read_text(encoding="utf-8").removesuffix("\n")
    return Template(text).substitute({key: str(value) for key, value in fields.items()})


def prompts_version(folder: str) -> str:
    """A hash, 16 hex digits, of the names and bytes of all prompts in that folder."""
    files = sorted((PROMPTS_DIR / folder).glob("*.md"))
    return content_id("prompts", *(part for file in files for part in (file.stem, file.read_bytes())))
