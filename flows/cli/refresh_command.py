"""`bidfolio refresh` on the command line: its options and its output."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from flows.cli.options import Add
from flows.cli.output.printing import report, tell_warnings

if TYPE_CHECKING:
    from configs.settings import Settings

SHOWN_REASONS = 10


def add_commands(add: Add) -> None:
    """Add `refresh` with its options."""
    refresh = add("refresh", _refresh, "convert, index and publish the documents of a folder")
    refresh.add_argument("source", metavar="SOURCE", help="the folder, or an fsspec URL such as s3://BUCKET/FOLDER")
    for option, verb in (("--include", "take only"), ("--exclude", "leave out")):
        refresh.add_argument(
            option, action="append", metavar="PATTERN", help=f"{verb} files of such names; may be given several times"
        )
    refresh.add_argument("--plan", default="bidfolio", help="the recipe (default: bidfolio)")
    refresh.add_argument(
        "--corpus", help="the name of the corpus (default: the one that was refreshed from there before, else default)"
    )


def _refresh(options: argparse.Namespace, settings: Settings) -> int:
    from flows.cli.preflight import check_folder, server_ready
    from flows.prefect_server.configured import may_be_configured
    from flows.prefect_server.environment import require_writable

    check_folder(options.source, options.plan)
    require_writable(settings.home)
    from flows.refresh_look import look_for_changes
    from tasks.conversion.task import KEPT, corpus_of

    corpus = options.corpus or corpus_of(options.source, settings)
    wanted = (options.source, options.plan, corpus, options.include, options.exclude)
    done = None if may_be_configured() else look_for_changes(*wanted)
    if done is None:
        with server_ready():
            from flows.refresh import refresh_corpus

        done = refresh_corpus(*wanted)
    if done.idle_patterns:
        print(f"bidfolio: no file's name matches {', '.join(map(repr, done.idle_patterns))}", file=sys.stderr)
    if done.replaced_source:
        print(
            f"bidfolio: the corpus {corpus!r} held the documents of {done.replaced_source} until now: give "
            "--corpus NAME to keep two apart, and `bidfolio index rollback` to go back",
            file=sys.stderr,
        )
    for name in done.kept:
        print(f"bidfolio: {name}: {KEPT}; refresh again to read it", file=sys.stderr)
    tell_warnings(done.warnings)
    for reason in done.newly_quarantined[:SHOWN_REASONS]:
        print(f"bidfolio: quarantined: {reason}", file=sys.stderr)
    if len(done.newly_quarantined) > SHOWN_REASONS:
        print(
            f'bidfolio: and {len(done.newly_quarantined) - SHOWN_REASONS} more: bidfolio sql "SELECT file_name, reason '
            "FROM documents WHERE status = 'quarantined'\"",
            file=sys.stderr,
        )
    return report(options, done.to_json(), [done.in_words()], int(bool(done.newly_quarantined or done.kept)))
