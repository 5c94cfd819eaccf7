"""`bidfolio sql`: DuckDB over the lake, with a view on each table."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import duckdb
import pyarrow as pa

from configs.settings import Settings
from tasks.errors import UsageError
from tasks.schemas import TABLES

_FLOAT_BYTES = 4


class Result(NamedTuple):
    """The columns and the rows of a query."""

    columns: list[str]
    rows: list[list[Any]]


def run_query(query: str, settings: Settings) -> Result:
    """The columns and rows of ``query``; a table that nothing was written to yet is there and empty.

    The session reads the lake and nothing else: no other file, no network, no extension. Raises UsageError with
    DuckDB's own message.
    """
    with duckdb.connect() as connection:
        if "://" in settings.home:
            # DuckDB's own reader of stores is an extension, which it would fetch from the network.
            import fsspec

            connection.register_filesystem(fsspec.core.url_to_fs(settings.home)[0])
        # Hive partitioning is off: each part of a path is a column of the file too, and DuckDB would take an index
        # key of digits alone for a number.
        for name, schema in TABLES.items():
            try:
                files = f"'{_as_glob(settings.home)}/lake/{name}/**/*.parquet'"
                connection.execute(
                    f"CREATE VIEW {name} AS SELECT {_shown(schema)} FROM "
                    f"read_parquet({files}, hive_partitioning=false, union_by_name=true)"
                )
            except duckdb.Error as error:
                if "No files found" not in str(error):
                    raise UsageError(
                        f"a file of the table {name} is damaged ({error}): `bidfolio index check` names it with the "
                        "command that mends it, or removes what is left"
                    ) from error
                connection.register(f"_{name}", schema.empty_table())
                connection.execute(f"CREATE VIEW {name} AS SELECT {_shown(schema)} FROM _{name}")
        connection.execute("SET autoinstall_known_extensions = false")
        if "://" not in settings.home:
            # DuckDB checks the pattern of a view, too, against these.
            allowed = ", ".join(f"'{home}/lake/'" for home in {_quoted(settings.home), _as_glob(settings.home)})
            connection.execute(f"SET allowed_directories = [{allowed}]")
            connection.execute("SET enable_external_access = false")
        connection.execute("SET lock_configuration = true")
        try:
            statements = connection.extract_statements(query)
            if [statement.type for statement in statements] != [duckdb.StatementType.SELECT]:
                raise UsageError("sql takes one SELECT, and nothing that writes")
            result = connection.execute(statements[0])
            columns = [column[0] for column in result.description or []]
            return Result(columns, [list(row) for row in result.fetchall()])
        except duckdb.Error as error:
            raise UsageError(
                f"{error} (tables: {', '.join(TABLES)}; DESCRIBE with a table's name lists its columns)"
            ) from error


def _shown(schema: pa.Schema) -> str:
    """The columns of a view: all of the table's, with the dimensions of a vector in the place of its bytes."""
    vectors = [field.name for field in schema if pa.types.is_binary(field.type)]
    if not vectors:
        return "*"
    dimensions = (f"octet_length({name}) // {_FLOAT_BYTES} AS {name}_dimensions" for name in vectors)
    return f"* EXCLUDE ({', '.join(vectors)}), {', '.join(dimensions)}"


def _as_glob(path: str) -> str:
    """The path as a glob pattern that matches only itself."""
    return _quoted(re.sub(r"[\[*?]", lambda found: f"[{found[0]}]", path))


def _quoted(path: str) -> str:
    return path.replace("'", "''")
