"""Reader of one index version that leaves its rows on disk. Chunks are addressed by ``position``, as staged."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import AbstractContextManager
from functools import partial
from typing import TYPE_CHECKING, TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from configs.retrieval import Search
from tasks.errors import UsageError
from tasks.index.row_filter import Within, file_filter, position_filter, quoted
from tasks.index.rows import CHUNK_SCHEMA, GRANULARITY, ROW_ID, TOKENS, chunk_columns, chunks_of, join_rows, matrix_of
from tasks.records import Chunk
from tasks.storage.store_errors import explained_words

if TYPE_CHECKING:
    from lancedb.table import Table

Matrix = NDArray[np.float32]
Positions = NDArray[np.int64]
MEANS = "bidfolio.means"
"""The metadata key of a version's own table for the mean dense and lexical vectors."""
_ROWS_A_READ = 8192
READS = 12
"""The number of attempts to read a table that may be renewed meanwhile: far more renewals than happen during a read."""
_Found = TypeVar("_Found")


class VersionReader:
    """Reader of a version of at least one chunk.

    ``tables`` opens the shared and the own part of its rows, and opens them again when they have moved. ``damage_told``
    surrounds each read, to raise Damaged where the files are not what was written. Memory: 32 bytes a chunk, and one
    more for each granularity of the plan.
    """

    def __init__(
        self,
        tables: Callable[[], tuple[Table, Table]],
        damage_told: Callable[[], AbstractContextManager[None]],
    ) -> None:
        self._tables, self._damage_told = tables, damage_told
        with damage_told():
            steadily(self._open)

    def __len__(self) -> int:
        return len(self._address)

    def nearest(
        self,
        column: str,
        questions: Matrix,
        count: int,
        search: Search,
        of: str = "",
        within: Within | None = None,
    ) -> list[Positions]:
        """The positions of some ``count`` chunks whose vectors are nearest to each question, ``(questions, n)``.

        ``column`` is ``dense`` or ``lexical``. Only chunks of the granularity ``of``, where it is named, and of the
        part ``within`` are searched. A zero vector finds none, nor does a part without a chunk.
        """
        if within is not None and not len(within.positions):
            return [np.zeros(0, np.int64) for _ in questions]

        def enough(question: NDArray[np.float32]) -> Positions:
            if not question.any():
                return np.zeros(0, np.int64)
            asked = count
            while True:
                found = self._found(column, question, asked, search, of, within)
                inside = found if within is None else found[np.isin(found, within.positions)]
                # A filter may let in rows of other files, which take the place of wanted rows.
                if len(inside) >= count or len(inside) == len(found) or asked >= len(self):
                    return inside
                asked = min(4 * asked, len(self))

        return self._read(lambda: list(map(enough, questions)))

    def is_of(self, granularity: str) -> NDArray[np.bool_]:
        """A mask by position of the chunks of that granularity; all of them where it has no name."""
        return self._is_of[granularity] if granularity else np.ones(len(self), np.bool_)

    def within(self, file_names: Collection[str], others: Collection[str]) -> Within:
        """The part that belongs to those files; ``others`` are all other files' names.

        No files, or unknown ones, give no chunk.
        """
        if not file_names:
            return Within(np.zeros(0, np.int64), "", "")
        where = file_filter(file_names, others)
        names = pa.array(sorted(file_names), pa.string())

        def read() -> Positions:
            found = self._shared.search().where(where).select(["file_name"]).with_row_id(True).to_arrow()
            addresses = found["_rowid"].filter(pc.is_in(found["file_name"], names)).to_numpy()
            return np.flatnonzero(np.isin(self._address, addresses))

        positions = self._read(read)
        return Within(positions, where, position_filter(positions))

    def rows(self, positions: Positions) -> pa.Table:
        """The rows at these positions, each once, in the order of the version; no positions give an empty table."""
        some = positions if len(positions) else np.zeros(1, np.int64)
        return self._read(partial(self._rows, some, chunk_columns(self._shared.schema)))[: len(positions)]

    def vectors_at(self, positions: Positions) -> tuple[Matrix, Matrix]:
        """The dense and lexical vectors at these positions, each once, in the order of the version; none for none."""
        some = positions if len(positions) else np.zeros(1, np.int64)
        rows = self._read(partial(self._rows, some, []))[: len(positions)]
        return matrix_of(rows, "dense"), matrix_of(rows, "lexical")

    def tokens(self, positions: Positions) -> pa.LargeBinaryArray:
        """The token vectors of the chunks at these positions, in their order; no positions give none.

        Raises UsageError where the version was made without them.
        """
        if TOKENS not in self._shared.schema.names:
            raise UsageError("the index keeps no vectors of tokens, by which the plan reranks: refresh with it again")
        if not len(positions):
            return pa.array([], pa.large_binary())
        return self._read(partial(self._tokens, positions))

    def chunks(self, file_names: Collection[str], chunk_ids: Collection[str]) -> list[Chunk]:
        """The chunks of those files with those ids; unknown ids are left out."""
        where = f"file_name IN ({quoted(file_names)}) AND chunk_id IN ({quoted(chunk_ids)})"
        if not file_names or not chunk_ids:
            return []
        names = chunk_columns(self._shared.schema)
        return chunks_of(self._read(lambda: self._shared.search().where(where).select(names).to_arrow()))

    def numbered(self, column: str, places: Collection[tuple[str, int]]) -> list[Chunk]:
        """The chunks whose file name and number are among the places; ``column``, ordinal or parent, has the number.

        Unknown places are left out. It takes two reads, however many places there are.
        """
        return chunks_of(self._read(partial(self._numbered, column, places))) if places else []

    def means(self) -> tuple[Matrix, Matrix]:
        """The mean dense and the mean lexical vector of all chunks, ``(1, n)`` and ``(1, p)``."""
        told = json.loads(self._own.schema.field(ROW_ID).metadata[MEANS.encode()])
        dense, lexical = (np.array([told[column]], np.float32) for column in ("dense", "lexical"))
        return dense, lexical

    def vectors(self) -> Iterator[tuple[Matrix, Matrix]]:
        """The dense and lexical vectors of all chunks in order, in batches of some thousands."""
        for begin in range(0, len(self), _ROWS_A_READ):
            yield self.vectors_at(np.arange(begin, min(begin + _ROWS_A_READ, len(self))))

    def _open(self) -> None:
        self._shared, self._own = self._tables()
        shared = self._shared.search().select([ROW_ID]).with_row_id(True).to_arrow()
        named = [GRANULARITY] if GRANULARITY in self._own.schema.names else []
        own = self._own.search().select([ROW_ID, "position", *named]).to_arrow()
        indexes = [*self._shared.list_indices(), *self._own.list_indices()]
        # A version's own recipe may differ from the recipe that its table was indexed by.
        self._graphs = {column for index in indexes if "hnsw" in index.index_type.lower() for column in index.columns}
        self._offset = np.argsort(own["position"].to_numpy())
        at = pc.index_in(own[ROW_ID], shared[ROW_ID]).to_numpy()
        self._address = shared["_rowid"].to_numpy()[at][self._offset]
        self._by_address = np.argsort(self._address, kind="stable")
        self._sorted_addresses = self._address[self._by_address]
        self._is_of = {
            str(name): pc.equal(own[GRANULARITY], name).to_numpy()[self._offset]
            for name in (pc.unique(own[GRANULARITY]).to_pylist() if named else ())
        }

    def _read(self, read: Callable[[], _Found]) -> _Found:
        def opened_anew() -> _Found:
            self._open()
            return read()

        try:
            return read()
        except (OSError, RuntimeError, ValueError) as error:
            if explained_words(error, ""):
                raise
            with self._damage_told():
                return steadily(opened_anew)

    def _found(
        self, column: str, question: NDArray[np.float32], count: int, search: Search, of: str, within: Within | None
    ) -> Positions:
        query = (self._shared if column == "dense" else self._own).search(question, vector_column_name=column)
        query = query.distance_type("dot").nprobes(search.nprobes).limit(count)
        if search.refine > 1:  # to compare no more than are wanted changes only their order, which no caller needs
            query = query.refine_factor(search.refine)
        filters = [f"{GRANULARITY} = {quoted([of])}"] if of else []
        if within is not None:
            # The partitions nearest to the question may hold no row of the part: more are read until there are enough.
            filters.append(f"({within.shared_filter if column == 'dense' else within.own_filter})")
            query = query.minimum_nprobes(search.nprobes).maximum_nprobes(0)
        if filters:
            query = query.where(" AND ".join(filters), prefilter=True)
        if column in self._graphs:
            query = query.ef(max(search.ef, count * search.refine))
        if column == "lexical":
            return np.asarray(query.select(["position", "_distance"]).to_arrow()["position"], dtype=np.int64)
        found = np.sort(query.select(["_distance"]).with_row_id(True).to_arrow()["_rowid"].to_numpy())
        begins, ends = (np.searchsorted(self._sorted_addresses, found, side=side) for side in ("left", "right"))
        spans = [self._by_address[begin:end] for begin, end in zip(begins, ends, strict=True)]
        return np.concatenate(spans) if spans else np.zeros(0, np.int64)

    def _numbered(self, column: str, places: Collection[tuple[str, int]]) -> pa.Table:
        names, numbers = {name for name, _ in places}, sorted({number for _, number in places})
        where = f"file_name IN ({quoted(names)}) AND {column} IN ({', '.join(map(str, numbers))})"
        found = self._shared.search().where(where).select(["file_name", column]).with_row_id(True).to_arrow()
        # The two lists match more places than are asked for; the texts of the surplus are not read.
        pairs = zip(found["file_name"].to_pylist(), found[column].to_pylist(), strict=True)
        wanted = found["_rowid"].filter(pa.array([pair in places for pair in pairs], pa.bool_())).to_pylist()
        if not wanted:
            return CHUNK_SCHEMA.empty_table()
        return self._shared.take_row_ids(wanted).select(chunk_columns(self._shared.schema)).to_arrow()

    def _tokens(self, positions: Positions) -> pa.LargeBinaryArray:
        addresses = np.unique(self._address[positions])
        found = self._shared.take_row_ids(addresses.tolist()).select([TOKENS]).with_row_id().to_arrow()
        at = pc.index_in(pa.array(self._address[positions]), found["_rowid"].cast(pa.int64()))
        return found[TOKENS].combine_chunks().take(at)

    def _rows(self, positions: Positions, columns: Sequence[str]) -> pa.Table:
        addresses = np.unique(self._address[positions])
        offsets = np.sort(self._offset[positions])
        shared = self._shared.take_row_ids(addresses.tolist()).select([ROW_ID, *columns, "dense"]).to_arrow()
        own = self._own.take_offsets(offsets.tolist()).select(["position", "lexical", ROW_ID]).to_arrow()
        return join_rows(shared, own)


def steadily(read: Callable[[], _Found]) -> _Found:
    """Call ``read``, and again where its table was renewed meanwhile, since its versions are then in the next table."""
    for _ in range(READS - 1):
        try:
            return read()
        except (OSError, RuntimeError, ValueError) as error:
            if explained_words(error, ""):  # its store has been asked several times
                raise
    return read()


def means_of(shared: pa.Table, own: pa.Table) -> str:
    """The mean vectors of the two parts of at least one row, as JSON for :meth:`VersionReader.means`."""
    times = np.bincount(pc.index_in(own[ROW_ID], shared[ROW_ID]).to_numpy(), minlength=shared.num_rows)
    dense = np.zeros(shared.schema.field("dense").type.list_size)
    for begin in range(0, shared.num_rows, _ROWS_A_READ):  # in double precision, but never all of it
        some = slice(begin, begin + _ROWS_A_READ)
        dense += times[some] @ matrix_of(shared.slice(begin, _ROWS_A_READ), "dense").astype(np.float64)
    lexical = matrix_of(own, "lexical").mean(axis=0, dtype=np.float64)
    return json.dumps({"dense": (dense / own.num_rows).tolist(), "lexical": lexical.tolist()})
