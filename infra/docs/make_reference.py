"""Write ``reference.md`` beside this file: every command, setting and table, from the code that defines them.

Run: ``.venv/bin/python infra/docs/make_reference.py``; ``--check`` only tells if it is stale.
"""

from __future__ import annotations

import argparse
import inspect
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pyarrow as pa
from pydantic import BaseModel
from pydantic.fields import FieldInfo

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from configs.settings import Settings  # noqa: E402
from flows.cli.main import build_parser  # noqa: E402
from tasks.schemas import TABLES  # noqa: E402

PATH = Path(__file__).with_name("reference.md")
INTRODUCTION = """# Reference

Made by `infra/docs/make_reference.py` from the code: edit there.
"""
EVERYWHERE = frozenset({"--help", "--home", "--profile", "--backend", "--json"})


def reference() -> str:
    """The page, in Markdown."""
    return "\n".join([INTRODUCTION, *commands(), *settings(), *tables()])


def commands() -> Iterator[str]:
    """A section a command, with its arguments and options."""
    yield "## Commands\n"
    yield "`--home DIR`, `--profile NAME`, `--backend NAME`, `--json`, `--help` stand before or after each command.\n"
    for name, parser in parsers(build_parser(), ""):
        yield f"### `{name}`\n\n{sentence(parser.description or '')}\n"
        rows = [row for action in parser._actions if (row := option_row(action))]
        yield from table(("argument", "meaning"), rows)


def parsers(parser: argparse.ArgumentParser, name: str) -> Iterator[tuple[str, argparse.ArgumentParser]]:
    """The parsers of all commands below ``parser``, by the words that call them; those with subcommands alone are not
    commands.
    """
    below = [action for action in parser._actions if isinstance(action, argparse._SubParsersAction)]
    if name and not below:
        yield name, parser
    for action in below:
        for word, one in action.choices.items():
            yield from parsers(one, f"{name} {word}".strip())


def option_row(action: argparse.Action) -> tuple[str, str] | None:
    """The row of an argument or option; None of those that every command takes."""
    if EVERYWHERE.intersection(action.option_strings):
        return None
    value = action.metavar or (action.dest.upper() if action.nargs != 0 else "")
    if action.choices:
        value = "\\|".join(map(str, action.choices))
    label = " ".join([*action.option_strings[:1], str(value)] if action.option_strings else [str(value)])
    return f"`{label.strip()}`", sentence((action.help or "").replace("%(default)s", str(action.default)))


def settings() -> Iterator[str]:
    """A section a group of settings, with each variable of the environment and its default."""
    yield "## Settings\n"
    yield "A variable is a key of a profile as well: `BIDFOLIO_DASK_WORKERS` is `dask: {workers: …}`.\n"
    plain = {name: field for name, field in Settings.model_fields.items() if group_of(field) is None}
    yield from setting_section("general", Settings, plain, "")
    for name, field in Settings.model_fields.items():
        if (group := group_of(field)) is not None:
            yield from setting_section(name, group, group.model_fields, f"{name}_")


def group_of(field: FieldInfo) -> type[BaseModel] | None:
    """The model of a group of settings; None of a single setting."""
    kind = field.annotation
    return kind if isinstance(kind, type) and issubclass(kind, BaseModel) else None


def setting_section(name: str, model: type[BaseModel], fields: dict[str, FieldInfo], prefix: str) -> Iterator[str]:
    """The section of one group: its docstring, and a row a setting."""
    yield f"### {name}\n\n{prose(model)}\n"
    rows = [(f"`BIDFOLIO_{prefix}{key}`".upper(), f"`{shown(field)}`") for key, field in fields.items()]
    yield from table(("variable", "default"), rows)


def shown(field: FieldInfo) -> str:
    """The default of a setting as a reader types it."""
    default = field.get_default(call_default_factory=True, validated_data={})
    if default is None or default in ("", (), {}):
        return "not set"
    return str(list(default) if isinstance(default, tuple) else default)


def tables() -> Iterator[str]:
    """A section a table of the lake, with each column, its type and its meaning."""
    yield "## Tables\n"
    for name, schema in TABLES.items():
        yield f"### `{name}`\n"
        yield from table(("column", "type", "meaning"), [column_row(field) for field in schema])


def column_row(field: pa.Field) -> tuple[str, str, str]:
    """The row of a column."""
    meaning = (field.metadata or {}).get(b"doc", b"").decode("utf-8")
    return f"`{field.name}`", str(field.type), meaning.replace("|", "\\|")


def prose(model: type[BaseModel]) -> str:
    """The docstring of a model as Markdown."""
    return re.sub("``(.+?)``", r"`\1`", inspect.getdoc(model) or "", flags=re.DOTALL)


def sentence(text: str) -> str:
    """A line of help as a sentence."""
    return f"{text[:1].upper()}{text[1:].rstrip('.')}." if text else ""


def table(head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> Iterator[str]:
    """A table in Markdown; nothing where there are no rows."""
    if rows:
        yield "\n".join(f"| {' | '.join(row)} |" for row in [head, ("---",) * len(head), *rows]) + "\n"


def main() -> int:
    """Write the page; with ``--check`` return 1 where the one that is there is stale."""
    text = reference()
    if "--check" in sys.argv:
        return int(not PATH.exists() or PATH.read_text(encoding="utf-8") != text)
    PATH.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
