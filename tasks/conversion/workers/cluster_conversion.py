"""Conversion of files by the workers of a cluster, each in a sandboxed process of the worker's machine."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from operator import attrgetter

from tasks.cluster.protocol import Cluster, Killed
from tasks.conversion.document.serialization import CHANGED, CRASH, UNREAD, to_json
from tasks.errors import BidfolioError, SourceChanged, UsageError
from tasks.records import SourceFile


@dataclass(frozen=True, slots=True)
class NotRead:
    """A worker's reply for a file that it cannot read or that differs there: the worker's host, and the error."""

    host: str
    error: BidfolioError


def convert_on_cluster(
    cluster: Cluster,
    convert: Callable[[SourceFile], bytes | NotRead],
    can_read: Callable[[SourceFile], bool],
    files: Sequence[SourceFile],
) -> Iterator[tuple[SourceFile, bytes]]:
    """Convert the files: yield each, as it gets done, with its document or the reason why there is none, as JSON; no
    files give none.

    The largest begin first. A file that kills worker after worker is quarantined. Raises UsageError where a worker
    cannot read a file that this machine ``can_read``; and the errors of ``convert`` and of the cluster.
    """
    for file, answer in cluster.run(convert, sorted(files, key=attrgetter("size_bytes"), reverse=True)):
        if isinstance(answer, Killed):
            reason = f"{file.file_name}: refused: {answer.reason}"
            yield file, to_json(file.refuse(reason, CRASH))
        elif isinstance(answer, NotRead):
            if can_read(file):
                raise UsageError(_remedy(file, answer.host))
            depends_on = CHANGED if isinstance(answer.error, SourceChanged) else UNREAD
            yield file, to_json(file.refuse(str(answer.error), depends_on))
        else:
            yield file, answer


def _remedy(file: SourceFile, host: str) -> str:
    path = file.path.removeprefix("file://")
    folder = path.removesuffix(f"/{file.file_name}")
    shared = "that every machine of the cluster has under the same path, or an s3:// URL"
    if folder != path:
        return f"the Dask worker on {host} cannot read {file.file_name} in {folder}: give a folder {shared}"
    folder = path.rpartition("/")[0]
    return (
        f"the Dask worker on {host} cannot read {file.file_name}, which this machine keeps in {folder}: "
        f"give a --home {shared}"
    )
