"""`bidfolio sql`: DuckDB over the lake, with a view on each table."""

from __future__ import annotations

from typing import Any, NamedTuple

import duckdb

from configs.settings import Settings
from tasks.errors import UsageError
from tasks.schemas import TABLES


class Result(NamedTuple):
    """The columns and the rows of a query."""

    columns: list[str]
    rows: list[list[Any]]


def run_query(query: str, settings: Settings) -> Result:
    """The rows of ``query``; a table that nothing was written to yet is there and empty.

    The session reads the lake and nothing else: no other file, no network, no extension. Raises UsageError that
    carries DuckDB's own message.
    """
    with duckdb.connect() as connection:
        # Hive partitioning is off: each part of a path is a column of the file too, and DuckDB would take an index
        # key of digits alone for a number.
        for name, schema in TABLES.items():
            try:
                connection.execute(
                    f"CREATE VIEW {name} AS SELECT * FROM read_parquet("
                    f"'{_quoted(settings.home)}/lake/{name}/**/*.parquet', hive_partitioning=false, union_by_name=true)"
                )
            except duckdb.IOException:  # no file yet
                connection.register(f"_{name}", schema.empty_table())
                connection.execute(f"CREATE VIEW {name} AS SELECT * FROM _{name}")
        connection.execute("SET autoinstall_known_extensions = false")
        if "://" not in settings.home:
            connection.execute(f"SET allowed_directories = ['{_quoted(settings.home)}/lake/']")
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
            raise UsageError(f"{error} (tables: {', '.join(TABLES)})") from error


def _quoted(path: str) -> str:
    return path.replace("'", "''")
